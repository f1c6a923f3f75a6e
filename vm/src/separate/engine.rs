//! The engine: processors, requests, locks and CPUs in virtual time. It knows no frames and no objects.
//!
//! A turn is what a processor does up to its next interaction. The machine executes it ahead of the others and states by
//! [`Engine::intend`] what the processor wants to do then, and when. The engine lets it do so when that moment is the
//! earliest of all.

use std::collections::VecDeque;
use std::sync::Arc;

use super::clock::Costs;
use super::events::{Event, EventKind, Log};
use super::grants::Grants;
use super::happenings::{Agenda, Happening, Path};
use super::requests::{Message, Request};
use super::scopes::Scope;
use crate::base::{ClassId, ProcessId, Value};
use crate::counting::Family;

/// A processor, by the number of its creation on the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct ProcessorId(pub(crate) u32);

/// A request, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestId(pub(crate) u32);

/// The processor that runs the script.
pub(crate) const ROOT: ProcessorId = ProcessorId(0);

/// The request that stands for the script.
pub(crate) const SCRIPT: RequestId = RequestId(0);

/// What a processor does in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It begins the request.
    Begin(RequestId),
    /// It goes on with the answer of the request.
    Answer(RequestId),
    /// It has the locks of its innermost scope.
    Locked,
    /// It goes on.
    Onward,
}

/// What a processor wants to do at the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Intent {
    /// Send the request and wait for the answer.
    Call(RequestId),
    /// Wait for the locks of the innermost scope.
    Lock,
    /// Give back the locks of the innermost scope, and wait for them again: its condition was false.
    Retry,
    /// End the innermost request.
    Finish,
    /// Sleep for this number of ticks.
    Sleep(u64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Idle,
    Busy,
    /// For an answer.
    Waiting,
    /// For locks.
    Locking,
    Sleeping,
    /// Its processes wait for each other.
    Blocked,
}

/// What stands in a processor's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Queued {
    Request(RequestId),
    /// The holder's calls end here.
    Unlock,
}

#[derive(Clone, Debug)]
pub(super) struct Processor {
    pub(super) path: Path,
    /// Processors that it has created.
    children: u32,
    /// Happenings that came from it.
    happenings: u64,
    /// Its objects that have crossed the membrane.
    exports: u32,
    pub(super) queue: VecDeque<Queued>,
    /// Requests that it serves before all others while it waits.
    callbacks: VecDeque<RequestId>,
    /// The requests under way, the outermost first.
    pub(super) stack: Vec<RequestId>,
    pub(super) scopes: Vec<Scope>,
    pub(super) state: State,
    pub(super) holder: Option<ProcessorId>,
    /// How often it was unlocked.
    pub(super) unlocks: u64,
    waits_for: Option<ProcessorId>,
    /// The request whose answer has come while it served a callback.
    reply: Option<RequestId>,
    pub(super) has_cpu: bool,
    /// What it does as soon as it has a CPU.
    pub(super) turn: Option<Turn>,
    intent: Option<Intent>,
}

impl Processor {
    pub(super) fn new(path: Path) -> Processor {
        Processor {
            path,
            children: 0,
            happenings: 0,
            exports: 0,
            queue: VecDeque::new(),
            callbacks: VecDeque::new(),
            stack: Vec::new(),
            scopes: Vec::new(),
            state: State::Idle,
            holder: None,
            unlocks: 0,
            waits_for: None,
            reply: None,
            has_cpu: false,
            turn: None,
            intent: None,
        }
    }

    /// Whether a call of the processor to the supplier stands in one of its scopes.
    pub(super) fn controls(&self, supplier: ProcessorId) -> bool {
        let mut held = self.scopes.iter().filter(|scope| scope.is_held);
        held.any(|scope| scope.suppliers.contains(&supplier))
    }
}

/// The state of all processors.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    pub(super) now: u64,
    pub(super) costs: Costs,
    /// CPUs that are free; any number if absent.
    pub(super) free: Option<u64>,
    /// Processors that wait for a CPU, longest first: since when, and which.
    pub(super) ready: Vec<(u64, ProcessorId)>,
    pub(super) agenda: Agenda,
    pub(super) processors: Vec<Processor>,
    pub(super) requests: Vec<Request>,
    pub(super) grants: Grants,
    pub(super) log: Log,
}

