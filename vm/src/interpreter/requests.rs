//! The requests of primitives that need frames: evaluating blocks, performing, unwinding, switching.

#![allow(unsafe_code)]

use super::{Next, enter_frame};
use crate::base::{ClassId, MethodId, Stop, SymbolId, Value};
use crate::bytecode::{SEND_WORDS, Word};
use crate::code::{Activation, Target, cache_of};
use crate::counting::Measure;
use crate::machine::{LoadError, Vm};
use crate::primitives::Answer;
use crate::processes::{Delivery, MarkKind, Status};
use crate::run::{Args, Exit, Request};

impl Vm {
    /// Executes the request that a primitive left. The saved instruction pointer is still at the send.
    #[inline(never)]
    pub(super) fn carry_out_request(&mut self, callee: &Target, args: Args) -> Next {
        match std::mem::replace(&mut self.run.request, Request::None) {
            Request::None => Next::Continue,
            Request::EvaluateBlock { count } => {
                let block = self.running.stack_value(args.base);
                match self.block_body(block, count) {
                    Some(body) => self.enter_in_window(args.base, body),
                    None => self.answer_send(Value::NIL),
                }
            }
            Request::Perform {
                selector,
                count,
                start,
            } => self.send_in_window(args.base, selector, count, start),
            Request::Invoke { method, count } => self.invoke(args.base, method, count),
            Request::RunOriginal { method, count } => {
                let base = args.base;
                self.enter_original(Args { base, count }, method)
            }
            Request::EvaluateSection { section, count } => {
                self.evaluate_section(args.base, section, count)
            }
            Request::Restart => self.restart_sender(),
            Request::LoadClass { name } => self.answer_class(name),
            Request::Unwind(unwinding) => self.unwind(unwinding),
            Request::Switch { .. }
                if self.running.status == Status::Waiting && self.is_in_turn() =>
            {
                Next::Exit(Exit::Stop(self.refuse_in_turn("wait")))
            }
            Request::Switch { answer } => {
                self.answer_send(answer);
                self.let_others_go_on()
            }
            Request::AnswerInNewMode { answer } => {
                self.answer_send(answer);
                self.run.mode_changed = false;
                Next::Exit(Exit::Mode)
            }
            Request::Interact(intent) => self.interact(intent),
            Request::RefuseUncontrolled { selector } => self.refuse_uncontrolled(selector),
            Request::CatchUp if self.is_watched() => self.stop_before(callee, args),
            Request::CatchUp => self.put_off(callee, args),
            Request::Require => {
                let block = self.running.stack_value(args.base + 1);
                self.evaluate_condition(block)
            }
            Request::Try { cpus } => self.begin_trial(args, cpus, None),
            Request::TryEverySchedule => self.begin_every_schedule(args),
            Request::Explore { delivery, costs } => self.explore_block(args, [delivery, costs]),
            Request::Measure(measure) => self.measure(args, measure),
            Request::Stop(stop) => Next::Exit(Exit::Stop(stop)),
        }
    }

    /// Evaluates the block in the window's first argument; the answer will be its cost.
    fn measure(&mut self, args: Args, measure: Measure) -> Next {
        let block = self.running.stack_value(args.base + 1);
        let Some(body) = self.block_body(block, 0) else {
            return self.answer_send(Value::NIL);
        };
        // SAFETY: `ip` is at a verified send-shaped instruction.
        let (cache, next) = unsafe {
            (
                cache_of(self.registers.ip),
                self.registers.ip.add(SEND_WORDS),
            )
        };
        let delivery = Delivery {
            distance: args.base - self.frame_index(),
            destination: Some(cache.destination()),
        };
        let everything = measure.needs_everything();
        if everything {
            self.counters.full_wanted += 1;
        }
        self.enter_delivered(body, &[block], delivery, MarkKind::Measuring(measure), next);
        self.start_measurement(measure);
        if let Next::Exit(exit) = self.poll_at_entry(body) {
            return Next::Exit(exit);
        }
        if everything {
            Next::Exit(Exit::Mode)
        } else {
            Next::Continue
        }
    }

    /// Counts the step of assigning the answer of a send-shaped instruction, which has just got it.
    ///
    /// # Safety
    /// `send` is at such an instruction of linked code.
    pub(super) unsafe fn count_answer(&mut self, send: *const u64) {
        if self.counts_fully() {
            // SAFETY: by the caller's promise.
            let steps = unsafe { Word(*send) }.steps_with_answer();
            self.counters.full.steps += u64::from(steps);
        }
    }

