//! Rules for literal arrays, byte arrays and bindings.

use super::situation::{Situation, in_literal, opened};
use crate::diagnostics::Diagnostic;
use crate::syntax::token::Token;

pub(super) fn literal_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let inside = in_literal(situation.lexemes, &situation.enclosing);
    if !inside
        || !matches!(
            situation.innermost(),
            Some(Token::HashParen | Token::LeftParen)
        )
    {
        return None;
    }
    let help = match situation.token() {
        Some(Token::Period | Token::Semicolon) => "elements are separated by blanks",
        _ => "an array of computed elements is written `{ a. b }`",
    };
    Some(not_in_literal_array(situation, help))
}

pub(super) fn som_literal_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.innermost() != Some(Token::HashParen) {
        return None;
    }
    let help = match situation.token() {
        Some(Token::Period) => "elements are separated by blanks",
        Some(Token::LeftParen) => "an array in an array is written with its hash: `#( #(1) )`",
        _ => "an array of computed elements is made by `Array with: …`",
    };
    Some(not_in_literal_array(situation, help))
}

fn not_in_literal_array(situation: &Situation<'_, '_>, help: &str) -> Diagnostic {
    let found = situation.found();
    let diagnostic = situation
        .error("E0115", format!("{found} cannot stand in a literal array"))
        .labelled("expected a literal or `)`")
        .helping(help);
    opened(situation, diagnostic, "the literal array begins here")
}

pub(super) fn byte_array(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    let inside = in_literal(situation.lexemes, &situation.enclosing);
    if !inside
        || !matches!(
            situation.innermost(),
            Some(Token::HashBracket | Token::LeftBracket)
        )
    {
        return None;
    }
    let found = situation.found();
    let diagnostic = situation
        .error("E0116", format!("{found} cannot stand in a byte array"))
        .labelled("an element of a byte array is an integer from 0 to 255");
    Some(opened(situation, diagnostic, "the byte array begins here"))
}

pub(super) fn binding(situation: &Situation<'_, '_>) -> Option<Diagnostic> {
    if situation.innermost() != Some(Token::HashBrace) {
        return None;
    }
    Some(
        situation
            .error("E0127", "a binding names one variable")
            .labelled("expected a name, then `}`")
            .helping("write `#{Foo}`"),
    )
}
