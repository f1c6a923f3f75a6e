//! Primitives of HashIndex: the hashes of the keys of a hashed collection, each at the position of its key. The table
//! uses open addressing with steps of one, and its size is a power of two. A hash is scattered here, before it is cut
//! to the size, and nowhere else. So a poor hash costs no more than its equal values do. Keys and values stay in the
//! collection's own arrays, which are arguments.

use super::float::hash_of_float;
use super::object::is_same;
use super::text::text;
use super::{Answer, Primitive, rows};
use crate::base::{ClassId, Known, Value, mix};
use crate::image::Searching;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "hashIndexScan"(3) library leaf => scan,
        "A SmallInteger, Float, Character, Symbol or String, its hash and an Array of as many keys as there are places. Each \
         key met with that hash is of these kinds too, a Float only met by a Float, and = and hash of all of them are the \
         library's. The place of the equal key, or else of the empty one where it belongs.", INDEX_SEARCH;
    "hashIndexScanIdentical"(3) library leaf => scan_identical,
        "Anything, its identity hash and an Array of as many keys as there are places: the place of the same object, or \
         else of the empty one where it belongs.";
    "hashIndexNext"(2) library leaf => next,
        "An Integer and a place, 0 before the first step: the next place that is empty or has this hash, if there is one.";
    "hashIndexPut"(2) library leaf => put, "An Integer and an empty place: the place, which has this hash from now on.";
    "hashIndexRemove"(3) library leaf => remove,
        "A place that is not empty, an Array of keys and one of values, or nil: the receiver. The place is empty then, and \
         keys behind it have moved to where they are found.";
    "hashIndexMove"(5) library leaf => take_from,
        "An empty one, another one, keys from there and for here, values from there and for here, or nil twice, when there is \
         room: the receiver.", REHASH;
}

/// Bytes of a hash in the table.
const WIDTH: usize = 4;

/// The contents of an empty slot. A hash is kept as one more than its value.
const EMPTY: u32 = 0;

/// A table's hashes, borrowed from the machine.
pub(super) struct Index<'a> {
    hashes: &'a [[u8; WIDTH]],
}

impl<'a> Index<'a> {
    /// The table, if its places are a power of two.
    #[inline(always)]
    pub(super) fn of(vm: &'a mut Vm, value: Value) -> Option<Index<'a>> {
        if !value.is_object() || vm.searching(value) != Searching::Index {
            return None;
        }
        let vm = &*vm;
        let whole = vm.heap.bytes(value).len().is_multiple_of(WIDTH);
        let index = Index::read(vm, value);
        (whole && index.places().is_power_of_two()).then_some(index)
    }

    /// A table whose form was checked before.
    #[inline(always)]
    pub(super) fn read(vm: &'a Vm, value: Value) -> Index<'a> {
        let (hashes, _) = vm.heap.bytes(value).as_chunks();
        Index { hashes }
    }

    pub(super) fn places(&self) -> usize {
        self.hashes.len()
    }

    /// How many places are not empty.
    fn filled(&self) -> usize {
        let empty = EMPTY.to_le_bytes();
        self.hashes.iter().filter(|&&hash| hash != empty).count()
    }

    fn at(&self, place: usize) -> u32 {
        u32::from_le_bytes(self.hashes[place & (self.hashes.len() - 1)])
    }

    /// Where the search for a hash begins. Any place is home to an even share of all hashes.
    fn home(&self, kept: u32) -> usize {
        kept as usize & (self.hashes.len() - 1)
    }

    fn after(&self, place: usize) -> usize {
        (place + 1) & (self.hashes.len() - 1)
    }

    /// The position of the key that `is_wanted` accepts, or the empty position for it, and whether the key is there.
    #[inline(always)]
    pub(super) fn find(
        &self,
        kept: u32,
        is_wanted: impl Fn(usize) -> Option<bool>,
    ) -> Option<(usize, bool)> {
        let mut place = self.home(kept);
        for _ in 0..self.places() {
            let there = self.at(place);
            if there == EMPTY {
                return Some((place, false));
            }
            if there == kept && is_wanted(place)? {
                return Some((place, true));
            }
            place = self.after(place);
        }
        None
    }

    /// The first of `places` positions from `first` on that has this hash or is empty.
    fn next(&self, kept: u32, first: usize, places: usize) -> Option<usize> {
        let mut place = first;
        for _ in 0..places {
            let there = self.at(place);
            if there == kept || there == EMPTY {
                return Some(place);
            }
            place = self.after(place);
        }
        None
    }
}

/// A hash as it is kept: scattered, and never that of an empty place.
fn kept(vm: &Vm, hash: Value) -> Option<u32> {
    let word = match hash.as_int() {
        Some(small) => small as u64,
        None => u64::from(super::integer::hash_of_large(vm, hash)?),
    };
    Some(kept_word(word))
}

/// As above, for a hash that is no large integer.
#[inline(always)]
pub(super) fn kept_word(hash: u64) -> u32 {
    mix(hash) + 1
}

/// The elements of an Array that is not of a subclass.
#[inline(always)]
pub(super) fn array(vm: &Vm, value: Value) -> Option<&[Value]> {
    (value.is_object() && vm.is_a(value, Known::Array)).then(|| vm.heap.slots(value))
}

pub(super) fn place_value(place: usize) -> Option<Value> {
    Value::try_int(i64::try_from(place).ok()? + 1)
}

fn place_of(value: Value) -> Option<usize> {
    usize::try_from(value.as_int()?).ok()?.checked_sub(1)
}

pub(super) fn write(vm: &mut Vm, index: Value, place: usize, kept: u32) {
    let (hashes, _) = vm.heap.bytes_mut(index).as_chunks_mut::<WIDTH>();
    if let Some(hash) = hashes.get_mut(place) {
        *hash = kept.to_le_bytes();
    }
}

// --- looking up --------------------------------------------------------------------------------

/// The kinds of keys that are hashed and compared here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Simple {
    /// SmallIntegers and Characters, equal where their words are.
    Word,
    /// Floats, equal where their values are.
    Float,
    /// Strings and Symbols, equal where their characters are.
    Text,
}

impl Simple {
    #[inline(always)]
    pub(super) fn of(vm: &Vm, key: Value) -> Option<Simple> {
        if key.is_int() {
            return Some(Simple::Word);
        }
        if key.is_object() {
            return match ClassId(vm.class_number(key)) {
                Simple::STRING | Simple::WIDE_STRING => Some(Simple::Text),
                Simple::FLOAT => Some(Simple::Float),
                _ => None,
            };
        }
        if key.as_symbol().is_some() {
            return Some(Simple::Text);
        }
        key.as_character().map(|_| Simple::Word)
    }

