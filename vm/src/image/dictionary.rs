//! The methods of one class by selector. The methods of the embedded library stay packed in its bytes until the first
//! lookup in their class. So a machine starts quickly, however large the library is.

use std::sync::OnceLock;

use hashbrown::HashMap;

use super::packed::Rows;
use crate::base::{MethodId, SymbolId};

/// The methods of a class, and the order in which they were defined.
#[derive(Clone, Debug, Default)]
pub struct MethodDictionary {
    /// The library's methods of the class, and the number of the first one.
    library: Option<(Rows, MethodId)>,
    table: OnceLock<Table>,
}

#[derive(Clone, Debug, Default)]
struct Table {
    methods: HashMap<SymbolId, MethodId>,
    order: Vec<SymbolId>,
}

impl MethodDictionary {
    /// The methods that the library gives a class that has none yet: they follow each other from `first` on.
    pub(crate) fn of_library(rows: Rows, first: MethodId) -> MethodDictionary {
        MethodDictionary {
            library: Some((rows, first)),
            table: OnceLock::new(),
        }
    }

    /// Whether there is no method at all.
    pub fn is_empty(&self) -> bool {
        self.table().order.is_empty()
    }

    /// The class's own method for a selector.
    pub fn get(&self, selector: SymbolId) -> Option<MethodId> {
        self.table().methods.get(&selector).copied()
    }

    /// The selectors in the order of their definition.
    pub fn selectors(&self) -> &[SymbolId] {
        &self.table().order
    }

    /// Puts a method in; answers the method that it replaces.
    pub(crate) fn insert(&mut self, selector: SymbolId, method: MethodId) -> Option<MethodId> {
        self.change(|table| {
            let old = table.methods.insert(selector, method);
            if old.is_none() {
                table.order.push(selector);
            }
            old
        })
    }

    /// Takes the method for a selector out and answers it.
    pub(crate) fn remove(&mut self, selector: SymbolId) -> Option<MethodId> {
        self.get(selector)?;
        self.change(|table| {
            table.order.retain(|&other| other != selector);
            table.methods.remove(&selector)
        })
    }

    fn table(&self) -> &Table {
        self.table.get_or_init(|| self.unpacked())
    }

    fn change<R>(&mut self, change: impl FnOnce(&mut Table) -> R) -> R {
        let mut table = self.table.take().unwrap_or_else(|| self.unpacked());
        let answer = change(&mut table);
        self.table = OnceLock::from(table);
        answer
    }

    fn unpacked(&self) -> Table {
        let Some((rows, MethodId(first))) = self.library else {
            return Table::default();
        };
        let numbered = rows.iter().zip(first..);
        Table {
            methods: numbered
                .map(|(row, n)| (row.selector, MethodId(n)))
                .collect(),
            order: rows.iter().map(|row| row.selector).collect(),
        }
    }
}
