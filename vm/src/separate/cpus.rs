//! CPUs: a processor that wants to go on waits until one is free, those first that have waited longest.

use std::sync::Arc;

use super::engine::{Engine, ProcessorId, Turn};
use super::happenings::Happening;

impl Engine {
    /// The processor takes its turn now if it has a CPU, else as soon as it gets one.
    pub(super) fn need_cpu(&mut self, id: ProcessorId, turn: Turn) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).has_cpu {
            return Some((id, turn));
        }
        self.processor(id).turn = Some(turn);
        self.want_cpu(id);
        None
    }

    pub(super) fn want_cpu(&mut self, id: ProcessorId) {
        if self.ready.iter().any(|(_, other)| *other == id) {
            return;
        }
        let key = |engine: &Engine, since: u64, id: ProcessorId| {
            (since, Arc::clone(&engine.processors[id.0 as usize].path))
        };
        let new = key(self, self.now, id);
        let place = self
            .ready
            .partition_point(|&(since, other)| key(self, since, other) <= new);
        self.ready.insert(place, (self.now, id));
        self.plan(self.now, id, Happening::Dispatch);
    }

    pub(super) fn release_cpu(&mut self, id: ProcessorId) {
        if std::mem::take(&mut self.processor(id).has_cpu) {
            if let Some(free) = &mut self.free {
                *free += 1;
            }
            self.plan(self.now, id, Happening::Dispatch);
        }
    }

    /// Gives a free CPU to the processor that waits longest.
    pub(super) fn dispatch(&mut self) -> Option<(ProcessorId, Turn)> {
        if self.ready.is_empty() || self.free == Some(0) {
            return None;
        }
        let (_, id) = self.ready.remove(0);
        if let Some(free) = &mut self.free {
            *free -= 1;
        }
        // There may be more CPUs for others.
        self.plan(self.now, id, Happening::Dispatch);
        let processor = self.processor(id);
        processor.has_cpu = true;
        let turn = processor.turn.take()?;
        if let Turn::Answer(_) = turn
            && let Some(callback) = self.next_callback(id)
        {
            // It came while the processor had its answer and waited for the CPU.
            return Some((id, Turn::Begin(callback)));
        }
        Some((id, turn))
    }
}
