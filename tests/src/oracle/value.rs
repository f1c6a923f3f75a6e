//! The contents of variables: values that are copied. Objects are values by their place in the world.

use tally_compiler::ast::Literal;

use super::names::{Name, name};

/// The largest SmallInteger; the model has 62 bits.
pub(crate) const MOST_SMALL: i64 = (1 << 61) - 1;
/// The least one.
pub(crate) const LEAST_SMALL: i64 = -(1 << 61);

/// An object's place among the machine's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

/// A class's place in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ClassId(pub(crate) u32);

/// What a variable holds. Two values are the same object when they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    Nil,
    True,
    False,
    /// A SmallInteger.
    Small(i64),
    /// A Float's bits.
    Float(u64),
    /// A Character's code point.
    Character(u32),
    Symbol(Name),
    Object(ObjectId),
}

impl Value {
    pub(crate) fn bool(value: bool) -> Value {
        if value { Value::True } else { Value::False }
    }

    pub(crate) fn as_bool(self) -> Option<bool> {
        match self {
            Value::True => Some(true),
            Value::False => Some(false),
            _ => None,
        }
    }

    pub(crate) fn as_small(self) -> Option<i64> {
        match self {
            Value::Small(n) => Some(n),
            _ => None,
        }
    }

    /// A SmallInteger as a count or an index.
    pub(crate) fn as_size(self) -> Option<usize> {
        self.as_small().and_then(|n| usize::try_from(n).ok())
    }

    pub(crate) fn as_float(self) -> Option<f64> {
        match self {
            Value::Float(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    pub(crate) fn float(value: f64) -> Value {
        Value::Float(value.to_bits())
    }

    pub(crate) fn as_symbol(self) -> Option<Name> {
        match self {
            Value::Symbol(name) => Some(name),
            _ => None,
        }
    }
}

/// The value of a literal that is no object in the heap.
pub(crate) fn simple_literal(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::Nil => Value::Nil,
        Literal::True => Value::True,
        Literal::False => Value::False,
        Literal::Integer(digits) => {
            let small = digits.parse::<i64>().ok()?;
            if !(LEAST_SMALL..=MOST_SMALL).contains(&small) {
                return None;
            }
            Value::Small(small)
        }
        Literal::Float(float) => Value::float(*float),
        Literal::Character(code) => Value::Character(*code),
        Literal::Symbol(text) => Value::Symbol(name(text)),
        _ => return None,
    })
}
