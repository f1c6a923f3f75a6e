//! Numbers for contents, and the contents of numbers.

use std::collections::HashMap;
use std::hash::Hash;

/// Each value once, with a number.
#[derive(Debug)]
pub(super) struct Numbered<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Numbered<T> {
        Numbered {
            values: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    pub(super) fn number(&mut self, value: T) -> u32 {
        let next = self.values.len() as u32;
        let number = *self.numbers.entry(value.clone()).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        number
    }

    /// All values, by their numbers.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    pub(super) fn value(&self, number: u32) -> Option<&T> {
        self.values.get(number as usize)
    }
}
