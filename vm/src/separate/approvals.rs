//! Approvals: who gives locks to those that wait for them. The central scheduler approves one request at a time.

use super::causes::Carrier;
use super::engine::{Engine, ProcessorId, Turn};
use super::events::EventKind;
use super::grants::{Applicant, Waiting};
use super::happenings::Happening;
use super::processor::{Lock, State};
use super::simulation::{LockScheduler, Recheck};
use super::table::Processors;

/// What the central scheduler does.
#[derive(Clone, Debug)]
pub(super) enum Approval {
    /// It looks at this one. It has looked long enough at the next [`Happening::Approve`].
    Looks(Applicant),
    /// The condition of this client's scope with this serial is evaluated.
    Evaluates {
        client: ProcessorId,
        serial: u64,
        /// What the members of this chain want is granted meanwhile.
        chain: u32,
    },
}

impl Engine {
    /// Others that wait for locks may have theirs at this moment.
    pub(super) fn plan_grant(&mut self, origin: ProcessorId) {
        if !self.grants.is_empty() {
            self.plan(self.now, origin, Happening::Grant);
        }
    }

    /// Grants locks to the next that can have them.
    pub(super) fn grant(&mut self) -> Option<(ProcessorId, Turn)> {
        let next = match &self.approval {
            None => self.next_applicant(),
            Some(Approval::Looks(_)) => None,
            Some(Approval::Evaluates { chain, .. }) => self.next_of_chain(*chain),
        }?;
        let is_central = self.simulation.scheduler == LockScheduler::Central;
        if !is_central || self.approval.is_some() {
            return self.give_locks(next);
        }
        let time = self.now.saturating_add(self.simulation.costs.scheduler);
        let client = next.client;
        self.approval = Some(Approval::Looks(next));
        self.causes(|causes| causes.set(Carrier::Approval, Carrier::Next(client)));
        self.plan(time, client, Happening::Approve);
        None
    }

    fn next_applicant(&mut self) -> Option<Applicant> {
        let processors = &self.processors;
        let total = self.unlocks;
        let recheck = self.simulation.recheck;
        self.grants.next(
            |id| processors[id.0 as usize].lock.is_none(),
            |suppliers| unlocks_of(recheck, processors, suppliers, total),
        )
    }

    fn next_of_chain(&mut self, chain: u32) -> Option<Applicant> {
        self.grants.enter_unseen();
        let is_free = |id: &ProcessorId| self.processors[id.0 as usize].lock.is_none();
        let can_go_on = |one: &Applicant| {
            let seen = one.seen.as_ref();
            self.chain_of_applicant(one) == chain
                && seen.is_none_or(|seen| self.unlocks_of(&one.suppliers) != *seen)
                && one.suppliers.iter().all(is_free)
        };
        let found = self.grants.all().find(|(_, one)| can_go_on(one));
        let place = found.map(|(place, _)| place.clone())?;
        self.grants.take(&place)
    }

    fn chain_of_applicant(&self, one: &Applicant) -> u32 {
        match one.what {
            Waiting::Scope(_) => self.chain_of(one.client),
            Waiting::Request(request) => self.request(request).client_chain,
        }
    }

    /// The central scheduler has looked long enough at what it approves. A condition is a part of the approval.
    pub(super) fn approve(&mut self) -> Option<(ProcessorId, Turn)> {
        let Some(Approval::Looks(applicant)) = self.approval.take() else {
            return None;
        };
        let (client, what) = (applicant.client, applicant.what);
        let chain = self.chain_of_applicant(&applicant);
        if let Waiting::Scope(serial) = what
            && self
                .scope(client, serial)
                .is_some_and(|scope| scope.has_condition)
        {
            self.approval = Some(Approval::Evaluates {
                client,
                serial,
                chain,
            });
        }
        self.give_locks(applicant)
    }

    /// The condition of the client's scope with this serial was true, was false or has failed at this moment, or it is gone.
    pub(super) fn condition_ends(&mut self, id: ProcessorId, of_scope: u64, time: u64) {
        let is_it = |approval: &Approval| match *approval {
            Approval::Evaluates { client, serial, .. } => (client, serial) == (id, of_scope),
            Approval::Looks(_) => false,
        };
        if self.approval.as_ref().is_some_and(is_it) {
            self.causes(|causes| causes.set(Carrier::Approval, Carrier::Next(id)));
            self.plan(time, id, Happening::Approved);
        }
    }

    /// The central scheduler is free.
    pub(super) fn end_approval(&mut self) {
        if let Some(Approval::Evaluates { client, .. }) = self.approval {
            self.approval = None;
            self.plan_grant(client);
        }
    }

    fn give_locks(&mut self, granted: Applicant) -> Option<(ProcessorId, Turn)> {
        // Others may have theirs at the same moment.
        self.plan_grant(granted.client);
        let client = granted.client;
        let (chain, is_open) = match granted.what {
            Waiting::Scope(_) => (self.chain_of(client), true),
            Waiting::Request(request) => {
                let row = self.request(request);
                (row.chain, row.waits)
            }
        };
        let carrier = match granted.what {
            Waiting::Scope(_) => Carrier::Next(client),
            Waiting::Request(request) => Carrier::Request(request),
        };
        if self.simulation.scheduler == LockScheduler::Central {
            self.causes(|causes| causes.add(carrier, Carrier::Approval));
        }
        for &supplier in &granted.suppliers {
            self.causes(|causes| causes.add(carrier, Carrier::Lock(supplier)));
            self.processor(supplier).lock = Some(Lock {
                holder: client,
                chain,
                is_open,
                is_of_scope: matches!(granted.what, Waiting::Scope(_)),
            });
        }
        match granted.what {
            Waiting::Request(request) => {
                let row = self.request_mut(request);
                (row.waits_for_lock, row.is_single) = (false, true);
                if self.simulation.scheduler == LockScheduler::Central {
                    self.note(client, request, EventKind::Approved);
                }
                let arrival = self.arrival(self.now);
                self.plan(arrival, client, Happening::ArriveAlone(request));
                None
            }
            Waiting::Scope(serial) => {
                let scope = self.scope(client, serial)?;
                scope.is_held = true;
                let request = scope.request;
                self.note(client, request, EventKind::Granted);
                self.processor(client).state = State::Busy;
                self.need_cpu(client, Turn::Locked(serial))
            }
        }
    }

    /// What has to change before a condition is evaluated again that locks these suppliers.
    pub(super) fn unlocks_of(&self, suppliers: &[ProcessorId]) -> Vec<u64> {
        unlocks_of(
            self.simulation.recheck,
            &self.processors,
            suppliers,
            self.unlocks,
        )
    }
}

/// How often the suppliers, or by [`Recheck::Unlock`] all processors together, were unlocked.
fn unlocks_of(
    recheck: Recheck,
    processors: &Processors,
    suppliers: &[ProcessorId],
    total: u64,
) -> Vec<u64> {
    match recheck {
        Recheck::Touched => suppliers
            .iter()
            .map(|id| processors[id.0 as usize].unlocks)
            .collect(),
        Recheck::Unlock => vec![total],
    }
}
