//! The script of a file, and evaluations.

use tally_vm::bytecode::{CodeKind, Span};

use super::FileResolver;
use crate::diagnostics::Diagnostic;
use crate::resolve::left_out::LeftOutKind;
use crate::resolve::routine::{Ended, RoutineResolver};
use crate::resolve::tree::{FileDefinition, Routine, Scope, Statement};
use crate::resolve::variables::Role;
use crate::syntax::ast::{self, Body, Item, Name};

impl FileResolver<'_, '_> {
    pub(super) fn eval(&mut self, body: &Body, span: Span) -> Statement {
        let found = self.context.diagnostics.len();
        let known = self.known_error(span);
        let mut resolver = RoutineResolver::new(&mut self.context, None, true);
        let body = resolver.making_body(body);
        let selector = self.name.to_owned();
        let routine = resolver.finish(selector, CodeKind::Script, span, Vec::new(), body);
        if self.forgiven.is_some() && self.broken_statement.is_none() {
            self.broken_statement = known.or_else(|| self.first_error(found));
        }
        let definition = self.define(FileDefinition::Evaluation {
            class: None,
            routine,
        });
        Statement::Evaluate {
            definition,
            receiver: None,
            store: None,
        }
    }

    pub(super) fn script(
        &mut self,
        tree: &ast::File,
        steps: Vec<Vec<Statement>>,
        source: &str,
    ) -> Routine {
        let found = self.context.diagnostics.len();
        self.attribute_statements(tree);
        let mut resolver = RoutineResolver::new(&mut self.context, None, true);
        resolver.is_script = true;
        let mut statements = Vec::new();
        let mut ended = Ended::No;
        let last = tree.items.len().saturating_sub(1);
        for (index, (item, steps)) in tree.items.iter().zip(steps).enumerate() {
            statements.extend(steps);
            match item {
                Item::Temporaries(names) if resolver.keeps_variables() => {
                    names.iter().for_each(|name| resolver.keep(&name.text));
                }
                Item::Temporaries(names) => {
                    let mut new = Vec::new();
                    for name in names {
                        if let Some(first) = resolver.declared_at(&name.text) {
                            resolver.context.report(declared_again(name, first));
                        } else {
                            new.push(resolver.declare(name, Role::Temporary));
                        }
                    }
                    statements.push(Statement::Declare(new));
                }
                Item::Statement(statement) => {
                    // The last item's value may be the file's.
                    if index < last {
                        resolver.check_unused(statement);
                    }
                    if ended == Ended::Unreported {
                        resolver.unreachable(statement);
                    }
                    ended = ended.next(matches!(statement, ast::Statement::Return { .. }));
                    let resolved = resolver.statement(statement);
                    let made = resolver.take_made();
                    if !made.is_empty() {
                        statements.push(Statement::Declare(made));
                    }
                    statements.push(resolved);
                }
                _ => {}
            }
        }
        let body = Scope {
            temporaries: Vec::new(),
            statements,
        };
        let span = tree.part.unwrap_or(Span {
            start: 0,
            end: u32::try_from(source.len()).unwrap_or(u32::MAX),
        });
        let selector = self.name.to_owned();
        let mut routine = resolver.finish(selector, CodeKind::Script, span, Vec::new(), body);
        self.without_broken_statements(tree, found, &mut routine);
        routine
    }

    /// Takes the statements from the script if one of them has an error that is forgiven.
    fn without_broken_statements(&mut self, tree: &ast::File, found: usize, routine: &mut Routine) {
        if let Some(error) = self.broken_script(found) {
            let is_statement = |item: &Item| {
                matches!(
                    item,
                    Item::Statement(_) | Item::Temporaries(_) | Item::Eval { .. }
                )
            };
            let kind = match tree.items.iter().any(is_statement) {
                true => LeftOutKind::Statements,
                false => LeftOutKind::Text,
            };
            self.leave_out(kind, String::new(), &error);
            for function in &mut routine.functions {
                function.body.statements.retain(is_definition);
            }
        }
    }
}

/// Whether the statement makes a definition, or gives a class variable of one its first value.
fn is_definition(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::Define(_)
            | Statement::Evaluate {
                receiver: Some(_),
                ..
            }
    )
}

/// Scripts that are typed bit by bit declare a variable again; it stays the same variable.
fn declared_again(name: &Name, first: Span) -> Diagnostic {
    let message = format!("`{}` is declared already", name.text);
    Diagnostic::warning("W0306", name.span, message)
        .labelled("declared again; it keeps its value")
        .showing(first, "first declared here")
        .helping("remove the second declaration")
}
