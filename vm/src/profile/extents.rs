//! Measures the sends below each activation of a method. It needs the recorder, whose events it follows. Only the slowest copy of
//! the loop reports to it, so the other copies stay as fast as they are.

use crate::base::{MethodId, ProcessId};
use crate::code::Target;
use crate::machine::Vm;
use crate::observers::Extent;

impl Vm {
    /// Measures each activation from now on; the recorder is on.
    pub fn measure_extents(&mut self) {
        self.count_everything();
        self.observers.extents = Some(Box::default());
    }

    /// Takes all frames for left, ends measuring, and answers the methods with their extents.
    pub fn take_extents(&mut self) -> Vec<(MethodId, Extent)> {
        let Some(mut extents) = self.observers.extents.take() else {
            return Vec::new();
        };
        self.count_less();
        extents.end_all(self.running.id.0, self.counted_sends());
        for (number, process) in (0..).zip(&self.processes.table) {
            if let Some(process) = process {
                extents.end_all(number, process.sends());
            }
        }
        extents.rows()
    }

    /// The running process enters a frame at this reading of its send counter.
    #[cold]
    #[inline(never)]
    pub(crate) fn extent_begins(&mut self, callee: &Target, sends: u64) {
        let is_counted = !callee.is_block && !callee.is_quick && self.running.silence.is_none();
        let process = self.running.id.0;
        if let Some(extents) = &mut self.observers.extents {
            extents.begin(process, is_counted.then_some(callee.method), sends);
        }
    }

    /// The running process leaves a frame.
    #[cold]
    #[inline(never)]
    pub(crate) fn extent_ends(&mut self, sends: u64) {
        let process = self.running.id.0;
        if let Some(extents) = &mut self.observers.extents {
            extents.end(process, sends);
        }
    }

    /// A process goes without having been unwound.
    pub(super) fn extents_end(&mut self, process: ProcessId, sends: u64) {
        if let Some(extents) = &mut self.observers.extents {
            extents.end_all(process.0, sends);
        }
    }
}
