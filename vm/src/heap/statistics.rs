//! Figures of the collector: number, time and size of collections. They inform people and are no part of the counting
//! model. They differ from run to run, so no code decides by them.

use std::time::{Duration, Instant};

/// Steps of the histogram for each doubling of a pause.
const STEPS: u32 = 16;
/// Doublings, from a nanosecond to half a minute.
const DOUBLINGS: u32 = 35;

/// The pauses of collections of one kind.
#[derive(Clone, Debug)]
pub struct Pauses {
    count: u64,
    total: Duration,
    longest: Duration,
    histogram: Box<[u32]>,
}

impl Default for Pauses {
    fn default() -> Pauses {
        Pauses {
            count: 0,
            total: Duration::ZERO,
            longest: Duration::ZERO,
            histogram: vec![0; (STEPS * DOUBLINGS) as usize].into(),
        }
    }
}

impl Pauses {
    /// Adds the pause that began then and ends now.
    pub(crate) fn note(&mut self, begin: Instant) {
        self.add(begin.elapsed());
    }

    fn add(&mut self, pause: Duration) {
        self.count += 1;
        self.total += pause;
        self.longest = self.longest.max(pause);
        let last = self.histogram.len() - 1;
        self.histogram[step_of(pause).min(last)] += 1;
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// All of them together.
    pub fn total(&self) -> Duration {
        self.total
    }

    /// The longest.
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// The middle one, within a sixteenth of its length.
    pub fn median(&self) -> Duration {
        let mut below = 0;
        for (step, &count) in self.histogram.iter().enumerate() {
            below += u64::from(count);
            if below * 2 >= self.count && below > 0 {
                return start_of(step + 1).min(self.longest);
            }
        }
        Duration::ZERO
    }
}

/// The histogram's step in which a pause lies.
fn step_of(pause: Duration) -> usize {
    let nanoseconds = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX).max(1);
    let doubling = nanoseconds.ilog2();
    let part = ((u128::from(nanoseconds) * u128::from(STEPS)) >> doubling) as u32 - STEPS;
    (doubling * STEPS + part) as usize
}

/// The shortest pause of a step.
fn start_of(step: usize) -> Duration {
    let (doubling, part) = (step as u32 / STEPS, step as u32 % STEPS);
    let nanoseconds = (u128::from(STEPS + part) << doubling) / u128::from(STEPS);
    Duration::from_nanos(nanoseconds as u64)
}

/// The collector's work in a run.
#[derive(Clone, Debug, Default)]
pub struct CollectorStatistics {
    /// Collections of the nursery. Every full collection begins with one, which is included.
    pub minor: Pauses,
    /// Collections of everything.
    pub full: Pauses,
    /// Words that left the nursery for the old space.
    pub words_promoted: u64,
    /// Words that moved within the old space.
    pub words_moved: u64,
    /// The most bytes that objects, the nursery and the collector's tables took together.
    pub peak_bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lies_in_its_step() {
        for nanoseconds in [1, 2, 15, 16, 17, 999, 1_000_000, 123_456_789] {
            let pause = Duration::from_nanos(nanoseconds);
            let step = step_of(pause);
            assert!(
                start_of(step) <= pause && pause <= start_of(step + 1),
                "{pause:?}"
            );
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let mut pauses = Pauses::default();
        assert_eq!(pauses.median(), Duration::ZERO);
        for milliseconds in [1, 2, 40] {
            pauses.add(Duration::from_millis(milliseconds));
        }
        let median = pauses.median().as_secs_f64();
        assert!((0.0019..0.0025).contains(&median), "{median}");
        assert_eq!(pauses.longest(), Duration::from_millis(40));
    }
}
