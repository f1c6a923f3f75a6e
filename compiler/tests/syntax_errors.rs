//! The diagnostics of invalid texts and their locations. Each row has the code and line:column of every diagnostic.

use tally_compiler::diagnostic::line_column;
use tally_compiler::{parser, render};

/// A text and its diagnostics, `code line:column` each.
type Row = (&'static str, &'static [&'static str]);

const LEXICAL: &[Row] = &[
    ("x := 'abc", &["E0001 1:6"]),
    ("x.\n\"foo", &["E0002 2:1"]),
    ("x := 16r1G.", &["E0003 1:10"]),
    ("x := 16rfg.", &["E0003 1:10"]),
    ("x := 16rff.", &[]),
    ("x := 2r102e3.", &["E0003 1:10"]),
    ("x := 16r.", &["E0004 1:6"]),
    ("x := 40r12. y := 1r0.", &["E0005 1:6", "E0005 1:18"]),
    ("x := “foo”.", &["E0006 1:6"]),
    ("\u{bd}x := 3. y\u{bd} foo.", &["E0006 1:1", "E0006 1:10"]),
    ("x := $", &["E0007 1:6"]),
    ("x := # foo.", &["E0008 1:6"]),
    (
        "x := 1e999999999. y := 1.0e400. z := 2s999999999.",
        &["E0009 1:6", "E0009 1:24", "E0009 1:38"],
    ),
    ("x := 5e-2001.", &["E0009 1:6"]),
    ("x := #'abc", &["E0011 1:6"]),
    ("x := 16r1.8s2.", &["E0012 1:6"]),
    ("x := 2r1.2.", &["E0003 1:10"]),
    ("x := 2r1.0e2000.", &["E0009 1:6"]),
];

const BRACKETS: &[Row] = &[
    ("x := (3 + 4.\ny := 5.", &["E0101 1:6"]),
    ("x foo: [3", &["E0101 1:8"]),
    ("x := {1. 2", &["E0101 1:6"]),
    ("x := #(1 2", &["E0101 1:6"]),
    ("x := 3 + 4).", &["E0102 1:11"]),
    ("x ifTrue: [3]] ifFalse: [4].", &["E0102 1:14"]),
    ("x := (3 ] + 4).", &["E0102 1:9"]),
    ("x := (3 + 4].", &["E0103 1:12"]),
    ("x do: [(3 + 4]. y.", &["E0101 1:8"]),
    ("x := ().", &["E0104 1:6"]),
    // A missing bracket is found where it is missing, not at the end of the class.
    (
        "Object subclass: Foo [\n  bar [ ^ 3\n  baz [ ^ 4 + ]\n]\nx := 3.",
        &["E0101 2:7", "E0106 3:13"],
    ),
    (
        "Object subclass: Foo [\n  bar [ ^ 3 ]\nObject subclass: Bar [ x [ ^ ] ]",
        &["E0101 1:22", "E0107 3:28"],
    ),
    ("Foo >> bar [ ^3\nFoo >> baz [ ^4 ]\n", &["E0101 1:12"]),
];

const EXPRESSIONS: &[Row] = &[
    ("x at: put: 3.", &["E0105 1:3"]),
    ("x at: . y at:", &["E0105 1:3", "E0105 1:11"]),
    ("x + . y - ; foo.", &["E0106 1:3", "E0106 1:9"]),
    ("x + := 3.", &["E0106 1:3"]),
    ("foo do: [:x | ^ ].", &["E0107 1:15"]),
    ("^^3", &["E0107 1:1"]),
    ("x := 3 ; foo.", &["E0108 1:8"]),
    ("x := (a foo); bar.", &["E0108 1:13"]),
    ("x foo; .", &["E0109 1:7"]),
    ("self := 3. [nil := 4].", &["E0110 1:1", "E0110 1:13"]),
    (
        "3 := x. a foo := 4. 'x' := 5.",
        &["E0111 1:3", "E0111 1:15", "E0111 1:25"],
    ),
    ("x := . y.", &["E0112 1:3"]),
    ("x := := 3.", &["E0112 1:3"]),
    ("x := 3\ny := 4.", &["E0113 1:6"]),
    ("x := 3 4.", &["E0113 1:8"]),
    ("x foo ^ 3.", &["E0113 1:3"]),
    ("x foo 'a'.", &["E0113 1:7"]),
    (
        "x foo [ 3 ] bar: 4. [ x (3) ].",
        &["E0113 1:3", "E0113 1:25"],
    ),
    (
        "Transcript showCr: 'a'\nObject subclass: Foo [ ]",
        &["E0113 1:20"],
    ),
    ("x := (a foo. b bar).", &["E0114 1:12"]),
    ("+ 3.", &["E0128 1:1"]),
    ("foo: 3. [ bar: 4 ].", &["E0129 1:1", "E0129 1:11"]),
    ("x foo : 3.", &["E0130 1:7"]),
    ("x . ; y", &["E0108 1:5"]),
];

const LITERALS_AND_DECLARATIONS: &[Row] = &[
    (
        "x := #(1 ^ 3). y := #(1 . 2).",
        &["E0115 1:10", "E0115 1:25"],
    ),
    ("x := #(1 (2 ^ 3)).", &["E0115 1:13"]),
    (
        "x := #[1 300 2 -1 1.5].",
        &["E0116 1:10", "E0116 1:16", "E0116 1:19"],
    ),
    ("x := #[1 foo 2].", &["E0116 1:10"]),
    ("x := [: 3 | 4].", &["E0117 1:9"]),
    (
        "x := [:a b | 4]. y := [:a 3].",
        &["E0118 1:10", "E0118 1:27"],
    ),
    ("| a b := 3 |\na foo.", &["E0119 1:7"]),
    ("x := #{3}. y := #{}.", &["E0127 1:8", "E0127 1:19"]),
    ("| self | [:nil | 3].", &["E0134 1:3", "E0134 1:12"]),
    ("[ <foo: 3> ] value", &["E0123 1:3"]),
];

const CLASSES: &[Row] = &[
    (
        "A subclass: B [ foo: [ ^1 ] bar: 3 [ ] ok [ ] ]",
        &["E0120 1:22", "E0120 1:34"],
    ),
    ("A subclass: B [ foo bar [ ^1 ] ]", &["E0120 1:21"]),
    (
        "A subclass: B [ 3 foo [ ^1 ]\n ok [ ^5 ] .\n ok2 [ ] ]",
        &["E0121 1:17", "E0121 2:12"],
    ),
    (
        "A subclass: B [ <comment: 3 + 4>\n <comment 'foo'>\n foo [ ] ]",
        &["E0122 1:29", "E0122 2:11"],
    ),
    (
        "A subclass: B [ foo [ <primitive: x + 3> ^5 ] ]",
        &["E0122 1:37"],
    ),
    (
        "A subclass: B [ <comment: 'x'\n foo [ ^1 + ] ]",
        &["E0122 1:17", "E0106 2:11"],
    ),
    (
        "A subclass: B [ foo ^ 3.\n bar [ ^ + 4 ] ]",
        &["E0124 1:17", "E0107 2:8"],
    ),
    ("A subclass: B [ foo ]", &["E0124 1:17"]),
    (
        "A subclass: B [ Foo := 3\n bar [ ^ ] ]",
        &["E0126 1:24", "E0107 2:8"],
    ),
    ("A subclass: B [ B class [ |a| foo ] ]", &["E0132 1:31"]),
    ("A subclass: B [ | a 3 | foo [ ] ]", &["E0119 1:21"]),
    ("Foo extends [ bar [ ^1 ] ]", &["E0133 1:5"]),
    ("Object subclass: 3 [ bar [ ^1 ] ]\nx := .", &["E0133 1:20"]),
    (
        "A subclass: B [ foo [ x := . ^ 4 4. y foo: . z ] bar [ ^ ] ]",
        &["E0112 1:25", "E0113 1:34", "E0105 1:39", "E0107 1:56"],
    ),
];

const WARNINGS: &[Row] = &[
    ("x = 3", &[]),
    (
        "Object subclass: A [\n// x [ ^3 ]\n]\nA class >>\n// x [ ^4 ]",
        &[],
    ),
    ("#(+ \n// 3) foo: 3\n// 4", &[]),
    ("x := 3. // four\ny := 4.", &["E0010 1:9"]),
    ("/* three\nfour */ x := 3.", &["E0010 1:1"]),
    ("# three's\nx := 3.", &["E0010 1:1"]),
    ("#(1, 2)", &["W0321 1:4"]),
    ("#(+ , -)", &[]),
];

fn found(source: &str) -> Vec<String> {
    let (_, diagnostics) = parser::parse(source);
    let place = |offset| line_column(source, offset);
    diagnostics
        .iter()
        .map(|diagnostic| {
            let (line, column) = place(diagnostic.span.start);
            format!("{} {line}:{column}", diagnostic.code)
        })
        .collect()
}

#[track_caller]
fn check(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter(|(source, expected)| found(source) != *expected)
        .map(|(source, expected)| format!("{source:?}\n  {expected:?}\n  {:?}", found(source)))
        .collect();
    assert!(
        wrong.is_empty(),
        "text, expected, found:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn errors_inside_tokens() {
    check(LEXICAL);
}

#[test]
fn errors_of_brackets() {
    check(BRACKETS);
}

#[test]
fn errors_of_expressions() {
    check(EXPRESSIONS);
}

#[test]
fn errors_of_literals_and_declarations() {
    check(LITERALS_AND_DECLARATIONS);
}

#[test]
fn errors_of_class_bodies() {
    check(CLASSES);
}

#[test]
fn warnings_of_the_parser() {
    check(WARNINGS);
}

#[test]
fn a_missing_quote_is_reported_where_the_string_begins() {
    let source = "x := 'abc.\ny := 'def'.\nz := 4 foo: 'x' bar ) ].\n";
    assert_eq!(found(source), ["E0001 1:6"]);
}

#[test]
fn a_bad_method_pattern_of_a_browser_is_reported() {
    for source in ["", "3 foo", "foo: 3 ^4", "foo: x bar: 3", "+ ^3"] {
        let (_, diagnostics) = parser::parse_method(source);
        let codes: Vec<&str> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .collect();
        assert_eq!(codes, ["E0120"], "{source}");
    }
    let (method, diagnostics) = parser::parse_method("foo: x | t | t := . ^x +");
    let codes: Vec<&str> = diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect();
    assert_eq!(codes, ["E0112", "E0106"]);
    assert_eq!(method.selector.text, "foo:");
    assert_eq!(method.body.statements.len(), 2);
}

#[test]
fn what_is_right_survives_next_to_what_is_wrong() {
    let (file, _) = parser::parse("a foo. b + . c bar. A subclass: B [ x [ ] y: [ ] z [ ] ]");
    assert_eq!(file.items.len(), 4);
    let tally_compiler::ast::Item::Class(class) = &file.items[3] else {
        panic!("{file:#?}")
    };
    assert_eq!(class.members.len(), 2);
}

#[test]
fn a_diagnostic_shows_its_line_caret_and_help() {
    let source = "a foo.\nx at: put: 3.";
    let (_, diagnostics) = parser::parse(source);
    let expected = "\
error[E0105]: `at:` without an argument
 --> demo.st:2:3
  |
2 | x at: put: 3.
  |   ^^^ expected an argument behind it, found `put:`
  |
  = help: a symbol of several keywords is written `#at:put:`
";
    assert_eq!(
        render::render(&diagnostics, "demo.st", source, false),
        expected
    );
    assert!(render::render(&diagnostics, "demo.st", source, true).contains("\u{1b}["));
}

#[test]
fn columns_count_characters() {
    assert_eq!(line_column("é x", 3), (1, 3));
    assert_eq!(line_column("a\né x", 5), (2, 3));
    assert_eq!(line_column("é", 1), (1, 1));
    assert_eq!(line_column("", 7), (1, 1));
}

#[test]
fn one_diagnostic_names_a_limit() {
    let nested = |depth: usize| format!("x := {}1{}.", "(".repeat(depth), ")".repeat(depth));
    assert!(found(&nested(parser::MOST_NESTING)).is_empty());
    assert_eq!(found(&nested(parser::MOST_NESTING + 1)), ["E0190 1:506"]);
    assert_eq!(found(&nested(100_000)), ["E0190 1:506"]);
    assert_eq!(found(&"[".repeat(100_000)), ["E0190 1:501"]);
    assert_eq!(
        found(&format!("x := #{}", "(".repeat(100_000))),
        ["E0190 1:507"]
    );
}

#[test]
fn an_expression_has_a_greatest_depth() {
    let chain = |length: usize| format!("a{}", " b".repeat(length));
    assert!(found(&chain(parser::MOST_DEPTH as usize - 1)).is_empty());
    assert_eq!(found(&chain(parser::MOST_DEPTH as usize)), ["E0191 1:1"]);
    assert_eq!(found(&chain(300_000)), ["E0191 1:1"]);
    assert_eq!(
        found(&format!("{}3", "x := ".repeat(100_000))),
        ["E0191 1:1"]
    );
    assert_eq!(found(&format!("3{}", ", 4".repeat(100_000))), ["E0191 1:1"]);
}

#[test]
fn errors_have_a_limit() {
    let (_, diagnostics) = parser::parse(&"x foo: ). ".repeat(10_000));
    assert_eq!(diagnostics.len(), parser::MOST_ERRORS + 1);
    assert_eq!(
        diagnostics.last().map(|diagnostic| diagnostic.code),
        Some("E0193")
    );
}

#[test]
fn at_least_twenty_kinds_of_syntax_error_are_told_apart() {
    let rows = [BRACKETS, EXPRESSIONS, LITERALS_AND_DECLARATIONS, CLASSES].concat();
    let mut codes: Vec<&str> = rows
        .iter()
        .flat_map(|row| row.1)
        .map(|found| &found[..5])
        .collect();
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() >= 20, "{codes:?}");
    assert!(
        !codes.contains(&"E0199"),
        "the last resort explains nothing"
    );
}
