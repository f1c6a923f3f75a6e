//! Frames that no send instruction makes: messages that the machine delivers itself, and marks. Also room for frames,
//! and returns from marked frames.

#![allow(unsafe_code)]

use super::{Next, enter_frame};
use crate::base::{ClassId, Dialect, Known, Limit, Stop, Value};
use crate::bytecode::{Definition, FrameKind, GlobalRef, LINK_WORDS, Op, SEND_WORDS, Word};
use crate::code::{Activation, Target, cache_of, send_before};
use crate::machine::Vm;
use crate::processes::{Delivery, HAS_CONTEXT, Mark, MarkKind, SilentCode, SilentFrames};
use crate::run::{Args, Exit};
use crate::separate::Intent;
use crate::watching::Parked;

/// Activations that code which deals with `RecursionTooDeep` may add to a full stack.
const DEPTH_RESERVE: u64 = 2_000;

/// Frames that an activation may take at most, wrappers' frames included. Beyond it, frames limit the depth instead of
/// activations.
const FRAMES_PER_ACTIVATION: u64 = 8;

/// Fewest words that a frame adds to a stack: its link words and register 0.
const LEAST_FRAME_WORDS: u64 = LINK_WORDS as u64 + 1;

impl Vm {
    /// The code that the frame runs. Targets live as long as the machine.
    pub(crate) fn frame_target(&self, frame: usize) -> *const Target {
        // SAFETY: the number is a frame's.
        unsafe { self.registers.codes.get(self.running.frame_code(frame)) }
    }

    /// As [`Vm::frame_target`], for reading.
    pub(crate) fn running_code(&self, frame: usize) -> &Target {
        // SAFETY: targets live as long as the machine.
        unsafe { &*self.frame_target(frame) }
    }

    /// Whether a process is in the middle of running.
    pub(crate) fn has_frames(&self) -> bool {
        !self.registers.fp.is_null() && !self.running.ended
    }

    /// The running frame's base, in words.
    pub(crate) fn frame_index(&mut self) -> usize {
        (self.registers.fp as usize - self.running.stack.base() as usize) / 8
    }

    pub(crate) fn set_frame(&mut self, frame: usize) {
        // SAFETY: `frame` is inside the stack.
        self.registers.fp = unsafe { self.running.stack.base().add(frame).cast() };
    }

