//! The composition of one side of a class.

use crate::base::ClassId;
use crate::bytecode::TraitChange;

/// A trait in the composition of one side of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Used {
    /// The side of the trait whose methods are used.
    pub(crate) side: ClassId,
    /// In the order in which they apply.
    pub(crate) changes: Vec<TraitChange>,
}
