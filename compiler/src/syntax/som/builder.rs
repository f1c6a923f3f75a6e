//! The actions of the SOM grammar that differ from the actions for scripts: escapes in strings, numbers, assignments to
//! arguments. The tree is the same.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{
    Block, Body, Expr, ExprKind, Literal, Message, Method, Name, Span, Statement,
};
use crate::syntax::builder::{Builder, Part, name, sort, span};

/// A name that neither is declared nor assigned.
fn is_reserved(word: &str) -> bool {
    matches!(word, "self" | "super" | "nil" | "true" | "false")
}

/// The text of a string between its quotes, with escapes replaced. The lexer has reported unknown escapes.
pub(crate) fn string(quoted: &str) -> String {
    let inner = quoted.get(1..quoted.len() - 1).unwrap_or("");
    let mut text = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        let plain = match character {
            '\\' => characters.next().and_then(escape),
            // A line ends with one character, even if the file uses two.
            '\r' if characters.as_str().starts_with('\n') => None,
            other => Some(other),
        };
        text.extend(plain);
    }
    text
}

/// The character that an escape stands for.
pub(crate) fn escape(character: char) -> Option<char> {
    Some(match character {
        't' => '\t',
        'b' => '\u{8}',
        'n' => '\n',
        'r' => '\r',
        'f' => '\u{c}',
        '0' => '\0',
        '\'' => '\'',
        '\\' => '\\',
        _ => return None,
    })
}

/// The text of a symbol, given behind its hash.
pub(crate) fn symbol(spelled: &str) -> String {
    if spelled.starts_with('\'') {
        string(spelled)
    } else {
        spelled.to_owned()
    }
}

/// The name that an argument gets when a variable takes its own. No text can spell it.
fn hidden(parameter: &Name) -> Name {
    Name {
        text: format!("{} (argument)", parameter.text),
        span: parameter.span,
    }
}

impl Builder {
    pub(crate) fn som_variable(&mut self, word: &str, start: u32, end: u32) -> Expr {
        self.variable(word, start, end)
    }

    /// `(super)` is no longer the receiver that a lookup above the holder begins with.
    pub(crate) fn in_parentheses(&mut self, value: Expr) -> Expr {
        match &value.kind {
            ExprKind::Variable(word) if word == "super" => {
                Expr::new(ExprKind::Variable("self".to_owned()), value.span)
            }
            _ => value,
        }
    }

    pub(crate) fn som_unary(&mut self, selector: &str, start: u32, end: u32) -> Message {
        let at = span(start, end);
        if is_reserved(selector) {
            let error = Diagnostic::error("E0113", at, format!("`{selector}` is not a message"))
                .labelled("two expressions without anything between them")
                .helping(format!("is a period missing before `{selector}`?"));
            self.diagnostics.push(error);
        }
        Message {
            selector: selector.to_owned(),
            selector_span: at,
            span: at,
            arguments: Vec::new(),
        }
    }

    pub(crate) fn som_assign(&mut self, target: Name, value: Expr, start: u32, end: u32) -> Expr {
        if is_reserved(&target.text) {
            let message = format!("`{}` cannot be assigned", target.text);
            self.diagnostics.push(
                Diagnostic::error("E0110", target.span, message)
                    .labelled("a pseudo variable, always the same object")
                    .helping("assign to a variable of another name, or compare with `=`"),
            );
        }
        let last = self.assigned.entry(target.text.clone()).or_default();
        *last = (*last).max(target.span.start);
        let value = Box::new(value);
        self.expr(ExprKind::Assign { target, value }, start, end)
    }

    /// A name that a declaration introduces.
    pub(crate) fn som_declared(&mut self, text: &str, start: u32, end: u32) -> Name {
        if is_reserved(text) {
            let message = format!("`{text}` cannot be declared");
            self.diagnostics.push(
                Diagnostic::error("E0134", span(start, end), message)
                    .labelled("the name of a pseudo variable")
                    .helping("choose another name"),
            );
        }
        name(text, start, end)
    }

