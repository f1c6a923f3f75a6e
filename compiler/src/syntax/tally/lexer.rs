//! Turns source text into tokens with spans and reports errors inside single tokens.
//!
//! Tokens borrow the text: quotes are undoubled and digits converted when the tree is built. Brackets are not matched
//! here. The lexer knows two facts of the grammar: in a literal array `-5` is one token and `at:put:` is one word.

mod foreign;
mod number;

use logos::Logos;
use tally_vm::bytecode::{continues_name, name_length, starts_name};

use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::{MOST_KEPT, MOST_OPEN, keep, too_nested};
use crate::notation::Notation;
use crate::syntax::ast::Span;
use crate::syntax::lexical::{operator_token, replacement, span, starts_keyword_end};
use crate::syntax::lines::is_first_on_line;
use crate::syntax::token::{Lexed, Lexeme, Token};
use number::number_length;

/// The first characters of tokens. The lexer completes tokens by hand that depend on the context or need a nested scan.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
enum Raw {
    #[regex("[A-Za-z_][A-Za-z0-9_]*")]
    Word,
    #[regex("[0-9]")]
    Digit,
    #[regex(r"[+\-*/\\~<>=@%&?,!]+")]
    Operator,
    #[token("|")]
    Bar,
    #[token("||")]
    DoubleBar,
    #[token("'")]
    Quote,
    #[token("\"")]
    Comment,
    #[token("$")]
    Dollar,
    #[token("#")]
    Hash,
    #[token(":=")]
    Assign,
    #[token(":")]
    Colon,
    #[token("^")]
    Caret,
    #[token(".")]
    Period,
    #[token(";")]
    Semicolon,
    #[token("(")]
    LeftParen,
    #[token(")")]
    RightParen,
    #[token("[")]
    LeftBracket,
    #[token("]")]
    RightBracket,
    #[token("{")]
    LeftBrace,
    #[token("}")]
    RightBrace,
}

/// The tokens of a text. The text is shorter than 4 GiB.
pub(crate) fn lex(source: &str) -> Lexed<'_> {
    lex_in(Notation::Tally, source)
}

/// The tokens of a text in a notation.
pub(crate) fn lex_in(notation: Notation, source: &str) -> Lexed<'_> {
    lex_unit(notation, source, false)
}

/// The tokens of a text that begins with the pattern of a method.
pub(crate) fn lex_method(source: &str) -> Lexed<'_> {
    lex_method_in(Notation::Tally, source)
}

/// The tokens of a method's text in a notation.
pub(crate) fn lex_method_in(notation: Notation, source: &str) -> Lexed<'_> {
    lex_unit(notation, source, true)
}

fn lex_unit(notation: Notation, source: &str, is_method: bool) -> Lexed<'_> {
    let mut scanner = Scanner {
        notation,
        source,
        raw: Raw::lexer(source),
        lexed: Lexed::default(),
        literal: Vec::new(),
        suspect: None,
        long_comment: None,
        early: None,
        is_method,
    };
    scanner.skip_interpreter_line();
    scanner.run();
    scanner.lexed
}

struct Scanner<'s> {
    notation: Notation,
    source: &'s str,
    raw: logos::Lexer<'s, Raw>,
    lexed: Lexed<'s>,
    /// For each open bracket, whether its elements are literals.
    literal: Vec<bool>,
    /// The first string of several lines that ends at a letter: probably its closing quote is missing and
    /// it ends where the next string begins.
    suspect: Option<Span>,
    /// The same for comments.
    long_comment: Option<Span>,
    /// The first string that ends directly before a letter: probably the quote that ends it belongs to the text.
    early: Option<Span>,
    /// Whether the first token belongs to the pattern of a method.
    is_method: bool,
}

impl<'s> Scanner<'s> {
    /// A script may name its interpreter in a first line `#!…`.
    fn skip_interpreter_line(&mut self) {
        if self.source.starts_with("#!") {
            self.raw
                .bump(self.source.find('\n').unwrap_or(self.source.len()));
        }
    }

    fn run(&mut self) {
        while let Some(raw) = self.raw.next() {
            match raw {
                Ok(raw) => self.complete(raw),
                Err(()) => self.unknown_character(),
            }
            // After that many mistakes further diagnostics are of no use.
            self.lexed.truncated |= self.lexed.diagnostics.len() >= MOST_KEPT;
            if self.lexed.truncated {
                break;
            }
        }
    }

