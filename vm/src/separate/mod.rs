//! Processors in virtual time: objects of their own whose messages become requests, and the engine that decides which
//! processor goes on when. The rules R1 to R18 and their ticks are in docs/TIMELINE.md.
//!
//! `engine` knows processors, requests, locks and moments, and no object and no frame. The machine runs a request up to
//! its next interaction (`turns`), states when that was, and the engine answers who goes on.

mod clock;
mod cpus;
mod engine;
mod events;
mod grants;
mod happenings;
mod references;
mod requests;
mod scopes;
mod timeline;

pub use clock::Costs;
pub(crate) use engine::{Engine, Intent, ProcessorId, RequestId, Turn};
pub use events::{Event, EventKind};
use references::References;
pub(crate) use requests::Message;
pub use timeline::{Timeline, TimelineProcessor, TimelineRequest};

use crate::base::{TargetId, Value};
use crate::processes::ReadyQueue;

/// The processors of a machine.
#[derive(Clone, Default)]
pub(crate) struct Separate {
    /// Absent until the program makes its first processor.
    pub(crate) engine: Option<Box<Engine>>,
    /// CPUs; any number if absent.
    pub(crate) cpus: Option<u64>,
    pub(crate) costs: Costs,
    /// The processor whose turn is under way.
    pub(crate) running: ProcessorId,
    /// The machine's ticks when that turn began.
    pub(crate) started: u64,
    pub(crate) references: References,
    /// The processes of the other processors that can run, by the numbers of these.
    ready: Vec<ReadyQueue>,
    /// The method in whose frame a request is executed.
    pub(crate) serving: Option<TargetId>,
}

impl Separate {
    /// Takes out the ready processes of a processor.
    pub(crate) fn ready_of(&mut self, id: ProcessorId) -> ReadyQueue {
        let queue = self.ready.get_mut(id.0 as usize);
        queue.map(std::mem::take).unwrap_or_default()
    }

    /// Keeps the ready processes of a processor until it runs again.
    pub(crate) fn keep_ready(&mut self, id: ProcessorId, ready: ReadyQueue) {
        let index = id.0 as usize;
        if self.ready.len() <= index && ready.longest_waiting().is_some() {
            self.ready.resize_with(index + 1, ReadyQueue::default);
        }
        if let Some(kept) = self.ready.get_mut(index) {
            *kept = ready;
        }
    }

    /// Shows all values to the collector.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        if let Some(engine) = &mut self.engine {
            engine.visit(visit);
        }
        self.references.visit(visit);
    }
}
