//! What is to happen, in the order in which it happens: by time, phase, originating processor, and that processor's own
//! number. Nothing in that order depends on the order of work on the host.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::engine::{ProcessorId, RequestId};
use super::ties::Rank;

/// What happens at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Happening {
    /// A request reaches its supplier.
    Arrive(RequestId),
    /// A request reaches its supplier, which it has locked for itself alone.
    ArriveAlone(RequestId),
    /// A request that waits for its supplier's lock begins to wait.
    Queue(RequestId),
    /// The chain that holds the processor's lock may not call it any more: an unlock marker is on its way.
    Close(ProcessorId),
    /// An unlock marker reaches the processor.
    Unlock(ProcessorId),
    /// An answer reaches the client of the request.
    Reply(RequestId),
    /// The moment has come up to which the processor ran ahead.
    Interact(ProcessorId),
    /// The others have caught up with the processor, which does nothing that they could see.
    CatchUp(ProcessorId),
    /// The processor looks for its next request.
    Serve(ProcessorId),
    /// A delay of the processor is over.
    Awake(ProcessorId),
    /// Locks are given out.
    Grant,
    /// The processor gives up its CPU if it still waits for locks.
    Pause(ProcessorId),
    /// The slice of the processor is over, and it gives its CPU up if another one waits for it.
    Expire(ProcessorId),
    /// CPUs are given out, if there is a number of them.
    Dispatch,
    /// The processor takes a CPU of its own, if there is any number of them.
    Take(ProcessorId),
    /// The processor's CPU has been switched to it.
    Switched(ProcessorId),
    /// The processor has been charged for its unlock.
    Unlocked(ProcessorId),
    /// The central scheduler has approved the request that it looked at.
    Approve,
    /// The central scheduler is free for another request.
    Approved,
}

/// The phase of what processors do ahead of the others, without an interaction.
pub(super) const AHEAD: u8 = 0;

/// The phase of a happening at its moment: what processors did ahead of the others comes first. What arrives comes before locks
/// are granted. Who gets a lock at once keeps its CPU. Then CPUs are given.
fn phase(happening: Happening) -> u8 {
    match happening {
        Happening::CatchUp(_) => AHEAD,
        Happening::Grant => 2,
        Happening::Pause(_) => 3,
        Happening::Expire(_) => 4,
        Happening::Dispatch | Happening::Take(_) => 5,
        _ => 1,
    }
}

/// The place of a happening in the order. None of its parts depends on how far processors run ahead.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) time: u64,
    pub(super) phase: u8,
    pub(super) origin: Rank,
    number: Number,
}

/// The number of a happening among those of its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Number {
    /// Among those that the engine plans.
    Engine(u64),
    /// Among those that follow from what the processor executes.
    Own(u64),
}

/// Something that is still to happen, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: Key,
    pub(super) happening: Happening,
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// Everything that is still to happen.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    /// The first of all, if it is known. Most happenings are taken out soon after they were noted, and never enter the heap.
    first: Option<Entry>,
    others: BinaryHeap<Reverse<Entry>>,
}

impl Agenda {
    /// Notes a happening with the rank and the own number of the processor that it comes from.
    pub(super) fn push(&mut self, time: u64, origin: Rank, number: Number, happening: Happening) {
        let key = Key {
            time,
            phase: phase(happening),
            origin,
            number,
        };
        let entry = Entry { key, happening };
        match &self.first {
            Some(first) if entry < *first => {
                self.others.extend(self.first.replace(entry).map(Reverse))
            }
            None if self.others.peek().is_none_or(|other| entry < other.0) => {
                self.first = Some(entry)
            }
            _ => self.others.push(Reverse(entry)),
        }
    }

    /// Whether nothing is left to happen.
    pub(super) fn is_empty(&self) -> bool {
        self.first.is_none() && self.others.is_empty()
    }

    /// Everything that is still to happen, in no order.
    pub(super) fn all(&self) -> Vec<Entry> {
        let others = self.others.iter().map(|entry| &entry.0);
        self.first.iter().chain(others).cloned().collect()
    }

    /// Takes out an entry, out of its turn.
    pub(super) fn remove(&mut self, entry: &Entry) {
        if self.first.as_ref() == Some(entry) {
            self.first = None;
        } else {
            self.others.retain(|other| other.0 != *entry);
        }
    }

    /// Takes out what happens next, and its place.
    pub(super) fn pop(&mut self) -> Option<(Key, Happening)> {
        let first = self.first.take();
        let Entry { key, happening } = first.or_else(|| Some(self.others.pop()?.0))?;
        Some((key, happening))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{Agenda, Happening, Number};
    use crate::separate::engine::ProcessorId;
    use crate::separate::paths::Path;
    use crate::separate::simulation::Ties;

    #[test]
    fn time_comes_first_then_the_phase_then_the_path() {
        let mut agenda = Agenda::default();
        let paths = [Arc::from([]), Arc::from([2]), Arc::from([10, 1])].map(Path::new);
        let [root, second, tenth] = [0, 1, 2].map(|number| Ties::Lower.rank(&paths[number], 7));
        let serve = |number| Happening::Serve(ProcessorId(number));
        agenda.push(7, root, Number::Engine(0), Happening::Grant);
        agenda.push(7, tenth.clone(), Number::Own(0), serve(10));
        agenda.push(7, second.clone(), Number::Own(0), serve(3));
        agenda.push(7, second, Number::Engine(1), serve(2));
        agenda.push(3, tenth, Number::Engine(5), Happening::Dispatch);
        let all: Vec<_> = std::iter::from_fn(|| agenda.pop())
            .map(|(key, happening)| (key.time, happening))
            .collect();
        let expected = [
            (3, Happening::Dispatch),
            (7, serve(2)),
            (7, serve(3)),
            (7, serve(10)),
            (7, Happening::Grant),
        ];
        assert_eq!(all, expected);
    }
}
