//! The lookups of a run.

use std::collections::BTreeMap;

use crate::base::{ClassId, MethodId, SymbolId};

/// A message that was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lookup {
    /// The class in which the search began: the receiver's, or the one above the holder of a super send.
    pub class: ClassId,
    /// The selector.
    pub selector: SymbolId,
    /// The method that was found.
    pub found: Option<MethodId>,
    /// Whether the message was sent; if not, the program only tested whether a class understands it.
    pub is_sent: bool,
}

/// Lookups that were made, and whether each was for a send.
#[derive(Debug, Default)]
pub(crate) struct Lookups {
    pub(crate) made: BTreeMap<(ClassId, SymbolId, Option<MethodId>), bool>,
}

impl Lookups {
    pub(crate) fn note(
        &mut self,
        class: ClassId,
        selector: SymbolId,
        found: Option<MethodId>,
        is_sent: bool,
    ) {
        *self.made.entry((class, selector, found)).or_default() |= is_sent;
    }
}
