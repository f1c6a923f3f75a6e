//! When the test of a run began and ended in virtual time.

use super::Vm;
use crate::separate::TestExtent;

impl Vm {
    /// The block begins that sends the message of a test.
    pub(crate) fn begin_extent_of_test(&mut self) {
        let (from, ticks) = (self.moment(), self.total_ticks());
        self.separate.test = Some(TestExtent {
            from,
            to: from,
            ticks,
        });
    }

    /// The block has ended, and all processors are idle.
    pub(crate) fn end_extent_of_test(&mut self) {
        let (to, ticks) = (self.moment(), self.total_ticks());
        if let Some(extent) = &mut self.separate.test {
            extent.to = to;
            extent.ticks = ticks.saturating_sub(extent.ticks);
        }
    }

    fn moment(&self) -> u64 {
        match self.has_processors() {
            true => self.virtual_time(),
            false => self.clock_units(),
        }
    }

    /// When the test began and ended that was measured last, with what runs it, if the run has made a processor.
    pub fn extent_of_test(&self) -> Option<TestExtent> {
        self.separate.test.filter(|_| self.has_processors())
    }
}
