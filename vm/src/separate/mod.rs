//! Processors in virtual time: objects of their own whose messages become requests, and the engine that decides which
//! processor goes on when. The rules R1 to R18 and their ticks are in docs/TIMELINE.md.
//!
//! `engine` knows processors, requests, locks and moments, and no object and no frame. The machine runs a request up to
//! its next interaction (`turns`), states when that was, and the engine answers who goes on.

mod approvals;
mod assumptions;
mod calls;
mod causes;
mod charges;
mod cpus;
mod deadlock;
mod engine;
mod events;
mod failures;
mod grants;
mod guided;
mod guiding;
mod happenings;
mod ids;
mod log;
mod obstacles;
mod ordinary;
mod paths;
mod places;
mod processor;
mod reading;
mod references;
mod requests;
mod resting;
mod scopes;
mod searching;
mod shared;
mod simulation;
mod table;
mod ties;
mod timeline;
mod touching;
mod trials;

pub(crate) use assumptions::{AnswerKey, Assumed, QueryKey, Stretch};
pub use assumptions::{AnswersOfPair, Assumption, GivenAnswer, InnerLocks, Pace};
pub(crate) use deadlock::Need;
pub(crate) use engine::{Answered, Engine, Intent, ProcessorId, ROOT, RequestId, SCRIPT, Turn};
pub(crate) use events::{Described, Runs};
pub use events::{Event, EventKind};
pub(crate) use guided::{ELEMENTS, GLOBALS, Guided};
pub use guided::{
    GuideProblem, SlotKind, StepCandidate, StepDone, StepGuide, StepKind, Timing, Touch, Touched,
    Wish,
};
pub(crate) use log::{Log, Part};
pub use obstacles::ObstacleKind;
pub(crate) use obstacles::{Obstacle, Obstacles};
pub(crate) use ordinary::{LaneWork, Ordinary};
pub use paths::processor_name;
pub use reading::{TimelineFigures, TimelineReader, TimelineReading};
use references::References;
pub(crate) use requests::{Made, Message};
pub use searching::{GuidedRun, ScheduleSearch, ScheduleSearcher};
pub(crate) use shared::{SharedVariables, Variable};
pub use simulation::{Clock, Costs, Jitter, LockScheduler, Recheck, Simulation, Ties};
pub(crate) use timeline::Stream;
pub use timeline::{Timeline, TimelineObstacle, TimelineProcessor, TimelineRequest};

use std::sync::Arc;

use hashbrown::HashMap;

use crate::base::{ClassId, ProcessId, SymbolId, TargetId, Value};
use crate::processes::{ReadyQueue, Sleeper};

/// How many ticks a processor runs ahead of the others. No result depends on it.
const MOST_AHEAD: u64 = 100_000;

/// How many requests a processor sends before the others catch up. No result depends on it.
pub(crate) const MOST_SENT: u32 = 16;

/// The processes of a processor that can run or sleep, while it does not run.
#[derive(Clone, Default)]
pub(crate) struct Kept {
    /// Absent if none can run: a queue has a row for each process of the machine.
    pub(crate) ready: Option<Box<ReadyQueue>>,
    /// The first to wake first.
    pub(crate) sleepers: Vec<Sleeper>,
}

/// A primitive that waits until the other processors have caught up.
#[derive(Clone)]
pub(crate) struct PutOff {
    pub(crate) target: TargetId,
    /// Where receiver and arguments stand on the stack of its process.
    pub(crate) base: usize,
    /// Receiver and arguments.
    pub(crate) values: Vec<Value>,
}

/// What the machine uses of the library while there are processors.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// The class that does the library's part, SeparateProcessor.
    pub(crate) class: ClassId,
    /// The selector of its method in whose frame requests are executed.
    pub(crate) serve: SymbolId,
    /// The selector of the methods by which classes say that their instances cross as copies.
    pub(crate) is_expanded: SymbolId,
}

/// When a test began and ended, in virtual time, and the ticks that were executed meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TestExtent {
    /// The moment at which it began.
    pub from: u64,
    /// The moment at which all processors were idle.
    pub to: u64,
    /// Ticks of all processes.
    pub ticks: u64,
}

/// How far a copy of the machine has come that is to evaluate a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrialPhase {
    /// The machine is no such copy.
    #[default]
    None,
    /// What had begun before goes to its end.
    Settling,
    /// It evaluates the block.
    Evaluating,
}

