//! The primitives, written anew from docs/PRIMITIVES.md. Primitives that no test program needs are missing; a method with
//! such a primitive ends the run as unsupported.

pub(crate) mod answer;
pub(crate) mod charge;
mod class;
mod control;
mod float;
mod hash;
mod indexed;
mod integer;
mod object;
mod stream;
mod system;
mod text;

use std::collections::HashMap;
use std::sync::LazyLock;

use answer::{Row, Table};

const TABLES: &[Table] = &[
    class::TABLE,
    control::TABLE,
    float::TABLE,
    hash::TABLE,
    indexed::TABLE,
    integer::TABLE,
    object::TABLE,
    stream::TABLE,
    system::TABLE,
    text::TABLE,
];

static ROWS: LazyLock<HashMap<&'static str, &'static Row>> = LazyLock::new(|| {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    rows.map(|row| (row.0, row)).collect()
});

/// The primitive of that name.
pub(crate) fn find(name: &str) -> Option<&'static Row> {
    ROWS.get(name).copied()
}
