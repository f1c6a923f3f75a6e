//! The image: classes, methods, names and globals, and the units that they came from. Nothing here runs.

mod cell;
mod class;
mod composition;
mod dictionary;
mod globals;
mod method;
mod packed;
mod recompiled;
mod reflection;
mod searching;
mod selectors;
mod shapes;
mod sources;
mod symbols;
mod tables;
mod wrapping;

use std::sync::Arc;

use hashbrown::HashMap;

use crate::base::{Grown, MethodId, Shared, Value};
use crate::bytecode::{GlobalRef, Unit};
use recompiled::Recompiled;

pub use cell::CodeCell;
pub use class::Class;
pub(crate) use composition::{Offer, Used, Wanted};
pub(crate) use dictionary::MethodDictionary;
pub use method::Method;
pub(crate) use method::{Access, Origin};
pub use packed::pack_library;
pub(crate) use packed::{Packed, PackedUnit, Rows};
pub(crate) use searching::{KEY_CLASSES, KEY_SELECTORS, Searching};
pub(crate) use selectors::{MACHINE_SELECTORS, Selectors};
pub(crate) use shapes::nameless;
pub use symbols::SymbolTable;
pub(crate) use wrapping::Wrapping;

/// A global variable, a class variable or a class.
#[derive(Clone, Copy)]
pub(crate) struct Global {
    pub(crate) value: Value,
    /// Whether anything has been assigned or defined.
    pub(crate) defined: bool,
}

/// All facts of code and names, by small numbers.
pub(crate) struct Image {
    pub(crate) symbols: SymbolTable,
    /// Selectors that the machine sends by itself.
    pub(crate) selectors: Selectors,
    pub(crate) classes: Shared<Vec<Class>>,
    /// The class objects, by the numbers of the classes.
    pub(crate) class_objects: Vec<Value>,
    pub(crate) methods: Grown<Method>,
    /// How many classes have a method for a selector, by the selector's number.
    pub(crate) implementors: Shared<Vec<u32>>,
    pub(crate) units: Grown<Arc<Unit>>,
    pub(crate) globals: Vec<Global>,
    /// What code calls them, by their numbers.
    pub(crate) references: Grown<Arc<GlobalRef>>,
    pub(crate) global_ids: Shared<HashMap<Arc<GlobalRef>, u32>>,
    /// The library's meaning of names that a program has given to its own classes.
    pub(crate) library_globals: Shared<HashMap<GlobalRef, u32>>,
    /// How many classes there were when the library had been loaded.
    pub(crate) library_classes: usize,
    /// How many globals there were then.
    pub(crate) library_variables: usize,
    pub(crate) library_digest: u64,
    /// Source texts of the library's units, which come first among all units.
    pub(crate) library_sources: Vec<&'static [u8]>,
    pub(crate) loading_library: bool,
    /// The literals with the objects of methods that programs hold.
    pub(crate) method_objects: HashMap<MethodId, usize>,
    /// The methods of wrappers that replace other methods.
    pub(crate) wrappers: HashMap<MethodId, Wrapping>,
    /// The code that programs have compiled while they run.
    pub(crate) recompiled: Recompiled,
    /// Whether `=` and `hash` of the classes whose instances primitives hash and compare are the library's.
    pub(crate) compares_keys: bool,
    /// Facts of classes, by their numbers, for primitives that search hashed collections.
    pub(crate) searched: Vec<Searching>,
}

impl Image {
    /// An image with the symbols that every machine has, and no class but the one that is none.
    pub(crate) fn new() -> Image {
        let mut symbols = SymbolTable::default();
        Image {
            selectors: Selectors::new(MACHINE_SELECTORS.map(|text| symbols.intern(text))),
            symbols,
            classes: Shared::new(vec![Class::placeholder("<none>")]),
            class_objects: Vec::new(),
            methods: Grown::default(),
            implementors: Shared::default(),
            units: Grown::default(),
            globals: Vec::new(),
            references: Grown::default(),
            global_ids: Shared::default(),
            library_globals: Shared::default(),
            library_classes: 0,
            library_variables: 0,
            library_digest: 0,
            library_sources: Vec::new(),
            loading_library: false,
            method_objects: HashMap::new(),
            wrappers: HashMap::new(),
            recompiled: Recompiled::default(),
            compares_keys: true,
            searched: Vec::new(),
        }
    }

    /// The image of a copy of the machine.
    pub(crate) fn fork(&mut self) -> Image {
        let Image {
            symbols,
            selectors,
            classes,
            class_objects,
            methods,
            implementors,
            units,
            globals,
            references,
            global_ids,
            library_globals,
            library_classes,
            library_variables,
            library_digest,
            library_sources,
            loading_library: _,
            method_objects,
            wrappers,
            recompiled,
            compares_keys,
            searched: _,
        } = self;
        Image {
            symbols: symbols.clone(),
            selectors: *selectors,
            classes: classes.clone(),
            class_objects: class_objects.clone(),
            methods: methods.copy(),
            implementors: implementors.clone(),
            units: units.copy(),
            globals: globals.clone(),
            references: references.copy(),
            global_ids: global_ids.clone(),
            library_globals: library_globals.clone(),
            library_classes: *library_classes,
            library_variables: *library_variables,
            library_digest: *library_digest,
            library_sources: library_sources.clone(),
            loading_library: false,
            method_objects: method_objects.clone(),
            wrappers: wrappers.clone(),
            recompiled: recompiled.clone(),
            compares_keys: *compares_keys,
            // Learnt again later: it is valid as long as the caches, which are empty too.
            searched: Vec::new(),
        }
    }
}
