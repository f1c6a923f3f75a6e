//! Turns SOM's source text into tokens with spans and reports errors inside single tokens. The tokens are a subset of
//! the tokens of scripts.
//!
//! The lexer knows nothing of the grammar. A minus is always an operator: its location decides whether it belongs to a
//! number.

use logos::Logos;

use super::builder::escape;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::{MOST_KEPT, MOST_OPEN, keep, too_nested};
use crate::syntax::ast::Span;
use crate::syntax::lexical::{operator_token, replacement, span, starts_keyword_end};
use crate::syntax::token::{Lexed, Token};

/// The first characters of tokens; what needs a nested scan is completed by hand from here.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
enum Raw {
    #[regex(r"[\p{Alphabetic}][\p{Alphabetic}0-9_]*")]
    Word,
    #[regex(r"[0-9]+(\.[0-9]+)?")]
    Number,
    #[regex(r"[~&|*/\\+=><,@%\-]+")]
    Operator,
    #[token("'")]
    Quote,
    #[token("\"")]
    Comment,
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

/// The characters that operators are made of.
const OPERATOR: &[char] = &[
    '~', '&', '|', '*', '/', '\\', '+', '=', '>', '<', ',', '@', '%', '-',
];

/// The tokens of a text. The text is shorter than 4 GiB.
pub(crate) fn lex(source: &str) -> Lexed<'_> {
    let mut scanner = Scanner {
        source,
        raw: Raw::lexer(source),
        lexed: Lexed::default(),
        open: 0,
        foreign: None,
    };
    while !scanner.lexed.truncated {
        scanner.lexed.truncated |= scanner.lexed.diagnostics.len() >= MOST_KEPT;
        match scanner.raw.next() {
            Some(Ok(raw)) => scanner.complete(raw),
            Some(Err(())) => scanner.unknown_character(),
            None => break,
        }
    }
    scanner.lexed
}

struct Scanner<'s> {
    source: &'s str,
    raw: logos::Lexer<'s, Raw>,
    lexed: Lexed<'s>,
    /// How many brackets are open.
    open: usize,
    /// The end of the last unknown character, so that several in a row are one diagnostic.
    foreign: Option<usize>,
}

impl<'s> Scanner<'s> {
    fn complete(&mut self, raw: Raw) {
        match raw {
            Raw::Word => self.word(),
            Raw::Number => self.push(Token::Number(self.raw.slice())),
            Raw::Operator => self.operator(),
            Raw::Quote => self.string(),
            Raw::Comment => self.comment(),
            Raw::Hash => self.hash(),
            Raw::Assign => self.push(Token::Assign),
            Raw::Colon => self.push(Token::Colon),
            Raw::Caret => self.push(Token::Caret),
            Raw::Period => self.push(Token::Period),
            Raw::LeftParen => self.push(Token::LeftParen),
            Raw::RightParen => self.push(Token::RightParen),
            Raw::LeftBracket => self.push(Token::LeftBracket),
            Raw::RightBracket => self.push(Token::RightBracket),
            // SOM has no braces. As tokens they keep what stands between them together.
            Raw::LeftBrace => self.push(Token::LeftBrace),
            Raw::RightBrace => self.push(Token::RightBrace),
        }
    }

    fn span(&self) -> Span {
        span(self.raw.span().start, self.raw.span().end)
    }

    fn push(&mut self, token: Token<'s>) {
        self.push_at(token, self.span());
    }

    fn push_at(&mut self, token: Token<'s>, span: Span) {
        if token.is_closer() {
            self.open = self.open.saturating_sub(1);
        } else if token.closer().is_some() {
            self.open += 1;
        }
        if self.open > MOST_OPEN {
            self.report(too_nested(span, MOST_OPEN));
            self.lexed.truncated = true;
        }
        self.lexed.push(token, span);
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        keep(&mut self.lexed.diagnostics, diagnostic);
    }

    fn word(&mut self) {
        let rest = self.raw.remainder();
        if starts_keyword_end(rest) {
            self.raw.bump(1);
            return self.push(Token::Keyword(self.raw.slice()));
        }
        self.push(Token::Identifier(self.raw.slice()));
    }

    /// Four minuses and more separate the sides of a class, in front of any text.
    fn operator(&mut self) {
        let text = self.raw.slice();
        let range = self.raw.span();
        let behind = text.trim_start_matches('-');
        let dashes = text.len() - behind.len();
        if dashes < 4 {
            return self.push(operator(text));
        }
        let middle = range.start + dashes;
        self.push_at(Token::Separator, span(range.start, middle));
        if !behind.is_empty() {
            self.push_at(operator(behind), span(middle, range.end));
        }
    }

    fn string(&mut self) {
        match self.quoted(0) {
            Some(length) => {
                self.raw.bump(length);
                self.push(Token::String(self.raw.slice()));
            }
            None => self.unterminated("E0001", "the string is never closed", "string", "`'`"),
        }
    }

