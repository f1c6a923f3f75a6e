//! Scopes: the locks of a method's separate arguments, held together for an activation.

use std::sync::Arc;

use super::engine::{Engine, ProcessorId, RequestId, Turn};
use super::events::EventKind;
use super::grants::{Applicant, Waiting};
use super::happenings::Happening;
use super::processor::State;
use super::requests::{Message, Request};
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
    /// Whether its locks are held.
    pub(super) is_held: bool,
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
        self.processor(id).stack.push(request);
        self.note_at(time, id, request, EventKind::Synchronizes);
    }

    /// Opens a scope of the processor with these suppliers; answers whether it needs locks. Own processors and those that
    /// its chain holds need none.
    pub(crate) fn open_scope(
        &mut self,
        id: ProcessorId,
        serial: u64,
        suppliers: &[ProcessorId],
        time: u64,
    ) -> bool {
        let request = self.innermost(id);
        let mut wanted: Vec<ProcessorId> = Vec::new();
        for &supplier in suppliers {
            if !wanted.contains(&supplier) && !self.holds(id, supplier) {
                wanted.push(supplier);
            }
        }
        let needs_locks = !wanted.is_empty();
        self.processor(id).scopes.push(Scope {
            serial,
            suppliers: wanted,
            since: time,
            is_held: !needs_locks,
            request,
            condition: Value::NIL,
        });
        needs_locks
    }

    /// The processor's scope with this serial.
    pub(crate) fn scope(&mut self, id: ProcessorId, serial: u64) -> Option<&mut Scope> {
        let mut scopes = self.processor(id).scopes.iter_mut().rev();
        scopes.find(|scope| scope.serial == serial)
    }

    /// The request that the processor's scope with this serial is a part of.
    pub(crate) fn request_of_scope(&mut self, id: ProcessorId, serial: u64) -> Option<RequestId> {
        self.scope(id, serial).map(|scope| scope.request)
    }

    /// Closes the scope of the frame with this mark at this moment: unlock markers follow the calls.
    pub(crate) fn close_scope(&mut self, id: ProcessorId, serial: u64, time: u64) {
        let scopes = &mut self.processor(id).scopes;
        let Some(at) = scopes.iter().rposition(|scope| scope.serial == serial) else {
            return;
        };
        let scope = scopes.remove(at);
        if self.request(scope.request).is_local {
            self.executes(id, scope.request, time);
            self.note_at(time, id, scope.request, EventKind::Returns);
            self.processor(id).stack.retain(|one| *one != scope.request);
            self.release(scope.request);
        }
        if !scope.is_held {
            return;
        }
        for supplier in scope.suppliers {
            self.plan(self.arrival(time), id, Happening::Unlock(supplier));
        }
    }

    /// The processors whose requests wait for each other, from this one to the client of the outermost. A callback belongs to
    /// the chain while it runs, even if its sender has ended in the meantime.
    pub(super) fn chain(&self, id: ProcessorId) -> Vec<ProcessorId> {
        let mut chain = vec![id];
        let mut at = self.innermost(id);
        loop {
            let request = self.request(at);
            let is_linked = request.waits || request.is_local || request.is_callback;
            let sender = self.requests.sender(request).filter(|_| is_linked);
            if sender.is_some() && !request.is_local {
                chain.push(request.client);
            }
            let below = || {
                self.below(request.supplier, at)
                    .filter(|_| request.is_callback)
            };
            match sender.or_else(below) {
                Some(next) => at = next,
                None => return chain,
            }
        }
    }

    /// The request of the processor that waits while this one is under way.
    fn below(&self, id: ProcessorId, request: RequestId) -> Option<RequestId> {
        let stack = &self.processors[id.0 as usize].stack;
        let place = stack.iter().position(|one| *one == request)?;
        stack.get(place.checked_sub(1)?).copied()
    }

    /// Whether the processor may call the supplier at once: it is in its chain, or locked by it.
    pub(crate) fn holds(&self, id: ProcessorId, supplier: ProcessorId) -> bool {
        let chain = self.chain(id);
        let is_held_by = |holder: ProcessorId| {
            chain.contains(&holder) && self.processors[holder.0 as usize].controls(supplier)
        };
        let holder = self.processors[supplier.0 as usize].holder;
        chain.contains(&supplier) || holder.is_some_and(is_held_by)
    }

    /// Whether the processor's innermost request has just begun in this process: a scope that opens now is its own.
    pub(crate) fn is_beginning(&self, id: ProcessorId, process: ProcessId) -> bool {
        let innermost = self.innermost(id);
        let request = self.request(innermost);
        let mut scopes = self.processors[id.0 as usize].scopes.iter();
        request.synchronizes
            && request.process == Some(process)
            && !scopes.any(|scope| scope.request == innermost)
    }

    pub(super) fn lock(&mut self, id: ProcessorId, serial: u64) {
        let now = self.now;
        let Some(scope) = self.scope(id, serial) else {
            return;
        };
        scope.since = now;
        let (suppliers, request) = (scope.suppliers.clone(), scope.request);
        self.note(id, request, EventKind::Locks);
        self.processor(id).state = State::Locking;
        self.plan(self.now, id, Happening::Pause(id));
        self.wait_for_locks((id, Waiting::Scope(serial)), suppliers, None, now);
    }

    pub(super) fn retry(&mut self, id: ProcessorId, serial: u64) {
        let Some(scope) = self.scope(id, serial) else {
            return;
        };
        scope.is_held = false;
        let (suppliers, since, request) = (scope.suppliers.clone(), scope.since, scope.request);
        self.note(id, request, EventKind::Evaluated(false));
        for &supplier in &suppliers {
            self.processor(supplier).holder = None;
            self.grants.came_back(supplier);
        }
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

    pub(super) fn unlocks_of(&self, suppliers: &[ProcessorId]) -> Vec<u64> {
        let unlocks = |id: &ProcessorId| self.processors[id.0 as usize].unlocks;
        suppliers.iter().map(unlocks).collect()
    }

    /// The condition of the processor's scope with this serial was true at this moment.
    pub(crate) fn fulfilled(&mut self, id: ProcessorId, serial: u64, time: u64) {
        if let Some(request) = self.request_of_scope(id, serial) {
            self.note_at(time, id, request, EventKind::Evaluated(true));
            self.executes(id, request, time);
        }
    }

    /// The request waits for the lock of its supplier alone.
    pub(super) fn queue_alone(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let row = self.request_mut(id);
        row.waits_for_lock = true;
        let (client, supplier, waits) = (row.client, row.supplier, row.waits);
        let what = (client, Waiting::Request(id));
        self.wait_for_locks(what, vec![supplier], None, self.now);
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
        since: u64,
    ) {
        let path = Arc::clone(&self.processor(client).path);
        let applicant = Applicant {
            client,
            what,
            suppliers,
            seen,
        };
        self.grants.add(applicant, path, since);
        self.plan(self.now, client, Happening::Grant);
    }

    /// Grants locks to all that can have them.
    pub(super) fn grant(&mut self) -> Option<(ProcessorId, Turn)> {
        let is_free = |id: ProcessorId| self.processors[id.0 as usize].holder.is_none();
        let unlocks = |id: ProcessorId| self.processors[id.0 as usize].unlocks;
        let granted = self.grants.next(is_free, unlocks)?;
        // Others may have theirs at the same moment.
        self.plan(self.now, granted.client, Happening::Grant);
        for &supplier in &granted.suppliers {
            self.processor(supplier).holder = Some(granted.client);
        }
        let client = granted.client;
        match granted.what {
            Waiting::Request(request) => {
                self.request_mut(request).waits_for_lock = false;
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
}
