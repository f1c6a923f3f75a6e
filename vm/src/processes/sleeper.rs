//! A process that sleeps.

use crate::base::ProcessId;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleeper {
    /// The moment to wake it at, in microseconds.
    pub(crate) wake: u64,
    /// Processes with one wake-up time wake in the order in which they fell asleep.
    pub(crate) order: u64,
    pub(crate) process: ProcessId,
}
