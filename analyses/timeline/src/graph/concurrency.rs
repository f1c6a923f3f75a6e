//! Normalized processor time: what features execute, where each moment counts as its part among the processors that execute then.

use std::collections::BTreeMap;

use super::{Passes, Stretch, Weigher};
use crate::measured::Window;
use crate::names::FeatureId;

/// The most stretches of execution that are kept.
const MOST_STRETCHES: usize = 1 << 21;

/// What is executed, in stretches.
#[derive(Debug)]
pub(crate) struct Concurrency {
    window: Window,
    stretches: Vec<(u64, u64, FeatureId)>,
    /// Whether there were too many.
    is_full: bool,
}

impl Concurrency {
    /// In a part of virtual time.
    pub(crate) fn new(window: Window) -> Concurrency {
        Concurrency {
            window,
            stretches: Vec::new(),
            is_full: false,
        }
    }

    /// The normalized processor time of each feature that executes, in ticks. None if there is too much of it.
    pub(crate) fn times(&self) -> Option<BTreeMap<FeatureId, f64>> {
        if self.is_full {
            return None;
        }
        let moments = self.moments();
        let until = |moment: u64| {
            let at = moments.partition_point(|(time, _)| *time < moment);
            moments.get(at).map_or(0.0, |(_, passed)| *passed)
        };
        let mut times: BTreeMap<FeatureId, f64> = BTreeMap::new();
        for (from, to, feature) in &self.stretches {
            *times.entry(*feature).or_default() += until(*to) - until(*from);
        }
        Some(times)
    }

    /// The moments at which another number of processors executes, and how much of its part a processor has had up to then that executed
    /// all the time.
    fn moments(&self) -> Vec<(u64, f64)> {
        let mut changes: BTreeMap<u64, i64> = BTreeMap::new();
        for (from, to, _) in &self.stretches {
            *changes.entry(*from).or_default() += 1;
            *changes.entry(*to).or_default() -= 1;
        }
        let (mut active, mut passed, mut last) = (0, 0.0, 0);
        let moment = |(time, change): (u64, i64)| {
            if active > 0 {
                passed += (time - last) as f64 / active as f64;
            }
            active += change;
            last = time;
            (time, passed)
        };
        changes.into_iter().map(moment).collect()
    }
}

impl Weigher for Concurrency {
    /// No way is followed.
    type Value = ();

    fn begin(&mut self) {}

    fn after(&mut self, (): &(), stretch: Stretch) {
        let until = stretch.from.saturating_add(stretch.ticks);
        let (from, to) = (
            stretch.from.max(self.window.from),
            until.min(self.window.to),
        );
        let (Passes::Running, Some(feature), true) = (stretch.passes, stretch.feature, from < to)
        else {
            return;
        };
        self.is_full |= self.stretches.len() >= MOST_STRETCHES;
        if !self.is_full {
            self.stretches.push((from, to, feature));
        }
    }

    fn both(&mut self, (): &(), (): &(), _is_other: bool) {}
}
