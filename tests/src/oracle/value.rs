//! The contents of variables: values, objects, blocks, and the scopes that blocks share.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

use super::names::Name;
use super::node::BlockCode;
use super::world::{ClassId, Method};

/// The largest SmallInteger; the model has 62 bits.
pub(crate) const MOST_SMALL: i64 = (1 << 61) - 1;
/// The least one.
pub(crate) const LEAST_SMALL: i64 = -(1 << 61);

/// An object's place among the machine's objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectId(pub(crate) u32);

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

/// What an object has beside its slots.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Nothing,
    Bytes(Vec<u8>),
    /// Code points of a String.
    Text(Vec<u32>),
    Large(BigInt),
    Class(ClassId),
    Block(Rc<Closure>),
    /// A CompiledMethod.
    Method(Rc<Method>),
    /// A Process, by its place in the machine's list.
    Process(usize),
}

/// An object.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) class: ClassId,
    /// Its identity hash, 0 until the first use.
    pub(crate) hash: u32,
    /// Named variables, then indexed ones.
    pub(crate) slots: Vec<Value>,
    pub(crate) data: Data,
}

/// The variables of one evaluation of a method, a block, or the inside of a control message.
#[derive(Debug)]
pub(crate) struct ScopeData {
    pub(crate) variables: RefCell<Vec<Value>>,
    pub(crate) outer: Option<Scope>,
}

pub(crate) type Scope = Rc<ScopeData>;

/// A new scope with its first variables set and the others nil.
pub(crate) fn open_scope(outer: Option<Scope>, first: &[Value], slots: usize) -> Scope {
    let mut variables = Vec::with_capacity(slots.max(first.len()));
    variables.extend_from_slice(first);
    variables.resize(slots.max(first.len()), Value::Nil);
    Rc::new(ScopeData {
        variables: RefCell::new(variables),
        outer,
    })
}

/// A block with what it was made in.
#[derive(Debug)]
pub(crate) struct Closure {
    pub(crate) code: Rc<BlockCode>,
    pub(crate) scope: Scope,
    pub(crate) receiver: Value,
    /// The activation that its `^` returns from.
    pub(crate) home: u64,
    /// The method that it stands in.
    pub(crate) method: Rc<Method>,
}
