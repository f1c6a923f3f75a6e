//! What processors are charged.

use super::engine::{Engine, ProcessorId, SCRIPT};
use super::events::EventKind;
use super::happenings::Happening;
use super::simulation::Costs;

impl Engine {
    /// What is charged for.
    pub(crate) fn costs(&self) -> Costs {
        self.simulation.costs
    }

    /// The processor has executed these ticks up to this moment, and is charged from then on.
    pub(crate) fn charge(&mut self, id: ProcessorId, (time, ticks): (u64, u64), units: u64) {
        self.processor(id).has_run(ticks);
        self.note_ran(id, time);
        let end = time.saturating_add(units);
        self.note_at(end, id, self.innermost(id), EventKind::Charged(units));
    }

    /// When the processor may send its next request.
    pub(crate) fn next_call(&self, id: ProcessorId) -> u64 {
        self.processors[id.0 as usize].next_call
    }

    /// The processor sends a request at this moment.
    pub(crate) fn sends_at(&mut self, id: ProcessorId, time: u64) {
        let gap = self.simulation.costs.gap;
        self.processor(id).next_call = time.saturating_add(gap);
    }

    /// How long the processor is delayed with the request that it takes up now.
    pub(crate) fn delay_of_next(&mut self, id: ProcessorId) -> u64 {
        let processor = &mut self.processors[id.0 as usize];
        let number = processor.taken_up;
        processor.taken_up += 1;
        let jitter = self.simulation.jitter;
        jitter.map_or(0, |jitter| jitter.delay(&processor.path, number))
    }

    /// The processor is unlocked after it was charged for that.
    pub(super) fn charge_unlock(&mut self, id: ProcessorId) {
        let cost = self.simulation.costs.unlock;
        let end = self.now.saturating_add(cost);
        self.note_at(end, id, SCRIPT, EventKind::Charged(cost));
        self.plan(end, id, Happening::Unlocked(id));
    }
}
