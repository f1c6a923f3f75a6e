//! The parser answers for every text. Its tree can be walked, and its diagnostics lie inside the text.

use proptest::prelude::*;
use tally_compiler::{parser, render};

/// Pieces that make tokens, also wrong ones, and pieces of definitions.
const PIECES: &[&str] = &[
    "x",
    "Foo",
    "self",
    "nil",
    "class",
    "extend",
    "subclass:",
    "Object subclass: Foo [",
    "Foo extend [",
    "Eval [",
    "Foo >> bar [",
    "Foo class >> + x [",
    "at:",
    "put:",
    "foo:bar:",
    "+",
    "-",
    "<",
    ">",
    ">>",
    "|",
    "||",
    "!",
    "3",
    "-5",
    "16r1F",
    "16rG",
    "1.5e3",
    "3s2",
    "1e-3",
    "$a",
    "$",
    "'a'",
    "'",
    "\"c\"",
    "\"",
    "#foo",
    "#",
    "#(",
    "#[",
    "#{",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":=",
    ":",
    "^",
    ".",
    ";",
    "<primitive: x>",
    "<comment: 'x'>",
    "[:x |",
    "| a b |",
    "Name := 3.",
    "\n",
    "\n  ",
    "é",
    "\u{0}",
    "Smalltalk.Foo",
    "_",
    "thisContext",
    "bar [ ^1 ]",
    "\nbaz [",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = (
        0..PIECES.len(),
        prop_oneof![Just(" "), Just(""), Just("\n")],
    );
    prop::collection::vec(piece, 0..60).prop_map(|pieces| {
        pieces
            .into_iter()
            .map(|(index, blank)| format!("{}{blank}", PIECES[index]))
            .collect()
    })
}

/// Parses both ways; every diagnostic must be presentable and lie inside the text.
fn check(source: &str) -> Result<(), TestCaseError> {
    let (file, diagnostics) = parser::parse(source);
    let (method, more) = parser::parse_method(source);
    // Walks of the whole trees must not overflow the stack.
    let walked = format!("{file:?}{method:?}");
    prop_assert!(!walked.is_empty());
    for diagnostic in diagnostics.iter().chain(&more) {
        prop_assert!(diagnostic.span.start <= diagnostic.span.end);
        prop_assert!(diagnostic.span.end as usize <= source.len());
        prop_assert!(source.is_char_boundary(diagnostic.span.start as usize));
        prop_assert!(source.is_char_boundary(diagnostic.span.end as usize));
        prop_assert!(diagnostic.code != "E0199" || !diagnostic.message.is_empty());
    }
    let text = render::render(&diagnostics, "soup.st", source, false);
    prop_assert_eq!(text.is_empty(), diagnostics.is_empty());
    prop_assert_eq!(file.clone(), parser::parse(source).0);
    Ok(())
}

/// An error node never comes without an error.
fn check_errors_are_reported(source: &str) -> Result<(), TestCaseError> {
    let (file, diagnostics) = parser::parse(source);
    if format!("{file:?}").contains("kind: Error") {
        prop_assert!(
            diagnostics.iter().any(|diagnostic| diagnostic.is_error()),
            "{}",
            source
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_answered(source in any::<String>()) {
        check(&source)?;
    }

    #[test]
    fn any_sequence_of_tokens_is_answered(source in soup()) {
        check(&source)?;
        check_errors_are_reported(&source)?;
    }

    #[test]
    fn any_ascii_text_is_answered(source in "[ -~\n]{0,80}") {
        check(&source)?;
        check_errors_are_reported(&source)?;
    }
}
