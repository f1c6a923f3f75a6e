//! Finds the linked code of methods.

use hashbrown::HashMap;

use crate::base::{MethodId, Shared, TargetId};

/// The numbers of linked code by the numbers of methods, as far as linked. Copies of a machine share the earlier links.
#[derive(Clone, Debug, Default)]
pub(crate) struct Links {
    shared: Shared<HashMap<MethodId, TargetId>>,
    own: HashMap<MethodId, TargetId>,
}

impl Links {
    pub(crate) fn get(&self, id: MethodId) -> Option<TargetId> {
        self.own.get(&id).or_else(|| self.shared.get(&id)).copied()
    }

    pub(crate) fn insert(&mut self, id: MethodId, target: TargetId) {
        self.own.insert(id, target);
    }

    /// A copy that shares all that there is.
    pub(crate) fn copy(&mut self) -> Links {
        if !self.own.is_empty() {
            self.shared.extend(self.own.drain());
        }
        self.clone()
    }
}
