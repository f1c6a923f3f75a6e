//! Processes that sleep until the clock reaches their time. When no other process can run, the machine waits for the
//! first sleeper. Otherwise it reads the clock now and then, at poll points.

use super::Vm;
use crate::base::ProcessId;
use crate::processes::{Sleeper, Status};
use crate::separate::Clock;

/// Ticks between two readings of a real clock while processes sleep.
const LOOK_EVERY: u64 = 10_000;

/// Microseconds in a millisecond.
const MILLISECOND: u64 = 1_000;

impl Vm {
    /// Lets the running process sleep; the caller has to switch.
    pub(crate) fn fall_asleep(&mut self, milliseconds: u64) {
        let units = match self.separate.engine.is_some() {
            true => self.units_in_microsecond(),
            false => 1,
        };
        let length = self.assumed_delay(milliseconds.saturating_mul(MILLISECOND * units));
        let wake = self.sleep_clock().saturating_add(length);
        self.processes.sleep_order += 1;
        self.processes.sleepers.push(Sleeper {
            wake,
            order: self.processes.sleep_order,
            process: self.running.id,
        });
        self.processes
            .sleepers
            .sort_by_key(|one| (one.wake, one.order));
        self.running.status = Status::Waiting;
        self.process_sleeps();
    }

    /// Makes the running processor's sleepers ready whose time has come.
    pub(crate) fn wake_sleepers(&mut self) {
        if self.processes.sleepers.is_empty() {
            return;
        }
        let now = self.sleep_clock();
        while let Some(&first) = self.processes.sleepers.first()
            && first.wake <= now
        {
            self.processes.sleepers.remove(0);
            self.wake(first.process);
        }
    }

    /// Ticks of virtual time until the running processor's first sleeper wakes.
    pub(crate) fn ticks_to_first_sleeper(&mut self) -> Option<u64> {
        let first = *self.processes.sleepers.first()?;
        Some(first.wake.saturating_sub(self.virtual_time()))
    }

    fn wake(&mut self, id: ProcessId) {
        self.process_wakes(id);
        if id == self.running.id && !self.running.ended {
            self.running.status = Status::Runnable;
            self.processes.ready.push(id, self.running.priority);
        } else if let Some(Some(process)) = self.processes.table.get_mut(id.0 as usize) {
            process.status = Status::Runnable;
            self.processes.ready.push(id, process.priority);
        }
    }

    /// Waits for the first sleeper, because no process can run. Answers whether there is a sleeper.
    pub(crate) fn wait_for_sleeper(&mut self) -> bool {
        let Some(&first) = self.processes.sleepers.first() else {
            return false;
        };
        let now = self.clock();
        if now < first.wake && !self.config.virtual_clock {
            let _ = self.world.host.flush();
            self.world
                .host
                .sleep((first.wake - now).div_ceil(MILLISECOND));
        }
        // A clock that stands still, or that ticks drive, is put forward.
        let now = self.clock();
        self.processes_rest(first.wake.saturating_sub(now));
        self.choices.clock_offset = self
            .choices
            .clock_offset
            .saturating_add(first.wake.saturating_sub(now));
        self.wake_sleepers();
        true
    }

    /// The tick at which a poll point has to read the clock, if processes sleep.
    pub(crate) fn next_look(&mut self) -> Option<u64> {
        let first = *self.processes.sleepers.first()?;
        let ticks = match self.config.virtual_clock {
            _ if self.separate.engine.is_some() => match self.separate.simulation.clock {
                Clock::Ticks if self.separate.stretch.is_none() => {
                    first.wake.saturating_sub(self.virtual_time())
                }
                // A tick can take any work, or any time.
                Clock::Ticks | Clock::Work => 0,
            },
            true => {
                let left = first.wake.saturating_sub(self.clock());
                left.div_ceil(self.config.virtual_tick.max(1))
            }
            false => LOOK_EVERY,
        };
        Some(self.registers.ticks.saturating_add(ticks))
    }
}