    /// The value of a number's digits.
    pub(crate) fn som_number(
        &mut self,
        text: &str,
        negative: bool,
        start: u32,
        end: u32,
    ) -> Literal {
        if !text.contains('.') {
            let digits = text.trim_start_matches('0');
            return Literal::Integer(match (digits.is_empty(), negative) {
                (true, _) => "0".to_owned(),
                (false, true) => format!("-{digits}"),
                (false, false) => digits.to_owned(),
            });
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Literal::Float(if negative { -value } else { value }),
            _ => {
                let error = Diagnostic::error("E0009", span(start, end), "the number is too large");
                self.diagnostics
                    .push(error.labelled("no Double is greater than 1.7976931348623157e308"));
                Literal::Float(0.0)
            }
        }
    }

    pub(crate) fn som_block(
        &mut self,
        mut parameters: Vec<Name>,
        parts: Vec<Part>,
        start: u32,
        end: u32,
    ) -> Expr {
        let body = self.som_body(&mut parameters, parts, start);
        self.expr(ExprKind::Block(Block { parameters, body }), start, end)
    }

    /// Makes a method from its pattern and its body.
    pub(crate) fn som_method(
        &mut self,
        selector: Name,
        mut parameters: Vec<Name>,
        parts: Vec<Part>,
        span: Span,
    ) -> Method {
        let body = self.som_body(&mut parameters, parts, span.start);
        Method {
            selector,
            parameters,
            category: None,
            pragmas: Vec::new(),
            body,
            span,
        }
    }

    /// A `^` ends its method or block.
    fn check_returns(&mut self, statements: &[Statement]) {
        let ended = statements
            .iter()
            .position(|statement| matches!(statement, Statement::Return { .. }));
        let Some(next) = ended.and_then(|last| statements.get(last + 1)) else {
            return;
        };
        let at = match next {
            Statement::Return { span, .. } => *span,
            Statement::Expression(expr) => expr.span,
        };
        if matches!(next.expression().kind, ExprKind::Error) {
            return;
        }
        self.diagnostics.push(
            Diagnostic::error("E0144", at, "nothing can follow the statement with the `^`")
                .labelled("expected the end of the method or block")
                .helping("remove what is never reached, or the `^` before it"),
        );
    }

    /// The body of a method or a block that begins at `start`. SOM lets a body assign its arguments and declare a name
    /// twice, and the tree can do neither. So an assigned argument passes its value to a temporary of its name. An
    /// argument that a temporary hides gets a new name.
    fn som_body(&mut self, parameters: &mut [Name], parts: Vec<Part>, start: u32) -> Body {
        let (mut body, _) = sort(parts);
        self.check_returns(&body.statements);
        let mut temporaries: Vec<Name> = Vec::with_capacity(body.temporaries.len());
        for one in std::mem::take(&mut body.temporaries) {
            if !temporaries.iter().any(|other| other.text == one.text) {
                temporaries.push(one);
            }
        }
        let mut copies = Vec::new();
        for parameter in parameters {
            let is_hidden = temporaries.iter().any(|other| other.text == parameter.text);
            // Assignments are noted as they are read, so that all of this body's were noted by now.
            let assigned = self.assigned.get(&parameter.text);
            let is_assigned = assigned.is_some_and(|last| *last >= start);
            if !is_hidden && !is_assigned {
                continue;
            }
            let target = std::mem::replace(parameter, hidden(parameter));
            if !is_hidden {
                copies.push(copy(parameter, &target));
                temporaries.push(target);
            }
        }
        copies.append(&mut body.statements);
        Body {
            temporaries,
            statements: copies,
        }
    }
}

/// `target := source`
fn copy(source: &Name, target: &Name) -> Statement {
    let value = Expr::new(ExprKind::Variable(source.text.clone()), source.span);
    Statement::Expression(Expr::new(
        ExprKind::Assign {
            target: target.clone(),
            value: Box::new(value),
        },
        target.span,
    ))
}