    const STRING: ClassId = ClassId(Known::String as u32);
    const WIDE_STRING: ClassId = ClassId(Known::WideString as u32);
    const FLOAT: ClassId = ClassId(Known::Float as u32);

    /// The hash of a key of this kind, the same as by the library's methods.
    #[inline(always)]
    pub(super) fn hash(self, vm: &Vm, key: Value) -> Option<u32> {
        match self {
            Simple::Word => match key.as_int() {
                Some(small) => Some(mix(small as u64)),
                None => Some(mix(u64::from(key.as_character()?))),
            },
            Simple::Float => Some(hash_of_float(vm.float_of(key)?)),
            Simple::Text => Some(text(vm, key)?.hash_number()),
        }
    }

    /// Whether a key of this kind equals a second one; `None` if that takes a message.
    #[inline(always)]
    pub(super) fn is_equal(self, vm: &Vm, key: Value, other: Value) -> Option<bool> {
        if self == Simple::Word && other.is_int() {
            return Some(key == other);
        }
        match (self, Simple::of(vm, other)?) {
            (Simple::Text, Simple::Text) => {
                Some(key == other || text(vm, key)?.same(&text(vm, other)?))
            }
            (Simple::Float, Simple::Float) => Some(vm.float_of(key)? == vm.float_of(other)?),
            (Simple::Float, _) | (_, Simple::Float) => None,
            _ => Some(key == other),
        }
    }
}

fn scan(vm: &mut Vm, args: Args) -> Option<Value> {
    let key = args.at(vm, 0);
    let kind = Simple::of(vm, key).filter(|_| vm.image.compares_keys)?;
    search(vm, args, |vm, other| kind.is_equal(vm, key, other))
}

fn scan_identical(vm: &mut Vm, args: Args) -> Option<Value> {
    let key = args.at(vm, 0);
    search(vm, args, |vm, other| Some(is_same(vm, key, other)))
}

/// The position of the key that `is_wanted` accepts, or the empty position for it.
fn search(
    vm: &mut Vm,
    args: Args,
    is_wanted: impl Fn(&Vm, Value) -> Option<bool>,
) -> Option<Value> {
    let receiver = args.receiver(vm);
    let kept = kept(vm, args.at(vm, 1))?;
    let places = Index::of(vm, receiver)?.places();
    let vm = &*vm;
    let keys = array(vm, args.at(vm, 2)).filter(|keys| keys.len() == places)?;
    let wanted = |place: usize| is_wanted(vm, keys[place]);
    let (place, _) = Index::read(vm, receiver).find(kept, wanted)?;
    place_value(place)
}

fn next(vm: &mut Vm, args: Args) -> Option<Value> {
    let kept = kept(vm, args.at(vm, 0))?;
    let receiver = args.receiver(vm);
    Index::of(vm, receiver)?;
    let index = Index::read(vm, receiver);
    let home = index.home(kept);
    let places = index.places();
    let (first, left) = match usize::try_from(args.at(vm, 1).as_int()?).ok()? {
        0 => (home, places),
        // A place counts from 1, so its number is the position of the one behind it. Back at its home, a search is over.
        place if place <= places => {
            let first = place & (places - 1);
            (first, home.wrapping_sub(first) & (places - 1))
        }
        _ => return None,
    };
    place_value(index.next(kept, first, left)?)
}

// --- changing ----------------------------------------------------------------------------------

fn put(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, place) = (args.receiver(vm), place_of(args.at(vm, 1))?);
    let index = Index::of(vm, receiver)?;
    if place >= index.places() || index.at(place) != EMPTY {
        return None;
    }
    let kept = kept(vm, args.at(vm, 0))?;
    write(vm, receiver, place, kept);
    Some(args.at(vm, 1))
}

