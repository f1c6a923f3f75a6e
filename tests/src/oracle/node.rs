//! The tree that is executed: the parser's, with each name resolved and each inlined control message (counting model, 1)
//! separated from sends.

use std::rc::Rc;

use tally_compiler::ast::{Item, Literal};

use super::names::Name;
use super::value::Value;
use super::world::{ClassId, Method};

pub(crate) type N = Rc<Node>;

/// Where a variable is: the number of scopes further out, and the index there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) up: usize,
    pub(crate) slot: usize,
}

/// A message with its arguments.
#[derive(Debug)]
pub(crate) struct MessageNode {
    pub(crate) selector: Name,
    pub(crate) arguments: Vec<N>,
    pub(crate) to_super: bool,
    /// Where the selector stands in the file.
    pub(crate) offset: u32,
}

/// A block's code.
#[derive(Debug)]
pub(crate) struct BlockCode {
    pub(crate) parameters: usize,
    pub(crate) slots: usize,
    pub(crate) body: N,
    /// Where it stands in the file.
    pub(crate) offset: u32,
}

/// The inside of an inlined block; `slots` is `None` if it has no variables and so needs no scope.
#[derive(Debug)]
pub(crate) struct Inside {
    pub(crate) slots: Option<usize>,
    pub(crate) takes_argument: bool,
    pub(crate) body: N,
}

/// A loop over numbers.
#[derive(Debug)]
pub(crate) struct Count {
    /// Absent in `timesRepeat:`, which begins at 1.
    pub(crate) start: Option<N>,
    pub(crate) limit: N,
    pub(crate) step: N,
    pub(crate) downwards: bool,
    pub(crate) body: Inside,
}

/// What can be evaluated.
#[derive(Debug)]
pub(crate) enum Node {
    Constant(Value),
    /// A literal that is an object, made once: its number and its content.
    Literal(u64, Literal),
    Receiver,
    Context,
    Local(Place),
    SetLocal(Place, N),
    Field(usize),
    SetField(usize, N),
    Global(Name),
    SetGlobal(Name, N),
    ClassVariable(ClassId, Name),
    SetClassVariable(ClassId, Name, N),
    Send(N, Rc<MessageNode>),
    Cascade(N, Vec<Rc<MessageNode>>),
    Block(Rc<BlockCode>),
    Brace(Vec<N>),
    /// Statements; the value is the last one's.
    Statements(Vec<N>),
    Return(N),
    If(N, Option<Inside>, Option<Inside>),
    IfNil(N, Option<Inside>, Option<Inside>),
    /// `and:`, or `or:` if true decides.
    Logic(N, bool, Inside),
    /// The condition, the answer with which the loop goes on, the body.
    While(Inside, bool, Option<Inside>),
    Repeat(Inside),
    Count(Count),
    /// A definition in a script.
    Define(Rc<Item>),
    /// Code that the script runs as a piece of its own: an `Eval`, or the initial value of a class variable.
    Evaluate(Rc<Method>, Option<(ClassId, Name)>),
}
