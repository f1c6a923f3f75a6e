//! Maps each text that a program compiled at run time to its method.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap};

use super::Image;
use crate::base::{ClassId, MethodId, Shared};
use crate::bytecode::Unit;

/// The last method that was compiled from each text, by the digest of the text and its class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recompiled {
    pub(crate) methods: Shared<HashMap<u64, MethodId>>,
    hasher: DefaultHashBuilder,
}

impl Recompiled {
    pub(crate) fn key(&self, class: ClassId, unit: &Unit) -> u64 {
        self.hasher.hash_one((class.0, &unit.name, &unit.source))
    }
}

impl Image {
    /// The method that an equal unit gave in this class.
    pub(crate) fn method_of_equal_unit(&self, class: ClassId, unit: &Unit) -> Option<MethodId> {
        let key = self.recompiled.key(class, unit);
        let &id = self.recompiled.methods.get(&key)?;
        let method = self.method(id);
        (method.holder == class && *self.units[method.unit] == *unit).then_some(id)
    }
}
