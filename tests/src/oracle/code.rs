//! The code that is executed: methods, and the tree in their routines. The tree is the parser's, with each name resolved
//! and each inlined control message (counting model, 1) separated from sends.

use std::cell::OnceCell;
use std::rc::Rc;

use tally_compiler::ast::{self, Item, Literal, Span};

use super::names::{Name, name};
use super::value::{ClassId, Value};

/// A file's text, for line numbers.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SourceFile {
    pub(crate) fn slice(&self, span: Span) -> &str {
        let (start, end) = (span.start as usize, span.end as usize);
        self.text.get(start..end).unwrap_or_default()
    }

    /// Line and column of a byte, from 1, in characters.
    pub(crate) fn place(&self, offset: u32) -> (usize, usize) {
        let before = self.text.get(..offset as usize).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }
}

/// What a method's frame pragma says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Ordinary,
    Ensure,
    Curtailed,
    Handler,
    Handling,
    Signal,
    Silent,
}

/// Where a method's code comes from.
#[derive(Debug)]
pub(crate) enum Code {
    Method(ast::Method),
    /// An `Eval`, an initialiser or a compiled expression, already resolved.
    Resolved,
}

/// What a quick method does (counting model, 1).
#[derive(Clone, Debug)]
pub(crate) enum Quick {
    Receiver,
    Value(N),
    Load(usize),
    Store(usize),
}

/// Code ready to be executed.
#[derive(Debug)]
pub(crate) struct Routine {
    pub(crate) parameters: usize,
    pub(crate) slots: usize,
    pub(crate) body: N,
    pub(crate) quick: Option<Quick>,
}

/// A method, or a piece of a script.
#[derive(Debug)]
pub(crate) struct Method {
    /// `Class>>selector`, or the file's name.
    pub(crate) name: Rc<str>,
    pub(crate) holder: ClassId,
    pub(crate) selector: Name,
    /// The key of its counts: its name and its text.
    pub(crate) key: Name,
    pub(crate) file: Rc<SourceFile>,
    pub(crate) span: Span,
    pub(crate) code: Code,
    /// The name of its primitive.
    pub(crate) primitive: Option<Rc<str>>,
    pub(crate) frame: FrameKind,
    pub(crate) routine: OnceCell<Rc<Routine>>,
}

impl Method {
    /// A piece of a script as a method of no selector; its receiver is of that class.
    pub(crate) fn piece(
        holder: ClassId,
        span: Span,
        file: &Rc<SourceFile>,
        routine: Routine,
    ) -> Rc<Method> {
        let key = name(&format!("{}\u{0}{}", file.name, file.slice(span)));
        Rc::new(Method {
            name: file.name.as_str().into(),
            holder,
            selector: name(""),
            key,
            file: file.clone(),
            span,
            code: Code::Resolved,
            primitive: None,
            frame: FrameKind::Ordinary,
            routine: OnceCell::from(Rc::new(routine)),
        })
    }
}

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
