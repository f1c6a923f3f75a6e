//! The tests that a change of a program can affect. The differences between two versions of its units are compared with
//! the lookups of a test. In doubt a test is affected.
//!
//! The argument: a test runs the same code on the same objects under two conditions. (1) Loading the program does the
//! same. (2) Each message that the test looks up finds a method with the same code, or none as before. So a changed, new
//! or missing method affects the tests that looked its selector up below its class. A changed shape of a class affects
//! the tests that sent messages to the class, its subclasses or their instances. A program that reflects or reads files
//! can observe more than that, and is always affected.

mod difference;
mod lookups;

use std::collections::{BTreeMap, BTreeSet};

pub use lookups::{LookedUp, RunLookups};

/// The differences between two versions of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Why everything is concerned, if it is.
    everything: Option<String>,
    /// Methods that are new, gone or compiled to something else: classes with their sides, by selector.
    methods: BTreeMap<String, BTreeSet<Side>>,
    /// Classes in which a method with a pragma is new, gone or another one.
    pragmas: BTreeSet<String>,
    /// Classes and traits that are new, gone or of another shape.
    classes: BTreeSet<String>,
    /// The classes of both versions that stand below a class of the program, itself included, or that use a trait.
    below: BTreeMap<String, BTreeSet<String>>,
}

/// One side of a class.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    class: String,
    is_class_side: bool,
}

impl Side {
    /// From `Foo` or `Foo class`.
    fn named(name: &str) -> Side {
        match name.strip_suffix(" class") {
            Some(class) => Side {
                class: class.to_string(),
                is_class_side: true,
            },
            None => Side {
                class: name.to_string(),
                is_class_side: false,
            },
        }
    }
}

impl Changes {
    /// Whether the versions do the same.
    pub fn is_empty(&self) -> bool {
        self.everything.is_none() && self.methods.is_empty() && self.classes.is_empty()
    }

    /// Why everything is concerned, if it is.
    pub fn everything(&self) -> Option<&str> {
        self.everything.as_deref()
    }

    /// Whether the result of a run may differ between the versions. `run` holds its lookups in one of them. A run begins with
    /// the loading, so a change that concerns the loading concerns every run.
    pub fn concern(&self, run: &RunLookups) -> bool {
        if self.is_empty() {
            return false;
        }
        self.everything.is_some()
            || run.is_in_doubt
            || !self.pragmas.is_disjoint(&run.pragmas)
            || run.lookups.iter().any(|lookup| self.concern_lookup(lookup))
    }

    fn concern_lookup(&self, lookup: &LookedUp) -> bool {
        let receiver = Side::named(&lookup.class);
        let is_below = |class: &String| match self.below.get(class) {
            Some(below) => below.contains(&receiver.class),
            // What stands below a class of the library is not known here.
            None => true,
        };
        if self.classes.iter().any(is_below) {
            return true;
        }
        let sides = self.methods.get(&lookup.selector);
        sides.is_some_and(|sides| {
            sides.iter().any(|side| {
                // The class side of a class of the library inherits from the instance sides of others.
                let is_known = self.below.contains_key(&side.class);
                is_below(&side.class) && (side.is_class_side == receiver.is_class_side || !is_known)
            })
        })
    }
}
