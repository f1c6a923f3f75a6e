//! Which steps of a run depend on which, and which pairs of them could change their order.

use hashbrown::HashMap;

use super::{Step, Thread};

/// The order that the steps of a run must have.
pub(super) struct Races {
    /// For each step, how many steps of each thread must come before it or are it.
    clocks: Vec<HashMap<Thread, u32>>,
    /// For each step, its number among the steps of its thread, from 1.
    ordinals: Vec<u32>,
    threads: Vec<Thread>,
    /// Pairs of steps of different threads that depend on each other at once.
    pairs: Vec<(usize, usize)>,
}

/// The last steps that have touched a thing.
#[derive(Default)]
struct Touches {
    change: Option<usize>,
    /// Since then, of each thread.
    reads: HashMap<Thread, usize>,
}

impl Races {
    pub(super) fn of(steps: &[Step]) -> Races {
        let mut races = Races {
            clocks: Vec::new(),
            ordinals: Vec::new(),
            threads: steps.iter().map(|step| step.thread).collect(),
            pairs: Vec::new(),
        };
        let mut last_of_thread: HashMap<Thread, usize> = HashMap::new();
        let mut touches: HashMap<u32, Touches> = HashMap::new();
        for (place, step) in steps.iter().enumerate() {
            let own = last_of_thread.insert(step.thread, place);
            let footprint = &step.footprint;
            let follows = footprint.follows.iter().map(|one| *one as usize);
            let mut before: Vec<(usize, bool)> = follows
                .filter(|one| *one < place)
                .chain(own)
                .map(|one| (one, false))
                .collect();
            for thing in &footprint.reads {
                let of_thing = touches.entry(*thing).or_default();
                before.extend(of_thing.change.map(|one| (one, true)));
                of_thing.reads.insert(step.thread, place);
            }
            for thing in &footprint.changes {
                let of_thing = touches.entry(*thing).or_default();
                before.extend(of_thing.change.map(|one| (one, true)));
                before.extend(of_thing.reads.values().map(|one| (*one, true)));
                of_thing.reads.clear();
                of_thing.change = Some(place);
            }
            before.sort_unstable();
            races.add(step, own, &before);
        }
        races
    }

    /// Adds a step behind these, from which it follows or with which it competes.
    fn add(&mut self, step: &Step, own: Option<usize>, before: &[(usize, bool)]) {
        let (place, thread) = (self.clocks.len(), step.thread);
        let ordinal = own.map_or(1, |own| self.ordinals[own] + 1);
        let mut clock: HashMap<Thread, u32> = HashMap::new();
        for &(one, _) in before {
            for (thread, count) in &self.clocks[one] {
                let known = clock.entry(*thread).or_default();
                *known = (*known).max(*count);
            }
        }
        for &(one, competes) in before {
            let is_between = before
                .iter()
                .any(|(other, _)| *other != one && self.is_before(one, *other));
            let is_race = !is_between || step.footprint.can_be_held_off;
            let is_known = self.pairs.last() == Some(&(one, place));
            if competes && self.threads[one] != thread && is_race && !is_known {
                self.pairs.push((one, place));
            }
        }
        clock.insert(thread, ordinal);
        self.clocks.push(clock);
        self.ordinals.push(ordinal);
    }

    /// Whether the first step must come before the second one.
    fn is_before(&self, one: usize, other: usize) -> bool {
        let count = self.clocks[other].get(&self.threads[one]);
        one < other && count.is_some_and(|count| *count >= self.ordinals[one])
    }

    /// Pairs of steps that depend on each other, with nothing between them that depends on both.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        self.pairs.iter().copied()
    }

    /// The threads that can begin what comes between the two steps without the first one, followed by the second one.
    pub(super) fn initials(&self, steps: &[Step], early: usize, late: usize) -> Vec<Thread> {
        let between = (early + 1..late).filter(|place| !self.is_before(early, *place));
        let all: Vec<usize> = between.chain([late]).collect();
        let mut initials: Vec<Thread> = Vec::new();
        for (number, place) in all.iter().enumerate() {
            let is_first = !all[..number]
                .iter()
                .any(|before| self.is_before(*before, *place));
            let thread = steps[*place].thread;
            if is_first && !initials.contains(&thread) {
                initials.push(thread);
            }
        }
        initials
    }
}
