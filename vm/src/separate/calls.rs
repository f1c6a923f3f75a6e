//! Requests on their way: how they are sent, arrive, are waited for and end.

use super::causes::Carrier;
use super::engine::{Answered, Engine, Intent, ProcessorId, RequestId, SCRIPT, Turn};
use super::events::{Described, EventKind, Runs};
use super::happenings::Happening;
use super::processor::{Queued, State};
use super::requests::{Message, Request};
use crate::base::ClassId;

impl Engine {
    /// A request of the processor to the supplier. `needs_answer` says whether the client waits in any case. It also waits if the
    /// message gives the supplier access to the client's own objects or to processors of its chain (R11). If `is_late`, [`Engine::send`]
    /// decides that.
    pub(crate) fn prepare(
        &mut self,
        client: ProcessorId,
        supplier: ProcessorId,
        message: (ClassId, Message),
        (needs_answer, is_late): (bool, bool),
        (passes_itself, passed): (bool, Vec<ProcessorId>),
    ) -> RequestId {
        let mut request = Request::new(client, supplier, message);
        (request.passes_itself, request.passed) = (passes_itself, passed);
        if is_late {
            request.waits = needs_answer;
            return self.add(client, request);
        }
        request.waits = needs_answer || self.passes_locks(&request);
        request.is_callback = self.waits_in_chain(supplier, self.chain_of(client));
        let id = self.add(client, request);
        self.link(id);
        id
    }

    /// What the request is to its chain is certain.
    fn link(&mut self, id: RequestId) {
        let row = self.request(id);
        let (waits, is_callback, chain) = (row.waits, row.is_callback, self.chain_of(row.client));
        let own = row.number + 1;
        let sent_in = self.request(self.innermost(row.client)).branch;
        let row = self.request_mut(id);
        row.client_chain = chain;
        row.sent_in = sent_in;
        row.branch = match (waits, is_callback) {
            (true, _) => sent_in,
            (false, true) => own,
            (false, false) => 0,
        };
        if !waits && !is_callback {
            self.chains += 1;
            self.request_mut(id).chain = self.chains;
            return;
        }
        self.request_mut(id).chain = chain;
        if !waits {
            *self.loose.entry(chain).or_default() += 1;
        }
    }

    /// A request is under way no more.
    pub(super) fn unlink(&mut self, id: RequestId) {
        let row = self.request(id);
        if row.is_callback && !row.waits {
            let chain = row.chain;
            match self.loose.get_mut(&chain) {
                Some(count) if *count > 1 => *count -= 1,
                _ => {
                    self.loose.remove(&chain);
                }
            }
        }
    }

    /// Whether the message gives its supplier access to the client or to what its chain holds.
    fn passes_locks(&self, request: &Request) -> bool {
        let mut passed = request.passed.iter();
        request.passes_itself || passed.any(|owner| self.holds(request.client, *owner))
    }

    /// The processor sends a request whose moment has come: what depends on its chain is decided now. A processor that was ahead
    /// only catches up, and does not interact before its turn among the others.
    pub(super) fn send(
        &mut self,
        id: ProcessorId,
        request: RequestId,
        was_ahead: bool,
    ) -> Option<(ProcessorId, Turn)> {
        let supplier = self.request(request).supplier;
        let waits = self.request(request).waits || self.passes_locks(self.request(request));
        let is_callback = self.waits_in_chain(supplier, self.chain_of(id));
        let row = self.request_mut(request);
        (row.waits, row.is_callback) = (waits, is_callback);
        let number = row.number;
        self.log.describe_again(number, waits, is_callback);
        self.link(request);
        if waits {
            self.note_ran(id, self.now);
        }
        if waits && was_ahead {
            self.processor(id).work.intent = Some(Intent::Call(request));
            self.plan_own(self.now, id, Happening::Interact(id));
            return None;
        }
        if waits {
            return self.call(id, request);
        }
        self.command(request, (self.now, 0));
        Some((id, Turn::Sent(request)))
    }

    /// Whether members of the processor's chain run at the same time. Then what depends on the chain is decided when its moment
    /// has come.
    pub(crate) fn is_chain_loose(&self, id: ProcessorId) -> bool {
        !self.loose.is_empty() && self.loose.contains_key(&self.chain_of(id))
    }

