//! Failures of commands (R12): the supplier serves nothing more of its client until that knows, or has unlocked it.

use super::causes::Carrier;
use super::engine::{Engine, ProcessorId, RequestId};
use super::events::EventKind;
use super::happenings::Happening;
use crate::world::Failure;

impl Engine {
    /// The request, for which no client waits, fails. A processor keeps the first failure.
    pub(crate) fn fail_command(&mut self, request: RequestId, failure: Failure) {
        let supplier = self.request(request).supplier;
        self.processor(supplier)
            .failure
            .get_or_insert(Box::new(failure));
    }

    /// A request that stands behind a failed command is not served. If its client waits for it, or will, the client gets
    /// the failure, and from then on the processor serves it again.
    pub(super) fn cancel(&mut self, id: ProcessorId, request: RequestId) {
        self.note(id, request, EventKind::Cancelled);
        let row = self.request(request);
        if !row.waits && row.future.is_nil() {
            return self.release(request);
        }
        let failure = self.processor(id).failure.take();
        self.request_mut(request).refusal = failure;
        self.causes(|causes| causes.add(Carrier::Next(id), Carrier::Request(request)));
        self.causes(|causes| causes.set(Carrier::Answer(request), Carrier::Next(id)));
        self.plan_own(self.arrival(self.now), id, Happening::Reply(request));
    }

    /// The run is over: what is left of failures is to be reported.
    pub(crate) fn give_up_failures(&mut self) {
        let kept = self
            .processors
            .iter_mut()
            .filter_map(|one| one.failure.take());
        self.unasked.extend(kept.map(|failure| *failure));
    }
}
