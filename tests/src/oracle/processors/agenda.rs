//! What is to happen in virtual time, in the order of the design: time, phase, originating processor, its own counter.

use std::collections::BTreeMap;

use super::ranks::Rank;

/// The parts of a moment, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Arrivals, replies, unlocks, timers, and what a processor does.
    Deliver,
    /// Locks are granted.
    Grant,
    /// Slices end.
    Expire,
    /// CPUs are given away.
    Dispatch,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: u64,
    phase: Phase,
    origin: Option<Rank>,
    count: u64,
}

/// What is to happen.
#[derive(Clone, Debug)]
pub(super) struct Agenda<T> {
    items: BTreeMap<Key, T>,
    now: u64,
}

impl<T> Default for Agenda<T> {
    fn default() -> Agenda<T> {
        Agenda {
            items: BTreeMap::new(),
            now: 0,
        }
    }
}

impl<T> Agenda<T> {
    /// The present moment.
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Plans something that a processor causes. Its count orders what it plans for the same moment.
    pub(super) fn plan(&mut self, time: u64, phase: Phase, origin: Rank, count: u64, item: T) {
        let key = Key {
            time,
            phase,
            origin: Some(origin),
            count,
        };
        self.items.insert(key, item);
    }

    /// Plans a later phase of this moment, once.
    pub(super) fn plan_phase(&mut self, phase: Phase, item: T) {
        let key = Key {
            time: self.now,
            phase,
            origin: None,
            count: 0,
        };
        self.items.insert(key, item);
    }

    /// The next thing to happen; its moment becomes the present.
    pub(super) fn next(&mut self) -> Option<T> {
        let (key, item) = self.items.pop_first()?;
        self.now = key.time;
        Some(item)
    }
}
