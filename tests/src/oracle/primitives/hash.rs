//! Hashes by the words of docs/COUNTING.md, and the index of a hashed collection: a list of hashes that are looked
//! through one by one.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{FromPrimitive as _, One as _, Signed as _, ToPrimitive as _};

use super::answer::Table;
use super::charge::{Charge, NONE, SIMPLE, characters};
use super::integer::LIMBS;
use crate::oracle::machine::Machine;
use crate::oracle::names::name;
use crate::oracle::object::Data;
use crate::oracle::value::Value;

const HASHED: Charge = Charge::by(|m, a, _| vec![("hashed", characters(m, a[0]))]);

/// The search for a key whose hash is known.
const INDEX_SEARCH: Charge = Charge::by(|m, a, _| match m.text_of(a[1]) {
    Some(key) => vec![("elements", 1), ("compared", key.len() as u64 + 1)],
    None => vec![("elements", 1)],
});

/// The search for a key.
const SEARCH: Charge = Charge::by(|m, a, answer| {
    let mut bill = (INDEX_SEARCH.success)(m, a, answer);
    bill.push(("hashed", characters(m, a[1])));
    bill
});

/// An index moved into another one.
const REHASH: Charge = Charge::by(|m, a, _| {
    let old = places(m, a[1]).unwrap_or_default();
    vec![("elements", old.len() as u64)]
});

pub(super) const TABLE: Table = &[
    ("integerHash", LIMBS, |m, a| {
        m.as_integer(a[0])
            .map(|x| Value::Small(of_integer(&x)))
            .into()
    }),
    ("integerMixHash", SIMPLE, |_, a| mix_hash(a).into()),
    ("characterHash", NONE, |_, a| character_hash(a[0]).into()),
    ("stringHash", HASHED, |m, a| {
        m.text_of(a[0])
            .map(|text| Value::Small(of_codes(&text)))
            .into()
    }),
    ("behaviorHash", NONE, |m, a| behavior_hash(m, a[0]).into()),
    ("hashIndexScan", INDEX_SEARCH, |m, a| scan(m, a).into()),
    ("hashIndexScanIdentical", NONE, |m, a| {
        search(m, a, |_, key, other| Some(key == other)).into()
    }),
    ("hashIndexNext", NONE, |m, a| next(m, a).into()),
    ("hashIndexPut", NONE, |m, a| put(m, a).into()),
    ("hashIndexRemove", NONE, |m, a| remove(m, a).into()),
    ("hashIndexMove", REHASH, |m, a| take(m, a).into()),
    ("hashedScan", SEARCH, |m, a| {
        whole(m, a).map(|found| place(found.place)).into()
    }),
    ("hashedIncludes", SEARCH, |m, a| {
        whole(m, a).map(|found| Value::bool(found.is_there)).into()
    }),
    ("hashedAdd", SEARCH, |m, a| {
        with_key(m, a).map(|_| a[1]).into()
    }),
    ("hashedAt", SEARCH, |m, a| {
        let found = whole(m, a).filter(|found| found.is_there);
        found
            .and_then(|found| value_slot(m, a, found.place))
            .map(|(holder, slot)| m.slot(holder, slot))
            .into()
    }),
    ("hashedAtPut", SEARCH, |m, a| {
        let found = whole(m, a).and_then(|found| value_slot(m, a, found.place));
        found
            .and_then(|(holder, slot)| {
                with_key(m, a)?;
                m.set_slot(holder, slot, a[2]);
                Some(a[2])
            })
            .into()
    }),
];

// --- hashes ------------------------------------------------------------------------------------

const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15;

fn cut(product: u128) -> u64 {
    (product % (1 << 64)) as u64
}

/// The upper thirty bits of what SplitMix64 makes of a word.
pub(super) fn of_word(word: u64) -> i64 {
    let first = cut(u128::from(word) + GOLDEN);
    let second = cut(u128::from(first ^ (first >> 30)) * 0xBF58_476D_1CE4_E5B9);
    let third = cut(u128::from(second ^ (second >> 27)) * 0x94D0_49BB_1331_11EB);
    ((third ^ (third >> 31)) >> 34) as i64
}

/// Words one after the other; then how many things they are.
fn of_words(words: impl IntoIterator<Item = u64>, count: usize) -> i64 {
    let state = words.into_iter().fold(0_u64, |state, word| {
        cut(u128::from(state.rotate_left(5) ^ word) * GOLDEN)
    });
    of_word(state ^ count as u64)
}

/// Eight code points make a word of their low bytes; each that is above a byte makes another one.
pub(super) fn of_codes(codes: &[u32]) -> i64 {
    let mut words = Vec::new();
    for group in codes.chunks(8) {
        let mut bytes = [0; 8];
        for (byte, code) in bytes.iter_mut().zip(group) {
            *byte = (code % 256) as u8;
        }
        words.push(u64::from_le_bytes(bytes));
        let high = group.iter().zip(0_u64..).filter(|(code, _)| **code >= 256);
        words.extend(high.map(|(code, place)| u64::from(code / 256) * 8 + place));
    }
    of_words(words, codes.len())
}

