//! Activations and their remaining tasks.

use std::rc::Rc;

use crate::oracle::code::{MessageNode, Method, N};
use crate::oracle::count::Counts;
use crate::oracle::names::Name;
use crate::oracle::object::Scope;
use crate::oracle::value::{ClassId, ObjectId, Value};

/// The use of an activation's answer.
#[derive(Clone, Debug)]
pub(crate) enum After {
    /// The activation below gets it.
    Push,
    /// It is dropped.
    Discard,
    /// The activation below gets the sends since then, or the whole vector.
    Measure(Box<Counts>, bool),
    /// The process ends.
    Bottom,
}

/// A remaining task of an activation; the next task is the last in the list.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Evaluate(N),
    /// The rest of some statements.
    Statements(N, usize),
    /// The rest of a brace array, whose last element is on top; the array.
    Brace(N, usize, Value),
    Drop,
    Push(Value),
    Store(N),
    /// The message to be sent once its arguments are there.
    Send(Rc<MessageNode>),
    /// The message of a cascade that comes next; the receiver is on top.
    Cascade(N, usize),
    Return,
    Restore(Scope),
    Branch(N, bool),
    NilTest(N),
    WhileTest(N, bool),
    WhileAgain(N),
    RepeatAgain(N),
    CountBegin(N),
    Loop(Box<Loop>),
    StoreClassVariable(ClassId, Name),
    ResumeUnwinding,
}

/// An activation of a method or a block.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    /// No other activation has it.
    pub(crate) number: u64,
    pub(crate) method: Rc<Method>,
    /// The block, if it is one's.
    pub(crate) block: Option<ObjectId>,
    pub(crate) receiver: Value,
    pub(crate) arguments: Vec<Value>,
    pub(crate) scope: Scope,
    /// The activation that `^` returns from.
    pub(crate) home: u64,
    pub(crate) tasks: Vec<Task>,
    pub(crate) values: Vec<Value>,
    /// Its node of the calling-context tree.
    pub(crate) node: u32,
    pub(crate) after: After,
    pub(crate) unwinding: Option<Unwinding>,
}

/// What an activation of a method begins with: its body, then its receiver as the answer.
pub(crate) fn method_tasks(body: &N, receiver: Value) -> Vec<Task> {
    vec![
        Task::Push(receiver),
        Task::Drop,
        Task::Evaluate(body.clone()),
    ]
}

/// A loop over numbers that goes on.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) node: N,
    pub(crate) index: Value,
    pub(crate) limit: Value,
    pub(crate) step: Value,
    pub(crate) downwards: bool,
    /// What the loop's value is.
    pub(crate) answer: Value,
    pub(crate) phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Compare index and limit.
    Test,
    /// The comparison's answer is on top; or the answer to `mustBeBoolean`, on the second try.
    Decide { again: bool },
    /// The body's value is on top: add the step.
    Step,
    /// The sum is on top.
    Stepped,
}

/// What happens when the frames above the target are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// The target returns the value.
    Return,
    /// It begins again with the value as its receiver.
    Restart,
    /// The process ends; the target is its bottom.
    Terminate,
}

/// Frames are to be cut down to a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinding {
    /// Number of the frame; 0 for the bottom.
    pub(crate) target: u64,
    pub(crate) goal: Goal,
    pub(crate) value: Value,
}