    fn complete(&mut self, raw: Raw) {
        match raw {
            Raw::Word => self.word(),
            Raw::Digit => self.number(self.raw.span().start),
            Raw::Operator => self.operator(),
            Raw::Quote => self.string(),
            Raw::Comment => self.comment(),
            Raw::Dollar => self.character(),
            Raw::Hash => self.hash(),
            Raw::Bar => self.push(Token::Bar),
            Raw::DoubleBar => self.push(Token::DoubleBar),
            Raw::Assign => self.push(Token::Assign),
            Raw::Colon => self.push(Token::Colon),
            Raw::Caret => self.push(Token::Caret),
            Raw::Period => self.push(Token::Period),
            Raw::Semicolon => self.push(Token::Semicolon),
            Raw::LeftParen => self.open(Token::LeftParen, self.in_literal()),
            Raw::LeftBracket => self.open(Token::LeftBracket, self.in_literal()),
            Raw::LeftBrace => self.open(Token::LeftBrace, false),
            Raw::RightParen => self.close(Token::RightParen),
            Raw::RightBracket => self.close(Token::RightBracket),
            Raw::RightBrace => self.close(Token::RightBrace),
        }
    }

    /// The span that the underlying lexer has read since its last token began.
    fn span(&self) -> Span {
        span(self.raw.span().start, self.raw.span().end)
    }

    fn push(&mut self, token: Token<'s>) {
        self.push_at(token, self.span());
    }

    fn push_at(&mut self, token: Token<'s>, span: Span) {
        self.lexed.push(token, span);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        keep(&mut self.lexed.diagnostics, diagnostic);
    }

    fn open(&mut self, token: Token<'s>, literal: bool) {
        self.literal.push(literal);
        self.push(token);
        if self.literal.len() > MOST_OPEN {
            self.report(too_nested(self.span(), MOST_OPEN));
            self.lexed.truncated = true;
        }
    }

    fn close(&mut self, token: Token<'s>) {
        self.literal.pop();
        self.push(token);
    }

    fn in_literal(&self) -> bool {
        self.literal.last().copied().unwrap_or(false)
    }

    fn word(&mut self) {
        let start = self.raw.span().start;
        // The underlying lexer reads ASCII only.
        let rest = self.raw.remainder();
        if !rest.is_char_boundary(1) || !self.raw.slice().is_ascii() {
            let end = rest.find(|c| !continues_name(c));
            self.raw.bump(end.unwrap_or(rest.len()));
        }
        if self.notation == Notation::Gst && self.raw.slice() == "_" {
            return self.push(Token::Assign);
        }
        let rest = self.raw.remainder();
        if starts_keyword_end(rest) {
            self.raw.bump(if self.in_literal() {
                keyword_tail(rest)
            } else {
                1
            });
            return self.push(Token::Keyword(self.raw.slice()));
        }
        let scoped = scoped_tail(&self.source[start..], rest);
        if scoped > 0 {
            self.raw.bump(scoped);
            return self.push(Token::Scoped(self.raw.slice()));
        }
        self.push(Token::Identifier(self.raw.slice()));
    }

    /// Reads a number that starts at `start`. The start may lie before the end of the last token.
    fn number(&mut self, start: usize) {
        let end = start + number_length(self.notation, &self.source[start..]);
        let read = self.raw.span().end;
        self.raw.bump(end - read);
        self.push_at(Token::Number(&self.source[start..end]), span(start, end));
    }

    /// A minus that touches the digit behind it belongs to a number, unless it follows an operand. So `3 -5` subtracts,
    /// and `3 - -5`, `x foo: -5` and `#(3 -5)` have a negative number.
    fn operator(&mut self) {
        let text = self.raw.slice();
        let range = self.raw.span();
        let glued = text.ends_with('-')
            && self
                .raw
                .remainder()
                .starts_with(|next: char| next.is_ascii_digit());
        let last = self.lexed.lexemes.last();
        let after_operand = last.is_some_and(|lexeme| lexeme.token.ends_operand());
        if !after_operand
            && (text.starts_with("//") || text.starts_with("/*"))
            && self.begins_comment()
        {
            return self.foreign_comment(text.starts_with("/*"));
        }
        if text == "," && self.in_literal() {
            self.check_comma();
        }
        if glued && text.len() > 1 {
            let minus = range.end - 1;
            let before = &text[..text.len() - 1];
            self.push_at(operator_token(before), span(range.start, minus));
            self.number(minus);
        } else if glued && (self.in_literal() || !after_operand) {
            self.number(range.start);
        } else {
            self.push(operator_token(text));
        }
    }

