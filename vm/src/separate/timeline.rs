//! What a run with processors leaves behind: its processors, its requests and its events.

use super::events::Event;
use super::obstacles::ObstacleKind;

/// The processors, requests and events of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By their numbers; the first runs the script.
    pub processors: Vec<TimelineProcessor>,
    /// By their numbers; the first stands for the script.
    pub requests: Vec<TimelineRequest>,
    /// In the order in which the engine decided them. A processor runs ahead of the others, so times go back.
    pub events: Vec<Event>,
    /// By their numbers.
    pub obstacles: Vec<TimelineObstacle>,
    /// The last moment.
    pub end: u64,
}

/// What a process waits for inside its processor, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineObstacle {
    /// Its kind.
    pub kind: ObstacleKind,
    /// The class of the object and its number among those of its class, in the order of the first waits: `Semaphore #2`. Empty for a
    /// process that was suspended.
    pub object: String,
    /// File, line and column of the program's own code that waits, if that is known.
    pub site: Option<String>,
}

/// A processor. In a program that made none, a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineProcessor {
    /// Its creator's path and the number of the creation there; empty for the script's.
    pub path: Vec<u32>,
}

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineRequest {
    /// The class of the receiver.
    pub class: String,
    /// The selector of the message.
    pub selector: String,
    /// The number of the processor that sent it.
    pub client: u32,
    /// The number of the processor that serves it.
    pub supplier: u32,
    /// The number of the request in which it was sent; none of the script's own.
    pub sender: Option<u32>,
    /// Whether the client waits for the answer.
    pub waits: bool,
    /// Whether it is an activation of the client's own, of a method with `<separate>`.
    pub is_local: bool,
    /// Whether the supplier served it while it waited itself.
    pub is_callback: bool,
    /// File, line and column of the program's own code that sends it, if that is known.
    pub site: Option<String>,
}
