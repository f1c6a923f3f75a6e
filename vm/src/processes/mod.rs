//! The processes of a machine: the running process, the table of the others, the ready queue and the sleepers.

mod contexts;
mod frames;
mod process;
mod ready;
mod running;
mod silence;
mod sleeper;

use crate::base::{ProcessId, Value};
use crate::counting::Family;

pub(crate) use contexts::Contexts;
pub(crate) use frames::{FrameView, FrameWalk, in_stub, resume_unwind_stub, return_stub};
pub(crate) use process::{
    CODE_BITS, Delivery, Goal, HAS_CONTEXT, INITIAL_STACK_WORDS, Mark, MarkKind, Process,
    SCRIPT_PRIORITY, SEEN, Stack, Status, Unwinding, code_of_meta, mark_of_meta, mark_of_token,
};
pub(crate) use ready::ReadyQueue;
pub(crate) use silence::{Reading, Silence, SilentCode, SilentFrames};
pub(crate) use sleeper::Sleeper;

/// The running process, except the values in registers. While it does not run, its [`Process`] holds all of them.
pub(crate) struct Running {
    pub(crate) stack: Stack,
    pub(crate) marks: Vec<Mark>,
    pub(crate) contexts: Contexts,
    pub(crate) id: ProcessId,
    pub(crate) status: Status,
    pub(crate) priority: i64,
    pub(crate) ended: bool,
    /// Whether it is among the fresh processes.
    pub(crate) is_fresh: bool,
    /// Its Process object; nil until it is needed.
    pub(crate) object: Value,
    /// The semaphore that it is about to wait for.
    pub(crate) waits_on: Value,
    /// Depth at which it met the depth limit, until it is well below it again.
    pub(crate) depth_exceeded_at: Option<u64>,
    /// The innermost open measurement with forks that it belongs to.
    pub(crate) family: Family,
    /// The tick at which its time slice ends.
    pub(crate) slice_end: Option<u64>,
    pub(crate) silence: Option<Box<Silence>>,
    /// Interrupted silences, the innermost last.
    #[allow(clippy::vec_box)] // they come out of a box and go back into it
    pub(crate) interrupted: Vec<Box<Silence>>,
}

impl Default for Running {
    /// Nothing runs.
    fn default() -> Running {
        Running {
            stack: Stack::new(0),
            marks: Vec::new(),
            contexts: Contexts::default(),
            id: ProcessId(0),
            status: Status::Runnable,
            priority: SCRIPT_PRIORITY,
            ended: true,
            is_fresh: false,
            object: Value::NIL,
            waits_on: Value::NIL,
            depth_exceeded_at: None,
            family: Family::NONE,
            slice_end: None,
            silence: None,
            interrupted: Vec::new(),
        }
    }
}

impl Running {
    /// The running process of a copy of the machine; `moved` maps addresses of code to the copy's. `top` is its topmost
    /// frame with the next instruction. The remains of an ended process on a stack are not copied.
    pub(crate) fn fork(
        &self,
        top: Option<(usize, *const u64)>,
        moved: impl Fn(*const u64) -> *const u64,
    ) -> Running {
        let Running {
            stack,
            marks,
            contexts,
            id,
            status,
            priority,
            ended,
            is_fresh,
            object,
            waits_on,
            depth_exceeded_at,
            family,
            slice_end,
            silence,
            interrupted,
        } = self;
        let (stack, marks, contexts) = match top {
            Some(top) => {
                let mut stack = stack.clone();
                stack.move_code(marks, top, moved);
                (stack, marks.clone(), contexts.clone())
            }
            None => (Stack::new(0), Vec::new(), Contexts::default()),
        };
        Running {
            stack,
            marks,
            contexts,
            id: *id,
            status: *status,
            priority: *priority,
            ended: *ended,
            is_fresh: *is_fresh,
            object: *object,
            waits_on: *waits_on,
            depth_exceeded_at: *depth_exceeded_at,
            family: *family,
            slice_end: *slice_end,
            silence: silence.clone(),
            interrupted: interrupted.clone(),
        }
    }
}

/// All processes, and the order in which they run.
pub(crate) struct Processes {
    /// By their numbers; a row is empty while its process runs, and when it has ended.
    pub(crate) table: Vec<Option<Box<Process>>>,
    /// An empty row: the running process came out of it, and the next process to leave goes into it.
    pub(crate) spare_row: Option<Box<Process>>,
    /// The stack of a process that has ended, for the next one: requests make many processes that end soon.
    pub(crate) spare_stack: Option<Stack>,
    /// Processes that have run or were made since the last collection of the nursery, each once. No
    /// other process's stack refers to young objects.
    pub(crate) fresh: Vec<ProcessId>,
    /// Bytes of all processes but the running one.
    pub(crate) bytes: usize,
    /// The process whose end is the run's end.
    pub(crate) main: ProcessId,
    pub(crate) ready: ReadyQueue,
    /// Processes that sleep, the first to wake first.
    pub(crate) sleepers: Vec<Sleeper>,
    pub(crate) sleep_order: u64,
    pub(crate) pending_termination: Vec<ProcessId>,
    /// The next number for a mark or a piece of the run.
    pub(crate) next_serial: u64,
    /// Whether the program has made one.
    pub(crate) has_forked: bool,
    /// Frames that were walked over to learn how deep stacks are.
    pub(crate) frames_counted: u64,
}

impl Default for Processes {
    fn default() -> Processes {
        Processes {
            table: Vec::new(),
            spare_row: None,
            spare_stack: None,
            fresh: Vec::new(),
            bytes: 0,
            main: ProcessId(0),
            ready: ReadyQueue::default(),
            sleepers: Vec::new(),
            sleep_order: 0,
            pending_termination: Vec::new(),
            next_serial: 1,
            has_forked: false,
            frames_counted: 0,
        }
    }
}

impl Processes {
    /// A stack of at least this size.
    pub(crate) fn new_stack(&mut self, words: usize) -> Stack {
        let spare = self.spare_stack.take_if(|stack| stack.len() >= words);
        spare.unwrap_or_else(|| Stack::new(words))
    }

    /// Takes the stack of a process that has ended.
    pub(crate) fn end_stack(&mut self, mut stack: Stack) {
        if stack.len() == INITIAL_STACK_WORDS {
            stack.clear();
            self.spare_stack = Some(stack);
        }
    }

    /// The processes of a copy of the machine; `moved` maps addresses of code to the copy's.
    pub(crate) fn fork(&self, moved: impl Fn(*const u64) -> *const u64) -> Processes {
        let Processes {
            table,
            spare_row: _,
            spare_stack: _,
            fresh,
            bytes: _,
            main,
            ready,
            sleepers,
            sleep_order,
            pending_termination,
            next_serial,
            has_forked: _,
            frames_counted: _,
        } = self;
        let rows = table.iter().map(Option::as_deref);
        let table: Vec<_> = rows
            .map(|row| row.map(|row| Box::new(row.fork(&moved))))
            .collect();
        Processes {
            spare_row: None,
            spare_stack: None,
            fresh: fresh.clone(),
            bytes: table.iter().flatten().map(|row| row.bytes()).sum(),
            table,
            main: *main,
            ready: ready.clone(),
            sleepers: sleepers.clone(),
            sleep_order: *sleep_order,
            pending_termination: pending_termination.clone(),
            next_serial: *next_serial,
            has_forked: false,
            frames_counted: 0,
        }
    }
}