    /// The length of a string's rest, closing quote included. The rest begins `from` bytes behind the last token.
    fn quoted(&mut self, from: usize) -> Option<usize> {
        let text = &self.raw.remainder()[from..];
        let first = self.raw.span().end + from;
        let mut characters = text.char_indices();
        while let Some((position, character)) = characters.next() {
            match character {
                '\'' => return Some(from + position + 1),
                '\\' => {
                    let (_, escaped) = characters.next()?;
                    if escape(escaped).is_none() {
                        let start = first + position;
                        let at = span(start, start + 1 + escaped.len_utf8());
                        self.unknown_escape(at, escaped);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn unknown_escape(&mut self, at: Span, escaped: char) {
        let message = format!("`\\{}` stands for no character", escaped.escape_debug());
        self.report(
            Diagnostic::error("E0013", at, message)
                .labelled("expected one of `\\t \\b \\n \\r \\f \\0 \\' \\\\`")
                .helping("a backslash itself is written `\\\\`"),
        );
    }

    fn comment(&mut self) {
        match self.raw.remainder().find('"') {
            Some(end) => self.raw.bump(end + 1),
            None => self.unterminated("E0002", "the comment is never closed", "comment", "`\"`"),
        }
    }

    /// The rest of the text may be inside the open string or comment, so reading ends here.
    fn unterminated(&mut self, code: &'static str, message: &str, what: &str, quote: &str) {
        let here = self.span();
        self.lexed
            .diagnostics
            .retain(|diagnostic| diagnostic.span.start < here.start);
        let mut diagnostic = Diagnostic::error(code, here, message)
            .labelled(format!("the {what} starts here"))
            .helping(format!("close it with {quote}"));
        if what != "comment" {
            diagnostic = diagnostic.noting("a quote inside a string is written `\\'`");
            self.push_at(Token::Erroneous, here);
        }
        self.report(diagnostic);
        self.lexed.truncated = true;
    }

    /// Blanks may stand between the hash and the text of the literal.
    fn hash(&mut self) {
        let rest = self.raw.remainder();
        let body = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']);
        let blanks = rest.len() - body.len();
        let bracket = match body.as_bytes().first() {
            Some(b'(') => Some(Token::HashParen),
            Some(b'[') => Some(Token::HashBracket),
            Some(b'{') => Some(Token::HashBrace),
            _ => None,
        };
        if let Some(token) = bracket {
            self.raw.bump(blanks + 1);
            return self.push(token);
        }
        if body.starts_with('\'') {
            return match self.quoted(blanks + 1) {
                Some(length) => {
                    self.raw.bump(length);
                    self.push(Token::Symbol(&rest[blanks..length]));
                }
                None => self.unterminated("E0011", "the symbol is never closed", "symbol", "`'`"),
            };
        }
        let length = symbol_length(body);
        if length > 0 {
            self.raw.bump(blanks + length);
            return self.push(Token::Symbol(&body[..length]));
        }
        let diagnostic = Diagnostic::error("E0008", self.span(), "`#` without a literal")
            .labelled("neither a symbol nor an array starts here")
            .helping("write `#foo`, `#at:put:`, `#+`, `#'a b'` or `#( … )`");
        self.report(diagnostic);
        self.push(Token::Erroneous);
    }

    fn unknown_character(&mut self) {
        let range = self.raw.span();
        let again = self.foreign.replace(range.end) == Some(range.start);
        let found = self.source.get(range.clone()).unwrap_or("");
        if again {
            return;
        }
        let diagnostic = match foreign(found) {
            Some(help) => {
                let message = format!("SOM has no `{found}`");
                Diagnostic::error("E0014", span(range.start, range.end), message)
                    .labelled("not part of the language")
                    .helping(help)
            }
            None => {
                let message = format!("`{}` means nothing here", found.escape_debug());
                Diagnostic::error("E0006", span(range.start, range.end), message)
                    .labelled("names are made of letters, digits and `_`, and begin with a letter")
            }
        };
        self.report(diagnostic);
    }
}

/// What to write instead of what other Smalltalks have.
fn foreign(found: &str) -> Option<&'static str> {
    Some(match found {
        ";" => "SOM has no cascades; name the receiver of each message",
        "$" => "a character is a string of length one: `'a'`",
        _ => return replacement(found),
    })
}

fn operator(text: &str) -> Token<'_> {
    match text {
        "|" => Token::Bar,
        "||" => Token::DoubleBar,
        _ => operator_token(text),
    }
}

/// The length of a symbol behind its hash: an operator, a word, or keywords in a row.
fn symbol_length(text: &str) -> usize {
    let operator = text.len() - text.trim_start_matches(OPERATOR).len();
    if operator > 0 {
        return operator;
    }
    let mut length = word_length(text);
    while length > 0 {
        let rest = &text[length..];
        if !starts_keyword_end(rest) {
            break;
        }
        length += 1;
        let word = word_length(&text[length..]);
        if word == 0 {
            break;
        }
        length += word;
    }
    length
}

fn word_length(text: &str) -> usize {
    if !text.starts_with(char::is_alphabetic) {
        return 0;
    }
    let inside = |character: char| {
        character.is_alphabetic() || character.is_ascii_digit() || character == '_'
    };
    text.find(|character| !inside(character))
        .unwrap_or(text.len())
}
