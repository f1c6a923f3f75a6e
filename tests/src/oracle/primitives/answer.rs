//! What a primitive gets and answers. A primitive calls nothing of the interpreter: it makes a request.

use std::rc::Rc;

use super::charge::Charge;
use crate::oracle::code::Method;
use crate::oracle::machine::frame::Unwinding;
use crate::oracle::machine::{Ending, Machine};
use crate::oracle::names::Name;
use crate::oracle::value::{ClassId, Value};

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

/// A primitive with its name and its charge.
pub(crate) type Row = (&'static str, Charge, PrimitiveFunction);

pub(crate) type Table = &'static [Row];
