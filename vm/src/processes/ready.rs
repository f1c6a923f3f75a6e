//! The processes that can run, in the order in which they will: by priority, longest waiting first. The scheduler
//! chooses one of them.

use std::collections::VecDeque;

use crate::base::ProcessId;

/// The position of a process: its priority and its number within the priority, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    priority: i64,
    number: i64,
}

/// The processes of one priority by their numbers. Some may have gone; the first has not.
#[derive(Clone, Debug)]
struct Level {
    priority: i64,
    entries: VecDeque<(i64, ProcessId)>,
    /// How many of them have gone.
    gone: usize,
}

/// Processes that can run, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadyQueue {
    /// The highest priority first. There are few priorities, so a level stays when it is empty.
    levels: Vec<Level>,
    /// By the numbers of processes.
    places: Vec<Option<Place>>,
    next: i64,
    first: i64,
}

impl ReadyQueue {
    /// Adds a process behind all others of its priority.
    pub(crate) fn push(&mut self, id: ProcessId, priority: i64) {
        self.next += 1;
        let number = self.next;
        self.put(id, Place { priority, number });
    }

    /// Adds a process before all others of its priority.
    pub(crate) fn push_first(&mut self, id: ProcessId, priority: i64) {
        self.first -= 1;
        let number = self.first;
        self.put(id, Place { priority, number });
    }

    fn put(&mut self, id: ProcessId, place: Place) {
        self.remove(id);
        let index = id.0 as usize;
        if index >= self.places.len() {
            self.places.resize(index + 1, None);
        }
        self.places[index] = Some(place);
        let level = self.level(place.priority);
        let (entry, entries) = ((place.number, id), &mut level.entries);
        if entries.back().is_none_or(|&(last, _)| last < place.number) {
            entries.push_back(entry);
            return;
        }
        let at = entries.partition_point(|&(number, _)| number < place.number);
        match entries.get(at) == Some(&entry) {
            // It had this priority before, and is still there.
            true => level.gone -= 1,
            false => entries.insert(at, entry),
        }
    }

    /// Where the level of a priority stands, or would stand.
    fn position(&self, priority: i64) -> usize {
        self.levels
            .partition_point(|level| level.priority > priority)
    }

    /// The level of a priority, made if there is none.
    fn level(&mut self, priority: i64) -> &mut Level {
        let at = self.position(priority);
        if self
            .levels
            .get(at)
            .is_none_or(|level| level.priority != priority)
        {
            let level = Level {
                priority,
                entries: VecDeque::new(),
                gone: 0,
            };
            self.levels.insert(at, level);
        }
        &mut self.levels[at]
    }

    /// Takes a process out, if it is there.
    pub(crate) fn remove(&mut self, id: ProcessId) {
        let place = self.places.get_mut(id.0 as usize).and_then(Option::take);
        let Some(Place { priority, number }) = place else {
            return;
        };
        let at = self.position(priority);
        let (level, places) = (&mut self.levels[at], &self.places);
        level.gone += 1;
        if level.entries.front() == Some(&(number, id)) {
            while let Some(&first) = level.entries.front()
                && !is_at(places, priority, first)
            {
                level.entries.pop_front();
                level.gone -= 1;
            }
        } else if level.gone * 2 > level.entries.len() {
            level
                .entries
                .retain(|&entry| is_at(places, priority, entry));
            level.gone = 0;
        }
    }

    /// Whether the process is there.
    pub(crate) fn contains(&self, id: ProcessId) -> bool {
        self.places.get(id.0 as usize).is_some_and(Option::is_some)
    }

    /// Changes a process's priority. Its waiting time stays.
    pub(crate) fn set_priority(&mut self, id: ProcessId, priority: i64) {
        if let Some(&Some(Place { number, .. })) = self.places.get(id.0 as usize) {
            self.put(id, Place { priority, number });
        }
    }

    /// The highest level with processes.
    fn highest(&self) -> Option<&Level> {
        self.levels.iter().find(|level| !level.entries.is_empty())
    }

    /// The highest priority of any of them.
    pub(crate) fn highest_priority(&self) -> Option<i64> {
        Some(self.highest()?.priority)
    }

    /// The process that has waited longest among those of the highest priority.
    pub(crate) fn longest_waiting(&self) -> Option<ProcessId> {
        let &(_, id) = self.highest()?.entries.front()?;
        Some(id)
    }

    /// All of the highest priority, longest waiting first.
    pub(crate) fn of_highest_priority(&self) -> Vec<ProcessId> {
        let Some(level) = self.highest() else {
            return Vec::new();
        };
        let entries = level.entries.iter();
        let here = entries.filter(|&&entry| is_at(&self.places, level.priority, entry));
        here.map(|&(_, id)| id).collect()
    }
}

/// Whether a process still stands where an entry of a level says.
fn is_at(places: &[Option<Place>], priority: i64, (number, id): (i64, ProcessId)) -> bool {
    places[id.0 as usize] == Some(Place { priority, number })
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

    #[test]
    fn processes_come_and_go_in_any_order() {
        let mut queue = ReadyQueue::default();
        let mut expected: Vec<(i64, i64, u32)> = Vec::new();
        let mut state = 1_u64;
        for step in 0..20_000_i64 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (id, priority) = ((state >> 33) as u32 % 50, (state >> 45) as i64 % 12);
            let old = expected.iter().position(|&(_, _, other)| other == id);
            assert_eq!(queue.contains(ProcessId(id)), old.is_some());
            match (state >> 60, old) {
                (0..4, _) => {
                    queue.push(ProcessId(id), priority);
                    old.map(|old| expected.remove(old));
                    expected.push((-priority, step, id));
                }
                (4..6, _) => {
                    queue.push_first(ProcessId(id), priority);
                    old.map(|old| expected.remove(old));
                    expected.push((-priority, -step, id));
                }
                (6..8, Some(old)) => {
                    queue.set_priority(ProcessId(id), priority);
                    expected[old].0 = -priority;
                }
                (8.., Some(old)) => {
                    queue.remove(ProcessId(id));
                    expected.remove(old);
                }
                _ => {}
            }
            expected.sort_unstable();
            let first = expected.first();
            assert_eq!(queue.highest_priority(), first.map(|first| -first.0));
            assert_eq!(
                queue.longest_waiting(),
                first.map(|first| ProcessId(first.2))
            );
            let equals = expected
                .iter()
                .filter(|one| Some(one.0) == first.map(|first| first.0));
            let equals: Vec<ProcessId> = equals.map(|one| ProcessId(one.2)).collect();
            assert_eq!(queue.of_highest_priority(), equals);
        }
    }
}
