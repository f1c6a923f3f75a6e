//! Requests: messages to objects of other processors.

use super::engine::{ProcessorId, RequestId};
use crate::base::{ClassId, ProcessId, SymbolId, Value};
use crate::counting::Family;

/// A message that a processor serves for another one.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) supplier: ProcessorId,
    pub(crate) client: ProcessorId,
    /// The client's request that sent it; none for a script.
    pub(crate) sender: Option<RequestId>,
    /// Whether the client waits for the answer.
    pub(crate) waits: bool,
    /// Whether the supplier waits for its client's chain, so that it is served before all others.
    pub(crate) is_callback: bool,
    /// Whether it is an activation of the client's own.
    pub(crate) is_local: bool,
    /// What the supplier waited for when the callback came.
    pub(super) waited_for: Option<ProcessorId>,
    /// Whether its synchronization step is still under way.
    pub(super) synchronizes: bool,
    /// The class of its receiver.
    pub(crate) class: ClassId,
    pub(crate) message: Message,
    /// The process that executes it.
    pub(crate) process: Option<ProcessId>,
    /// The measurement with forks that its client belonged to.
    pub(crate) family: Family,
    /// The answer, as the client sees it.
    pub(crate) answer: Value,
    /// The exception by which it failed, as its supplier sees it; nil if it did not.
    pub(crate) failure: Value,
}

/// Receiver, selector and arguments, as the supplier sees them.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) receiver: Value,
    pub(crate) selector: SymbolId,
    pub(crate) arguments: Vec<Value>,
}

impl Request {
    /// Shows all values to the collector.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        visit(&mut self.message.receiver);
        self.message.arguments.iter_mut().for_each(&mut *visit);
        visit(&mut self.answer);
        visit(&mut self.failure);
    }
}
