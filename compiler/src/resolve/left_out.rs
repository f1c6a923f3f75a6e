//! Definitions of packages that do not compile: what is left out, why, and the code that takes its place.
//!
//! A method that does not compile is replaced by one that signals `LeftOut`. A class whose definition does not compile
//! is not made; an expression that names it signals `LeftOut`. Both signals tell the code of the error.

use tally_vm::bytecode::{CodeKind, GlobalRef, Literal, Span};

use super::tree::{
    Expr, Function, Message, Node, Routine, Scope, Send, Statement, Variable, VariableId,
};
use crate::diagnostics::{Diagnostic, line_column};
use crate::syntax::ast;

/// The library's exception that a use of a definition signals.
const SIGNALLED: &str = "LeftOut";

/// The kind of a definition that is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeftOutKind {
    /// A class or a trait, with its methods.
    Class,
    /// An extension of a class, with its methods.
    Extension,
    /// A method.
    Method,
    /// The statements of a file.
    Statements,
    /// Text that belongs to no definition that could be read.
    Text,
}

/// A definition that is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its kind.
    pub kind: LeftOutKind,
    /// The name of a class, `Foo class>>bar` for a method; empty otherwise.
    pub name: String,
    /// The code of the error.
    pub code: &'static str,
    /// The place of the error.
    pub span: Span,
}

/// The reason why a class is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) code: &'static str,
    /// A sentence without a full stop.
    pub(crate) message: String,
}

impl Reason {
    pub(crate) fn of(error: &Diagnostic) -> Reason {
        Reason {
            code: error.code,
            message: error.message.clone(),
        }
    }

    /// The text of the signal.
    fn text(&self, name: &str, place: &str) -> String {
        format!(
            "{}: {}, so {name} is left out{place}",
            self.code, self.message
        )
    }
}

/// The name of a method in messages.
pub(super) fn method_name(class: &str, class_side: bool, selector: &str) -> String {
    let side = if class_side { " class" } else { "" };
    format!("{class}{side}>>{selector}")
}

/// What takes the place of an expression that names a class that is left out.
pub(super) fn use_of_class(name: &str, reason: &Reason, span: Span, moment: u32) -> Node {
    signal(reason.text(name, ""), span, moment)
}

/// The node that signals that a definition is left out.
fn signal(text: String, span: Span, moment: u32) -> Node {
    let expr = |node| Expr {
        node,
        moments: (moment, moment),
    };
    Node::Send(Box::new(Send {
        receiver: expr(Node::Global(GlobalRef::Global(SIGNALLED.to_owned()))),
        to_super: false,
        message: Message {
            selector: "signal:".to_owned(),
            arguments: vec![expr(Node::Literal(Literal::String(text)))],
            span,
            selector_span: span,
        },
    }))
}

/// The routine that takes the place of a method.
pub(super) fn stub(
    method: &ast::Method,
    name: &str,
    error: &Diagnostic,
    (file, source): (&str, &str),
) -> Routine {
    let (line, _) = line_column(source, error.span.start);
    let text = Reason::of(error).text(name, &format!(" ({file}:{line})"));
    let count = method.parameters.len();
    let variable = Variable {
        in_cell: false,
        starts_nil: false,
        assigned_at: Vec::new(),
    };
    let value = Expr {
        node: signal(text, method.selector.span, 1),
        moments: (1, 1),
    };
    let own = Function {
        parameters: (0..count).map(|index| VariableId(index as u32)).collect(),
        body: Scope {
            temporaries: Vec::new(),
            statements: vec![Statement::Return(value)],
        },
        span: method.span,
        ..Function::default()
    };
    Routine {
        selector: method.selector.text.clone(),
        kind: CodeKind::Method,
        variables: vec![variable; count],
        functions: vec![own],
        pragmas: Vec::new(),
        primitive: None,
        frame: None,
        span: method.span,
    }
}
