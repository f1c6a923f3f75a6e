//! Wakeup trees: beginnings of computations that are still to be executed from a state (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic
//! Partial Order Reduction, POPL 2014, section 6).

use crate::names::ActorId;

/// A message that arrives. Its name says which one it is, whatever happens elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) message: u32,
    pub(super) actor: ActorId,
    /// Whether the turn fails and so ends the run: then no other one is independent of it.
    pub(super) fails: bool,
}

impl Arrival {
    /// Whether the order of the two does not matter.
    pub(super) fn is_independent_of(&self, other: &Arrival) -> bool {
        self.actor != other.actor && !self.fails && !other.fails
    }

    /// Whether it can come first in a computation that begins with all of these: it is one of them and depends on none before it, or depends on none.
    pub(super) fn can_begin(&self, all: &[Arrival]) -> bool {
        let mut others = all.iter();
        others
            .find_map(|other| match other.message == self.message {
                true => Some(true),
                false => (!self.is_independent_of(other)).then_some(false),
            })
            .unwrap_or(true)
    }
}

/// An arrival, and what is to be executed behind it. Nothing stands for anything.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub(super) arrival: Arrival,
    pub(super) behind: Vec<Branch>,
}

impl Branch {
    pub(super) fn leaf(arrival: Arrival) -> Branch {
        Branch {
            arrival,
            behind: Vec::new(),
        }
    }

    fn chain(arrivals: &[Arrival]) -> Option<Branch> {
        let mut all = arrivals.iter().rev();
        let last = Branch::leaf(*all.next()?);
        Some(all.fold(last, |behind, arrival| Branch {
            arrival: *arrival,
            behind: vec![behind],
        }))
    }
}

impl Drop for Branch {
    /// Chains are as long as computations, so they are not dropped one inside the other.
    fn drop(&mut self) {
        let mut left = std::mem::take(&mut self.behind);
        while let Some(mut branch) = left.pop() {
            left.append(&mut branch.behind);
        }
    }
}

/// Adds a beginning, unless one of the branches leads to all that begins so.
pub(super) fn insert(mut branches: &mut Vec<Branch>, mut beginning: Vec<Arrival>) {
    loop {
        let mut all = branches.iter();
        let Some(place) = all.position(|one| one.arrival.can_begin(&beginning)) else {
            branches.extend(Branch::chain(&beginning));
            return;
        };
        let branch = &mut branches[place];
        beginning.retain(|one| one.message != branch.arrival.message);
        if branch.behind.is_empty() || beginning.is_empty() {
            return;
        }
        branches = &mut branch.behind;
    }
}
