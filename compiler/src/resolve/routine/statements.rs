//! Statements and expressions.

use tally_vm::bytecode::{Literal, Span};

use super::RoutineResolver;
use crate::diagnostics::Diagnostic;
use crate::resolve::tree::{Expr, Node, Scope, Statement, VariableId};
use crate::resolve::variables::Role;
use crate::resolve::world::unscoped;
use crate::syntax::ast::{self, ExprKind};

/// How many of the last diagnostics are searched for the cause of another.
const MOST_BACK: usize = 20;

/// Whether a `^` has ended a list of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum Ended {
    No,
    /// The next statement is the first that is not reached.
    Unreported,
    Reported,
}

impl Ended {
    /// The state behind one more statement, which `ends` the list if it is a `^`.
    pub(in crate::resolve) fn next(self, ends: bool) -> Ended {
        match self {
            Ended::No if ends => Ended::Unreported,
            Ended::No => Ended::No,
            _ => Ended::Reported,
        }
    }
}

impl RoutineResolver<'_, '_, '_> {
    /// The statements of a body, in a scope that is open already.
    pub(in crate::resolve) fn body(&mut self, body: &ast::Body) -> Scope {
        let temporaries = body
            .temporaries
            .iter()
            .map(|name| self.declare(name, Role::Temporary))
            .collect();
        let mut statements = Vec::with_capacity(body.statements.len());
        let mut ended = Ended::No;
        for (index, statement) in body.statements.iter().enumerate() {
            if let Some(before) = index.checked_sub(1) {
                let is_last = index + 1 == body.statements.len();
                self.check_period(&body.statements[before], statement, is_last);
            }
            if index + 1 < body.statements.len() {
                self.check_unused(statement);
            }
            let resolved = self.statement(statement);
            let ends = matches!(resolved, Statement::Return(_));
            match ended {
                Ended::No => statements.push(resolved),
                Ended::Unreported if self.is_split_by_period(statement) => {}
                Ended::Unreported => self.unreachable(statement),
                Ended::Reported => {}
            }
            ended = ended.next(ends);
        }
        Scope {
            temporaries,
            statements,
        }
    }

    /// `Transcript showCr: self.name`: a period between two names, without a blank. Behind another name than `self` it
    /// may be meant, so the second statement must be useless.
    fn check_period(&mut self, before: &ast::Statement, next: &ast::Statement, is_last: bool) {
        let (end, start) = (before.expression().span.end, next.expression().span.start);
        let source = self.context.source;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
        let first = source.get(..end as usize).unwrap_or("");
        let second = source.get(start as usize..).unwrap_or("");
        let receiver = &first[first.trim_end_matches(is_part).len()..];
        let length = second.find(|c: char| !is_part(c)).unwrap_or(second.len());
        let name = &second[..length];
        if self.context.world.is_open
            || self.context.of_package
            || end + 1 != start
            || matches!(next, ast::Statement::Return { .. })
            || !receiver.starts_with(is_name)
            || !name.starts_with(is_name)
            || self.is_unknown_variable(name, next)
        {
            return;
        }
        let is_method = self.in_class && self.levels.len() == 1;
        let is_useless = matches!(before, ast::Statement::Return { .. })
            || (matches!(next.expression().kind, ExprKind::Variable(_)) && (is_method || !is_last));
        let assigned = matches!(next.expression().kind, ExprKind::Assign { .. });
        let help = match receiver {
            "self" if assigned => format!("an instance variable is named alone: `{name} := …`"),
            "self" if !self.is_instance_variable(name) => format!("write `self {name}`"),
            "self" => format!("an instance variable is named alone: `{name}`"),
            _ if is_useless => format!("a message is sent with a blank: `{receiver} {name}`"),
            _ => return,
        };
        let span = Span {
            start: end,
            end: start,
        };
        self.context.report(
            Diagnostic::warning("W0326", span, "this period ends the statement")
                .labelled("another statement begins behind it")
                .helping(help),
        );
    }

    /// Whether an error will tell that nothing has the name which a statement begins with.
    fn is_unknown_variable(&self, name: &str, statement: &ast::Statement) -> bool {
        let assigned = matches!(statement.expression().kind, ExprKind::Assign { .. });
        !assigned && self.is_unknown(name)
    }

    /// Whether the period before a statement was warned of.
    fn is_split_by_period(&self, statement: &ast::Statement) -> bool {
        let start = statement.expression().span.start;
        let found = self.context.diagnostics.iter().rev().take(MOST_BACK);
        found
            .filter(|one| one.code == "W0326")
            .any(|one| one.span.end == start)
    }

    /// Warns of a statement behind a `^`.
    pub(in crate::resolve) fn unreachable(&mut self, statement: &ast::Statement) {
        let span = match statement {
            ast::Statement::Expression(expr) => expr.span,
            ast::Statement::Return { span, .. } => *span,
        };
        self.context.report(
            Diagnostic::warning("W0305", span, "this statement is never reached")
                .labelled("behind a `^`")
                .helping("remove it, or the `^` before it"),
        );
    }

    /// The body of an `Eval`, an initialiser or a script's statement, which may make variables.
    pub(in crate::resolve) fn making_body(&mut self, body: &ast::Body) -> Scope {
        let mut scope = self.body(body);
        scope.temporaries.append(&mut self.made);
        scope
    }

    /// The variables that assignments made since the last time.
    pub(in crate::resolve) fn take_made(&mut self) -> Vec<VariableId> {
        std::mem::take(&mut self.made)
    }

    pub(in crate::resolve) fn statement(&mut self, statement: &ast::Statement) -> Statement {
        let (found, explained) = (self.context.diagnostics.len(), self.explained);
        let resolved = self.resolved(statement);
        self.keep_explanation(found, explained);
        resolved
    }

    /// Drops the other diagnostics of a statement with one that explains all of it, such as that of a missing period.
    /// Statements inside of it have done so with theirs.
    fn keep_explanation(&mut self, found: usize, explained: usize) {
        let diagnostics = &mut self.context.diagnostics;
        let new = diagnostics.get(found..).unwrap_or_default();
        let is_foreign = |one: &Diagnostic| matches!(one.code, "E0135" | "E0137");
        let has_foreign = new.iter().any(is_foreign);
        let explains = |one: &Diagnostic| is_foreign(one) || (one.code == "E0113" && !has_foreign);
        if new.iter().filter(|one| explains(one)).count() == self.explained - explained {
            return;
        }
        let new = diagnostics.split_off(found);
        for one in new.into_iter().filter(explains) {
            if diagnostics[found..]
                .iter()
                .all(|other| other.span != one.span)
            {
                diagnostics.push(one);
            }
        }
        self.explained = explained + diagnostics.len() - found;
    }

    fn resolved(&mut self, statement: &ast::Statement) -> Statement {
        match statement {
            ast::Statement::Expression(expr) => Statement::Expression(self.expr(expr)),
            ast::Statement::Return { value, .. } => {
                let value = self.expr(value);
                if self.levels.len() > 1 {
                    for level in &mut self.levels {
                        level.returns_home = true;
                    }
                }
                Statement::Return(value)
            }
        }
    }

    pub(in crate::resolve) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let first = self.walk.moment + 1;
        let node = match &expr.kind {
            ExprKind::Literal(value) => self.literal(value, expr.span),
            ExprKind::Variable(name) => self.variable(name, expr.span),
            ExprKind::Assign { target, value } => self.assign(target, value),
            ExprKind::Send { receiver, message } => {
                self.check_usage(receiver, message);
                match self.inlined(receiver, message) {
                    Some(node) => {
                        self.note_message(message, true);
                        node
                    }
                    None => self.send(receiver, message),
                }
            }
            ExprKind::Cascade { receiver, messages } => self.cascade(receiver, messages),
            ExprKind::Block(block) => self.block(block, expr.span),
            ExprKind::Brace(elements) => {
                Node::Brace(elements.iter().map(|element| self.expr(element)).collect())
            }
            ExprKind::Error => Node::Literal(Literal::Nil),
        };
        Expr {
            node,
            moments: (first, self.walk.moment + 1),
        }
    }

    #[inline(never)]
    fn literal(&mut self, literal: &ast::Literal, span: Span) -> Node {
        if let ast::Literal::Binding(name) = literal
            && !self.context.world.is_global(unscoped(name))
        {
            let advice = "a binding names a global or a class".to_owned();
            self.context.unknown(name, span, &[], advice);
        }
        Node::Literal(convert(literal))
    }
}

