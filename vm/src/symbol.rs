//! The symbol table: every symbol once, named by a small number.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::value::SymbolId;

/// Texts to a page.
const PAGE: usize = 1024;

/// All symbols of a machine, in the order in which they were met. Each text is kept once: the table
/// that finds a symbol holds numbers.
#[derive(Clone, Default)]
pub struct SymbolTable {
    /// By number, in pages that never grow: growing one table would need twice its room meanwhile.
    texts: Vec<Vec<Box<str>>>,
    count: usize,
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
        let id = SymbolId(self.count as u32);
        if self.count.is_multiple_of(PAGE) {
            self.texts.push(Vec::with_capacity(PAGE));
        }
        if let Some(page) = self.texts.last_mut() {
            page.push(text.into());
        }
        self.count += 1;
        let (texts, hasher) = (&self.texts, &self.hasher);
        let hash = |id: &SymbolId| hasher.hash_one(text_of(texts, *id));
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
        text_of(&self.texts, id)
    }

    /// Roughly how many bytes the table takes.
    pub fn bytes(&self) -> usize {
        // While the table of numbers grows there is a smaller one beside it.
        let slots = self.ids.capacity() * (size_of::<SymbolId>() + 1) * 8 / 7 * 3 / 2;
        self.text_bytes + self.texts.len() * PAGE * size_of::<Box<str>>() + slots
    }
}

fn text_of(pages: &[Vec<Box<str>>], id: SymbolId) -> &str {
    let index = id.0 as usize;
    let page = pages.get(index / PAGE);
    page.and_then(|page| page.get(index % PAGE))
        .map_or("", |text| text)
}
