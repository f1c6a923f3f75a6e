//! Primitives of processors in virtual time: creating one, sending to objects of others, conditions of scopes.

use super::reflection::answer;
use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, Limit, MethodId, Stop, SymbolId, Value};
use crate::bytecode::FrameKind;
use crate::machine::{Purpose, Vm};
use crate::run::{Args, Request};
use crate::separate::{Intent, MOST_SENT, Made, Message, ProcessorId, QueryKey, RequestId};

/// Requests whose clients wait, one around the other. More would be a recursion without end.
const MOST_NESTED: u32 = 10_000;

/// For what the client of a request waits: its answer in any case, or the locks that it passes on.
#[derive(Default)]
struct Needs {
    answer: bool,
    /// Whether it passes an object of its own, and the processors to whose objects it passes references.
    passed: (bool, Vec<ProcessorId>),
}

/// A message that is sent.
struct Sending {
    needs: Needs,
    /// Under what its answer will be used again, if it will be.
    query: Option<QueryKey>,
    message: Message,
    /// What stands for its answer, or nil.
    future: Value,
}

rows! {
    "separateCreate"(0) library requests => create,
        "A class that is no metaclass: a reference to it, handled by a new processor.";
    "separateSend"(1) library requests => send,
        "A reference to an object of another processor, and a Message: the answer of that request, or the reference if the client does not wait for it.";
    "separateRequire"(1) library requests => require,
        "In a method with `<separate>`, as its first statement, and a block without arguments: the receiver, as soon as the block answers true while all locks are held.";
    "separateAwait"(0) library allocates => wait_for,
        "A reference: one to the same object; what is sent to it is waited for.";
    "separateFuture"(0) library allocates => future,
        "A reference: one to the same object; what is sent to it answers a Future.";
    "separateByCopy"(0) library allocates => by_copy,
        "An object: a reference by which a deep copy of it crosses to another processor. The object itself as long as there are no processors.";
    "separateLocals"(0) library leaf => locals,
        "Always: what the running processor has kept by separateKeepLocals, or nil.";
    "separateKeepLocals"(1) library leaf => keep_locals,
        "Anything, which the running processor keeps: the receiver.";
    "futureValue"(0) library requests => future_value,
        "A Future: its value, as soon as that is there. Declines if it is there already.";
    "separateHash"(0) library leaf => hash,
        "A reference: a SmallInteger made of the path of its owner and its number there.";
    "separateName"(0) library allocates => name,
        "A reference: a String of the class and the path of its owner.";
}

fn create(vm: &mut Vm, args: Args) -> Answer {
    let class = args.receiver(vm);
    let id = vm.class_of_class_object(class);
    if id.is_none_or(|id| vm.class(id).is_metaclass) {
        return Answer::DECLINE;
    }
    if vm.actors.are_any() {
        vm.report_failure("actors and processors cannot be used in one program");
        vm.run.request = Request::Stop(Stop::Failed);
        return Answer::REQUEST;
    }
    if vm.is_watched() {
        vm.report_failure("a program whose processes are guided cannot make processors");
        vm.run.request = Request::Stop(Stop::Failed);
        return Answer::REQUEST;
    }
    if vm.is_merged_class(class) && vm.is_to_catch_up() {
        return vm.request_catching_up();
    }
    let reference = vm.new_processor(class);
    // With the first processor, instructions of shared variables get other handlers.
    answer(vm, reference)
}

fn send(vm: &mut Vm, args: Args) -> Answer {
    let message = args.at(vm, 0);
    if !message.is_object() || !vm.is_a(message, Known::Message) {
        return Answer::DECLINE;
    }
    let &[selector, arguments] = vm.heap.slots(message) else {
        return Answer::DECLINE;
    };
    let is_array = arguments.is_object() && vm.is_a(arguments, Known::Array);
    let Some(selector) = selector.as_symbol().filter(|_| is_array) else {
        return Answer::DECLINE;
    };
    let arguments = vm.heap.slots(arguments).to_vec();
    let (selector, arguments) = performed(vm, selector, arguments);
    if super::control::selector_arity(vm.symbol_text(selector)) != arguments.len() {
        return Answer::DECLINE;
    }
    vm.send_separately(args, selector, arguments)
}