    /// Gives the send at the saved instruction pointer its answer and goes behind it.
    pub(super) fn answer_send(&mut self, value: Value) -> Next {
        // SAFETY: `ip` is at a verified send-shaped instruction.
        unsafe {
            let destination = cache_of(self.registers.ip).destination();
            *self.registers.fp.add(usize::from(destination)) = value;
            self.count_answer(self.registers.ip);
            self.registers.ip = self.registers.ip.add(SEND_WORDS);
        }
        Next::Continue
    }

    /// Enters a frame for code whose receiver and arguments stand in the window of the send at the saved
    /// instruction pointer.
    pub(super) fn enter_in_window(&mut self, base: usize, mut target: *const Target) -> Next {
        // SAFETY: targets live as long as the machine; room is made before the frame is entered.
        unsafe {
            debug_assert!(self.may_run(self.running.stack_value(base), &*target));
            let offset = base - self.frame_index();
            if self
                .registers
                .fp
                .wrapping_add(offset + (*target).register_count as usize)
                > self.registers.stack_limit
            {
                target = self.reserve(offset, &*target);
            }
            self.note_original(&*target);
            let running = self.frame_index();
            let (caller, site) = self.behind_wrappers(running, self.registers.ip);
            let window = self.registers.fp.add(offset);
            let code = self.frame_entered((caller, site), window, &*target);
            enter_frame(window, code, self.registers.ip.add(SEND_WORDS));
            self.registers.fp = window;
            self.registers.ip = (*target).entry;
        }
        self.poll_at_entry(target)
    }

    /// Sends a message without a send instruction: receiver and arguments are in the window.
    pub(super) fn send_in_window(
        &mut self,
        base: usize,
        selector: SymbolId,
        count: usize,
        start: Option<ClassId>,
    ) -> Next {
        let receiver = self.running.stack_value(base);
        let class = start.unwrap_or(self.class_of(receiver));
        self.run.window = Some(Args { base, count });
        let found = self.target_for(class, selector);
        self.run.window = None;
        let target = match found {
            Some(target) => target,
            None => {
                // SAFETY: `base` is inside the stack.
                let window = unsafe { self.running.stack.base().add(base).cast() };
                self.not_understood(window, selector, count)
            }
        };
        self.activate_in_window(base, target)
    }

    /// Runs a method with receiver and arguments in the window.
    pub(super) fn invoke(&mut self, base: usize, method: MethodId, count: usize) -> Next {
        self.run.window = Some(Args { base, count });
        let id = self.link(method);
        self.run.window = None;
        let target: *const Target = &*self.code.targets[id.0 as usize];
        let target = self.checked_entry(base, target);
        self.activate_in_window(base, target)
    }

    /// The way into code that no lookup for its receiver's class has found: delivered messages and reflection. The
    /// verifier checked registers and slots against the code's own class, so the receiver in the window has to suit the
    /// code. If the receiver does not, the run ends: code that reads nothing is entered instead.
    pub(super) fn checked_entry(&mut self, base: usize, target: *const Target) -> *const Target {
        // SAFETY: targets live as long as the machine.
        let suits = self.suits(self.running.stack_value(base), unsafe { &*target });
        if suits {
            return target;
        }
        self.report_failure("a method was to run with a receiver that does not suit it");
        self.stop_at_next_poll(Stop::Failed);
        self.run.window = Some(Args { base, count: 0 });
        let harmless = self.harmless_target();
        self.run.window = None;
        harmless
    }

    /// Whether code may run with that receiver. A block's code needs a block of that code. A method needs an instance
    /// of the class that holds it or of a subclass. A method that uses no variable takes any receiver.
    #[inline(never)]
    pub(crate) fn suits(&self, receiver: Value, code: &Target) -> bool {
        if code.is_block {
            let number = Value::int(i64::from(code.id.0));
            return self.is_block(receiver) && self.heap.slot(receiver, 0) == number;
        }
        let holder = self.method(code.method).holder;
        self.inherits(self.class_of(receiver), holder) || self.image.suits_any_receiver(code.method)
    }

