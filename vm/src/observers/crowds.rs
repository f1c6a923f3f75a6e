//! Findings on different keys with one hash.

use crate::base::ClassId;

/// The most keys with one hash that a collection had when it grew, and of several such growths the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// How many keys have the hash.
    pub keys: usize,
    /// How many keys the collection held.
    pub of: usize,
    /// Class of one of them.
    pub class: String,
}

/// The findings of a machine that looks for crowds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowds {
    pub(crate) largest: Option<(usize, usize, ClassId)>,
}
