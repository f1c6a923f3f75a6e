//! The assumptions of primitives that search hashed collections. Such a search replaces methods of the library. So a
//! class that overrides one of these methods is searched by messages.

use crate::base::Known;

/// Facts of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Searching {
    /// Not examined since the caches were emptied.
    #[default]
    Unknown,
    /// Its instances are none of these.
    Other,
    /// They are byte objects that may be indexes of places.
    Index,
    /// They are hashed collections that find keys as in the library.
    Keys,
    /// The same, with a value for each key.
    KeysAndValues,
    /// They hold the values of a dictionary in associations.
    BoundValues,
}

impl Searching {
    /// Whether instances are hashed collections that find keys as in the library.
    pub(crate) fn finds_keys(self) -> bool {
        matches!(self, Searching::Keys | Searching::KeysAndValues)
    }
}

/// The classes whose instances primitives hash and compare.
pub(crate) const KEY_CLASSES: &[Known] = &[
    Known::SmallInteger,
    Known::Float,
    Known::Character,
    Known::Symbol,
    Known::String,
    Known::WideString,
];

/// The messages to keys that such a primitive replaces.
pub(crate) const KEY_SELECTORS: [&str; 2] = ["=", "hash"];
