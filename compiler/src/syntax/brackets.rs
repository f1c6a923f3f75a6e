//! Finds the partner of every bracket before anything else is read.
//!
//! An unbalanced bracket is reported once, here, and mended with synthetic tokens. So the later stages may rely on
//! balanced brackets and need not decide again where a body ends.

use super::ast::Span;
use super::lines::{indentation, is_first_on_line, starts_line};
use super::token::{Lexed, Lexeme, Token};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::{keep, too_nested};

/// How deep brackets may nest, so that every walk of a tree may recurse.
pub const MOST_NESTING: usize = 500;

/// How many tokens a decision about a wrong closing bracket may look ahead.
const LOOKAHEAD: usize = 200;

/// Tokens with balanced brackets.
#[derive(Debug, Default)]
pub(crate) struct Balanced<'s> {
    pub(crate) lexemes: Vec<Lexeme<'s>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether a bracket was open where the text ends.
    pub(crate) open_at_end: bool,
}

/// Where a dialect shows that a bracket is missing.
pub(crate) trait Layout {
    /// How many of the open brackets may stay open before a token, and why, if some may not.
    fn closes(&mut self, here: &Here<'_, '_>) -> Option<(usize, &'static str)>;

    /// Whether statements stand directly in parentheses around which `depth` brackets are open.
    fn holds_statements(&self, depth: usize) -> bool;
}

/// A token under inspection, and the open brackets before it.
pub(crate) struct Here<'h, 's> {
    pub(crate) source: &'h str,
    pub(crate) lexemes: &'h [Lexeme<'s>],
    /// The number of the token.
    pub(crate) index: usize,
    open: &'h [Open<'s>],
}

impl<'h, 's> Here<'h, 's> {
    /// The token and the tokens behind it.
    pub(crate) fn rest(&self) -> &'h [Lexeme<'s>] {
        &self.lexemes[self.index..]
    }

    /// The start of the token.
    pub(crate) fn start(&self) -> usize {
        self.lexemes[self.index].span.start as usize
    }

    /// How many brackets are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether one of the open brackets is that of a literal.
    pub(crate) fn is_in_literal(&self) -> bool {
        let literal = |open: &Open<'_>| {
            matches!(
                open.lexeme.token,
                Token::HashParen | Token::HashBracket | Token::HashBrace
            )
        };
        self.open.iter().any(literal)
    }
}

/// Whether all brackets have their partners.
pub(crate) fn is_balanced(lexemes: &[Lexeme<'_>]) -> bool {
    let mut stack = Vec::new();
    for lexeme in lexemes {
        if let Some(closer) = lexeme.token.closer() {
            stack.push(closer);
        } else if lexeme.token.is_closer() && stack.pop() != Some(lexeme.token) {
            return false;
        }
    }
    stack.is_empty()
}

/// Mends the brackets. The error is the one diagnostic of a text that nests too deeply to be read at all.
pub(crate) fn balance<'s>(
    source: &str,
    lexed: &Lexed<'s>,
    layout: &mut dyn Layout,
) -> Result<Balanced<'s>, Box<Diagnostic>> {
    let mut mender = Mender {
        source,
        lexemes: &lexed.lexemes,
        truncated: lexed.truncated,
        layout,
        stack: Vec::new(),
        suspect: None,
        balanced: Balanced::default(),
    };
    mender.balanced.lexemes.reserve(lexed.lexemes.len());
    for index in 0..lexed.lexemes.len() {
        mender.close_before(index);
        mender.take(index)?;
    }
    mender.balanced.open_at_end = !mender.stack.is_empty();
    let end = source.len() as u32;
    let last = mender.balanced.lexemes.last();
    let end = last.map_or(end, |last| last.span.end.min(end));
    let end = Span { start: end, end };
    mender.close_down_to(0, end, "the text ends here");
    Ok(mender.balanced)
}

/// For each token the index of its partner, if it is a bracket. The brackets are balanced.
pub(crate) fn partners(lexemes: &[Lexeme<'_>]) -> Vec<usize> {
    let mut partners = vec![0; lexemes.len()];
    let mut stack = Vec::new();
    for (index, lexeme) in lexemes.iter().enumerate() {
        if lexeme.token.closer().is_some() {
            stack.push(index);
        } else if lexeme.token.is_closer()
            && let Some(opener) = stack.pop()
        {
            partners[opener] = index;
            partners[index] = opener;
        }
    }
    partners
}

/// How a bracket is spelled.
pub(crate) fn spelling(token: Token<'_>) -> &'static str {
    match token {
        Token::LeftParen => "(",
        Token::HashParen => "#(",
        Token::LeftBracket => "[",
        Token::HashBracket => "#[",
        Token::LeftBrace => "{",
        Token::HashBrace => "#{",
        Token::RightParen => ")",
        Token::RightBracket => "]",
        _ => "}",
    }
}

#[derive(Clone, Copy)]
struct Open<'s> {
    lexeme: Lexeme<'s>,
    /// The place among the balanced tokens of the first period directly inside: parentheses that are
    /// never closed are taken to end there.
    period: Option<usize>,
}

impl Open<'_> {
    fn spelling(&self) -> &'static str {
        spelling(self.lexeme.token)
    }

    fn wanted(&self) -> &'static str {
        self.lexeme.token.closer().map_or("", spelling)
    }

    fn closed_by(&self, closer: Token<'_>) -> bool {
        self.lexeme.token.closer() == Some(closer)
    }
}

