//! Turns of processors: a request runs up to its next interaction. Then the engine decides whose turn it is.

#![allow(unsafe_code)]

use super::Next;
use crate::base::{ClassId, Known, Limit, ProcessId, Stop, SymbolId, TargetId, Value};
use crate::bytecode::{FrameKind, Op, Word};
use crate::code::{Target, cache_of};
use crate::counting::Measure;
use crate::machine::Vm;
use crate::processes::{Delivery, Mark, MarkKind, SCRIPT_PRIORITY, Status};
use crate::run::{Args, Exit};
use crate::separate::{
    Answered, Intent, Message, ProcessorId, PutOff, ROOT, RequestId, TrialPhase, Turn,
};

impl Vm {
    /// The running processor ends its turn: it wants to do this now, by its own clock. Until its next turn the program cannot
    /// let the process run.
    pub(super) fn interact(&mut self, intent: Intent) -> Next {
        if !self.running.ended {
            self.running.status = Status::Engaged;
        }
        self.end_turn(intent)
    }

    fn end_turn(&mut self, intent: Intent) -> Next {
        let (id, time) = (self.separate.running, self.virtual_time());
        let (process, executed) = (self.running.id, self.executed());
        self.end_stretch();
        if let Some(engine) = &mut self.separate.engine {
            engine.serves(id, process);
            engine.intend(id, (time, executed), intent);
        }
        self.next_turn()
    }

    fn next_turn(&mut self) -> Next {
        if let Some(stop) = self.run.pending_stop {
            return Next::Exit(Exit::Stop(stop));
        }
        let next = self
            .separate
            .engine
            .as_mut()
            .and_then(|engine| engine.next());
        self.stream_timeline();
        self.tell_unasked_failures();
        self.tell_circles();
        match next {
            Some((id, turn)) => self.take_turn(id, turn),
            None if self.is_ended_by_guide() => Next::Exit(Exit::Stop(Stop::Failed)),
            None => self.come_to_rest(),
        }
    }

    fn take_turn(&mut self, id: ProcessorId, turn: Turn) -> Next {
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        engine.begins(id, turn);
        let last = engine.last_process(id);
        self.change_processor(id);
        self.begin_turn_clock();
        if let Turn::Begin(request) = turn {
            return self.begin_request(id, request);
        }
        let last = last.unwrap_or(self.running.id);
        let put_off = self.separate.take_put_off(id);
        if turn == Turn::Onward {
            return self.switch_from(last);
        }
        if !self.go_on_with(last) {
            // Only a new run takes such processes away, and it forgets the requests too.
            return Next::Exit(Exit::Stop(Stop::Failed));
        }
        if self.is_to_terminate(last) {
            return self.terminate_running();
        }
        match turn {
            Turn::Answer(request) => self.take_answer(request),
            Turn::Sent(request) => self.go_on_after_sending(request),
            Turn::Locked(serial) => self.begin_scope(serial),
            Turn::Settled if self.separate.trial == TrialPhase::Settling => {
                Next::Exit(Exit::Stop(Stop::Finished))
            }
            Turn::Settled => {
                let value = self.separate.settling.take();
                self.leave_marked(value.unwrap_or(Value::NIL))
            }
            Turn::CaughtUp => put_off.map_or(Next::Continue, |one| self.make_up_for(&one)),
            Turn::Onward | Turn::Begin(_) | Turn::Unlock => Next::Continue,
        }
    }

    /// The primitive is called again when the others have caught up. Its window is not live until then.
    pub(super) fn put_off(&mut self, callee: &Target, args: Args) -> Next {
        let one = self.put_off_call(callee, args);
        self.separate.put_off.push((self.separate.running, one));
        self.interact(Intent::Look)
    }

    /// What is to be done again later.
    pub(super) fn put_off_call(&self, callee: &Target, args: Args) -> PutOff {
        let window = args.base..=args.base + args.count;
        let values = window.map(|index| self.running.stack_value(index));
        PutOff {
            target: callee.id,
            base: args.base,
            values: values.collect(),
        }
    }

