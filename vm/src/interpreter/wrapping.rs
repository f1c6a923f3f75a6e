//! Method wrappers while they run. A wrapped method's frame is silent. The frame that interrupts the silence enters the
//! original, which counts again. `loading::wrappers` puts a wrapper into its place.

#![allow(unsafe_code)]

use super::{Next, enter_frame};
use crate::base::{MethodId, Value};
use crate::bytecode::{FrameKind, SEND_WORDS};
use crate::code::{Activation, Target, send_before};
use crate::machine::Vm;
use crate::processes::{Mark, MarkKind, SilentCode};
use crate::run::Args;

impl Vm {
    /// Activates a method that a wrapper has replaced. Receiver and arguments are in the window of the send at the
    /// saved instruction pointer. Silent sends bypass the wrapper, because they do not count. So a wrapper may use the
    /// method that it wraps.
    #[cold]
    #[inline(never)]
    pub(super) fn enter_wrapper(&mut self, base: usize, target: *const Target) -> Next {
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*target };
        if self.running.silence.is_some() {
            let count = usize::from(callee.argument_count);
            return self.activate_innermost(Args { base, count }, callee.method);
        }
        let caller = self.frame_index();
        let needed = base + callee.register_count as usize + 1;
        if needed > self.running.stack.len() {
            self.grow_stack(needed);
        }
        self.begin_silence(base, caller, SilentCode::of_wrapper(callee.method));
        // SAFETY: room was made; the instruction pointer is at a send.
        unsafe {
            let window = self.running.stack.base().add(base).cast();
            let code = self.frame_entered((caller, self.registers.ip), window, callee);
            enter_frame(window, code, self.registers.ip.add(SEND_WORDS));
        }
        self.set_frame(base);
        self.registers.ip = callee.entry;
        self.push_mark(base, MarkKind::Sent, None);
        self.mark_wrapper(callee);
        self.poll_at_entry(target)
    }

    /// Notes in the mark of the frame that was just entered that it is silent, if its code is a wrapper's.
    pub(super) fn mark_wrapper(&mut self, callee: &Target) {
        if callee.activation == Activation::Wrapper
            && let Some(mark) = self.running.marks.last_mut()
        {
            mark.frame_kind = Some(FrameKind::Silent);
        }
    }

    /// The frame and the send to which an instruction's effect is attributed. It is the frame itself, unless the frame
    /// interrupts silences to run wrapped originals. Then it is the frame below, at the send that led to the wrappers.
    pub(crate) fn behind_wrappers(&self, frame: usize, at: *const u64) -> (usize, *const u64) {
        let (mut frame, mut at) = (frame, at);
        for silence in self.running.interrupted.iter().rev() {
            if silence.interrupted_by != frame {
                break;
            }
            let mark = self.running.frame_mark(silence.frame).wrapping_sub(1);
            // A frame that is silent of its own accord is the caller itself.
            let is_wrappers = silence.wrapper.is_some();
            let was_sent = is_wrappers && self.running.marks.get(mark).is_some_and(Mark::was_sent);
            let behind = self.running.stack.word(silence.frame - 1) as *const u64;
            at = match was_sent {
                true => send_before(behind),
                false => std::ptr::null(),
            };
            frame = silence.caller;
        }
        (frame, at)
    }

    /// The target of a message that the machine delivers. In silent code the target is no wrapper.
    pub(super) fn past_wrappers(&mut self, target: *const Target) -> *const Target {
        // SAFETY: targets live as long as the machine.
        let callee = unsafe { &*target };
        if callee.activation == Activation::Wrapper && self.running.silence.is_some() {
            return self.innermost_target(callee.method);
        }
        target
    }

    /// Runs the wrapped method. The running frame interrupts the silence if its kind does so and the silence is a
    /// wrapper's.
    pub(super) fn enter_original(&mut self, args: Args, method: MethodId) -> Next {
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame).wrapping_sub(1);
        let kind = self.running.marks.get(mark).map(|mark| mark.frame_kind);
        let silence = self.running.silence.as_deref();
        let is_wrappers = silence.is_some_and(|silence| silence.wrapper.is_some());
        if is_wrappers && kind == Some(Some(FrameKind::Counted)) {
            self.interrupt_silence(frame);
            return self.invoke(args.base, method, args.count);
        }
        self.activate_innermost(args, method)
    }

    fn activate_innermost(&mut self, args: Args, method: MethodId) -> Next {
        let method = match self.running.silence {
            Some(_) => self.image.innermost(method),
            None => method,
        };
        self.invoke(args.base, method, args.count)
    }

    /// Evaluates the block in the window as a recorded piece of the run. The silence in force may belong to a frame
    /// that profiles this block. Then the block counts again.
    pub(super) fn evaluate_section(&mut self, base: usize, section: u64, count: usize) -> Next {
        let block = self.running.stack_value(base);
        let frame = self.frame_index();
        let asked = self.running.silence.as_deref().map(|silence| silence.frame);
        if let Some(asked) = asked.filter(|&asked| self.running.stack_value(asked) == block) {
            self.interrupt_silence(frame);
            self.enter_section(section, asked);
        }
        match self.block_body(block, count) {
            Some(body) => self.enter_in_window(base, body),
            None => self.answer_send(Value::NIL),
        }
    }

    /// Notes that a frame of this code is entered from the running one, if that is about to show whether a wrapped method
    /// was activated.
    pub(super) fn note_original(&mut self, callee: &Target) {
        let running = self.frame_index();
        let is_activation = !callee.is_quick && !callee.is_block;
        let Some(interrupted) = self.running.interrupted.last() else {
            return;
        };
        if interrupted.interrupted_by != running || !is_activation {
            return;
        }
        let wrapper = interrupted.wrapper;
        if wrapper.is_some_and(|wrapper| self.image.innermost(wrapper) == callee.method)
            && let Some(interrupted) = self.running.interrupted.last_mut()
        {
            interrupted.was_activated = true;
        }
    }
}
