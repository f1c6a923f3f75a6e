//! Words for a syntax error. The generated parser knows only the wrong token and the tokens that it would have
//! accepted.
//!
//! Each rule recognises one kind of mistake from the tokens around the error. The first rule that applies writes the
//! message. The last rule names the token and the expected tokens.

mod definitions;
mod foreign;
mod literals;
mod situation;
mod statements;

use self::situation::opened;
use super::brackets::spelling;
use super::token::Entry;
use crate::diagnostics::{Diagnostic, alternatives};

pub(crate) use situation::{Situation, in_literal};

/// Answers a diagnostic if it recognises the mistake.
type Rule = fn(&Situation<'_, '_>) -> Option<Diagnostic>;

/// From the most specific to the most general.
const RULES: &[Rule] = &[
    literals::literal_array,
    literals::byte_array,
    literals::binding,
    definitions::header,
    definitions::pragma,
    definitions::temporaries,
    definitions::block_parameters,
    foreign::statement,
    foreign::operand,
    foreign::step,
    foreign::negation,
    foreign::bare_block_argument,
    foreign::semicolon,
    foreign::call,
    foreign::index,
    statements::empty_parentheses,
    statements::period_in_parentheses,
    statements::negated,
    statements::missing_after_caret,
    statements::missing_after_assign,
    statements::missing_after_semicolon,
    statements::missing_argument,
    statements::missing_operand,
    statements::assignment,
    statements::cascade,
    definitions::definition,
    statements::stray_colon,
    statements::operator_first,
    statements::keyword_first,
    statements::two_expressions,
];

/// The same for SOM. SOM has no pragmas, cascades or brace arrays, and more rules for its statements.
const SOM_RULES: &[Rule] = &[
    definitions::foreign_bracket,
    literals::som_literal_array,
    statements::empty_statement,
    definitions::temporaries,
    definitions::block_parameters,
    statements::empty_parentheses,
    statements::period_in_parentheses,
    statements::missing_after_caret,
    statements::missing_after_assign,
    statements::missing_argument,
    statements::missing_operand,
    statements::assignment,
    definitions::late_temporaries,
    definitions::stray_separator,
    statements::stray_colon,
    statements::operator_first,
    statements::keyword_first,
    statements::two_expressions,
];

/// The diagnostic for a syntax error.
pub(crate) fn explain(situation: &Situation<'_, '_>) -> Diagnostic {
    let rules = match situation.entry {
        Entry::SomBody => SOM_RULES,
        _ => RULES,
    };
    rules
        .iter()
        .find_map(|rule| rule(situation))
        .unwrap_or_else(|| unexpected(situation))
}

fn unexpected(situation: &Situation<'_, '_>) -> Diagnostic {
    let expected = expectations(&situation.expected);
    let diagnostic = situation.error("E0199", format!("{} cannot stand here", situation.found()));
    let label = if expected.is_empty() {
        String::new()
    } else {
        format!("expected {}", alternatives(&expected))
    };
    let diagnostic = diagnostic.labelled(label);
    match situation.innermost() {
        Some(open) => opened(
            situation,
            diagnostic,
            &format!("in this `{}`", spelling(open)),
        ),
        None => diagnostic,
    }
}

/// The accepted tokens in words that a reader knows, with the many beginnings of an expression as one.
fn expectations(tokens: &[String]) -> Vec<String> {
    let accepts = |token: &str| tokens.iter().any(|t| t.trim_matches('"') == token);
    let mut words = Vec::new();
    if accepts("number") && accepts("identifier") {
        words.push("an expression".to_string());
    } else if accepts("number") {
        words.push("a literal".to_string());
    } else if accepts("keyword") {
        words.push("a message".to_string());
    } else if accepts("identifier") {
        words.push("a name".to_string());
    }
    for closing in [")", "]", "}", "|", ".", ":="] {
        if accepts(closing) && words.len() < 4 {
            words.push(format!("`{closing}`"));
        }
    }
    words
}
