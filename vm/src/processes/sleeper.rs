//! A process that sleeps.

use super::Processes;
use crate::base::ProcessId;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleeper {
    /// The moment to wake it at, in microseconds.
    pub(crate) wake: u64,
    /// Processes with one wake-up time wake in the order in which they fell asleep.
    pub(crate) order: u64,
    pub(crate) process: ProcessId,
}

impl Processes {
    /// The process does not sleep any longer.
    pub(crate) fn forget_sleeper(&mut self, id: ProcessId) {
        self.sleepers.retain(|one| one.process != id);
    }
}