    /// The others have caught up: the primitive is called now.
    pub(super) fn make_up_for(&mut self, one: &PutOff) -> Next {
        self.put_in_window(one.base, &one.values);
        self.separate.has_caught_up = true;
        let target: *const Target = &*self.code.targets[one.target.0 as usize];
        // SAFETY: targets live as long as the machine.
        let (method, suits) = unsafe { ((*target).method, self.suits(one.values[0], &*target)) };
        let next = match suits {
            true => self.activate_in_window(one.base, target),
            // The receiver has become another object.
            false => {
                let selector = self.method(method).selector;
                self.send_in_window(one.base, selector, one.values.len() - 1, None)
            }
        };
        self.separate.has_caught_up = false;
        next
    }

    /// No process of the running processor can run: it rests until the first of them wakes, or until another processor
    /// makes one of them ready.
    pub(super) fn block_processor(&mut self) -> Next {
        let ticks = self.ticks_to_first_sleeper();
        if self.separate.is_recorded && ticks.is_none() {
            let (id, obstacle) = (self.separate.running, self.obstacle_of_processor());
            if let Some(engine) = &mut self.separate.engine {
                engine.blocks_on(id, obstacle);
            }
        }
        self.end_turn(Intent::Rest(ticks))
    }

    /// Makes the process the running one. A turn is no switch of the program's processes, and is charged nothing. False if
    /// the process is gone.
    pub(super) fn go_on_with(&mut self, process: ProcessId) -> bool {
        if self.running.id != process || self.running.ended {
            let row = self.processes.table.get(process.0 as usize);
            if row.is_none_or(Option::is_none) {
                return false;
            }
            self.switch_out();
            self.switch_in(process);
        }
        self.running.status = Status::Runnable;
        self.running.slice_end = self.choices.slice_end(self.registers.ticks);
        self.set_tick_limit();
        true
    }

    /// Executes the request in a process of its own.
    fn begin_request(&mut self, id: ProcessorId, number: RequestId) -> Next {
        let (Some(serving), Some((receiver, _))) = (self.serving_method(), self.processors_class())
        else {
            self.report_failure("the library has no method that serves requests");
            return Next::Exit(Exit::Stop(Stop::Failed));
        };
        let process = self.new_process(serving, receiver, SCRIPT_PRIORITY);
        self.go_on_with(process);
        if let Some(engine) = &mut self.separate.engine {
            engine.serves(id, process);
        }
        self.charge_reception();
        let time = self.virtual_time();
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let request = engine.request_mut(number);
        request.process = Some(process);
        self.running.family = request.family;
        let selector = request.message.selector;
        let receiver = std::mem::replace(&mut request.message.receiver, Value::NIL);
        let arguments = std::mem::take(&mut request.message.arguments);
        let made = request.message.made;
        let window: Vec<Value> = [receiver].into_iter().chain(arguments).collect();
        self.count_made(made);
        if !self.begins_with_scope(window[0], selector)
            && let Some(engine) = &mut self.separate.engine
        {
            engine.executes(id, number, time);
        }
        self.send_as_served(&window, selector)
    }

    /// Sends the message in place of the send in the running frame, which is that of `serve`.
    pub(super) fn send_as_served(&mut self, window: &[Value], selector: SymbolId) -> Next {
        // SAFETY: the code was verified, and `serving_method` has found that it has a send.
        let base = unsafe {
            let mut ip = self.registers.ip;
            while !is_send(Word(*ip)) {
                ip = ip.add(Word(*ip).op().map_or(1, Op::width));
            }
            self.registers.ip = ip;
            self.frame_index() + cache_of(ip).base()
        };
        self.put_in_window(base, window);
        self.send_in_window(base, selector, window.len() - 1, None)
    }

    /// Whether the method that the message finds locks its arguments' processors.
    fn begins_with_scope(&mut self, receiver: Value, selector: SymbolId) -> bool {
        let class = self.class_of(receiver);
        let found = self.lookup(class, selector);
        found.is_some_and(|method| {
            let code = self.method(method).code.get();
            code.words.first().is_some_and(|word| {
                let word = Word(*word);
                let kind = FrameKind::from_number(word.imm());
                word.op() == Some(Op::MarkFrame)
                    && matches!(kind, Some(FrameKind::Scope | FrameKind::Condition))
            })
        })
    }

    /// The request was sent, and is not waited for.
    fn go_on_after_sending(&mut self, request: RequestId) -> Next {
        // SAFETY: the saved instruction pointer is at the send.
        let base = unsafe { self.frame_index() + cache_of(self.registers.ip).base() };
        let answer = self.answer_of_command(base, request);
        self.answer_send(answer)
    }