/// The message that a `perform:` sends, else the message itself.
fn performed(vm: &Vm, selector: SymbolId, arguments: Vec<Value>) -> (SymbolId, Vec<Value>) {
    let text = vm.symbol_text(selector);
    let wanted = arguments.first().and_then(|first| first.as_symbol());
    let Some(wanted) = wanted.filter(|_| text.starts_with("perform:")) else {
        return (selector, arguments);
    };
    match (text, arguments.get(1)) {
        ("perform:withArguments:", Some(&list))
            if list.is_object() && vm.is_a(list, Known::Array) =>
        {
            (wanted, vm.heap.slots(list).to_vec())
        }
        ("perform:withArguments:" | "perform:withArguments:inSuperclass:", _) => {
            (selector, arguments)
        }
        _ => (wanted, arguments[1..].to_vec()),
    }
}

fn require(vm: &mut Vm, args: Args) -> Answer {
    let block = args.at(vm, 0);
    let frame = vm.frame_index();
    let mark = vm.running.frame_mark(frame).wrapping_sub(1);
    let kind = vm.running.marks.get(mark).and_then(|mark| mark.frame_kind);
    let is_first = kind == Some(FrameKind::Condition);
    if !is_first || super::control::block_arity(vm, block) != Some(0) {
        return Answer::DECLINE;
    }
    vm.run.request = Request::Require;
    Answer::REQUEST
}

fn wait_for(vm: &mut Vm, args: Args) -> Option<Value> {
    marked(vm, args, Purpose::Await)
}

fn future(vm: &mut Vm, args: Args) -> Option<Value> {
    marked(vm, args, Purpose::Future)
}

fn marked(vm: &mut Vm, args: Args, purpose: Purpose) -> Option<Value> {
    let reference = args.receiver(vm);
    vm.referred(reference)?;
    Some(vm.reference_for(purpose, reference))
}

fn by_copy(vm: &mut Vm, args: Args) -> Value {
    let object = args.receiver(vm);
    let is_own = object.is_object() && vm.referred(object).is_none();
    match is_own && vm.separate.engine.is_some() {
        true => vm.marked_for_copy(object),
        false => object,
    }
}

fn locals(vm: &mut Vm, _args: Args) -> Value {
    let kept = vm.separate.locals.get(&vm.separate.running);
    kept.copied().unwrap_or(Value::NIL)
}

fn keep_locals(vm: &mut Vm, args: Args) -> Value {
    let processor = vm.separate.running;
    vm.separate.locals.insert(processor, args.at(vm, 0));
    args.receiver(vm)
}

fn future_value(vm: &mut Vm, args: Args) -> Answer {
    match vm.request_of_future(args.receiver(vm)) {
        Some(request) => {
            vm.run.request = Request::Interact(Intent::Join(request));
            Answer::REQUEST
        }
        None => Answer::DECLINE,
    }
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    let hash = vm.hash_of_reference(args.receiver(vm))?;
    Some(Value::int(i64::from(hash)))
}

fn name(vm: &mut Vm, args: Args) -> Option<Value> {
    let text = vm.name_of_reference(args.receiver(vm))?;
    Some(vm.make_string(&text))
}

impl Vm {
    /// Whether the others have to catch up before the primitive that is called: it is ordered, and its processor has run
    /// ahead.
    pub(super) fn is_to_catch_up(&mut self) -> bool {
        let running = self.separate.running;
        let Some(engine) = &mut self.separate.engine else {
            return false;
        };
        // In any case: the guide has allowed what was put off.
        let is_to_show = engine.is_to_show(running);
        let has_caught_up = std::mem::take(&mut self.separate.has_caught_up);
        !has_caught_up && (is_to_show || self.ticks_ahead() > 0)
    }

    /// Lets the loop call the primitive again when they have.
    pub(super) fn request_catching_up(&mut self) -> Answer {
        self.run.request = Request::CatchUp;
        Answer::REQUEST
    }

