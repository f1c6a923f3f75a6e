//! The actions of the grammar: they make the tree. They also report texts that are grammatical and still wrong, such as
//! an assignment to `self`.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    Block, Body, Expr, ExprKind, Item, Literal, Member, Message, Method, Name, PlacedMethod,
    Pragma, Span, Statement,
};
use crate::syntax::number;

use hashbrown::HashMap;

/// The greatest [`Expr::depth`], so that every walk of a tree may recurse.
pub const MOST_DEPTH: u32 = 2000;

/// What one production that is read on its own answers.
#[derive(Debug)]
pub(crate) enum Parsed {
    Sequence(Vec<Part>),
    Method(Method),
    Placed(PlacedMethod),
    Member(Member),
}

/// One part of a sequence. The kind of the sequence decides which pragmas are allowed.
#[derive(Debug)]
pub(crate) enum Part {
    Temporaries(Vec<Name>),
    Statement(Statement),
    Pragma(Pragma),
}

/// A message pattern: the selector and the arguments' names.
pub(crate) type Pattern = (Name, Vec<Name>);

/// Makes tree nodes and collects diagnostics.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The names that a SOM class assigns, each with the last place.
    pub(crate) assigned: HashMap<String, u32>,
}

pub(crate) fn span(start: u32, end: u32) -> Span {
    Span { start, end }
}

pub(crate) fn name(text: &str, start: u32, end: u32) -> Name {
    Name {
        text: text.to_string(),
        span: span(start, end),
    }
}

/// A pseudo variable can be neither declared nor assigned.
fn is_reserved(word: &str) -> bool {
    matches!(
        word,
        "self" | "super" | "nil" | "true" | "false" | "thisContext"
    )
}

/// The object of a word that always means the same object.
fn constant(word: &str) -> Option<Literal> {
    match word {
        "nil" => Some(Literal::Nil),
        "true" => Some(Literal::True),
        "false" => Some(Literal::False),
        _ => None,
    }
}

/// A bare word in a literal array or in a pragma: a constant or a symbol.
pub(crate) fn word_literal(word: &str) -> Literal {
    constant(word).unwrap_or_else(|| Literal::Symbol(word.to_string()))
}

/// The text between quotes, with doubled quotes made single.
pub(crate) fn unquoted(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or("");
    if inner.contains('\'') {
        inner.replace("''", "'")
    } else {
        inner.to_string()
    }
}

/// The text of a symbol, given behind its hash.
pub(crate) fn symbol(spelled: &str) -> Literal {
    Literal::Symbol(if spelled.starts_with('\'') {
        unquoted(spelled)
    } else {
        spelled.to_string()
    })
}

impl Builder {
    fn report(&mut self, diagnostic: Diagnostic) {
        crate::diagnostics::bounds::keep(&mut self.diagnostics, diagnostic);
    }

    /// An expression, unless it nests too deeply: then the whole of it becomes an error node, once.
    pub(crate) fn expr(&mut self, kind: ExprKind, start: u32, end: u32) -> Expr {
        let expr = Expr::new(kind, span(start, end));
        if expr.depth <= MOST_DEPTH {
            return expr;
        }
        self.report(
            Diagnostic::error("E0191", expr.span, "the expression is too deep")
                .labelled(format!(
                    "more than {MOST_DEPTH} messages, one inside the other"
                ))
                .helping("divide it into several statements"),
        );
        self.error(start, end)
    }

    pub(crate) fn error(&mut self, start: u32, end: u32) -> Expr {
        Expr::new(ExprKind::Error, span(start, end))
    }

    pub(crate) fn literal(&mut self, literal: Literal, start: u32, end: u32) -> Expr {
        Expr::new(ExprKind::Literal(literal), span(start, end))
    }

    pub(crate) fn variable(&mut self, word: &str, start: u32, end: u32) -> Expr {
        let kind = match constant(word) {
            Some(literal) => ExprKind::Literal(literal),
            None => ExprKind::Variable(word.to_string()),
        };
        Expr::new(kind, span(start, end))
    }

    /// A number; one that is spelled wrongly was reported and counts as 0.
    pub(crate) fn number(&mut self, text: &str, start: u32, end: u32) -> Literal {
        number::literal(text, span(start, end)).unwrap_or_else(|diagnostic| {
            self.report(*diagnostic);
            Literal::Integer("0".to_string())
        })
    }

    /// An element of a byte array.
    pub(crate) fn byte(&mut self, text: &str, start: u32, end: u32) -> u8 {
        let value = match self.number(text, start, end) {
            Literal::Integer(digits) => digits.parse().ok(),
            _ => None,
        };
        value.unwrap_or_else(|| {
            let message = format!("`{text}` does not fit into a byte");
            self.report(
                Diagnostic::error("E0116", span(start, end), message)
                    .labelled("an element of a byte array is an integer from 0 to 255"),
            );
            0
        })
    }

    pub(crate) fn send(&mut self, receiver: Expr, message: Message, start: u32, end: u32) -> Expr {
        self.expr(
            ExprKind::Send {
                receiver: Box::new(receiver),
                message,
            },
            start,
            end,
        )
    }

    pub(crate) fn unary(&mut self, selector: &str, start: u32, end: u32) -> Message {
        let at = span(start, end);
        Message {
            selector: selector.to_string(),
            selector_span: at,
            span: at,
            arguments: Vec::new(),
        }
    }

