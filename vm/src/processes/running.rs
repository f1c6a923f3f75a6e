//! Reads the frames of the running process.

use crate::base::Value;
use crate::bytecode::FrameKind;
use crate::processes::{HAS_CONTEXT, Running, code_of_meta, mark_of_meta, mark_of_token};

impl Running {
    #[inline(always)]
    pub(crate) fn stack_value(&self, index: usize) -> Value {
        self.stack.value(index)
    }

    /// A register of a frame.
    pub(crate) fn frame_register(&self, frame: usize, register: usize) -> Value {
        self.stack.value(frame + register)
    }

    /// 1 + the index of the frame's mark, or 0.
    pub(crate) fn frame_mark(&self, frame: usize) -> usize {
        mark_of_meta(self.stack.word(frame - 2))
    }

    /// Whether an object stands for the frame's activation.
    pub(crate) fn has_context(&self, frame: usize) -> bool {
        self.stack.word(frame - 2) & HAS_CONTEXT != 0
    }

    /// The code number in the frame's meta word.
    pub(crate) fn frame_code(&self, frame: usize) -> u32 {
        code_of_meta(self.stack.word(frame - 2))
    }

    /// Index of the mark of the first handler frame that a search below `start` finds. `None` starts the search at the
    /// top.
    pub(crate) fn find_handler(&self, start: Option<usize>) -> Option<usize> {
        let mut index = start.unwrap_or(self.marks.len());
        while index > 0 {
            index -= 1;
            let mark = &self.marks[index];
            match mark.frame_kind {
                Some(FrameKind::Handler) => return Some(index),
                Some(FrameKind::Handling) => {
                    // A handler block runs in the environment of its `on:do:`'s sender.
                    let token = self.stack_value(mark.frame + 1);
                    if let Some(handler) = mark_of_token(&self.marks, token) {
                        index = index.min(handler);
                    }
                }
                _ => {}
            }
        }
        None
    }
}
