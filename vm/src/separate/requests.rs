//! Requests: messages to objects of other processors, and the table of those under way.

use super::engine::{ProcessorId, RequestId};
use crate::base::{ClassId, MethodId, ProcessId, SymbolId, Value};
use crate::counting::Family;
use crate::world::Failure;

/// A message that a processor serves for another one.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Its number among all requests of the run.
    pub(crate) number: u32,
    pub(crate) supplier: ProcessorId,
    pub(crate) client: ProcessorId,
    /// The number of the synchronous chain that it belongs to: that of its client if it waits, or if the supplier waits in it.
    pub(super) chain: u32,
    /// The chain of its client.
    pub(super) client_chain: u32,
    /// The callback without a waiting client in which it was sent, as a number; 0 if in none.
    pub(super) sent_in: u32,
    /// The same for what it sends: its own number plus one if it is such a callback.
    pub(super) branch: u32,
    /// How many requests stand around it whose clients wait.
    pub(crate) depth: u32,
    /// Whether the client waits for the answer.
    pub(crate) waits: bool,
    /// Whether its answer has reached the client.
    pub(super) is_answered: bool,
    /// Whether the client waits even if it does not need the answer: it passes an object of its own.
    pub(crate) passes_itself: bool,
    /// The processors to whose objects it passes references.
    pub(crate) passed: Vec<ProcessorId>,
    /// Whether the supplier waits for its client's chain, so that it is served before all others.
    pub(crate) is_callback: bool,
    /// Whether it is an activation of the client's own.
    pub(crate) is_local: bool,
    /// Whether it waits for the lock of its supplier, which it needs for itself alone.
    pub(super) waits_for_lock: bool,
    /// Whether it has that lock.
    pub(super) is_single: bool,
    /// Whether it was sent while a condition was evaluated.
    pub(crate) is_in_condition: bool,
    /// Ticks that it has executed, if they have a pace of their own.
    pub(crate) paced: u64,
    /// Whether its synchronization step is still under way.
    pub(super) synchronizes: bool,
    /// The class of its receiver.
    pub(crate) class: ClassId,
    pub(crate) message: Message,
    /// The process whose end is its end.
    pub(crate) process: Option<ProcessId>,
    /// The process that had the last turn in it.
    pub(super) last: Option<ProcessId>,
    /// The measurement with forks that its client belonged to.
    pub(crate) family: Family,
    /// The answer, as the client sees it.
    pub(crate) answer: Value,
    /// What was made so that the answer could cross.
    pub(crate) answer_made: Made,
    /// The exception by which it failed, as its supplier sees it; nil if it did not.
    pub(crate) failure: Value,
    /// The failure of a command before it, because of which it was not served.
    pub(super) refusal: Option<Box<Failure>>,
    /// The Future of the client that stands for the answer, or nil.
    pub(crate) future: Value,
    /// Whether the client waits for the answer of its future.
    pub(super) is_joined: bool,
}

/// What was made so that values could cross.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Made {
    pub(crate) objects: u64,
    /// By the model.
    pub(crate) bytes: u64,
    /// The class of the value that crossed, the last of several.
    pub(crate) class: Option<ClassId>,
}

impl Made {
    pub(crate) fn add(&mut self, more: Made) {
        if more.objects > 0 {
            self.objects += more.objects;
            self.bytes += more.bytes;
            self.class = more.class;
        }
    }
}

/// Receiver, selector and arguments, as the supplier sees them.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) receiver: Value,
    pub(crate) selector: SymbolId,
    pub(crate) arguments: Vec<Value>,
    /// What was made so that they could cross.
    pub(crate) made: Made,
    /// The method of the program that sends it, and the byte of its unit, if that is recorded.
    pub(crate) site: Option<(MethodId, u32)>,
}

impl Message {
    /// A message that stands for an activation: nothing crosses.
    pub(crate) fn named(selector: SymbolId) -> Message {
        Message {
            receiver: Value::NIL,
            selector,
            arguments: Vec::new(),
            made: Made::default(),
            site: None,
        }
    }
}

impl Request {
    /// A request without a client that waits. The table gives it its number.
    pub(super) fn new(
        client: ProcessorId,
        supplier: ProcessorId,
        (class, message): (ClassId, Message),
    ) -> Request {
        Request {
            number: 0,
            supplier,
            client,
            chain: 0,
            client_chain: 0,
            sent_in: 0,
            branch: 0,
            depth: 0,
            waits: false,
            is_answered: false,
            passes_itself: false,
            passed: Vec::new(),
            is_callback: false,
            is_local: false,
            waits_for_lock: false,
            is_single: false,
            is_in_condition: false,
            paced: 0,
            synchronizes: false,
            class,
            message,
            process: None,
            last: None,
            family: Family::NONE,
            answer: Value::NIL,
            answer_made: Made::default(),
            failure: Value::NIL,
            refusal: None,
            future: Value::NIL,
            is_joined: false,
        }
    }

    /// Shows all values to the collector.
    fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        visit(&mut self.message.receiver);
        self.message.arguments.iter_mut().for_each(&mut *visit);
        visit(&mut self.answer);
        visit(&mut self.failure);
        visit(&mut self.future);
    }
}

/// The number of a row without a request.
const RELEASED: u32 = u32::MAX;

/// The requests under way. A row is used again when its request has ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    rows: Vec<Request>,
    free: Vec<RequestId>,
    made: u32,
}

impl Requests {
    /// Adds a request, and numbers it.
    pub(super) fn add(&mut self, mut request: Request) -> RequestId {
        request.number = self.made;
        self.made += 1;
        match self.free.pop() {
            Some(id) => {
                *self.get_mut(id) = request;
                id
            }
            None => {
                self.rows.push(request);
                RequestId(self.rows.len() as u32 - 1)
            }
        }
    }

    pub(super) fn get(&self, id: RequestId) -> &Request {
        &self.rows[id.0 as usize]
    }

    pub(super) fn get_mut(&mut self, id: RequestId) -> &mut Request {
        &mut self.rows[id.0 as usize]
    }

    /// The request with this row and number, if it is under way.
    pub(super) fn find(&self, row: u32, number: u32) -> Option<RequestId> {
        let found = self.rows.get(row as usize)?;
        (found.number == number && number != RELEASED).then_some(RequestId(row))
    }

    /// Those under way.
    pub(super) fn under_way(&self) -> impl Iterator<Item = &Request> {
        self.rows.iter().filter(|row| row.number != RELEASED)
    }

    /// The request has ended, and nothing refers to it any more.
    pub(super) fn release(&mut self, id: RequestId) {
        let row = self.get_mut(id);
        row.visit(&mut |value| *value = Value::NIL);
        row.message.arguments = Vec::new();
        row.refusal = None;
        row.process = None;
        row.number = RELEASED;
        self.free.push(id);
    }

    /// Keeps the first request alone. Answers the processes of the others that were under way.
    pub(super) fn release_all_but_first(&mut self) -> Vec<ProcessId> {
        let dropped = self.rows.split_off(1);
        self.free.clear();
        dropped.iter().filter_map(|row| row.process).collect()
    }

    /// Bytes of the table, without those of arguments.
    pub(super) fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Request>()
    }

    /// Shows the values of all requests to the collector.
    pub(super) fn visit(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.rows.iter_mut().for_each(|row| row.visit(visit));
    }
}
