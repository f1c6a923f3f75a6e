//! A row of the table of primitives: its columns, the Rust function of a primitive, and the function's result.

use std::ptr::NonNull;

use super::charges::{Charge, Simple};
use super::reach::Reach;
use crate::base::Value;
use crate::code::Entry;
use crate::machine::Vm;
use crate::run::Args;

/// A module's part of the table: one line for each primitive. A line holds the number of its arguments (`any` when it
/// serves several), who may bind it, its reach, `ordered` if what it does happens in the order of virtual time, its
/// function, and its domain of success and answer. The primitive declines operands outside its domain. The charge for its
/// work follows, if that depends on the operands.
macro_rules! rows {
    ($( $name:literal ( $arguments:tt ) $border:ident $reach:ident $($order:ident)? => $function:expr, $doc:literal $(, $charge:ident)?; )*) => {
        pub(super) const ROWS: &[Primitive] = &[ $( Primitive {
            name: $name,
            arguments: rows!(@arguments $arguments),
            is_open: rows!(@is_open $border),
            reach: rows!(@reach $reach),
            is_ordered: rows!(@is_ordered $($order)?),
            doc: $doc,
            charge: rows!(@charge $($charge)?),
            function: rows!(@function [$($order)?] $function),
        }, )* ];
    };
    (@is_ordered) => { false };
    (@is_ordered ordered) => { true };
    (@function [] $function:expr) => { |vm, args| Answer::from($function(vm, args)) };
    (@function [ordered] $function:expr) => {
        |vm, args| match vm.is_to_catch_up() {
            true => vm.request_catching_up(),
            false => Answer::from($function(vm, args)),
        }
    };
    (@charge) => { &$crate::primitives::charges::Charge::NONE };
    (@charge $charge:ident) => { &$crate::primitives::charges::$charge };
    (@arguments any) => { None };
    (@arguments $count:literal) => { Some($count) };
    (@is_open open) => { true };
    (@is_open library) => { false };
    (@reach leaf) => { $crate::primitives::Reach::Leaf };
    (@reach allocates) => { $crate::primitives::Reach::Allocates };
    (@reach requests) => { $crate::primitives::Reach::Requests };
}
pub(crate) use rows;

/// A row of the table.
pub struct Primitive {
    /// The name that the library binds.
    pub name: &'static str,
    /// Arguments of the method that binds it; `None` when it serves several.
    pub arguments: Option<u8>,
    /// Whether any source may bind it. The others belong to the library, because they use the machine's own data:
    /// frames, processes, counters, code. Counts rely on how the library uses them; memory safety does not.
    pub is_open: bool,
    /// The parts of the machine that it uses.
    pub reach: Reach,
    /// Whether others could see or change what it does. While there are processors, its moment comes in the order of
    /// virtual time: the others catch up before (R14, R18).
    pub is_ordered: bool,
    /// Domain of success and answer: part of the counting model.
    pub doc: &'static str,
    /// What its work is charged.
    pub(crate) charge: &'static Charge,
    /// The Rust function that does the work.
    pub(crate) function: Function,
}

/// The Rust side of a primitive.
pub(crate) type Function = fn(&mut Vm, Args) -> Answer;

impl Primitive {
    /// What a success is charged, and for which operands it is simple, in words. Empty if it is never simple and charges
    /// nothing.
    pub fn work(&self) -> String {
        let simple = match self.charge.simple {
            Simple::Never => "",
            Simple::Always => "simple",
            Simple::Numbers => "simple for SmallIntegers and Floats",
            Simple::Elements => "simple for Arrays, Strings, Symbols and ByteArrays",
        };
        let parts = [self.charge.formula, simple];
        let said: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        said.join("; ")
    }

    /// What linked code holds of the function.
    #[allow(unsafe_code)]
    pub(crate) fn entry(&self) -> Option<Entry> {
        let address = NonNull::new(self.function as *mut ())?;
        // SAFETY: `function` has the type that `Entry::new` requires.
        Some(unsafe { Entry::new(address) })
    }
}

/// Calls the function of a primitive.
#[inline(always)]
#[allow(unsafe_code)]
pub(crate) fn call(entry: Entry, vm: &mut Vm, args: Args) -> Answer {
    // SAFETY: the constructor of the entry requires that its address is that of a function of this type.
    let function = unsafe { std::mem::transmute::<NonNull<()>, Function>(entry.address()) };
    function(vm, args)
}

impl Args {
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

/// The result of a primitive: a value's word, or one of two words that are no values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Answer(u64);

impl Answer {
    /// The method's body is to run instead.
    pub(crate) const DECLINE: Answer = Answer(3);
    /// The request in `vm.request` waits for the loop; the primitive has succeeded.
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
