//! Parts of arrays, byte arrays and strings.

use super::answer::Table;
use super::charge::{COPY, Charge, MADE, indexed_bytes};
use crate::oracle::machine::Machine;
use crate::oracle::object::Data;
use crate::oracle::value::Value;

/// The bytes of the range.
const REPLACED: Charge = Charge::by(|m, a, _| {
    let sizes = a[1].as_small().zip(a[2].as_small());
    let size = sizes.map_or(0, |(start, stop)| (stop - start + 1) as u64);
    let is_slots = matches!(Part::of(m, a[0]), Some(Part::Slots(_)));
    vec![("moved", if is_slots { 8 * size } else { size })]
});

/// Bytes that are compared.
const BYTES_COMPARED: Charge = Charge::by(|m, a, _| {
    let (x, y) = (indexed_bytes(m, a[0]), indexed_bytes(m, a[1]));
    vec![("compared", if x == y { x + 1 } else { 1 })]
});

pub(super) const TABLE: Table = &[
    ("indexedReplace", REPLACED, |m, a| replace(m, a).into()),
    ("indexedCopyFromTo", MADE, |m, a| copy_from_to(m, a).into()),
    ("indexedConcatenate", MADE, |m, a| concatenate(m, a).into()),
    ("bytesEqual", BYTES_COMPARED, |m, a| {
        bytes_equal(m, a).into()
    }),
    ("indexedReversed", COPY, |m, a| reversed(m, a).into()),
];

/// The indexed part of an object.
enum Part {
    Slots(Vec<Value>),
    Bytes(Vec<u8>),
    Text(Vec<u32>),
}

impl Part {
    fn of(m: &Machine, value: Value) -> Option<Part> {
        if let Value::Symbol(_) = value {
            return m.text_of(value).map(Part::Text);
        }
        let object = m.object(value)?;
        match &object.data {
            Data::Bytes(bytes) => Some(Part::Bytes(bytes.clone())),
            Data::Text(codes) => Some(Part::Text(codes.clone())),
            _ => Some(Part::Slots(object.slots[m.named_slots(value)?..].to_vec())),
        }
    }

    /// The part of an object that has no named variables.
    fn of_plain(m: &Machine, value: Value) -> Option<Part> {
        let named = m.named_slots(value).unwrap_or(0);
        Part::of(m, value).filter(|_| named == 0)
    }

    fn len(&self) -> usize {
        match self {
            Part::Slots(slots) => slots.len(),
            Part::Bytes(bytes) => bytes.len(),
            Part::Text(codes) => codes.len(),
        }
    }

    fn cut(self, first: usize, end: usize) -> Part {
        match self {
            Part::Slots(slots) => Part::Slots(slots[first..end].to_vec()),
            Part::Bytes(bytes) => Part::Bytes(bytes[first..end].to_vec()),
            Part::Text(codes) => Part::Text(codes[first..end].to_vec()),
        }
    }

    fn reversed(self) -> Part {
        match self {
            Part::Slots(slots) => Part::Slots(slots.into_iter().rev().collect()),
            Part::Bytes(bytes) => Part::Bytes(bytes.into_iter().rev().collect()),
            Part::Text(codes) => Part::Text(codes.into_iter().rev().collect()),
        }
    }

    /// A new object of this content, of the sample's class if it can be.
    fn make(self, m: &mut Machine, sample: Value) -> Value {
        let class = m.class_of(sample);
        match self {
            Part::Slots(slots) => {
                let made = m.make_instance(class, slots.len());
                if let Some(object) = m.object_mut(made) {
                    object.slots = slots;
                }
                made
            }
            Part::Bytes(bytes) => m.make_bytes(class, bytes),
            Part::Text(codes) => m.make_text_of(class, codes),
        }
    }
}

/// The elements from the first to the last index, as a position and an end.
fn range(start: Value, stop: Value, size: usize) -> Option<(usize, usize)> {
    let first = start.as_size()?.checked_sub(1)?;
    let end = stop.as_size().filter(|&end| end <= size && end >= first)?;
    Some((first, end))
}

fn replace(m: &mut Machine, a: &[Value]) -> Option<Value> {
    if let Value::Symbol(_) = a[0] {
        return None;
    }
    let size = Part::of(m, a[0])?.len();
    if a[2].as_small()? == a[1].as_small()? - 1 {
        return Some(a[0]);
    }
    let (first, end) = range(a[1], a[2], size)?;
    let source = Part::of(m, a[3])?;
    let from = a[4].as_size()?.checked_sub(1)?;
    let length = end - first;
    if from + length > source.len() {
        return None;
    }
    let source = source.cut(from, from + length);
    let named = m.named_slots(a[0]).unwrap_or(0);
    let (string, wide) = (m.known.string, m.known.wide_string);
    let object = m.object_mut(a[0])?;
    match (&mut object.data, source) {
        (Data::Bytes(bytes), Part::Bytes(source)) => bytes[first..end].copy_from_slice(&source),
        (Data::Text(codes), Part::Text(source)) => {
            if source.iter().any(|&code| code > 255) && object.class != wide {
                if object.class != string {
                    return None;
                }
                object.class = wide;
            }
            codes[first..end].copy_from_slice(&source);
        }
        (Data::Bytes(_) | Data::Text(_), _) => return None,
        (_, Part::Slots(source)) => {
            object.slots[named + first..named + end].copy_from_slice(&source);
        }
        _ => return None,
    }
    Some(a[0])
}

/// Compares the bytes of two objects of one class.
fn bytes_equal(m: &Machine, a: &[Value]) -> Option<bool> {
    let is_alike = m.class_of(a[0]) == m.class_of(a[1]);
    match (Part::of(m, a[0])?, Part::of(m, a[1])?) {
        (Part::Bytes(x), Part::Bytes(y)) if is_alike => Some(x == y),
        _ => None,
    }
}

fn copy_from_to(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let part = Part::of_plain(m, a[0])?;
    let (first, end) = range(a[1], a[2], part.len())?;
    Some(part.cut(first, end).make(m, a[0]))
}

fn concatenate(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let joined = match (Part::of_plain(m, a[0])?, Part::of_plain(m, a[1])?) {
        (Part::Slots(x), Part::Slots(y)) => Part::Slots([x, y].concat()),
        (Part::Bytes(x), Part::Bytes(y)) => Part::Bytes([x, y].concat()),
        (Part::Text(x), Part::Text(y)) => {
            let text = [x, y].concat();
            return Some(m.make_text(text));
        }
        _ => return None,
    };
    Some(joined.make(m, a[0]))
}

fn reversed(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let part = Part::of_plain(m, a[0])?;
    Some(part.reversed().make(m, a[0]))
}
