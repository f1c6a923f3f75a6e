//! Returns of blocks, handlers and unwinding (counting model, 3: *Unwinding*).

use crate::oracle::code::FrameKind;
use crate::oracle::machine::Machine;
use crate::oracle::machine::frame::{After, Goal, Task, Unwinding, method_tasks};
use crate::oracle::names::name;
use crate::oracle::object::open_scope;
use crate::oracle::value::Value;

/// The variable of `ensure:` and `ifCurtailed:` that says whether its block need not run any more: the one behind
/// the argument.
const COMPLETE: usize = 1;

impl Machine {
    /// `^` in the topmost activation.
    pub(super) fn return_home(&mut self, value: Value) {
        let frame = self.top();
        if frame.block.is_none() {
            return self.leave(value);
        }
        let (home, block) = (frame.home, frame.block);
        if self.frame_at(home).is_some() {
            return self.unwind(Unwinding {
                target: home,
                goal: Goal::Return,
                value,
            });
        }
        // The block gets a message; the answer to the message becomes the block's own answer.
        let frame = self.top();
        frame.tasks.clear();
        frame.values.clear();
        if let Some(block) = block {
            let class = self.known.block;
            let receiver = Value::Object(block);
            self.dispatch(
                class,
                name("cannotReturn:"),
                receiver,
                vec![value],
                After::Push,
            );
        }
    }

    fn is_pending(&self, index: usize) -> bool {
        let frame = &self.frames[index];
        let keeps = matches!(frame.method.frame, FrameKind::Ensure | FrameKind::Curtailed);
        keeps
            && frame.block.is_none()
            && frame.scope.variables.borrow().get(COMPLETE) == Some(&Value::Nil)
    }

    /// Cuts frames down to the target; at each pending `ensure:` or `ifCurtailed:` on the way its block runs below that
    /// frame first.
    pub(super) fn unwind(&mut self, unwinding: Unwinding) {
        self.site = 0;
        let target = if unwinding.goal == Goal::Terminate {
            0
        } else {
            match self.frame_at(unwinding.target) {
                Some(target) => target,
                None => return self.unsupported("an unwinding without a target"),
            }
        };
        let pending = (target + 1..self.frames.len())
            .rev()
            .find(|&index| self.is_pending(index));
        let Some(index) = pending else {
            return self.reach(target, unwinding);
        };
        self.cut(index);
        let frame = self.top();
        frame.scope.variables.borrow_mut()[COMPLETE] = Value::True;
        frame.values.clear();
        frame.tasks.clear();
        frame.tasks.push(Task::ResumeUnwinding);
        frame.unwinding = Some(unwinding);
        let block = frame.arguments[0];
        if self.block_arity(block) == Some(0) {
            self.evaluate_block(block, &[], After::Discard);
        }
    }

    pub(super) fn resume_unwinding(&mut self) {
        if let Some(unwinding) = self.top().unwinding.take() {
            self.unwind(unwinding);
        }
    }

    /// Cuts all frames above one. The work is that of the one that is reached.
    fn cut(&mut self, index: usize) {
        let cut = self.frames.len() - index - 1;
        while self.frames.len() > index + 1 {
            if let Some(frame) = self.frames.pop() {
                self.end_silence(frame.number);
            }
        }
        self.charge(vec![("frames", cut as u64)]);
    }

    fn reach(&mut self, target: usize, unwinding: Unwinding) {
        self.cut(target);
        if (self.frames.len() as u64) < self.max_depth {
            self.depth_exceeded = false;
        }
        match unwinding.goal {
            Goal::Return => self.leave(unwinding.value),
            Goal::Restart => self.restart(unwinding.value),
            Goal::Terminate => {
                if let Some(frame) = self.frames.pop() {
                    self.end_silence(frame.number);
                    self.left = frame.node;
                }
                self.end_process(Value::Nil);
            }
        }
    }

    /// The topmost activation begins again; that is no new one.
    fn restart(&mut self, receiver: Value) {
        let method = self.top().method.clone();
        let routine = self.world.routine(&method);
        let frame = self.top();
        frame.receiver = receiver;
        frame.scope = open_scope(None, &frame.arguments, routine.slots);
        frame.tasks = method_tasks(&routine.body, receiver);
        frame.values.clear();
        frame.unwinding = None;
    }
}
