//! The parts of lexers that the dialects share.

use super::ast::Span;
use super::token::Token;

/// The span of bytes. A text of 4 GiB and more is refused, so that neither conversion loses anything.
pub(crate) fn span(start: usize, end: usize) -> Span {
    Span {
        start: start as u32,
        end: end as u32,
    }
}

/// The token of an operator, other than a bar or two.
pub(crate) fn operator_token(text: &str) -> Token<'_> {
    match text {
        "<" => Token::Less,
        ">" => Token::Greater,
        ">>" => Token::ShiftRight,
        _ if text.bytes().all(|byte| byte == b'!') => Token::Bang(text),
        _ => Token::Binary(text),
    }
}

/// Whether a word followed by `rest` is a keyword: `x:` is one, the `x` of `x:=3` is not.
pub(crate) fn starts_keyword_end(rest: &str) -> bool {
    rest.starts_with(':') && !rest.starts_with(":=")
}

/// The probable meaning of a character that word processors and older Smalltalks use.
pub(crate) fn replacement(found: &str) -> Option<&'static str> {
    match found {
        "‘" | "’" | "`" | "´" => Some("a string is written between straight quotes: `'text'`"),
        "“" | "”" => Some("a comment is written between straight double quotes: `\"comment\"`"),
        "←" => Some("assignment is written `:=`"),
        "↑" => Some("the return arrow is written `^`"),
        "–" | "—" | "−" => Some("minus is written `-`"),
        "×" => Some("multiplication is written `*`"),
        "÷" => Some("division is written `/`"),
        "≤" => Some("less or equal is written `<=`"),
        "≥" => Some("greater or equal is written `>=`"),
        "≠" => Some("unequal is written `~=`"),
        _ => None,
    }
}
