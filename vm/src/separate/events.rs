//! What happened when: the measurements of a run with processors.

use super::engine::{ProcessorId, RequestId};

/// Something that happened, at a moment of virtual time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in ticks from the start of the run.
    pub time: u64,
    /// The processor that it happened to, by the number of its creation on the host.
    pub processor: u32,
    /// What it was.
    pub kind: EventKind,
    /// The request that it is about, by its number.
    pub request: u32,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The processor was created, by the request.
    Created,
    /// The processor sent the request, and waits for its answer if that is true.
    Called {
        /// The number of the processor that is to serve it.
        supplier: u32,
        /// Whether the client waits for the answer.
        waits: bool,
    },
    /// The processor took the request up: its synchronization step begins.
    Synchronizes,
    /// The request waits for locks.
    Locks,
    /// The request has its locks.
    Granted,
    /// The condition of the request was evaluated, with this result.
    Evaluated(bool),
    /// The feature begins.
    Executes,
    /// The feature has ended.
    Returns,
    /// The answer of the request came, and the client goes on.
    Answered,
    /// The processor has executed this number of ticks up to here, without a pause.
    Ran(u64),
    /// The processor is free for others.
    Unlocked,
    /// The request sleeps.
    Sleeps,
    /// The request goes on after a delay.
    Wakes,
}

/// The events of a run, if they are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    pub(super) events: Vec<Event>,
}

impl Log {
    pub(super) fn note(
        &mut self,
        time: u64,
        processor: ProcessorId,
        request: RequestId,
        kind: EventKind,
    ) {
        self.events.push(Event {
            time,
            processor: processor.0,
            kind,
            request: request.0,
        });
    }
}
