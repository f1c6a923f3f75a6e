//! The symbol table: every symbol once, named by a small number.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::value::SymbolId;

/// All symbols of a machine, in the order in which they were met. Each text is kept once: the table
/// that finds a symbol holds numbers.
#[derive(Clone, Default)]
pub struct SymbolTable {
    texts: Vec<Box<str>>,
    ids: HashTable<SymbolId>,
    hasher: DefaultHashBuilder,
    text_bytes: usize,
}

impl SymbolTable {
    /// The symbol with this text, made if need be.
    pub fn intern(&mut self, text: &str) -> SymbolId {
        if let Some(id) = self.find(text) {
            return id;
        }
        // A table of 2³² symbols would need more memory than its texts leave.
        let id = SymbolId(self.texts.len() as u32);
        self.texts.push(text.into());
        let (texts, hasher) = (&self.texts, &self.hasher);
        let hash = |id: &SymbolId| hasher.hash_one(&*texts[id.0 as usize]);
        self.ids.insert_unique(hash(&id), id, hash);
        self.text_bytes += text.len().next_multiple_of(16);
        id
    }

    /// The symbol with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<SymbolId> {
        let hash = self.hasher.hash_one(text);
        let found = self.ids.find(hash, |id| self.text(*id) == text);
        found.copied()
    }

    /// A symbol's text.
    pub fn text(&self, id: SymbolId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |text| text)
    }

    /// Roughly how many bytes the table takes.
    pub fn bytes(&self) -> usize {
        let slots = self.ids.capacity() * (size_of::<SymbolId>() + 1) * 8 / 7;
        self.text_bytes + self.texts.capacity() * size_of::<Box<str>>() + slots
    }
}