struct Mender<'s, 't> {
    source: &'t str,
    lexemes: &'t [Lexeme<'s>],
    truncated: bool,
    layout: &'t mut dyn Layout,
    stack: Vec<Open<'s>>,
    /// The first bracket over several lines whose partner has a different indent. If a bracket is missing at the end,
    /// it is probably the partner of this one.
    suspect: Option<(Span, Span)>,
    balanced: Balanced<'s>,
}

impl<'s> Mender<'s, '_> {
    /// Closes what cannot be open before this token.
    fn close_before(&mut self, index: usize) {
        let here = Here {
            source: self.source,
            lexemes: self.lexemes,
            index,
            open: &self.stack,
        };
        if let Some((depth, why)) = self.layout.closes(&here) {
            self.close_down_to(depth, self.lexemes[index].span, why);
        }
    }

    fn take(&mut self, index: usize) -> Result<(), Box<Diagnostic>> {
        let lexeme = self.lexemes[index];
        if lexeme.token.closer().is_some() {
            if self.stack.len() == MOST_NESTING {
                return Err(Box::new(too_nested(lexeme.span, MOST_NESTING)));
            }
            self.stack.push(Open {
                lexeme,
                period: None,
            });
        } else if lexeme.token.is_closer() {
            self.close(index);
            return Ok(());
        } else if lexeme.token == Token::Period {
            let place = self.balanced.lexemes.len();
            if let Some(open) = self.stack.last_mut() {
                open.period = open.period.or(Some(place));
            }
        }
        self.balanced.lexemes.push(lexeme);
        Ok(())
    }

    /// Closes the nearest bracket that the closer at `index` fits, and all in between. One that fits none
    /// is either too many or of the wrong kind.
    fn close(&mut self, index: usize) {
        let closer = self.lexemes[index];
        let Some(depth) = self
            .stack
            .iter()
            .rposition(|open| open.closed_by(closer.token))
        else {
            return match self.stack.last().copied() {
                Some(open) if !self.is_closed_later(open, index + 1) => {
                    self.stack.pop();
                    self.wrong_kind(open, closer);
                    self.insert_closer(open, closer.span.start);
                }
                _ if self.was_closed_early(closer) => {}
                _ => self.stray(closer),
            };
        };
        while self.stack.len() > depth + 1 {
            if let Some(open) = self.stack.pop() {
                let at = self
                    .balanced
                    .lexemes
                    .last()
                    .map_or(closer.span, |last| last.span);
                let place = Span {
                    start: at.end,
                    end: at.end,
                };
                let why = format!("`{}` comes here", spelling(closer.token));
                self.unclosed(open, place, &why, self.stack.len());
                self.insert_closer(open, closer.span.start);
            }
        }
        if let Some(open) = self.stack.pop() {
            self.compare_indentation(open.lexeme.span, closer.span);
        }
        self.balanced.lexemes.push(closer);
    }

    /// Whether the tokens from `index` close `open` before the statement ends.
    fn is_closed_later(&self, open: Open<'_>, index: usize) -> bool {
        let mut depth = 0_usize;
        for lexeme in self.lexemes[index..].iter().take(LOOKAHEAD) {
            let token = lexeme.token;
            if depth == 0 && (token == Token::Period || token.is_closer()) {
                return open.closed_by(token);
            }
            if token.closer().is_some() {
                depth += 1;
            } else if token.is_closer() {
                depth -= 1;
            }
        }
        false
    }

    /// Takes a surplus bracket for the partner of an earlier one that was closed too soon: by a bracket on a line of its
    /// own with another indent, and all behind it is indented.
    fn was_closed_early(&mut self, closer: Lexeme<'s>) -> bool {
        let start = closer.span.start as usize;
        let Some((_, early)) = self.suspect.filter(|_| self.stack.is_empty()) else {
            return false;
        };
        let lexemes = &self.balanced.lexemes;
        let Some(index) = lexemes.iter().rposition(|one| one.span == early) else {
            return false;
        };
        let behind = &lexemes[index + 1..];
        if behind.is_empty()
            || lexemes[index].token != closer.token
            || !is_first_on_line(self.source, start)
            || behind.iter().any(|one| {
                starts_line(self.source, one.span.start as usize) && one.token != closer.token
            })
        {
            return false;
        }
        let mut mended = lexemes.clone();
        mended.remove(index);
        mended.push(closer);
        if !is_balanced(&mended) {
            return false;
        }
        let partner = partners(&mended)
            .last()
            .map(|&partner| mended[partner].span);
        if partner.is_none_or(|partner| {
            indentation(self.source, partner) != indentation(self.source, closer.span)
        }) {
            return false;
        }
        self.balanced.lexemes = mended;
        self.suspect = None;
        let spelled = spelling(closer.token);
        let diagnostic = Diagnostic::error(
            "E0102",
            early,
            format!("`{spelled}` closes a bracket too early"),
        )
        .labelled("by the indentation, no bracket ends here")
        .showing(closer.span, "then nothing is open here")
        .helping(format!("remove the `{spelled}`"));
        keep(&mut self.balanced.diagnostics, diagnostic);
        true
    }

    fn stray(&mut self, closer: Lexeme<'s>) {
        let spelled = spelling(closer.token);
        let mut diagnostic =
            Diagnostic::error("E0102", closer.span, format!("`{spelled}` closes nothing"))
                .labelled("no bracket is open that this could close");
        if let Some(open) = self.stack.last() {
            let label = format!("the innermost open bracket is this `{}`", open.spelling());
            diagnostic = diagnostic.showing(open.lexeme.span, label);
        }
        let diagnostic = diagnostic.helping(format!("remove the `{spelled}`"));
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn mismatch(open: Open<'_>, closer: Lexeme<'_>) -> Diagnostic {
        let message = format!(
            "`{}` does not close `{}`",
            spelling(closer.token),
            open.spelling()
        );
        Diagnostic::error("E0103", closer.span, message).showing(
            open.lexeme.span,
            format!("this `{}` is still open", open.spelling()),
        )
    }

    fn wrong_kind(&mut self, open: Open<'_>, closer: Lexeme<'_>) {
        let label = format!("expected `{}`", open.wanted());
        let diagnostic = Self::mismatch(open, closer).labelled(label);
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn insert_closer(&mut self, open: Open<'s>, at: u32) {
        let Some(token) = open.lexeme.token.closer() else {
            return;
        };
        let place = open
            .period
            .filter(|_| self.ends_at_period(&open, self.stack.len()));
        let lexemes = &mut self.balanced.lexemes;
        let at = place.map_or(at, |place| lexemes[place].span.start);
        let closer = Lexeme {
            token,
            span: Span { start: at, end: at },
            synthetic: true,
        };
        lexemes.insert(place.unwrap_or(lexemes.len()), closer);
    }

    /// Whether a bracket around which `depth` others are open cannot contain a period. A class of SOM and its methods
    /// have parentheses that statements stand in.
    fn ends_at_period(&self, open: &Open<'_>, depth: usize) -> bool {
        open.lexeme.token == Token::LeftParen && !self.layout.holds_statements(depth)
    }

    /// Closes the brackets above the first `depth` ones and reports one of them. Parentheses end with a statement, so
    /// the innermost parenthesis is reported, else the outermost bracket.
    fn close_down_to(&mut self, depth: usize, place: Span, why: &str) {
        let last = self.balanced.lexemes.last();
        let at = last.map_or(place.start, |last| last.span.end.min(place.start));
        let parens = |open: &&Open<'_>| open.wanted() == ")";
        let inner = &self.stack[depth..];
        let reported = inner.iter().rposition(|open| parens(&open)).unwrap_or(0);
        if let Some(open) = inner.get(reported).copied()
            && !self.truncated
        {
            self.unclosed(open, place, why, depth + reported);
        }
        while self.stack.len() > depth {
            if let Some(open) = self.stack.pop() {
                self.insert_closer(open, at);
            }
        }
        self.suspect = None;
    }

    fn unclosed(&mut self, open: Open<'_>, place: Span, why: &str, depth: usize) {
        let span = open.lexeme.span;
        // Parentheses end with the statement around them, long before the text does.
        let period = open.period.filter(|_| self.ends_at_period(&open, depth));
        let wanted = open.wanted();
        let (place, why) = match period {
            Some(period) => {
                let start = self.balanced.lexemes[period].span.start;
                let why = format!("the statement ends here; expected `{wanted}`");
                (Span { start, end: start }, why)
            }
            // A definition or a method begins at the place, so the bracket belongs before it.
            None if place.start < place.end => {
                (place, format!("{why}; expected `{wanted}` before it"))
            }
            None => (place, format!("{why}, and no `{wanted}` before it")),
        };
        let mut diagnostic = Diagnostic::error(
            "E0101",
            span,
            format!("`{}` is never closed", open.spelling()),
        )
        .labelled("opened here")
        .showing(place, why);
        if let Some((start, end)) = self.suspect.filter(|(start, _)| start.start > span.start) {
            diagnostic = diagnostic
                .showing(start, "perhaps this bracket is not closed:")
                .showing(end, "what closes it is indented differently");
        }
        keep(&mut self.balanced.diagnostics, diagnostic);
    }

    fn compare_indentation(&mut self, opener: Span, closer: Span) {
        if self.suspect.is_none()
            && is_first_on_line(self.source, closer.start as usize)
            && indentation(self.source, opener) != indentation(self.source, closer)
        {
            self.suspect = Some((opener, closer));
        }
    }
}
