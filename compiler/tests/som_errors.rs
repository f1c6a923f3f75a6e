//! The diagnostics of invalid SOM classes and their locations. Each row has the code and line:column of every
//! diagnostic.

use tally_compiler::diagnostic::line_column;
use tally_compiler::environment::{ClassShape, UnitEnvironment};
use tally_compiler::{render, som};

/// A text and its diagnostics, `code line:column` each.
type Row = (&'static str, &'static [&'static str]);

const LEXICAL: &[Row] = &[
    ("Foo = ( m = ( ^'abc ) )", &["E0001 1:16"]),
    ("Foo = (\n  \"comment\n  m = ( ) )", &["E0002 2:3"]),
    (
        "Foo = ( m = ( a ; b. ^3 ? ) )",
        &["E0014 1:17", "E0006 1:25"],
    ),
    ("Foo = ( m = ( ^{1. 2} ) )", &["E0014 1:16"]),
    ("Foo = ( m = ( ^$a ) )", &["E0014 1:16"]),
    ("Foo = ( m = ( ^“text” ) )", &["E0014 1:16", "E0014 1:21"]),
    (
        "Foo = ( m = ( a foo: # . ^#[1 2] foo: 3 ) )",
        &["E0008 1:22", "E0014 1:27"],
    ),
    (
        r"Foo = ( m = ( ^'a\xb\\' foo: #'\q' ) )",
        &["E0013 1:18", "E0013 1:32"],
    ),
    ("Foo = ( m = ( ^#'abc ) )", &["E0011 1:16"]),
];

const BRACKETS: &[Row] = &[
    ("Foo = (\n  m = ( ^1 )\n", &["E0101 1:7"]),
    (
        "Foo = (\n  m = (\n    ^1\n  n = (\n    ^2 )\n)",
        &["E0101 2:7"],
    ),
    (
        "Foo = (\n  m = ( ^(1 + 2 )\n  n = ( ^2 )\n)",
        &["E0101 2:7"],
    ),
    (
        "Foo = (\n  m = ( ^1\n  ----\n  n = ( ^2 )\n)",
        &["E0101 2:7"],
    ),
    (
        "Foo = (\n  m = ( a do: [ :x | x ) \n  n = ( ^2 )\n)",
        &["E0101 2:15"],
    ),
    ("Foo = (\n  m = ( ^1 ] )\n)", &["E0102 2:12"]),
    ("Foo = (\n  m = ( ^1 ) )\n  n = ( ^2 )\n)", &["E0143 3:3"]),
    ("Foo = ( m = ( ^1 ) ) Bar = ( )", &["E0143 1:22"]),
    // A statement that looks like a method is none as long as the brackets are right.
    ("Foo = (\n  m = (\n  a = (b)\n  )\n)", &[]),
];

const OUTLINE: &[Row] = &[
    ("", &["E0140 1:1"]),
    ("Foo", &["E0140 1:4"]),
    ("Foo := ( )", &["E0140 1:5"]),
    ("Foo = Bar Baz ( )", &["E0140 1:11"]),
    ("Foo = 3", &["E0140 1:7"]),
    ("Object subclass: Foo [ ]", &["E0140 1:8"]),
    ("Foo = ( | a b\n  m = ( ^a )\n)", &["E0119 2:5"]),
    ("Foo = ( m = ( ^1 ). n = ( ^2 ) )", &["E0121 1:19"]),
    ("Foo = ( m = ( ^1 ) | a | n = ( ^2 ) )", &["E0121 1:20"]),
    ("Foo = ( 3 m = ( ^1 ) )", &["E0121 1:9"]),
    ("Foo = ( m ( ^1 )\n n = ( ^2 ) )", &["E0124 1:9"]),
    ("Foo = ( m = ^1.\n n = ( ^2 ) )", &["E0124 1:9"]),
    ("Foo = ( at: x put: = ( ) n = ( ^2 ) )", &["E0124 1:9"]),
    ("Foo = ( at: = ( )\n n = ( ^2 ) )", &["E0120 1:13"]),
    ("Foo = ( + = ( )\n n = ( ^2 ) )", &["E0120 1:11"]),
    ("Foo = ( ---- a = ( ) ---- b = ( ) )", &["E0142 1:22"]),
];

const STATEMENTS: &[Row] = &[
    ("Foo = ( m = ( ^1. 2 ) )", &["E0144 1:19"]),
    (
        "Foo = ( m = ( a do: [ ^1. 2. 3 ]. ^^4 ) )",
        &["E0144 1:27", "E0107 1:35"],
    ),
    (
        "Foo = ( m = ( a foo.. b. [ . ] ) )",
        &["E0145 1:21", "E0145 1:28"],
    ),
    ("Foo = ( m = ( a foo. | b | b ) )", &["E0128 1:22"]),
    ("Foo = ( m = ( | a 3 | ^a ) )", &["E0119 1:19"]),
    (
        "Foo = ( m = ( a foo\n 3 bar. a + . ^ ) )",
        &["E0113 1:17", "E0106 2:11", "E0107 2:15"],
    ),
    (
        "Foo = ( m = ( a at: put: 3. x := . a ) )",
        &["E0105 1:17", "E0112 1:31"],
    ),
    (
        "Foo = ( m = ( (). (a. b) foo ) )",
        &["E0104 1:15", "E0114 1:21"],
    ),
    (
        "Foo = ( m = ( [:a b] value. [: 3 | a] ) )",
        &["E0118 1:19", "E0117 1:32"],
    ),
    ("Foo = ( m = ( [:a] value ) )", &["E0118 1:18"]),
    ("Foo = ( m = ( ^#( foo (1) ) ) )", &["E0115 1:19"]),
    (
        "Foo = ( m = ( + 3. foo: 4. a : b ) )",
        &["E0128 1:15", "E0129 1:20", "E0130 1:30"],
    ),
    (
        "Foo = ( m = ( a foo := 3. 'x' := 4 ) )",
        &["E0111 1:21", "E0111 1:31"],
    ),
    ("Foo = ( m = ( 'it''s' print ) )", &["E0113 1:19"]),
];

const NAMES: &[Row] = &[
    ("Foo = Missing ( )", &["E0208 1:7"]),
    (
        "Foo = Base ( | a inherited a | )",
        &["E0210 1:18", "E0210 1:28"],
    ),
    ("Foo = ( ---- | a a | )", &["E0210 1:18"]),
    ("Foo = ( a: x b: x = ( ) )", &["E0204 1:17"]),
    (
        "Foo = ( m = ( counter := 3. Foo := 4. thisContext := 5 ) )",
        &["E0201 1:15", "E0201 1:29", "E0201 1:39"],
    ),
    (
        "Foo = ( m = ( self := 3. super := 4. nil := 5 ) )",
        &["E0110 1:15", "E0110 1:26", "E0110 1:38"],
    ),
    (
        "Foo = ( | self | m: nil = ( | true | ^[ :super | 1 ] ) )",
        &["E0134 1:11", "E0134 1:21", "E0134 1:31", "E0134 1:42"],
    ),
    ("Foo = ( m = ( a self ) )", &["E0113 1:17"]),
];

fn environment() -> UnitEnvironment {
    let mut environment = UnitEnvironment::new();
    environment.add_class("Object", ClassShape::default());
    environment.add_class(
        "Base",
        ClassShape {
            superclass: Some("Object".to_owned()),
            instance_variables: vec!["inherited".to_owned()],
            ..ClassShape::default()
        },
    );
    environment
}

#[track_caller]
fn check(rows: &[Row]) {
    let mut wrong = String::new();
    for (source, expected) in rows {
        let compiled = som::compile("test.som", source, &environment());
        assert_eq!(compiled.unit.is_some(), expected.is_empty(), "{source}");
        let found: Vec<String> = compiled
            .diagnostics
            .iter()
            .map(|one| {
                let (line, column) = line_column(source, one.span.start);
                format!("{} {line}:{column}", one.code)
            })
            .collect();
        if found != *expected {
            let shown = render::render(&compiled.diagnostics, "test.som", source, false);
            wrong.push_str(&format!(
                "{source}\nexpected {expected:?}\nfound {found:?}\n{shown}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
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
fn errors_of_the_class_around_its_methods() {
    check(OUTLINE);
}

#[test]
fn errors_of_statements() {
    check(STATEMENTS);
}

#[test]
fn errors_of_names() {
    check(NAMES);
}

#[test]
fn at_least_twenty_kinds_of_error_are_told_apart() {
    let mut codes: Vec<&str> = [LEXICAL, BRACKETS, OUTLINE, STATEMENTS, NAMES]
        .iter()
        .flat_map(|rows| rows.iter())
        .flat_map(|(_, expected)| expected.iter())
        .filter_map(|row| row.split(' ').next())
        .collect();
    codes.sort_unstable();
    codes.dedup();
    assert!(codes.len() >= 20, "{codes:?}");
}

#[test]
fn an_error_shows_the_place_what_is_expected_and_the_remedy() {
    let source = "Foo = (\n  m = (\n    ^1. 2\n  )\n)\n";
    let compiled = som::compile("Foo.som", source, &environment());
    let shown = render::render(&compiled.diagnostics, "Foo.som", source, false);
    let expected = "\
error[E0144]: nothing can follow the statement with the `^`
 --> Foo.som:3:9
  |
3 |     ^1. 2
  |         ^ expected the end of the method or block
  |
  = help: remove what is never reached, or the `^` before it
";
    assert_eq!(shown, expected);
}

#[test]
fn a_header_that_cannot_be_read_is_an_error() {
    let errors = som::header("'never closed").expect_err("no header");
    assert!(errors.iter().all(|error| error.is_error()));
    assert_eq!(
        som::header("Foo := 3").map_err(|errors| errors[0].code),
        Err("E0140")
    );
}
