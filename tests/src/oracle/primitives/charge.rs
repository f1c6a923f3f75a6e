//! What primitives are charged (counting model, 2: `called`, and 2.2), written anew from the column *work* of
//! docs/PRIMITIVES.md. The formulas stand beside the primitives.

use num_bigint::BigInt;

use crate::oracle::machine::Machine;
use crate::oracle::object::Data;
use crate::oracle::value::Value;

/// Which calls are simple, by the classes of the operands.
#[derive(Clone, Copy)]
pub(crate) enum Simple {
    Never,
    Always,
    /// Those with SmallIntegers and Floats only.
    Numbers,
    /// Those of Arrays, Strings, Symbols and ByteArrays.
    Elements,
}

impl Simple {
    pub(crate) fn holds(self, m: &Machine, operands: &[Value]) -> bool {
        let known = &m.known;
        match self {
            Simple::Never => false,
            Simple::Always => true,
            Simple::Numbers => operands
                .iter()
                .all(|one| matches!(one, Value::Small(_) | Value::Float(_))),
            Simple::Elements => [
                known.array,
                known.string,
                known.wide_string,
                known.symbol,
                known.bytes,
            ]
            .contains(&m.class_of(operands[0])),
        }
    }
}

/// Units of work by counter.
pub(crate) type Bill = Vec<(&'static str, u64)>;

/// The charge of a primitive.
#[derive(Clone, Copy)]
pub(crate) struct Charge {
    pub(crate) simple: Simple,
    /// What accepted operands are charged, even if the primitive declines then.
    pub(crate) operands: fn(&Machine, &[Value]) -> Bill,
    /// What a success is charged; the operands and the answer.
    pub(crate) success: fn(&Machine, &[Value], Value) -> Bill,
}

impl Charge {
    /// The charge by operands and answer.
    pub(super) const fn by(success: fn(&Machine, &[Value], Value) -> Bill) -> Charge {
        Charge { success, ..NONE }
    }

    /// The same, some calls being simple.
    pub(super) const fn simple(self, simple: Simple) -> Charge {
        Charge { simple, ..self }
    }
}

/// No charge; each call is one of a called primitive.
pub(super) const NONE: Charge = Charge {
    simple: Simple::Never,
    operands: |_, _| Bill::new(),
    success: |_, _, _| Bill::new(),
};

/// No charge; all calls are simple.
pub(super) const SIMPLE: Charge = NONE.simple(Simple::Always);

/// No charge; access to elements.
pub(super) const ELEMENT: Charge = NONE.simple(Simple::Elements);

/// Whether an integer is a LargeInteger.
pub(super) fn is_large(m: &Machine, value: Value) -> bool {
    matches!(value, Value::Object(_)) && m.as_integer(value).is_some()
}

/// w(x): the size of an integer in words of 64 bits.
pub(super) fn words(integer: &BigInt) -> u64 {
    integer.bits().div_ceil(64).max(1)
}

/// The bytes of a number that is the result.
pub(super) fn number_bytes(m: &Machine, answer: Value) -> Bill {
    match (answer, m.as_integer(answer)) {
        (Value::Float(_), _) => vec![("numberBytes", 16)],
        (Value::Object(_), Some(integer)) => vec![("numberBytes", 8 + 8 * words(&integer))],
        _ => Bill::new(),
    }
}

/// Characters of a string; none if it is no string.
pub(super) fn characters(m: &Machine, value: Value) -> u64 {
    m.text_of(value).map_or(0, |text| text.len() as u64)
}

/// Bytes of the indexed part of an object: 8 a slot, 1 a character whatever its width.
pub(super) fn indexed_bytes(m: &Machine, value: Value) -> u64 {
    let Some(object) = m.object(value) else {
        return characters(m, value);
    };
    let size = match &object.data {
        Data::Bytes(bytes) => bytes.len(),
        Data::Text(codes) => codes.len(),
        _ => 8 * (object.slots.len() - m.named_slots(value).unwrap_or(object.slots.len())),
    };
    size as u64
}

/// Elements of an Array.
pub(super) fn elements(m: &Machine, value: Value) -> u64 {
    m.array_of(value).map_or(0, |all| all.len() as u64)
}

/// An Array that is the result.
pub(super) const LIST: Charge = Charge::by(|m, _, answer| vec![("elements", elements(m, answer))]);

/// An object with a size, or part of another one.
pub(super) const MADE: Charge =
    Charge::by(|m, _, answer| vec![("moved", filled(indexed_bytes(m, answer)))]);

/// Bytes of a new object, those of a large one eight times.
pub(super) fn filled(bytes: u64) -> u64 {
    match bytes {
        0..32_768 => bytes,
        _ => 8 * bytes,
    }
}

/// A message that is delivered.
pub(super) const DELIVERY: Charge =
    Charge::by(|_, _, _| vec![("elements", 1)]).simple(Simple::Always);

/// A source that is compiled.
pub(super) const COMPILE: Charge =
    Charge::by(|m, a, _| vec![("elements", 8 * characters(m, a[1]))]);

/// A copy.
pub(super) const COPY: Charge = Charge::by(|m, a, answer| match m.object(answer) {
    Some(object) if answer != a[0] => match object.data {
        Data::Bytes(_) | Data::Text(_) => vec![("moved", filled(indexed_bytes(m, answer)))],
        _ => vec![("moved", filled(8 * object.slots.len() as u64))],
    },
    _ => Bill::new(),
});
