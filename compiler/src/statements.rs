//! Files that are read statement by statement, as GNU Smalltalk reads them: each definition and each statement is compiled
//! when those before it have run. What does not compile is left out.

use std::sync::Arc;

use crate::compile::{Compiled, Text, compile_item};
use crate::diagnostics::Diagnostic;
use crate::environment::Environment;
use crate::notation::Notation;
use crate::resolve::Session;
use crate::syntax;
use crate::syntax::ast::{File, Item, Span, Statement};

/// What a piece of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A definition of a class, an extension or methods.
    Definition,
    /// A statement at the top level. Its variables last as long as the file is read.
    Statement,
    /// `Eval [ … ]`, which has a value. Its variables are its own.
    Evaluation,
}

/// A file that was read and not yet compiled.
#[derive(Debug)]
pub struct Input<'s> {
    name: &'s str,
    /// The text, which all units share.
    source: Arc<str>,
    items: std::vec::IntoIter<Item>,
    /// The findings of the parser that no item has taken yet, in the order of the text.
    found: std::iter::Peekable<std::vec::IntoIter<Diagnostic>>,
    /// Those that stand behind the last piece and belong to no item.
    stray: Vec<Diagnostic>,
    session: Session,
}

/// A piece of a file, ready to run.
#[derive(Debug)]
pub struct Piece {
    /// What it is.
    pub kind: PieceKind,
    /// Its unit and its findings.
    pub compiled: Compiled,
}

/// Reads a file.
pub fn read<'s>(notation: Notation, name: &'s str, source: &str) -> Input<'s> {
    let (tree, found) = syntax::parse_in(notation, name, source);
    Input {
        name,
        source: source.into(),
        items: tree.items.into_iter(),
        found: found.into_iter().peekable(),
        stray: Vec::new(),
        session: Session::default(),
    }
}

impl Input<'_> {
    /// Compiles the next piece, for the world that the pieces before it have left; `None` behind the last. Findings that
    /// belong to no item are a piece without a unit.
    pub fn next(&mut self, environment: &dyn Environment) -> Option<Piece> {
        if !self.stray.is_empty() {
            return Some(Piece {
                kind: PieceKind::Statement,
                compiled: Compiled::nothing(std::mem::take(&mut self.stray)),
            });
        }
        let item = self.items.next()?;
        let end = self.items.as_slice().first().map_or(u32::MAX, start);
        let length = u32::try_from(self.source.len()).unwrap_or(u32::MAX);
        let part = Span {
            start: start(&item).min(end),
            end: end.min(length),
        };
        let mut known = Vec::new();
        let is_over = self.end_of(&item);
        while let Some(one) = self.found.next_if(|one| one.span.start < end) {
            match is_over.is_some_and(|over| over < one.span.start) {
                true => self.stray.push(one),
                false => known.push(one),
            }
        }
        let (kind, items) = match item {
            Item::Eval { body, .. } => (PieceKind::Evaluation, statements_of(body)),
            Item::Statement(_) | Item::Temporaries(_) => (PieceKind::Statement, vec![item]),
            definition => (PieceKind::Definition, vec![definition]),
        };
        let tree = File {
            items,
            of_package: true,
            mentions_declare: true,
            part: Some(part),
        };
        let text = Text {
            name: self.name,
            source: &self.source,
            forgives: kind == PieceKind::Definition,
        };
        let session = (kind == PieceKind::Statement).then_some(&mut self.session);
        let compiled = compile_item(&text, &self.source, &tree, known, session, environment);
        Some(Piece { kind, compiled })
    }

    /// Where a statement has ended: at the first period or bang behind its expression. A bracket or a word between them is a
    /// part of the statement, though the parser could not use it.
    fn end_of(&self, item: &Item) -> Option<u32> {
        let Item::Statement(Statement::Expression(expression)) = item else {
            return None;
        };
        let behind = self.source.get(expression.span.end as usize..)?;
        let distance = behind.find(['.', '!'])?;
        u32::try_from(distance)
            .ok()?
            .checked_add(expression.span.end)
    }

    /// The findings behind the last piece.
    pub fn rest(&mut self) -> Vec<Diagnostic> {
        let mut rest = std::mem::take(&mut self.stray);
        rest.extend(self.found.by_ref());
        rest
    }
}

fn statements_of(body: crate::syntax::ast::Body) -> Vec<Item> {
    let temporaries = Some(body.temporaries).filter(|names| !names.is_empty());
    let temporaries = temporaries.map(Item::Temporaries).into_iter();
    temporaries
        .chain(body.statements.into_iter().map(Item::Statement))
        .collect()
}

/// Where an item begins.
fn start(item: &Item) -> u32 {
    let span = match item {
        Item::Temporaries(names) => names.first().map_or_else(Span::default, |name| name.span),
        Item::Statement(Statement::Expression(expression)) => expression.span,
        Item::Statement(Statement::Return { span, .. }) | Item::Eval { span, .. } => *span,
        Item::Class(class) => class.span,
        Item::Extend(extension) => extension.span,
        Item::Method(placed) => placed.class.span,
    };
    span.start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::EmptyEnvironment;

    #[test]
    fn pieces_share_the_text_and_have_spans_of_their_own() {
        let mut input = read(Notation::Gst, "x.st", "3. 4.\nEval [ 5 ]");
        let mut found = Vec::new();
        let mut units = Vec::new();
        while let Some(piece) = input.next(&EmptyEnvironment) {
            let Compiled {
                unit, diagnostics, ..
            } = piece.compiled;
            assert_eq!(diagnostics, []);
            let unit = unit.expect("no errors, so a unit");
            found.push((piece.kind, unit.script.span.start, unit.script.span.end));
            units.push(unit);
        }
        let expected = [
            (PieceKind::Statement, 0, 3),
            (PieceKind::Statement, 3, 6),
            (PieceKind::Evaluation, 6, 16),
        ];
        assert_eq!(found, expected);
        assert!(Arc::ptr_eq(&units[0].source, &units[2].source));
    }
}
