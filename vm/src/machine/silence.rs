//! The beginning and the end of silence, and the counts and limits during silence. Silent code runs in the full loop,
//! which alone knows the work of primitives. The loop is exchanged at the first poll point.

use super::Vm;
use crate::base::{Limit, Value};
use crate::bytecode::INLINED;
use crate::counting::{Cost, FullCounters};
use crate::heap::Allocations;
use crate::processes::{Reading, Silence, SilentCode};

/// Ticks that a silent activation may take (counting model, 4). An interruption neither refreshes nor charges them.
const MOST_TICKS: u64 = 10_000_000;

/// Work that it may take: a second of the machine where the weights were set.
const MOST_WORK: u64 = 100_000_000_000;

/// Ticks between two looks at the work of silent code, and ticks that the full loop goes on after a silence.
pub(crate) const TICKS_BETWEEN_LOOKS: u64 = 1 << 12;

struct WorkLimit {
    most: u64,
    used: u64,
    limit: Limit,
}

impl Vm {
    fn counters(&self) -> Reading {
        let is_full = self.counts_fully();
        Reading {
            ticks: self.registers.ticks,
            loops: self.registers.loops,
            allocations: self.heap.allocations,
            hashes: self.heap.hash_state(),
            inlined: self.counters.full.inlined,
            full: is_full.then(|| self.counters.full.clone()),
            work: self.raw_work(),
        }
    }

    /// The work by the counters of the running process as they are, with that of silent code.
    fn raw_work(&self) -> u64 {
        let full = &self.counters.full;
        let sends = self.registers.process_sends();
        let cost = Cost {
            sends,
            steps: full.steps.wrapping_add(sends),
            loops: self.registers.loops,
            activations: full.activations,
            blocks: full.blocks,
            called: full.called,
            allocations: self.heap.allocations,
            counters: full.work,
            ..Cost::default()
        };
        cost.work()
    }

    /// The limit that silent code has passed: one of the run, or its allowance.
    pub(crate) fn limit_passed_in_silence(&self, silence: &Silence) -> Option<Limit> {
        let ticks = silence.ticks_taken(self.registers.ticks);
        let work = silence.work_taken(self.raw_work());
        if self.config.max_ticks.is_some_and(|most| ticks >= most) {
            return Some(Limit::Ticks);
        }
        if self.config.max_work.is_some_and(|most| work > most) {
            return Some(Limit::Work);
        }
        (ticks >= MOST_TICKS || work > MOST_WORK).then_some(Limit::Silence)
    }

    /// The tick at which a poll point looks at these limits again.
    pub(crate) fn next_silent_look(&self, silence: &Silence) -> u64 {
        let most = self.config.max_ticks.unwrap_or(u64::MAX).min(MOST_TICKS);
        let look = self.registers.ticks.saturating_add(TICKS_BETWEEN_LOOKS);
        silence.end_after(most).min(look)
    }

    /// The limit on work in force, and the work that counts against it. `None` if any work is allowed.
    fn work_limit(&self) -> Option<WorkLimit> {
        let Some(silence) = self.running.silence.as_deref() else {
            let most = self.config.max_work?;
            let used = self.work().saturating_sub(self.counters.granted_at);
            let limit = Limit::Work;
            return Some(WorkLimit { most, used, limit });
        };
        let (most, limit) = match self.config.max_work {
            Some(most) if most <= MOST_WORK => (most, Limit::Work),
            _ => (MOST_WORK, Limit::Silence),
        };
        let used = silence.work_taken(self.raw_work());
        Some(WorkLimit { most, used, limit })
    }

    /// The work that is still allowed, and the limit that ends it. `None` if any work is allowed.
    pub(crate) fn work_left(&self) -> Option<(u64, Limit)> {
        let WorkLimit { most, used, limit } = self.work_limit()?;
        Some((most.saturating_sub(used), limit))
    }

    /// The limit that the work so far has passed.
    pub(crate) fn exceeds_work(&self) -> Option<Limit> {
        let WorkLimit { most, used, limit } = self.work_limit()?;
        (used > most).then_some(limit)
    }

    /// Resets the counters to their values at the beginning of the silence; the difference is overhead.
    fn put_back(&mut self, silence: &mut Silence) {
        let sends = self.registers.process_sends();
        silence.taken = silence.ticks_taken(self.registers.ticks);
        silence.work_taken = silence.work_taken(self.raw_work());
        let silent = sends.wrapping_sub(silence.sends());
        self.counters.overhead += silent;
        if silence.is_programs {
            self.counters.programs_overhead += silent;
        }
        let Reading {
            ticks,
            loops,
            allocations,
            hashes,
            inlined,
            full,
            work: _,
        } = &silence.counters;
        self.registers.ticks = *ticks;
        self.registers.loops = *loops;
        self.heap.allocations = *allocations;
        self.heap.seed_hashes(*hashes);
        if let Some(full) = full {
            self.counters.full = full.clone();
        }
        self.counters.full.inlined = *inlined;
        self.watch_allocations();
    }