/// Keys and values: an Array of that many elements, and a second one or nil.
fn columns(vm: &Vm, keys: Value, values: Value, places: usize) -> Option<[Option<Value>; 2]> {
    array(vm, keys).filter(|keys| keys.len() == places)?;
    if values.is_nil() {
        return Some([Some(keys), None]);
    }
    array(vm, values).filter(|values| values.len() == places)?;
    Some([Some(keys), Some(values)])
}

fn remove(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, removed) = (args.receiver(vm), place_of(args.at(vm, 0))?);
    let index = Index::of(vm, receiver)?;
    let places = index.places();
    if removed >= places || index.at(removed) == EMPTY {
        return None;
    }
    let columns = columns(vm, args.at(vm, 1), args.at(vm, 2), places)?;
    let mut hole = removed;
    let mut place = removed;
    for _ in 1..places {
        let index = Index::read(vm, receiver);
        place = index.after(place);
        let there = index.at(place);
        if there == EMPTY {
            break;
        }
        // It moves unless its home lies behind the hole, up to where it is.
        let distance = |from: usize| place.wrapping_sub(from) & (places - 1);
        if distance(index.home(there)) < distance(hole) {
            continue;
        }
        write(vm, receiver, hole, there);
        for column in columns.into_iter().flatten() {
            let moved = vm.heap.slots(column)[place];
            vm.heap.set_slot(column, hole, moved);
        }
        hole = place;
    }
    write(vm, receiver, hole, EMPTY);
    for column in columns.into_iter().flatten() {
        vm.heap.set_slot(column, hole, Value::NIL);
    }
    Some(receiver)
}

fn take_from(vm: &mut Vm, args: Args) -> Option<Value> {
    let (receiver, other) = (args.receiver(vm), args.at(vm, 0));
    let (places, old_places) = (
        Index::of(vm, receiver)?.places(),
        Index::of(vm, other)?.places(),
    );
    let old = columns(vm, args.at(vm, 1), args.at(vm, 3), old_places)?;
    let new = columns(vm, args.at(vm, 2), args.at(vm, 4), places)?;
    let count = Index::read(vm, other).filled();
    // A place that stays empty lets every search end.
    if Index::read(vm, receiver).filled() > 0
        || count >= places
        || old[1].is_some() != new[1].is_some()
    {
        return None;
    }
    vm.table_grows(|vm| {
        let held = vm.heap.slots(args.at(vm, 1));
        let hashes = (0..old_places).map(|place| Index::read(vm, other).at(place));
        let keys = hashes.zip(held).filter(|(hash, _)| *hash != EMPTY);
        keys.map(|(hash, &key)| (hash, vm.class_of(key))).collect()
    });
    for place in 0..old_places {
        let there = Index::read(vm, other).at(place);
        if there == EMPTY {
            continue;
        }
        let index = Index::read(vm, receiver);
        let free = index.next(EMPTY, index.home(there), places)?;
        write(vm, receiver, free, there);
        for (from, to) in old.into_iter().zip(new) {
            if let (Some(from), Some(to)) = (from, to) {
                let moved = vm.heap.slots(from)[place];
                vm.heap.set_slot(to, free, moved);
            }
        }
    }
    Some(receiver)
}
