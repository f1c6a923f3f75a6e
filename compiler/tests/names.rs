//! Errors and warnings about names: the code, the location, and the text of the hint. Other files test syntax.

use tally_compiler::compile;
use tally_compiler::diagnostic::{Diagnostic, line_column};
use tally_compiler::environment::{ClassShape, UnitEnvironment};

fn environment() -> UnitEnvironment {
    let mut environment = UnitEnvironment::new();
    let root = ClassShape {
        instance_variables: vec!["root".into()],
        ..ClassShape::default()
    };
    environment.add_class("Object", root);
    environment.add_class(
        "OrderedCollection",
        ClassShape {
            superclass: Some("Object".into()),
            ..ClassShape::default()
        },
    );
    environment.add_global("Transcript");
    for selector in ["foo", "collect:", "at:put:", "+", "value", "new", "printNl"] {
        environment.add_selector(selector);
    }
    environment
}

fn diagnostics(source: &str) -> Vec<Diagnostic> {
    let compiled = compile("test.st", source, &environment());
    let has_error = compiled.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(compiled.unit.is_none(), has_error);
    for one in &compiled.diagnostics {
        if one.code.starts_with("E02") || one.code.starts_with("W03") {
            assert!(!one.label.is_empty() && one.help.is_some(), "{one:?}");
        }
        assert!(
            one.span.start < one.span.end && one.span.end as usize <= source.len(),
            "{one:?}"
        );
    }
    compiled.diagnostics
}

/// Expects exactly these diagnostics, `code line:column`.
#[track_caller]
fn check(source: &str, expected: &[&str]) -> Vec<Diagnostic> {
    let all = diagnostics(source);
    let found: Vec<String> = all
        .iter()
        .map(|one| {
            let (line, column) = line_column(source, one.span.start);
            format!("{} {line}:{column}", one.code)
        })
        .collect();
    assert_eq!(found, expected, "{source}\n{all:#?}");
    all
}

#[track_caller]
fn check_help(source: &str, expected: &[&str], help: &str) {
    let all = check(source, expected);
    assert!(
        all.iter()
            .any(|one| one.help.as_deref().is_some_and(|h| h.contains(help))),
        "{all:#?}"
    );
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    check_help(
        "Object subclass: A [ m: count [ ^ cuont foo ] ]",
        &["E0201 1:35"],
        "`count`",
    );
    check_help(
        "OrderdCollection new",
        &["E0201 1:1"],
        "`OrderedCollection`",
    );
    check_help(
        "Object subclass: A [ m [ ^ zork ] ]",
        &["E0201 1:28"],
        "| zork |",
    );
    check_help(
        "Object subclass: A [ m [ zork := 3 ] ]",
        &["E0201 1:26"],
        "| zork |",
    );
    check_help("zork foo", &["E0201 1:1"], "assign `zork`");
    check("Eval [ zork foo ]", &["E0201 1:8"]);
    check("x := #{Zork}. x foo", &["E0201 1:6"]);
}

#[test]
fn inherited_variables_are_known() {
    check(
        "Object subclass: A [ | a | m [ ^ root + a ] ]\nA subclass: B [ n [ ^ a + root ] ]",
        &[],
    );
    check(
        "Object subclass: A [ | a | A class >> m [ ^ a ] ]",
        &["E0201 1:45"],
    );
    check(
        "Object subclass: A [ X := 3. A class [ | k | ] A class >> m [ ^ X + k ] ]",
        &[],
    );
    check(
        "Object subclass: A [ X := 3. ] A subclass: B [ m [ ^ X ] ] B class extend [ n [ X := 4 ] ]",
        &[],
    );
}

#[test]
fn script_variables_are_invisible_in_class_bodies() {
    check(
        "x := 3.\nObject subclass: A [ m [ ^ x ] ]\nx foo",
        &["E0201 2:28"],
    );
    check("x := 3.\nEval [ x foo ]", &["E0201 2:8"]);
}

#[test]
fn what_can_not_be_assigned_is_refused() {
    check("Object subclass: A [ m: x [ x := 3 ] ]", &["E0202 1:29"]);
    check(
        "Object subclass: A [ m [ ^ [ :x | x := 3 ] ] ]",
        &["E0202 1:35"],
    );
    check(
        "Object subclass: A [ m [ 1 to: 3 do: [ :i | i := 3 ] ] ]",
        &["E0202 1:45"],
    );
    check("Object := 3", &["E0203 1:1"]);
    check("Transcript := 3", &[]);
}

#[test]
fn names_are_declared_once() {
    check("Object subclass: A [ m: x [ | x | ^ x ] ]", &["E0204 1:31"]);
    check("Object subclass: A [ m [ | x x | ^ x ] ]", &["E0204 1:30"]);
    check(
        "Object subclass: A [ | a a root | ]",
        &["E0210 1:26", "E0210 1:28"],
    );
    check(
        "Object subclass: A [ m [ ] m [ ] A class >> m [ ] ]",
        &["E0205 1:28"],
    );
    check("| x |\n| x |\nx := 3. x foo", &["W0306 2:3"]);
}

#[test]
fn super_and_this_context_have_their_places() {
    check("Object subclass: A [ foo [ ^ super foo ] ]", &[]);
    check("Object subclass: A [ foo [ ^ super ] ]", &["E0206 1:30"]);
    check("super foo", &["E0206 1:1"]);
    check("Object subclass: A [ foo [ ^ thisContext ] ]", &[]);
}