    /// The condition that a send must have established: the receiver suits the code, or it has at least all slots that
    /// the code uses. The second case arises behind `super`, when the receiver's class got a new superclass meanwhile.
    /// Objects keep their slots then.
    #[cfg(debug_assertions)]
    pub(super) fn may_run(&self, receiver: Value, code: &Target) -> bool {
        let known = &self.class(self.method(code.method).holder).ivars;
        self.suits(receiver, code)
            || !code.is_block
                && receiver.is_object()
                && known.len() <= self.heap.slots(receiver).len()
    }

    /// Never called: only debug builds check the conditions that use it.
    #[cfg(not(debug_assertions))]
    pub(super) fn may_run(&self, _: Value, _: &Target) -> bool {
        true
    }

    /// Whether the frame with this mark may start again with that receiver.
    pub(crate) fn can_restart(&self, mark: usize, receiver: Value) -> bool {
        self.running.marks.get(mark).is_some_and(|mark| {
            let code = self.running_code(mark.frame);
            let holder = self.method(code.method).holder;
            let is_kind = self.inherits(self.class_of(receiver), holder);
            mark.is_of_exceptions() && !code.is_block && is_kind
        })
    }

    /// Lets the running frame begin anew.
    fn restart_sender(&mut self) -> Next {
        let frame = self.frame_index();
        let code = self.frame_target(frame);
        // SAFETY: targets live as long as the machine.
        self.registers.ip = unsafe { (*code).entry };
        self.poll_at_entry(code)
    }

    /// Answers the class with this name, which may have to be loaded.
    fn answer_class(&mut self, name: SymbolId) -> Next {
        let name = self.symbol_text(name).to_string();
        match self.load_class(&name) {
            Ok(class) => {
                let object = class.map_or(Value::NIL, |id| self.class_object(id));
                let next = self.answer_send(object);
                if std::mem::take(&mut self.run.mode_changed) {
                    return Next::Exit(Exit::Mode);
                }
                next
            }
            Err(LoadError::NotCompiled(diagnostics)) => {
                let _ = self.world.host.flush();
                let _ = self.world.host.write_error(&diagnostics);
                Next::Exit(Exit::Stop(Stop::NotCompiled))
            }
            Err(LoadError::Failed(message)) => {
                self.report_failure(&message);
                Next::Exit(Exit::Stop(Stop::Failed))
            }
        }
    }

    /// Activates the target of a message whose receiver and arguments are in the window.
    pub(super) fn activate_in_window(&mut self, base: usize, target: *const Target) -> Next {
        let receiver = self.running.stack_value(base);
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*target };
        if self.is_watched() && self.stops_before_quick(receiver, callee) {
            let count = usize::from(callee.argument_count);
            return self.stop_before(callee, Args { base, count });
        }
        if callee.is_quick && self.counts_fully() && callee.activation != Activation::Wrapper {
            self.counters.full.steps += u64::from(callee.quick_steps);
        }
        match callee.activation {
            Activation::QuickSelf => return self.answer_send(receiver),
            Activation::QuickValue => return self.answer_send(callee.value),
            Activation::QuickLoad(slot) => {
                let value = self.heap.slot(receiver, slot as usize);
                return self.answer_send(value);
            }
            Activation::QuickStore(slot) => {
                let value = self.running.stack_value(base + 1);
                self.heap.set_slot(receiver, slot as usize, value);
                return self.answer_send(receiver);
            }
            Activation::BlockValue(count) => {
                if let Some(body) = self.block_body(receiver, usize::from(count)) {
                    if let Some((_, number)) = callee.primitive {
                        self.counters.full.primitives[number as usize] += 1;
                    }
                    return self.enter_in_window(base, body);
                }
            }
            Activation::Primitive => {
                let args = Args {
                    base,
                    count: usize::from(callee.argument_count),
                };
                let answer = match self.counts_fully() {
                    true => self.call_primitive::<super::Full>(callee, args),
                    false => self.call_primitive::<super::Plain>(callee, args),
                };
                if let Some(value) = answer.value() {
                    return self.answer_send(value);
                }
                if answer == Answer::REQUEST {
                    return self.carry_out_request(callee, args);
                }
            }
            Activation::Wrapper => return self.enter_wrapper(base, target),
            Activation::Frame => {}
        }
        self.enter_in_window(base, target)
    }
}
