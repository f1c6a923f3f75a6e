//! The texts of methods, written in another form.

use super::lexer;
use crate::syntax::ast::Span;
use crate::syntax::lines::indentation;
use crate::syntax::piece::Piece;
use crate::syntax::token::{Token, pattern_length};

/// The text at a place. In a file-out `!!` stands for one `!`.
pub(crate) fn text_in(source: &str, span: Span, is_chunk: bool) -> String {
    let (start, end) = (span.start as usize, span.end as usize);
    let piece = match is_chunk {
        true => Piece::chunk(source, start, end),
        false => Piece::new(source, start, end),
    };
    piece.text
}

/// A method as a browser shows it, with brackets around its body.
pub(crate) fn in_brackets(method: &str) -> String {
    let lexemes = lexer::lex_method(method).lexemes;
    let length = pattern_length(&lexemes).unwrap_or(0);
    let end = match length.checked_sub(1).and_then(|last| lexemes.get(last)) {
        Some(last) => last.span.end as usize,
        None => 0,
    };
    let (pattern, body) = method.split_at(end);
    format!("{pattern} [{}\n]", body.trim_end())
}

/// A method in brackets, without the indent of its first line. Literals stay as they are.
pub(crate) fn outdented(source: &str, span: Span) -> String {
    let text = source
        .get(span.start as usize..span.end as usize)
        .unwrap_or_default();
    let indent = indentation(source, span);
    if indent.is_empty() || !text.contains('\n') {
        return text.to_owned();
    }
    let lexemes = lexer::lex(text).lexemes;
    let is_literal = |offset: usize| {
        lexemes.iter().any(|lexeme| {
            let holds = (lexeme.span.start as usize) < offset && offset < lexeme.span.end as usize;
            holds && matches!(lexeme.token, Token::String(_) | Token::Symbol(_))
        })
    };
    let mut outdented = String::with_capacity(text.len());
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let is_kept = offset == 0 || is_literal(offset);
        let short = line.strip_prefix(indent).filter(|_| !is_kept);
        outdented.push_str(short.unwrap_or(line));
        offset += line.len();
    }
    outdented
}
