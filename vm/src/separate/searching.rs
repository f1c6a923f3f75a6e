//! Who searches the schedules of processors for assertions about all of them. The machine executes a copy for each; a crate that knows schedules
//! guides them.

use std::sync::{Arc, Mutex};

use super::guided::{SlotKind, StepCandidate, StepGuide, Timing};

/// Begins searches for assertions.
pub trait ScheduleSearcher: Send + Sync {
    /// A search for every schedule of what can be run again and again.
    fn begin(&self, timing: Timing) -> Box<dyn ScheduleSearch>;
}

/// A search for every schedule.
pub trait ScheduleSearch: Send {
    /// The guide of the next run.
    fn guide(&self) -> Arc<Mutex<dyn StepGuide>>;

    /// The run has ended, and its guide knows all of its steps.
    ///
    /// # Errors
    /// Why the search cannot go on: two runs with the same order of steps differ.
    fn end_run(&mut self) -> Result<GuidedRun, String>;
}

/// What a run of a search was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GuidedRun {
    /// Whether it shows that nothing is known of the runs up to it: the search begins again.
    pub is_new_start: bool,
    /// Whether it was executed to its end.
    pub is_whole: bool,
    /// Whether there are more schedules.
    pub has_more: bool,
    /// Its steps, and whether others could have gone on.
    pub taken: Vec<(StepCandidate, bool)>,
    /// The variables that several processes use, if it is a run of processes.
    pub shared: Option<Vec<SlotKind>>,
}
