//! Shared by the two ways of running a random method: values, the meaning of the few known messages, and the log of
//! sends and repetitions.

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

/// A value of a test program.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    /// The answer to any other message: a digest of the message.
    Other(u64),
    Array(Rc<RefCell<Vec<Value>>>),
    Cell(Rc<RefCell<Value>>),
    /// A block of either way.
    Block(Rc<dyn Any>),
}

/// Why evaluation stops before its end.
#[derive(Clone, Debug)]
pub(crate) enum Exit {
    /// `^` on its way to the activation with this number.
    Return(u64, Value),
    /// `^` without a home.
    NoHome,
    /// The log is full.
    Enough,
}

pub(crate) type Outcome = Result<Value, Exit>;

/// What an evaluation leaves behind.
#[derive(Default)]
pub(crate) struct Effects {
    pub(crate) log: Vec<String>,
    pub(crate) ivars: HashMap<String, Value>,
    /// Homes that have not returned.
    pub(crate) homes: Vec<u64>,
    activations: u64,
}

const LONGEST_LOG: usize = 2_000;

impl Effects {
    pub(crate) fn note(&mut self, event: String) -> Result<(), Exit> {
        self.log.push(event);
        if self.log.len() > LONGEST_LOG {
            Err(Exit::Enough)
        } else {
            Ok(())
        }
    }

    pub(crate) fn enter_home(&mut self) -> u64 {
        self.activations += 1;
        self.homes.push(self.activations);
        self.activations
    }

    /// The answer to a send, unless its receiver is a block that it evaluates.
    pub(crate) fn send(
        &mut self,
        receiver: &Value,
        selector: &str,
        arguments: &[Value],
    ) -> Outcome {
        let shown: Vec<String> = arguments.iter().map(Value::show).collect();
        let event = format!("{} {selector} {}", receiver.show(), shown.join(" "));
        let mut digest = DefaultHasher::new();
        event.hash(&mut digest);
        let digest = digest.finish();
        self.note(event)?;
        use Value::{Bool, Int, Other};
        Ok(match (receiver, selector, arguments) {
            (Int(a), "+", [Int(b)]) => Int(a.wrapping_add(*b)),
            (Int(a), "-", [Int(b)]) => Int(a.wrapping_sub(*b)),
            (Int(a), "<", [Int(b)]) => Bool(a < b),
            (Int(a), ">", [Int(b)]) => Bool(a > b),
            (Int(a), "=", [Int(b)]) => Bool(a == b),
            (_, "<" | ">" | "=" | "==", _) => Bool(digest.is_multiple_of(2)),
            (_, "yourself", _) => receiver.clone(),
            _ => Other(digest % 1000),
        })
    }
}

impl Value {
    pub(crate) fn show(&self) -> String {
        match self {
            Value::Nil => "nil".into(),
            Value::Bool(value) => value.to_string(),
            Value::Int(value) => value.to_string(),
            Value::Other(digest) => format!("#{digest}"),
            Value::Array(elements) => {
                let elements = elements.borrow();
                let shallow = elements.iter().map(|element| match element {
                    Value::Array(_) => "array".into(),
                    other => other.show(),
                });
                format!("{{{}}}", shallow.collect::<Vec<_>>().join(","))
            }
            Value::Cell(_) => "CELL".into(),
            Value::Block(_) => "block".into(),
        }
    }
}

/// Whether an inlined loop goes on. An index that is no integer ends it.
pub(crate) fn goes_on(index: &Value, limit: &Value, downwards: bool) -> bool {
    match (index, limit) {
        (Value::Int(index), Value::Int(limit)) if downwards => index >= limit,
        (Value::Int(index), Value::Int(limit)) => index <= limit,
        _ => false,
    }
}
