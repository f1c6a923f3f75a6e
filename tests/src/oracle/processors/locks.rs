//! R6 to R11: who holds what, who is granted what, and when a processor is free again.

use tally_vm::Recheck;

use super::agenda::Phase;
use super::record::What;
use super::state::{Claim, Doing, Lock, Planned, Queued, Request, Simulator, Stop, Task};

/// R11: a client that waits for a future is no member of the chain of its request, so what that chain sends it waits in its queue.
/// The machine serves it if the chain has locked the client: programs in which a future calls such a client are left out.
const CLIENTS_OF_FUTURES_ARE_JUDGED: bool = false;

impl Simulator<'_> {
    /// Whether a processor serves a request of this chain.
    fn is_member(&self, chain: usize, processor: usize) -> bool {
        let mut serving = self.processors[processor].serving.iter();
        serving.any(|request| self.requests[*request].chain == chain)
    }

    /// Whether the chain may use a processor without waiting for its lock: it locked it, or the processor belongs to it.
    pub(super) fn holds(&self, chain: usize, processor: usize) -> bool {
        let lock = self.processors[processor].lock;
        lock.is_some_and(|lock| lock.is_open && lock.chain == chain)
            || self.is_member(chain, processor)
    }

    /// Whether a processor waits for an answer within this chain, so that a request of the chain is a callback. It
    /// waits for a future within its own chain, not within that of the future's request.
    pub(super) fn is_waiting_member(&self, chain: usize, processor: usize) -> bool {
        let tasks = &self.processors[processor].tasks;
        tasks.iter().any(|task| match task {
            Task::Await(request) => self.requests[*request].sent_in == chain,
            _ => false,
        })
    }

    /// Notices that the request of a future, or one sent for it, calls the client that waits for it.
    pub(super) fn look_for_clients_of_futures(&mut self, chain: usize, supplier: usize) {
        let mut tasks = self.processors[supplier].tasks.iter();
        let is_client = tasks.any(|task| match task {
            Task::Await(request) => {
                let request = &self.requests[*request];
                request.chain == chain && request.sent_in != chain
            }
            _ => false,
        });
        if is_client && !CLIENTS_OF_FUTURES_ARE_JUDGED {
            self.stop = Some(Stop::Beyond("a future calls the client that waits for it"));
        }
    }

    /// The law of scopes: while a processor is locked, it serves only requests of the chain that locked it. Runs with
    /// callbacks for which no client waits are left out: their chains can end while requests that used their locks travel.
    pub(super) fn look_for_foreign(&mut self, me: usize, request: usize) {
        let request = &self.requests[request];
        let is_foreign = |lock: &Lock| lock.chain != request.sent_in;
        let is_bound = !request.is_callback && !self.has_detached;
        if is_bound && self.processors[me].lock.as_ref().is_some_and(is_foreign) {
            self.stop = Some(Stop::Broken("a foreign request is served inside a scope"));
        }
    }

    /// Enters the queue for locks.
    pub(super) fn claim(&mut self, processor: usize, claim: Claim) {
        let now = self.now();
        let claimant = &mut self.processors[processor];
        claimant.planned += 1;
        let count = claimant.planned;
        let key = (now, self.rank(processor, now), count);
        self.claims.insert(key, claim);
        self.agenda.plan_phase(Phase::Grant, Planned::Grant);
    }

    /// A scope keeps its place among the claims until it begins.
    pub(super) fn begin(&mut self, scope: usize) {
        self.withdraw(scope);
        self.end_approval(scope);
        self.scopes[scope].has_begun = true;
        let (owner, request) = (self.scopes[scope].owner, self.scopes[scope].request);
        self.note(owner, Some(request), What::Executes);
    }

    fn withdraw(&mut self, scope: usize) {
        self.claims.retain(|_, claim| match claim {
            Claim::Scope(other) => *other != scope,
            Claim::Single(_) => true,
        });
    }

    /// What has to change before a condition that was false is evaluated again.
    pub(super) fn unlocks_of(&self, wanted: &[usize]) -> Vec<u64> {
        let unlocked = |processor: &usize| self.processors[*processor].unlocked;
        match self.circumstances.recheck {
            Recheck::Touched => wanted.iter().map(unlocked).collect(),
            Recheck::Unlock => vec![self.unlocks],
        }
    }

    /// R6: the request and its unlock follow each other.
    pub(super) fn grant_single(&mut self, request: usize) {
        let Request {
            client,
            supplier,
            sent_in: chain,
            waits,
            ..
        } = self.requests[request];
        self.requests[request].is_single = true;
        self.processors[supplier].lock = Some(Lock {
            chain,
            is_open: waits,
        });
        let latency = self.circumstances.costs.latency;
        self.plan(latency, client, Planned::Arrive(request));
        self.plan(latency, client, Planned::Unlock(supplier));
    }

    pub(super) fn grant_scope(&mut self, scope: usize) {
        let (owner, request) = (self.scopes[scope].owner, self.scopes[scope].request);
        let chain = self.requests[request].chain;
        for processor in self.scopes[scope].wanted.clone() {
            self.processors[processor].lock = Some(Lock {
                chain,
                is_open: true,
            });
        }
        self.note(owner, Some(request), What::Granted);
        self.processors[owner].tasks.push(Task::Granted(scope));
        self.make_ready(owner);
    }

    /// R8: a false condition gives the locks back. That is no unlock.
    pub(super) fn give_back(&mut self, scope: usize) {
        let wanted = self.scopes[scope].wanted.clone();
        for processor in &wanted {
            self.processors[*processor].lock = None;
        }
        self.scopes[scope].seen = Some(self.unlocks_of(&wanted));
        self.end_approval(scope);
        self.processors[self.scopes[scope].owner].doing = Doing::WaitsForLocks;
        self.agenda.plan_phase(Phase::Grant, Planned::Grant);
    }

    /// R10: an unlock travels behind the calls of the scope.
    pub(super) fn close(&mut self, scope: usize) {
        // A failure in its condition leaves a scope that has not begun. Its execution is empty.
        if !self.scopes[scope].has_begun {
            self.withdraw(scope);
            self.end_approval(scope);
            let (owner, request) = (self.scopes[scope].owner, self.scopes[scope].request);
            self.note(owner, Some(request), What::Executes);
        }
        let owner = self.scopes[scope].owner;
        let latency = self.circumstances.costs.latency;
        for processor in self.scopes[scope].wanted.clone() {
            if let Some(lock) = &mut self.processors[processor].lock {
                lock.is_open = false;
            }
            self.plan(latency, owner, Planned::Unlock(processor));
        }
    }

    /// Takes the next request of a processor that serves none. Unlocks before it are served at once.
    pub(super) fn serve(&mut self, processor: usize) {
        while self.processors[processor].doing == Doing::Idle {
            let row = &mut self.processors[processor];
            let is_unlocked = matches!(row.queue.front(), Some(Queued::Unlock));
            if !is_unlocked && let Some(callback) = row.callbacks.pop_front() {
                if row.is_dirty {
                    self.stop = Some(Stop::Beyond("a callback behind a failed command"));
                }
                row.tasks.push(Task::Take(callback));
                self.make_ready(processor);
                return;
            }
            match row.queue.pop_front() {
                None => return,
                Some(Queued::Unlock) if self.circumstances.costs.unlock > 0 => {
                    self.processors[processor].tasks.push(Task::Unlock);
                    self.make_ready(processor);
                }
                Some(Queued::Unlock) => self.unlock(processor),
                Some(Queued::Request(request)) if row.is_dirty => self.cancel(processor, request),
                Some(Queued::Request(request)) => {
                    self.processors[processor].tasks.push(Task::Take(request));
                    self.make_ready(processor);
                }
            }
        }
    }

    /// The processor is free.
    pub(super) fn unlock(&mut self, processor: usize) {
        let row = &mut self.processors[processor];
        row.lock = None;
        row.unlocked += 1;
        self.unlocks += 1;
        self.has_failed |= std::mem::take(&mut row.is_dirty);
        self.note(processor, None, What::Unlocked);
        self.agenda.plan_phase(Phase::Grant, Planned::Grant);
    }
}