pub(super) fn of_integer(integer: &BigInt) -> i64 {
    let small = integer
        .to_i64()
        .filter(|n| (-(1 << 61)..1 << 61).contains(n));
    if let Some(small) = small {
        return of_word(small as u64);
    }
    let mut words = Vec::new();
    let mut rest = integer.magnitude().clone();
    while rest.bits() > 0 {
        let (above, word) = rest.div_rem(&(BigUint::one() << 64));
        words.extend(word.to_u64());
        rest = above;
    }
    of_words(words, usize::from(integer.is_negative()))
}

fn character_hash(value: Value) -> Option<Value> {
    match value {
        Value::Character(code) => Some(Value::Small(of_word(u64::from(code)))),
        _ => None,
    }
}

fn mix_hash(a: &[Value]) -> Option<Value> {
    let first = a[0].as_small()? as u64;
    let turned = cut(u128::from(first) * GOLDEN).rotate_left(32);
    Some(Value::Small(of_word(turned ^ a[1].as_small()? as u64)))
}

fn behavior_hash(m: &Machine, value: Value) -> Option<Value> {
    let row = m.world.class(m.as_class(value)?);
    let codes: Vec<u32> = row.name.bytes().map(u32::from).collect();
    mix_hash(&[
        Value::Small(of_codes(&codes)),
        Value::Small(i64::from(row.is_meta)),
    ])
}

// --- the index ---------------------------------------------------------------------------------

/// What stands at each place: nothing, or what a hash was scattered to.
type Places = Vec<Option<u32>>;

fn places(m: &Machine, index: Value) -> Option<Places> {
    let Data::Bytes(bytes) = &m.object(index)?.data else {
        return None;
    };
    let numbers = bytes.chunks(4).map(|four| {
        let number = four
            .iter()
            .rev()
            .fold(0, |sum, &byte| sum * 256 + u32::from(byte));
        number.checked_sub(1)
    });
    Some(numbers.collect())
}

fn set_places(m: &mut Machine, index: Value, places: &Places) {
    let numbers = places.iter().map(|hash| hash.map_or(0, |hash| hash + 1));
    let bytes = numbers.flat_map(u32::to_le_bytes).collect();
    if let Some(object) = m.object_mut(index) {
        object.data = Data::Bytes(bytes);
    }
}

fn scattered(m: &Machine, hash: Value) -> Option<u32> {
    let integer = m.as_integer(hash)?;
    let word = match hash {
        Value::Small(small) => small as u64,
        _ => of_integer(&integer) as u64,
    };
    u32::try_from(of_word(word)).ok()
}

/// The places where a search looks, in order, counted from 0.
fn way(scattered: u32, count: usize) -> impl Iterator<Item = usize> {
    // Hashes are kept as one more, and the home follows what is kept.
    let home = (scattered as usize + 1) % count;
    (0..count).map(move |step| (home + step) % count)
}

fn place(position: usize) -> Value {
    Value::Small(position as i64 + 1)
}

fn search(
    m: &Machine,
    a: &[Value],
    equal: impl Fn(&Machine, Value, Value) -> Option<bool>,
) -> Option<Value> {
    let index = places(m, a[0])?;
    let wanted = scattered(m, a[2])?;
    for position in way(wanted, index.len()) {
        match index[position] {
            None => return Some(place(position)),
            Some(hash) if hash == wanted && equal(m, a[1], m.slot(a[3], position))? => {
                return Some(place(position));
            }
            Some(_) => {}
        }
    }
    None
}

/// Whether two keys are equal, if both are of the kinds that are compared without a message.
fn equal(m: &Machine, key: Value, other: Value) -> Option<bool> {
    let is_word = |value| matches!(value, Value::Small(_) | Value::Character(_));
    let is_float = |value| matches!(value, Value::Float(_));
    if is_float(key) || is_float(other) {
        let both = is_float(key) && is_float(other);
        return both.then(|| key.as_float() == other.as_float());
    }
    if is_word(key) && is_word(other) {
        return Some(key == other);
    }
    let is_simple = |value| is_word(value) || m.plain_text_of(value).is_some();
    let texts = (m.plain_text_of(key), m.plain_text_of(other));
    (is_simple(key) && is_simple(other)).then_some(texts.0.is_some() && texts.0 == texts.1)
}

/// A float that is an integer has the integer's hash.
pub(super) fn float_hash(value: Value) -> Option<Value> {
    let float = value.as_float()?;
    if float.is_finite() && float.trunc() == float {
        return Some(Value::Small(of_integer(&BigInt::from_f64(float)?)));
    }
    Some(Value::Small(of_word(float.to_bits())))
}

/// The hash of a key of these kinds.
fn key_hash(m: &Machine, key: Value) -> Option<Value> {
    match key {
        Value::Small(small) => Some(Value::Small(of_word(small as u64))),
        Value::Character(_) => character_hash(key),
        Value::Float(_) => float_hash(key),
        _ => m
            .plain_text_of(key)
            .map(|text| Value::Small(of_codes(&text))),
    }
}

