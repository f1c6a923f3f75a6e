//! The primitives of SOM, named after the methods that bind them: `som:Class>>selector`. They never decline. An error
//! that a method's text cannot handle ends the run, as in other machines of SOM.

mod array;
mod class;
mod double;
mod integer;
mod number;
mod object;
mod row;
mod string;
mod system;

use super::charges::Charge;
use super::{Primitive, Reach};
use row::fail;

/// The modules' rows.
pub(super) const GROUPS: &[&[Primitive]] = &[
    UNKNOWN,
    object::ROWS,
    class::ROWS,
    integer::ROWS,
    double::ROWS,
    string::ROWS,
    array::ROWS,
    system::ROWS,
];

/// The primitive that replaces a missing primitive of SOM.
pub(super) const UNKNOWN_NAME: &str = "som:unknown";

const UNKNOWN: &[Primitive] = &[Primitive {
    name: UNKNOWN_NAME,
    arguments: None,
    is_open: false,
    reach: Reach::Requests,
    is_ordered: false,
    charge: &Charge::NONE,
    doc: "A method that says `primitive` where the machine has none: ends the run.",
    function: |vm, _| fail(vm, &"there is no such primitive".into()),
}];

/// Primitives of SOM that share a row with the library's: the loop evaluates blocks.
const SAME: &[(&str, &str)] = &[
    ("som:Block>>value", "blockValue"),
    ("som:Block1>>value", "blockValue"),
    ("som:Block2>>value:", "blockValue"),
    ("som:Block3>>value:with:", "blockValue"),
];

/// The row's name for a name that the compiler made from a method.
pub(super) fn row_name(name: &str) -> &str {
    SAME.iter()
        .find(|(som, _)| *som == name)
        .map_or(name, |(_, row)| row)
}
