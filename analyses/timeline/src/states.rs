//! What processors do, and why requests and processes wait.

/// What a processor does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// It has no request.
    #[default]
    Idle,
    /// It executes.
    Running,
    /// It could execute, and has no CPU or waits for a process of its own.
    Ready,
    /// It waits for an answer.
    Answer,
    /// It waits for locks.
    Lock,
    /// It waits for its condition.
    Condition,
    /// It sleeps.
    Asleep,
    /// It is charged.
    Overhead,
    /// Its processes wait for semaphores, or were suspended.
    Blocked,
}

/// All states, in the order of their numbers in traces.
pub const STATES: [State; 9] = [
    State::Idle,
    State::Running,
    State::Ready,
    State::Answer,
    State::Lock,
    State::Condition,
    State::Asleep,
    State::Overhead,
    State::Blocked,
];

/// Why a request or a processor waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// A request waits until its supplier takes it up.
    #[default]
    Queue,
    /// A scope waits for its locks.
    Lock,
    /// A scope waits for its condition.
    Condition,
    /// A client waits for an answer.
    Answer,
    /// A process waits for a signal of a semaphore.
    Semaphore,
    /// A process waits for a mutex.
    Mutex,
    /// A process waits for a monitor, or for a signal of it.
    Monitor,
    /// A process waits until a shared queue has an object.
    SharedQueue,
    /// A process was suspended.
    Suspended,
}

/// All causes.
pub const CAUSES: [Cause; 9] = [
    Cause::Queue,
    Cause::Lock,
    Cause::Condition,
    Cause::Answer,
    Cause::Semaphore,
    Cause::Mutex,
    Cause::Monitor,
    Cause::SharedQueue,
    Cause::Suspended,
];

impl Cause {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Cause::Queue => "queue",
            Cause::Lock => "lock",
            Cause::Condition => "condition",
            Cause::Answer => "answer",
            Cause::Semaphore => "semaphore",
            Cause::Mutex => "mutex",
            Cause::Monitor => "monitor",
            Cause::SharedQueue => "shared queue",
            Cause::Suspended => "suspended",
        }
    }

    /// Whether a process waits inside its processor, until another one ends the wait.
    pub fn is_inside(self) -> bool {
        match self {
            Cause::Queue | Cause::Lock | Cause::Condition | Cause::Answer => false,
            Cause::Semaphore
            | Cause::Mutex
            | Cause::Monitor
            | Cause::SharedQueue
            | Cause::Suspended => true,
        }
    }
}
