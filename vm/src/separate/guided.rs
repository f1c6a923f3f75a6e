//! A guide decides what happens next, among all that could. Its decisions are steps.
//!
//! In a step a processor carries out its next interaction, or an unlock marker reaches its supplier. With exact times answers and callbacks arrive in
//! steps of their own. All that follows without another decision belongs to the step: what the engine does, and the ticks that the machine executes up
//! to the next interactions.

use std::fmt;
use std::sync::{Arc, Mutex};

use super::causes::Causes;
use super::ids::ProcessorId;
use crate::base::{ClassId, MethodId, SymbolId};

/// What decides how far processors come before others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Durations are ticks. The order is open only among what happens at the same moment.
    Exact,
    /// Any duration is possible. The order is open wherever two processors could do something. Requests and answers take no time.
    #[default]
    Any,
}

impl Timing {
    /// Its name on command lines and in files.
    pub fn name(self) -> &'static str {
        match self {
            Timing::Exact => "exact",
            Timing::Any => "any",
        }
    }

    /// The timing with this name.
    pub fn named(name: &str) -> Option<Timing> {
        let mut all = [Timing::Exact, Timing::Any].into_iter();
        all.find(|timing| timing.name() == name)
    }
}

/// What a variable is: the number of its object's class and of the variable. All elements of a collection are one kind.
pub type SlotKind = (u32, u32);

/// The kind of the elements of a collection has this in place of a variable.
pub(crate) const ELEMENTS: u32 = u32::MAX;
/// The kind of a variable that is no object's has this in place of a class.
pub(crate) const GLOBALS: u32 = u32::MAX;

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
    /// A process goes on.
    Goes,
    /// A process waits for a semaphore.
    Waits,
    /// A process terminates, suspends or interrupts another one.
    Controls,
    /// A process ends the run.
    Ends,
}

/// A step that could be the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCandidate {
    /// The path of the processor. Behind it are 0 and the path of another one if what it has sent reaches that.
    pub path: Arc<[u32]>,
    /// The class that it was created for.
    pub class: ClassId,
    /// What it is.
    pub kind: StepKind,
    /// The paths of the other processors that are concerned.
    pub others: Vec<Arc<[u32]>>,
    /// Class and selector of the request, if it is about one.
    pub request: Option<(ClassId, SymbolId)>,
    /// Whether it wants locks that are not free, and need not want them before they are, see [`StepGuide::holds_off`]. If all candidates are like that,
    /// they wait for ever.
    pub is_held_off: bool,
    /// The moment, in ticks. Steps of the same moment and phase can change their order if time is exact.
    pub moment: (u64, u8),
    /// Where a process stands: the method, and the byte of its unit.
    pub place: Option<(MethodId, u32)>,
    /// The first variable that a process accesses in it, and whether it changes that. It is known when the step is over.
    pub access: Option<(SlotKind, bool)>,
}

/// What a step has done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepDone {
    /// Numbers of the steps that it follows from, the first of which is 0.
    pub follows: Vec<u32>,
    /// What it has touched.
    pub touched: Vec<Touch>,
    /// Whether it is held off while the locks that it wants are not free, see [`StepGuide::holds_off`].
    pub can_be_held_off: bool,
    /// The names of semaphores that it has signalled.
    pub signals: Vec<Arc<[u32]>>,
    /// The names of semaphores of which it has taken a signal, and how many signals each had at the beginning.
    pub takes: Vec<(Arc<[u32]>, i64)>,
}

/// How a lock is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// By a request whose client goes on, or for a condition: the moment from which on it is wanted can matter.
    InTime,
    /// Together with others.
    Combined,
}

/// Decides the order of steps.
pub trait StepGuide: Send {
    /// The place of the next step in the list; nothing ends the run. There is at least one candidate, and each has another path.
    fn choose(&mut self, candidates: &[StepCandidate]) -> Option<usize>;
    /// The step that was chosen last is over.
    fn did(&mut self, step: &StepDone);
    /// Whether those that have to wait for locks of these want them when all of them are free, and not before.
    fn holds_off(&self, _suppliers: &[Arc<[u32]>]) -> bool {
        false
    }
    /// A lock is wanted.
    fn wants(&mut self, _supplier: &Arc<[u32]>, _wish: Wish) {}
    /// The variables that several processes use, as far as that is known.
    fn shared(&self) -> Vec<SlotKind> {
        Vec::new()
    }
    /// Several processes use variables of this kind, and one of them changes them.
    fn shares(&mut self, _kind: SlotKind) {}
    /// The most steps of processes, after which the run ends as if it had met its limit of ticks.
    fn most_steps(&self) -> Option<u32> {
        None
    }
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
    Unused,
}

/// What steps compete for. The order of two steps that touch the same of the same processor can matter, if one of them changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Touched {
    /// Its lock, and those that want it: the order decides who gets it. Or the signals of a semaphore, of which the path is the name.
    Lock,
    /// When its lock comes back: the order with those that want it and other locks, too, or wait for a condition, decides who gets these.
    Return,
    /// What it waits for: the order decides whether it serves a callback or goes on with an answer.
    Waiting,
    /// What all processors see. The processor is the script's.
    Shared,
    /// A variable of an object that several processes use. The path is the name of the object, the number of the variable, and its kind.
    Slot,
}

/// What a step has touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    /// What it is.
    pub what: Touched,
    /// The path of the processor to which it belongs.
    pub path: Arc<[u32]>,
    /// Whether the step changes it. Else only its order with those that do matters.
    pub changes: bool,
}

/// A guide and its step.
#[derive(Clone)]
pub(crate) struct Guided {
    pub(crate) timing: Timing,
    pub(crate) guide: Arc<Mutex<dyn StepGuide>>,
    /// What the step has touched, and whether it has changed that.
    pub(super) touched: Vec<(Touched, ProcessorId, bool)>,
    /// The steps from which it follows.
    pub(super) follows: Vec<u32>,
    pub(super) can_be_held_off: bool,
    pub(super) is_under_way: bool,
    /// How many steps there were.
    pub(super) steps: u32,
    pub(super) causes: Causes,
    /// The processor that may do now what others can see.
    pub(super) shows: Option<ProcessorId>,
    /// Whether members of a chain have run at the same time.
    pub(super) is_loose: bool,
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
            follows: Vec::new(),
            can_be_held_off: false,
            is_under_way: false,
            steps: 0,
            causes: Causes::default(),
            shows: None,
            is_loose: false,
            is_over: false,
        }
    }

    /// The step competes for this.
    pub(super) fn touch(&mut self, what: Touched, id: ProcessorId, changes: bool) {
        let mut touched = self.touched.iter_mut();
        match touched.find(|one| (one.0, one.1) == (what, id)) {
            Some(one) => one.2 |= changes,
            None => self.touched.push((what, id, changes)),
        }
    }
}
