//! A processor: its queue, its requests under way, its scopes and its state.

use std::collections::VecDeque;
use std::ops::{Deref, DerefMut};

use super::engine::{Engine, Intent, ProcessorId, RequestId, SCRIPT, Turn};
use super::happenings::Number;
use super::paths::Path;
use super::scopes::Scope;
use crate::base::{ClassId, ProcessId};
use crate::world::Failure;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Busy,
    /// For an answer.
    Waiting,
    /// For locks.
    Locking,
    /// All its processes sleep or wait for semaphores.
    Resting,
    /// It waits until nothing is left to happen elsewhere.
    Settling,
}

/// What stands in a processor's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queued {
    Request(RequestId),
    /// The holder's calls end here.
    Unlock,
}

/// The lock of a processor while it is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lock {
    pub(super) holder: ProcessorId,
    /// The chain that shares it.
    pub(super) chain: u32,
    /// Whether the chain may still call the processor: the scope is not closed, or the single call is waited for.
    pub(super) is_open: bool,
    /// Whether a scope holds it, and no single call.
    pub(super) is_of_scope: bool,
}

/// For how long a processor has had its CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) since: u64,
    /// Whether it has executed a tick since then, as far as the engine knows.
    pub(super) has_ticked: bool,
}

impl Slice {
    /// One that begins at this moment.
    pub(super) fn at(since: u64) -> Slice {
        Slice {
            since,
            has_ticked: false,
        }
    }
}

/// What a processor has under way, or is to serve.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) queue: VecDeque<Queued>,
    /// Requests that it serves before all others while it waits.
    pub(super) callbacks: VecDeque<RequestId>,
    /// The requests under way, the outermost first.
    pub(super) stack: Vec<RequestId>,
    pub(super) scopes: Vec<Scope>,
    /// The requests for whose answers it waits, the innermost last.
    pub(super) awaited: Vec<RequestId>,
    /// Ticks that it has executed without a pause, and that were not noted yet. Less than none if ticks of the turn that is under way
    /// were noted before its end.
    pub(super) ran: i64,
    /// What it does as soon as it has a CPU.
    pub(super) turn: Option<Turn>,
    pub(super) intent: Option<Intent>,
}

/// Work that is shown of processors that have none.
static NO_WORK: Work = Work::new();

impl Work {
    const fn new() -> Work {
        Work {
            queue: VecDeque::new(),
            callbacks: VecDeque::new(),
            stack: Vec::new(),
            scopes: Vec::new(),
            awaited: Vec::new(),
            ran: 0,
            turn: None,
            intent: None,
        }
    }

    fn is_empty(&self) -> bool {
        let waits = self.queue.is_empty() && self.callbacks.is_empty() && self.awaited.is_empty();
        let is_under_way = !self.stack.is_empty() || !self.scopes.is_empty() || self.ran != 0;
        waits && !is_under_way && self.turn.is_none() && self.intent.is_none()
    }
}

/// The work of a processor. Most of many processors are idle: they have none, and take little memory.
#[derive(Clone, Debug, Default)]
pub(super) struct MaybeWork(Option<Box<Work>>);

impl Deref for MaybeWork {
    type Target = Work;

    fn deref(&self) -> &Work {
        self.0.as_deref().unwrap_or(&NO_WORK)
    }
}