    /// Makes the frame silent from here on, unless a frame below is silent already. `caller` is the frame below it.
    pub(crate) fn begin_silence(&mut self, frame: usize, caller: usize, code: SilentCode) {
        if self.running.silence.is_none() {
            self.running.silence = Some(Box::new(Silence {
                frame,
                caller,
                wrapper: code.wrapper,
                is_programs: code.is_programs,
                interrupted_by: 0,
                was_activated: false,
                counters: self.counters(),
                taken: 0,
                work_taken: 0,
            }));
            self.set_tick_limit();
        }
    }

    /// Called when a frame goes: ends the silence if it was this frame's.
    pub(crate) fn end_silence(&mut self, frame: usize) {
        let is_its_end = |silence: &Silence| silence.frame == frame;
        if !self.running.silence.as_deref().is_some_and(is_its_end) {
            return;
        }
        if let Some(mut silence) = self.running.silence.take() {
            self.put_back(&mut silence);
            self.set_tick_limit();
            // An outer wrapper takes over the findings of the wrapped wrapper.
            if let Some(outer) = self.running.interrupted.last_mut()
                && outer.interrupted_by == silence.caller
            {
                outer.was_activated |= silence.was_activated;
            }
        }
    }

    /// From here on everything counts again, until this frame goes.
    pub(crate) fn interrupt_silence(&mut self, frame: usize) {
        if let Some(mut silence) = self.running.silence.take() {
            self.put_back(&mut silence);
            silence.interrupted_by = frame;
            silence.was_activated = false;
            self.running.interrupted.push(silence);
            self.set_tick_limit();
        }
    }

    /// Called when a frame goes: if it interrupts a silence, that goes on.
    pub(crate) fn resume_silence(&mut self, frame: usize) -> bool {
        let resumes = self
            .running
            .interrupted
            .pop_if(|silence| silence.interrupted_by == frame);
        let Some(mut silence) = resumes else {
            return false;
        };
        silence.counters = self.counters();
        self.running.silence = Some(silence);
        self.set_tick_limit();
        true
    }

    /// Called before a switch: the next process must not see the silent code's additions to the shared counters.
    pub(crate) fn leave_silence(&mut self) {
        if let Some(mut silence) = self.running.silence.take() {
            self.put_back(&mut silence);
            self.running.silence = Some(silence);
        }
    }

    /// The process runs again: its silence, if it is in one, goes on from the counters as they are now.
    pub(crate) fn enter_silence(&mut self) {
        if let Some(mut silence) = self.running.silence.take() {
            silence.counters = self.counters();
            self.running.silence = Some(silence);
        }
    }

    /// The process will not go on at its location, so its silence ends.
    pub(crate) fn forget_silence(&mut self) {
        self.leave_silence();
        self.running.silence = None;
        self.running.interrupted.clear();
    }

    /// Sends of the running process by the model: silent ones are none.
    pub(crate) fn counted_sends(&self) -> u64 {
        let silence = self.running.silence.as_deref();
        silence.map_or(self.registers.process_sends(), Silence::sends)
    }

    /// Loop repetitions of the running process by the model.
    pub(crate) fn counted_loops(&self) -> u64 {
        let silence = self.running.silence.as_deref();
        silence.map_or(self.registers.loops, |silence| silence.counters.loops)
    }

    /// Allocations by the model.
    pub(crate) fn counted_allocations(&self) -> Allocations {
        let silence = self.running.silence.as_deref();
        silence.map_or(self.heap.allocations, |silence| {
            silence.counters.allocations
        })
    }

    /// The counters of the full loop, by the model.
    pub(crate) fn counted_in_full(&self) -> &FullCounters {
        let silence = self.running.silence.as_deref();
        let full = silence.and_then(|silence| silence.counters.full.as_ref());
        full.unwrap_or(&self.counters.full)
    }

    /// Evaluations of inlined control messages, in the order of [`INLINED`], silent ones left out.
    pub(crate) fn counted_inlined(&self) -> [u64; INLINED.len()] {
        let silence = self.running.silence.as_deref();
        silence.map_or(self.counters.full.inlined, |silence| {
            silence.counters.inlined
        })
    }

    /// Whether it is a block of the library's own.
    pub(crate) fn is_librarys(&self, value: Value) -> bool {
        let number = match self.is_block(value) {
            true => self.heap.slot(value, 0).as_int(),
            false => None,
        };
        let code = number.and_then(|number| self.code.targets.get(usize::try_from(number).ok()?));
        code.is_some_and(|code| self.image.is_of_library(code.method))
    }

    /// The silent sends so far in which the program has a part: the sends of method wrappers, and of program code that
    /// the library evaluates silently.
    pub fn programs_overhead(&self) -> u64 {
        let silence = self
            .running
            .silence
            .as_deref()
            .filter(|silence| silence.is_programs);
        let running = silence.map_or(0, |silence| {
            self.registers.process_sends().wrapping_sub(silence.sends())
        });
        self.counters.programs_overhead.wrapping_add(running)
    }

    /// Sends of silent frames so far; no part of [`Vm::sends`].
    pub fn overhead(&self) -> u64 {
        let running = self
            .registers
            .process_sends()
            .wrapping_sub(self.counted_sends());
        self.counters.overhead.wrapping_add(running)
    }
}
