//! Searches of whole hashed collections, for keys whose hash and equality need no messages. The library's methods would
//! send several messages for one search. These primitives serve only collections that find keys as in the library
//! ([`crate::searching`]). The library's methods search all other collections, and search for all other keys.

use super::hash_index::{Index, Simple, array, kept_word, place_value, write};
use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::image::Searching;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "hashedScan"(1) library leaf => scan,
        "A hashed collection that finds keys by the library's hashOf:, scan:hash:, scanFor: and place:hash:at:, and a key \
         with which hashIndexScan succeeds: the place of the equal key, or else of the empty one where it belongs.";
    "hashedIncludes"(1) library leaf => includes, "As hashedScan: whether an equal key is there.";
    "hashedAdd"(1) library leaf => add,
        "As hashedScan, if an equal key is there or there is room for the key: the key. It is there then.";
    "hashedAt"(1) library leaf => at, "As hashedScan on a Dictionary in which an equal key is: its value.";
    "hashedAtPut"(2) library leaf => at_put,
        "As hashedScan on a Dictionary, if an equal key is there or there is room for the key: the value that is the \
         second argument. It is the key's then.";
}

/// The slots of hashed collections.
mod slot {
    pub(super) const KEYS: usize = 0;
    pub(super) const INDEX: usize = 1;
    pub(super) const TALLY: usize = 2;
    pub(super) const ROOM: usize = 3;
    pub(super) const VALUES: usize = 5;
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
    let values = values(vm, args.receiver(vm))?;
    vm.heap.slots(values).get(found.place).copied()
}

fn at_put(vm: &mut Vm, args: Args) -> Option<Value> {
    let found = find(vm, args)?;
    let values = values(vm, args.receiver(vm))?;
    if found.place >= vm.heap.slots(values).len() {
        return None;
    }
    if !found.is_there {
        insert(vm, args, &found)?;
    }
    let value = args.at(vm, 1);
    vm.heap.set_slot(values, found.place, value);
    Some(value)
}

/// The Array of a dictionary's values.
fn values(vm: &mut Vm, receiver: Value) -> Option<Value> {
    if vm.searching(receiver) != Searching::KeysAndValues {
        return None;
    }
    let &values = vm.heap.slots(receiver).get(slot::VALUES)?;
    array(vm, values).map(|_| values)
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
