//! The symbol table: every symbol once, named by a small number.

use std::cmp::Ordering;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::packed::Strings;
use crate::base::{Shared, SymbolId};

/// Texts to a page.
const PAGE: usize = 1024;

/// All symbols of a machine: the symbols of the embedded library, then the others in the order of their creation. Each
/// text is kept once: the table that finds a symbol holds numbers.
#[derive(Clone, Default)]
pub struct SymbolTable {
    /// The symbols with the smallest numbers: the machine's own, then others in the order of their bytes.
    library: Strings<'static>,
    /// The others by number, in pages that never grow. A single growing table would need twice its room while it grows.
    texts: Vec<Shared<Vec<Arc<str>>>>,
    /// The number of library symbols in front of the sorted ones.
    sorted_from: usize,
    count: usize,
    ids: HashTable<SymbolId>,
    hasher: DefaultHashBuilder,
    text_bytes: usize,
}

impl SymbolTable {
    /// The symbol with this text, made if necessary.
    pub fn intern(&mut self, text: &str) -> SymbolId {
        if let Some(id) = self.find(text) {
            return id;
        }
        // A table of 2³² symbols would need more memory than its texts leave.
        let id = SymbolId((self.library.len() + self.count) as u32);
        if self.count.is_multiple_of(PAGE) {
            self.texts.push(Shared::new(Vec::with_capacity(PAGE)));
        }
        if let Some(page) = self.texts.last_mut() {
            page.push(text.into());
        }
        self.count += 1;
        self.insert(id);
        self.text_bytes += (2 * size_of::<usize>() + text.len()).next_multiple_of(16);
        id
    }

    fn insert(&mut self, id: SymbolId) {
        let (library, texts, hasher) = (&self.library, &self.texts, &self.hasher);
        let hash = |id: &SymbolId| hasher.hash_one(text_of(library, texts, *id));
        self.ids.insert_unique(hash(&id), id, hash);
    }

    /// Takes in the symbols of a library without reading them. They begin with the existing symbols, which are found as
    /// before. The others stand in the order of their bytes.
    ///
    /// # Errors
    /// A sentence, if they begin otherwise.
    pub(crate) fn take_library(&mut self, library: Strings<'static>) -> Result<(), String> {
        let same = |n: usize| library.get(n) == Some(self.text(SymbolId(n as u32)));
        if self.library.len() > 0 || !(0..self.count).all(same) {
            return Err("the library was made for another machine".to_string());
        }
        self.sorted_from = self.count;
        self.library = library;
        self.texts.clear();
        self.count = 0;
        self.text_bytes = 0;
        Ok(())
    }

    /// The symbol with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<SymbolId> {
        let hash = self.hasher.hash_one(text);
        let found = self.ids.find(hash, |id| self.text(*id) == text);
        found.copied().or_else(|| self.find_in_library(text))
    }

    fn find_in_library(&self, text: &str) -> Option<SymbolId> {
        let (mut low, mut high) = (self.sorted_from, self.library.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.library.get(middle)?.cmp(text) {
                Ordering::Less => low = middle + 1,
                Ordering::Equal => return Some(SymbolId(middle as u32)),
                Ordering::Greater => high = middle,
            }
        }
        None
    }

    /// A symbol's text.
    pub fn text(&self, id: SymbolId) -> &str {
        text_of(&self.library, &self.texts, id)
    }

    /// Roughly how many bytes the table takes.
    pub fn bytes(&self) -> usize {
        // While the table of numbers grows there is a smaller one beside it.
        let slots = self.ids.capacity() * (size_of::<SymbolId>() + 1) * 8 / 7 * 3 / 2;
        self.text_bytes + self.texts.len() * PAGE * size_of::<Arc<str>>() + slots
    }
}

fn text_of<'a>(library: &Strings<'a>, pages: &'a [Shared<Vec<Arc<str>>>], id: SymbolId) -> &'a str {
    let Some(index) = (id.0 as usize).checked_sub(library.len()) else {
        return library.get(id.0 as usize).unwrap_or_default();
    };
    let page = pages.get(index / PAGE);
    page.and_then(|page| page.get(index % PAGE))
        .map_or("", |text| text)
}
