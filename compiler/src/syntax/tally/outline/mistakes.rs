//! Mistakes in what surrounds units: marks between them, and the word that defines a class.

use super::{Outliner, SUBCLASS};
use crate::diagnostics::Diagnostic;
use crate::foreign;
use crate::syntax::ast::Name;
use crate::syntax::token::Token;

impl Outliner<'_, '_> {
    /// `!found ifTrue: [ … ]`: in a text without chunks, a mark directly before an expression negates nothing.
    pub(super) fn check_negation(&mut self, index: usize) {
        let starts = index == 0 || self.token(index - 1) == Some(Token::Period);
        let touches = |mark: usize| {
            let next = self.lexemes.get(mark + 1);
            next.is_some_and(|next| next.span.start == self.lexemes[mark].span.end)
        };
        let is_chunked = || {
            (0..self.lexemes.len())
                .any(|at| matches!(self.token(at), Some(Token::Bang(_))) && !touches(at))
        };
        if !starts || !touches(index) || is_chunked() {
            return;
        }
        let span = self.span(index, index + 1);
        if let (Some(Token::Bang(mark)), Some(help)) =
            (self.token(index), foreign::statement("not"))
        {
            self.report(foreign::reserved_elsewhere(mark, span, help));
        }
    }

    /// Temporaries need no period behind them; statements do.
    pub(super) fn missing_period(&mut self, start: usize, end: usize) {
        let only_names = self.lexemes[start..end].iter().all(|lexeme| {
            matches!(
                lexeme.token,
                Token::Bar | Token::DoubleBar | Token::Identifier(_)
            )
        });
        if only_names
            && self
                .token(start)
                .is_some_and(|t| matches!(t, Token::Bar | Token::DoubleBar))
        {
            return;
        }
        let before = self.lexemes[end - 1].span;
        let definition = self.lexemes[end].span;
        self.report(
            Diagnostic::error("E0113", before, "a period is missing before the definition")
                .labelled("the statement ends here")
                .showing(definition, "a definition begins here")
                .helping("end the statement with `.`"),
        );
    }

    /// `Object subClass: Point [ … ]`
    pub(super) fn check_subclass(&mut self, index: usize, superclass: &Name, name: &Name) {
        if self.token(index) == Some(Token::Keyword(SUBCLASS)) {
            return;
        }
        let (superclass, name) = (&superclass.text, &name.text);
        let span = self.span(index, index + 1);
        self.report(
            Diagnostic::error("E0133", span, "a class is defined by `subclass:`")
                .labelled("this is another word")
                .helping(format!("write `{superclass} subclass: {name} [ … ]`")),
        );
    }

    /// `def area: …`: a member that begins with a word of another language.
    pub(super) fn foreign_method(&self, index: usize) -> Option<Diagnostic> {
        let Some(Token::Identifier(word)) = self.token(index) else {
            return None;
        };
        let help = foreign::statement(word).filter(|_| foreign::begins_method(word))?;
        let span = self.span(index, index + 1);
        Some(foreign::reserved_elsewhere(word, span, help))
    }
}
