//! Scopes: the locks of a method's separate arguments, held together for an activation.

use super::causes::Carrier;
use super::engine::{Engine, ProcessorId, RequestId, Turn};
use super::events::EventKind;
use super::grants::{Applicant, Waiting};
use super::happenings::Happening;
use super::processor::{Lock, State};
use super::requests::{Message, Request};
use super::ties::Rank;
use crate::base::{ClassId, ProcessId, Value};

/// The locks of an activation.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// The serial of the frame's mark.
    pub(crate) serial: u64,
    /// The processors that it locked, without those that its chain held before.
    pub(crate) suppliers: Vec<ProcessorId>,
    /// The request that it is a part of.
    pub(super) request: RequestId,
    /// Since when it has waited for them.
    pub(super) since: u64,
    /// Its number among all that have wanted locks.
    pub(super) arrival: u64,
    /// Whether its locks are held.
    pub(super) is_held: bool,
    /// Whether its method begins with a condition.
    pub(super) has_condition: bool,
    /// The block of its condition while it waits to be evaluated again, else nil.
    pub(crate) condition: Value,
}

impl Engine {
    /// An activation of a method with `<separate>` that no request began is a request of the processor to itself. The
    /// process executes it from this moment on.
    pub(crate) fn begin_local(
        &mut self,
        id: ProcessorId,
        message: (ClassId, Message),
        process: ProcessId,
        time: u64,
    ) {
        let mut request = Request::new(id, id, message);
        request.is_local = true;
        request.synchronizes = true;
        request.process = Some(process);
        let request = self.add(id, request);
        self.processor(id).work.stack.push(request);
        self.note_at(time, id, request, EventKind::Synchronizes);
    }

    /// Opens a scope of the processor with these suppliers; answers whether it needs locks. Own processors and those that
    /// its chain holds need none.
    pub(crate) fn open_scope(
        &mut self,
        id: ProcessorId,
        (serial, has_condition): (u64, bool),
        suppliers: &[ProcessorId],
        time: u64,
    ) -> bool {
        let request = self.innermost(id);
        let is_loose = self.is_chain_loose(id);
        let mut wanted: Vec<ProcessorId> = Vec::new();
        for &supplier in suppliers {
            let is_needed = supplier != id && (is_loose || !self.holds(id, supplier));
            if is_needed && !wanted.contains(&supplier) {
                wanted.push(supplier);
            }
        }
        let needs_locks = !wanted.is_empty();
        self.processor(id).work.scopes.push(Scope {
            serial,
            suppliers: wanted,
            since: time,
            arrival: 0,
            is_held: !needs_locks,
            request,
            has_condition,
            condition: Value::NIL,
        });
        needs_locks
    }

    /// The processor's scope with this serial.
    pub(crate) fn scope(&mut self, id: ProcessorId, serial: u64) -> Option<&mut Scope> {
        let mut scopes = self.processor(id).work.scopes.iter_mut().rev();
        scopes.find(|scope| scope.serial == serial)
    }

    /// The request that the processor's scope with this serial is a part of.
    pub(crate) fn request_of_scope(&mut self, id: ProcessorId, serial: u64) -> Option<RequestId> {
        self.scope(id, serial).map(|scope| scope.request)
    }

    /// The requests that the processor's open scopes are parts of, the outermost first.
    pub(crate) fn requests_of_scopes(&self, id: ProcessorId) -> impl Iterator<Item = RequestId> {
        let scopes = self.processors[id.0 as usize].work.scopes.iter();
        scopes.map(|scope| scope.request)
    }

    /// Closes the scope of the frame with this mark at this moment: unlock markers follow the calls.
    pub(crate) fn close_scope(&mut self, id: ProcessorId, serial: u64, time: u64) {
        let scopes = &mut self.processor(id).work.scopes;
        let Some(at) = scopes.iter().rposition(|scope| scope.serial == serial) else {
            return;
        };
        let scope = scopes.remove(at);
        self.condition_ends(id, serial, time);
        if self.request(scope.request).is_local {
            self.executes(id, scope.request, time);
            self.note_at(time, id, scope.request, EventKind::Returns);
            self.processor(id)
                .work
                .stack
                .retain(|one| *one != scope.request);
            self.release_at(scope.request, time);
        }
        if !scope.is_held {
            return;
        }
        let is_loose = self.is_chain_loose(id);
        for supplier in scope.suppliers {
            match is_loose {
                true => self.plan_own(time, id, Happening::Close(supplier)),
                false => self.close_lock(supplier),
            }
            self.causes(|causes| causes.send_marker(id, supplier));
            self.plan_own(self.arrival(time), id, Happening::Unlock(supplier));
        }
    }

    /// Whether the processor evaluates a condition, or serves a request for one.
    pub(crate) fn is_in_condition(&self, id: ProcessorId) -> bool {
        let request = self.request(self.innermost(id));
        request.synchronizes || request.is_in_condition
    }

    /// The chain that the processor's innermost request belongs to.
    pub(super) fn chain_of(&self, id: ProcessorId) -> u32 {
        self.request(self.innermost(id)).chain
    }

    /// Whether the processor waits for an answer in this chain.
    pub(super) fn waits_in_chain(&self, id: ProcessorId, chain: u32) -> bool {
        let mut awaited = self.processors[id.0 as usize].work.awaited.iter();
        awaited.any(|request| self.request(*request).chain == chain)
    }

