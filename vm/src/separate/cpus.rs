//! CPUs: a processor that wants to go on waits until one is free, those first that have waited longest.

use std::collections::{BTreeMap, BTreeSet};

use super::engine::{Engine, ProcessorId, Turn};
use super::events::EventKind;
use super::happenings::Happening;
use super::processor::Slice;
use super::ties::Rank;

/// The place of a processor that waits for a CPU: since when, whether it has given one up then, and its rank.
type Place = (u64, bool, Rank);

/// The CPUs, and the processors that wait for one.
#[derive(Clone, Debug, Default)]
pub(super) struct Cpus {
    /// How many there are; any number if absent.
    count: Option<u64>,
    /// The processors that the CPUs had last, by the numbers of the CPUs. The others have had none yet.
    had: Vec<ProcessorId>,
    /// Those CPUs of them that are free.
    free: BTreeSet<u32>,
    waiting: BTreeMap<Place, ProcessorId>,
}

impl Cpus {
    pub(super) fn new(count: Option<u64>) -> Cpus {
        Cpus {
            count,
            ..Cpus::default()
        }
    }

    fn is_one_free(&self) -> bool {
        let is_unused = |count| (self.had.len() as u64) < count;
        self.count.is_some_and(is_unused) || !self.free.is_empty()
    }

    /// Gives the processor a CPU, if possible the one that it had last. Answers its number, and whether it had another processor
    /// in between. Without a number of CPUs each processor has its own.
    fn take(&mut self, id: ProcessorId, last: Option<u32>) -> (Option<u32>, bool) {
        let Some(count) = self.count else {
            return (None, false);
        };
        let own = last.filter(|last| self.free.remove(last));
        let unused = self.had.len() as u32;
        let cpu = match own {
            Some(own) => own,
            None if u64::from(unused) < count => {
                self.had.push(id);
                unused
            }
            None => self.free.pop_first().unwrap_or(0),
        };
        let before = std::mem::replace(&mut self.had[cpu as usize], id);
        (Some(cpu), before != id)
    }
}

impl Engine {
    /// The processor takes its turn now if it has a CPU, else as soon as it gets one. If its slice is over, others come first.
    pub(super) fn need_cpu(&mut self, id: ProcessorId, turn: Turn) -> Option<(ProcessorId, Turn)> {
        if !self.processor(id).has_cpu {
            self.processor(id).work.turn = Some(turn);
            self.want_cpu(id, false);
            return None;
        }
        if self.slice_end(id).is_some_and(|end| end <= self.now) {
            self.end_slice(id, turn);
            return None;
        }
        Some((id, turn))
    }

    /// After all else at this moment, others may have the processor's CPU.
    pub(super) fn end_slice(&mut self, id: ProcessorId, turn: Turn) {
        self.processor(id).work.turn = Some(turn);
        self.plan(self.now, id, Happening::Expire(id));
    }

    pub(super) fn want_cpu(&mut self, id: ProcessorId, has_given_up: bool) {
        if self.processor(id).is_ready {
            return;
        }
        self.processor(id).is_ready = true;
        if self.cpus.count.is_none() {
            self.plan(self.now, id, Happening::Take(id));
            return;
        }
        let rank = self.rank(id, self.now);
        let place = (self.now, has_given_up, rank);
        self.cpus.waiting.insert(place, id);
        self.plan(self.now, id, Happening::Dispatch);
    }

    /// The processor runs on a CPU from now on. Answers whether that had another one before.
    pub(super) fn take_cpu(&mut self, id: ProcessorId) -> bool {
        let last = self.processor(id).cpu;
        let (cpu, is_switch) = self.cpus.take(id, last);
        let now = self.now;
        let processor = self.processor(id);
        (processor.cpu, processor.has_cpu) = (cpu, true);
        processor.slice = Slice::at(now);
        if let Some(cpu) = cpu {
            self.note(id, self.innermost(id), EventKind::Dispatched { cpu });
        }
        is_switch
    }

    pub(super) fn release_cpu(&mut self, id: ProcessorId) {
        if std::mem::take(&mut self.processor(id).has_cpu) && self.cpus.count.is_some() {
            let cpu = self.processor(id).cpu;
            self.cpus.free.extend(cpu);
            self.plan(self.now, id, Happening::Dispatch);
        }
    }

    /// When the processor's slice ends, if its CPU may be given to others.
    fn slice_end(&self, id: ProcessorId) -> Option<u64> {
        self.cpus.count?;
        let since = self.processors[id.0 as usize].slice.since;
        Some(since.saturating_add(self.simulation.slice?))
    }

    /// Whether the slice of the running processor is over at this moment, after this number of ticks that the engine does not
    /// know of. In a slice it executes a tick in any case.
    pub(crate) fn is_slice_over(&self, id: ProcessorId, (time, ticks): (u64, u64)) -> bool {
        let has_ticked = ticks > 0 || self.processors[id.0 as usize].slice.has_ticked;
        has_ticked && self.slice_end(id).is_some_and(|end| end <= time)
    }

    /// The processor's slice is over.
    pub(super) fn expire(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.cpus.waiting.is_empty() {
            self.processor(id).slice = Slice::at(self.now);
            return self.take_up(id);
        }
        self.note_ran(id, self.now);
        self.release_cpu(id);
        self.want_cpu(id, true);
        None
    }

    /// The processor goes on, on a CPU that none else uses.
    pub(super) fn take_own_cpu(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        self.processor(id).is_ready = false;
        self.take_cpu(id);
        self.take_up(id)
    }

    /// Gives a free CPU to the processor that waits longest. Each CPU that comes back and each processor that begins to wait
    /// plans this.
    pub(super) fn dispatch(&mut self) -> Option<(ProcessorId, Turn)> {
        if !self.cpus.is_one_free() {
            return None;
        }
        let (_, id) = self.cpus.waiting.pop_first()?;
        self.processor(id).is_ready = false;
        let is_switch = self.take_cpu(id);
        let cost = self.simulation.costs.switch;
        if !is_switch || cost == 0 {
            return self.take_up(id);
        }
        let end = self.now.saturating_add(cost);
        self.note_at(end, id, self.innermost(id), EventKind::Charged(cost));
        self.plan(end, id, Happening::Switched(id));
        None
    }

    /// The processor has its CPU, and takes its turn.
    pub(super) fn take_up(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        let turn = self.processor(id).work.turn.take()?;
        if let Turn::Answer(_) = turn
            && let Some(callback) = self.next_callback(id)
        {
            // It came while the processor had its answer and waited for the CPU.
            return Some((id, Turn::Begin(callback)));
        }
        Some((id, turn))
    }
}
