//! Counts as the page's script reads them.

use serde::{Serialize, Serializer};

/// The greatest number up to which a script's numbers are exact.
pub(super) const EXACT: u64 = (1 << 53) - 1;

/// A count: a number, or its digits in quotes where a script would round it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count(pub u64);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 <= EXACT {
            true => serializer.serialize_u64(self.0),
            false => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

/// A column of counts; an empty one stands for zeros.
pub fn column(counts: impl Iterator<Item = u64>) -> Vec<Count> {
    let column: Vec<Count> = counts.map(Count).collect();
    match column.iter().all(|count| count.0 == 0) {
        true => Vec::new(),
        false => column,
    }
}
