//! The place of a syntax error and its surroundings, as the rules see them.

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::Span;
use crate::syntax::token::{Entry, Lexeme, Token};

/// The place of a syntax error and its surroundings.
pub(crate) struct Situation<'s, 't> {
    pub(super) source: &'t str,
    pub(super) entry: Entry,
    pub(super) lexemes: &'t [Lexeme<'s>],
    pub(super) index: usize,
    pub(super) expected: Vec<String>,
    /// The indices of the brackets that are open at the error, the innermost last.
    pub(crate) enclosing: Vec<usize>,
}

impl<'s, 't> Situation<'s, 't> {
    pub(crate) fn new(
        source: &'t str,
        entry: Entry,
        lexemes: &'t [Lexeme<'s>],
        index: usize,
        expected: Vec<String>,
    ) -> Situation<'s, 't> {
        let mut enclosing = Vec::new();
        for (position, lexeme) in lexemes[..index].iter().enumerate() {
            if lexeme.token.closer().is_some() {
                enclosing.push(position);
            } else if lexeme.token.is_closer() {
                enclosing.pop();
            }
        }
        Situation {
            source,
            entry,
            lexemes,
            index,
            expected,
            enclosing,
        }
    }

    /// Whether the error follows from one that was reported already.
    pub(crate) fn is_consequence(&self) -> bool {
        let mended = |index: usize| {
            self.lexemes
                .get(index)
                .is_some_and(|lexeme| lexeme.synthetic)
        };
        // A literal that is never closed holds statements, which are no elements.
        let is_literal =
            |open: &&usize| matches!(self.at(**open), Some(Token::HashParen | Token::HashBracket));
        let literal = self.enclosing.iter().find(is_literal);
        literal.is_some_and(|open| mended(self.partner_of(*open)))
            || mended(self.index)
            || self.token() == Some(Token::Erroneous)
            || (self.index > 0 && mended(self.index - 1))
    }

    /// The index of the bracket that closes the one at `open`.
    fn partner_of(&self, open: usize) -> usize {
        let mut depth = 0_usize;
        for (index, lexeme) in self.lexemes.iter().enumerate().skip(open) {
            if lexeme.token.closer().is_some() {
                depth += 1;
            } else if lexeme.token.is_closer() {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
        }
        self.lexemes.len()
    }

    pub(super) fn at(&self, index: usize) -> Option<Token<'s>> {
        self.lexemes.get(index).map(|lexeme| lexeme.token)
    }

    pub(super) fn token(&self) -> Option<Token<'s>> {
        self.at(self.index)
    }

    pub(super) fn previous(&self) -> Option<Token<'s>> {
        self.at(self.index.checked_sub(1)?)
    }

    pub(super) fn innermost(&self) -> Option<Token<'s>> {
        self.at(*self.enclosing.last()?)
    }

    pub(super) fn span(&self) -> Span {
        match self.lexemes.get(self.index) {
            Some(lexeme) => lexeme.span,
            None => {
                let end = self.lexemes.last().map_or(0, |lexeme| lexeme.span.end);
                Span { start: end, end }
            }
        }
    }

    pub(super) fn span_of(&self, index: usize) -> Span {
        self.lexemes
            .get(index)
            .map_or_else(|| self.span(), |lexeme| lexeme.span)
    }

    pub(super) fn previous_span(&self) -> Span {
        self.span_of(self.index.saturating_sub(1))
    }

    pub(super) fn text(&self, span: Span) -> &'t str {
        self.source
            .get(span.start as usize..span.end as usize)
            .unwrap_or("")
    }

    /// The token of the error in words.
    pub(super) fn found(&self) -> String {
        self.token().map_or_else(
            || self.end_in_words(),
            |token| words(token, self.text(self.span())),
        )
    }

    pub(super) fn end_in_words(&self) -> String {
        match self.token_behind_unit() {
            Some(Token::Bang(_)) => "`!`".to_string(),
            _ => match self.entry {
                Entry::Sequence => "the end of the statement".to_string(),
                Entry::SomBody => "the end of the method".to_string(),
                Entry::ClassVariable => "the end of the class variable".to_string(),
                _ => "the end of the text".to_string(),
            },
        }
    }

    pub(super) fn token_behind_unit(&self) -> Option<Token<'s>> {
        let rest = self.source.get(self.span().end as usize..)?.trim_start();
        rest.starts_with('!').then_some(Token::Bang("!"))
    }

    /// Whether the tokens from `start` to the error are inside a statement that begins at `start`.
    pub(super) fn statement_starts_at(&self, index: usize) -> bool {
        match index.checked_sub(1).and_then(|before| self.at(before)) {
            None => true,
            Some(token) => matches!(
                token,
                Token::Period
                    | Token::Caret
                    | Token::LeftBracket
                    | Token::LeftBrace
                    | Token::Bar
                    | Token::DoubleBar
                    | Token::Greater
            ),
        }
    }

    /// The index at which the statement around the error begins.
    pub(super) fn statement_start(&self) -> usize {
        let mut start = self.enclosing.last().map_or(0, |open| open + 1);
        let mut depth = 0_usize;
        for (index, lexeme) in self.lexemes[..self.index].iter().enumerate().skip(start) {
            if lexeme.token.closer().is_some() {
                depth += 1;
            } else if lexeme.token.is_closer() {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && matches!(lexeme.token, Token::Period | Token::Caret) {
                start = index + 1;
            }
        }
        start
    }

    /// The texts between the brackets that open at the index, separated by commas.
    pub(super) fn arguments_in(&self, open: usize) -> Vec<&'t str> {
        let mut depth = 0_usize;
        let mut start = self.span_of(open).end;
        let mut texts = Vec::new();
        for lexeme in &self.lexemes[open..] {
            let is_end = lexeme.token.is_closer() && depth == 1;
            let is_comma = lexeme.token.operator() == Some(",") && depth == 1;
            if is_end || is_comma {
                let end = lexeme.span.start;
                texts.push(self.text(Span { start, end }).trim());
                start = lexeme.span.end;
            }
            if is_end {
                break;
            }
            if lexeme.token.closer().is_some() {
                depth += 1;
            } else if lexeme.token.is_closer() {
                depth = depth.saturating_sub(1);
            }
        }
        texts.retain(|text| !text.is_empty());
        texts
    }

    /// The comment that stands directly behind the token before the error.
    pub(super) fn comment_behind(&self) -> Option<(Span, &'t str)> {
        let behind = self.source.get(self.previous_span().end as usize..)?;
        let start = self.source.len() - behind.trim_start().len();
        let (comment, _) = self.source[start..].strip_prefix('"')?.split_once('"')?;
        let span = Span {
            start: start as u32,
            end: (start + comment.len() + 2) as u32,
        };
        Some((span, comment))
    }

    pub(super) fn error(&self, code: &'static str, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(), message)
    }

    /// An error at the token that something is missing behind.
    pub(super) fn missing_behind(
        &self,
        code: &'static str,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(code, self.previous_span(), message)
    }
}

pub(super) fn words(token: Token<'_>, text: &str) -> String {
    match token {
        Token::String(_) => "a string".to_string(),
        Token::Number(_) => "a number".to_string(),
        Token::Character(_) => "a character".to_string(),
        Token::Symbol(_) => "a symbol".to_string(),
        _ => format!("`{text}`"),
    }
}

/// Whether the innermost of the open brackets holds literals only.
pub(crate) fn in_literal(lexemes: &[Lexeme<'_>], enclosing: &[usize]) -> bool {
    // Inside `#(`, plain brackets nest arrays; a block or a brace array cannot stand there.
    enclosing
        .iter()
        .rev()
        .find(|open| !matches!(lexemes[**open].token, Token::LeftParen | Token::LeftBracket))
        .is_some_and(|open| matches!(lexemes[*open].token, Token::HashParen | Token::HashBracket))
}

pub(super) fn opened(
    situation: &Situation<'_, '_>,
    diagnostic: Diagnostic,
    label: &str,
) -> Diagnostic {
    match situation.enclosing.last() {
        Some(open) => diagnostic.showing(situation.span_of(*open), label),
        None => diagnostic,
    }
}
