//! What happened when: the measurements of a run with processors.

use super::engine::ProcessorId;
use crate::base::{ClassId, MethodId, SymbolId};

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
    /// The request that waits for locks wants that of this processor.
    Wants {
        /// The number of the processor.
        supplier: u32,
    },
    /// The request has its locks.
    Granted,
    /// The condition of the request was evaluated, with this result.
    Evaluated(bool),
    /// The feature begins.
    Executes,
    /// The feature has ended.
    Returns,
    /// The client begins to wait for the answer of the request, which it has sent before.
    Joins,
    /// The answer of the request came, and the client goes on.
    Answered,
    /// The request is not served, because a command before it has failed.
    Cancelled,
    /// The processor has executed this number of ticks up to here, without a pause.
    Ran(u64),
    /// The processor was charged this number of units up to here.
    Charged(u64),
    /// The processor is free for others.
    Unlocked,
    /// The request sleeps.
    Sleeps,
    /// The request goes on after a delay.
    Wakes,
    /// The process waits for the obstacle with this number, or all processes of the processor do.
    Blocks {
        /// The number of the obstacle.
        on: u32,
    },
    /// The processor goes on with this CPU. Only if there is a number of CPUs.
    Dispatched {
        /// The number of the CPU, from 0.
        cpu: u32,
    },
    /// The central scheduler has approved the request, which locks its supplier for itself alone.
    Approved,
    /// The process or the processor can go on, because of what another request did.
    Freed {
        /// The number of that request.
        by: u32,
    },
}

/// What a request executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runs {
    /// The method that its message finds.
    Message,
    /// A block in the method, at the byte of its unit.
    Block(MethodId, u32),
    /// What a process does whose name has this number.
    Named(u32),
}

/// What is known of a request when it is sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Described {
    pub(crate) class: ClassId,
    pub(crate) selector: SymbolId,
    pub(crate) client: ProcessorId,
    pub(crate) supplier: ProcessorId,
    /// The number of the request in which it was sent.
    pub(crate) sender: Option<u32>,
    pub(crate) waits: bool,
    pub(crate) is_local: bool,
    pub(crate) is_callback: bool,
    /// The method of the program that sends it, and the byte of its unit.
    pub(crate) site: Option<(MethodId, u32)>,
    /// What it executes.
    pub(crate) runs: Runs,
}
