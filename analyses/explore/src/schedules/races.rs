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

/// Why a step comes behind an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Relation {
    /// It follows from that.
    Follows,
    /// It competes with that for a thing.
    Competes,
    /// It competes for a thing by which it is held off.
    HeldOff,
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
        let semaphores = Semaphores::of(steps);
        let mut needs = vec![Vec::new(); steps.len()];
        loop {
            let races = Races::with(steps, &needs);
            let more = semaphores.needs(&races, steps.len());
            if more == needs {
                return races;
            }
            needs = more;
        }
    }

    /// The order, where each step also needs these earlier ones.
    fn with(steps: &[Step], needs: &[Vec<usize>]) -> Races {
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
            let needed = needs[place].iter().copied();
            let mut before: Vec<(usize, Relation)> = follows
                .filter(|one| *one < place)
                .chain(own)
                .chain(needed)
                .map(|one| (one, Relation::Follows))
                .collect();
            for thing in &footprint.reads {
                let of_thing = touches.entry(*thing).or_default();
                before.extend(of_thing.change.map(|one| (one, Relation::Competes)));
                of_thing.reads.insert(step.thread, place);
            }
            for thing in &footprint.changes {
                let of_thing = touches.entry(*thing).or_default();
                let relation = match footprint.held_off_by.contains(thing) {
                    true => Relation::HeldOff,
                    false => Relation::Competes,
                };
                before.extend(of_thing.change.map(|one| (one, relation)));
                before.extend(of_thing.reads.values().map(|one| (*one, relation)));
                of_thing.reads.clear();
                of_thing.change = Some(place);
            }
            before.sort_unstable();
            races.add(step, own, &before);
        }
        races
    }

    /// Adds a step behind these, from which it follows or with which it competes.
    fn add(&mut self, step: &Step, own: Option<usize>, before: &[(usize, Relation)]) {
        let (place, thread) = (self.clocks.len(), step.thread);
        let ordinal = own.map_or(1, |own| self.ordinals[own] + 1);
        let mut clock: HashMap<Thread, u32> = HashMap::new();
        for &(one, _) in before {
            for (thread, count) in &self.clocks[one] {
                let known = clock.entry(*thread).or_default();
                *known = (*known).max(*count);
            }
        }
        for &(one, relation) in before {
            let mut others = before.iter();
            let is_race = match relation {
                Relation::Follows => false,
                Relation::HeldOff => true,
                Relation::Competes => !others.any(|&(other, other_relation)| match other == one {
                    true => other_relation == Relation::Follows,
                    false => self.is_before(one, other),
                }),
            };
            let is_known = self.pairs.last() == Some(&(one, place));
            if is_race && self.threads[one] != thread && !is_known {
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

    /// What comes between the two steps without the first one, followed by the second one.
    fn without(&self, early: usize, late: usize) -> Vec<usize> {
        let between = (early + 1..late).filter(|place| !self.is_before(early, *place));
        between.chain([late]).collect()
    }

    /// The threads that can begin what comes between the two steps without the first one, followed by the second one.
    pub(super) fn initials(&self, steps: &[Step], early: usize, late: usize) -> Vec<Thread> {
        let all = self.without(early, late);
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

    /// Whether that takes a signal of a semaphore that a still later step gives one, which needs the first step not either.
    pub(super) fn is_given_later(&self, steps: &[Step], early: usize, late: usize) -> bool {
        let all = self.without(early, late);
        let takes = all.iter().flat_map(|place| &steps[*place].footprint.takes);
        let taken: Vec<u32> = takes.map(|(thing, _)| *thing).collect();
        let mut later = (late + 1..steps.len()).filter(|place| !self.is_before(early, *place));
        later.any(|place| {
            let mut signals = steps[place].footprint.signals.iter();
            signals.any(|thing| taken.contains(thing))
        })
    }
}

/// Which steps signal semaphores, and which take signals.
struct Semaphores(HashMap<u32, Semaphore>);

#[derive(Default)]
struct Semaphore {
    /// Signals that were there at the beginning.
    begin: i64,
    signals: Vec<usize>,
    takes: Vec<usize>,
}

impl Semaphores {
    fn of(steps: &[Step]) -> Semaphores {
        let mut all: HashMap<u32, Semaphore> = HashMap::new();
        for (place, step) in steps.iter().enumerate() {
            for (thing, begin) in &step.footprint.takes {
                let semaphore = all.entry(*thing).or_default();
                semaphore.begin = *begin;
                semaphore.takes.push(place);
            }
            for thing in &step.footprint.signals {
                all.entry(*thing).or_default().signals.push(place);
            }
        }
        Semaphores(all)
    }

    /// For each step, the signals without which it could not take one. Another signal can take the place of one, unless it follows from that or from the step
    /// itself. All that took a signal before did so before in each order of the trace.
    fn needs(&self, races: &Races, steps: usize) -> Vec<Vec<usize>> {
        let mut needs = vec![Vec::new(); steps];
        for semaphore in self.0.values() {
            for (number, take) in (1..).zip(&semaphore.takes) {
                let needed = number - semaphore.begin;
                if needed <= 0 {
                    continue;
                }
                let signals = semaphore.signals.iter().copied();
                let possible: Vec<usize> = signals
                    .filter(|signal| signal != take && !races.is_before(*take, *signal))
                    .collect();
                let earlier = possible.iter().copied().filter(|signal| signal < take);
                needs[*take].extend(earlier.filter(|signal| {
                    let others = possible
                        .iter()
                        .filter(|other| *other != signal && !races.is_before(*signal, **other));
                    (others.count() as i64) < needed
                }));
            }
        }
        needs.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        needs
    }
}
