//! What a run with processors leaves behind: its processors, its requests, its obstacles and its events. A long run gives them away in parts.

use std::fmt;

use super::events::Event;
use super::obstacles::ObstacleKind;

/// The processors, requests and events of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Those that have their first event here, in the order of their numbers. The first of a run executes the script.
    pub processors: Vec<TimelineProcessor>,
    /// The same for requests. The first of a run stands for the script.
    pub requests: Vec<TimelineRequest>,
    /// In an order that does not depend on how far processors run ahead of the others. Times go back where a processor's do.
    pub events: Vec<Event>,
    /// The same for obstacles.
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
    /// The class that it was created for; empty for the script's.
    pub class: String,
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

type Receiver = Box<dyn FnMut(Timeline) + Send>;

/// Where the parts of a timeline go, if they go somewhere. A copy goes nowhere.
#[derive(Default)]
pub(crate) struct Stream(Option<Receiver>);

impl Stream {
    pub(crate) fn to(receiver: impl FnMut(Timeline) + Send + 'static) -> Stream {
        Stream(Some(Box::new(receiver)))
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn give(&mut self, part: Timeline) {
        if let Some(receiver) = &mut self.0 {
            receiver(part);
        }
    }

    pub(crate) fn end(mut self, part: Timeline) {
        self.give(part);
    }
}

impl Clone for Stream {
    fn clone(&self) -> Stream {
        Stream(None)
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.is_open()).finish()
    }
}
