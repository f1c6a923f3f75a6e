//! What steps of a guided run follow from. What a processor does follows from what it did before and from what has reached it: a request, an
//! answer, a lock. Each of these carries the steps that it follows from, up to the processor that takes it up.

use std::collections::VecDeque;

use hashbrown::HashMap;

use super::ids::{ProcessorId, RequestId};

/// Numbers of steps, in no order, each once.
type Steps = Vec<u32>;

/// What is on its way, or waits to be taken up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Carrier {
    /// What a processor does next.
    Next(ProcessorId),
    /// The next delivery of what the first one has sent to the second one.
    Delivery(ProcessorId, ProcessorId),
    /// A request.
    Request(RequestId),
    /// The answer to a request.
    Answer(RequestId),
    /// The lock of a processor, which is free.
    Lock(ProcessorId),
    /// A signal to a processor that rests.
    Signal(ProcessorId),
    /// What the central scheduler approves.
    Approval,
}

/// The steps that each of them follows from.
#[derive(Clone, Debug, Default)]
pub(super) struct Causes {
    of: HashMap<Carrier, Steps>,
    /// Unlock markers that a processor has sent to another one.
    sent: HashMap<(ProcessorId, ProcessorId), VecDeque<Steps>>,
    /// Unlock markers in the queue of a processor.
    queued: HashMap<ProcessorId, VecDeque<Steps>>,
}

fn join(all: &mut Steps, more: &[u32]) {
    for step in more {
        if !all.contains(step) {
            all.push(*step);
        }
    }
}

impl Causes {
    pub(super) fn of(&self, carrier: Carrier) -> &[u32] {
        self.of.get(&carrier).map_or(&[], Vec::as_slice)
    }

    /// This step alone from here on.
    pub(super) fn begin(&mut self, carrier: Carrier, step: u32) {
        let steps = self.of.entry(carrier).or_default();
        steps.clear();
        steps.push(step);
    }

    /// The one is sent, freed or made by the other.
    pub(super) fn set(&mut self, carrier: Carrier, from: Carrier) {
        let steps = self.of(from).to_vec();
        self.of.insert(carrier, steps);
    }

    /// The one follows from the other, too.
    pub(super) fn add(&mut self, carrier: Carrier, from: Carrier) {
        let steps = self.of(from).to_vec();
        join(self.of.entry(carrier).or_default(), &steps);
    }

    /// What the processor does next follows from all that was done.
    pub(super) fn add_all(&mut self, id: ProcessorId) {
        let mut all = Steps::new();
        for (carrier, steps) in &self.of {
            if let Carrier::Next(_) | Carrier::Delivery(_, _) = carrier {
                join(&mut all, steps);
            }
        }
        join(self.of.entry(Carrier::Next(id)).or_default(), &all);
    }

    /// The processor sends an unlock marker.
    pub(super) fn send_marker(&mut self, client: ProcessorId, supplier: ProcessorId) {
        let steps = self.of(Carrier::Next(client)).to_vec();
        let sent = self.sent.entry((client, supplier)).or_default();
        sent.push_back(steps);
    }

    /// An unlock marker is delivered next.
    pub(super) fn deliver_marker(&mut self, client: ProcessorId, supplier: ProcessorId) {
        let sent = self.sent.get_mut(&(client, supplier));
        if let Some(steps) = sent.and_then(VecDeque::pop_front) {
            let delivery = self.of.entry(Carrier::Delivery(client, supplier));
            join(delivery.or_default(), &steps);
        }
    }

    /// An unlock marker that follows from this is in the supplier's queue.
    pub(super) fn queue_marker(&mut self, supplier: ProcessorId, from: Carrier) {
        let steps = self.of(from).to_vec();
        self.queued.entry(supplier).or_default().push_back(steps);
    }

    /// The supplier takes the next unlock marker out of its queue.
    pub(super) fn take_marker(&mut self, supplier: ProcessorId) {
        let queued = self.queued.get_mut(&supplier);
        if let Some(steps) = queued.and_then(VecDeque::pop_front) {
            join(self.of.entry(Carrier::Next(supplier)).or_default(), &steps);
        }
    }
}
