//! Which definition of a forgiving file an error belongs to: the one that its place lies in.

use tally_vm::bytecode::Span;

use super::FileResolver;
use crate::diagnostics::Diagnostic;
use crate::resolve::left_out::{LeftOut, LeftOutKind};
use crate::syntax::ast::{self, Item, Member};

impl FileResolver<'_, '_> {
    /// Notes that a definition is left out.
    pub(super) fn leave_out(&mut self, kind: LeftOutKind, name: String, error: &Diagnostic) {
        let (code, span) = (error.code, error.span);
        self.left_out.push(LeftOut {
            kind,
            name,
            code,
            span,
        });
    }

    /// The first error in the order of the text that was found since there were `found` diagnostics.
    pub(super) fn first_error(&self, found: usize) -> Option<Diagnostic> {
        let new = self.context.diagnostics.get(found..)?.iter();
        let errors = new.filter(|one| one.is_error());
        errors.min_by_key(|one| one.span.start).cloned()
    }

    /// The first known error in a range. The range is the reason for all of them.
    pub(super) fn known_error(&mut self, range: Span) -> Option<Diagnostic> {
        let first = self.attribute(range.start, range.end)?;
        self.forgiven?.get(first).cloned()
    }

    /// Notes that the known errors in a range have a definition. Answers the index of the first.
    pub(super) fn attribute(&mut self, start: u32, end: u32) -> Option<usize> {
        let known = self.forgiven?;
        let first = known.partition_point(|one| one.span.start < start);
        let inside = known[first..]
            .iter()
            .take_while(|one| one.span.start <= end);
        let errors = inside.enumerate().filter(|(_, one)| one.is_error());
        let errors: Vec<usize> = errors.map(|(index, _)| first + index).collect();
        self.attributed.extend(&errors);
        errors.first().copied()
    }

    /// The first known error in the definition of a class, its methods excluded.
    pub(super) fn broken_header(&mut self, class: &ast::ClassDefinition) -> Option<Diagnostic> {
        let in_header = self.known_error(class.span);
        in_header.or_else(|| self.broken_member(&class.members))
    }

    /// The first known error in a member that is no method.
    pub(super) fn broken_member(&mut self, members: &[Member]) -> Option<Diagnostic> {
        members.iter().find_map(|member| {
            let range = match member {
                Member::InstanceVariables(names) | Member::ClassInstanceVariables(names) => Span {
                    start: names.first()?.span.start,
                    end: names.last()?.span.end,
                },
                Member::ClassVariable { name, value } => Span {
                    start: name.span.start,
                    end: value.span.end,
                },
                Member::Pragma(pragma) => pragma.span,
                Member::Method(_) | Member::Placed(_) => return None,
            };
            self.known_error(range)
        })
    }

    /// The errors in the methods of a class that is left out have no other consequence.
    pub(super) fn attribute_class(&mut self, class: &ast::ClassDefinition) {
        self.attribute_members(&class.members);
    }

    pub(super) fn attribute_members(&mut self, members: &[Member]) {
        for member in members {
            match member {
                Member::Method(method) => self.attribute(method.span.start, method.span.end),
                Member::Placed(placed) => {
                    self.attribute(placed.class.span.start, placed.method.span.end)
                }
                _ => None,
            };
        }
    }

    /// Takes the known errors in statements as reasons for leaving out the statements.
    pub(super) fn attribute_statements(&mut self, tree: &ast::File) {
        for item in &tree.items {
            let Item::Statement(statement) = item else {
                continue;
            };
            if let Some(error) = self.known_error(statement.expression().span) {
                self.broken_statement.get_or_insert(error);
            }
        }
    }

    /// Why the statements of the file are left out: an error in one of them, or text that belongs to no definition.
    pub(super) fn broken_script(&mut self, found: usize) -> Option<Diagnostic> {
        let known = self.forgiven?;
        let in_statement = self.broken_statement.take();
        if in_statement.is_some() {
            // The rest of what was found is a consequence.
            self.context.diagnostics.truncate(found);
        }
        in_statement
            .or_else(|| self.first_error(found))
            .or_else(|| {
                let rest = known.iter().enumerate();
                let mut rest = rest.filter(|(index, _)| !self.attributed.contains(index));
                rest.find(|(_, one)| one.is_error())
                    .map(|(_, one)| one.clone())
            })
    }
}
