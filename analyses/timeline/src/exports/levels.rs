//! Numbers that change in the course of time. How many processors run is known late: a processor reports what it executed when it
//! pauses. So changes are held until no earlier one can come.

use std::collections::{BTreeMap, BTreeSet};

use tally_vm::EventKind;

use crate::following::Lane;
use crate::measured::{Measured, Window};
use crate::states::State;

/// The most changes that are held. Only while a processor executes very long without a pause are there more; then the number can be
/// off for that time.
const MOST_CHANGES: usize = 1 << 20;

/// How many processors run.
#[derive(Debug, Default)]
pub(crate) struct Running {
    /// By moment: how many begin, less how many stop.
    changes: BTreeMap<u64, i64>,
    /// Processors that may have been running since this moment.
    ready: BTreeSet<(u64, u32)>,
    value: u64,
}

impl Running {
    /// The processor ran between these moments.
    pub(crate) fn ran(&mut self, from: u64, to: u64) {
        *self.changes.entry(from).or_default() += 1;
        *self.changes.entry(to).or_default() -= 1;
    }

    /// The lane may be running from here on, if it is ready.
    pub(crate) fn enter(&mut self, number: u32, lane: &Lane) {
        if lane.state == State::Ready {
            self.ready.insert((lane.since, number));
        }
    }

    /// The lane as it was before an event.
    pub(crate) fn leave(&mut self, number: u32, lane: &Lane) {
        if lane.state == State::Ready {
            self.ready.remove(&(lane.since, number));
        }
    }

    /// The next moment before `time` at which the number changes, and the number from there on.
    pub(crate) fn next(&mut self, time: u64) -> Option<(u64, u64)> {
        let since = self.ready.first().map_or(time, |(since, _)| *since);
        let known = match self.changes.len() > MOST_CHANGES {
            true => time,
            false => since.min(time),
        };
        while let Some(entry) = self.changes.first_entry()
            && *entry.key() < known
        {
            let (moment, change) = entry.remove_entry();
            if change != 0 {
                self.value = self.value.saturating_add_signed(change);
                return Some((moment, self.value));
            }
        }
        None
    }

    /// There are no more events.
    pub(crate) fn close(&mut self) {
        self.ready.clear();
    }
}

/// The lengths of the queues of processors.
#[derive(Debug, Default)]
pub(crate) struct Queues(Vec<u64>);

impl Queues {
    /// The queue of the supplier after an event of this kind, if it changes. The request is as it was before.
    pub(crate) fn event(&mut self, kind: EventKind, row: &Measured) -> Option<u64> {
        let is_waiting = row.synchronizes.is_none() && row.returns.is_none();
        match kind {
            EventKind::Called { .. } if row.called.is_none() => self.enters(row.supplier),
            EventKind::Synchronizes | EventKind::Cancelled
                if is_waiting && row.called.is_some() =>
            {
                self.leaves(row.supplier)
            }
            _ => None,
        }
    }

    /// One request more; answers how many there are. Processors that are not described have no queue.
    pub(crate) fn enters(&mut self, supplier: u32) -> Option<u64> {
        let length = self.0.get_mut(supplier as usize)?;
        *length += 1;
        Some(*length)
    }

    /// One request less.
    fn leaves(&mut self, supplier: u32) -> Option<u64> {
        let length = self.0.get_mut(supplier as usize)?;
        *length = length.checked_sub(1)?;
        Some(*length)
    }

    pub(crate) fn processor(&mut self) {
        self.0.push(0);
    }

    /// Those that are not empty.
    pub(crate) fn lengths(&self) -> Vec<(u32, u64)> {
        let numbered = (0..).zip(self.0.iter().copied());
        numbered.filter(|(_, length)| *length > 0).collect()
    }
}

/// The moment, moved into the window.
pub(crate) fn inside(window: Window, moment: u64) -> u64 {
    moment.clamp(window.from, window.to)
}

#[cfg(test)]
mod tests {
    use super::Running;
    use crate::following::Lane;
    use crate::states::State;

    /// Two run from 0 to 10 and from 4 to 6. The first reports it last.
    #[test]
    fn what_is_reported_late_counts_in_its_place() {
        let mut running = Running::default();
        let lane = Lane {
            state: State::Ready,
            ..Lane::default()
        };
        running.enter(0, &lane);
        running.ran(4, 6);
        assert_eq!(running.next(9), None, "the first lane may run since 0");
        running.leave(0, &lane);
        running.ran(0, 10);
        let mut seen = Vec::new();
        seen.extend(std::iter::from_fn(|| running.next(10)));
        assert_eq!(seen, [(0, 1), (4, 2), (6, 1)]);
        running.close();
        assert_eq!(running.next(u64::MAX), Some((10, 0)));
        assert_eq!(running.next(u64::MAX), None);
    }
}
