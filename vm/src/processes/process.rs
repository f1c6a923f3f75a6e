//! A process: its stack of frames, the marks on it, and its counters.
//!
//! ```text
//!   …caller's registers… | meta | return address | r0 receiver | r1 … arguments | temporaries | windows …
//!                          fp-2    fp-1            fp
//! meta: code number (bits 0..30) | seen by the collector (bit 31) | 1 + index of the frame's mark, or 0 (bits 32..62)
//!       | an object stands for the activation (bit 63)
//! ```
//!
//! A send's window is the callee's frame: receiver and arguments are written to the callee's registers at once. The
//! return address points behind a send-shaped instruction. The second word of this instruction names the start of the
//! window and the register of the answer.

use super::contexts::Contexts;
use crate::base::Value;
use crate::bytecode::FrameKind;
use crate::counting::{Family, Measure};
use crate::heap::Words;

/// Bit of a frame's meta word: the collector has seen the frame. So the frames below it refer to no young object and
/// have not run since. A new frame's meta word lacks the bit.
pub(crate) const SEEN: u64 = 1 << 31;

/// The bits of a frame's meta word that hold its code number.
pub(crate) const CODE_BITS: u64 = SEEN - 1;

/// Bit of a frame's meta word: an object stands for the activation, see [`Contexts`](super::contexts::Contexts). A return
/// tests the high half of the word anyway, so frames without such an object pay nothing.
pub(crate) const HAS_CONTEXT: u64 = 1 << 63;

/// 1 + the index of the frame's mark, or 0.
pub(crate) fn mark_of_meta(meta: u64) -> usize {
    ((meta & !HAS_CONTEXT) >> 32) as usize
}

/// The code number in a frame's meta word, an index of [`CodeTable`](crate::code::CodeTable).
#[inline(always)]
pub(crate) fn code_of_meta(meta: u64) -> u32 {
    (meta & CODE_BITS) as u32
}

/// The priority of a script's process; the library calls it `userSchedulingPriority`.
pub(crate) const SCRIPT_PRIORITY: i64 = 40;

/// Words of a new process's stack.
pub(crate) const INITIAL_STACK_WORDS: usize = 256;

/// How a marked frame came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// Sent like any other; a pragma of its code made the mark.
    Sent,
    /// Only delivered, see [`Delivery`].
    Delivered,
    /// Delivered by a conditional jump, which tests the answer.
    Condition,
    /// A block that is the condition of the frame below.
    Requirement,
    /// A block whose cost is measured; the answer is the cost.
    Measuring(Measure),
    /// The first frame of a process.
    Bottom,
}

/// How a frame that no send instruction made gives back its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Delivery {
    /// Distance to the frame below, in words.
    pub(crate) distance: usize,
    /// Register of the frame below that gets the answer.
    pub(crate) destination: Option<u16>,
}

/// What happens when an unwinding has reached its target frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The target frame returns the value.
    Return,
    /// The target frame starts again.
    Restart,
    /// The process ends.
    Terminate,
}

/// An unwinding that waits for an `ensure:` block to finish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unwinding {
    /// Index of the target frame's mark.
    pub(crate) target: usize,
    pub(crate) goal: Goal,
    pub(crate) value: Value,
}

/// The data of a marked frame beside its words on the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    /// The frame's base, in words from the start of the stack.
    pub(crate) frame: usize,
    /// Never given twice in one machine; greater than that of the mark below.
    pub(crate) serial: u64,
    pub(crate) kind: MarkKind,
    /// The kind that the frame's own code requests.
    pub(crate) frame_kind: Option<FrameKind>,
    pub(crate) delivery: Option<Delivery>,
    pub(crate) unwinding: Option<Unwinding>,
}

impl Mark {
    /// Whether the collector keeps receiver and arguments of the frame: a pragma of its code made the mark. In other
    /// frames registers may be dead or reused.
    pub(crate) fn keeps_arguments(&self) -> bool {
        !matches!(self.frame_kind, None | Some(FrameKind::Home))
    }

    /// The frame's token for the language, if the language may hold one.
    pub(crate) fn token(&self) -> Option<Value> {
        self.keeps_arguments().then(|| Value::frame(self.serial))
    }

    /// Whether exceptions inspect the frame and start it again: a frame of `on:do:` or `signal`.
    pub(crate) fn is_of_exceptions(&self) -> bool {
        matches!(
            self.frame_kind,
            Some(FrameKind::Handler | FrameKind::Signal)
        )
    }

    /// Whether a send instruction made the frame. Then its return address stands behind a send.
    pub(crate) fn was_sent(&self) -> bool {
        self.kind == MarkKind::Sent
    }
}

/// Whether a process can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Runnable,
    /// Waits for a semaphore or was suspended.
    Waiting,
    /// Waits for another processor's answer or for locks. Only the engine lets it go on.
    Engaged,
    Ended,
}

