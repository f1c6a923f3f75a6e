//! Objects as a whole: identity, class, slots, copies.

use super::answer::Table;
use super::charge::{COPY, ELEMENT, NONE, SIMPLE};
use super::hash::{of_codes, of_word};
use crate::oracle::machine::Machine;
use crate::oracle::object::Data;
use crate::oracle::value::Value;
use crate::oracle::world::Shape;

pub(super) const TABLE: Table = &[
    ("objectClass", SIMPLE, |m, a| {
        let class = m.class_of(a[0]);
        Some(m.class_object(Some(class))).into()
    }),
    ("objectSame", SIMPLE, |_, a| Some(a[0] == a[1]).into()),
    ("objectNotSame", SIMPLE, |_, a| Some(a[0] != a[1]).into()),
    ("objectRespondsTo", NONE, |m, a| {
        let class = m.class_of(a[0]);
        a[1].as_symbol()
            .map(|selector| m.world.lookup(class, selector).is_some())
            .into()
    }),
    ("objectIdentityHash", NONE, |m, a| {
        identity_hash(m, a[0]).into()
    }),
    ("objectBasicSize", SIMPLE, |m, a| basic_size(m, a[0]).into()),
    ("objectBasicAt", ELEMENT, |m, a| basic_at(m, a).into()),
    ("objectBasicAtPut", ELEMENT, |m, a| {
        basic_at_put(m, a).into()
    }),
    ("objectInstVarAt", NONE, |m, a| {
        slot_index(m, a).map(|index| m.slot(a[0], index)).into()
    }),
    ("objectInstVarAtPut", NONE, |m, a| {
        inst_var_at_put(m, a).into()
    }),
    ("objectShallowCopy", COPY, |m, a| {
        shallow_copy(m, a[0]).into()
    }),
];

fn identity_hash(m: &mut Machine, value: Value) -> Option<Value> {
    Some(Value::Small(match value {
        Value::Small(n) => n & crate::oracle::value::MOST_SMALL,
        Value::Character(code) => i64::from(code),
        Value::Symbol(_) => of_codes(&m.text_of(value)?),
        Value::Float(bits) => of_word(bits),
        Value::Object(id) => i64::from(m.identity_hash(id)),
        // Their numbers are the machine's own business.
        Value::Nil | Value::True | Value::False => {
            m.unsupported("the hash of nil, true or false");
            0
        }
    }))
}

fn basic_size(m: &Machine, value: Value) -> Option<Value> {
    if let Value::Symbol(_) = value {
        return Some(Value::Small(m.text_of(value)?.len() as i64));
    }
    let size = match m.object(value).map(|object| &object.data) {
        Some(Data::Bytes(bytes)) => bytes.len(),
        Some(Data::Text(codes)) => codes.len(),
        Some(Data::Large(integer)) => integer.to_bytes_le().1.len(),
        _ => match (m.named_slots(value), m.object(value)) {
            (Some(named), Some(object)) => object.slots.len() - named,
            _ => 0,
        },
    };
    Some(Value::Small(size as i64))
}

/// An index, from 0.
pub(super) fn position(value: Value) -> Option<usize> {
    value.as_size()?.checked_sub(1)
}

pub(super) fn basic_at(m: &Machine, a: &[Value]) -> Option<Value> {
    let index = position(a[1])?;
    if let Value::Symbol(_) = a[0] {
        return m
            .text_of(a[0])?
            .get(index)
            .map(|&code| Value::Character(code));
    }
    let object = m.object(a[0])?;
    match &object.data {
        Data::Bytes(bytes) => bytes.get(index).map(|&byte| Value::Small(i64::from(byte))),
        Data::Text(codes) => codes.get(index).map(|&code| Value::Character(code)),
        _ => {
            let named = m.named_slots(a[0])?;
            object.slots.get(named + index).copied()
        }
    }
}

fn basic_at_put(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let index = position(a[1])?;
    let named = m.named_slots(a[0]);
    let (string, wide) = (m.known.string, m.known.wide_string);
    let object = m.object_mut(a[0])?;
    match &mut object.data {
        Data::Bytes(bytes) => {
            let byte = a[2].as_small().and_then(|n| u8::try_from(n).ok())?;
            *bytes.get_mut(index)? = byte;
        }
        Data::Text(codes) => {
            let Value::Character(code) = a[2] else {
                return None;
            };
            if code > 255 && object.class != wide {
                if object.class != string || index >= codes.len() {
                    return None;
                }
                object.class = wide;
            }
            *codes.get_mut(index)? = code;
        }
        _ => *object.slots.get_mut(named? + index)? = a[2],
    }
    Some(a[2])
}

/// The index of a slot that the language may see.
fn slot_index(m: &Machine, a: &[Value]) -> Option<usize> {
    let index = position(a[1])?;
    (index < m.object(a[0])?.slots.len()).then_some(index)
}

fn inst_var_at_put(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let index = slot_index(m, a)?;
    if m.as_class(a[0]).is_some() {
        return None;
    }
    m.set_slot(a[0], index, a[2]);
    Some(a[2])
}

fn shallow_copy(m: &mut Machine, value: Value) -> Option<Value> {
    let Some(object) = m.object(value).cloned() else {
        return Some(value);
    };
    let class = object.class;
    Some(match object.data {
        Data::Class(_) => return None,
        Data::Large(_) | Data::Block(_) => value,
        Data::Text(codes) => {
            let copy = m.make_text_of(class, codes);
            if let Some(made) = m.object_mut(copy) {
                made.class = class;
            }
            copy
        }
        Data::Bytes(bytes) => m.make_bytes(class, bytes),
        Data::Nothing | Data::Method(_) | Data::Process(_) => {
            let named = m.world.class(class).fields.len();
            let indexed = match m.world.class(class).shape {
                Shape::Pointers => object.slots.len() - named,
                _ => 0,
            };
            let copy = m.make_instance(class, indexed);
            if let Some(made) = m.object_mut(copy) {
                made.slots = object.slots;
            }
            copy
        }
    })
}