impl Engine {
    /// One processor, which has run the script up to this moment, and a number of CPUs; any number of them if `None`.
    pub(crate) fn new(now: u64, cpus: Option<u64>, costs: Costs) -> Engine {
        let mut root = Processor::new(Arc::from([]));
        root.state = State::Busy;
        root.has_cpu = true;
        root.stack.push(SCRIPT);
        let script = Request {
            supplier: ROOT,
            client: ROOT,
            sender: None,
            waits: false,
            is_callback: false,
            is_local: false,
            waited_for: None,
            synchronizes: false,
            class: ClassId(0),
            message: Message {
                receiver: Value::NIL,
                selector: crate::base::SymbolId(0),
                arguments: Vec::new(),
            },
            process: None,
            family: Family::NONE,
            answer: Value::NIL,
            failure: Value::NIL,
        };
        let mut log = Log::default();
        log.note(now, ROOT, SCRIPT, EventKind::Ran(now));
        Engine {
            now,
            costs,
            free: cpus.map(|cpus| cpus.saturating_sub(1)),
            ready: Vec::new(),
            agenda: Agenda::default(),
            processors: vec![root],
            requests: vec![script],
            grants: Grants::default(),
            log,
        }
    }

    /// The virtual time.
    pub(crate) fn now(&self) -> u64 {
        self.now
    }

    /// The events so far, by the order in which they were decided.
    pub(crate) fn events(&self) -> &[Event] {
        &self.log.events
    }

    /// All requests so far, by their numbers. The first stands for the script.
    pub(crate) fn requests(&self) -> &[Request] {
        &self.requests
    }

    /// How many processors there are.
    pub(crate) fn processor_count(&self) -> usize {
        self.processors.len()
    }

    pub(crate) fn request(&self, id: RequestId) -> &Request {
        &self.requests[id.0 as usize]
    }

    pub(crate) fn request_mut(&mut self, id: RequestId) -> &mut Request {
        &mut self.requests[id.0 as usize]
    }

    /// The process executes the processor's innermost request.
    pub(crate) fn serves(&mut self, id: ProcessorId, process: ProcessId) {
        let request = self.innermost(id);
        self.request_mut(request).process = Some(process);
    }

    pub(super) fn processor(&mut self, id: ProcessorId) -> &mut Processor {
        &mut self.processors[id.0 as usize]
    }

    /// The request that the processor executes.
    pub(crate) fn innermost(&self, id: ProcessorId) -> RequestId {
        let processor = &self.processors[id.0 as usize];
        processor.stack.last().copied().unwrap_or(SCRIPT)
    }

    /// Whether no processor executes, waits or has requests in its queue.
    pub(crate) fn is_quiet(&self) -> bool {
        let mut all = self.processors.iter();
        all.all(|one| one.state == State::Idle && one.queue.is_empty())
            && self.grants.applicants().is_empty()
    }

    /// The number of the processor's next object that crosses.
    pub(crate) fn next_export(&mut self, id: ProcessorId) -> u32 {
        let processor = self.processor(id);
        processor.exports += 1;
        processor.exports
    }

