//! Primitives of SOM's Array.

use super::row::{Failed, Said, description, som_rows};
use crate::base::{Known, Value};
use crate::bytecode::Kind;
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

som_rows! {
    "som:Array>>at:"(1) => at, "An index in range: the element.", ELEMENT;
    "som:Array>>at:put:"(2) => at_put, "An index in range and anything: the receiver.", ELEMENT;
    "som:Array>>length"(0) => length, "The number of elements.", ALWAYS_SIMPLE;
    "som:Array>>copy"(0) => copy, "An Array of the same elements.", COPY;
    "som:Array>>copyFrom:to:"(2) => copy_from_to,
        "First and last index: an Array of the elements from the one to the other.", COPY_OF_PART;
    "som:Array>>replaceFrom:to:with:startingAt:"(4) => replace,
        "First and last index, an Array, and an index in it: the receiver, with elements from there.", REPLACEMENT;
    "som:Array class>>new:"(1) => new, "A size: an Array of nils.", NEW_SIZED;
}

/// Slots in front of the elements, and the number of elements.
#[inline(always)]
fn extent(vm: &Vm, value: Value) -> Result<(usize, usize), Failed> {
    let class = vm.class_of(value);
    let row = vm.class(class);
    let is_array = class == Known::Array.into() || vm.inherits(class, Known::Array.into());
    if !is_array || !value.is_object() || row.kind != Kind::Pointers {
        return Err(unexpected(vm, "Array", value));
    }
    let named = row.ivars.len();
    Ok((named, vm.heap.slots(value).len().saturating_sub(named)))
}

/// An index that counts from 1.
#[inline(always)]
fn index(vm: &Vm, args: Args, argument: usize) -> Result<i64, Failed> {
    let value = args.at(vm, argument);
    value
        .as_int()
        .ok_or_else(|| unexpected(vm, "Integer", value))
}

/// The error for an unsuitable value, kept out of the short functions.
#[cold]
#[inline(never)]
fn unexpected(vm: &Vm, expected: &str, value: Value) -> Failed {
    format!("expected an {expected}, not {}", description(vm, value)).into()
}

#[inline(always)]
fn slot(vm: &Vm, args: Args) -> Result<usize, Failed> {
    let (named, length) = extent(vm, args.receiver(vm))?;
    let index = index(vm, args, 0)?;
    match usize::try_from(index) {
        Ok(at) if (1..=length).contains(&at) => Ok(named + at - 1),
        _ => Err(outside(index, length)),
    }
}

#[cold]
#[inline(never)]
fn outside(index: i64, length: usize) -> Failed {
    format!("index {index} is not in an Array of {length} elements").into()
}

fn at(vm: &mut Vm, args: Args) -> Said {
    let slot = slot(vm, args)?;
    Ok(vm.heap.slot(args.receiver(vm), slot))
}

fn at_put(vm: &mut Vm, args: Args) -> Said {
    let slot = slot(vm, args)?;
    let (receiver, value) = (args.receiver(vm), args.at(vm, 1));
    vm.heap.set_slot(receiver, slot, value);
    Ok(receiver)
}

fn length(vm: &mut Vm, args: Args) -> Said {
    let (_, length) = extent(vm, args.receiver(vm))?;
    Ok(Value::int(length as i64))
}

fn make(vm: &mut Vm, class: crate::base::ClassId, size: usize) -> Said {
    let named = vm.class(class).ivars.len();
    let contents = Contents::Slots(named.saturating_add(size));
    if !vm.has_room_for(contents) {
        return Err(format!("there is no room for an Array of {size} elements").into());
    }
    Ok(vm.make(class, contents))
}

fn new(vm: &mut Vm, args: Args) -> Said {
    let class = vm
        .class_of_class_object(args.receiver(vm))
        .filter(|&class| vm.class(class).kind == Kind::Pointers)
        .ok_or("the class has no elements")?;
    let size = index(vm, args, 0)?;
    match usize::try_from(size) {
        Ok(size) => make(vm, class, size),
        Err(_) => Err(format!("an Array cannot have {size} elements").into()),
    }
}

fn part(vm: &mut Vm, args: Args, first: usize, length: usize) -> Said {
    let made = make(vm, Known::Array.into(), length)?;
    let receiver = args.receiver(vm);
    let (named, _) = extent(vm, receiver)?;
    vm.heap.copy_slots(receiver, named + first, made, 0, length);
    Ok(made)
}

fn copy(vm: &mut Vm, args: Args) -> Said {
    let (_, length) = extent(vm, args.receiver(vm))?;
    part(vm, args, 0, length)
}

/// First position and length of a range of indices inside `length` elements.
fn range(first: i64, last: i64, length: usize) -> Result<(usize, usize), Failed> {
    let inside = first >= 1 && last <= length as i64 && last >= first - 1;
    if inside {
        Ok(((first - 1) as usize, (last - first + 1) as usize))
    } else {
        Err(format!("no elements {first} to {last} in an Array of {length}").into())
    }
}

fn copy_from_to(vm: &mut Vm, args: Args) -> Said {
    let (_, length) = extent(vm, args.receiver(vm))?;
    let (first, count) = range(index(vm, args, 0)?, index(vm, args, 1)?, length)?;
    part(vm, args, first, count)
}

fn replace(vm: &mut Vm, args: Args) -> Said {
    let (receiver, source) = (args.receiver(vm), args.at(vm, 2));
    let (named, length) = extent(vm, receiver)?;
    let (first, count) = range(index(vm, args, 0)?, index(vm, args, 1)?, length)?;
    let (source_named, source_length) = extent(vm, source)?;
    let from = index(vm, args, 3)?;
    let last = from.saturating_add(count as i64 - 1);
    let (from, _) = range(from, last, source_length)?;
    vm.heap
        .copy_slots(source, source_named + from, receiver, named + first, count);
    Ok(receiver)
}
