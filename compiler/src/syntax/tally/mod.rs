//! Scripts with class definitions in bracket syntax.
//!
//! The stages are tokens (`lexer`), balanced brackets (shared), an outline of items and members (`outline`), and the
//! generated parser for each unit. `layout` says where a missing bracket shows. Names are not looked up here.

mod grammar;
mod layout;
pub(crate) mod lexer;
mod outline;
mod text;

pub(crate) use outline::is_class_side;
pub(crate) use text::{in_brackets, outdented, text_in};

use super::ast::{Body, File, Method};
use super::brackets;
use super::findings::in_order;
use super::piece::Piece;
use super::token::{Lexed, Lexeme};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::readable;
use crate::notation::Notation;
use layout::ScriptLayout;

/// Reads a script with class definitions in bracket syntax.
pub(crate) fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = tokens(source);
    let file = lexemes.map_or_else(File::default, |lexemes| {
        outline::file(source, &lexemes, &mut diagnostics)
    });
    (file, in_order(diagnostics))
}

/// Reads a method as a browser shows it: message pattern, then the body without brackets around it.
pub fn parse_method(source: &str) -> (Method, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = balanced(source, lexer::lex_method);
    let method = match lexemes {
        Some(lexemes) => outline::browser_method(source, &lexemes, &mut diagnostics),
        None => outline::empty_method(source),
    };
    (method, in_order(diagnostics))
}

/// Reads a method as a browser shows it, whose text is a part of a source that ends at `end`. Strings of file-outs have
/// carriage returns where the text has line feeds.
pub(crate) fn method_in(
    notation: Notation,
    source: &str,
    end: usize,
    piece: &Piece,
) -> (Method, Vec<Diagnostic>) {
    let source = &source[..end];
    let lexed = lexer::lex_method_in(notation, &piece.text);
    let returning = match notation {
        Notation::Tally => piece.with_returns(&lexed),
        Notation::Gst => None,
    };
    let (piece, lexed) = match &returning {
        Some(changed) => (changed, lexer::lex_method_in(notation, &changed.text)),
        None => (piece, lexed),
    };
    let (lexemes, mut diagnostics) = mended(source, piece.located(lexed));
    let method = match lexemes {
        Some(lexemes) => outline::browser_method(source, &lexemes, &mut diagnostics),
        None => outline::empty_method(source),
    };
    (method, diagnostics)
}

/// Reads a script that is a part of a source and ends at `end`.
pub(crate) fn script_in(
    notation: Notation,
    source: &str,
    end: usize,
    piece: &Piece,
) -> (File, Vec<Diagnostic>) {
    let source = &source[..end];
    let lexed = lexer::lex_in(notation, &piece.text);
    let (lexemes, mut diagnostics) = mended(source, piece.located(lexed));
    let file = lexemes.map_or_else(File::default, |lexemes| {
        outline::file(source, &lexemes, &mut diagnostics)
    });
    (file, diagnostics)
}

/// Whether a text breaks off inside a bracket, a string or a comment.
pub(crate) fn is_open(source: &str) -> bool {
    if readable(source).is_err() {
        return false;
    }
    let lexed = lexer::lex(source);
    lexed.truncated
        || brackets::balance(source, &lexed, &mut ScriptLayout::default())
            .is_ok_and(|balanced| balanced.open_at_end)
}

/// Reads temporaries and statements, as they stand in a method's body or in an expression to evaluate.
pub fn parse_body(source: &str) -> (Body, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = tokens(source);
    let body = lexemes.map_or_else(Body::default, |lexemes| {
        outline::body(source, &lexemes, &mut diagnostics)
    });
    (body, in_order(diagnostics))
}

/// The tokens with balanced brackets; none if a limit does not let them be read at all.
fn tokens(source: &str) -> (Option<Vec<Lexeme<'_>>>, Vec<Diagnostic>) {
    balanced(source, lexer::lex)
}

fn balanced<'s>(
    source: &'s str,
    lex: fn(&'s str) -> Lexed<'s>,
) -> (Option<Vec<Lexeme<'s>>>, Vec<Diagnostic>) {
    if let Err(diagnostic) = readable(source) {
        return (None, vec![*diagnostic]);
    }
    mended(source, lex(source))
}

/// The tokens with balanced brackets.
fn mended<'s>(source: &str, lexed: Lexed<'s>) -> (Option<Vec<Lexeme<'s>>>, Vec<Diagnostic>) {
    match brackets::balance(source, &lexed, &mut ScriptLayout::default()) {
        Ok(mut balanced) => {
            let mut diagnostics = lexed.diagnostics;
            diagnostics.append(&mut balanced.diagnostics);
            (Some(balanced.lexemes), diagnostics)
        }
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}
