//! Who gives locks. The central scheduler approves one request at a time, the condition included.

use tally_vm::LockScheduler;

use super::agenda::Phase;
use super::ranks::Rank;
use super::state::{Approval, Claim, Planned, Simulator};

type Place = (u64, Rank, u64);

impl Simulator<'_> {
    /// Grants, in the order of the claims, what can be granted.
    pub(super) fn grant(&mut self) {
        let waiting: Vec<_> = self.claims.iter().map(|(k, c)| (k.clone(), *c)).collect();
        let is_central = self.circumstances.scheduler == LockScheduler::Central;
        for (place, claim) in waiting {
            if !self.can_have(claim) {
                continue;
            }
            match self.approval {
                None if !is_central => self.give(&place, claim),
                None => {
                    self.approval = Some(Approval::Looks(claim));
                    let delay = self.circumstances.costs.scheduler;
                    let origin = self.claimant(claim);
                    return self.plan(delay, origin, Planned::Approve);
                }
                Some(Approval::Looks(_)) => return,
                Some(Approval::Evaluates(scope)) => {
                    let chain = self.requests[self.scopes[scope].request].chain;
                    if self.chain_of_claim(claim) == chain {
                        self.give(&place, claim);
                    }
                }
            }
        }
    }

    /// The scheduler has looked at the claim for long enough.
    pub(super) fn approve(&mut self) {
        let Some(Approval::Looks(claim)) = self.approval.take() else {
            return;
        };
        if let Claim::Scope(scope) = claim
            && self.condition(scope).is_some()
        {
            self.approval = Some(Approval::Evaluates(scope));
        }
        let place = self.claims.iter().find(|(_, other)| **other == claim);
        if let Some(place) = place.map(|(place, _)| place.clone()) {
            self.give(&place, claim);
        }
        self.agenda.plan_phase(Phase::Grant, Planned::Grant);
    }

    /// The condition of the scope was evaluated, or has failed.
    pub(super) fn end_approval(&mut self, of: usize) {
        if let Some(Approval::Evaluates(scope)) = self.approval
            && scope == of
        {
            self.approval = None;
            self.agenda.plan_phase(Phase::Grant, Planned::Grant);
        }
    }

    fn can_have(&self, claim: Claim) -> bool {
        let wanted = self.wanted(claim);
        let is_free = |processor: &usize| self.processors[*processor].lock.is_none();
        if !wanted.iter().all(is_free) {
            return false;
        }
        match claim {
            Claim::Single(_) => true,
            Claim::Scope(scope) => {
                let seen = self.scopes[scope].seen.as_ref();
                seen.is_none_or(|seen| *seen != self.unlocks_of(&wanted))
            }
        }
    }

    fn give(&mut self, place: &Place, claim: Claim) {
        match claim {
            Claim::Single(request) => {
                self.claims.remove(place);
                self.grant_single(request);
            }
            Claim::Scope(scope) => self.grant_scope(scope),
        }
    }

    fn wanted(&self, claim: Claim) -> Vec<usize> {
        match claim {
            Claim::Scope(scope) => self.scopes[scope].wanted.clone(),
            Claim::Single(request) => vec![self.requests[request].supplier],
        }
    }

    fn claimant(&self, claim: Claim) -> usize {
        match claim {
            Claim::Scope(scope) => self.scopes[scope].owner,
            Claim::Single(request) => self.requests[request].client,
        }
    }

    fn chain_of_claim(&self, claim: Claim) -> usize {
        match claim {
            Claim::Scope(scope) => self.requests[self.scopes[scope].request].chain,
            Claim::Single(request) => self.requests[request].sent_in,
        }
    }
}
