//! The primitives: what the library asks the machine to do by `<primitive: name>`. One row each, next
//! to its function, in the module of its class. A primitive answers a value, declines (then the
//! method's own body runs), or asks the loop to do something that needs frames; it never calls back.

mod behavior;
mod bytes;
mod character;
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
mod object;
mod reflection;
pub(crate) mod regex;
mod section;
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
mod wrapper;

use std::ptr::NonNull;
use std::sync::OnceLock;

use crate::base::{ClassId, Value};
use crate::code::Entry;
use crate::machine::Vm;
use crate::run::Args;

pub(crate) use behavior::is_closed;

/// Whether instances of the class hold bytes that are no text and no number.
pub(crate) fn holds_plain_bytes(vm: &Vm, class: ClassId) -> bool {
    indexed::indexed_of_class(vm, class) == Some(indexed::Indexed::Bytes)
}

/// A module's part of the table: one line for each primitive, with the number of its arguments
/// (`any` when it serves several), who may bind it, its function, and its domain of success and answer.
macro_rules! rows {
    ($( $name:literal ( $arguments:tt ) $border:ident => $function:expr, $doc:literal; )*) => {
        pub(super) const ROWS: &[Primitive] = &[ $( Primitive {
            name: $name,
            arguments: rows!(@arguments $arguments),
            is_open: rows!(@is_open $border),
            doc: $doc,
            function: |vm, args| Answer::from($function(vm, args)),
        }, )* ];
    };
    (@arguments any) => { None };
    (@arguments $count:literal) => { Some($count) };
    (@is_open open) => { true };
    (@is_open library) => { false };
}
use rows;

/// A row of the table.
pub struct Primitive {
    /// The name that the library binds.
    pub name: &'static str,
    /// Arguments of the method that binds it; `None` when it serves several.
    pub arguments: Option<u8>,
    /// Whether any source may bind it. The others are the library's: they read or change what the machine keeps, such as
    /// frames, processes, counters and code, and counts rely on how the library uses them. Memory does not.
    pub is_open: bool,
    /// Domain of success and answer: part of the counting model.
    pub doc: &'static str,
    /// What it does.
    pub(crate) function: Function,
}

/// The Rust side of a primitive.
pub(crate) type Function = fn(&mut Vm, Args) -> Answer;

impl Primitive {
    /// What linked code holds of the function.
    pub(crate) fn entry(&self) -> Option<Entry> {
        NonNull::new(self.function as *mut ()).map(Entry)
    }
}

/// Calls the function of a primitive.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn call(Entry(address): Entry, vm: &mut Vm, args: Args) -> Answer {
    // SAFETY: `Primitive::entry` alone makes entries, from functions of this type.
    let function = unsafe { std::mem::transmute::<NonNull<()>, Function>(address) };
    function(vm, args)
}

impl Args {
    /// The receiver.
    #[inline(always)]
    pub(crate) fn receiver(self, vm: &Vm) -> Value {
        vm.running.stack_value(self.base)
    }

    /// An argument, counted from 0.
    #[inline(always)]
    pub(crate) fn at(self, vm: &Vm, index: usize) -> Value {
        debug_assert!(index < self.count);
        vm.running.stack_value(self.base + 1 + index)
    }
}

/// What a primitive says: a value's word, or one of two words that are no values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer(u64);

impl Answer {
    /// The method's body is to run instead.
    pub(crate) const DECLINE: Answer = Answer(3);
    /// The request in `vm.request` is to be carried out by the loop; the primitive has succeeded.
    pub(crate) const REQUEST: Answer = Answer(7);

    /// The value, unless declined or requested.
    #[inline(always)]
    pub(crate) fn value(self) -> Option<Value> {
        (self.0 & 3 != 3).then_some(Value::from_bits(self.0))
    }
}

impl From<Value> for Answer {
    #[inline(always)]
    fn from(value: Value) -> Answer {
        Answer(value.bits())
    }
}

impl From<bool> for Answer {
    fn from(b: bool) -> Answer {
        Value::bool(b).into()
    }
}

impl From<Option<Value>> for Answer {
    /// `None` declines.
    fn from(value: Option<Value>) -> Answer {
        value.map_or(Answer::DECLINE, Answer::from)
    }
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

const GROUPS: &[&[Primitive]] = &[
    object::ROWS,
    behavior::ROWS,
    reflection::ROWS,
    control::ROWS,
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
];

/// Primitives that only machines have that were told so: no library binds them.
pub const FOR_TESTS: &[&str] = &["objectAddress"];

/// The name of the row that a name stands for which the compiler made from a method of SOM.
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

/// Number and row of the primitive with this name. A method of SOM that asks for one which does not
/// exist finds one that says so.
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
