//! Every computation as a set of events: breadth first over such sets.

use std::collections::BTreeMap;

use super::costs::Machine;
use super::language::Program;
use super::state::{Delivery, Ending, Event, Outputs, State};

/// The computations of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computations {
    /// How many sets of events there are, with those of unfinished computations.
    pub prefixes: usize,
    /// How many computations end with no message pending.
    pub complete: usize,
    /// How many sets of events end with a failure.
    pub failed: usize,
    /// How many orders of events lead to an end of either kind.
    pub schedules: u128,
    /// How many orders of events lead to a failure.
    pub failing_schedules: u128,
    /// How many nodes the tree has if no states are merged.
    pub nodes: u128,
    /// The computations and the schedules that lead to each result.
    pub by_result: BTreeMap<Outputs, (usize, u128)>,
    /// The computations and the schedules with each ending, Work and Depth. Failed ones count too.
    pub by_ending: BTreeMap<(Ending, u64, u64), (usize, u128)>,
    /// The least and the greatest Work of complete computations.
    pub work: Option<(u64, u64)>,
    /// The least and the greatest Depth of complete computations.
    pub depth: Option<(u64, u64)>,
}

/// The events done: their numbers, in increasing order.
type Done = Vec<usize>;

/// The computations, unless there are more than `limit` sets of events.
pub fn computations(
    program: &Program,
    delivery: Delivery,
    machine: &Machine,
    limit: usize,
) -> Option<Computations> {
    let mut found = Computations::default();
    let mut numbers: BTreeMap<Event, usize> = BTreeMap::new();
    let mut events: Vec<Event> = Vec::new();
    let mut level = BTreeMap::from([(Done::new(), (State::start(program), 1))]);
    while !level.is_empty() {
        let mut next: BTreeMap<Done, (State, u128)> = BTreeMap::new();
        for (done, (state, paths)) in level {
            found.prefixes += 1;
            found.nodes += paths;
            if let Some(ending) = state.ending() {
                let events = done.iter().map(|number| &events[*number]);
                found.end(ending, paths, machine.costs(events));
                continue;
            }
            for choice in state.choices(delivery) {
                let (after, event) = state.realise(program, choice);
                let number = *numbers.entry(event).or_insert_with_key(|event| {
                    events.push(event.clone());
                    events.len() - 1
                });
                let mut longer = done.clone();
                longer.insert(done.partition_point(|earlier| *earlier < number), number);
                next.entry(longer).or_insert((after, 0)).1 += paths;
            }
            if found.prefixes + next.len() > limit {
                return None;
            }
        }
        level = next;
    }
    Some(found)
}

impl Computations {
    fn end(&mut self, ending: Ending, paths: u128, (work, depth): (u64, u64)) {
        self.schedules += paths;
        if ending.1.is_some() {
            self.failed += 1;
            self.failing_schedules += paths;
        } else {
            self.complete += 1;
            let reached = self.by_result.entry(ending.0.clone()).or_default();
            reached.0 += 1;
            reached.1 += paths;
            widen(&mut self.work, work);
            widen(&mut self.depth, depth);
        }
        let reached = self.by_ending.entry((ending, work, depth)).or_default();
        reached.0 += 1;
        reached.1 += paths;
    }
}

fn widen(range: &mut Option<(u64, u64)>, value: u64) {
    let (least, greatest) = range.unwrap_or((value, value));
    *range = Some((least.min(value), greatest.max(value)));
}
