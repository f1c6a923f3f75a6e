//! Where a missing bracket shows in a SOM class. Class and methods have parentheses, and all methods have the same
//! indent.

use super::outline::opens_method;
use crate::syntax::brackets::{Here, Layout, is_balanced};
use crate::syntax::lines::{indentation, is_first_on_line};
use crate::syntax::token::{Lexed, Token};

/// Statements can look like methods, so methods show where a bracket is missing only if one is.
pub(super) enum ClassLayout {
    /// No bracket is missing.
    Balanced,
    /// Methods are indented by as much as the first one, if one was seen.
    Mended { column: Option<usize> },
}

impl ClassLayout {
    pub(super) fn of(lexed: &Lexed<'_>) -> ClassLayout {
        match is_balanced(&lexed.lexemes) {
            true => ClassLayout::Balanced,
            false => ClassLayout::Mended { column: None },
        }
    }
}

impl Layout for ClassLayout {
    fn closes(&mut self, here: &Here<'_, '_>) -> Option<(usize, &'static str)> {
        let ClassLayout::Mended { column } = self else {
            return None;
        };
        let lexeme = here.rest().first()?;
        let is_inside = here.depth() > 1;
        if lexeme.token == Token::Separator && is_inside {
            return Some((1, "the class side begins here"));
        }
        let is_method = here.depth() > 0
            && is_first_on_line(here.source, here.start())
            && opens_method(here.rest());
        if !is_method {
            return None;
        }
        let own = indentation(here.source, lexeme.span).len();
        if is_inside {
            let ends = column.is_some_and(|column| own <= column);
            return ends.then_some((1, "another method begins here"));
        }
        column.get_or_insert(own);
        None
    }

    /// A class and its methods have parentheses that statements stand in.
    fn holds_statements(&self, depth: usize) -> bool {
        depth < 2
    }
}
