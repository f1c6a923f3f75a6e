//! How a run ends: outcomes, limits and stops.

use std::fmt;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The script came to its end with this value's `printString` not yet taken.
    Finished,
    /// An unhandled error ended a process; its trace was written.
    Failed,
    /// A limit was hit.
    Limit(Limit),
    /// All processes wait.
    Deadlock,
    /// The program ended itself with this exit code.
    Exited(u8),
    /// A class that the program needed does not compile; the diagnostics were written.
    NotCompiled,
    /// The machine met a state that it holds to be impossible.
    Internal(String),
}

/// Which limit was hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `max_ticks`
    Ticks,
    /// `max_work`
    Work,
    /// The ticks or the work that a silent activation may take.
    Silence,
    /// `max_memory`
    Memory,
    /// The stack reached `max_depth`, and no handler took `RecursionTooDeep`.
    Depth,
    /// No number is left for a further marked frame.
    Serials,
    /// Virtual time came to its end.
    VirtualTime,
}

/// What a run reaches.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Limit::Ticks => "the limit on sends and loop repetitions",
            Limit::Work => "the limit on work",
            Limit::Silence => "the limit on silent code",
            Limit::Memory => "the limit on memory",
            Limit::Depth => "the limit on the depth of activations",
            Limit::Serials => "the last number of a frame",
            Limit::VirtualTime => "the end of virtual time",
        })
    }
}

/// Why the loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Finished,
    Failed,
    Limit(Limit),
    Deadlock,
    Exit(u8),
    NotCompiled,
}