    /// Adds a request that the client's innermost request sends.
    pub(super) fn add(&mut self, client: ProcessorId, mut request: Request) -> RequestId {
        let sender = self.innermost(client);
        let around = self.request(sender);
        let number = around.number;
        if request.waits || request.is_local {
            request.depth = around.depth + 1;
        }
        (request.chain, request.branch) = (around.chain, around.branch);
        request.is_in_condition = around.synchronizes || around.is_in_condition;
        let described = describe(&request, Some(number));
        let id = self.requests.add(request);
        self.log.describe(self.request(id).number, described);
        id
    }

    /// The request has ended: its row is free for another one.
    pub(super) fn release(&mut self, id: RequestId) {
        self.release_at(id, self.now);
    }

    /// The same, at a moment that may lie ahead of the others' time.
    pub(super) fn release_at(&mut self, id: RequestId, time: u64) {
        self.log.forget(self.request(id).number, time);
        self.requests.release(id);
    }

    /// The client takes the answer, and the request is over.
    pub(crate) fn take_answer(&mut self, id: RequestId) -> Answered {
        let request = self.request(id);
        let taken = Answered {
            answer: request.answer,
            made: request.answer_made,
            failure: request.failure,
            supplier: request.supplier,
            refusal: request.refusal.clone(),
            future: request.future,
            is_joined: request.is_joined,
        };
        self.release(id);
        taken
    }

    /// The processor sends the request at this moment, when it has executed these ticks of its turn, and goes on.
    pub(crate) fn command(&mut self, id: RequestId, (time, executed): (u64, u64)) {
        let client = self.request(id).client;
        self.note_long_stretch(client, time, executed);
        self.note_call(id, time);
        self.causes(|causes| causes.set(Carrier::Request(id), Carrier::Next(client)));
        match self.is_reached_at_once(id) {
            true => self.plan_own(self.arrival(time), client, Happening::Arrive(id)),
            false => self.plan_own(time, client, Happening::Queue(id)),
        }
    }

    /// When it arrives what a processor sends at this moment.
    pub(super) fn arrival(&self, time: u64) -> u64 {
        time.saturating_add(self.simulation.costs.latency)
    }

    pub(super) fn note_call(&mut self, id: RequestId, time: u64) {
        let request = self.request(id);
        let kind = EventKind::Called {
            supplier: request.supplier.0,
            waits: request.waits,
        };
        let client = request.client;
        self.note_at(time, client, id, kind);
    }

    pub(super) fn arrive(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let request = self.request(id);
        let (supplier, is_callback) = (request.supplier, request.is_callback);
        if is_callback {
            self.work(supplier).callbacks.push_back(id);
            // The chain may have ended there in the meantime.
            return match self.processor(supplier).state {
                State::Idle => self.serve(supplier),
                _ => self.go_on_waiting(supplier),
            };
        }
        let queue = &mut self.work(supplier).queue;
        queue.push_back(Queued::Request(id));
        self.serve(supplier)
    }

    /// Behind the request stands the unlock of its supplier.
    pub(super) fn arrive_alone(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let supplier = self.request(id).supplier;
        self.causes(|causes| causes.queue_marker(supplier, Carrier::Request(id)));
        let queue = &mut self.work(supplier).queue;
        queue.extend([Queued::Request(id), Queued::Unlock]);
        self.serve(supplier)
    }

    /// Takes out the callback that the processor serves next. Callbacks are served one at a time: while one for which no client
    /// waits is under way, only those that come from it.
    pub(super) fn next_callback(&mut self, id: ProcessorId) -> Option<RequestId> {
        let processor = &self.processors[id.0 as usize];
        if processor.work.callbacks.is_empty() {
            return None;
        }
        let mut stack = processor
            .work
            .stack
            .iter()
            .rev()
            .map(|one| self.request(*one));
        let under_way = stack.find(|one| one.is_callback && !one.waits);
        let branch = under_way.map(|one| one.branch);
        let is_next =
            |one: &RequestId| branch.is_none_or(|branch| self.request(*one).sent_in == branch);
        let place = processor.work.callbacks.iter().position(is_next)?;
        self.processor(id).work.callbacks.remove(place)
    }

    /// A waiting processor serves a callback, or goes on with the answer that has come.
    pub(super) fn go_on_waiting(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state != State::Waiting {
            return None;
        }
        if let Some(callback) = self.next_callback(id) {
            self.processor(id).state = State::Busy;
            return self.need_cpu(id, Turn::Begin(callback));
        }
        let awaited = *self.processor(id).work.awaited.last()?;
        if !self.request(awaited).is_answered {
            return None;
        }
        let processor = self.processor(id);
        processor.state = State::Busy;
        self.need_cpu(id, Turn::Answer(awaited))
    }

