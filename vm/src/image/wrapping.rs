//! What is known of a method that stands in another's place.

use crate::base::MethodId;

/// A method that stands in another's place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapping {
    /// The other.
    pub(crate) original: MethodId,
    /// Where among the literals the wrapper stands.
    pub(crate) literal: usize,
}
