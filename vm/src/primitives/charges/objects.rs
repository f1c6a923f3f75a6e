//! The charges of primitives that copy, clear or walk over parts of objects, and of those that read and write files.

use super::super::kinds::{Indexed, indexed, indexed_of_class, size};
use super::super::text::text;
use super::{Bill, Charge};
use crate::base::{Known, Value};
use crate::counting::Work;
use crate::heap::Contents;
use crate::machine::{MOST_BYTES, Vm};

/// Bytes that the model has for an element.
pub(crate) fn element_bytes(kind: Indexed) -> u64 {
    match kind {
        Indexed::Slots { .. } => 8,
        Indexed::Bytes | Indexed::Text => 1,
    }
}

/// Bytes of an object's indexed part by the model: a character is one byte whatever its width.
pub(super) fn bytes_of(vm: &Vm, value: Value) -> Option<u64> {
    let kind = indexed(vm, value)?;
    Some(element_bytes(kind) * size(vm, value, kind)? as u64)
}

pub(super) fn moved(vm: &Vm, value: Value) -> Option<Bill> {
    Some(Bill::of(Work::Moved, bytes_of(vm, value)?))
}

/// Bytes from which the memory of an object comes fresh from the system.
const LARGE: u64 = 1 << 15;

/// The charge of filling a new object: fresh memory costs eight times as much.
fn filled(bytes: u64) -> Bill {
    let times = if bytes >= LARGE { 8 } else { 1 };
    Bill::of(Work::Moved, bytes.saturating_mul(times))
}

/// New objects of a size.
pub(crate) const NEW_SIZED: Charge = Charge::before(
    "`moved` the size; 8 a slot; from 32,768 bytes on 8 times as much",
    |vm, args| {
        let class = vm.class_of_class_object(args.receiver(vm))?;
        let size = u64::try_from(args.at(vm, 0).as_int()?).ok()?;
        let bytes = size.checked_mul(element_bytes(indexed_of_class(vm, class)?))?;
        (bytes <= MOST_BYTES).then(|| filled(bytes))
    },
);

/// Copies of the whole receiver.
pub(crate) const COPY: Charge = Charge::after(
    "`moved` the size of a result that is another object; 8 a slot; from 32,768 bytes on 8 times as much",
    |vm, args, answer| {
        if answer == args.receiver(vm) {
            return None;
        }
        Some(filled(match vm.heap.contents(answer) {
            Contents::Slots(slots) => 8 * slots as u64,
            Contents::Bytes(_) => bytes_of(vm, answer)?,
        }))
    },
);

/// New objects made of parts of others.
pub(crate) const COPY_OF_PART: Charge = Charge::after(
    "`moved` the size of the result; 8 a slot; from 32,768 bytes on 8 times as much",
    |vm, _, answer| Some(filled(bytes_of(vm, answer)?)),
);

/// Elements replaced by others.
pub(crate) const REPLACEMENT: Charge =
    Charge::after("`moved` the size of the range; 8 a slot", |vm, args, _| {
        let kind = indexed(vm, args.receiver(vm))?;
        let (start, stop) = (args.at(vm, 0).as_int()?, args.at(vm, 1).as_int()?);
        let length = u64::try_from(stop.checked_sub(start)?.checked_add(1)?).ok()?;
        Some(Bill::of(Work::Moved, length * element_bytes(kind)))
    });

/// Comparisons of byte objects.
pub(crate) const BYTE_EQUALITY: Charge = Charge::before(
    "`compared` the bytes + 1 where sizes agree, 1 where they differ",
    |vm, args| {
        let (a, b) = (
            bytes_of(vm, args.receiver(vm))?,
            bytes_of(vm, args.at(vm, 0))?,
        );
        Some(Bill::of(Work::Compared, if a == b { a + 1 } else { 1 }))
    },
);

/// Hashes of byte objects.
pub(crate) const BYTE_HASH: Charge = Charge::before("`hashed` the bytes", |vm, args| {
    Some(Bill::of(Work::Hashed, bytes_of(vm, args.receiver(vm))?))
});

/// How many elements an Array has.
fn elements(vm: &Vm, value: Value) -> Option<u64> {
    let is_array = value.is_object() && vm.is_a(value, Known::Array);
    is_array.then(|| vm.heap.slots(value).len() as u64)
}

/// Arrays that are answered.
pub(crate) const LIST: Charge = Charge::after("`elements` those of the result", |vm, _, answer| {
    Some(Bill::of(Work::Elements, elements(vm, answer)?))
});

/// Batches of objects.
pub(crate) const BATCH: Charge = Charge::after("`elements` those of the Array", |vm, args, _| {
    let receiver = args.receiver(vm);
    Some(Bill::of(Work::Elements, elements(vm, receiver)?))
});

/// Searches of hashed collections for a key. Few places are looked at, whatever the size: they count as one element.
pub(crate) const HASHED_SEARCH: Charge = Charge::after(
    "`elements` 1; `hashed` and `compared` the characters of a string that is the key",
    |vm, args, _| {
        let bill = Bill::of(Work::Elements, 1);
        let key = text(vm, args.at(vm, 0)).map(|key| key.len() as u64);
        Some(match key {
            Some(key) => bill.and(Work::Hashed, key).and(Work::Compared, key + 1),
            None => bill,
        })
    },
);

/// The same by a hash that is known.
pub(crate) const INDEX_SEARCH: Charge = Charge::after(
    "`elements` 1; `compared` the characters of a string that is the key, + 1",
    |vm, args, _| {
        let bill = Bill::of(Work::Elements, 1);
        let key = text(vm, args.at(vm, 0)).map(|key| key.len() as u64);
        Some(match key {
            Some(key) => bill.and(Work::Compared, key + 1),
            None => bill,
        })
    },
);

/// A table's contents moved into a larger one.
pub(crate) const REHASH: Charge =
    Charge::after("`elements` the places of the old one", |vm, args, _| {
        let places = elements(vm, args.at(vm, 1))?;
        Some(Bill::of(Work::Elements, places))
    });

/// Bytes read.
pub(crate) const READ_BYTES: Charge =
    Charge::after("`fileBytes` the size of the result", |vm, _, answer| {
        if answer.as_symbol().is_some() {
            return None;
        }
        Some(Bill::of(Work::FileBytes, bytes_of(vm, answer)?))
    });

/// Bytes written.
pub(crate) const WRITE_ARGUMENT: Charge =
    Charge::before("`fileBytes` the size of the last argument", |vm, args| {
        let last = args.at(vm, args.count.checked_sub(1)?);
        Some(Bill::of(Work::FileBytes, bytes_of(vm, last)?))
    });
