//! Scopes: the locks of a method's separate arguments, held together for an activation.

use std::sync::Arc;

use super::engine::{Engine, ProcessorId, Queued, RequestId, State, Turn};
use super::events::EventKind;
use super::grants::Waiting;
use super::happenings::Happening;
use super::requests::Message;
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
    /// The request that stands for its activation, if no other request began it.
    pub(super) local: Option<RequestId>,
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
        (class, message): (ClassId, Message),
        process: ProcessId,
        time: u64,
    ) {
        let request = self.prepare(id, id, (class, message), false);
        let row = self.request_mut(request);
        row.is_callback = false;
        row.is_local = true;
        row.synchronizes = true;
        row.process = Some(process);
        self.processor(id).stack.push(request);
        self.log.note(time, id, request, EventKind::Synchronizes);
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
        let local = self.request(request).is_local.then_some(request);
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
            local,
            condition: Value::NIL,
        });
        needs_locks
    }

    /// The innermost scope of the processor.
    pub(crate) fn scope(&mut self, id: ProcessorId) -> Option<&mut Scope> {
        self.processor(id).scopes.last_mut()
    }

    /// Closes the scope of the frame with this mark at this moment: unlock markers follow the calls.
    pub(crate) fn close_scope(&mut self, id: ProcessorId, serial: u64, time: u64) {
        let scopes = &mut self.processor(id).scopes;
        let Some(at) = scopes.iter().rposition(|scope| scope.serial == serial) else {
            return;
        };
        let scope = scopes.remove(at);
        if let Some(local) = scope.local {
            self.executes(id, time);
            self.log.note(time, id, local, EventKind::Returns);
            self.processor(id).stack.retain(|one| *one != local);
        }
        if !scope.is_held {
            return;
        }
        for supplier in scope.suppliers {
            let arrival = time + self.costs.latency;
            self.plan(arrival, id, Happening::Unlock(supplier));
        }
    }

    /// The processors whose requests wait for each other, from this one to the client of the outermost.
    pub(super) fn chain(&self, id: ProcessorId) -> Vec<ProcessorId> {
        let mut chain = vec![id];
        let mut request = self.request(self.innermost(id));
        while (request.waits || request.is_local)
            && let Some(sender) = request.sender
        {
            if !request.is_local {
                chain.push(request.client);
            }
            request = self.request(sender);
        }
        chain
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

    /// Whether the processor's innermost request has just begun: a scope that opens now is its own.
    pub(crate) fn is_beginning(&self, id: ProcessorId) -> bool {
        let innermost = self.innermost(id);
        let mut scopes = self.processors[id.0 as usize].scopes.iter();
        self.request(innermost).synchronizes && !scopes.any(|scope| scope.request == innermost)
    }

    pub(super) fn lock(&mut self, id: ProcessorId) {
        let request = self.innermost(id);
        self.note(id, request, EventKind::Locks);
        let now = self.now;
        let Some(scope) = self.scope(id) else { return };
        scope.since = now;
        let suppliers = scope.suppliers.clone();
        self.processor(id).state = State::Locking;
        self.release_cpu(id);
        self.wait_for_locks(id, Waiting::Scope, suppliers, now);
    }

    pub(super) fn retry(&mut self, id: ProcessorId) {
        let request = self.innermost(id);
        self.note(id, request, EventKind::Evaluated(false));
        let Some(scope) = self.scope(id) else { return };
        scope.is_held = false;
        let (suppliers, since) = (scope.suppliers.clone(), scope.since);
        for &supplier in &suppliers {
            self.processor(supplier).holder = None;
        }
        self.processor(id).state = State::Locking;
        self.release_cpu(id);
        self.wait_for_locks(id, Waiting::Scope, suppliers.clone(), since);
        let seen = self.unlocks_of(&suppliers);
        self.grants.has_seen(id, seen);
    }

    pub(super) fn unlocks_of(&self, suppliers: &[ProcessorId]) -> Vec<u64> {
        let unlocks = |id: &ProcessorId| self.processors[id.0 as usize].unlocks;
        suppliers.iter().map(unlocks).collect()
    }

    /// The condition of the processor's innermost scope was true at this moment.
    pub(crate) fn fulfilled(&mut self, id: ProcessorId, time: u64) {
        let request = self.innermost(id);
        self.log.note(time, id, request, EventKind::Evaluated(true));
        self.executes(id, time);
    }

    /// The request waits for the lock of its supplier alone.
    pub(super) fn queue_alone(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let (client, supplier) = (self.request(id).client, self.request(id).supplier);
        self.wait_for_locks(client, Waiting::Request(id), vec![supplier], self.now);
        None
    }

    pub(super) fn wait_for_locks(
        &mut self,
        client: ProcessorId,
        what: Waiting,
        suppliers: Vec<ProcessorId>,
        since: u64,
    ) {
        let path = Arc::clone(&self.processor(client).path);
        self.grants.add(client, path, what, suppliers, since);
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
                let supplier = self.request(request).supplier;
                let queue = &mut self.processor(supplier).queue;
                queue.extend([Queued::Request(request), Queued::Unlock]);
                self.plan(self.now, client, Happening::Serve(supplier));
                None
            }
            Waiting::Scope => {
                let request = self.innermost(client);
                self.note(client, request, EventKind::Granted);
                if let Some(scope) = self.scope(client) {
                    scope.is_held = true;
                }
                self.processor(client).state = State::Busy;
                self.need_cpu(client, Turn::Locked)
            }
        }
    }
}