impl DerefMut for MaybeWork {
    fn deref_mut(&mut self) -> &mut Work {
        self.0.get_or_insert_with(|| Box::new(Work::new()))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Processor {
    pub(super) path: Path,
    /// The class that it was created for.
    pub(super) class: ClassId,
    /// Processors that it has created.
    children: u32,
    /// Happenings that came from it, those that the engine planned and its own.
    planned: u64,
    own: u64,
    /// Its objects that have crossed the membrane.
    exports: u32,
    /// Where its sequence of identity hashes stands while it does not run.
    pub(super) hashes: u32,
    pub(super) work: MaybeWork,
    pub(super) state: State,
    pub(super) lock: Option<Lock>,
    /// The failure of a command of its holder, of which that does not know.
    pub(super) failure: Option<Box<Failure>>,
    /// How often it was unlocked.
    pub(super) unlocks: u64,
    pub(super) has_cpu: bool,
    /// The CPU that it has or had last, if they have numbers.
    pub(super) cpu: Option<u32>,
    pub(super) slice: Slice,
    /// Whether it waits for a CPU.
    pub(super) is_ready: bool,
    /// Requests that it has taken up.
    pub(super) taken_up: u64,
    /// When it may send its next request.
    pub(super) next_call: u64,
    /// The process that had its last turn outside of requests.
    pub(super) last: Option<ProcessId>,
    /// Whether another processor has made one of its processes ready since its last turn.
    pub(super) is_signalled: bool,
    /// The number of the request that did that.
    pub(super) signaller: u32,
    /// What its processes wait for, if none of them can run or sleeps.
    pub(super) obstacle: Option<u32>,
}

impl Processor {
    pub(super) fn new(path: Path, class: ClassId) -> Processor {
        let fnv = |hash: u32, part: &u32| (hash ^ part).wrapping_mul(0x0100_0193);
        let hashes = path.iter().fold(0x811c_9dc5, fnv);
        Processor {
            path,
            class,
            hashes,
            children: 0,
            planned: 0,
            own: 0,
            exports: 0,
            work: MaybeWork::default(),
            state: State::Idle,
            lock: None,
            failure: None,
            unlocks: 0,
            has_cpu: false,
            cpu: None,
            slice: Slice::at(0),
            is_ready: false,
            taken_up: 0,
            next_call: 0,
            last: None,
            is_signalled: false,
            signaller: 0,
            obstacle: None,
        }
    }

    /// It begins the script.
    pub(super) fn start(&mut self) {
        self.state = State::Busy;
        self.work.stack.push(SCRIPT);
    }

    /// Takes its work out, if it has nothing under way.
    pub(super) fn take_empty_work(&mut self) -> Option<MaybeWork> {
        let work = self.work.0.take_if(|work| work.is_empty())?;
        Some(MaybeWork(Some(work)))
    }

    /// Its work: the given one if it has none.
    pub(super) fn work_or(&mut self, spare: &mut Vec<MaybeWork>) -> &mut Work {
        if self.work.0.is_none() {
            self.work = spare.pop().unwrap_or_default();
        }
        &mut self.work
    }

    /// Idle, as if it had served all its requests. Its numbers go on.
    pub(super) fn forget_requests(&mut self) {
        *self = Processor {
            children: self.children,
            planned: self.planned,
            own: self.own,
            exports: self.exports,
            hashes: self.hashes,
            unlocks: self.unlocks,
            taken_up: self.taken_up,
            ..Processor::new(self.path.clone(), self.class)
        };
    }

    /// The path of the next processor that it creates.
    pub(super) fn next_child(&mut self) -> Path {
        self.children += 1;
        let own = self.path.iter().copied();
        Path::new(own.chain([self.children]).collect())
    }

    /// The number of its next object that crosses the membrane.
    pub(super) fn next_export(&mut self) -> u32 {
        self.exports += 1;
        self.exports
    }

    /// It has executed this number of ticks.
    pub(super) fn has_run(&mut self, ticks: u64) {
        self.work.ran = self.work.ran.saturating_add_unsigned(ticks);
        self.slice.has_ticked |= ticks > 0;
    }

    /// The number of the next happening that the engine plans for it.
    pub(super) fn next_planned(&mut self) -> Number {
        self.planned += 1;
        Number::Engine(self.planned)
    }

    /// The number of the next happening that follows from what it executes.
    pub(super) fn next_own(&mut self) -> Number {
        self.own += 1;
        Number::Own(self.own)
    }
}

impl Engine {
    /// The processor has executed these ticks in its turn, which goes on.
    pub(crate) fn has_executed(&mut self, id: ProcessorId, ticks: u64) {
        self.processor(id).has_run(ticks);
    }

    /// The path of the processor that would be created next. No processor will have it.
    pub(crate) fn skip_child(&mut self, creator: ProcessorId) -> Vec<u32> {
        self.processor(creator).next_child().to_vec()
    }

    /// The number of the processor's next object that crosses.
    pub(crate) fn next_export(&mut self, id: ProcessorId) -> u32 {
        self.processor(id).next_export()
    }

    /// The class that a processor was created for.
    pub(crate) fn class(&self, id: ProcessorId) -> ClassId {
        self.processors[id.0 as usize].class
    }

    /// The path of a processor's creation.
    pub(crate) fn path(&self, id: ProcessorId) -> &[u32] {
        &self.processors[id.0 as usize].path
    }

    /// The processor with this path.
    pub(crate) fn at_path(&self, path: &[u32]) -> Option<ProcessorId> {
        let mut all = self.processors.iter();
        let at = all.position(|processor| *processor.path == *path)?;
        Some(ProcessorId(u32::try_from(at).ok()?))
    }

    /// Where the processor's sequence of identity hashes stands, if it does not run.
    pub(crate) fn hashes(&mut self, id: ProcessorId) -> &mut u32 {
        &mut self.processor(id).hashes
    }
}