/// The state of a process that is not running. While it runs, the machine holds stack, marks and counters.
pub(crate) struct Process {
    pub(crate) stack: Stack,
    pub(crate) marks: Vec<Mark>,
    pub(crate) contexts: Contexts,
    pub(crate) fp: usize,
    pub(crate) ip: *const u64,
    /// Index of the first word that a frame may not reach without a check, once it has started.
    pub(crate) stack_limit: usize,
    pub(crate) ticks: u64,
    pub(crate) loops: u64,
    /// Its share of the work that is counted for all processes together.
    pub(crate) work: u64,
    pub(crate) status: Status,
    pub(crate) priority: i64,
    pub(crate) object: Value,
    /// The semaphore in whose list it waits, or nil.
    pub(crate) waits_on: Value,
    /// A block that it is to evaluate before it goes on, or nil.
    pub(crate) interruption: Value,
    /// Whether it is among the machine's fresh processes.
    pub(crate) is_fresh: bool,
    /// Whether it has run at all.
    pub(crate) started: bool,
    pub(crate) depth_exceeded_at: Option<u64>,
    /// The innermost open measurement with forks that it belongs to.
    pub(crate) family: Family,
    pub(crate) silence: Option<Box<super::silence::Silence>>,
    #[allow(clippy::vec_box)] // see `Vm::interrupted`
    pub(crate) interrupted: Vec<Box<super::silence::Silence>>,
}

impl Default for Process {
    /// A row that no process has.
    fn default() -> Process {
        Process {
            stack: Stack::new(0),
            marks: Vec::new(),
            contexts: Contexts::default(),
            fp: 0,
            ip: std::ptr::null(),
            stack_limit: 0,
            ticks: 0,
            loops: 0,
            work: 0,
            status: Status::Ended,
            priority: 0,
            object: Value::NIL,
            waits_on: Value::NIL,
            interruption: Value::NIL,
            is_fresh: false,
            started: false,
            depth_exceeded_at: None,
            family: Family::NONE,
            silence: None,
            interrupted: Vec::new(),
        }
    }
}

impl Process {
    /// The process in a copy of the machine; `moved` maps addresses of code to the copy's.
    pub(crate) fn fork(&self, moved: impl Fn(*const u64) -> *const u64) -> Process {
        let Process {
            stack,
            marks,
            contexts,
            fp,
            ip,
            stack_limit,
            ticks,
            loops,
            work,
            status,
            priority,
            object,
            waits_on,
            interruption,
            is_fresh,
            started,
            depth_exceeded_at,
            family,
            silence,
            interrupted,
        } = self;
        let mut stack = stack.clone();
        stack.move_code(marks, (*fp, *ip), &moved);
        Process {
            stack,
            marks: marks.clone(),
            contexts: contexts.clone(),
            fp: *fp,
            ip: moved(*ip),
            stack_limit: *stack_limit,
            ticks: *ticks,
            loops: *loops,
            work: *work,
            status: *status,
            priority: *priority,
            object: *object,
            waits_on: *waits_on,
            interruption: *interruption,
            is_fresh: *is_fresh,
            started: *started,
            depth_exceeded_at: *depth_exceeded_at,
            family: *family,
            silence: silence.clone(),
            interrupted: interrupted.clone(),
        }
    }

    /// Bytes that it takes, stack and marks included.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Process>()
            + self.stack.len() * 8
            + self.marks.capacity() * size_of::<Mark>()
            + self.contexts.bytes()
    }
}

/// Words from which on a stack grows by less than its size.
const LARGE_STACK_WORDS: usize = 1 << 16;

/// The words of a stack. Reading above the highest frame is never done.
pub(crate) struct Stack {
    words: Words,
}

impl Stack {
    pub(crate) fn new(words: usize) -> Stack {
        Stack {
            words: Words::new(words),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// Makes the stack at least so large, keeping its content. The base may move. A small stack doubles;
    /// a large one grows in place, so that smaller steps do.
    pub(crate) fn grow(&mut self, words: usize) {
        let len = self.words.len();
        let step = if len < LARGE_STACK_WORDS {
            len
        } else {
            len / 8
        };
        self.words.grow(words.max(len + step));
    }

    /// Sets all words to 0.
    pub(crate) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Whether its frames, all together, would take the collector long.
    pub(crate) fn is_large(&self) -> bool {
        self.words.len() > LARGE_STACK_WORDS
    }

    /// Gives back memory above twice `used` words, if the stack is a large one.
    pub(crate) fn trim(&mut self, used: usize) {
        if self.words.len() > LARGE_STACK_WORDS && self.words.len() / 4 > used {
            self.words.shrink((used * 2).max(LARGE_STACK_WORDS));
        }
    }

    #[inline(always)]
    pub(crate) fn base(&mut self) -> *mut u64 {
        self.words.start()
    }

    #[inline(always)]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.words[index]
    }

    #[inline(always)]
    pub(crate) fn set_word(&mut self, index: usize, word: u64) {
        self.words[index] = word;
    }

    #[inline(always)]
    pub(crate) fn value(&self, index: usize) -> Value {
        Value::from_bits(self.words[index])
    }

    #[inline(always)]
    pub(crate) fn set_value(&mut self, index: usize, value: Value) {
        self.words[index] = value.bits();
    }
}

impl Clone for Stack {
    fn clone(&self) -> Stack {
        let mut words = Words::new(self.words.len());
        words[..self.words.len()].copy_from_slice(&self.words);
        Stack { words }
    }
}

/// Index of the mark of a token, if its frame still exists. Serials grow from mark to mark of a stack.
pub(crate) fn mark_of_token(marks: &[Mark], token: Value) -> Option<usize> {
    let serial = token.as_frame()?;
    marks.binary_search_by_key(&serial, |mark| mark.serial).ok()
}
