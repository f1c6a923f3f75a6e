//! Methods in the machine: rows of a table.

use std::borrow::Cow;

use super::cell::CodeCell;
use crate::base::{ClassId, MethodId, SymbolId};

/// A method: its place and its code.
#[derive(Clone)]
pub struct Method {
    /// Its selector.
    pub selector: SymbolId,
    /// The class that holds it.
    pub holder: ClassId,
    /// Index of the unit that it came from.
    pub unit: usize,
    /// Method category.
    pub category: Cow<'static, str>,
    /// The compiled code, names symbolic.
    pub code: CodeCell,
    /// Whether its class still holds it.
    pub current: bool,
    /// Its source, where it was compiled from a text of its own.
    pub(crate) plain_source: Option<std::sync::Arc<str>>,
    /// How its class came by it.
    pub(crate) origin: Origin,
}

/// How a class came by a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It was defined in the class.
    #[default]
    Own,
    /// It is the method of a trait.
    Trait(MethodId),
    /// Several traits have different ones.
    Conflict,
}

/// The selected accesses to instance variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Written,
}
