//! Scopes that later requests overtake: while a scope waits for its locks or for its condition, others that came later get one of
//! these locks. Differences saturate, because events of a damaged trace contradict themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::names::FeatureId;

/// A scope that has waited for locks, or still does.
#[derive(Clone, Debug)]
struct Scope {
    /// Its place in the order of all that waited for locks.
    ordinal: u64,
    feature: FeatureId,
    /// For each lock: the supplier, later ones that got it so far, and the count of its queue when the scope entered that.
    locks: Vec<(u32, u64, u64)>,
}

/// The scopes that wait for a lock. Later ones that got it are counted at the last scope that they overtook.
#[derive(Clone, Debug, Default)]
struct Queue {
    waiting: BTreeSet<u64>,
    passed: BTreeMap<u64, u64>,
    total: u64,
}

impl Queue {
    /// The waiting scope that came last before this one.
    fn before(&self, ordinal: u64) -> Option<u64> {
        self.waiting.range(..ordinal).next_back().copied()
    }

    /// One with this place in the order got the lock.
    fn passes(&mut self, ordinal: u64) {
        if let Some(before) = self.before(ordinal) {
            *self.passed.entry(before).or_default() += 1;
            self.total += 1;
        }
    }

    /// It gives the lock back, since its condition was false. Meanwhile none has left the queue.
    fn comes_back(&mut self, ordinal: u64) {
        if let Some(before) = self.before(ordinal) {
            let passed = self.passed.entry(before).or_default();
            *passed = passed.saturating_sub(1);
            self.total = self.total.saturating_sub(1);
        }
        self.waiting.insert(ordinal);
    }

    /// Later ones that got the lock, as far as they are still counted.
    fn overtook(&self, ordinal: u64) -> u64 {
        let earlier: u64 = self.passed.range(..ordinal).map(|(_, count)| count).sum();
        self.total.saturating_sub(earlier)
    }

    /// The scope waits no longer. What is counted at it goes to the one before.
    fn leaves(&mut self, ordinal: u64) {
        self.waiting.remove(&ordinal);
        let Some(count) = self.passed.remove(&ordinal) else {
            return;
        };
        match self.before(ordinal) {
            Some(before) => *self.passed.entry(before).or_default() += count,
            None => self.total = self.total.saturating_sub(count),
        }
    }
}

/// Counts overtakings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overtakings {
    last: u64,
    /// The scope that each processor waits with, or waited with last.
    scopes: HashMap<u32, Scope>,
    queues: HashMap<u32, Queue>,
    /// The most of each feature, of scopes that got their locks.
    most: BTreeMap<FeatureId, u64>,
}

impl Overtakings {
    /// The next place in the order.
    pub(crate) fn ordinal(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// A scope of the processor begins to wait.
    pub(crate) fn begins(&mut self, processor: u32, feature: FeatureId) {
        let scope = Scope {
            ordinal: self.ordinal(),
            feature,
            locks: Vec::new(),
        };
        self.scopes.insert(processor, scope);
    }

    /// It waits for this lock.
    pub(crate) fn wants(&mut self, processor: u32, supplier: u32) {
        if let Some(scope) = self.scopes.get_mut(&processor) {
            let queue = self.queues.entry(supplier).or_default();
            queue.waiting.insert(scope.ordinal);
            scope
                .locks
                .push((supplier, 0, queue.overtook(scope.ordinal)));
        }
    }

    /// Its condition was false: it waits again, in its old place.
    pub(crate) fn returns_to_wait(&mut self, processor: u32) {
        if let Some(scope) = self.scopes.get_mut(&processor) {
            for (supplier, _, base) in &mut scope.locks {
                let queue = self.queues.entry(*supplier).or_default();
                queue.comes_back(scope.ordinal);
                *base = queue.overtook(scope.ordinal);
            }
        }
    }

    /// It has its locks.
    pub(crate) fn granted(&mut self, processor: u32) {
        let Some(scope) = self.scopes.get_mut(&processor) else {
            return;
        };
        for (supplier, count, base) in &mut scope.locks {
            let queue = self.queues.entry(*supplier).or_default();
            *count += queue.overtook(scope.ordinal).saturating_sub(*base);
            queue.leaves(scope.ordinal);
            queue.passes(scope.ordinal);
        }
        let counts = scope.locks.iter().map(|(_, count, _)| *count);
        let most = self.most.entry(scope.feature).or_default();
        *most = counts.max().unwrap_or(0).max(*most);
    }

    /// A request outside of scopes has the lock. One that began before the segment has no place in the order.
    pub(crate) fn passes(&mut self, supplier: u32, ordinal: u64) {
        if let Some(queue) = self.queues.get_mut(&supplier) {
            queue.passes(ordinal);
        }
    }

    /// The most by feature: later requests that got one lock of a scope first. Scopes that still wait are included.
    pub(crate) fn finish(mut self) -> BTreeMap<FeatureId, u64> {
        for scope in self.scopes.values() {
            let now = |(supplier, count, base): &(u32, u64, u64)| {
                let queue = self.queues.get(supplier);
                let queue = queue.filter(|queue| queue.waiting.contains(&scope.ordinal));
                queue.map_or(*count, |queue| {
                    let since = queue.overtook(scope.ordinal).saturating_sub(*base);
                    count + since
                })
            };
            let count = scope.locks.iter().map(now).max().unwrap_or(0);
            let most = self.most.entry(scope.feature).or_default();
            *most = count.max(*most);
        }
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::Overtakings;
    use crate::names::FeatureId;

    /// The processor's scope of a feature of the same number waits for these locks.
    fn waits(all: &mut Overtakings, processor: u32, suppliers: &[u32]) {
        all.begins(processor, FeatureId(processor));
        suppliers.iter().for_each(|one| all.wants(processor, *one));
    }

    fn counts(all: Overtakings) -> Vec<u64> {
        all.finish().into_values().collect()
    }

    #[test]
    fn those_that_go_in_turn_overtake_none() {
        let mut all = Overtakings::default();
        (0..3).for_each(|one| waits(&mut all, one, &[9]));
        (0..3).for_each(|one| all.granted(one));
        assert_eq!(counts(all), [0, 0, 0]);
    }

    #[test]
    fn the_lock_that_later_ones_got_most_often_counts() {
        let mut all = Overtakings::default();
        waits(&mut all, 0, &[8, 9]);
        for _ in 0..2 {
            waits(&mut all, 1, &[9]);
            all.granted(1);
        }
        waits(&mut all, 2, &[8, 9]);
        all.granted(2);
        let ordinal = all.ordinal();
        all.passes(9, ordinal);
        all.granted(0);
        // One had both locks, two had 9 alone, and a request outside of scopes had it too.
        assert_eq!(counts(all), [4, 0, 0]);
    }

    #[test]
    fn a_false_condition_keeps_the_place_and_the_count() {
        let mut all = Overtakings::default();
        waits(&mut all, 0, &[9]);
        waits(&mut all, 1, &[9]);
        // Neither condition is true; two later ones get the lock in between.
        for one in [0, 1] {
            all.granted(one);
            all.returns_to_wait(one);
        }
        waits(&mut all, 2, &[9]);
        all.granted(2);
        all.granted(0);
        all.returns_to_wait(0);
        // The first of them comes to its end before the one before it.
        all.granted(1);
        waits(&mut all, 3, &[9]);
        all.granted(3);
        // 0 was overtaken by 2, by 1 in the end, and by 3. A false evaluation overtakes none. 0 still waits.
        assert_eq!(counts(all), [3, 1, 0, 0]);
    }
}
