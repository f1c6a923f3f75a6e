//! A small language of programs with processors. One class's instances differ only in their fields, and each processor
//! has one object. A method sends only selectors with greater numbers, so every program ends or waits for ever.

/// A program: classes, their methods, and the objects that the script makes before it starts the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What is known of each selector in all classes.
    pub selectors: Vec<Selector>,
    /// The methods of each class, by selector.
    pub classes: Vec<Vec<Method>>,
    /// The objects that the script makes; the first belongs to the script's processor.
    pub nodes: Vec<Node>,
}

/// What all methods of a selector have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The number of parameters, at most two.
    pub arity: usize,
    /// What the methods answer.
    pub role: Role,
}

/// What the methods of a selector answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Each method decides.
    Either,
    /// All answer the counter.
    Query,
    /// All fail.
    Failing,
}

/// An object that the script makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The number of its class.
    pub class: usize,
    /// The objects in its fields.
    pub fields: [usize; 3],
    /// Its counter.
    pub counter: i64,
}

/// A method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Method {
    /// Whether it is a scope over its parameters.
    pub is_scope: bool,
    /// What it requires. Only scopes have conditions.
    pub condition: Option<Condition>,
    /// Its statements.
    pub body: Vec<Statement>,
    /// How it ends.
    pub end: End,
}

/// The end of a method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// No answer: a command.
    #[default]
    Command,
    /// `^n`
    Counter,
    /// `^1 / 0`
    Divide,
    /// `^receiver selector`, where the selector fails.
    Fail(Send),
}

/// `self require: [left > limit]`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// A query.
    pub query: Send,
    /// What its answer exceeds.
    pub limit: i64,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// Its receiver.
    pub receiver: Operand,
    /// Its selector.
    pub name: Name,
    /// Its arguments; those beyond the arity are not there.
    pub arguments: [Operand; 2],
}

/// The selector of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// `n`, which answers the counter.
    Counter,
    /// `nothing`, a command without statements.
    Nothing,
    /// One of the program's, by number.
    Made(usize),
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `n timesRepeat: []`
    Repeat(u64),
    /// `n := n + k`
    Add(i64),
    /// A message whose answer is discarded. If it fails, it is a command that fails.
    Discard(Send),
    /// A message whose answer is assigned.
    Keep(Send),
    /// A message that fails, and a handler.
    Guard(Send),
    /// A message to `receiver await`, with a handler or without.
    Await(Send, bool),
    /// A message to `receiver future`, whose future is kept in a temporary variable.
    Future(Send),
    /// The value of the last future, with a handler or without.
    Value(bool),
    /// An object on a new processor, kept in the temporary variable; its fields and counter are set by a command.
    Make {
        /// The class of the object.
        class: usize,
        /// What its fields become.
        fields: [Operand; 3],
        /// What its counter becomes.
        counter: i64,
    },
    /// A delay of milliseconds.
    Sleep(u64),
    /// `Transcript show: 'digit'`
    Show(u8),
}

/// An expression without sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `self`
    Me,
    /// A field.
    Field(usize),
    /// A parameter.
    Parameter(usize),
    /// The temporary variable: the receiver, until an object is made.
    Temporary,
}
