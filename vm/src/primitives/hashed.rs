//! Searches of whole hashed collections, for keys whose hash and equality need no messages. The library's methods would
//! send several messages for one search. These primitives serve only collections that find keys as in the library
//! ([`crate::searching`]). The library's methods search all other collections, and search for all other keys.

use super::hash_index::{Index, Simple, array, kept_word, place_value, write};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::image::Searching;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "hashedScan"(1) library leaf => scan,
        "A hashed collection that finds keys by the library's hashOf:, scan:hash:, scanFor: and place:hash:at:, and a key \
         with which hashIndexScan succeeds: the place of the equal key, or else of the empty one where it belongs.", HASHED_SEARCH;
    "hashedIncludes"(1) library leaf => includes, "As hashedScan: whether an equal key is there.", HASHED_SEARCH;
    "hashedAdd"(1) library leaf => add,
        "As hashedScan, if an equal key is there or there is room for the key: the key. It is there then.", HASHED_SEARCH;
    "hashedAt"(1) library leaf => at,
        "As hashedScan on a Dictionary in which an equal key is: its value. The values are in an Array, or in the \
         library's BoundValues in an Association of no subclass.", HASHED_SEARCH;
    "hashedAtPut"(2) library leaf => at_put,
        "As hashedScan on a Dictionary, if an equal key is there or there is room for the key: the value that is the \
         second argument. It is the key's then. In BoundValues the key must be there, as with hashedAt.", HASHED_SEARCH;
}

/// The slots of hashed collections.
mod slot {
    pub(super) const KEYS: usize = 0;
    pub(super) const INDEX: usize = 1;
    pub(super) const TALLY: usize = 2;
    pub(super) const ROOM: usize = 3;
    pub(super) const VALUES: usize = 5;
    /// Of BoundValues.
    pub(super) const ASSOCIATIONS: usize = 0;
    /// Of an Association.
    pub(super) const ASSOCIATED: usize = 1;
}

/// The outcome of a search.
struct Found {
    /// Where the key is or belongs.
    place: usize,
    is_there: bool,
    /// The key's hash, as the index keeps it.
    kept: u32,
}

/// Searches the receiver for the first argument.
#[inline(always)]
fn find(vm: &mut Vm, args: Args) -> Option<Found> {
    let (receiver, key) = (args.receiver(vm), args.at(vm, 0));
    let kind = Simple::of(vm, key).filter(|_| vm.image.compares_keys)?;
    if !receiver.is_object() || !vm.searching(receiver).finds_keys() {
        return None;
    }
    let &[keys, index, ..] = vm.heap.slots(receiver) else {
        return None;
    };
    let places = Index::of(vm, index)?.places();
    let vm = &*vm;
    let keys = array(vm, keys).filter(|keys| keys.len() == places)?;
    let kept = kept_word(u64::from(kind.hash(vm, key)?));
    let is_wanted = |place: usize| kind.is_equal(vm, key, *keys.get(place)?);
    let (place, is_there) = Index::read(vm, index).find(kept, is_wanted)?;
    Some(Found {
        place,
        is_there,
        kept,
    })
}

fn scan(vm: &mut Vm, args: Args) -> Option<Value> {
    place_value(find(vm, args)?.place)
}

fn includes(vm: &mut Vm, args: Args) -> Option<Value> {
    Some(Value::bool(find(vm, args)?.is_there))
}

fn add(vm: &mut Vm, args: Args) -> Option<Value> {
    let found = find(vm, args)?;
    if !found.is_there {
        insert(vm, args, &found)?;
    }
    Some(args.at(vm, 0))
}

fn at(vm: &mut Vm, args: Args) -> Option<Value> {
    let found = find(vm, args).filter(|found| found.is_there)?;
    let (holder, slot) = value_slot(vm, args.receiver(vm), found.place)?;
    vm.heap.slots(holder).get(slot).copied()
}

fn at_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let found = find(vm, args)?;
    let (holder, slot) = value_slot(vm, args.receiver(vm), found.place)?;
    if !found.is_there {
        insert(vm, args, &found)?;
    }
    let value = args.at(vm, 1);
    vm.heap.set_slot(holder, slot, value);
    Some(value)
}

/// The object with the value at a place of a dictionary, and the slot of the value: the Array of values, or an
/// Association.
#[inline(always)]
fn value_slot(vm: &mut Vm, receiver: Value, place: usize) -> Option<(Value, usize)> {
    if vm.searching(receiver) != Searching::KeysAndValues {
        return None;
    }
    let &values = vm.heap.slots(receiver).get(slot::VALUES)?;
    match array(vm, values) {
        Some(array) => (place < array.len()).then_some((values, place)),
        None => associated_slot(vm, values, place),
    }
}

#[cold]
fn associated_slot(vm: &mut Vm, values: Value, place: usize) -> Option<(Value, usize)> {
    if !values.is_object() || vm.searching(values) != Searching::BoundValues {
        return None;
    }
    let &associations = vm.heap.slots(values).get(slot::ASSOCIATIONS)?;
    let &association = array(vm, associations)?.get(place)?;
    let is_plain = association.is_object() && vm.is_a(association, Known::Association);
    is_plain.then_some((association, slot::ASSOCIATED))
}

/// Puts the key where it belongs, if there is room for one more.
fn insert(vm: &mut Vm, args: Args, found: &Found) -> Option<()> {
    let receiver = args.receiver(vm);
    let slots = vm.heap.slots(receiver);
    let (tally, room) = (
        slots.get(slot::TALLY)?.as_int()?,
        slots.get(slot::ROOM)?.as_int()?,
    );
    let (keys, index) = (slots[slot::KEYS], slots[slot::INDEX]);
    if tally >= room {
        return None;
    }
    write(vm, index, found.place, found.kept);
    let key = args.at(vm, 0);
    vm.heap.set_slot(keys, found.place, key);
    vm.heap
        .set_slot(receiver, slot::TALLY, Value::int(tally + 1));
    Some(())
}
