//! Which methods came of which texts that programs compile while they run.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap};

use crate::base::{ClassId, MethodId, Shared};
use crate::bytecode::Unit;

/// The last method that came of each text, by the digest of the text and its class.
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
