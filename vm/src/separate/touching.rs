//! What steps of a guided run touch: the locks that they want or give back, what processors wait for, and what all see.

use std::sync::PoisonError;

use super::engine::{Engine, Intent, ProcessorId, ROOT};
use super::guided::{Guided, Timing, Touched, Wish};
use super::happenings::Happening;
use super::scopes::Scope;
use super::simulation::{LockScheduler, Recheck};

/// Locks that are wanted.
struct LockWish {
    suppliers: Vec<ProcessorId>,
    /// Whether the client does not wait for them.
    goes_on: bool,
    has_condition: bool,
}

impl Engine {
    /// Whether it wants locks that are not free, and wants them when they are.
    pub(super) fn is_held_off(&self, guided: &Guided, happening: Happening) -> bool {
        let wish = self.wish(happening);
        wish.is_some_and(|wish| {
            !self.are_free(&wish.suppliers) && self.can_be_held_off(guided, &wish)
        })
    }

    /// The locks that are wanted then, if any are.
    fn wish(&self, happening: Happening) -> Option<LockWish> {
        match happening {
            Happening::Queue(request) => Some(LockWish {
                suppliers: vec![self.request(request).supplier],
                goes_on: !self.request(request).waits,
                has_condition: false,
            }),
            Happening::Interact(id) => {
                let Some(Intent::Lock(serial)) = self.processors[id.0 as usize].work.intent else {
                    return None;
                };
                let scope = self.scope_of(id, serial)?;
                Some(LockWish {
                    suppliers: scope.suppliers.clone(),
                    goes_on: false,
                    has_condition: scope.has_condition,
                })
            }
            _ => None,
        }
    }

    fn are_free(&self, suppliers: &[ProcessorId]) -> bool {
        let mut suppliers = suppliers.iter();
        suppliers.all(|id| self.processors[id.0 as usize].lock.is_none())
    }

    /// Whether the locks are wanted when they are free, and not before. Then nothing that happens before that can make a difference.
    fn can_be_held_off(&self, guided: &Guided, wish: &LockWish) -> bool {
        let simulation = &self.simulation;
        if wish.goes_on
            || wish.has_condition
            || guided.is_loose
            || guided.timing == Timing::Exact
            || simulation.recheck == Recheck::Unlock
            || simulation.scheduler == LockScheduler::Central
        {
            return false;
        }
        let paths = wish.suppliers.iter();
        let paths: Vec<_> = paths
            .map(|id| self.processors[id.0 as usize].path.parts())
            .collect();
        let guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
        guide.holds_off(&paths)
    }

    fn touch_by_wish(&self, guided: &mut Guided, wish: &LockWish) {
        let can_be_held_off = self.can_be_held_off(guided, wish);
        guided.can_be_held_off |= can_be_held_off;
        // Who never gets its locks competes with those that have them, and not with others like it.
        let changes = !can_be_held_off || self.are_free(&wish.suppliers);
        for id in &wish.suppliers {
            guided.touch(Touched::Lock, *id, changes);
            if !can_be_held_off && (wish.suppliers.len() > 1 || wish.has_condition) {
                guided.touch(Touched::Return, *id, true);
            }
            let path = self.processors[id.0 as usize].path.parts();
            let mut guide = guided.guide.lock().unwrap_or_else(PoisonError::into_inner);
            if wish.goes_on || wish.has_condition {
                guide.wants(&path, Wish::InTime);
            }
            if wish.suppliers.len() > 1 {
                guide.wants(&path, Wish::Combined);
            }
        }
    }

    /// What the step touches because of this happening in it.
    pub(super) fn touch_by_happening(&self, guided: &mut Guided, happening: Happening) {
        if let Some(wish) = self.wish(happening) {
            self.touch_by_wish(guided, &wish);
        }
        match happening {
            Happening::Arrive(request) => {
                let row = self.request(request);
                if row.is_callback {
                    guided.touch(Touched::Waiting, row.supplier, true);
                }
            }
            Happening::Reply(request) => {
                guided.touch(Touched::Waiting, self.request(request).client, false);
            }
            Happening::Close(id) => guided.touch(Touched::Lock, id, true),
            Happening::Unlock(id) if guided.is_loose => guided.touch(Touched::Lock, id, true),
            Happening::Interact(id) | Happening::CatchUp(id) => self.touch_by_intent(guided, id),
            Happening::Approve | Happening::Approved => guided.touch(Touched::Shared, ROOT, true),
            _ => {}
        }
    }

    fn scope_of(&self, id: ProcessorId, serial: u64) -> Option<&Scope> {
        let mut scopes = self.processors[id.0 as usize].work.scopes.iter();
        scopes.find(|scope| scope.serial == serial)
    }

    /// The processors that the processor's scope with this serial locks.
    pub(super) fn wanted(&self, id: ProcessorId, serial: u64) -> Vec<ProcessorId> {
        let scope = self.scope_of(id, serial);
        scope.map_or(Vec::new(), |scope| scope.suppliers.clone())
    }

    fn touch_by_intent(&self, guided: &mut Guided, id: ProcessorId) {
        match self.processors[id.0 as usize].work.intent {
            Some(Intent::Retry(serial)) => {
                for supplier in self.wanted(id, serial) {
                    guided.touch(Touched::Lock, supplier, true);
                }
            }
            Some(Intent::Look) => {
                guided.shows = Some(id);
                guided.touch(Touched::Shared, ROOT, true);
            }
            // Where members of a chain run at the same time, the order decides what a request is to its chain.
            Some(Intent::Call(request) | Intent::Send(request) | Intent::SendAhead(request))
                if guided.is_loose =>
            {
                let supplier = self.request(request).supplier;
                guided.touch(Touched::Lock, supplier, true);
                guided.touch(Touched::Waiting, supplier, true);
            }
            Some(Intent::Finish(_)) if guided.is_loose => guided.touch(Touched::Lock, id, true),
            _ => {}
        }
    }

    /// The lock of the processor comes back. When it does matters to those that want it together with others, or for a condition. If one of these
    /// waits, the order with those that want these other locks decides who gets them.
    pub(super) fn touch_lock(&mut self, id: ProcessorId) {
        let Some(mut guided) = self.guided.take() else {
            return;
        };
        if self.simulation.recheck == Recheck::Unlock {
            guided.touch(Touched::Shared, ROOT, true);
        }
        guided.touch(Touched::Return, id, false);
        for applicant in self.grants.of_supplier(id) {
            if applicant.suppliers.len() > 1 || applicant.has_failed() {
                let wish = LockWish {
                    suppliers: applicant.suppliers.clone(),
                    goes_on: false,
                    has_condition: applicant.has_failed(),
                };
                if !self.can_be_held_off(&guided, &wish) {
                    for supplier in &wish.suppliers {
                        guided.touch(Touched::Lock, *supplier, true);
                    }
                }
            }
        }
        self.guided = Some(guided);
    }
}
