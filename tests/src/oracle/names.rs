//! Names as small numbers, one table a thread: machines that are copied from one another share them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// A selector, a symbol, or the name of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Name(u32);

#[derive(Default)]
struct Table {
    numbers: HashMap<Rc<str>, u32>,
    texts: Vec<Rc<str>>,
}

thread_local! {
    static TABLE: RefCell<Table> = RefCell::default();
}

pub(crate) fn name(text: &str) -> Name {
    TABLE.with_borrow_mut(|table| {
        if let Some(&number) = table.numbers.get(text) {
            return Name(number);
        }
        let number = table.texts.len() as u32;
        let text: Rc<str> = text.into();
        table.texts.push(text.clone());
        table.numbers.insert(text, number);
        Name(number)
    })
}

impl Name {
    pub(crate) fn text(self) -> Rc<str> {
        TABLE.with_borrow(|table| table.texts[self.0 as usize].clone())
    }

    /// How many arguments a message of this name has.
    pub(crate) fn argument_count(self) -> usize {
        let text = self.text();
        let is_word = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
        if is_word {
            text.matches(':').count()
        } else {
            1
        }
    }
}

/// `Smalltalk.Foo` is `Foo`.
pub(crate) fn unscoped(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}
