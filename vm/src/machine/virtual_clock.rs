//! The clock of the running processor: its ticks or its work, and what it is charged.

use super::Vm;
use crate::separate::{Clock, Message, Simulation};

/// Units of work in a microsecond: hundredths of a nanosecond (counting model, 2.2).
const WORK_IN_MICROSECOND: u64 = 100_000;

impl Vm {
    /// The running processor's turn begins.
    pub(crate) fn begin_turn_clock(&mut self) {
        self.separate.started = self.clock_units();
        self.separate.before = 0;
        self.separate.sent = 0;
        self.begin_stretch();
    }

    /// What the clocks count: ticks or work of the whole run.
    pub(crate) fn clock_units(&self) -> u64 {
        match self.separate.simulation.clock {
            Clock::Ticks => self.sends().wrapping_add(self.loops()),
            Clock::Work => self.work(),
        }
    }

    /// Units of virtual time in a microsecond of the program's clock.
    pub(crate) fn units_in_microsecond(&self) -> u64 {
        match self.separate.simulation.clock {
            Clock::Ticks => 1,
            Clock::Work => WORK_IN_MICROSECOND,
        }
    }

    /// Virtual time in whole microseconds.
    pub(crate) fn virtual_microseconds(&self) -> u64 {
        self.virtual_time() / self.units_in_microsecond()
    }

    /// Simulates this machine. Holds if the program has made no processor yet.
    pub fn simulate(&mut self, simulation: Simulation) {
        let before = std::mem::replace(&mut self.separate.simulation, simulation);
        match (before.clock, simulation.clock) {
            (Clock::Ticks, Clock::Work) => self.count_everything(),
            (Clock::Work, Clock::Ticks) => self.count_less(),
            _ => {}
        }
    }

    /// What happened last in virtual time, in ticks from the start of the run.
    pub fn last_moment(&self) -> u64 {
        let engine = self.separate.engine.as_ref();
        engine.map_or(0, |engine| engine.now())
    }

    /// Whether the program has read a clock since its first processor.
    pub fn has_read_clock(&self) -> bool {
        let watching = self.watching.as_ref();
        self.separate.clock_ahead.is_some()
            || self.separate.calendar_ahead.is_some()
            || watching.is_some_and(|watching| watching.has_read_clock)
    }

    /// The machine that is simulated.
    pub fn simulation(&self) -> Simulation {
        self.separate.simulation
    }

    /// What the running processor has executed since its turn or its last charge, as its clock counts it.
    pub(crate) fn executed(&self) -> u64 {
        let ticks = self.clock_units().wrapping_sub(self.separate.started);
        match self.separate.stretch {
            None => ticks,
            Some(stretch) => stretch.units(ticks),
        }
    }

    /// Whether the others have to catch up before the running processor accesses what they see.
    pub(crate) fn is_before_others(&mut self) -> bool {
        let running = self.separate.running;
        let Some(engine) = &mut self.separate.engine else {
            return false;
        };
        let is_to_show = engine.is_to_show(running);
        is_to_show || self.ticks_ahead() > 0
    }

    /// How far the running processor is ahead of the others.
    pub(crate) fn ticks_ahead(&self) -> u64 {
        self.executed().saturating_add(self.separate.before)
    }

    /// Whether the others are to catch up before the running processor goes on.
    pub(crate) fn is_far_ahead(&self) -> bool {
        self.separate.engine.is_some() && self.left_of_turn() == 0
    }

    /// How far the running processor may still run ahead of the others.
    pub(crate) fn left_of_turn(&self) -> u64 {
        self.separate.ahead.saturating_sub(self.ticks_ahead())
    }

    /// Whether processors have slices. Then the loop has to look before each message.
    pub(crate) fn has_slices(&self) -> bool {
        let simulation = &self.separate.simulation;
        simulation.slice.is_some() && simulation.cpus.is_some()
    }

    /// The running processor is about to send a message, or has just gone round a loop: whether its slice is over.
    pub(crate) fn is_slice_over(&self) -> bool {
        let engine = self.separate.engine.as_ref();
        self.running.silence.is_none()
            && engine.is_some_and(|engine| {
                let now = (self.virtual_time(), self.executed());
                engine.is_slice_over(self.separate.running, now)
            })
    }

    /// The time of the running processor, which runs ahead of the others.
    pub(crate) fn virtual_time(&self) -> u64 {
        let engine = self.separate.engine.as_ref();
        let now = engine.map_or(0, |engine| engine.now());
        now.saturating_add(self.ticks_ahead())
    }

    /// The running processor is charged: its clock goes on, and it executes nothing.
    pub(crate) fn charge_time(&mut self, units: u64) {
        if units == 0 {
            return;
        }
        let (id, time, ticks) = (self.separate.running, self.virtual_time(), self.executed());
        let Some(engine) = &mut self.separate.engine else {
            return;
        };
        engine.charge(id, (time, ticks), units);
        let before = self.ticks_ahead().saturating_add(units);
        self.count_on(before);
        self.set_tick_limit();
    }

    /// The running processor is this far ahead of the others. What it executes is counted from here on.
    pub(crate) fn count_on(&mut self, ahead: u64) {
        let now = self.clock_units();
        let ticks = now.wrapping_sub(self.separate.started);
        if let Some(stretch) = &mut self.separate.stretch {
            stretch.before = stretch.before.saturating_add(ticks);
        }
        (self.separate.started, self.separate.before) = (now, ahead);
    }

    /// The client is charged for a request.
    pub(crate) fn charge_call(&mut self, message: &Message) {
        let Some(engine) = &self.separate.engine else {
            return;
        };
        let costs = engine.costs();
        let words = 1 + message.arguments.len() as u64 + message.made.bytes.div_ceil(8);
        let units = costs.call.saturating_add(costs.word.saturating_mul(words));
        let time = self.virtual_time().saturating_add(units);
        let id = self.separate.running;
        let missing = engine.next_call(id).saturating_sub(time);
        self.charge_time(units.saturating_add(missing));
        let time = self.virtual_time();
        if let Some(engine) = &mut self.separate.engine {
            engine.sends_at(id, time);
        }
    }

    /// The supplier is charged for the request that it takes up.
    pub(crate) fn charge_reception(&mut self) {
        let id = self.separate.running;
        let Some(engine) = &mut self.separate.engine else {
            return;
        };
        let delay = engine.delay_of_next(id);
        let receive = engine.costs().receive;
        self.charge_time(receive.saturating_add(delay));
    }

    /// The requester of a scope is charged for its locks.
    pub(crate) fn charge_locks(&mut self, serial: u64) {
        let id = self.separate.running;
        let Some(engine) = &mut self.separate.engine else {
            return;
        };
        let cost = engine.costs().lock;
        let count = engine
            .scope(id, serial)
            .map_or(0, |scope| scope.suppliers.len());
        self.charge_time(cost.saturating_mul(count as u64));
    }

    /// The requester of a scope is charged for the evaluation of its condition.
    pub(crate) fn charge_evaluation(&mut self) {
        let engine = self.separate.engine.as_ref();
        let cost = engine.map_or(0, |engine| engine.costs().evaluate);
        self.charge_time(cost);
    }
}
