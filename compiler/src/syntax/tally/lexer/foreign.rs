//! Comments, commas and quotes as other languages and word processors write them.

use super::Scanner;
use crate::diagnostics::Diagnostic;
use crate::syntax::lexical::span;
use crate::syntax::lines::is_first_on_line;
use crate::syntax::token::{Lexeme, Token};

impl Scanner<'_> {
    /// Whether an operator without a receiver can be no selector: neither in a literal array nor in the pattern of a
    /// method.
    pub(super) fn begins_comment(&self) -> bool {
        let rest = self.raw.remainder().trim_start();
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        let is_pattern = name.len() < rest.len() && name.trim_start().starts_with('[');
        let start = self.raw.span().start;
        let is_first = is_first_on_line(self.source, start)
            || matches!(
                self.lexed.lexemes.last().map(|lexeme| lexeme.token),
                Some(Token::Period)
            );
        let opens_method = self.is_method && self.lexed.lexemes.is_empty();
        is_first && !is_pattern && !opens_method && !self.in_literal()
    }

    /// `#(1, 2)`: the comma is an element. Behind a blank it may be meant.
    pub(super) fn check_comma(&mut self) {
        let before = self.source[..self.raw.span().start].chars().next_back();
        if before.is_none_or(|before| before.is_whitespace() || before == '(') {
            return;
        }
        let diagnostic = Diagnostic::warning("W0321", self.span(), "the comma is an element")
            .labelled("the symbol `#,` becomes part of the array")
            .helping("elements are separated by blanks: `#(1 2)`");
        self.report(diagnostic);
    }

    /// Skips a comment in the syntax of another language: as far as the end of the line, or of the comment.
    pub(super) fn foreign_comment(&mut self, is_closed: bool) {
        let start = self.raw.span().start;
        let rest = self.raw.remainder();
        let length = match rest.find("*/").filter(|_| is_closed) {
            Some(end) => end + 2,
            None => rest.find('\n').unwrap_or(rest.len()),
        };
        let sign = self.source[start..].chars().next().unwrap_or('#');
        let text = self.raw.slice();
        self.raw.bump(length);
        let marks = if sign == '#' { "#" } else { &text[..2] };
        let diagnostic = Diagnostic::error(
            "E0010",
            span(start, start + marks.len()),
            format!("`{marks}` begins no comment"),
        )
        .labelled("neither a statement nor a literal starts here")
        .helping("a comment stands in double quotes: `\"a comment\"`");
        self.report(diagnostic);
    }

    /// A text between curly quotes is one wrong string. It ends on its line, where no letter follows the quote.
    pub(super) fn curly_string(&mut self) -> bool {
        let (quotes, is_double) = match self.raw.slice() {
            "‘" | "’" => (['‘', '’', '\''], false),
            "“" | "”" => (['“', '”', '"'], true),
            "`" => (['`', '´', '\''], false),
            _ => return false,
        };
        let is_backtick = self.raw.slice() == "`";
        let opening = self.span();
        let rest = self.raw.remainder();
        let line = rest.lines().next().unwrap_or("");
        let closing = line
            .match_indices(quotes)
            .find(|(at, quote)| !line[at + quote.len()..].starts_with(char::is_alphanumeric));
        let Some((at, quote)) = closing else {
            return false;
        };
        let (text, end) = (&rest[..at], at + quote.len());
        self.raw.bump(end);
        let text = if text.chars().count() > 40 {
            "text"
        } else {
            text
        };
        let string = text.replace('\'', "''");
        let help = match is_double {
            true => format!("a string is written `'{string}'`, a comment `\"{text}\"`"),
            false => format!("write `'{string}'`"),
        };
        self.report(
            Diagnostic::error("E0006", opening, "a string has straight quotes")
                .labelled(if is_backtick {
                    "this is a backtick"
                } else {
                    "this quote is curly"
                })
                .helping(help),
        );
        // The text may be meant as a comment, so what follows it is no second mistake.
        self.lexed.lexemes.push(Lexeme {
            token: Token::Erroneous,
            span: self.span(),
            synthetic: true,
        });
        true
    }
}
