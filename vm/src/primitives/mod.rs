//! The primitives that the library binds by `<primitive: name>`. One row each stands next to its function, in the
//! module of its class. A primitive answers a value, declines, or leaves a request to the loop. If it declines, the
//! method's own body runs. A request does what needs frames; a primitive never calls back.

mod actor;
mod behavior;
mod bytes;
mod character;
mod charges;
mod charging;
#[cfg(test)]
mod charging_tests;
mod context;
mod control;
mod counter;
mod float;
mod float_print;
mod hash_index;
mod hashed;
mod host;
mod indexed;
mod integer;
#[cfg(test)]
mod integer_tests;
mod kinds;
mod object;
mod reach;
mod reflection;
pub(crate) mod regex;
mod row;
mod section;
mod separate;
mod slots;
mod som;
mod stream;
mod string;
mod string_convert;
mod string_search;
mod symbol;
#[cfg(test)]
mod testing;
mod text;
mod traits;
mod uses;
mod wrapper;

use std::sync::OnceLock;

use crate::base::ClassId;
use crate::machine::Vm;

pub(crate) use behavior::is_closed;
pub(crate) use reach::Before;
pub use reach::Reach;
pub use row::Primitive;
pub(crate) use row::{Answer, call, rows};
pub(crate) use uses::stop_before;

/// Whether instances of the class hold bytes that are no text and no number.
pub(crate) fn holds_plain_bytes(vm: &Vm, class: ClassId) -> bool {
    kinds::indexed_of_class(vm, class) == Some(kinds::Indexed::Bytes)
}

/// All rows, group by group; a primitive's number is its position.
pub fn all() -> impl Iterator<Item = &'static Primitive> {
    let groups = GROUPS.iter().chain(som::GROUPS);
    groups.flat_map(|group| group.iter())
}

/// All rows by their numbers.
pub(crate) fn numbered() -> &'static [&'static Primitive] {
    static ROWS: OnceLock<Vec<&'static Primitive>> = OnceLock::new();
    ROWS.get_or_init(|| all().collect())
}

/// The row with a number.
pub(crate) fn row(number: u32) -> Option<&'static Primitive> {
    numbered().get(number as usize).copied()
}

const GROUPS: &[&[Primitive]] = &[
    object::ROWS,
    behavior::ROWS,
    reflection::ROWS,
    control::ROWS,
    context::ROWS,
    counter::ROWS,
    slots::ROWS,
    integer::ROWS,
    float::ROWS,
    float_print::ROWS,
    character::ROWS,
    indexed::ROWS,
    bytes::ROWS,
    hash_index::ROWS,
    hashed::ROWS,
    stream::ROWS,
    string::ROWS,
    string_search::ROWS,
    string_convert::ROWS,
    symbol::ROWS,
    regex::ROWS,
    host::ROWS,
    traits::ROWS,
    wrapper::ROWS,
    section::ROWS,
    separate::ROWS,
    actor::ROWS,
];

/// Primitives of machines that were configured for tests: no library binds them.
pub const FOR_TESTS: &[&str] = &["objectAddress"];

/// The name of the row for a name that the compiler made from a method of SOM.
pub fn row_name(name: &str) -> &str {
    som::row_name(name)
}

/// Whether any source may bind the primitive with this name; `None` if there is none.
pub fn is_open(name: &str) -> Option<bool> {
    all().find(|row| row.name == name).map(|row| row.is_open)
}

/// Whether the name is one that a method of SOM has from its class and selector.
pub(crate) fn is_of_som(name: &str) -> bool {
    name.starts_with("som:")
}

/// Number and row of the primitive with this name. A missing primitive of SOM is replaced by one that reports the
/// error.
pub(crate) fn find(name: &str) -> Option<(usize, &'static Primitive)> {
    let wanted = som::row_name(name);
    let found = all().enumerate().find(|(_, row)| row.name == wanted);
    if found.is_none() && is_of_som(name) {
        return all()
            .enumerate()
            .find(|(_, row)| row.name == som::UNKNOWN_NAME);
    }
    found
}
