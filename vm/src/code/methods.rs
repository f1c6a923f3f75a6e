//! The linked code of methods.

use crate::base::{MethodId, TargetId};
use crate::code::{LinkedCode, Target};

impl LinkedCode {
    /// Where a method's linked code stands, if it was needed already.
    pub(crate) fn linked(&self, id: MethodId) -> Option<TargetId> {
        self.links.get(id)
    }

    pub(crate) fn target(&self, id: TargetId) -> &Target {
        &self.targets[id.0 as usize]
    }
}