/// The machine's literal for a literal of the text.
pub(in crate::resolve) fn convert(literal: &ast::Literal) -> Literal {
    match literal {
        ast::Literal::Nil => Literal::Nil,
        ast::Literal::True => Literal::True,
        ast::Literal::False => Literal::False,
        ast::Literal::Integer(digits) => match digits.parse() {
            Ok(value) => Literal::Integer(value),
            Err(_) => Literal::LargeInteger(digits.clone()),
        },
        ast::Literal::Float(value) => Literal::Float(*value),
        ast::Literal::Fraction(numerator, denominator) => {
            Literal::Fraction(numerator.clone(), denominator.clone())
        }
        ast::Literal::ScaledDecimal(numerator, denominator, scale) => {
            Literal::ScaledDecimal(numerator.clone(), denominator.clone(), *scale)
        }
        ast::Literal::Character(code) => Literal::Character(*code),
        ast::Literal::String(text) => Literal::String(text.clone()),
        ast::Literal::Symbol(text) => Literal::Symbol(text.clone()),
        ast::Literal::Array(elements) => Literal::Array(elements.iter().map(convert).collect()),
        ast::Literal::ByteArray(bytes) => Literal::ByteArray(bytes.clone()),
        ast::Literal::Binding(name) => Literal::Binding(unscoped(name).to_owned()),
    }
}
