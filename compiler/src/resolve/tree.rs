//! The resolved tree: every variable settled, every block either inlined or real, every capture listed. The tree does
//! not know registers; the emitter chooses them.

use tally_vm::bytecode::{ClassDefinition, CodeKind, FrameKind, GlobalRef, Literal, Pragma, Span};

/// A variable of a routine; index into [`Routine::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct VariableId(pub(crate) u32);

/// A function of a routine; index into [`Routine::functions`]. 0 is the routine itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FunctionId(pub(crate) u32);

/// An argument, a temporary, or the index of an inlined loop.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// Whether it lives in a cell, because a real block captures it and it changes afterwards.
    pub(crate) in_cell: bool,
    /// Whether it may be read, or captured, before it was assigned.
    pub(crate) starts_nil: bool,
    /// The moments at which it is assigned, ascending; see [`Expr::moments`].
    pub(crate) assigned_at: Vec<u32>,
}

/// A method, a script, an `Eval`, an initialiser: what becomes one `Code`.
#[derive(Clone, Debug)]
pub(crate) struct Routine {
    pub(crate) selector: String,
    pub(crate) kind: CodeKind,
    pub(crate) variables: Vec<Variable>,
    /// The routine itself, then its real blocks in order of appearance.
    pub(crate) functions: Vec<Function>,
    pub(crate) pragmas: Vec<Pragma>,
    pub(crate) primitive: Option<String>,
    /// The kind that the pragma `<frame:>` names.
    pub(crate) frame: Option<FrameKind>,
    pub(crate) span: Span,
}

/// A routine's own body, or a real block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) parameters: Vec<VariableId>,
    pub(crate) body: Scope,
    /// The variables that a block captures when it is made, in the order of its slots.
    pub(crate) captures: Vec<Captured>,
    /// Whether a `^` stands in it (blocks only) or in a block inside it.
    pub(crate) returns_home: bool,
    /// In how many places it needs the receiver.
    pub(crate) receiver_uses: u32,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Captured {
    /// `self`.
    Receiver,
    /// A variable's value, or its cell.
    Variable(VariableId),
}

/// Temporaries and statements of a routine, a real block or an inlined block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    pub(crate) temporaries: Vec<VariableId>,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// An expression.
    Expression(Expr),
    /// `^ value`
    Return(Expr),
    /// Variables of a script begin to exist.
    Declare(Vec<VariableId>),
    /// Make a definition of the file.
    Define(u32),
    /// Evaluate a definition of the file; an initialiser has a class for its receiver and a class
    /// variable for its value.
    Evaluate {
        definition: u32,
        receiver: Option<GlobalRef>,
        store: Option<GlobalRef>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) node: Node,
    /// The moments between which its parts were resolved, in order of evaluation: first, one behind the
    /// last. Every assignment is a moment of its own.
    pub(crate) moments: (u32, u32),
}

/// The kinds of expression.
#[derive(Clone, Debug)]
pub(crate) enum Node {
    Literal(Literal),
    Receiver,
    /// `thisContext`; the receiver is in reach.
    Context,
    Local(VariableId),
    InstanceVariable(String),
    Global(GlobalRef),
    /// A global that may not exist. If it does not, a message to the receiver gives its value.
    LateGlobal(GlobalRef),
    Assign(Target, Box<Expr>),
    Send(Box<Send>),
    Cascade(Box<Cascade>),
    Block(FunctionId),
    Brace(Vec<Expr>),
    If(Box<If>),
    IfNil(Box<IfNil>),
    Logic(Box<Logic>),
    While(Box<While>),
    Repeat(Box<Scope>),
    Count(Box<Count>),
    /// A part of an inlined control message. The message counts as evaluated when this part's value is known.
    Counted(Box<Counted>),
}

/// See [`Node::Counted`].
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    /// The number of the message among the inlined ones.
    pub(crate) message: u32,
    /// Whether it is counted before the part: it is the whole message.
    pub(crate) is_before: bool,
    pub(crate) part: Expr,
}

