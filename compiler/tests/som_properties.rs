//! SOM's front end answers for every text: a class or none, and diagnostics inside the text. It compiles or refuses
//! deep and long texts.

use proptest::prelude::*;
use tally_compiler::environment::EmptyEnvironment;
use tally_compiler::{render, som};

/// Pieces that make tokens, also wrong ones, and pieces of classes.
const PIECES: &[&str] = &[
    "x",
    "Foo",
    "self",
    "super",
    "nil",
    "primitive",
    "Foo = (",
    "Foo = Bar (",
    "m = (",
    "\n  m = (",
    "\n  + x = (",
    "\n  at: i put: v = (",
    "at:",
    "put:",
    "foo:bar:",
    "=",
    "+",
    "-",
    "<",
    ">>",
    "|",
    "||",
    "----",
    "\n----\n",
    "| a b |",
    "3",
    "-5",
    "1.5",
    "1.",
    "'a'",
    "'\\n'",
    "'\\x'",
    "'",
    "\\",
    "\"c\"",
    "\"",
    "#foo",
    "#at:put:",
    "#",
    "#(",
    "#[",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":=",
    "x := ",
    ":",
    "^",
    ".",
    ";",
    "$",
    "[:x |",
    "\n",
    "\n  ",
    "é",
    "\u{0}",
    "_",
    "thisContext",
    "ifTrue: [",
    "1 to: 3 do: [:i |",
];

fn soup() -> impl Strategy<Value = String> {
    let piece = (
        0..PIECES.len(),
        prop_oneof![Just(" "), Just(""), Just("\n")],
    );
    let framed = any::<bool>();
    (framed, prop::collection::vec(piece, 0..60)).prop_map(|(framed, pieces)| {
        let mut text = String::new();
        if framed {
            text.push_str("Foo = ( | a | m: x = (");
        }
        for (index, space) in pieces {
            text.push_str(PIECES[index]);
            text.push_str(space);
        }
        if framed {
            text.push_str(") )");
        }
        text
    })
}

fn check(source: &str) {
    let _ = som::header(source);
    let compiled = som::compile("soup.som", source, &EmptyEnvironment);
    let errors = compiled.diagnostics.iter().any(|one| one.is_error());
    assert_eq!(compiled.unit.is_none(), errors, "{source:?}");
    for one in &compiled.diagnostics {
        assert!(one.span.start <= one.span.end, "{one:?} in {source:?}");
        assert!(
            one.span.end as usize <= source.len(),
            "{one:?} in {source:?}"
        );
        assert!(!one.message.is_empty());
    }
    let _ = render::render(&compiled.diagnostics, "soup.som", source, false);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_in_any_order_are_answered(source in soup()) {
        check(&source);
    }

    #[test]
    fn any_text_is_answered(source in any::<String>()) {
        check(&source);
    }
}

/// Whether the text of a method compiles; if not, because of a limit.
#[track_caller]
fn compiles(body: &str) -> bool {
    let source = format!("Foo = nil ( m: y = ( | x | {body} ) )");
    let compiled = som::compile("deep.som", &source, &EmptyEnvironment);
    if let Some(error) = compiled.diagnostics.first() {
        let limit = error.message.contains("deep") || error.code == "E0209";
        assert!(limit, "{error:?}");
    }
    compiled.unit.is_some()
}

#[test]
fn deep_nesting_compiles_or_is_refused() {
    let nested = |open: &str, middle: &str, close: &str, times: usize| {
        format!("{}{middle}{}", open.repeat(times), close.repeat(times))
    };
    assert!(compiles(&nested("(", "1", ")", 450)));
    assert!(compiles(&nested("[", "", "]", 450)));
    assert!(compiles(&nested("(y foo: ", "3", ")", 450)));
    assert!(compiles(&nested("y ifTrue: [ ", "y", " ]", 450)));
    assert!(compiles(&nested("[ :z | z := ", "y", " ]", 450)));
    assert!(compiles(&nested("#(", "", ")", 450)));
    assert!(compiles(&format!("x := 1{}", " foo".repeat(1900))));
    assert!(!compiles(&nested("(", "1", ")", 100_000)));
    assert!(!compiles(&nested("[", "", "]", 100_000)));
    assert!(!compiles(&nested("#(", "", ")", 100_000)));
    assert!(!compiles(&format!("x := 1{}", " foo".repeat(100_000))));
    assert!(!compiles(&format!("{}1", "x := ".repeat(100_000))));
}

#[test]
fn long_texts_take_reasonable_time() {
    use std::fmt::Write;
    let mut source = String::from("Foo = nil (\n");
    for number in 0..20_000 {
        let _ = writeln!(
            source,
            "  m{number}: x = ( x := x + {number}. ^[ :y | y := x ] )"
        );
    }
    let open = format!("{source}  broken = ( ^1\n");
    source.push(')');
    let compiled = som::compile("long.som", &source, &EmptyEnvironment);
    assert!(compiled.unit.is_some(), "{:?}", compiled.diagnostics);
    let compiled = som::compile("open.som", &open, &EmptyEnvironment);
    assert!(compiled.unit.is_none());
}