    /// Whether the processor may call the supplier at once: its chain has locked it, or the supplier belongs to the chain.
    pub(crate) fn holds(&self, id: ProcessorId, supplier: ProcessorId) -> bool {
        let chain = self.chain_of(id);
        let supplier = &self.processors[supplier.0 as usize];
        let is_open = |lock: Lock| lock.is_open && lock.chain == chain;
        let mut stack = supplier.work.stack.iter();
        supplier.lock.is_some_and(is_open)
            || stack.any(|request| self.request(*request).chain == chain)
    }

    /// Whether a request to the supplier is controlled: the client's chain has locked it, or it waits in that chain (R6).
    pub(crate) fn controls(&self, id: ProcessorId, supplier: ProcessorId) -> bool {
        self.holds(id, supplier) || self.waits_in_chain(supplier, self.chain_of(id))
    }

    /// Whether the processor's innermost request has just begun in this process: a scope that opens now is its own.
    pub(crate) fn is_beginning(&self, id: ProcessorId, process: ProcessId) -> bool {
        let innermost = self.innermost(id);
        let request = self.request(innermost);
        let mut scopes = self.processors[id.0 as usize].work.scopes.iter();
        request.synchronizes
            && request.process == Some(process)
            && !scopes.any(|scope| scope.request == innermost)
    }

    /// The chain that has locked the processor may not call it any more.
    pub(super) fn close_lock(&mut self, id: ProcessorId) {
        if let Some(lock) = &mut self.processor(id).lock {
            lock.is_open = false;
        }
    }

    pub(super) fn lock(&mut self, id: ProcessorId, serial: u64) -> Option<(ProcessorId, Turn)> {
        let (now, arrival) = (self.now, self.grants.arrival());
        let scope = self.scope(id, serial)?;
        let (mut suppliers, request) = (scope.suppliers.clone(), scope.request);
        suppliers.retain(|supplier| !self.holds(id, *supplier));
        let scope = self.scope(id, serial)?;
        (scope.since, scope.arrival) = (now, arrival);
        scope.suppliers.clone_from(&suppliers);
        if suppliers.is_empty() {
            scope.is_held = true;
            return Some((id, Turn::Locked(serial)));
        }
        self.note_ran(id, now);
        self.note(id, request, EventKind::Locks);
        for supplier in &suppliers {
            self.note(
                id,
                request,
                EventKind::Wants {
                    supplier: supplier.0,
                },
            );
        }
        self.processor(id).state = State::Locking;
        self.plan(now, id, Happening::Pause(id));
        self.wait_for_locks(
            (id, Waiting::Scope(serial)),
            suppliers,
            None,
            (now, arrival),
        );
        None
    }

    pub(super) fn retry(&mut self, id: ProcessorId, serial: u64) {
        let Some(scope) = self.scope(id, serial) else {
            return;
        };
        scope.is_held = false;
        let (suppliers, request) = (scope.suppliers.clone(), scope.request);
        let since = (scope.since, scope.arrival);
        self.note(id, request, EventKind::Evaluated(false));
        for &supplier in &suppliers {
            self.processor(supplier).lock = None;
            self.causes(|causes| causes.set(Carrier::Lock(supplier), Carrier::Next(id)));
        }
        self.grants.given_back(&suppliers);
        self.condition_ends(id, serial, self.now);
        self.processor(id).state = State::Locking;
        self.plan(self.now, id, Happening::Pause(id));
        let seen = Some(self.unlocks_of(&suppliers));
        self.wait_for_locks((id, Waiting::Scope(serial)), suppliers, seen, since);
    }

    /// Locks that were free at this moment have been granted. The others are waited for without a CPU.
    pub(super) fn pause(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state == State::Locking {
            self.release_cpu(id);
            self.look_for_circle(id);
        }
        None
    }

    /// The condition of the processor's scope with this serial was true at this moment.
    pub(crate) fn fulfilled(&mut self, id: ProcessorId, serial: u64, time: u64) {
        if let Some(request) = self.request_of_scope(id, serial) {
            self.note_at(time, id, request, EventKind::Evaluated(true));
            self.executes(id, request, time);
            self.condition_ends(id, serial, time);
        }
    }

    /// The request waits for the lock of its supplier alone.
    pub(super) fn queue_alone(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let row = self.request_mut(id);
        row.waits_for_lock = true;
        let (client, supplier, waits) = (row.client, row.supplier, row.waits);
        let what = (client, Waiting::Request(id));
        let since = (self.now, self.grants.arrival());
        self.wait_for_locks(what, vec![supplier], None, since);
        if waits {
            self.look_for_circle(client);
        }
        None
    }

    fn wait_for_locks(
        &mut self,
        (client, what): (ProcessorId, Waiting),
        suppliers: Vec<ProcessorId>,
        seen: Option<Vec<u64>>,
        (since, arrival): (u64, u64),
    ) {
        let applicant = Applicant {
            client,
            what,
            suppliers,
            seen,
        };
        let rank = match self.guided {
            None => self.rank(client, since),
            Some(_) => Rank::none(),
        };
        self.grants.add(applicant, (since, rank, arrival));
        self.plan(self.now, client, Happening::Grant);
    }
}
