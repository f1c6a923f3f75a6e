//! Turns of processors: a request runs up to its next interaction. Then the engine decides whose turn it is.

#![allow(unsafe_code)]

use super::Next;
use crate::base::{ClassId, ProcessId, Stop, TargetId, Value};
use crate::bytecode::{FrameKind, Op, Word};
use crate::code::cache_of;
use crate::machine::Vm;
use crate::processes::{Delivery, MarkKind, SCRIPT_PRIORITY};
use crate::run::Exit;
use crate::separate::{Intent, Message, ProcessorId, RequestId, Turn};

impl Vm {
    /// The running processor ends its turn: it wants to do this now, by its own clock.
    pub(super) fn interact(&mut self, intent: Intent) -> Next {
        let (id, time) = (self.separate.running, self.virtual_time());
        let process = self.running.id;
        if let Some(engine) = &mut self.separate.engine {
            engine.serves(id, process);
            let ticks = time.saturating_sub(engine.now());
            engine.intend(id, (time, ticks), intent);
        }
        self.next_turn()
    }

    fn next_turn(&mut self) -> Next {
        let next = self
            .separate
            .engine
            .as_mut()
            .and_then(|engine| engine.next());
        match next {
            Some((id, turn)) => self.take_turn(id, turn),
            None => self.come_to_rest(),
        }
    }

    fn take_turn(&mut self, id: ProcessorId, turn: Turn) -> Next {
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        engine.begins(id, turn);
        let request = engine.innermost(id);
        let process = engine.request(request).process;
        self.change_processor(id);
        if let Turn::Begin(request) = turn {
            return self.begin_request(id, request);
        }
        if let Some(process) = process {
            self.go_on_with(process);
        }
        self.separate.started = self.sends().wrapping_add(self.loops());
        match turn {
            Turn::Answer(request) => self.take_answer(request),
            Turn::Locked => self.begin_scope(),
            Turn::Onward | Turn::Begin(_) => Next::Continue,
        }
    }

    /// Each processor has processes of its own that are ready.
    fn change_processor(&mut self, id: ProcessorId) {
        let before = std::mem::replace(&mut self.separate.running, id);
        if before != id {
            let ready = self.separate.ready_of(id);
            let ready = std::mem::replace(&mut self.processes.ready, ready);
            self.separate.keep_ready(before, ready);
        }
    }

    /// No process of the running processor can run.
    pub(super) fn block_processor(&mut self) -> Next {
        let (id, process) = (self.separate.running, self.running.id);
        if let Some(engine) = &mut self.separate.engine {
            engine.serves(id, process);
            engine.block(id);
        }
        self.next_turn()
    }

    /// Makes the process the running one. A turn is no switch of the program's processes, and is charged nothing.
    fn go_on_with(&mut self, process: ProcessId) {
        if self.running.id != process || self.running.ended {
            self.switch_out();
            self.switch_in(process);
        }
        self.running.slice_end = self.choices.slice_end(self.registers.ticks);
        self.set_tick_limit();
    }

    /// Executes the request in a process of its own.
    fn begin_request(&mut self, id: ProcessorId, number: RequestId) -> Next {
        let Some(serving) = self.serving_method() else {
            self.report_failure("the library has no method that serves requests");
            return Next::Exit(Exit::Stop(Stop::Failed));
        };
        let receiver = self
            .processors_class()
            .map_or(Value::NIL, |(object, _)| object);
        let process = self.new_process(serving, receiver, SCRIPT_PRIORITY);
        self.go_on_with(process);
        self.separate.started = self.sends().wrapping_add(self.loops());
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        engine.serves(id, process);
        let request = engine.request_mut(number);
        self.running.family = request.family;
        let (selector, count) = (request.message.selector, request.message.arguments.len());
        let arguments = std::mem::take(&mut request.message.arguments);
        let arguments = self.receive(arguments);
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let message = &mut engine.request_mut(number).message;
        let receiver = std::mem::replace(&mut message.receiver, Value::NIL);
        let window: Vec<Value> = [receiver].into_iter().chain(arguments).collect();
        // SAFETY: the method's code was verified, and has a send.
        let base = unsafe {
            let mut ip = self.registers.ip;
            while !Word(*ip)
                .op()
                .is_some_and(|op| op == Op::Send || op.is_formed_send())
            {
                ip = ip.add(Word(*ip).op().map_or(1, Op::width));
            }
            self.registers.ip = ip;
            self.frame_index() + cache_of(ip).base()
        };
        self.put_in_window(base, &window);
        let next = self.send_in_window(base, selector, count, None);
        if !self.enters_scope() {
            self.end_synchronization();
        }
        next
    }

    /// Whether the running frame has just been entered and begins with a scope.
    fn enters_scope(&self) -> bool {
        // SAFETY: the saved instruction pointer is at an instruction of verified code.
        let word = unsafe { Word(*self.registers.ip) };
        let is_scope = |kind| matches!(kind, Some(FrameKind::Scope | FrameKind::Condition));
        word.op() == Some(Op::MarkFrame) && is_scope(FrameKind::from_number(word.imm()))
    }

    fn end_synchronization(&mut self) {
        let (id, time) = (self.separate.running, self.virtual_time());
        if let Some(engine) = &mut self.separate.engine {
            engine.executes(id, time);
        }
    }

