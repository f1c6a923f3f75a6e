//! Runs in which a guide decides what happens next, among all that could. A step is what happens by one decision: a message or an answer
//! reaches its processor, or a processor carries out its next interaction. What follows in the engine without a decision belongs to it, and so
//! does what the machine executes ahead of the next interactions.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::ids::ProcessorId;
use crate::base::{ClassId, SymbolId};

/// What decides how far processors come before others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Durations are ticks. The order is open only among what happens at the same moment.
    Exact,
    /// Any duration is possible. The order is open wherever two processors could do something. Messages of one processor arrive in their order.
    #[default]
    Any,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// The processor sends the request and waits for its answer, or decides whether to wait.
    Calls,
    /// It waits for the answer of a request that it has sent.
    Joins,
    /// It wants the locks of a scope, or that of the supplier of a request.
    Locks,
    /// It gives the locks back, because the condition of the scope is false.
    Retries,
    /// It has executed the request.
    Returns,
    /// It does what others could see: it writes, or accesses a variable that others access.
    Shows,
    /// Its script has ended, or none of its processes can run.
    Rests,
    /// Its request reaches the supplier.
    Arrives,
    /// Its answer reaches the client.
    Answers,
    /// Its unlock reaches the supplier.
    Unlocks,
    /// Its delay is over.
    Wakes,
    /// The central scheduler approves a request.
    Approves,
}

/// A step that could be the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCandidate {
    /// The path of the processor.
    pub path: Arc<[u32]>,
    /// What it is.
    pub kind: StepKind,
    /// The path of the other processor, if one is concerned.
    pub other: Option<Arc<[u32]>>,
    /// Class and selector of the request, if it is about one.
    pub request: Option<(ClassId, SymbolId)>,
    /// The moment, in ticks. Steps of the same moment and phase can change their order if time is exact.
    pub moment: (u64, u8),
}

/// Decides the order of steps.
pub trait StepGuide: Send {
    /// The place of the next step in the list; nothing ends the run. There is at least one candidate, each of another processor.
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize>;
    /// The step that was chosen last is over, and has touched this.
    fn touched(&mut self, things: &[(Touched, Arc<[u32]>)]);
    /// What the guide could not do as it wanted, after a run.
    fn problem(&self) -> Option<GuideProblem> {
        None
    }
}

/// What a guide could not do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GuideProblem {
    /// It wanted a step that was not possible. It has ended the run.
    Impossible(String),
    /// It had more steps than the run.
    Unused(usize),
}

/// What a step has touched of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// What it does next: a step that follows comes later. The order of two steps that touch nothing else does not matter.
    Turn,
    /// Its queue. Only who has its lock sends there, so the order follows from that of the locks.
    Queue,
    /// Those that want its lock: the order decides who gets it.
    Wishes,
    /// What it waits for: the order decides whether it serves a callback or goes on with an answer.
    Answers,
    /// What all processors see. The processor is the script's.
    Shared,
}

impl Touched {
    /// Whether the order of two steps that touch it can matter.
    pub fn is_open(self) -> bool {
        !matches!(self, Touched::Turn | Touched::Queue)
    }
}

/// A guide and its step.
#[derive(Clone)]
pub(crate) struct Guided {
    pub(super) timing: Timing,
    pub(crate) guide: Arc<Mutex<dyn StepGuide>>,
    pub(super) touched: Vec<(Touched, ProcessorId)>,
    pub(super) is_under_way: bool,
    /// The processor that may do now what others can see.
    pub(super) shows: Option<ProcessorId>,
    /// Whether the guide has ended the run.
    pub(crate) is_over: bool,
}

impl fmt::Debug for Guided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guided")
            .field("timing", &self.timing)
            .finish_non_exhaustive()
    }
}

impl Guided {
    pub(crate) fn new(timing: Timing, guide: Arc<Mutex<dyn StepGuide>>) -> Guided {
        Guided {
            timing,
            guide,
            touched: Vec::new(),
            is_under_way: false,
            shows: None,
            is_over: false,
        }
    }

    pub(super) fn touch(&mut self, what: Touched, id: ProcessorId) {
        if !self.touched.contains(&(what, id)) {
            self.touched.push((what, id));
        }
    }
}