    fn release_if_waiting(&mut self, id: ProcessorId) {
        if self.processor(id).state == State::Waiting {
            self.release_cpu(id);
        }
    }

    pub(super) fn reply(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let request = self.request_mut(id);
        request.is_answered = true;
        let client = request.client;
        self.go_on_waiting(client)
    }

    pub(super) fn call(
        &mut self,
        id: ProcessorId,
        request: RequestId,
    ) -> Option<(ProcessorId, Turn)> {
        self.note_call(request, self.now);
        self.causes(|causes| causes.set(Carrier::Request(request), Carrier::Next(id)));
        let is_held = self.is_reached_at_once(request);
        let processor = self.processor(id);
        processor.state = State::Waiting;
        processor.work.awaited.push(request);
        match is_held {
            true => {
                self.plan_own(self.arrival(self.now), id, Happening::Arrive(request));
                self.look_for_circle(id);
            }
            false => self.plan_own(self.now, id, Happening::Queue(request)),
        }
        // Callbacks may have come before.
        let turn = self.go_on_waiting(id);
        self.release_if_waiting(id);
        turn
    }

    /// Whether the request needs no lock of its supplier: its chain holds that, or the supplier waits in it.
    fn is_reached_at_once(&self, request: RequestId) -> bool {
        let row = self.request(request);
        row.is_callback || self.holds(row.client, row.supplier)
    }

    /// The processor waits for the answer of a request of its own, if that has not come yet. The request stays a chain of its own.
    pub(super) fn join(
        &mut self,
        id: ProcessorId,
        request: RequestId,
    ) -> Option<(ProcessorId, Turn)> {
        self.request_mut(request).is_joined = true;
        self.note(id, request, EventKind::Joins);
        let processor = self.processor(id);
        processor.state = State::Waiting;
        processor.work.awaited.push(request);
        let turn = self.go_on_waiting(id);
        self.release_if_waiting(id);
        turn
    }

    /// The request that the processor has sent, if it has this row and number and no process waits for it yet.
    pub(crate) fn find_future(&self, id: ProcessorId, row: u32, number: u32) -> Option<RequestId> {
        let found = self.requests.find(row, number)?;
        let request = self.request(found);
        let is_free = request.client == id && !request.future.is_nil() && !request.is_joined;
        is_free.then_some(found)
    }

    /// The request's step of synchronization ends at this moment, if it is under way.
    pub(crate) fn executes(&mut self, id: ProcessorId, request: RequestId, time: u64) {
        if std::mem::take(&mut self.request_mut(request).synchronizes) {
            self.note_at(time, id, request, EventKind::Executes);
        }
    }

    /// A request that has locked its supplier for itself alone has ended: its chain may not call the supplier any more.
    fn close_single(&mut self, id: ProcessorId, request: RequestId) {
        if self.request(request).is_single
            && let Some(lock) = &mut self.processor(id).lock
        {
            lock.is_open = false;
        }
    }

    pub(super) fn finish(
        &mut self,
        id: ProcessorId,
        request: RequestId,
    ) -> Option<(ProcessorId, Turn)> {
        self.executes(id, request, self.now);
        self.note(id, request, EventKind::Returns);
        self.unlink(request);
        self.close_single(id, request);
        let row = self.request(request);
        let replies = row.waits || !row.future.is_nil();
        self.processor(id).work.stack.retain(|one| *one != request);
        let mut stack = self.processors[id.0 as usize].work.stack.iter();
        let is_outermost = stack.all(|one| self.request(*one).is_local);
        match replies {
            true => {
                self.causes(|causes| causes.set(Carrier::Answer(request), Carrier::Next(id)));
                self.plan_own(self.arrival(self.now), id, Happening::Reply(request));
            }
            // The row of the script's request stays.
            false if request != SCRIPT => self.release(request),
            false => {}
        }
        if is_outermost {
            self.processor(id).state = State::Idle;
            self.plan_own(self.now, id, Happening::Serve(id));
            return None;
        }
        self.processor(id).state = State::Waiting;
        // The answer that it waits for may have come in the meantime, or another callback.
        let turn = self.go_on_waiting(id);
        self.release_if_waiting(id);
        turn
    }
}

pub(super) fn describe(request: &Request, sender: Option<u32>) -> Described {
    Described {
        class: request.class,
        selector: request.message.selector,
        client: request.client,
        supplier: request.supplier,
        sender,
        waits: request.waits,
        is_local: request.is_local,
        is_callback: request.is_callback,
        site: request.message.site,
        runs: Runs::Message,
    }
}