    /// The answer of a request has come. A Future keeps it: then the client waited for its value, or because it passed its locks
    /// on.
    fn take_answer(&mut self, request: RequestId) -> Next {
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let cached_as = engine.request(request).number;
        let Answered {
            answer,
            made,
            failure,
            supplier,
            refusal,
            future,
            is_joined,
        } = engine.take_answer(request);
        self.count_made(made);
        let is_refused = refusal.is_some() || !failure.is_nil();
        self.cache_answer(cached_as, answer, is_refused);
        self.run.handles.extend([answer, future]);
        let described = match refusal {
            Some(failure) => self.describe_refusal(&failure),
            None if failure.is_nil() => Value::NIL,
            None => self.describe_failure(failure, supplier),
        };
        let failed = !described.is_nil();
        let future = self.run.handles.pop().unwrap_or(Value::NIL);
        let answer = self.run.handles.pop().unwrap_or(Value::NIL);
        let has_future = !future.is_nil();
        if has_future {
            self.resolve_future(future, answer, described);
        }
        if has_future && !is_joined {
            return self.answer_send(future);
        }
        // SAFETY: the saved instruction pointer is at the send.
        let destination = unsafe { cache_of(self.registers.ip).destination() };
        self.answer_send(answer);
        match failed {
            true => self.deliver_to_library("signal:", described, Some(destination)),
            false => Next::Continue,
        }
    }

    /// The request that ends with the running process, or that of the script.
    pub(super) fn request_of_process(&self) -> Option<RequestId> {
        let engine = self.separate.engine.as_ref()?;
        engine.request_of(self.separate.running, self.running.id)
    }

    /// Whether the running frame, which returns, has to wait for the other processors: it is that of a test.
    pub(super) fn is_to_settle(&mut self) -> bool {
        let engine = self.separate.engine.as_ref();
        let has_others = engine.is_some_and(|engine| engine.is_anything_left());
        has_others && self.separate.running == ROOT && self.is_at_end_of_test()
    }

    /// Whether the running frame is that of a test.
    pub(super) fn is_at_end_of_test(&mut self) -> bool {
        self.running_mark().is_some_and(|mark| {
            mark.frame_kind == Some(FrameKind::Quiet)
                || mark.kind == MarkKind::Measuring(Measure::Test)
        })
    }

    /// The running frame answers the value as soon as nothing is left to happen elsewhere.
    pub(super) fn settle(&mut self, value: Value) -> Next {
        self.separate.settling = Some(value);
        self.interact(Intent::Settle)
    }

    /// The process of the request has ended with this value.
    pub(super) fn end_request(&mut self, number: RequestId, value: Value) -> Next {
        let id = self.separate.running;
        self.observe_answer(number, value);
        if let Some(engine) = &self.separate.engine {
            let request = engine.request(number);
            let is_wanted = request.waits || !request.future.is_nil();
            let (client, failure) = (request.client, request.failure);
            if is_wanted && failure.is_nil() {
                let (answer, made) = self.carry_counted(value, false, (id, client));
                if let Some(engine) = &mut self.separate.engine {
                    let request = engine.request_mut(number);
                    (request.answer, request.answer_made) = (answer, made);
                }
            }
        }
        self.interact(Intent::Finish(number))
    }

    /// Nothing is left to happen: the run is over, or no processor can go on.
    fn come_to_rest(&mut self) -> Next {
        if let Some(engine) = &mut self.separate.engine {
            engine.give_up_failures();
        }
        self.tell_unasked_failures();
        self.tell_what_stands_still();
        let engine = self.separate.engine.as_ref();
        let is_quiet = engine.is_none_or(|engine| engine.is_quiet());
        let stop = match (is_quiet, self.run.failed) {
            _ if engine.is_some_and(|engine| engine.is_over()) => Stop::Limit(Limit::VirtualTime),
            (true, false) => Stop::Finished,
            (true, true) => Stop::Failed,
            (false, _) => Stop::Deadlock,
        };
        Next::Exit(Exit::Stop(stop))
    }

    // --- scopes -----------------------------------------------------------------------------------