    /// Gives the running frame a mark of this kind.
    #[inline(never)]
    pub(super) fn mark_frame(&mut self, kind: FrameKind) {
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame);
        if let FrameKind::Silent | FrameKind::Machinery = kind {
            // The caller of the frame does not matter.
            let is_programs =
                kind == FrameKind::Silent && !self.is_librarys(self.running.stack_value(frame + 1));
            self.begin_silence(
                frame,
                frame,
                SilentCode {
                    wrapper: None,
                    is_programs,
                },
            );
        }
        if mark == 0 {
            self.push_mark(frame, MarkKind::Sent, None);
        }
        if let Some(mark) = self.running.marks.last_mut() {
            mark.frame_kind = Some(kind);
        }
    }

    /// Adds a mark for the frame and notes it in the frame's meta word.
    pub(crate) fn push_mark(&mut self, frame: usize, kind: MarkKind, delivery: Option<Delivery>) {
        let serial = self.fresh_serial();
        debug_assert!(
            self.running
                .marks
                .last()
                .is_none_or(|below| below.serial < serial)
        );
        self.running.marks.push(Mark {
            frame,
            serial,
            kind,
            frame_kind: None,
            delivery,
            unwinding: None,
        });
        let meta = self.running.stack.word(frame - 2) & (0xFFFF_FFFF | HAS_CONTEXT)
            | (self.running.marks.len() as u64) << 32;
        self.running.stack.set_word(frame - 2, meta);
    }

    /// Enters a frame of `target` that no send instruction made. It starts `distance` words above the running frame.
    /// Its answer goes to a register of the running frame, or nowhere.
    pub(super) fn deliver(
        &mut self,
        target: *const Target,
        distance: usize,
        arguments: &[Value],
        destination: Option<u16>,
        return_address: *const u64,
    ) -> Next {
        let delivery = Delivery {
            distance,
            destination,
        };
        self.enter_delivered(
            target,
            arguments,
            delivery,
            MarkKind::Delivered,
            return_address,
        );
        self.poll_at_entry(target)
    }

    /// The poll point at the entry of a frame that was just entered.
    pub(super) fn poll_at_entry(&mut self, target: *const Target) -> Next {
        // SAFETY: targets live as long as the machine.
        let is_quick = unsafe { (*target).is_quick };
        if !is_quick && self.registers.ticks >= self.registers.tick_limit {
            self.poll()
        } else {
            Next::Continue
        }
    }

    /// Enters the frame of a delivered activation; the poll point is still to come.
    pub(super) fn enter_delivered(
        &mut self,
        target: *const Target,
        arguments: &[Value],
        delivery: Delivery,
        kind: MarkKind,
        return_address: *const u64,
    ) {
        let running = self.frame_index();
        let frame = running + delivery.distance;
        let target = self.past_wrappers(target);
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*target };
        let needed = frame + (callee.register_count as usize).max(arguments.len() + 1);
        if needed + 1 > self.running.stack.len() {
            self.grow_stack(needed + 1);
        }
        for (index, &argument) in arguments.iter().enumerate() {
            self.running.stack.set_value(frame + index, argument);
        }
        let target = self.checked_entry(frame, target);
        // SAFETY: as above.
        let callee = unsafe { &*target };
        let site = match kind {
            MarkKind::Measuring(_) => self.registers.ip,
            _ => std::ptr::null(),
        };
        if callee.activation == Activation::Wrapper {
            self.begin_silence(frame, running, SilentCode::of_wrapper(callee.method));
        }
        let (caller, from) = self.behind_wrappers(running, site);
        let site = if site.is_null() { site } else { from };
        // SAFETY: the room was made above; `frame` is above the running frame's registers.
        unsafe {
            let window = self.running.stack.base().add(frame).cast();
            let code = self.frame_entered((caller, site), window, callee);
            enter_frame(window, code, return_address);
            self.registers.fp = window;
        }
        self.registers.ip = callee.entry;
        self.push_mark(frame, kind, Some(delivery));
        self.mark_wrapper(callee);
    }

    /// Words from the running frame's base to where a delivered frame may start.
    pub(super) fn delivery_distance(&mut self) -> usize {
        let frame = self.frame_index();
        self.running_code(frame).register_count as usize + LINK_WORDS
    }

    /// Delivers `mustBeBoolean` to the value in a register; the answer is tested in its place.
    #[cold]
    #[inline(never)]
    pub(super) fn deliver_must_be_boolean(&mut self, register: u8) -> Next {
        // SAFETY: the register is inside the frame.
        let value = unsafe { *self.registers.fp.add(usize::from(register)) };
        if self.config.dialect == Dialect::Som {
            // SOM sends no `mustBeBoolean`: a value other than the jump's boolean does not make it jump.
            // SAFETY: `ip` is at a verified jump.
            let op = unsafe { Word(*self.registers.ip) }.op();
            let goes_on = matches!(op, Some(Op::JumpFalse | Op::LoopTrue));
            return self.decide(Value::bool(goes_on));
        }
        let class = self.class_of(value);
        self.ask_for_boolean(value, class)
    }

    fn ask_for_boolean(&mut self, value: Value, start: ClassId) -> Next {
        self.run.handles.push(value);
        let selector = self.image.selectors.must_be_boolean;
        let target = self.machine_target(start, selector);
        let value = self.run.handles.pop().unwrap_or(Value::NIL);
        let delivery = Delivery {
            distance: self.delivery_distance(),
            destination: None,
        };
        self.enter_delivered(
            target,
            &[value],
            delivery,
            MarkKind::Condition,
            self.registers.ip,
        );
        self.poll_at_entry(target)
    }

    /// Executes the conditional jump at the saved instruction pointer for an answered condition.
    fn decide(&mut self, value: Value) -> Next {
        // SAFETY: `ip` is at a verified jump.
        let word = unsafe { Word(*self.registers.ip) };
        let Some(condition) = value.as_bool() else {
            // Object's method signals an error, so that repeated non-booleans come to an end.
            return self.ask_for_boolean(value, Known::Object.into());
        };
        let (sense, is_loop) = match word.op() {
            Some(Op::JumpTrue) => (true, false),
            Some(Op::LoopTrue) => (true, true),
            Some(Op::LoopFalse) => (false, true),
            _ => (false, false),
        };
        let (distance, steps) = match condition == sense {
            true => (word.imm() as i32 as isize, word.b()),
            false => (1, word.c()),
        };
        if self.counts_fully() {
            self.counters.full.steps += u64::from(steps);
        }
        // SAFETY: the jump's target and the next instruction are inside the code.
        self.registers.ip = unsafe { self.registers.ip.offset(distance) };
        if condition == sense && is_loop {
            self.registers.ticks = self.registers.ticks.wrapping_add(1);
            self.registers.loops = self.registers.loops.wrapping_add(1);
            if self.has_slices() && self.is_slice_over() {
                return self.interact(Intent::Yield);
            }
            if self.registers.ticks >= self.registers.tick_limit {
                return self.poll();
            }
        }
        Next::Continue
    }

    /// Runs code of the unit with the object in the window as its receiver.
    #[inline(never)]
    pub(super) fn evaluate(&mut self, definition: u32, window: *mut Value) -> Next {
        let frame = self.frame_index();
        let unit = self.method(self.running_code(frame).method).unit;
        let method = self.evaluation_method(unit, definition);
        let id = self.link(method);
        let target: *const Target = &*self.code.targets[id.0 as usize];
        // SAFETY: the verifier has checked the window, and that the instruction is send-shaped.
        let (distance, receiver, cache, next) = unsafe {
            (
                window.offset_from(self.registers.fp) as usize,
                *window,
                cache_of(self.registers.ip),
                self.registers.ip.add(SEND_WORDS),
            )
        };
        let destination = Some(cache.destination());
        self.deliver(target, distance, &[receiver], destination, next)
    }

    /// Makes a definition of the running script's unit.
    #[inline(never)]
    pub(super) fn define(&mut self, definition: u32) -> Next {
        if self.image.loading_library {
            return Next::Continue;
        }
        let frame = self.frame_index();
        let method = self.running_code(frame).method;
        let unit = self.image.units[self.method(method).unit].clone();
        let done = match unit.definitions.get(definition as usize) {
            Some(definition) => self.carry_out_definition(&unit, definition),
            None => Err("no such definition".to_string()),
        };
        match done {
            Ok(()) if std::mem::take(&mut self.run.mode_changed) => {
                // SAFETY: `Define` has one word, and something follows it.
                self.registers.ip = unsafe { self.registers.ip.add(1) };
                Next::Exit(Exit::Mode)
            }
            Ok(()) => Next::Continue,
            Err(message) => {
                if let Some(refused) = &mut self.run.refused {
                    refused.push(message);
                    return Next::Continue;
                }
                self.report_failure(&message);
                Next::Exit(Exit::Stop(Stop::Failed))
            }
        }
    }

    /// Makes room for a frame of `callee`, whose window is `offset` words above the running frame. If the frame would
    /// exceed the depth limit, answers the method for `recursionTooDeep` instead.
    #[cold]
    #[inline(never)]
    pub(super) fn reserve(&mut self, offset: usize, callee: &Target) -> *const Target {
        let frame = self.frame_index() + offset;
        let mut target: *const Target = callee;
        let mut top = frame + callee.register_count as usize;
        // Silent frames are no activations; nor are quick methods, which have frames in the reference mode only.
        let depth = self.depth() + u64::from(self.running.silence.is_none() && !callee.is_quick);
        let allowed = self.allowed_depth();
        if depth > allowed {
            if self.running.depth_exceeded_at.is_some() {
                // The code that dealt with the limit has used up the reserve as well.
                self.stop_at_next_poll(Stop::Limit(Limit::Depth));
            }
            self.running.depth_exceeded_at = Some(depth);
            let class = self.class_of(self.running.stack_value(frame));
            // Linking may collect, so the receiver, the method's only operand, is a root in the meantime.
            self.run.window = Some(Args {
                base: frame,
                count: 0,
            });
            let found = self.target_for(class, self.image.selectors.recursion_too_deep);
            self.run.window = None;
            if let Some(other) = found {
                target = other;
                // SAFETY: targets live as long as the machine.
                top = frame + unsafe { (*other).register_count } as usize;
            }
        }
        if top + 1 > self.running.stack.len() {
            self.grow_stack(top + 1);
        }
        self.set_stack_limit(depth);
        target
    }

    /// Activations that the running process may have at the moment.
    fn allowed_depth(&mut self) -> u64 {
        match self.running.depth_exceeded_at {
            Some(_) => self.config.max_depth + DEPTH_RESERVE,
            None => self.config.max_depth,
        }
    }

    /// Grows the stack; all saved places are re-based.
    pub(crate) fn grow_stack(&mut self, words: usize) {
        let frame = self.frame_index();
        self.running.stack.grow(words);
        self.set_frame(frame);
        self.set_stack_limit_from_depth();
        self.check_memory();
        if self.running.stack.is_large() {
            self.want_collection();
        }
    }

    pub(crate) fn set_stack_limit_from_depth(&mut self) {
        let depth = self.depth();
        self.set_stack_limit(depth);
    }

    /// Sets the word that no frame may reach without a new check of the depth. It is the stack's end, or a location
    /// below which the depth limit cannot be exceeded. Frames take at least three words. So with `n` activations to go
    /// the limit is safe for `3 n` words. Each check halves the distance at least.
    pub(crate) fn set_stack_limit(&mut self, depth: u64) {
        let left = self.allowed_depth().saturating_sub(depth);
        let frame = self.frame_index() as u64;
        let words = frame.saturating_add(left.saturating_mul(LEAST_FRAME_WORDS));
        self.set_stack_limit_index(words.min(self.running.stack.len() as u64) as usize);
    }

    /// Sets that word by its index. It is never behind the stack's last.
    pub(crate) fn set_stack_limit_index(&mut self, limit: usize) {
        let limit = limit.min(self.running.stack.len() - 1);
        // SAFETY: `limit` is inside the stack.
        self.registers.stack_limit = unsafe { self.running.stack.base().add(limit).cast() };
    }

    /// The index of that word.
    pub(crate) fn stack_limit_index(&mut self) -> usize {
        (self.registers.stack_limit as usize - self.running.stack.base() as usize)
            / size_of::<Value>()
    }

    /// Activations on the running process's stack.
    pub(crate) fn depth(&mut self) -> u64 {
        let mut walk = self.walk_frames();
        let mut silent =
            SilentFrames::new(self.running.silence.as_deref(), &self.running.interrupted);
        let (mut counted, mut all) = (0, 0);
        while let Some(view) = walk.next(self) {
            all += 1;
            counted += u64::from(!silent.has(view.frame));
        }
        self.processes.frames_counted += all;
        counted.max(all / FRAMES_PER_ACTIVATION)
    }

    /// Returns `value` from the running frame, which has a mark or a context.
    #[inline(never)]
    pub(super) fn return_from_marked(&mut self, value: Value) -> Next {
        if self.is_to_settle() {
            return self.settle(value);
        }
        match self.is_to_deliver() {
            true => self.deliver_before(value),
            false => self.leave_marked(value),
        }
    }

    /// As [`Vm::return_from_marked`], whatever is still to happen on other processors.
    pub(super) fn leave_marked(&mut self, value: Value) -> Next {
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame);
        if self.running.has_context(frame) {
            self.running.contexts.forget_from(frame);
            if mark == 0 {
                self.frame_left(frame);
                self.return_to_send(frame, value);
                return Next::Continue;
            }
        }
        let found = self.running.marks.get(mark.wrapping_sub(1));
        let Some(&Mark {
            kind,
            frame_kind,
            delivery,
            serial,
            ..
        }) = found
        else {
            return Next::Exit(Exit::Stop(Stop::Failed));
        };
        if kind == MarkKind::Bottom && self.is_watched() && self.stops_before_end() {
            return self.stop_before_end(Parked::Ends(value));
        }
        if let Some(FrameKind::Scope | FrameKind::Condition) = frame_kind {
            self.leave_scope(serial);
        }
        let receiver = match kind {
            MarkKind::Requirement => self.running.frame_register(frame, 0),
            _ => Value::NIL,
        };
        let value = match kind {
            MarkKind::Measuring(measure) => self.finish_measurement(mark - 1, measure, value),
            _ => value,
        };
        if let Some(FrameKind::Silent | FrameKind::Machinery) = frame_kind {
            self.end_silence(frame);
        }
        self.resume_silence(frame);
        self.frame_left(frame);
        self.running.marks.truncate(mark - 1);
        if kind == MarkKind::Bottom {
            return self.end_process(value);
        }
        let Some(delivery) = delivery else {
            self.return_to_send(frame, value);
            return Next::Continue;
        };
        self.registers.ip = self.running.stack.word(frame - 1) as *const u64;
        self.set_frame(frame - delivery.distance);
        match kind {
            MarkKind::Condition => self.decide(value),
            MarkKind::Requirement => self.decide_condition(value, receiver),
            _ => self.return_delivered(frame, delivery, kind, value),
        }
    }

    /// Puts the answer of a delivered frame, which has gone, to its place.
    fn return_delivered(
        &mut self,
        frame: usize,
        delivery: Delivery,
        kind: MarkKind,
        value: Value,
    ) -> Next {
        if let Some(register) = delivery.destination {
            let place = frame - delivery.distance + usize::from(register);
            self.running.stack.set_value(place, value);
            // SAFETY: what delivers a message for an answer is a send-shaped instruction.
            unsafe { self.count_answer(send_before(self.registers.ip)) };
        }
        match kind {
            MarkKind::Measuring(measure) if measure.needs_everything() => Next::Exit(Exit::Mode),
            _ => Next::Continue,
        }
    }

    /// Goes on behind the send that made the frame, with its answer.
    fn return_to_send(&mut self, frame: usize, value: Value) {
        let return_address = self.running.stack.word(frame - 1) as *const u64;
        self.registers.ip = return_address;
        // SAFETY: a frame without delivery was made by a send-shaped instruction.
        let cache = unsafe {
            self.count_answer(send_before(return_address));
            cache_of(send_before(return_address))
        };
        let caller = frame - cache.base();
        self.set_frame(caller);
        let destination = usize::from(cache.destination());
        self.running.stack.set_value(caller + destination, value);
    }

    /// Puts a global's value into the destination of the `LoadGlobalChecked` at the saved instruction pointer. The
    /// global is not defined, so a message to the receiver gives the value.
    #[cold]
    #[inline(never)]
    pub(super) fn unknown_global(&mut self, word: Word) -> Next {
        // SAFETY: the register is inside the frame, the cache word follows the instruction.
        let (receiver, cache, next) = unsafe {
            (
                *self.registers.fp.add(usize::from(word.a())),
                cache_of(self.registers.ip),
                self.registers.ip.add(SEND_WORDS),
            )
        };
        let name = match &*self.image.references[word.index() as usize] {
            GlobalRef::Global(name) => name.clone(),
            _ => String::new(),
        };
        let name = self.symbol(&name);
        self.run.handles.push(receiver);
        let selector = self.image.selectors.unknown_global;
        let class = self.class_of(receiver);
        let target = self.machine_target(class, selector);
        let receiver = self.run.handles.pop().unwrap_or(Value::NIL);
        let destination = Some(cache.destination());
        self.deliver(target, cache.base(), &[receiver, name], destination, next)
    }

    /// The body of a block that takes that many arguments.
    #[inline(always)]
    pub(super) fn block_body(&self, block: Value, count: usize) -> Option<*const Target> {
        if !block.is_object() || !self.is_block(block) {
            return None;
        }
        let id = self.heap.slot(block, 0).int_unchecked();
        let body: &Target = &self.code.targets[id as usize];
        (usize::from(body.argument_count) == count).then_some(body as *const Target)
    }

    /// The method of an `Evaluate`'s code, made at its first execution.
    fn evaluation_method(&mut self, unit: usize, definition: u32) -> crate::base::MethodId {
        let unit_ref = self.image.units[unit].clone();
        let (class, code) = match unit_ref.definitions.get(definition as usize) {
            Some(Definition::Evaluation { class, code }) => (class.as_deref(), code.clone()),
            _ => (None, crate::bytecode::empty_code(&unit_ref.name)),
        };
        self.add_evaluation(unit, class, code)
    }
}
