//! Notes on classes whose instances primitives search.

use crate::base::{ClassId, Known, Value};
use crate::bytecode::Kind;
use crate::image::{KEY_CLASSES, KEY_SELECTORS, Searching};
use crate::machine::Vm;
use crate::primitives::holds_plain_bytes;

/// The file of the library that defines how keys are found.
const FILE: &str = "/HashedCollection.st";

/// The methods that define how a collection searches.
const SELECTORS: [&str; 4] = ["hashOf:", "scan:hash:", "scanFor:", "place:hash:at:"];

/// The file of the library that defines the values of a dictionary in associations, and its methods for them.
const BOUND_FILE: &str = "/BoundValues.st";
const BOUND_SELECTORS: [&str; 2] = ["at:", "at:put:"];
const BOUND_VARIABLES: [&str; 2] = ["associations", "dictionary"];
const ASSOCIATION_VARIABLES: [&str; 2] = ["key", "value"];

/// The instance variables of hashed collections, in the order of an instance's slots, and then that of dictionaries.
const VARIABLES: [&str; 6] = ["array", "hashes", "tally", "room", "holdsNil", "slots"];

impl Vm {
    /// The facts of the value's class.
    #[inline(always)]
    pub(crate) fn searching(&mut self, value: Value) -> Searching {
        let class = self.class_number(value);
        match self.image.searched.get(class as usize) {
            Some(&known) if known != Searching::Unknown => known,
            _ => self.learn_searching(ClassId(class)),
        }
    }

    #[cold]
    #[inline(never)]
    fn learn_searching(&mut self, class: ClassId) -> Searching {
        let searching = self.look_at_class(class);
        let index = class.0 as usize;
        if index >= self.image.searched.len() {
            self.image.searched.resize(index + 1, Searching::Unknown);
        }
        self.image.searched[index] = searching;
        searching
    }

    fn look_at_class(&mut self, class: ClassId) -> Searching {
        if self.class(class).kind == Kind::Bytes {
            return match holds_plain_bytes(self, class) {
                true => Searching::Index,
                false => Searching::Other,
            };
        }
        if self.class(class).ivars.iter().eq(BOUND_VARIABLES) {
            return self.look_at_bound(class);
        }
        if !self.answer_as_library(class, &SELECTORS, FILE) {
            return Searching::Other;
        }
        let variables = &self.class(class).ivars;
        let same = variables.iter().zip(VARIABLES);
        match same.take_while(|(a, b)| a == b).count() {
            6 => Searching::KeysAndValues,
            5 => Searching::Keys,
            _ => Searching::Other,
        }
    }

    fn look_at_bound(&mut self, class: ClassId) -> Searching {
        let association = self.class(Known::Association.into());
        let is_plain = association.ivars.iter().eq(ASSOCIATION_VARIABLES);
        match is_plain && self.answer_as_library(class, &BOUND_SELECTORS, BOUND_FILE) {
            true => Searching::BoundValues,
            false => Searching::Other,
        }
    }

    fn answer_as_library(&mut self, class: ClassId, selectors: &[&str], file: &str) -> bool {
        selectors
            .iter()
            .all(|text| self.answers_as_library(class, text, file))
    }

    /// Whether instances of the class answer a message with the method in this file of the library. A wrapper in its
    /// place changes nothing.
    fn answers_as_library(&mut self, class: ClassId, text: &str, file: &str) -> bool {
        let Some(selector) = self.image.symbols.find(text) else {
            return false;
        };
        let found = self.lookup(class, selector);
        self.looked_up(class, selector, found);
        found.is_some_and(|found| {
            let unit = self.method(self.image.innermost(found)).unit;
            unit < self.library_unit_count() && self.unit_name(unit).ends_with(file)
        })
    }

    /// Notes the lookups of messages to keys that primitives replace.
    pub(crate) fn note_key_lookups(&mut self) {
        for &known in KEY_CLASSES {
            for text in KEY_SELECTORS {
                if let Some(selector) = self.image.symbols.find(text) {
                    self.note_question(known.into(), selector);
                }
            }
        }
    }
}