    fn string(&mut self) {
        match quoted_length(self.raw.remainder(), b'\'') {
            Some(length) => {
                self.raw.bump(length);
                let letter = |next: char| next.is_alphanumeric();
                let runs_on = self.raw.remainder().starts_with(letter);
                if runs_on && self.early.is_none() {
                    self.early = Some(self.span());
                }
                if self.suspect.is_none() && runs_on && self.raw.slice().contains('\n') {
                    self.suspect = Some(self.span());
                }
                self.push(Token::String(self.raw.slice()));
            }
            None => self.unterminated("E0001", "the string is never closed", "string", "`'`"),
        }
    }

    fn comment(&mut self) {
        match self.raw.remainder().find('"') {
            Some(end) => {
                self.raw.bump(end + 1);
                let runs_on = self.raw.remainder().starts_with(char::is_alphanumeric);
                if runs_on && self.long_comment.is_none() && self.raw.slice().contains('\n') {
                    self.long_comment = Some(self.span());
                }
            }
            None => self.unterminated("E0002", "the comment is never closed", "comment", "`\"`"),
        }
    }

    /// The rest of the text may be inside the open string or comment, so reading ends here.
    fn unterminated(&mut self, code: &'static str, message: &str, what: &str, quote: &str) {
        let here = self.span();
        let early = self.early.filter(|early| {
            let text = &self.source[early.start as usize..early.end as usize];
            let touches = text.trim_end_matches('\'').ends_with(char::is_alphanumeric);
            what == "string" && touches && !text.contains('\n')
        });
        // An odd number of quotes shows at the last one; the missing one is more likely earlier.
        let suspect = match what {
            "comment" => self.long_comment,
            _ => self.suspect.filter(|_| what == "string"),
        };
        let first = early.or(suspect).map_or(here, |suspect| Span {
            end: suspect.start + 1,
            ..suspect
        });
        // Behind a missing quote, strings and code change places, so further diagnostics would be wrong.
        self.lexed
            .lexemes
            .retain(|lexeme| lexeme.span.start < first.start);
        self.lexed
            .diagnostics
            .retain(|diagnostic| diagnostic.span.start < first.start);
        if let Some(early) = early {
            self.push_at(Token::Erroneous, early);
            self.lexed.truncated = true;
            let quote = span(early.end as usize - 1, early.end as usize);
            return self.report(
                Diagnostic::error(code, quote, "a quote inside a string is written twice")
                    .labelled("this quote ends the string")
                    .helping("write `''`, as in `'it''s'`"),
            );
        }
        let mut diagnostic = Diagnostic::error(code, first, message)
            .labelled(format!("the {what} starts here"))
            .helping(format!("close it with {quote}"));
        if suspect.is_some() {
            diagnostic = diagnostic.showing(here, "the last quote has no partner");
        }
        if what != "comment" {
            diagnostic = diagnostic.noting("a quote inside a string is written twice: `'it''s'`");
            self.push_at(Token::Erroneous, first);
        }
        self.report(diagnostic);
        self.lexed.truncated = true;
    }

    fn character(&mut self) {
        if let Some(character) = self.raw.remainder().chars().next() {
            self.raw.bump(character.len_utf8());
            return self.push(Token::Character(character));
        }
        let diagnostic = Diagnostic::error("E0007", self.span(), "`$` without a character")
            .labelled("the text ends here")
            .helping("a character literal is `$` and the character, as in `$a`");
        self.report(diagnostic);
        self.push(Token::Erroneous);
    }

    fn hash(&mut self) {
        let rest = self.raw.remainder();
        let bracket = match rest.as_bytes().first() {
            Some(b'(') => Some((Token::HashParen, true)),
            Some(b'[') => Some((Token::HashBracket, true)),
            Some(b'{') => Some((Token::HashBrace, false)),
            _ => None,
        };
        if let Some((token, literal)) = bracket {
            self.raw.bump(1);
            return self.open(token, literal);
        }
        if let Some(quoted) = rest.strip_prefix('\'') {
            return self.quoted_symbol(quoted);
        }
        // `##foo` is another spelling of `#foo`.
        let sign = usize::from(rest.starts_with('#'));
        let length = symbol_length(&rest[sign..]);
        if length > 0 {
            self.raw.bump(sign + length);
            return self.push(Token::Symbol(&rest[sign..sign + length]));
        }
        let starts_line = is_first_on_line(self.source, self.raw.span().start);
        if starts_line && rest.starts_with([' ', '\t', '#', '!', '\n', '\r']) {
            return self.foreign_comment(false);
        }
        let diagnostic = Diagnostic::error("E0008", self.span(), "`#` without a literal")
            .labelled("neither a symbol nor an array starts here")
            .helping("write `#foo`, `#at:put:`, `#+`, `#'a b'`, `#( … )`, `#[ … ]` or `#{Foo}`");
        self.report(diagnostic);
    }