#[test]
fn definitions_need_a_class() {
    check_help(
        "OrderedColection subclass: A [ ]",
        &["E0208 1:1"],
        "`OrderedCollection`",
    );
    check("Zork extend [ m [ ] ]", &["E0208 1:1"]);
    check("Zork >> m [ ]", &["E0208 1:1"]);
    check("nil subclass: A [ ]", &[]);
}

#[test]
fn pragmas_that_the_machine_reads_are_checked() {
    check(
        "Object subclass: A [ m [ <primitive: #(1)> ] ]",
        &["E0211 1:26"],
    );
    check(
        "Object subclass: A [ m [ <frame: #sideways> ] ]",
        &["E0211 1:26"],
    );
    check("Object subclass: A [ <shape: #round> ]", &["E0211 1:22"]);
}

#[test]
fn unused_temporaries_are_pointed_out() {
    check(
        "Object subclass: A [ m [ | x y z | y := 3. ^ z ] ]",
        &["W0301 1:28", "W0301 1:30"],
    );
    check(
        "Object subclass: A [ m: x [ ^ [ :y | | z | 3 ] ] ]",
        &["W0301 1:40"],
    );
    check("| x |", &["W0301 1:3"]);
    let read = "Object subclass: A [ m [ <frame: #ensure> | x | x := 3 ] ]";
    let compiled = compile("test.st", read, &environment().for_library());
    assert_eq!(compiled.diagnostics, []);
}

#[test]
fn programs_bind_what_is_open() {
    for primitive in tally_vm::primitives::all() {
        let source = format!(
            "Object subclass: A [ m [ <primitive: #'{}'> ] ]",
            primitive.name
        );
        let expected = if primitive.is_open {
            None
        } else {
            Some("E0216 1:26")
        };
        check(&source, &expected.into_iter().collect::<Vec<_>>());
        let compiled = compile("test.st", &source, &environment().for_library());
        assert_eq!(compiled.diagnostics, [], "{source}");
    }
    for kind in [
        "ensure",
        "curtailed",
        "handler",
        "handling",
        "signal",
        "silent",
        "counted",
        "machinery",
    ] {
        let source = format!("Object subclass: A [ m [ <frame: #{kind}> ] ]");
        check(&source, &["E0216 1:26"]);
        check(
            &source
                .replace("A [", "A class [")
                .replace("Object subclass: A class", "Object class extend"),
            &["E0216 1:27"],
        );
    }
    for unknown in ["60", "intAdd", "'som:Block>>value'", "#'som:unknown2'"] {
        let source = format!("Object subclass: A [ m [ <primitive: {unknown}> ^3 ] ]");
        let all = check(&source, &["W0307 1:26"]);
        assert!(!all[0].is_error());
    }
}

#[test]
fn shadowing_is_pointed_out() {
    check(
        "Object subclass: A [ | a | m [ | a | ^ a ] ]",
        &["W0302 1:34"],
    );
    check(
        "Object subclass: A [ m: x [ ^ [ :x | x ] ] ]",
        &["W0302 1:34"],
    );
    check("x := 3. [ :x | x ] foo. x foo", &["W0302 1:12"]);
}

#[test]
fn unimplemented_selectors_are_pointed_out() {
    check_help("3 colect: [ :x | x ]", &["W0303 1:3"], "`collect:`");
    check_help("3 at: 4 putt: 5", &["W0303 1:9"], "`at:put:`");
    check("3 zork", &["W0303 1:3"]);
    check("3 zork. Object subclass: A [ zork [ ] ]", &[]);
    check("3 foo; zork; foo", &["W0303 1:8"]);
    check("true ifTrue: [ 3 foo ]", &[]);
}

#[test]
fn a_use_before_the_definition_is_pointed_out() {
    check(
        "A new.\nObject subclass: A [ m [ ^ B ] ]\nObject subclass: B [ ]",
        &["W0304 1:1"],
    );
    check("A subclass: B [ ]\nObject subclass: A [ ]", &["W0304 1:1"]);
}

#[test]
fn a_syntax_error_hides_what_may_follow_from_it() {
    check("x := 3\ny := 4.\nx foo", &["E0113 1:6"]);
    check("zork foo. 3 bar.\n3 + .\n", &["E0201 1:1", "E0106 2:3"]);
}

#[test]
fn a_missing_period_before_a_variable_explains_its_statement() {
    check(
        "Transcript show: 'a'\nTranscript show: 'b'.",
        &["E0113 1:20"],
    );
    check("| a | a := 3. a foo: 4\na foo: 5.", &["E0113 1:22"]);
    check("3 Zork", &["W0390 1:3"]);
}

#[test]
fn statements_behind_a_return_are_pointed_out() {
    check(
        "Object subclass: A [ m [ ^ 3. 4 foo. 5 foo ] ]",
        &["W0305 1:31"],
    );
    check(
        "Object subclass: A [ m [ 3 foo ifTrue: [ ^ 3. 4 foo ] ] ]",
        &["W0305 1:47"],
    );
    check("^ 3.\n4 foo.\n5 foo", &["W0305 2:1"]);
}

#[test]
fn a_reserved_word_is_a_message_only_if_it_is_implemented() {
    check_help("Transcript foo self foo", &["E0113 1:16"], "a period");
    check(
        "Object subclass: A [ true [ ^ 3 ] ]. A new true. A new nil",
        &["E0113 1:56"],
    );
}