    fn take_answer(&mut self, request: RequestId) -> Next {
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let request = engine.request_mut(request);
        let answer = std::mem::replace(&mut request.answer, Value::NIL);
        let failure = std::mem::replace(&mut request.failure, Value::NIL);
        if failure.is_nil() {
            let answer = self.receive(vec![answer]).pop().unwrap_or(Value::NIL);
            return self.answer_send(answer);
        }
        self.answer_send(Value::NIL);
        let described = self.describe_failure(failure);
        self.signal_again(described)
    }

    /// The process of a request has ended with this value.
    pub(super) fn end_request(&mut self, value: Value) -> Next {
        let id = self.separate.running;
        if let Some(engine) = &self.separate.engine {
            let number = engine.innermost(id);
            let request = engine.request(number);
            let (waits, client, failure) = (request.waits, request.client, request.failure);
            if waits && failure.is_nil() {
                let answer = self.carry(value, id, client);
                if let Some(engine) = &mut self.separate.engine {
                    engine.request_mut(number).answer = answer;
                }
            }
        }
        self.interact(Intent::Finish)
    }

    /// Whether the running process executes a request of its processor, or the script.
    pub(crate) fn executes_request(&self) -> bool {
        let id = self.separate.running;
        self.separate.engine.as_ref().is_some_and(|engine| {
            let request = engine.request(engine.innermost(id));
            request.process == Some(self.running.id)
        })
    }

    /// Nothing is left to happen: the run is over, or no processor can go on.
    fn come_to_rest(&mut self) -> Next {
        let is_over = self
            .separate
            .engine
            .as_ref()
            .is_none_or(|engine| engine.is_quiet());
        let stop = match (is_over, self.run.failed) {
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
        let arguments = (1..=count).map(|register| self.running.frame_register(frame, register));
        let owners = arguments.filter_map(|value| Some(self.referred(value)?.0));
        let owners: Vec<ProcessorId> = owners.collect();
        let mark = self.running.frame_mark(frame).wrapping_sub(1);
        let Some(&mark) = self.running.marks.get(mark) else {
            return Next::Continue;
        };
        let (id, time, process) = (self.separate.running, self.virtual_time(), self.running.id);
        let message = self.message_of_frame(frame);
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        if !engine.is_beginning(id) {
            engine.begin_local(id, message, process, time);
        }
        if engine.open_scope(id, mark.serial, &owners, time) {
            return self.interact(Intent::Lock);
        }
        if mark.frame_kind == Some(FrameKind::Scope) {
            self.end_synchronization();
        }
        Next::Continue
    }

    /// What began the frame, without its receiver and arguments, and the class of the receiver.
    fn message_of_frame(&mut self, frame: usize) -> (ClassId, Message) {
        let class = self.class_of(self.running.frame_register(frame, 0));
        let method = self.running_code(frame).method;
        let selector = self.method(method).selector;
        let message = Message {
            receiver: Value::NIL,
            selector,
            arguments: Vec::new(),
        };
        (class, message)
    }

    /// The locks are there. A condition that was false before is evaluated again.
    fn begin_scope(&mut self) -> Next {
        let id = self.separate.running;
        let Some(engine) = &mut self.separate.engine else {
            return Next::Continue;
        };
        let condition = match engine.scope(id) {
            Some(scope) => std::mem::replace(&mut scope.condition, Value::NIL),
            None => Value::NIL,
        };
        if !condition.is_nil() {
            return self.evaluate_condition(condition);
        }
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame).wrapping_sub(1);
        let kind = self
            .running
            .marks
            .get(mark)
            .and_then(|mark| mark.frame_kind);
        if kind == Some(FrameKind::Scope) {
            self.end_synchronization();
        }
        Next::Continue
    }

    /// Evaluates the block that is the condition of the running frame (R8).
    pub(super) fn evaluate_condition(&mut self, block: Value) -> Next {
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
        if value == Value::TRUE {
            let mark = self.running.frame_mark(frame).wrapping_sub(1);
            if let Some(mark) = self.running.marks.get_mut(mark) {
                // A second `require:` is a message like others.
                mark.frame_kind = Some(FrameKind::Scope);
            }
            if let Some(engine) = &mut self.separate.engine {
                engine.fulfilled(id, time);
            }
            return self.answer_send(receiver);
        }
        let scope = self
            .separate
            .engine
            .as_mut()
            .and_then(|engine| engine.scope(id));
        match scope {
            Some(scope) if !scope.suppliers.is_empty() => {
                scope.condition = block;
                self.interact(Intent::Retry)
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
        if let Some(engine) = &mut self.separate.engine {
            engine.close_scope(id, serial, time);
        }
    }

    // --- what the library does ----------------------------------------------------------------------

    /// The class that does the library's part, and its metaclass.
    fn processors_class(&self) -> Option<(Value, ClassId)> {
        let object = self.class_object(self.find_class("SeparateProcessor")?);
        Some((object, self.class_of(object)))
    }

    fn serving_method(&mut self) -> Option<TargetId> {
        if let Some(known) = self.separate.serving {
            return Some(known);
        }
        let (_, class) = self.processors_class()?;
        let selector = self.symbol("serve").as_symbol()?;
        let method = self.lookup(class, selector)?;
        let target = self.link(method);
        self.separate.serving = Some(target);
        Some(target)
    }

    fn signal_again(&mut self, failure: Value) -> Next {
        self.deliver_to_library("signal:", failure)
    }

    fn condition_failed(&mut self) -> Next {
        self.deliver_to_library("conditionFailed:", Value::NIL)
    }

    /// Delivers a message to the class SeparateProcessor; its answer goes nowhere.
    fn deliver_to_library(&mut self, selector: &str, argument: Value) -> Next {
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
        self.deliver(target, distance, &[receiver, argument], None, at)
    }
}
