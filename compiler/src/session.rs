//! Programs that are typed bit by bit: decides whether a text is complete, and keeps variables longer than the text
//! that made them. Each text is compiled piece by piece, because a piece can change the meaning of the next one.
//!
//! A script keeps its variables in registers. A session keeps them in bindings of the machine, under a class name that
//! no class can have. So they are not globals, and no class sees them.

use crate::compile::{Compiled, compile_tree};
use crate::diagnostics::Diagnostic;
use crate::emit::ShortCuts;
use crate::environment::Environment;
use crate::resolve::World;
pub use crate::resolve::{MessageUse, Session, variable};
use crate::syntax;
use crate::syntax::ast::{self, Item, Statement};

/// How much of an input is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The whole text, right or wrong.
    Complete,
    /// It would be right if something followed: `3 +`.
    Unfinished,
    /// A bracket, a string or a comment is open.
    Open,
}

/// Whether the text is incomplete.
pub fn state(source: &str) -> State {
    if syntax::is_open(source) {
        return State::Open;
    }
    let is_right = |text: &str| -> bool { !syntax::parse(text).1.iter().any(Diagnostic::is_error) };
    // An operand completes every text that can be completed at its end.
    if is_right(source) || !is_right(&format!("{source}\nx")) {
        State::Complete
    } else {
        State::Unfinished
    }
}

/// A text that was read as a whole.
#[derive(Debug)]
pub struct Input<'s> {
    name: &'s str,
    source: &'s str,
    items: Vec<Item>,
    of_package: bool,
    /// The diagnostics, in the order of the text. If one is an error, no piece may run.
    pub diagnostics: Vec<Diagnostic>,
}

/// The kind of a piece of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// An expression, which has a value.
    Expression,
    /// `^ value`: the rest of the input is not reached.
    Return,
    /// A definition, or a declaration of variables.
    Definition,
}

/// A statement or a definition of an input, ready to run.
#[derive(Debug)]
pub struct Piece {
    /// The kind of the piece.
    pub kind: PieceKind,
    /// Its unit. Its diagnostics were reported before, unless earlier pieces caused new ones.
    pub compiled: Compiled,
    /// Its messages outside of class definitions, in the order of the text.
    pub messages: Vec<MessageUse>,
}

impl Session {
    /// Reads a text and reports the errors that its pieces would have in this world.
    pub fn read<'s>(
        &self,
        name: &'s str,
        source: &'s str,
        environment: &dyn Environment,
    ) -> Input<'s> {
        let (tree, diagnostics) = syntax::parse(source);
        let whole = self
            .clone()
            .compile(name, source, &tree, diagnostics, environment);
        Input {
            name,
            source,
            items: tree.items,
            of_package: tree.of_package,
            diagnostics: whole.diagnostics,
        }
    }

    /// Compiles the piece of that number, for the world that the earlier pieces have left; `None` behind the last.
    pub fn piece(
        &mut self,
        input: &Input<'_>,
        number: usize,
        environment: &dyn Environment,
    ) -> Option<Piece> {
        let item = input.items.get(number)?;
        let kind = match item {
            Item::Statement(Statement::Expression(_)) => PieceKind::Expression,
            Item::Statement(Statement::Return { .. }) => PieceKind::Return,
            _ => PieceKind::Definition,
        };
        let tree = ast::File {
            items: vec![item.clone()],
            of_package: input.of_package,
            ..ast::File::default()
        };
        let mut after = self.clone();
        let compiled = after.compile(input.name, input.source, &tree, Vec::new(), environment);
        let messages = after.take_messages();
        if compiled.unit.is_some() {
            *self = after;
        }
        Some(Piece {
            kind,
            compiled,
            messages,
        })
    }

    fn compile(
        &mut self,
        name: &str,
        source: &str,
        tree: &ast::File,
        diagnostics: Vec<Diagnostic>,
        environment: &dyn Environment,
    ) -> Compiled {
        self.take_messages();
        let mut world = World::new(environment);
        world.declare(0, name, tree);
        let short_cuts = ShortCuts::all();
        compile_tree(
            &world,
            0,
            name,
            &source.into(),
            tree,
            diagnostics,
            &short_cuts,
            Some(self),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::EmptyEnvironment;

    #[test]
    fn the_parser_knows_whether_a_text_is_complete() {
        for (source, expected) in [
            ("", State::Complete),
            ("3 + 4", State::Complete),
            ("3 + ", State::Unfinished),
            ("x at: 3 put:", State::Unfinished),
            ("x :=", State::Unfinished),
            ("^", State::Unfinished),
            ("x foo;", State::Unfinished),
            ("3 + 4.", State::Complete),
            (")", State::Complete),
            ("(3", State::Open),
            ("#(1 2", State::Open),
            ("'it''s", State::Open),
            ("\"comment", State::Open),
            ("#'sym", State::Open),
            ("Object subclass: A [\n  a [ ^1 ]\n", State::Open),
            ("Object subclass: A [\n  a [ ^1 ]\n]", State::Complete),
            // A wrong text can still be incomplete, unless its wrong bracket was meant to close it.
            ("[ ) . ( 3 ", State::Open),
            ("[ 3 + ) ", State::Complete),
            ("$'", State::Complete),
        ] {
            assert_eq!(state(source), expected, "{source:?}");
        }
    }

    #[test]
    fn a_text_that_is_wrong_leaves_no_variables() {
        let mut session = Session::default();
        let input = session.read("test", "a := 3. b := c", &EmptyEnvironment);
        assert!(input.diagnostics.iter().any(Diagnostic::is_error));
        assert_eq!(session.variables().count(), 0);
        let first = session.piece(&input, 0, &EmptyEnvironment);
        assert!(first.is_some_and(|piece| piece.compiled.unit.is_some()));
        let second = session.piece(&input, 1, &EmptyEnvironment);
        assert!(second.is_some_and(|piece| piece.compiled.unit.is_none()));
        assert!(session.keeps("a") && !session.keeps("b"));
        assert!(session.piece(&input, 2, &EmptyEnvironment).is_none());
    }
}
