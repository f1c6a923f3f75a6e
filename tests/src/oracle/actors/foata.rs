//! Computations counted a second time: every schedule by brute force, each brought into Foata's normal form.

use std::collections::{BTreeMap, BTreeSet};

use super::language::Program;
use super::state::{Delivery, EventName, State};

/// An event is known by the event that sent its message, the message's number there, and the event before it on its
/// lifeline. Numbers stand for events; 0 is the script.
type Label = (usize, u32, usize);

/// The sets of events of each level: no event of a level depends on another, each depends on one of the level before.
type Normal = Vec<BTreeSet<usize>>;

struct Count<'p> {
    program: &'p Program,
    delivery: Delivery,
    labels: BTreeMap<Label, usize>,
    complete: BTreeSet<Normal>,
    failed: BTreeSet<Normal>,
    schedules: u128,
    /// How many nodes may still be visited.
    left: usize,
}

/// The numbers of complete and of failed computations, and of schedules, unless the tree of schedules has more than `limit` nodes.
pub fn count(program: &Program, delivery: Delivery, limit: usize) -> Option<(usize, usize, u128)> {
    let mut count = Count {
        program,
        delivery,
        labels: BTreeMap::new(),
        complete: BTreeSet::new(),
        failed: BTreeSet::new(),
        schedules: 0,
        left: limit,
    };
    let schedule = Schedule::default();
    count.descend(&State::start(program), &schedule)?;
    Some((count.complete.len(), count.failed.len(), count.schedules))
}

/// The numbers and levels of the events of a schedule, and the last event of each lifeline.
#[derive(Clone, Default)]
struct Schedule {
    events: BTreeMap<EventName, (usize, usize)>,
    normal: Normal,
}

impl Count<'_> {
    fn descend(&mut self, state: &State, schedule: &Schedule) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        if state.failure.is_some() {
            self.failed.insert(schedule.normal.clone());
            self.schedules += 1;
        } else if state.pending.is_empty() {
            self.complete.insert(schedule.normal.clone());
            self.schedules += 1;
        }
        for choice in state.choices(self.delivery) {
            let (next, event) = state.realise(self.program, choice);
            let mut longer = schedule.clone();
            let number_and_level = |place: &EventName| schedule.events.get(place).copied();
            let sender = number_and_level(&event.sender).unwrap_or((0, 0));
            let before = (event.place.0.clone(), event.place.1 - 1);
            let before = number_and_level(&before).unwrap_or((0, 0));
            let fresh = self.labels.len() + 1;
            let label = (sender.0, event.nth, before.0);
            let number = *self.labels.entry(label).or_insert(fresh);
            let level = sender.1.max(before.1);
            if longer.normal.len() == level {
                longer.normal.push(BTreeSet::new());
            }
            longer.normal[level].insert(number);
            longer.events.insert(event.place, (number, level + 1));
            self.descend(&next, &longer)?;
        }
        Some(())
    }
}