fn scan(m: &Machine, a: &[Value]) -> Option<Value> {
    key_hash(m, a[1])?;
    search(m, a, equal)
}

fn next(m: &Machine, a: &[Value]) -> Option<Value> {
    let index = places(m, a[0])?;
    let wanted = scattered(m, a[1])?;
    let behind = a[2].as_size()?;
    let steps =
        way(wanted, index.len()).skip_while(|&position| behind > 0 && position + 1 != behind);
    let mut steps = steps.skip(usize::from(behind > 0));
    steps
        .find(|&position| index[position].is_none_or(|hash| hash == wanted))
        .map(place)
}

fn put(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let mut index = places(m, a[0])?;
    let hash = scattered(m, a[1])?;
    let free = index.get_mut(a[2].as_size()?.checked_sub(1)?)?;
    if free.is_some() {
        return None;
    }
    *free = Some(hash);
    set_places(m, a[0], &index);
    Some(a[2])
}

/// Takes the entry out, then moves each of those behind it to the first free place on its way, as long as there are any.
fn remove(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let mut index = places(m, a[0])?;
    let count = index.len();
    let removed = a[1].as_size()?.checked_sub(1)?;
    (*index.get(removed)?)?;
    let columns: Vec<Value> = a[2..]
        .iter()
        .copied()
        .filter(|&c| c != Value::Nil)
        .collect();
    if columns.iter().any(|&c| m.array_of(c).is_none()) {
        return None;
    }
    index[removed] = None;
    for &column in &columns {
        m.set_slot(column, removed, Value::Nil);
    }
    for step in 1..count {
        let position = (removed + step) % count;
        let Some(hash) = index[position] else { break };
        index[position] = None;
        let better = way(hash, count).find(|&free| index[free].is_none())?;
        index[better] = Some(hash);
        if better != position {
            for &column in &columns {
                let moved = m.slot(column, position);
                m.set_slot(column, better, moved);
                m.set_slot(column, position, Value::Nil);
            }
        }
    }
    set_places(m, a[0], &index);
    Some(a[0])
}

fn take(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (mut index, old) = (places(m, a[0])?, places(m, a[1])?);
    if a[4] != Value::Nil {
        m.array_of(a[4])?;
    }
    for (position, hash) in old.into_iter().enumerate() {
        let Some(hash) = hash else { continue };
        let free = way(hash, index.len()).find(|&free| index[free].is_none())?;
        index[free] = Some(hash);
        for (from, to) in [(a[2], a[3]), (a[4], a[5])] {
            if from != Value::Nil {
                let moved = m.slot(from, position);
                m.set_slot(to, free, moved);
            }
        }
    }
    set_places(m, a[0], &index);
    Some(a[0])
}

// --- whole collections -------------------------------------------------------------------------

struct Found {
    place: usize,
    is_there: bool,
}

/// Searches a collection whose four methods that say how keys are found come from one file of the library.
fn whole(m: &mut Machine, a: &[Value]) -> Option<Found> {
    let class = m.class_of(a[0]);
    for selector in ["hashOf:", "scan:hash:", "scanFor:", "place:hash:at:"] {
        let method = m.world.lookup(class, name(selector))?;
        if !method.file.name.ends_with("/HashedCollection.st") {
            return None;
        }
    }
    let (keys, index) = (m.slot(a[0], 0), m.slot(a[0], 1));
    let hash = key_hash(m, a[1])?;
    let found = search(m, &[index, a[1], hash, keys], equal)?;
    let place = found.as_size()?.checked_sub(1)?;
    let is_there = (*places(m, index)?.get(place)?).is_some();
    Some(Found { place, is_there })
}

/// The place of a key, which is put there if there is room.
fn with_key(m: &mut Machine, a: &[Value]) -> Option<usize> {
    let found = whole(m, a)?;
    if !found.is_there {
        let (tally, room) = (m.slot(a[0], 2).as_small()?, m.slot(a[0], 3).as_small()?);
        if tally >= room {
            return None;
        }
        let hash = key_hash(m, a[1])?;
        put(m, &[m.slot(a[0], 1), hash, place(found.place)])?;
        m.set_slot(m.slot(a[0], 0), found.place, a[1]);
        m.set_slot(a[0], 2, Value::Small(tally + 1));
    }
    Some(found.place)
}

/// Where the value at a place of a dictionary is: an element of the Array of values or, in the library's BoundValues, a
/// variable of an Association.
fn value_slot(m: &Machine, a: &[Value], place: usize) -> Option<(Value, usize)> {
    let values = m.slot(a[0], 5);
    if m.array_of(values).is_some() {
        return Some((values, place));
    }
    let association = *m.array_of(m.slot(values, 0))?.get(place)?;
    let class = Some(m.class_of(association));
    (class == m.world.find_class("Association")).then_some((association, 1))
}
