//! The tree that the parser makes. It mirrors the text; names are still unresolved. The parser never fails. Where it
//! recovered from an error, the tree has an `Error` node and a diagnostic was reported.

pub use tally_vm::bytecode::{Span, TraitChange};

/// A name as it stands in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    /// The identifier; a scoped name such as `Smalltalk.Foo` keeps its dots.
    pub text: String,
    /// Its location.
    pub span: Span,
}

/// An expression. Its `depth` (see [`Expr::depth`]) is bounded by the parser, so walks may recurse.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of the expression, with its parts.
    pub kind: ExprKind,
    /// Where it stands, parentheses excluded.
    pub span: Span,
    /// 1 + the greatest depth of its parts.
    pub depth: u32,
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A literal.
    Literal(Literal),
    /// A variable, `self`, `super`, `thisContext` (`nil`, `true` and `false` are literals).
    Variable(String),
    /// `name := value`
    Assign {
        /// The variable.
        target: Name,
        /// The value.
        value: Box<Expr>,
    },
    /// A message.
    Send {
        /// The receiver.
        receiver: Box<Expr>,
        /// The message.
        message: Message,
    },
    /// `receiver first; second; third`: all messages go to `receiver`.
    Cascade {
        /// The receiver of every message.
        receiver: Box<Expr>,
        /// The messages, at least two.
        messages: Vec<Message>,
    },
    /// `[ … ]`
    Block(Block),
    /// `{ a. b }`
    Brace(Vec<Expr>),
    /// What recovery put here; a diagnostic was reported.
    Error,
}

/// A selector with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The whole selector, `at:put:`.
    pub selector: String,
    /// The first keyword, the operator, or the unary selector.
    pub selector_span: Span,
    /// From the selector to the end of the last argument.
    pub span: Span,
    /// The arguments.
    pub arguments: Vec<Expr>,
}

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its arguments.
    pub parameters: Vec<Name>,
    /// Temporaries and statements.
    pub body: Body,
}

/// Temporaries and statements of a method, a block, an `Eval` or a script.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// `| a b |`, in one or several groups.
    pub temporaries: Vec<Name>,
    /// The statements.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// An expression for its effect, or for the value of a block's last statement.
    Expression(Expr),
    /// `^ value`
    Return {
        /// The value.
        value: Expr,
        /// From the caret to the end.
        span: Span,
    },
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// nil
    Nil,
    /// true
    True,
    /// false
    False,
    /// An integer of any size: sign and digits in base 10.
    Integer(String),
    /// A float.
    Float(f64),
    /// `1e-2`: numerator and denominator in decimal digits, in lowest terms.
    Fraction(String, String),
    /// `3.14s2`: numerator and denominator in decimal digits, and the scale.
    ScaledDecimal(String, String, u32),
    /// A character's code point.
    Character(u32),
    /// A string, quotes undoubled.
    String(String),
    /// A symbol.
    Symbol(String),
    /// `#( … )`, also when nested and written without the hash.
    Array(Vec<Literal>),
    /// `#[ … ]`
    ByteArray(Vec<u8>),
    /// `#{Foo}`
    Binding(String),
}

/// A pragma `<primitive: name>`, `<comment: 'x'>`. A bare word as argument is a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Pragma {
    /// Its selector.
    pub selector: String,
    /// Its arguments.
    pub arguments: Vec<Literal>,
    /// Its location.
    pub span: Span,
}

/// A method as its source spells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// The selector.
    pub selector: Name,
    /// The arguments.
    pub parameters: Vec<Name>,
    /// The category that stands in front of it, not in a pragma.
    pub category: Option<String>,
    /// The pragmas.
    pub pragmas: Vec<Pragma>,
    /// Temporaries and statements.
    pub body: Body,
    /// From the message pattern to the closing bracket.
    pub span: Span,
}

/// One thing at the top level of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `| a b |`
    Temporaries(Vec<Name>),
    /// A statement.
    Statement(Statement),
    /// `Super subclass: Name [ … ]`
    Class(ClassDefinition),
    /// `Name extend [ … ]`, `Name class extend [ … ]`
    Extend(Extension),
    /// `Name >> sel [ … ]`, `Name class >> sel [ … ]`
    Method(PlacedMethod),
    /// `Eval [ … ]`
    Eval {
        /// Its own temporaries and statements.
        body: Body,
        /// All of it.
        span: Span,
    },
}

