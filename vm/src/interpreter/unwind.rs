//! Non-local returns, handlers and unwinding (counting model, 3: *Unwinding*). `signal` itself is library code. Here
//! are the parts that its primitives need: tokens of marked frames, the search for a frame, and the cutting of the
//! stack.

#![allow(unsafe_code)]

use super::Next;
use crate::base::{Dialect, Stop, Value};
use crate::bytecode::FrameKind;
use crate::counting::Work;
use crate::machine::Vm;
use crate::processes::{Goal, MarkKind, Unwinding, resume_unwind_stub, return_stub};
use crate::run::Exit;
use crate::watching::Parked;

impl Vm {
    /// `^` in a block: unwinds to the home. If the home is gone, the block gets a message.
    #[inline(never)]
    pub(super) fn non_local_return(&mut self, register: u8) -> Next {
        // SAFETY: the register is inside the frame.
        let (block, value) = unsafe {
            (
                *self.registers.fp,
                *self.registers.fp.add(usize::from(register)),
            )
        };
        let home = self.heap.slot(block, 1).as_int();
        let serial = self.heap.slot(block, 2).as_int();
        if let (Some(home), Some(serial)) = (home, serial)
            && self
                .running
                .marks
                .get(home as usize)
                .is_some_and(|m| m.serial == serial as u64)
        {
            return self.unwind(Unwinding {
                target: home as usize,
                goal: Goal::Return,
                value,
            });
        }
        if self.config.dialect == Dialect::Som {
            return self.escaped_block(block);
        }
        let class = self.class_of(block);
        self.run.handles.extend([block, value]);
        let target = self.machine_target(class, self.image.selectors.cannot_return);
        let value = self.run.handles.pop().unwrap_or(Value::NIL);
        let block = self.run.handles.pop().unwrap_or(Value::NIL);
        let distance = self.delivery_distance();
        self.deliver(target, distance, &[block, value], Some(0), return_stub())
    }

    /// A block of SOM whose home is gone: its receiver answers in its place.
    fn escaped_block(&mut self, block: Value) -> Next {
        let receiver = self.heap.slots(block).last().copied().unwrap_or(Value::NIL);
        let class = self.class_of(receiver);
        self.run.handles.extend([receiver, block]);
        let target = self.machine_target(class, self.image.selectors.escaped_block);
        let block = self.run.handles.pop().unwrap_or(Value::NIL);
        let receiver = self.run.handles.pop().unwrap_or(Value::NIL);
        let distance = self.delivery_distance();
        self.deliver(target, distance, &[receiver, block], Some(0), return_stub())
    }

    /// Cuts frames down to the target, then does what the goal names. It stops at each pending `ensure:` or
    /// `ifCurtailed:` on the way and runs its block below that frame.
    pub(crate) fn unwind(&mut self, unwinding: Unwinding) -> Next {
        if self.running.marks.get(unwinding.target).is_none() {
            return Next::Exit(Exit::Stop(Stop::Failed));
        }
        let pending = (unwinding.target + 1..self.running.marks.len())
            .rev()
            .find(|&index| {
                let mark = &self.running.marks[index];
                matches!(
                    mark.frame_kind,
                    Some(FrameKind::Ensure | FrameKind::Curtailed)
                ) && self.running.stack_value(mark.frame + 2).is_nil()
            });
        let Some(index) = pending else {
            return self.reach(unwinding);
        };
        self.cut_to(index);
        let frame = self.running.marks[index].frame;
        self.running.stack.set_value(frame + 2, Value::TRUE);
        self.running.marks[index].unwinding = Some(unwinding);
        self.registers.ip = resume_unwind_stub();
        let block = self.running.stack_value(frame + 1);
        match self.block_body(block, 0) {
            Some(body) => {
                let distance = self.delivery_distance();
                self.deliver(body, distance, &[block], None, resume_unwind_stub())
            }
            None => Next::Continue,
        }
    }

    /// Goes on with the unwinding that the running frame's mark keeps.
    #[inline(never)]
    pub(super) fn resume_unwinding(&mut self) -> Next {
        let frame = self.frame_index();
        let mark = self.running.frame_mark(frame);
        let kept = self
            .running
            .marks
            .get_mut(mark.wrapping_sub(1))
            .and_then(|m| m.unwinding.take());
        match kept {
            Some(unwinding) => self.unwind(unwinding),
            None => Next::Exit(Exit::Stop(Stop::Failed)),
        }
    }

    /// Cuts all frames above the one with this mark.
    fn cut_to(&mut self, index: usize) {
        let frame = self.running.marks[index].frame;
        let mut walk = self.walk_frames();
        let mut cut = 0;
        while let Some(view) = walk.next(self) {
            if view.frame <= frame {
                break;
            }
            self.end_silence_or_record(view.frame);
            cut += 1;
        }
        self.charge_where_counted(Work::Frames, cut);
        // The innermost measurement goes first.
        while self.running.marks.len() > index + 1 {
            let Some(mark) = self.running.marks.pop() else {
                break;
            };
            if let MarkKind::Measuring(measure) = mark.kind {
                let around = self.abandon_measurement(mark.serial, measure);
                self.running.family = around.unwrap_or(self.running.family);
            }
            if let Some(FrameKind::Scope | FrameKind::Condition) = mark.frame_kind {
                self.leave_scope(mark.serial);
            }
        }
        self.running.contexts.forget_from(frame + 1);
        self.set_frame(frame);
    }

    /// A frame goes: it is the silent one, or an ordinary one that the recorder counts.
    fn end_silence_or_record(&mut self, frame: usize) {
        self.resume_silence(frame);
        self.end_silence(frame);
        self.frame_left(frame);
    }

    /// An unwinding has ended. If it began at the depth limit, the limit applies again.
    fn leave_depth_limit(&mut self) {
        if self.running.depth_exceeded_at.is_some() {
            let depth = self.depth();
            if depth < self.config.max_depth {
                self.running.depth_exceeded_at = None;
            }
            self.set_stack_limit(depth);
        }
    }

    pub(super) fn reach(&mut self, unwinding: Unwinding) -> Next {
        let terminates = matches!(unwinding.goal, Goal::Terminate);
        if terminates && self.is_watched() && self.stops_before_end() {
            return self.stop_before_end(Parked::Terminates(unwinding));
        }
        let Unwinding {
            target,
            goal,
            value,
        } = unwinding;
        self.cut_to(target);
        self.leave_depth_limit();
        let frame = self.running.marks[target].frame;
        match goal {
            Goal::Return => self.return_from_marked(value),
            Goal::Restart => {
                // The `ensure:` blocks on the way can have changed the receiver's class.
                if !self.can_restart(target, value) {
                    self.report_failure(
                        "the receiver of a frame that starts again does not suit its method",
                    );
                    return Next::Exit(Exit::Stop(Stop::Failed));
                }
                self.running.stack.set_value(frame, value);
                self.registers.ip = self.running_code(frame).entry;
                Next::Continue
            }
            Goal::Terminate => {
                self.frame_left(frame);
                self.running.marks.clear();
                self.running.contexts.forget_from(0);
                self.end_process(Value::NIL)
            }
        }
    }
}