    /// Sends a message to a reference. Declines if it is none.
    pub(crate) fn send_separately(
        &mut self,
        args: Args,
        selector: SymbolId,
        arguments: Vec<Value>,
    ) -> Answer {
        let reference = args.receiver(self);
        let Some((supplier, target)) = self.referred(reference) else {
            return Answer::DECLINE;
        };
        let client = self.separate.running;
        if supplier == client {
            return self.send_at_home(args, target, selector, arguments);
        }
        if self.is_uncontrolled(supplier, target) {
            return self.refuse_uncontrolled_request(selector);
        }
        let site = self.site_of_request();
        let needs = self.needs(args, selector, &arguments, site);
        let query = match needs.answer {
            true => self.key_of_query(reference, selector, &arguments),
            false => None,
        };
        if let Some(answer) = query.as_ref().and_then(|key| self.cached_answer(key)) {
            self.note_use_of_assumption();
            self.observe_cached(reference, selector, answer);
            return answer.into();
        }
        let (mut message, future) =
            self.carry_message(args, target, (selector, arguments), supplier);
        message.site = site;
        let sending = Sending {
            needs,
            query,
            message,
            future,
        };
        self.send_to(supplier, args, sending)
    }

    /// Sends a message that can cross, and waits for the answer if need be.
    fn send_to(&mut self, supplier: ProcessorId, args: Args, sending: Sending) -> Answer {
        let Sending {
            needs,
            query,
            message,
            future,
        } = sending;
        let class = self.class_of(message.receiver);
        let client = self.separate.running;
        self.charge_call(&message);
        let (time, executed) = (self.virtual_time(), self.executed());
        let is_far_ahead = self.is_far_ahead() || self.separate.sent >= MOST_SENT;
        self.separate.sent += 1;
        let family = self.running.family;
        let Some(engine) = &mut self.separate.engine else {
            return Answer::DECLINE;
        };
        let is_loose = engine.is_chain_loose(client);
        let is_late = is_loose || is_far_ahead;
        let waits = (needs.answer, is_late);
        let request = engine.prepare(client, supplier, (class, message), waits, needs.passed);
        let row = engine.request_mut(request);
        (row.family, row.future) = (family, future);
        let (waits, depth, number) = (row.waits, row.depth, row.number);
        if depth > MOST_NESTED {
            self.stop_at_next_poll(Stop::Limit(Limit::Depth));
            return Value::NIL.into();
        }
        if !waits && !is_late {
            engine.command(request, (time, executed));
            self.check_memory();
            return self.answer_of_command(args.base, request).into();
        }
        if let Some(key) = query {
            self.cache_later(number, key);
        }
        self.run.request = Request::Interact(match (is_loose, is_late) {
            (true, _) => Intent::Send(request),
            (false, true) => Intent::SendAhead(request),
            (false, false) => Intent::Call(request),
        });
        Answer::REQUEST
    }

    /// Whether control is strict and no scope of the client's chain has locked the supplier. A message to the class of a new
    /// processor makes an object there, for which there is nothing to lock yet.
    fn is_uncontrolled(&self, supplier: ProcessorId, target: Value) -> bool {
        let engine = self.separate.engine.as_ref();
        self.separate.simulation.strict_control
            && self.class_of_class_object(target).is_none()
            && engine.is_some_and(|engine| !engine.controls(self.separate.running, supplier))
    }

    fn refuse_uncontrolled_request(&mut self, selector: SymbolId) -> Answer {
        self.run.request = Request::RefuseUncontrolled { selector };
        Answer::REQUEST
    }

    /// The receiver of the message came from this processor and never left.
    fn send_at_home(
        &mut self,
        args: Args,
        target: Value,
        selector: SymbolId,
        arguments: Vec<Value>,
    ) -> Answer {
        let window: Vec<Value> = [target].into_iter().chain(arguments).collect();
        self.put_in_window(args.base, &window);
        self.run.request = Request::Perform {
            selector,
            count: window.len() - 1,
            start: None,
        };
        Answer::REQUEST
    }