    fn quoted_symbol(&mut self, quoted: &'s str) {
        let Some(length) = quoted_length(quoted, b'\'') else {
            return self.unterminated("E0011", "the symbol is never closed", "symbol", "`'`");
        };
        self.raw.bump(length + 1);
        self.push(Token::Symbol(&self.raw.slice()[1..]));
    }

    fn unknown_character(&mut self) {
        let found = self.raw.slice();
        if found.starts_with(starts_name) {
            return self.word();
        }
        if found.starts_with(char::is_alphanumeric) {
            return self.foreign_word();
        }
        if self.curly_string() {
            return;
        }
        let message = match found.chars().next() {
            Some(control) if control.is_control() => {
                format!(
                    "the control character U+{:04X} has no meaning here",
                    u32::from(control)
                )
            }
            _ => format!("the character `{found}` has no meaning here"),
        };
        let mut diagnostic = Diagnostic::error("E0006", self.span(), message)
            .labelled("not part of the language outside strings and comments");
        if let Some(help) = replacement(found) {
            diagnostic = diagnostic.helping(help);
        }
        self.report(diagnostic);
        let is_operator = matches!(found, "–" | "—" | "−" | "×" | "÷" | "←" | "≤" | "≥" | "≠");
        if is_operator && !self.in_literal() {
            // What stands around it are the operands, and no second mistake.
            self.lexed.lexemes.push(Lexeme {
                token: Token::Erroneous,
                span: self.span(),
                synthetic: true,
            });
        }
    }

    /// A word that begins with no letter, such as `½x`, is one wrong word, not several pieces.
    fn foreign_word(&mut self) {
        let rest = self.raw.remainder();
        let part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let read = self.span();
        self.raw
            .bump(rest.find(|letter| !part(letter)).unwrap_or(rest.len()));
        let begun = self.lexed.lexemes.pop_if(|before| {
            matches!(before.token, Token::Identifier(_)) && before.span.end == read.start
        });
        let start = begun.map_or(read.start, |before| before.span.start) as usize;
        let end = self.raw.span().end;
        let word = &self.source[start..end];
        self.report(
            Diagnostic::error("E0006", span(start, end), format!("`{word}` is not a name"))
                .labelled("a name begins with a letter or `_`"),
        );
        if starts_keyword_end(self.raw.remainder()) {
            self.raw.bump(1);
            let keyword = &self.source[start..end + 1];
            return self.push_at(Token::Keyword(keyword), span(start, end + 1));
        }
        self.push_at(Token::Identifier(word), span(start, end));
    }
}

/// The length of `:put:with:` behind the first word of a symbol.
fn keyword_tail(rest: &str) -> usize {
    let mut length = 0;
    while starts_keyword_end(&rest[length..]) {
        length += 1;
        let word = name_length(&rest[length..]);
        if word == 0 || !starts_keyword_end(&rest[length + word..]) {
            break;
        }
        length += word;
    }
    length
}

/// The length of `.Foo.Bar` behind a capitalised word, else 0.
fn scoped_tail(word: &str, rest: &str) -> usize {
    let capital = |text: &str| text.starts_with(char::is_uppercase);
    let mut length = 0;
    while capital(word) && rest[length..].starts_with('.') && capital(&rest[length + 1..]) {
        length += 1 + name_length(&rest[length + 1..]);
    }
    length
}

/// The length of a symbol behind its hash.
fn symbol_length(rest: &str) -> usize {
    let word = name_length(rest);
    if word > 0 {
        let tail = keyword_tail(&rest[word..]);
        // Pharo reads `#at:put` as one symbol too.
        let last = if tail > 0 {
            name_length(&rest[word + tail..])
        } else {
            0
        };
        // `#x::` is a symbol of Pharo, too.
        let colons = match last {
            0 if tail > 0 => {
                let behind = &rest[word + tail..];
                let colons = behind.len() - behind.trim_start_matches(':').len();
                colons - usize::from(behind[colons..].starts_with('=')).min(colons)
            }
            _ => 0,
        };
        return word + tail + last + colons;
    }
    rest.bytes()
        .take_while(|byte| b"+-*/\\~<>=@%&?,!|".contains(byte))
        .count()
}

/// The length of the text before and with the closing quote, doubled quotes skipped.
fn quoted_length(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut position = 0;
    loop {
        position += bytes[position..].iter().position(|byte| *byte == quote)? + 1;
        if bytes.get(position) != Some(&quote) {
            return Some(position);
        }
        position += 1;
    }
}
