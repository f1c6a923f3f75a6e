//! Source text to tree. Parsing never fails: it answers a tree and diagnostics, and where it recovered
//! the tree has an `Error` node.
//!
//! The stages: tokens ([`crate::lexer`]), balanced brackets, an outline of items and members, and each
//! of those through the generated parser. Names are not looked up here.

pub(crate) mod brackets;
pub(crate) mod builder;
pub(crate) mod explain;
pub(crate) mod outline;
pub(crate) mod unit;

mod grammar {
    //! The parser that is generated from `grammar.lalrpop`; its style is not ours.
    #![allow(
        clippy::all,
        clippy::unwrap_used,
        missing_docs,
        unreachable_pub,
        rust_2018_idioms
    )]
    #![allow(unused)]
    lalrpop_util::lalrpop_mod!(generated, "/grammar.rs");
    pub(crate) use generated::UnitParser;
}

pub use brackets::MOST_NESTING;
pub use builder::MOST_DEPTH;

use crate::ast::{Body, File, Method};
use crate::bounds::{MOST_KEPT, readable};
use crate::diagnostic::Diagnostic;
use crate::lexer::{self, Lexeme};
use crate::tonel;

/// After so many errors the rest of a text is not read, and no more are reported.
pub const MOST_ERRORS: usize = 100;

/// Reads a file: a script with class definitions in bracket syntax, or definitions in Tonel.
pub fn parse(source: &str) -> (File, Vec<Diagnostic>) {
    if tonel::is_in(source) {
        tonel::parse(source)
    } else {
        parse_script(source)
    }
}

/// Reads a script with class definitions in bracket syntax.
pub(crate) fn parse_script(source: &str) -> (File, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = tokens(source);
    let file = lexemes.map_or_else(File::default, |lexemes| {
        outline::file(source, &lexemes, &mut diagnostics)
    });
    (file, in_order(diagnostics))
}

/// Reads a method as a browser shows it: message pattern, then the body without brackets around it.
pub fn parse_method(source: &str) -> (Method, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = tokens(source);
    let method = match lexemes {
        Some(lexemes) => outline::browser_method(source, &lexemes, &mut diagnostics),
        None => outline::empty_method(source),
    };
    (method, in_order(diagnostics))
}

/// Whether a text breaks off inside a bracket, a string or a comment.
pub(crate) fn is_open(source: &str) -> bool {
    if readable(source).is_err() {
        return false;
    }
    let lexed = lexer::lex(source);
    lexed.truncated || brackets::balance(source, &lexed).is_ok_and(|balanced| balanced.open_at_end)
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
    if let Err(diagnostic) = readable(source) {
        return (None, vec![*diagnostic]);
    }
    let lexed = lexer::lex(source);
    match brackets::balance(source, &lexed) {
        Ok(mut balanced) => {
            let mut diagnostics = lexed.diagnostics;
            diagnostics.append(&mut balanced.diagnostics);
            (Some(balanced.lexemes), diagnostics)
        }
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}

/// In the order of the text. One complaint a place and kind is enough, and one about depth a text.
pub(crate) fn in_order(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
    diagnostics.dedup_by(|second, first| first.code == second.code && first.span == second.span);
    let mut deep = false;
    diagnostics
        .retain(|diagnostic| diagnostic.code != "E0191" || !std::mem::replace(&mut deep, true));
    limited(diagnostics)
}

/// Nobody reads ten thousand errors; they follow from the first ones.
fn limited(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let last = diagnostics
        .iter()
        .enumerate()
        .filter(|(_, d)| d.is_error())
        .nth(MOST_ERRORS);
    if let Some((index, first_hidden)) = last {
        let rest = diagnostics.len() - index;
        let diagnostic = Diagnostic::error("E0193", first_hidden.span, "too many errors").labelled(
            match rest < MOST_KEPT / 2 {
                true => format!("{rest} more from here on"),
                false => "thousands more from here on".to_string(),
            },
        );
        diagnostics.truncate(index);
        diagnostics.push(diagnostic);
    }
    diagnostics
}
