//! Who waits for whom: what stands still at the end of a run, and circles as soon as they are closed.

use super::engine::{Engine, ProcessorId, RequestId, SCRIPT};
use super::processor::State;

/// Links that are followed in search of a circle.
const MOST_LINKS: usize = 64;

/// What a processor waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The answer of the request.
    Answer(RequestId),
    /// The locks of these processors.
    Locks(Vec<ProcessorId>),
    /// A condition that was false. It is evaluated again when one of these processors was unlocked.
    Condition(Vec<ProcessorId>),
    /// A signal of one of its semaphores.
    Signal,
    /// The lock that its next requests need.
    Service,
}

impl Engine {
    /// All processors that are not idle, and what they wait for.
    pub(crate) fn stuck(&self) -> Vec<(ProcessorId, Need)> {
        let all = (0..self.processors.len() as u32).map(ProcessorId);
        all.filter_map(|id| Some((id, self.need(id)?))).collect()
    }

    /// What the processor waits for; nothing if it is idle or can go on.
    fn need(&self, id: ProcessorId) -> Option<Need> {
        let processor = &self.processors[id.0 as usize];
        match processor.state {
            State::Waiting => processor.work.awaited.last().map(|one| Need::Answer(*one)),
            State::Locking => self.grants.of_client(id).map(|applicant| {
                let suppliers = applicant.suppliers.clone();
                match applicant.has_failed() {
                    true => Need::Condition(suppliers),
                    false => Need::Locks(suppliers),
                }
            }),
            State::Resting => Some(Need::Signal),
            State::Idle if !processor.work.queue.is_empty() => Some(Need::Service),
            State::Idle | State::Busy | State::Settling => None,
        }
    }

    /// The processor that holds the other one's lock, and has not given it back yet.
    pub(crate) fn holder(&self, id: ProcessorId) -> Option<ProcessorId> {
        self.processors[id.0 as usize].lock.map(|lock| lock.holder)
    }

    /// The processor whose scope holds the other one's lock; nothing if a single call does.
    pub(crate) fn holder_of_scope(&self, id: ProcessorId) -> Option<ProcessorId> {
        let lock = self.processors[id.0 as usize].lock;
        lock.filter(|lock| lock.is_of_scope).map(|lock| lock.holder)
    }

    /// The request that the processor serves; nothing if it serves none, or executes the script.
    pub(crate) fn served(&self, id: ProcessorId) -> Option<RequestId> {
        let stack = self.processors[id.0 as usize].work.stack.iter();
        let mut served = stack.filter(|one| **one != SCRIPT && !self.request(**one).is_local);
        served.next().copied()
    }

    /// The processor that has to go on before this one can; nothing if it may go on by itself.
    fn obstacle(&self, id: ProcessorId) -> Option<ProcessorId> {
        match self.need(id)? {
            Need::Answer(request) => {
                let row = self.request(request);
                match row.waits_for_lock {
                    true => self.obstacle_of_lock(row.supplier),
                    // A callback is served by a processor that waits.
                    false if row.is_callback => None,
                    false => Some(row.supplier),
                }
            }
            Need::Locks(suppliers) => {
                let mut taken = suppliers.iter().copied();
                taken.find_map(|supplier| self.obstacle_of_lock(supplier))
            }
            Need::Condition(_) | Need::Signal | Need::Service => None,
        }
    }

    /// Who has to go on before the processor's lock is free: its holder, or itself if the unlock is under way to it.
    fn obstacle_of_lock(&self, id: ProcessorId) -> Option<ProcessorId> {
        let lock = self.processors[id.0 as usize].lock?;
        Some(match lock.is_open && lock.is_of_scope {
            true => lock.holder,
            false => id,
        })
    }

    /// The processors that wait for each other in a circle, beginning with this one; empty if it stands in none.
    pub(crate) fn circle(&self, id: ProcessorId) -> Vec<ProcessorId> {
        let mut circle = vec![id];
        while circle.len() <= MOST_LINKS
            && let Some(last) = circle.last()
            && let Some(next) = self.obstacle(*last)
        {
            if next == id {
                return circle;
            }
            if circle.contains(&next) {
                break;
            }
            circle.push(next);
        }
        Vec::new()
    }

    /// Notes a circle that the processor has just closed.
    pub(super) fn look_for_circle(&mut self, id: ProcessorId) {
        let circle = self.circle(id);
        if !circle.is_empty() {
            self.circles.push(circle);
        }
    }
}
