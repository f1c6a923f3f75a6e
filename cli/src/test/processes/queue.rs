//! The tests that wait for a worker. Tests that need the same resources belong to the worker that got the first of them.

use std::collections::{BTreeMap, VecDeque};

use tally_workbench::testing::pool::Work;

/// The tests that wait for a worker.
pub(super) struct Queue<'w> {
    work: &'w Work<'w>,
    /// Those that no worker has, as places in the order, by the resources that they need. A test without resources can go
    /// anywhere.
    groups: BTreeMap<&'w str, Group>,
    /// How many there are.
    left: usize,
}

#[derive(Default)]
struct Group {
    /// Ascending.
    places: VecDeque<usize>,
    /// The worker that made the resources, if there are some and they are made.
    owner: Option<usize>,
}

impl<'w> Queue<'w> {
    pub(super) fn new(work: &'w Work<'w>) -> Queue<'w> {
        let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
        for (place, &index) in work.order.iter().enumerate() {
            let group = groups.entry(&work.tests[index].resources).or_default();
            group.places.push_back(place);
        }
        Queue {
            work,
            groups,
            left: work.order.len(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// The first test that a worker may run; its index.
    pub(super) fn take(&mut self, worker: usize) -> Option<usize> {
        let groups = self.groups.iter_mut();
        let open = groups.filter(|(_, group)| group.owner.is_none_or(|owner| owner == worker));
        let first = open.filter_map(|(resources, group)| {
            let place = *group.places.front()?;
            Some((place, resources, group))
        });
        let (place, resources, group) = first.min_by_key(|&(place, ..)| place)?;
        group.places.pop_front();
        if !resources.is_empty() {
            group.owner = Some(worker);
        }
        self.left -= 1;
        self.work.order.get(place).copied()
    }

    /// Takes back what a worker did not come to, in its order.
    pub(super) fn put_back(&mut self, worker: usize, indices: VecDeque<usize>) {
        for index in indices.into_iter().rev() {
            let resources = self.work.tests[index].resources.as_str();
            let place = self.work.order.iter().position(|&other| other == index);
            if let (Some(group), Some(place)) = (self.groups.get_mut(resources), place) {
                group.places.push_front(place);
                self.left += 1;
            }
        }
        // Another worker has to make the resources again in any case.
        self.give_up(worker);
    }

    /// Lets others have what belongs to a worker that is gone.
    pub(super) fn give_up(&mut self, worker: usize) {
        for group in self.groups.values_mut() {
            if group.owner == Some(worker) {
                group.owner = None;
            }
        }
    }
}