    /// The paths of all processors, by their numbers.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[u32]> {
        self.processors.iter().map(|processor| &*processor.path)
    }

    /// The path of a processor's creation.
    pub(crate) fn path(&self, id: ProcessorId) -> &[u32] {
        &self.processors[id.0 as usize].path
    }

    /// Notes that something happens which comes from this processor.
    pub(super) fn plan(&mut self, time: u64, origin: ProcessorId, happening: Happening) {
        let processor = &mut self.processors[origin.0 as usize];
        processor.happenings += 1;
        let number = processor.happenings;
        let path = Arc::clone(&processor.path);
        self.agenda.push(time, &path, number, happening);
    }

    // --- what the machine states ----------------------------------------------------------------

    /// A new processor, which the running one creates at this moment.
    pub(crate) fn create(&mut self, creator: ProcessorId, time: u64) -> ProcessorId {
        let id = ProcessorId(self.processors.len() as u32);
        let parent = self.processor(creator);
        parent.children += 1;
        let mut path = parent.path.to_vec();
        path.push(parent.children);
        self.processors.push(Processor::new(path.into()));
        let request = self.innermost(creator);
        self.log.note(time, id, request, EventKind::Created);
        id
    }

    /// A request of the processor to the supplier.
    pub(crate) fn prepare(
        &mut self,
        client: ProcessorId,
        supplier: ProcessorId,
        (class, message): (ClassId, Message),
        waits: bool,
    ) -> RequestId {
        let id = RequestId(self.requests.len() as u32);
        let is_callback = self.chain(client).contains(&supplier);
        self.requests.push(Request {
            supplier,
            client,
            sender: Some(self.innermost(client)),
            waits,
            is_callback,
            is_local: false,
            waited_for: None,
            synchronizes: false,
            class,
            message,
            process: None,
            family: Family::NONE,
            answer: Value::NIL,
            failure: Value::NIL,
        });
        id
    }

    /// The processor sends the request at this moment, and goes on.
    pub(crate) fn command(&mut self, id: RequestId, time: u64) {
        let (client, supplier) = (self.request(id).client, self.request(id).supplier);
        self.note_call(id, time);
        match self.holds(client, supplier) {
            true => self.plan(time + self.costs.latency, client, Happening::Arrive(id)),
            false => self.plan(time, client, Happening::Queue(id)),
        }
    }

    /// The processor ends its turn at this moment, which may lie ahead of the others' time, after this number of ticks.
    pub(crate) fn intend(&mut self, id: ProcessorId, (time, ticks): (u64, u64), intent: Intent) {
        if ticks > 0 {
            let request = self.innermost(id);
            self.log.note(time, id, request, EventKind::Ran(ticks));
        }
        self.processor(id).intent = Some(intent);
        self.plan(time, id, Happening::Interact(id));
    }

    // --- what happens -----------------------------------------------------------------------------

    /// Lets happen what happens, up to the next turn. Nothing if nothing is left to happen.
    pub(crate) fn next(&mut self) -> Option<(ProcessorId, Turn)> {
        loop {
            let (time, happening) = self.agenda.pop()?;
            debug_assert!(time >= self.now, "time goes forward");
            self.now = time;
            let turn = match happening {
                Happening::Arrive(id) => self.arrive(id),
                Happening::Queue(id) => self.queue_alone(id),
                Happening::Unlock(id) => {
                    self.processor(id).queue.push_back(Queued::Unlock);
                    self.serve(id)
                }
                Happening::Reply(id) => self.reply(id),
                Happening::Interact(id) => self.interact(id),
                Happening::Serve(id) => self.serve(id),
                Happening::Awake(id) => self.awake(id),
                Happening::Grant => self.grant(),
                Happening::Dispatch => self.dispatch(),
            };
            if turn.is_some() {
                return turn;
            }
        }
    }

    pub(super) fn note(&mut self, processor: ProcessorId, request: RequestId, kind: EventKind) {
        self.log.note(self.now, processor, request, kind);
    }

    pub(super) fn note_call(&mut self, id: RequestId, time: u64) {
        let request = self.request(id);
        let kind = EventKind::Called {
            supplier: request.supplier.0,
            waits: request.waits,
        };
        let client = request.client;
        self.log.note(time, client, id, kind);
    }

    pub(super) fn arrive(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let request = self.request(id);
        let (supplier, is_callback) = (request.supplier, request.is_callback);
        if is_callback {
            self.processor(supplier).callbacks.push_back(id);
            return self.go_on_waiting(supplier);
        }
        let queue = &mut self.processor(supplier).queue;
        queue.push_back(Queued::Request(id));
        self.serve(supplier)
    }

    /// The processor takes up its next request, if it is idle.
    pub(super) fn serve(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state != State::Idle {
            return None;
        }
        while let Some(Queued::Unlock) = self.processor(id).queue.front() {
            let processor = self.processor(id);
            processor.queue.pop_front();
            processor.holder = None;
            processor.unlocks += 1;
            self.note(id, SCRIPT, EventKind::Unlocked);
            self.plan(self.now, id, Happening::Grant);
        }
        match self.processor(id).queue.pop_front() {
            Some(Queued::Request(request)) => {
                self.processor(id).state = State::Busy;
                self.need_cpu(id, Turn::Begin(request))
            }
            _ => {
                self.release_cpu(id);
                None
            }
        }
    }

    /// A waiting processor serves a callback, or goes on with the answer that has come.
    pub(super) fn go_on_waiting(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        if self.processor(id).state != State::Waiting {
            return None;
        }
        let processor = self.processor(id);
        let waits_for = processor.waits_for;
        if let Some(callback) = processor.callbacks.pop_front() {
            processor.state = State::Busy;
            self.request_mut(callback).waited_for = waits_for;
            return self.need_cpu(id, Turn::Begin(callback));
        }
        let request = processor.reply.take()?;
        processor.state = State::Busy;
        self.need_cpu(id, Turn::Answer(request))
    }

    pub(super) fn reply(&mut self, id: RequestId) -> Option<(ProcessorId, Turn)> {
        let client = self.request(id).client;
        self.processor(client).reply = Some(id);
        self.go_on_waiting(client)
    }

    /// The moment has come up to which the processor ran ahead.
    pub(super) fn interact(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        match self.processor(id).intent.take()? {
            Intent::Call(request) => self.call(id, request),
            Intent::Lock => self.lock(id),
            Intent::Retry => self.retry(id),
            Intent::Finish => self.finish(id),
            Intent::Sleep(ticks) => {
                let request = self.innermost(id);
                self.note(id, request, EventKind::Sleeps);
                self.processor(id).state = State::Sleeping;
                self.release_cpu(id);
                self.plan(self.now.saturating_add(ticks), id, Happening::Awake(id));
            }
        }
        None
    }

    /// All processes of the processor wait for semaphores, which only they themselves could signal.
    pub(crate) fn block(&mut self, id: ProcessorId) {
        self.processor(id).state = State::Blocked;
        self.release_cpu(id);
    }

    pub(super) fn awake(&mut self, id: ProcessorId) -> Option<(ProcessorId, Turn)> {
        let request = self.innermost(id);
        self.note(id, request, EventKind::Wakes);
        self.processor(id).state = State::Busy;
        self.need_cpu(id, Turn::Onward)
    }

    pub(super) fn call(&mut self, id: ProcessorId, request: RequestId) {
        self.note_call(request, self.now);
        let supplier = self.request(request).supplier;
        let holds = self.holds(id, supplier);
        let processor = self.processor(id);
        processor.waits_for = Some(supplier);
        processor.state = State::Waiting;
        self.release_cpu(id);
        match holds {
            true => {
                let arrival = self.now + self.costs.latency;
                self.plan(arrival, id, Happening::Arrive(request));
            }
            false => self.plan(self.now, id, Happening::Queue(request)),
        }
    }

    /// The synchronization step of the processor's innermost request ends at this moment, if it is under way.
    pub(crate) fn executes(&mut self, id: ProcessorId, time: u64) {
        let request = self.innermost(id);
        if std::mem::take(&mut self.request_mut(request).synchronizes) {
            self.log.note(time, id, request, EventKind::Executes);
        }
    }

    pub(super) fn finish(&mut self, id: ProcessorId) {
        let request = self.innermost(id);
        self.executes(id, self.now);
        self.note(id, request, EventKind::Returns);
        let (waits, waited_for) = {
            let request = self.request(request);
            (request.waits, request.waited_for)
        };
        let processor = self.processor(id);
        processor.stack.pop();
        let is_outermost = processor.stack.is_empty();
        match is_outermost {
            true => processor.state = State::Idle,
            false => {
                processor.state = State::Waiting;
                processor.waits_for = waited_for;
            }
        }
        if waits {
            let arrival = self.now + self.costs.latency;
            self.plan(arrival, id, Happening::Reply(request));
        }
        match is_outermost {
            true => self.plan(self.now, id, Happening::Serve(id)),
            false => {
                self.release_cpu(id);
                // The answer that it waits for may have come in the meantime, or another callback.
                if let Some((_, turn)) = self.go_on_waiting(id) {
                    self.processor(id).turn = Some(turn);
                    self.want_cpu(id);
                }
            }
        }
    }

    /// The machine begins the turn. The request is under way from here on.
    pub(crate) fn begins(&mut self, id: ProcessorId, turn: Turn) {
        match turn {
            Turn::Begin(request) => {
                self.note(id, request, EventKind::Synchronizes);
                self.request_mut(request).synchronizes = true;
                self.processor(id).stack.push(request);
            }
            Turn::Answer(request) => {
                self.processor(id).waits_for = None;
                self.note(id, request, EventKind::Answered);
            }
            Turn::Locked | Turn::Onward => {}
        }
    }

    /// Shows the values of all requests to the collector.
    pub(crate) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        for request in &mut self.requests {
            request.visit(visit);
        }
        for processor in &mut self.processors {
            for scope in &mut processor.scopes {
                visit(&mut scope.condition);
            }
        }
    }
}