/// A class or a trait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassDefinition {
    /// The class's name.
    pub name: Name,
    /// The superclass; `nil` for a root or a trait.
    pub superclass: Name,
    /// Whether it is a trait.
    pub is_trait: bool,
    /// The traits that it uses.
    pub traits: Vec<TraitUse>,
    /// What its class side uses; `None` for the class sides of its traits.
    pub class_traits: Option<Vec<TraitUse>>,
    /// The classes whose class variables its methods see as well.
    pub pools: Vec<Name>,
    /// The parts, in the order of the text.
    pub members: Vec<Member>,
    /// The header, as far as the opening bracket.
    pub span: Span,
}

/// A trait in a composition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraitUse {
    /// The trait's name.
    pub name: Name,
    /// Whether the methods of its class side are used.
    pub class_side: bool,
    /// The composition's changes to it, in the order in which they apply.
    pub changes: Vec<TraitChange>,
}

/// An extension with bracket syntax.
#[derive(Clone, Debug, PartialEq)]
pub struct Extension {
    /// The class's name.
    pub class: Name,
    /// Whether it extends the class side.
    pub class_side: bool,
    /// The parts, in the order of the text.
    pub members: Vec<Member>,
    /// The header, as far as the opening bracket.
    pub span: Span,
}

/// A method with its class in front.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedMethod {
    /// The class's name.
    pub class: Name,
    /// Whether the method goes to the class side.
    pub class_side: bool,
    /// The method.
    pub method: Method,
}

/// A part of a class body.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `| a b |`
    InstanceVariables(Vec<Name>),
    /// `Foo class [ | a b | ]`
    ClassInstanceVariables(Vec<Name>),
    /// `Name := expr.` or `Name := nil.`
    ClassVariable {
        /// Its name.
        name: Name,
        /// Its initial value.
        value: Expr,
    },
    /// `<comment: 'x'>`, `<category: 'x'>`, `<shape: #pointer>`
    Pragma(Pragma),
    /// A method of the instance side, or of the class side when the body is a class side's.
    Method(Method),
    /// `Foo class >> sel [ … ]` or `Foo >> sel [ … ]` inside a body.
    Placed(PlacedMethod),
}

/// A parsed file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The things at its top level.
    pub items: Vec<Item>,
    /// Whether the file is part of a package. A package may mention names that are not defined. Such a name causes a
    /// warning, and its value is nil when the code runs.
    pub of_package: bool,
    /// Whether a variable of a script exists from its first mention. Otherwise an assignment makes it.
    pub mentions_declare: bool,
    /// The part of the text that the items stand in, if they are not all of the text.
    pub part: Option<Span>,
}

impl Expr {
    /// Makes an expression; `depth` is 1 + the greatest depth of its parts.
    pub fn new(kind: ExprKind, span: Span) -> Expr {
        let deepest =
            |parts: &mut dyn Iterator<Item = &Expr>| parts.map(|e| e.depth).max().unwrap_or(0);
        let below = match &kind {
            ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Error => 0,
            ExprKind::Assign { value, .. } => value.depth,
            ExprKind::Send { receiver, message } => {
                receiver.depth.max(deepest(&mut message.arguments.iter()))
            }
            ExprKind::Cascade { receiver, messages } => receiver
                .depth
                .max(deepest(&mut messages.iter().flat_map(|m| &m.arguments))),
            ExprKind::Block(block) => block.body.depth(),
            ExprKind::Brace(elements) => deepest(&mut elements.iter()),
        };
        Expr {
            kind,
            span,
            depth: below + 1,
        }
    }
}

impl Body {
    /// The greatest depth of its statements.
    pub fn depth(&self) -> u32 {
        self.statements
            .iter()
            .map(|s| s.expression().depth)
            .max()
            .unwrap_or(0)
    }
}

impl Statement {
    /// The expression in it.
    pub fn expression(&self) -> &Expr {
        match self {
            Statement::Expression(expression)
            | Statement::Return {
                value: expression, ..
            } => expression,
        }
    }
}
