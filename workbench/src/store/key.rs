//! What identifies a run before it takes place.

use std::fmt;

use crate::files::digest::{Digest, Fields};

/// A digest of everything that is known before a run: two runs with the same one do the same as long as they read the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub Digest);

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// A key while it is made. The order in which things are added matters.
#[derive(Debug)]
pub struct KeyBuilder(Fields);

impl KeyBuilder {
    /// That of nothing yet. Keys of different purposes are never the same.
    pub fn new(purpose: &str) -> KeyBuilder {
        KeyBuilder(Fields::new(purpose))
    }

    /// Adds something that has a name.
    pub fn add(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut KeyBuilder {
        self.0.add(name.as_bytes()).add(value.as_ref());
        self
    }

    /// Adds a list of things, so that neither order nor number can be mistaken.
    pub fn add_all<V: AsRef<[u8]>>(
        &mut self,
        name: &str,
        values: impl IntoIterator<Item = V>,
    ) -> &mut KeyBuilder {
        let mut list = Fields::new(name);
        for value in values {
            list.add(value.as_ref());
        }
        self.add(name, list.digest().bytes())
    }

    /// The key.
    pub fn key(&self) -> Key {
        Key(self.0.digest())
    }
}
