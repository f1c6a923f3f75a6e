//! Which elements an object's indexed part can hold. This module defines no primitive.

use super::text::text;
use crate::base::{ClassId, Known, Value};
use crate::bytecode::Kind;
use crate::machine::Vm;

/// The kind of an object's indexed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indexed {
    /// Objects, behind that many named instance variables.
    Slots { named: usize },
    /// Bytes that are no text and no number.
    Bytes,
    /// Characters.
    Text,
}

/// The kind of the indexed part of a class's instances. Integers and Floats are byte objects to the heap, but not to
/// the language.
pub(super) fn indexed_of_class(vm: &Vm, class: ClassId) -> Option<Indexed> {
    let is = |known: Known| class == known.into();
    if is(Known::String) || is(Known::WideString) || is(Known::Symbol) {
        return Some(Indexed::Text);
    }
    let row = vm.class(class);
    if is(Known::Array) || row.kind == Kind::Pointers {
        return Some(Indexed::Slots {
            named: row.ivars.len(),
        });
    }
    if is(Known::ByteArray) {
        return Some(Indexed::Bytes);
    }
    let numbers = [
        Known::LargePositiveInteger,
        Known::LargeNegativeInteger,
        Known::Float,
    ];
    let inherits = |known: Known| vm.inherits(class, known.into());
    if row.kind != Kind::Bytes || numbers.into_iter().any(inherits) {
        return None;
    }
    let is_text = inherits(Known::String) || inherits(Known::WideString);
    Some(if is_text {
        Indexed::Text
    } else {
        Indexed::Bytes
    })
}

/// The kind of an object's indexed part, if it has one.
pub(super) fn indexed(vm: &Vm, value: Value) -> Option<Indexed> {
    if value.as_symbol().is_some() {
        return Some(Indexed::Text);
    }
    if !value.is_object() {
        return None;
    }
    indexed_of_class(vm, vm.class_of(value))
}

/// How many elements an object has.
pub(super) fn size(vm: &Vm, value: Value, indexed: Indexed) -> Option<usize> {
    match indexed {
        Indexed::Slots { named } => vm.heap.slots(value).len().checked_sub(named),
        Indexed::Bytes => Some(vm.heap.bytes(value).len()),
        Indexed::Text => Some(text(vm, value)?.len()),
    }
}
