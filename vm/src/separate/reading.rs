//! Who adds up what happens in a trial. The machine gives its timeline away in parts; a crate that knows timelines reads them.

use super::simulation::Simulation;
use super::timeline::Timeline;

/// What a block took on a simulated machine, in units of its clock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineFigures {
    /// From the begin of the block to the last event.
    pub makespan: u64,
    /// What all processors executed.
    pub ticks: u64,
    /// How long requests waited while they executed, in all.
    pub waiting: u64,
    /// Evaluations of conditions.
    pub evaluations: u64,
    /// The names of classes whose processors or features were waited for, each with the ticks of these waits. One wait may stand below
    /// two classes.
    pub waited_for: Vec<(String, u64)>,
    /// What took the time, in lines: the critical path and the longest waits.
    pub explanation: String,
}

/// Reads timelines for assertions.
pub trait TimelineReader: Send + Sync {
    /// Begins to read the timeline of a run on this machine. What happened before the moment is left out.
    fn begin(&self, from: u64, simulation: &Simulation) -> Box<dyn TimelineReading>;
}

/// A timeline that is being read.
pub trait TimelineReading: Send {
    /// Takes in the next part.
    fn add(&mut self, part: &Timeline);

    /// The figures of a run that ended at this moment.
    ///
    /// # Errors
    /// Why there are none: the timeline has too much of something.
    fn finish(self: Box<Self>, end: u64) -> Result<TimelineFigures, String>;
}