    /// The frame of a method with `<separate>` was entered: it waits for the locks of its separate arguments (R7).
    pub(super) fn enter_scope(&mut self) -> Next {
        if self.separate.engine.is_none() {
            return Next::Continue;
        }
        let frame = self.frame_index();
        let count = usize::from(self.running_code(frame).argument_count);
        let owners = self.owners_of_arguments(frame, count);
        let mark = self.running.frame_mark(frame).wrapping_sub(1);
        let Some(&mark) = self.running.marks.get(mark) else {
            return Next::Continue;
        };
        let (id, time, process) = (self.separate.running, self.virtual_time(), self.running.id);
        let message = self.message_of_frame(frame);
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        if !engine.is_beginning(id, process) {
            self.change_stretch(|vm| {
                if let Some(engine) = &mut vm.separate.engine {
                    engine.begin_local(id, message, process, time);
                }
            });
        }
        let owners = self.assumed_locks(owners);
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let has_condition = mark.frame_kind == Some(FrameKind::Condition);
        if engine.open_scope(id, (mark.serial, has_condition), &owners, time) {
            return self.interact(Intent::Lock(mark.serial));
        }
        if mark.frame_kind == Some(FrameKind::Scope) {
            self.end_synchronization(mark.serial);
        }
        Next::Continue
    }

    /// The processors of the separate arguments. In the library's own methods an Array stands for its elements.
    fn owners_of_arguments(&self, frame: usize, count: usize) -> Vec<ProcessorId> {
        let is_library = self.image.is_of_library(self.running_code(frame).method);
        let mut owners = Vec::new();
        for register in 1..=count {
            let value = self.running.frame_register(frame, register);
            if is_library && value.is_object() && self.is_a(value, Known::Array) {
                let elements = self.heap.slots(value).iter();
                owners.extend(elements.filter_map(|&one| Some(self.referred(one)?.0)));
            }
            owners.extend(self.referred(value).map(|(owner, _)| owner));
        }
        owners
    }

    /// The step of synchronization that the scope belongs to has ended.
    fn end_synchronization(&mut self, serial: u64) {
        let (id, time) = (self.separate.running, self.virtual_time());
        if let Some(engine) = &mut self.separate.engine
            && let Some(request) = engine.request_of_scope(id, serial)
        {
            engine.executes(id, request, time);
        }
    }

    /// What began the frame, without its receiver and arguments, and the class of the receiver.
    fn message_of_frame(&mut self, frame: usize) -> (ClassId, Message) {
        let class = self.class_of(self.running.frame_register(frame, 0));
        let method = self.running_code(frame).method;
        let selector = self.method(method).selector;
        (class, Message::named(selector))
    }

    /// The locks are there. A condition that was false before is evaluated again.
    fn begin_scope(&mut self, serial: u64) -> Next {
        let id = self.separate.running;
        let engine = self.separate.engine.as_mut();
        let condition = match engine.and_then(|engine| engine.scope(id, serial)) {
            Some(scope) => std::mem::replace(&mut scope.condition, Value::NIL),
            None => Value::NIL,
        };
        self.charge_locks(serial);
        if !condition.is_nil() {
            return self.evaluate_condition(condition);
        }
        let kind = self.running_mark().and_then(|mark| mark.frame_kind);
        if kind == Some(FrameKind::Scope) {
            self.end_synchronization(serial);
        }
        Next::Continue
    }

