//! Classes and methods in the machine: tables indexed by small numbers, so that headers and caches never hold heap
//! pointers. The class *objects* of the language hold a class's number in slot 0.

use std::sync::Arc;

use super::composition::Used;
use super::dictionary::MethodDictionary;
use crate::base::{ClassId, Dialect, Known, hash_bytes};
use crate::bytecode::Kind;

/// A class or a metaclass.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name; for a metaclass the name of its sole instance.
    pub name: String,
    /// Its hash, from the name at its creation. A later change of the name does not change it.
    pub(crate) hash: u32,
    /// Whether a definition has been made.
    pub defined: bool,
    /// Whether it is a metaclass.
    pub is_metaclass: bool,
    /// The other side: the metaclass of a class, the sole instance of a metaclass.
    pub other_side: ClassId,
    /// The superclass.
    pub superclass: Option<ClassId>,
    /// Direct subclasses, in the order of definition.
    pub subclasses: Vec<ClassId>,
    /// Layout of instances.
    pub kind: Kind,
    /// Instance variables declared here.
    pub own_ivars: Vec<String>,
    /// All instance variables, inherited ones first; the slots of an instance. A class that adds none shares them.
    pub ivars: Arc<[String]>,
    /// Class variables declared here.
    pub class_variables: Vec<String>,
    /// Its own methods.
    pub methods: MethodDictionary,
    /// Category or package.
    pub category: String,
    /// Comment.
    pub comment: String,
    /// The classes whose class variables its methods see as well.
    pub pools: Vec<String>,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// The traits that this side uses.
    pub(crate) uses: Vec<Used>,
    /// The sides that use this one, if it is a trait's.
    pub(crate) users: Vec<ClassId>,
}

impl Class {
    pub(crate) fn placeholder(name: &str) -> Class {
        Class {
            name: name.to_string(),
            hash: hash_bytes(name.as_bytes()),
            defined: false,
            is_metaclass: false,
            other_side: ClassId(0),
            superclass: None,
            subclasses: Vec::new(),
            kind: Kind::Fixed,
            own_ivars: Vec::new(),
            ivars: Arc::default(),
            class_variables: Vec::new(),
            methods: MethodDictionary::default(),
            category: String::new(),
            comment: String::new(),
            pools: Vec::new(),
            is_trait: false,
            uses: Vec::new(),
            users: Vec::new(),
        }
    }

    /// `Foo` or `Foo class`.
    pub fn display_name(&self) -> String {
        if self.is_metaclass {
            format!("{} class", self.name)
        } else {
            self.name.clone()
        }
    }
}

impl Dialect {
    /// The layout of a known class, where the dialect's definitions cannot express it.
    pub(crate) fn layout(self, id: ClassId) -> Option<Kind> {
        const BYTES: &[Known] = &[Known::String, Known::Symbol, Known::Float];
        if self == Dialect::Smalltalk {
            None
        } else if id == Known::Array.into() {
            Some(Kind::Pointers)
        } else {
            let is_bytes = BYTES.iter().any(|&known| id == known.into());
            is_bytes.then_some(Kind::Bytes)
        }
    }
}
