//! Entries as the cost vector counts them.

use crate::code::Target;
use crate::counting::Counters;

impl Counters {
    /// Counts that a frame was entered. A quick method is no activation.
    #[inline(always)]
    pub(crate) fn count_entry(&mut self, callee: &Target) {
        if callee.is_quick {
            return;
        }
        if callee.is_block {
            self.full.blocks += 1;
        } else {
            self.full.activations += 1;
        }
    }
}