    pub(crate) fn binary(&mut self, operator: &Name, argument: Expr, end: u32) -> Message {
        Message {
            selector: operator.text.clone(),
            selector_span: operator.span,
            span: span(operator.span.start, end),
            arguments: vec![argument],
        }
    }

    pub(crate) fn keyword(&mut self, parts: Vec<(Name, Expr)>, end: u32) -> Message {
        let first = parts
            .first()
            .map_or_else(Span::default, |(keyword, _)| keyword.span);
        let mut message = Message {
            selector: String::new(),
            selector_span: first,
            span: span(first.start, end),
            arguments: Vec::with_capacity(parts.len()),
        };
        for (keyword, argument) in parts {
            message.selector.push_str(&keyword.text);
            message.arguments.push(argument);
        }
        message
    }

    /// The first message of a cascade was read as a send of its own.
    pub(crate) fn cascade(
        &mut self,
        first: Expr,
        more: Vec<Message>,
        start: u32,
        end: u32,
    ) -> Expr {
        match first.kind {
            ExprKind::Send { receiver, message } => {
                let mut messages = Vec::with_capacity(more.len() + 1);
                messages.push(message);
                messages.extend(more);
                self.expr(ExprKind::Cascade { receiver, messages }, start, end)
            }
            _ => self.error(start, end),
        }
    }

    pub(crate) fn assign(&mut self, target: Name, value: Expr, start: u32, end: u32) -> Expr {
        if is_reserved(&target.text) {
            let message = format!("`{}` cannot be assigned", target.text);
            self.report(
                Diagnostic::error("E0110", target.span, message)
                    .labelled("a pseudo variable, always the same object")
                    .helping("assign to a variable of another name, or compare with `=`"),
            );
        }
        self.expr(
            ExprKind::Assign {
                target,
                value: Box::new(value),
            },
            start,
            end,
        )
    }

    /// A name that a declaration introduces.
    pub(crate) fn declared(&mut self, text: &str, start: u32, end: u32) -> Name {
        if is_reserved(text) {
            let message = format!("`{text}` cannot be declared");
            self.report(
                Diagnostic::error("E0134", span(start, end), message)
                    .labelled("the name of a pseudo variable")
                    .helping("choose another name"),
            );
        }
        name(text, start, end)
    }

    pub(crate) fn block(
        &mut self,
        parameters: Vec<Name>,
        parts: Vec<Part>,
        start: u32,
        end: u32,
    ) -> Expr {
        let body = self.body(parts);
        self.expr(ExprKind::Block(Block { parameters, body }), start, end)
    }

    /// A body that cannot have pragmas.
    pub(crate) fn body(&mut self, parts: Vec<Part>) -> Body {
        let (body, pragmas) = sort(parts);
        for pragma in pragmas {
            self.misplaced(&pragma);
        }
        body
    }

    pub(crate) fn misplaced(&mut self, pragma: &Pragma) {
        self.report(
            Diagnostic::error("E0123", pragma.span, "a pragma outside a method")
                .labelled(format!("`<{} …>` belongs to no method", pragma.selector))
                .helping("pragmas stand at the beginning of a method, or in a class body"),
        );
    }

    pub(crate) fn method(
        &mut self,
        pattern: Pattern,
        parts: Vec<Part>,
        start: u32,
        end: u32,
    ) -> Method {
        let (selector, parameters) = pattern;
        let (body, pragmas) = sort(parts);
        Method {
            selector,
            parameters,
            category: None,
            pragmas,
            body,
            span: span(start, end),
        }
    }

    pub(crate) fn keyword_pattern(&mut self, parts: Vec<(Name, Name)>) -> Pattern {
        let at = parts
            .first()
            .map_or_else(Span::default, |(keyword, _)| keyword.span);
        let mut text = String::new();
        let mut parameters = Vec::with_capacity(parts.len());
        for (keyword, parameter) in parts {
            text.push_str(&keyword.text);
            parameters.push(parameter);
        }
        (Name { text, span: at }, parameters)
    }

    pub(crate) fn pragma(&mut self, parts: Vec<(Name, Literal)>, start: u32, end: u32) -> Pragma {
        let mut selector = String::new();
        let mut arguments = Vec::with_capacity(parts.len());
        for (keyword, argument) in parts {
            selector.push_str(&keyword.text);
            arguments.push(argument);
        }
        Pragma {
            selector,
            arguments,
            span: span(start, end),
        }
    }

    /// The parts of a file's top level as items.
    pub(crate) fn items(&mut self, parts: Vec<Part>) -> Vec<Item> {
        let mut items = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Temporaries(names) => items.push(Item::Temporaries(names)),
                Part::Statement(statement) => items.push(Item::Statement(statement)),
                Part::Pragma(pragma) => self.misplaced(&pragma),
            }
        }
        items
    }
}

/// Body and pragmas.
pub(crate) fn sort(parts: Vec<Part>) -> (Body, Vec<Pragma>) {
    let mut body = Body::default();
    let mut pragmas = Vec::new();
    for part in parts {
        match part {
            Part::Temporaries(names) => body.temporaries.extend(names),
            Part::Statement(statement) => body.statements.push(statement),
            Part::Pragma(pragma) => pragmas.push(pragma),
        }
    }
    (body, pragmas)
}
