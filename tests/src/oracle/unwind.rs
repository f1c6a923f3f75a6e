//! Returns of blocks, handlers and unwinding (counting model, 3: *Unwinding*).

use super::machine::{After, Machine, Task, method_tasks};
use super::names::name;
use super::value::{Value, open_scope};
use super::world::FrameKind;

/// What happens when the frames above the target are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The target returns the value.
    Return,
    /// It begins again with the value as its receiver.
    Restart,
    /// The process ends; the target is its bottom.
    Terminate,
}

/// Frames are to be cut down to a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinding {
    /// Number of the frame; 0 for the bottom.
    pub(crate) target: u64,
    pub(crate) goal: Goal,
    pub(crate) value: Value,
}

/// The variable of `ensure:` and `ifCurtailed:` that says whether its block need not run any more: the one behind
/// the argument.
const COMPLETE: usize = 1;

impl Machine {
    /// The place of a frame of the running process, by its number.
    pub(crate) fn frame_at(&self, number: u64) -> Option<usize> {
        self.frames
            .binary_search_by_key(&number, |frame| frame.number)
            .ok()
    }

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

    /// The frame of the next `on:do:` below a frame, or from the top. A handler block runs in the environment of its
    /// `on:do:`'s sender, so the search goes on below that when it meets one.
    pub(crate) fn find_handler(&self, start: Option<usize>) -> Option<usize> {
        let mut index = start.unwrap_or(self.frames.len());
        while index > 0 {
            index -= 1;
            let frame = &self.frames[index];
            if frame.block.is_some() {
                continue;
            }
            match frame.method.frame {
                FrameKind::Handler => return Some(index),
                FrameKind::Handling => {
                    let token = frame.arguments.first().and_then(|one| one.as_small());
                    if let Some(at) = token.and_then(|number| self.frame_at(number as u64)) {
                        index = index.min(at);
                    }
                }
                _ => {}
            }
        }
        None
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
    pub(crate) fn unwind(&mut self, unwinding: Unwinding) {
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

    /// Cuts all frames above one.
    fn cut(&mut self, index: usize) {
        while self.frames.len() > index + 1 {
            if let Some(frame) = self.frames.pop() {
                self.end_silence(frame.number);
            }
        }
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

    /// From here on nothing is counted of a process, until the frame goes. Its entry still was a poll point.
    pub(super) fn begin_silence(&mut self, process: usize, number: u64) {
        let process = &mut self.processes[process];
        process.silence.get_or_insert(number);
    }

    pub(super) fn end_silence(&mut self, number: u64) {
        let process = &mut self.processes[self.current];
        if process.silence == Some(number) {
            process.silence = None;
        }
    }

    pub(crate) fn is_silent(&self) -> bool {
        self.processes[self.current].silence.is_some()
    }
}
