//! The choices that programs depend on: the time, and seeds. The clock is the host's or a virtual one. The virtual
//! clock is derived from ticks, so that a program that reads it does the same in every run. Each choice goes to the
//! follower of the run.

use super::Vm;
use crate::base::Value;
use crate::observers::Question;

/// When virtual time starts: the first moment of the year 2000, in microseconds since 1970, UTC.
const VIRTUAL_START: u64 = 946_684_800_000_000;

/// Microseconds in a second.
const SECOND: u64 = 1_000_000;

impl Vm {
    /// Microseconds since some fixed moment, never going back. In virtual time a tick or 100,000 units of work take
    /// one, and each processor has a clock of its own.
    pub(crate) fn clock(&mut self) -> u64 {
        self.asked(Question::Clock, Value::NIL);
        if let Some(ahead) = self.separate.clock_ahead {
            return ahead.wrapping_add(self.virtual_microseconds());
        }
        let own = match self.config.virtual_clock {
            true => {
                let passed = self.total_ticks().saturating_mul(self.config.virtual_tick);
                passed.saturating_add(self.config.virtual_start)
            }
            false => self.world.host.microseconds(),
        };
        let mut clock = own.saturating_add(self.choices.clock_offset);
        if self.separate.engine.is_some() {
            // From here on it goes as virtual time does. It begins with a whole second, so that a program does the same in
            // every run.
            clock = clock.checked_next_multiple_of(SECOND).unwrap_or(clock);
            self.separate.clock_ahead = Some(clock.wrapping_sub(self.virtual_microseconds()));
        }
        clock
    }

    /// The clock by which processes sleep: that of the program in microseconds, or virtual time while there are processors.
    pub(crate) fn sleep_clock(&mut self) -> u64 {
        match self.separate.engine.is_some() {
            true => self.virtual_time(),
            false => self.clock(),
        }
    }

    /// Microseconds since 1970 by the calendar, UTC.
    pub(crate) fn calendar(&mut self) -> u64 {
        self.asked(Question::Clock, Value::NIL);
        if let Some(ahead) = self.separate.calendar_ahead {
            return ahead.wrapping_add(self.virtual_microseconds());
        }
        let mut calendar = match self.config.virtual_clock {
            true => VIRTUAL_START.saturating_add(self.clock()),
            false => {
                let now = self.world.host.calendar_microseconds();
                now.saturating_add(self.choices.clock_offset)
            }
        };
        if self.separate.engine.is_some() {
            calendar = calendar
                .checked_next_multiple_of(SECOND)
                .unwrap_or(calendar);
            self.separate.calendar_ahead = Some(calendar.wrapping_sub(self.virtual_microseconds()));
        }
        calendar
    }

    /// The seed of the run's next generator.
    pub(crate) fn next_seed(&mut self) -> u64 {
        self.asked(Question::Seed, Value::NIL);
        self.choices.next_seed(self.config.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::Vm;
    use crate::base::Config;

    #[test]
    fn virtual_time_goes_with_ticks_and_jumps_over_waits() {
        let config = Config {
            virtual_clock: true,
            ..Config::default()
        };
        let mut vm = Vm::new(config);
        let start = vm.clock();
        let date = vm.calendar();
        assert_eq!(date, 946_684_800_000_000 + start);
        vm.registers.ticks += 5;
        vm.choices.clock_offset += 1_000;
        assert_eq!(vm.clock(), start + 1_005);
        assert_eq!(vm.calendar(), date + 1_005);
        let mut copy = vm.fork(Box::<crate::world::MemoryHost>::default());
        assert_eq!(copy.clock(), start + 1_005);
        vm.choices.clock_offset = u64::MAX;
        assert_eq!(vm.clock(), u64::MAX);
    }
}