/// The processors of a machine.
#[derive(Clone)]
pub(crate) struct Separate {
    /// Absent until the program makes its first processor.
    pub(crate) engine: Option<Box<Engine>>,
    /// Absent until then, or if the library lacks the class.
    pub(crate) library: Option<Library>,
    pub(crate) simulation: Simulation,
    /// Who decides what happens next in the engine, if that is given.
    pub(crate) guided: Option<Guided>,
    /// How many ticks a processor runs ahead of the others at most.
    pub(crate) ahead: u64,
    /// Whether engines keep their events.
    pub(crate) is_recorded: bool,
    /// The lanes of processes and actors, if the run is recorded and has made no processor.
    pub(crate) ordinary: Option<Box<Ordinary>>,
    /// What processes wait for, if the run is recorded.
    pub(crate) obstacles: Obstacles,
    /// The obstacles of the processes that wait for one, if the run is recorded.
    pub(crate) blocked: HashMap<ProcessId, u32>,
    /// Where the events go in parts.
    pub(crate) stream: Stream,
    /// Adds up what happens in trials, if they can be made.
    pub(crate) reader: Option<Arc<dyn TimelineReader>>,
    /// Searches the schedules of trials, if they can be made.
    pub(crate) searcher: Option<Arc<dyn ScheduleSearcher>>,
    /// Whether this machine is a copy that is to evaluate a block, and how far it has come.
    pub(crate) trial: TrialPhase,
    /// The test that was measured last.
    pub(crate) test: Option<TestExtent>,
    /// What a frame is to answer as soon as nothing is left to happen elsewhere.
    pub(crate) settling: Option<Value>,
    /// The processor whose turn is under way.
    pub(crate) running: ProcessorId,
    /// What the machine's clock showed when that turn began, or after its last charge.
    pub(crate) started: u64,
    /// How far that was after the begin of the turn.
    pub(crate) before: u64,
    /// Present if ticks from there on have a pace of their own.
    pub(crate) stretch: Option<Stretch>,
    /// What the run assumes, and what is observed for that.
    pub(crate) assumed: Option<Box<Assumed>>,
    /// Requests that were sent in that turn.
    pub(crate) sent: u32,
    /// Primitives that wait for the others, each with its processor.
    pub(crate) put_off: Vec<(ProcessorId, PutOff)>,
    /// The others have caught up for the primitive that is called next.
    pub(crate) has_caught_up: bool,
    pub(crate) references: References,
    pub(crate) shared: SharedVariables,
    /// Globals of the library whose objects all processors know.
    pub(crate) library_globals: Vec<u32>,
    /// What processors keep for themselves in the library (`SeparateProcessor class >> local:ifAbsentPut:`).
    pub(crate) locals: HashMap<ProcessorId, Value>,
    /// The processes of the other processors that can run or sleep, by the numbers of these.
    kept: Vec<Kept>,
    /// The processors of the processes, by the numbers of these; the root processor's where there is none.
    owners: Vec<ProcessorId>,
    /// From virtual time to the clock of the program, and to the calendar, in microseconds; both wrap. Absent until the program
    /// reads them.
    pub(crate) clock_ahead: Option<u64>,
    pub(crate) calendar_ahead: Option<u64>,
}

impl Default for Separate {
    fn default() -> Separate {
        Separate {
            engine: None,
            library: None,
            simulation: Simulation::default(),
            guided: None,
            ahead: MOST_AHEAD,
            is_recorded: false,
            ordinary: None,
            obstacles: Obstacles::default(),
            blocked: HashMap::new(),
            stream: Stream::default(),
            reader: None,
            searcher: None,
            trial: TrialPhase::None,
            test: None,
            settling: None,
            running: ROOT,
            started: 0,
            before: 0,
            stretch: None,
            assumed: None,
            sent: 0,
            put_off: Vec::new(),
            has_caught_up: false,
            references: References::default(),
            shared: SharedVariables::default(),
            library_globals: Vec::new(),
            locals: HashMap::new(),
            kept: Vec::new(),
            owners: Vec::new(),
            clock_ahead: None,
            calendar_ahead: None,
        }
    }
}

impl Separate {
    /// The process is one of the running processor's.
    pub(crate) fn adopt(&mut self, process: ProcessId) {
        if self.running != ROOT {
            let index = process.0 as usize;
            if self.owners.len() <= index {
                self.owners.resize(index + 1, ROOT);
            }
            self.owners[index] = self.running;
        }
    }

    /// The processor whose process it is.
    pub(crate) fn owner(&self, process: ProcessId) -> ProcessorId {
        let owner = self.owners.get(process.0 as usize);
        owner.copied().unwrap_or(ROOT)
    }

    /// Takes out the processes of a processor that can run or sleep.
    pub(crate) fn take_kept(&mut self, id: ProcessorId) -> Kept {
        let kept = self.kept.get_mut(id.0 as usize);
        kept.map(std::mem::take).unwrap_or_default()
    }

    /// Keeps the processes of a processor that can run or sleep until it runs again.
    pub(crate) fn keep(&mut self, id: ProcessorId, kept: Kept) {
        let is_empty = kept.ready.is_none() && kept.sleepers.is_empty();
        if (id.0 as usize) < self.kept.len() || !is_empty {
            *self.kept_mut(id) = kept;
        }
    }

    /// The processes that can run or sleep of a processor whose turn it is not.
    pub(crate) fn kept_mut(&mut self, id: ProcessorId) -> &mut Kept {
        let index = id.0 as usize;
        if self.kept.len() <= index {
            self.kept.resize_with(index + 1, Kept::default);
        }
        &mut self.kept[index]
    }

    /// Takes out the primitive that the processor has put off.
    pub(crate) fn take_put_off(&mut self, id: ProcessorId) -> Option<PutOff> {
        let place = self.put_off.iter().position(|(owner, _)| *owner == id)?;
        Some(self.put_off.swap_remove(place).1)
    }

    /// Bytes that processors and requests take.
    pub(crate) fn bytes(&self) -> usize {
        let engine = self.engine.as_ref().map_or(0, |engine| engine.bytes());
        let ordinary = self.ordinary.as_ref().map_or(0, |lanes| lanes.bytes());
        engine + ordinary + self.obstacles.bytes()
    }

    /// Shows all values to the collector.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        if let Some(engine) = &mut self.engine {
            engine.visit(visit);
        }
        self.references.visit(visit);
        self.obstacles.visit(visit);
        self.locals.values_mut().for_each(&mut *visit);
        let put_off = self.put_off.iter_mut();
        put_off.for_each(|(_, one)| one.values.iter_mut().for_each(&mut *visit));
        if let Some(assumed) = &mut self.assumed {
            assumed.visit(visit);
        }
        self.settling.iter_mut().for_each(visit);
    }
}
