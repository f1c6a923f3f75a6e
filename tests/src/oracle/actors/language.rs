//! Abstract actor programs: behaviours with variables of integers and of addresses, and methods with such parameters.

/// An actor program. All its numbers are indices into these lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Selectors `m0`, `m1`, ….
    pub selectors: Vec<Selector>,
    /// Classes of behaviours `C0`, `C1`, ….
    pub classes: Vec<Class>,
    /// The actors that the script makes. They have no start-up costs.
    pub actors: Vec<Start>,
    /// The messages that the script sends, in their order. The script costs nothing.
    pub messages: Vec<First>,
}

/// How many parameters a selector has: first the integers, then the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// How many integers.
    pub integers: usize,
    /// How many addresses.
    pub addresses: usize,
}

/// A class of behaviours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// How many variables of integers: `i0`, `i1`, ….
    pub integers: usize,
    /// How many variables of addresses: `x0`, `x1`, ….
    pub addresses: usize,
    /// The method of each selector, if the class understands it.
    pub methods: Vec<Option<Method>>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its local time in ticks.
    pub cost: u64,
    /// What it does.
    pub body: Vec<Statement>,
}

/// An actor of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// Its class.
    pub class: usize,
    /// Its variables of integers.
    pub integers: Vec<i64>,
    /// Its variables of addresses: actors of the script.
    pub addresses: Vec<usize>,
}

/// A message of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct First {
    /// The actor of the script that receives it.
    pub target: usize,
    /// Its selector.
    pub selector: usize,
    /// Its integers.
    pub integers: Vec<i64>,
    /// Its addresses: actors of the script.
    pub addresses: Vec<usize>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `target tell m1: integer with: address`.
    Send {
        /// The receiver.
        target: Place,
        /// The selector.
        selector: usize,
        /// The integers.
        integers: Vec<Expression>,
        /// The addresses.
        addresses: Vec<Place>,
    },
    /// `t0 := aBehaviour spawn`.
    Spawn(usize, Made),
    /// `self behaveAs: aBehaviour`.
    BehaveAs(Made),
    /// `i0 := expression`.
    SetInteger(usize, Expression),
    /// `x0 := address`.
    SetAddress(usize, Place),
    /// `(a > b) ifTrue: […] ifFalse: […]`.
    If(Test, Vec<Statement>, Vec<Statement>),
    /// `self output: expression`.
    Output(Expression),
    /// `self dispose`.
    Dispose,
    /// `self error: 'no'`.
    Fail,
}

/// A new behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its class.
    pub class: usize,
    /// Its variables of integers.
    pub integers: Vec<Expression>,
    /// Its variables of addresses.
    pub addresses: Vec<Place>,
}

/// A comparison of two integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// The left side.
    pub left: Expression,
    /// `<`, `=` or `>`.
    pub comparison: std::cmp::Ordering,
    /// The right side.
    pub right: Expression,
}

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The actor's own.
    Me,
    /// A variable.
    Variable(usize),
    /// A parameter: its number among the addresses.
    Parameter(usize),
    /// A temporary. Programs spawn into it before they read it.
    Temporary(usize),
}

/// An integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(i64),
    /// A variable.
    Variable(usize),
    /// A parameter: its number among the integers.
    Parameter(usize),
    /// An operation.
    Binary(Box<Expression>, Operator, Box<Expression>),
}

/// An operation of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`.
    Add,
    /// `-`.
    Subtract,
    /// `*`.
    Multiply,
    /// `//`, rounded down. Zero on the right fails.
    Divide,
    /// `\\`, the remainder of `//`. Zero on the right fails.
    Remainder,
}
