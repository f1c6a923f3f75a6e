//! Facts of a method that stands in another method's place.

use super::Image;
use crate::base::MethodId;

/// A wrapper's method and the method that it replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapping {
    /// The other.
    pub(crate) original: MethodId,
    /// Where among the literals the wrapper stands.
    pub(crate) literal: usize,
}

impl Image {
    /// The method behind all wrappers.
    pub(crate) fn innermost(&self, method: MethodId) -> MethodId {
        self.chain(method).last().unwrap_or(method)
    }

    /// A method, and then, as long as it belongs to a wrapper, the method that it replaces.
    pub(crate) fn chain(&self, first: MethodId) -> impl Iterator<Item = MethodId> + '_ {
        std::iter::successors(Some(first), |id| {
            self.wrappers.get(id).map(|row| row.original)
        })
    }

    /// The method in the class of a wrapper's method for the same selector.
    pub(crate) fn class_method_like(&self, wrapping: MethodId) -> Option<MethodId> {
        let method = self.method(wrapping);
        self.class(method.holder).methods.get(method.selector)
    }
}
