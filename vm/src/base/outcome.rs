//! How a run ends: outcomes, limits and stops.

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
