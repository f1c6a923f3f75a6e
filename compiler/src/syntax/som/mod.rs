//! The front end of the SOM dialect: the text of one class → the same tree, resolver and emitter as for `.st` files.
//!
//! The stages: tokens (`lexer`), balanced brackets (shared), an outline of the class (`outline`), and each method's
//! body through the generated parser (`grammar`). Finding classes and running them belongs to other crates.

pub(crate) mod builder;
mod grammar;
mod layout;
pub(crate) mod lexer;
mod outline;

use super::ast::ClassDefinition;
use super::brackets;
use super::findings::in_order;
use super::token::Lexeme;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::bounds::readable;
use layout::ClassLayout;

/// The contents of the first line of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The class's name.
    pub name: String,
    /// The superclass; `None` if the text says `nil`, `Object` if it says nothing.
    pub superclass: Option<String>,
}

/// Reads the name of the class and of its superclass, and nothing behind them.
pub fn header(source: &str) -> Result<Header, Vec<Diagnostic>> {
    let lexed = match readable(source) {
        Ok(()) => lexer::lex(source),
        Err(error) => return Err(vec![*error]),
    };
    match outline::header(&lexed.lexemes) {
        Ok((header, _)) => Ok(Header {
            name: header.name.text,
            superclass: Some(header.superclass.text).filter(|name| name != "nil"),
        }),
        Err(error) => {
            let mut diagnostics = lexed.diagnostics;
            diagnostics.push(*error);
            Err(in_order(diagnostics))
        }
    }
}

/// Reads a class. Like all parsing here, this answers the readable part and diagnostics.
pub fn parse(source: &str) -> (Option<ClassDefinition>, Vec<Diagnostic>) {
    let (lexemes, mut diagnostics) = tokens(source);
    let class = lexemes.and_then(|lexemes| outline::class(source, &lexemes, &mut diagnostics));
    // SOM programs are full of code that is a warning in a script.
    diagnostics.retain(Diagnostic::is_error);
    (class, in_order(diagnostics))
}

/// The tokens with balanced brackets; none if a limit does not let them be read at all.
fn tokens(source: &str) -> (Option<Vec<Lexeme<'_>>>, Vec<Diagnostic>) {
    if let Err(error) = readable(source) {
        return (None, vec![*error]);
    }
    let lexed = lexer::lex(source);
    match brackets::balance(source, &lexed, &mut ClassLayout::of(&lexed)) {
        Ok(mut balanced) => {
            let mut diagnostics = lexed.diagnostics;
            diagnostics.append(&mut balanced.diagnostics);
            (Some(balanced.lexemes), diagnostics)
        }
        Err(diagnostic) => (None, vec![*diagnostic]),
    }
}
