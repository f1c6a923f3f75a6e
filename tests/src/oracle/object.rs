//! Objects, blocks, and the scopes that blocks share.

use std::cell::RefCell;
use std::rc::Rc;

use num_bigint::BigInt;

use super::code::{BlockCode, Method};
use super::value::{ClassId, Value};

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
