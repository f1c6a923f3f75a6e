//! The processes that can run, in the order in which they will: by priority, longest waiting first. Who
//! of them runs is the scheduler's choice, not made here.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::process::ProcessId;

/// Highest priority first; among equals, those that came first.
type Place = (Reverse<i64>, i64);

/// Processes that can run, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadyQueue {
    order: BTreeMap<Place, ProcessId>,
    places: HashMap<ProcessId, Place>,
    next: i64,
    first: i64,
}

impl ReadyQueue {
    /// Adds a process behind all others of its priority.
    pub(crate) fn push(&mut self, id: ProcessId, priority: i64) {
        self.next += 1;
        self.put(id, (Reverse(priority), self.next));
    }

    /// Adds a process before all others of its priority.
    pub(crate) fn push_first(&mut self, id: ProcessId, priority: i64) {
        self.first -= 1;
        self.put(id, (Reverse(priority), self.first));
    }

    fn put(&mut self, id: ProcessId, place: Place) {
        self.remove(id);
        self.order.insert(place, id);
        self.places.insert(id, place);
    }

    /// Takes a process out, if it is there.
    pub(crate) fn remove(&mut self, id: ProcessId) {
        if let Some(place) = self.places.remove(&id) {
            self.order.remove(&place);
        }
    }

    /// Whether the process is there.
    pub(crate) fn contains(&self, id: ProcessId) -> bool {
        self.places.contains_key(&id)
    }

    /// Gives a process another priority; how long it has waited stays what it is.
    pub(crate) fn set_priority(&mut self, id: ProcessId, priority: i64) {
        if let Some(&(_, since)) = self.places.get(&id) {
            self.put(id, (Reverse(priority), since));
        }
    }

    /// The highest priority of any of them.
    pub(crate) fn highest_priority(&self) -> Option<i64> {
        let ((Reverse(priority), _), _) = self.order.first_key_value()?;
        Some(*priority)
    }

    /// Who has waited longest among those of the highest priority.
    pub(crate) fn longest_waiting(&self) -> Option<ProcessId> {
        self.order.first_key_value().map(|(_, &id)| id)
    }

    /// All of the highest priority, longest waiting first.
    pub(crate) fn of_highest_priority(&self) -> Vec<ProcessId> {
        let highest = self.highest_priority();
        let equals = self
            .order
            .iter()
            .take_while(|((Reverse(priority), _), _)| Some(*priority) == highest);
        equals.map(|(_, &id)| id).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priority_goes_before_patience() {
        let mut queue = ReadyQueue::default();
        for (number, priority) in [(1, 4), (2, 4), (3, 5), (4, 4)] {
            queue.push(ProcessId(number), priority);
        }
        queue.push_first(ProcessId(5), 4);
        assert_eq!(queue.longest_waiting(), Some(ProcessId(3)));
        queue.remove(ProcessId(3));
        assert_eq!(queue.of_highest_priority(), [5, 1, 2, 4].map(ProcessId));
        queue.set_priority(ProcessId(2), 6);
        assert_eq!(queue.highest_priority(), Some(6));
        queue.set_priority(ProcessId(2), 4);
        assert_eq!(queue.of_highest_priority(), [5, 1, 2, 4].map(ProcessId));
        assert!(queue.contains(ProcessId(2)) && !queue.contains(ProcessId(3)));
    }
}