    /// What the client gets that does not wait for the answer of the request: the Future, or the reference that stands for the
    /// receiver, which is in the window.
    pub(crate) fn answer_of_command(&mut self, base: usize, request: RequestId) -> Value {
        let reference = self.running.stack_value(base);
        let engine = self.separate.engine.as_ref();
        let row = engine.map(|engine| engine.request(request));
        if let Some(row) = row.filter(|row| !row.future.is_nil()) {
            let (future, number) = (row.future, row.number);
            self.await_future(future, request, number);
            return future;
        }
        match self.referred(reference) {
            Some((owner, target)) if self.purpose(reference).is_some() => {
                self.reference_to(target, owner)
            }
            _ => reference,
        }
    }

    /// Whether an argument is an object of the processor's own, and the processors to whose objects they refer.
    fn passed_by(&mut self, arguments: &[Value]) -> (bool, Vec<ProcessorId>) {
        let mut passed = (false, Vec::new());
        for &argument in arguments {
            if !self.is_assumed_copy(argument) {
                self.note_passed(argument, &mut passed);
            }
        }
        passed
    }

    /// The message as the supplier sees it, and the Future that stands for its answer, or nil.
    fn carry_message(
        &mut self,
        args: Args,
        target: Value,
        (selector, arguments): (SymbolId, Vec<Value>),
        supplier: ProcessorId,
    ) -> (Message, Value) {
        let client = self.separate.running;
        let first = self.run.handles.len();
        self.run.handles.push(target);
        self.run.handles.extend(arguments);
        let end = self.run.handles.len();
        let future = match self.purpose(args.receiver(self)) {
            Some(Purpose::Future) => self.new_future(),
            _ => Value::NIL,
        };
        self.run.handles.push(future);
        let mut made = Made::default();
        for index in first + 1..end {
            let argument = self.run.handles[index];
            let is_copy = self.is_assumed_copy(argument);
            if is_copy {
                self.note_use_of_assumption();
            }
            let (carried, more) = self.carry_counted(argument, is_copy, (client, supplier));
            self.run.handles[index] = carried;
            made.add(more);
        }
        let future = self.run.handles.pop().unwrap_or(Value::NIL);
        let mut values = self.run.handles.drain(first..);
        let message = Message {
            receiver: values.next().unwrap_or(Value::NIL),
            selector,
            arguments: values.collect(),
            made,
            site: None,
        };
        (message, future)
    }

    /// What the client of the request waits for.
    fn needs(
        &mut self,
        args: Args,
        selector: SymbolId,
        arguments: &[Value],
        site: Option<(MethodId, u32)>,
    ) -> Needs {
        let reference = args.receiver(self);
        if self.is_assumed_async(site) {
            self.note_use_of_assumption();
            return Needs::default();
        }
        let target = self.referred(reference).map(|(_, target)| target);
        Needs {
            answer: target.is_some_and(|target| self.needs_answer(reference, target, selector)),
            passed: self.passed_by(arguments),
        }
    }

    /// Whether the client of the send at the saved instruction pointer waits in any case: it says so, or the answer is used, and
    /// known only when the method has run.
    fn needs_answer(&mut self, reference: Value, target: Value, selector: SymbolId) -> bool {
        match self.purpose(reference) {
            Some(Purpose::Await) => true,
            Some(_) => false,
            None => {
                let class = self.class_of(target);
                !self.answer_is_discarded() && !self.answers_itself(class, selector)
            }
        }
    }

    /// Whether nothing uses the answer of the send at the saved instruction pointer.
    fn answer_is_discarded(&mut self) -> bool {
        let frame = self.frame_index();
        let code = self.running_code(frame).id.0;
        let site = self.send_site(code, self.registers.ip as usize);
        let Some(site) = site else { return false };
        let code = self.method(site.method).code.get();
        code.sites
            .get(site.index as usize)
            .is_some_and(|site| site.discarded)
    }

    /// Whether the method that the message finds is compiled code that can only answer its receiver.
    fn answers_itself(&mut self, class: ClassId, selector: SymbolId) -> bool {
        let found: Option<MethodId> = self.lookup(class, selector);
        found.is_some_and(|method| {
            let code = self.method(method).code.get();
            code.primitive.is_none() && code.answers_self
        })
    }
}
