//! What a run with processors leaves behind: its processors, its requests and its events.

use super::events::Event;

/// The processors, requests and events of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// By their numbers; the first runs the script.
    pub processors: Vec<TimelineProcessor>,
    /// By their numbers; the first stands for the script.
    pub requests: Vec<TimelineRequest>,
    /// In the order in which the engine decided them. A processor runs ahead of the others, so times go back.
    pub events: Vec<Event>,
    /// The last moment.
    pub end: u64,
}

/// A processor.
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