    /// The mark of the running frame.
    fn running_mark(&mut self) -> Option<&mut Mark> {
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame);
        self.running.marks.get_mut(mark.wrapping_sub(1))
    }

    /// Evaluates the block that is the condition of the running frame (R8).
    pub(super) fn evaluate_condition(&mut self, block: Value) -> Next {
        self.charge_evaluation();
        let Some(body) = self.block_body(block, 0) else {
            return self.answer_send(Value::NIL);
        };
        let delivery = Delivery {
            distance: self.delivery_distance(),
            destination: None,
        };
        let at = self.registers.ip;
        self.enter_delivered(body, &[block], delivery, MarkKind::Requirement, at);
        self.poll_at_entry(body)
    }

    /// The condition's block has answered this value. The running frame is at the send of `require:`.
    pub(super) fn decide_condition(&mut self, value: Value, block: Value) -> Next {
        let (id, time) = (self.separate.running, self.virtual_time());
        let frame = self.frame_index();
        let receiver = self.running.frame_register(frame, 0);
        let Some(mark) = self.running_mark() else {
            return self.answer_send(receiver);
        };
        let serial = mark.serial;
        if value != Value::TRUE && value != Value::FALSE {
            self.answer_send(receiver);
            return self.deliver_to_library("conditionIs:", value, None);
        }
        if value == Value::TRUE {
            // A second `require:` is a message like others.
            mark.frame_kind = Some(FrameKind::Scope);
            if let Some(engine) = &mut self.separate.engine {
                engine.fulfilled(id, serial, time);
            }
            return self.answer_send(receiver);
        }
        let engine = self.separate.engine.as_mut();
        match engine.and_then(|engine| engine.scope(id, serial)) {
            Some(scope) if !scope.suppliers.is_empty() => {
                scope.condition = block;
                self.interact(Intent::Retry(serial))
            }
            _ => {
                self.answer_send(receiver);
                self.condition_failed()
            }
        }
    }

    /// A frame with this mark goes: the locks of its scope go back.
    pub(super) fn leave_scope(&mut self, serial: u64) {
        let (id, time) = (self.separate.running, self.virtual_time());
        self.change_stretch(|vm| {
            if let Some(engine) = &mut vm.separate.engine {
                engine.close_scope(id, serial, time);
            }
        });
    }

    // --- what the library does ----------------------------------------------------------------------

    /// The class that does the library's part, and its metaclass.
    fn processors_class(&self) -> Option<(Value, ClassId)> {
        let object = self.class_object(self.separate.library?.class);
        Some((object, self.class_of(object)))
    }

    /// The method in whose frame requests are executed: one without arguments, with a send.
    fn serving_method(&mut self) -> Option<TargetId> {
        let (object, class) = self.processors_class()?;
        self.method_that_serves((object, class), self.separate.library?.serve)
    }

    /// The method for the selector in whose frame a message can stand for a send: it has a send, and no arguments.
    pub(super) fn method_that_serves(
        &mut self,
        (object, class): (Value, ClassId),
        selector: SymbolId,
    ) -> Option<TargetId> {
        let method = self.lookup(class, selector)?;
        let code = self.method(method).code.get();
        let mut words = code.words.as_slice();
        while let [first, ..] = words
            && !is_send(Word(*first))
        {
            words = words
                .get(Word(*first).op().map_or(1, Op::width)..)
                .unwrap_or(&[]);
        }
        let has_send = code.primitive.is_none() && code.quick.is_none() && !words.is_empty();
        let target = has_send.then(|| self.link(method))?;
        self.suits(object, self.code.target(target))
            .then_some(target)
    }

    /// The send at the saved instruction pointer is a request outside of a scope, where that is an error (R6). Its answer is
    /// what the handler answers.
    pub(super) fn refuse_uncontrolled(&mut self, selector: SymbolId) -> Next {
        // SAFETY: the saved instruction pointer is at the send.
        let destination = unsafe { cache_of(self.registers.ip).destination() };
        self.answer_send(Value::NIL);
        self.deliver_to_library("uncontrolled:", Value::symbol(selector), Some(destination))
    }

    fn condition_failed(&mut self) -> Next {
        self.deliver_to_library("conditionFailed:", Value::NIL, None)
    }

    /// Delivers a message to the class SeparateProcessor; its answer goes into that register, or nowhere.
    fn deliver_to_library(
        &mut self,
        selector: &str,
        argument: Value,
        destination: Option<u16>,
    ) -> Next {
        let Some((receiver, class)) = self.processors_class() else {
            return Next::Continue;
        };
        self.run.handles.push(argument);
        let selector = self.symbol(selector).as_symbol();
        let target = selector.and_then(|selector| self.target_for(class, selector));
        let argument = self.run.handles.pop().unwrap_or(Value::NIL);
        let receiver = self
            .processors_class()
            .map_or(receiver, |(object, _)| object);
        let Some(target) = target else {
            return Next::Continue;
        };
        let distance = self.delivery_distance();
        let at = self.registers.ip;
        self.deliver(target, distance, &[receiver, argument], destination, at)
    }
}

/// Whether the instruction sends a message.
fn is_send(word: Word) -> bool {
    word.op()
        .is_some_and(|op| op == Op::Send || op.is_formed_send())
}
