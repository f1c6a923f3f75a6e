//! The frames of the running process.

use super::Vm;
use crate::processes::{FrameView, FrameWalk};

/// A walk over the frames of the running process.
pub(crate) struct RunningWalk(FrameWalk);

impl RunningWalk {
    pub(crate) fn next(&mut self, vm: &Vm) -> Option<FrameView> {
        self.0.step(&vm.running.stack, &vm.running.marks)
    }
}

impl Vm {
    /// Walks the running process's frames from the top.
    pub(crate) fn walk_frames(&mut self) -> RunningWalk {
        let frame = self.frame_index();
        RunningWalk(FrameWalk::new(frame, self.registers.ip))
    }
}