/// The target of an assignment.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Local(VariableId),
    InstanceVariable(String),
    Global(GlobalRef),
}

/// A message that is sent for real.
#[derive(Clone, Debug)]
pub(crate) struct Send {
    pub(crate) receiver: Expr,
    /// Whether lookup starts above the holder.
    pub(crate) to_super: bool,
    pub(crate) message: Message,
}

/// A selector, its arguments and its place.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) selector: String,
    pub(crate) arguments: Vec<Expr>,
    pub(crate) span: Span,
    pub(crate) selector_span: Span,
}

/// Several messages to one receiver.
#[derive(Clone, Debug)]
pub(crate) struct Cascade {
    pub(crate) receiver: Expr,
    pub(crate) to_super: bool,
    pub(crate) messages: Vec<Message>,
}

/// `ifTrue:ifFalse:` and similar messages; a missing side is nil.
#[derive(Clone, Debug)]
pub(crate) struct If {
    pub(crate) condition: Expr,
    pub(crate) when_true: Option<Scope>,
    pub(crate) when_false: Option<Scope>,
}

/// `ifNil:ifNotNil:` and similar messages; a missing side is the receiver.
#[derive(Clone, Debug)]
pub(crate) struct IfNil {
    pub(crate) receiver: Expr,
    pub(crate) when_nil: Option<Scope>,
    /// With the block's argument, if it has one.
    pub(crate) when_not_nil: Option<(Option<VariableId>, Scope)>,
}

/// `and:` and `or:`.
#[derive(Clone, Debug)]
pub(crate) struct Logic {
    /// `true` for `or:`: the value of the left side that makes the right side needless.
    pub(crate) decided_by: bool,
    pub(crate) left: Expr,
    pub(crate) right: Scope,
}

/// `whileTrue:` and similar messages.
#[derive(Clone, Debug)]
pub(crate) struct While {
    pub(crate) condition: Scope,
    /// The value of the condition that makes the loop go on.
    pub(crate) goes_on: bool,
    pub(crate) body: Option<Scope>,
}

/// `to:do:`, `to:by:do:` and `timesRepeat:`.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    /// Where counting starts; `None` for `timesRepeat:`, which starts at 1.
    pub(crate) start: Option<Expr>,
    pub(crate) limit: Expr,
    pub(crate) step: Literal,
    pub(crate) downwards: bool,
    /// The block's argument; never assigned, so it is the hidden index itself.
    pub(crate) index: Option<VariableId>,
    pub(crate) body: Scope,
    /// The whole message expression.
    pub(crate) span: Span,
    pub(crate) selector_span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) script: Routine,
    pub(crate) definitions: Vec<FileDefinition>,
}

/// A definition with routines where the unit's has code. Methods of class definitions and extensions
/// stand beside the empty `methods` of their headers.
#[derive(Clone, Debug)]
pub(crate) enum FileDefinition {
    Class {
        header: ClassDefinition,
        methods: Vec<Method>,
    },
    Extension {
        header: ClassDefinition,
        methods: Vec<Method>,
    },
    Evaluation {
        class: Option<String>,
        routine: Routine,
    },
}

/// A method and its place.
#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) class: String,
    pub(crate) class_side: bool,
    pub(crate) category: String,
    pub(crate) routine: Routine,
}

impl Variable {
    /// Whether an assignment to it is among the parts of the expression.
    pub(crate) fn is_assigned_in(&self, moments: (u32, u32)) -> bool {
        let first = self
            .assigned_at
            .partition_point(|moment| *moment < moments.0);
        self.assigned_at
            .get(first)
            .is_some_and(|moment| *moment < moments.1)
    }
}

impl Scope {
    /// The moments of its statements.
    pub(crate) fn moments(&self) -> Option<(u32, u32)> {
        let mut all = self
            .statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Expression(expr) | Statement::Return(expr) => Some(expr.moments),
                _ => None,
            });
        let first = all.next()?;
        Some((first.0, all.next_back().map_or(first.1, |last| last.1)))
    }
}
