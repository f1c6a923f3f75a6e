//! The points at which a run could go another way: the next process and its time slice, the time, the seeds of random
//! numbers. Two runs with the same input and the same choices are the same.

mod scheduler;

use crate::base::{ProcessId, split_mix};
use crate::processes::ReadyQueue;

pub use scheduler::{Replay, RoundRobin, Scheduler, Shuffle};

/// One more than the greatest seed; the period of the generator that the library uses.
const SEED_PERIOD: u64 = 2_147_483_646;

/// The makers of a machine's choices, and their progress.
pub(crate) struct Choices {
    pub(crate) scheduler: Box<dyn Scheduler>,
    /// Microseconds by which the clock was put forward while every process slept.
    pub(crate) clock_offset: u64,
    /// Seeds that were given out.
    seeds: i64,
}

impl Default for Choices {
    fn default() -> Choices {
        Choices {
            scheduler: Box::<RoundRobin>::default(),
            clock_offset: 0,
            seeds: 0,
        }
    }
}

impl Choices {
    /// The choices of a copy of the machine, which go on from here.
    pub(crate) fn fork(&self) -> Choices {
        let Choices {
            scheduler,
            clock_offset,
            seeds,
        } = self;
        Choices {
            scheduler: scheduler.clone_box(),
            clock_offset: *clock_offset,
            seeds: *seeds,
        }
    }

    /// The process to run next; `None` if none is ready.
    pub(crate) fn next_process(&mut self, ready: &ReadyQueue) -> Option<ProcessId> {
        let first = ready.longest_waiting()?;
        if self.scheduler.takes_first() {
            return Some(first);
        }
        let candidates = ready.of_highest_priority();
        let choice = self.scheduler.choose(&candidates) % candidates.len();
        Some(candidates[choice])
    }

    /// The tick at which the time slice ends that begins now, if it ends.
    pub(crate) fn slice_end(&mut self, now: u64) -> Option<u64> {
        let ticks = self.scheduler.slice()?;
        Some(now.saturating_add(ticks))
    }

    /// The seed of the next generator of a run with this seed.
    pub(crate) fn next_seed(&mut self, run: i64) -> u64 {
        let seed = seed(run, self.seeds);
        self.seeds = self.seeds.wrapping_add(1);
        seed
    }
}

/// The seed of a run's generator with this number. Neighbours differ.
fn seed(run: i64, number: i64) -> u64 {
    split_mix(run as u64, number as u64) % SEED_PERIOD + 1
}

#[cfg(test)]
mod tests {
    use super::seed;

    #[test]
    fn seeds_depend_on_the_runs_seed() {
        assert_eq!(seed(1, 5), seed(1, 5));
        assert_ne!(seed(1, 5), seed(2, 5));
    }
}
