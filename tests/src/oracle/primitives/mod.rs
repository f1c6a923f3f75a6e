//! The primitives, written anew from docs/PRIMITIVES.md. Primitives that no test program needs are missing; a method with
//! such a primitive ends the run as unsupported.

mod class;
mod control;
mod float;
mod hash;
mod indexed;
mod integer;
mod object;
mod stream;
mod system;
mod text;

use std::rc::Rc;

use super::machine::{Ending, Machine};
use super::names::Name;
use super::unwind::Unwinding;
use super::value::Value;
use super::world::{ClassId, Method};

/// A primitive's request to the interpreter.
pub(crate) enum Request {
    /// Evaluate a block with these arguments, as many as it takes.
    Block(Value, Vec<Value>),
    /// Deliver a message; lookup begins in that class.
    Perform(ClassId, Name, Value, Vec<Value>),
    /// Run a method.
    Invoke(Rc<Method>, Value, Vec<Value>),
    /// Evaluate a block and answer its cost: its sends, or all costs.
    Measure(Value, bool),
    Unwind(Unwinding),
    /// Answer this, and let another process run.
    Switch(Value),
    Stop(Ending),
}

/// What a primitive does.
pub(crate) enum Answer {
    Value(Value),
    Request(Request),
    Declined,
}

impl From<Option<Value>> for Answer {
    fn from(value: Option<Value>) -> Answer {
        value.map_or(Answer::Declined, Answer::Value)
    }
}

impl From<Option<bool>> for Answer {
    fn from(value: Option<bool>) -> Answer {
        value.map(Value::bool).into()
    }
}

impl From<Option<Request>> for Answer {
    fn from(request: Option<Request>) -> Answer {
        request.map_or(Answer::Declined, Answer::Request)
    }
}

/// A primitive; it gets the receiver and the arguments behind it.
pub(crate) type PrimitiveFunction = fn(&mut Machine, &[Value]) -> Answer;

type Table = &'static [(&'static str, PrimitiveFunction)];

const TABLES: &[Table] = &[
    class::TABLE,
    control::TABLE,
    float::TABLE,
    hash::TABLE,
    indexed::TABLE,
    integer::TABLE,
    object::TABLE,
    stream::TABLE,
    system::TABLE,
    text::TABLE,
];

/// The primitive of that name.
pub(crate) fn find(name: &str) -> Option<(&'static str, PrimitiveFunction)> {
    let mut rows = TABLES.iter().flat_map(|table| table.iter());
    rows.find(|row| row.0 == name).copied()
}
