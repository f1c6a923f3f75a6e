//! The symbol table: every symbol once, named by a small number.

use hashbrown::HashMap;

use crate::value::SymbolId;

/// All symbols of a machine, in the order in which they were met.
#[derive(Clone, Default)]
pub struct SymbolTable {
    texts: Vec<Box<str>>,
    ids: HashMap<Box<str>, SymbolId>,
    bytes: usize,
}

impl SymbolTable {
    /// The symbol with this text, made if need be.
    pub fn intern(&mut self, text: &str) -> SymbolId {
        if let Some(&id) = self.ids.get(text) {
            return id;
        }
        // A table of 2³² symbols would need more memory than its texts leave.
        let id = SymbolId(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), id);
        self.bytes += 2 * text.len() + 64;
        id
    }

    /// The symbol with this text, if there is one.
    pub fn find(&self, text: &str) -> Option<SymbolId> {
        self.ids.get(text).copied()
    }

    /// A symbol's text.
    pub fn text(&self, id: SymbolId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |text| text)
    }

    /// Roughly how many bytes the table takes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
