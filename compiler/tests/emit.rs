//! Compares small sources with their code. Every unit that is compiled here passes the checker. How the machine runs
//! the code is not tested here.

#[path = "support/checker.rs"]
mod checker;

use tally_compiler::environment::{ClassShape, EmptyEnvironment, Environment, UnitEnvironment};
use tally_compiler::{compile, compile_all};
use tally_vm::bytecode::{Code, Definition, FrameKind, GlobalRef, Kind, Literal, Quick, Unit};

fn environment() -> UnitEnvironment {
    let mut environment = UnitEnvironment::new();
    for name in ["Object", "Class", "Array"] {
        let superclass = (name != "Object").then(|| "Object".to_owned());
        environment.add_class(
            name,
            ClassShape {
                superclass,
                ..ClassShape::default()
            },
        );
    }
    environment.add_global("Transcript");
    environment.add_global("Smalltalk");
    environment.for_library()
}

#[track_caller]
fn unit(source: &str) -> Unit {
    let compiled = compile("test.st", source, &environment());
    let Some(unit) = compiled.unit else {
        let errors: Vec<_> = compiled
            .diagnostics
            .iter()
            .filter(|one| one.is_error())
            .collect();
        panic!("{}\n{errors:#?}", &source[..source.len().min(500)])
    };
    checker::check_unit(&unit);
    unit
}

/// The code of the only method of a class with the instance variables a and b.
#[track_caller]
fn method(text: &str) -> Code {
    let unit = unit(&format!("Object subclass: Foo [ | a b | {text} ]"));
    match unit.definitions.into_iter().next() {
        Some(Definition::Class(class)) => class.methods.into_iter().next().expect("a method").code,
        other => panic!("{other:?}"),
    }
}

fn listing(code: &Code) -> String {
    let mut listing = checker::listing(&code.words, code);
    for block in &code.blocks {
        listing.push_str("--\n");
        listing.push_str(&checker::listing(&block.words, code));
    }
    listing
}

#[track_caller]
fn same_listing(code: &Code, expected: &str) {
    let listing = listing(code);
    let lines = |text: &str| {
        text.lines()
            .map(|l| l.trim().to_owned())
            .filter(|l| !l.is_empty())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&listing), lines(expected), "\n{listing}");
}

#[track_caller]
fn check(text: &str, expected: &str) {
    same_listing(&method(text), expected);
}

#[track_caller]
fn names(text: &str, wanted: &[&str], unwanted: &[&str]) {
    let code = method(text);
    let listing = listing(&code);
    let has = |name: &str| listing.split_whitespace().any(|word| word == name);
    for name in wanted {
        assert!(has(name), "no {name} in\n{listing}");
    }
    for name in unwanted {
        assert!(!has(name), "{name} in\n{listing}");
    }
}

#[test]
fn an_answer_is_returned_from_the_side_that_has_it() {
    check(
        "fib: n [ ^ n < 2 ifTrue: [ n ] ifFalse: [ (self fib: n - 1) + (self fib: n - 2) ] ]",
        "0 LessIntJump r1 #2 n0 `<` @4 =r2
         1 JumpFalse r2 ->3
         2 Return r1
         3 SubtractInt r1 #1 `-` @7 =r5
         4 Send r0 r5 n1 `fib:` @4 =r2
         5 SubtractInt r1 #2 `-` @8 =r6
         6 Send r0 r6 n1 `fib:` @5 =r3
         7 Add r2 r3 `+` @6 =r6
         8 Return r6",
    );
}

#[test]
fn an_operand_is_read_before_a_later_one_assigns_it() {
    check(
        "m: x [ | y | y := x. ^ y + (y := 3) ]",
        "0 Move r2 r1
         1 Move r3 r2
         2 LoadInt r2 3
         3 Move r4 r2
         4 Add r3 r4 `+` @7 =r7
         5 Return r7",
    );
}

#[test]
fn a_counting_loop_keeps_step_and_test_together() {
    check(
        "m [ | s | s := 0. 1 to: 10 do: [ :i | s := s + i ]. ^ s ]",
        "0 LoadInt r1 0
         1 LoadInt r2 1
         2 LoadInt r3 10
         3 LoadInt r4 1
         4 Jump ->7
         5 Add r1 r2 `+` @7 =r1
         6 LoopStepUp r2 r3 r4 `+` @7 =r2
         7 LoopTestUp r2 r3 `<=` @7 =r5
         8 LoopTrue r5 ->5
         9 Return r1",
    );
}

#[test]
fn a_loop_index_is_copied_into_blocks_and_the_loop_answers_its_start() {
    check(
        "m [ ^ 10 to: 1 by: -2 do: [ :i | [ i ] value ] ]",
        "0 LoadInt r1 10
         1 Move r2 r1
         2 LoadInt r3 1
         3 LoadInt r4 -2
         4 Jump ->8
         5 MakeBlock r7 r1 n1 0
         6 Send r7 r7 n0 `value` @7 =r7
         7 LoopStepDown r1 r3 r4 `+` @7 =r1
         8 LoopTestDown r1 r3 `>=` @7 =r5
         9 LoopTrue r5 ->5
         10 Return r2
         --
         0 LoadCaptured r1 r0 0
         1 Return r1",
    );
}

#[test]
fn a_limit_that_the_body_assigns_is_taken_once() {
    let code =
        method("m: n [ | k | k := n. 1 to: k do: [ :i | k := k - 1 ]. 1 to: n do: [ :i | ] ]");
    let listing = listing(&code);
    assert!(listing.contains("Move r4 r2"), "{listing}");
    assert!(listing.contains("LoopTestUp r3 r1"), "{listing}");
}

#[test]
fn conditions_of_and_and_or_become_chains_of_jumps() {
    check(
        "m: x [ [ x < 3 and: [ x > 0 or: [ a ] ] ] whileTrue: [ x foo ] ]",
        "0 Jump ->2
         1 Send r1 r1 n0 `foo` @4 =r4
         2 LessIntJump r1 #3 n0 `<` @4 =r2
         3 JumpFalse r2 ->8
         4 GreaterInt r1 #0 `>` @4 =r4
         5 LoopTrue r4 ->1
         6 LoadIvar r2 r0 0
         7 LoopTrue r2 ->1
         8 Return r0",
    );
}

#[test]
fn the_first_repetition_counts_like_the_others() {
    check(
        "m [ [ a foo ] repeat ]",
        "0 Loop ->1
         1 LoadIvar r3 r0 0
         2 Send r3 r3 n0 `foo` @3 =r3
         3 Loop ->1",
    );
    check(
        "m [ [ a foo ] whileFalse ]",
        "0 LoadIvar r3 r0 0
         1 Send r3 r3 n0 `foo` @3 =r3
         2 LoopFalse r3 ->0
         3 Return r0",
    );
}

#[test]
fn a_variable_that_changes_after_its_capture_lives_in_a_cell() {
    check(
        "m [ | f | f := nil. f := [ :n | f value: n ]. ^ f value: 3 ]",
        "0 LoadNil r1
         1 MakeCell r1 r1
         2 LoadNil r2
         3 StoreCell r2 r1
         4 MakeBlock r2 r1 n1 0
         5 StoreCell r2 r1
         6 LoadCell r4 r1
         7 LoadInt r5 3
         8 Send r4 r5 n1 `value:` @4 =r4
         9 Return r4
         --
         0 LoadCaptured r4 r0 0
         1 LoadCell r4 r4
         2 Send r4 r1 n1 `value:` @4 =r4
         3 Return r4",
    );
}

#[test]
fn cells_are_made_only_where_a_copy_would_go_stale() {
    let cell = ["MakeCell"];
    names("m [ | x | x := 3. ^ [ x ] ]", &["LoadCaptured"], &cell);
    names("m [ | x | x := 3. [ x ] value. x := 4. ^ x ]", &cell, &[]);
    names("m [ | x | [ x := 3 ] value. ^ x ]", &cell, &[]);
    names(
        "m [ | x | [ a ] whileTrue: [ x := a foo. a bar: [ x ] ] ]",
        &cell,
        &[],
    );
    names(
        "m [ [ a ] whileTrue: [ | x | x := a foo. a bar: [ x ] ] ]",
        &["LoadCaptured"],
        &cell,
    );
    names("m: x [ ^ [ [ x ] ] ]", &["LoadCaptured"], &cell);
    names(
        "m [ a do: [ :x | a foo: [ x ] ] ]",
        &["LoadCaptured"],
        &cell,
    );
}

#[test]
fn a_temporary_starts_as_nil_unless_it_is_assigned_first() {
    names("m [ | x | x := 3. ^ x ]", &[], &["LoadNil"]);
    names("m [ | x | a ifTrue: [ x := 3 ]. ^ x ]", &["LoadNil"], &[]);
    names("m [ | x | ^ x ]", &["LoadNil"], &[]);
    names("m [ | x y | x := (y := 3) + y. ^ x ]", &[], &["LoadNil"]);
}

#[test]
fn a_return_from_a_block_marks_its_home() {
    check(
        "m: c [ c do: [ :e | a := a + e. e > 3 ifTrue: [ ^ e ] ] ]",
        "0 MarkFrame r0 n0 0
         1 MakeBlock r5 r0 n1 0
         2 Send r1 r5 n1 `do:` @4 =r4
         3 Return r0
         --
         0 LoadCaptured r2 r0 0
         1 LoadIvar r3 r2 0
         2 Add r3 r1 `+` @6 =r3
         3 StoreIvar r3 r2 0
         4 GreaterIntJump r1 #3 n0 `>` @5 =r3
         5 JumpFalse r3 ->7
         6 NonLocalReturn r1 r0
         7 LoadNil r3
         8 Return r3",
    );
    let code = method("m [ ^ [ [ ^ 3 ] ] ]");
    assert!(code.blocks.iter().all(|block| block.returns_home));
    let code = method("m [ <frame: #ensure> ^ [ ^ 3 ] ]");
    assert_eq!(code.words[0] >> 32, FrameKind::Ensure as u64);
}

#[test]
fn temporaries_that_the_machine_reads_start_as_nil() {
    check(
        "m [ <frame: #ensure> | done | a value. done := true ]",
        "0 MarkFrame r0 n1 1
         1 LoadNil r1
         2 LoadIvar r4 r0 0
         3 Send r4 r4 n0 `value` @4 =r4
         4 LoadTrue r1
         5 Return r0",
    );
}

#[test]
fn the_not_nil_side_takes_the_receivers_register() {
    check(
        "m: x [ ^ x foo ifNil: [ 3 ] ifNotNil: [ :v | v bar: v ] ]",
        "0 Send r1 r1 n0 `foo` @4 =r2
         1 JumpNotNil r2 ->4
         2 LoadInt r3 3
         3 Return r3
         4 Send r2 r2 n1 `bar:` @5 =r5
         5 Return r5",
    );
}

#[test]
fn a_cascade_keeps_its_receiver_and_is_never_inlined() {
    check(
        "m: x [ x foo; bar: 3; at: 1 put: { x. self } ]",
        "0 Send r1 r1 n0 `foo` @4 =r4
         1 LoadInt r5 3
         2 Send r1 r5 n1 `bar:` @4 =r4
         3 LoadInt r5 1
         4 NewArray r6 2
         5 StoreElement r1 r6 0
         6 StoreElement r0 r6 1
         7 Send r1 r6 n2 `at:put:` @4 =r4
         8 Return r0",
    );
    names(
        "m: x [ x foo; ifTrue: [ 3 ] ]",
        &["MakeBlock", "`ifTrue:`"],
        &["JumpFalse"],
    );
}

#[test]
fn control_messages_with_other_arguments_are_sent() {
    for (text, selector) in [
        ("a ifTrue: b", "`ifTrue:`"),
        ("a ifTrue: [ 1 ] ifFalse: 2", "`ifTrue:ifFalse:`"),
        ("a ifTrue: [ :x | x ]", "`ifTrue:`"),
        ("a and: b", "`and:`"),
        ("a whileTrue: [ 1 ]", "`whileTrue:`"),
        ("[ :x | x ] whileTrue: [ 1 ]", "`whileTrue:`"),
        ("1 to: 3 do: b", "`to:do:`"),
        ("1 to: 3 do: [ 4 ]", "`to:do:`"),
        ("1 to: 3 by: a do: [ :i | i ]", "`to:by:do:`"),
        ("1 to: 3 by: 0 do: [ :i | i ]", "`to:by:do:`"),
        ("a ifNotNil: [ :x :y | x ]", "`ifNotNil:`"),
        ("super ifTrue: [ 3 ]", "`ifTrue:`"),
        ("a timesRepeat: b", "`timesRepeat:`"),
    ] {
        let text = format!("m [ ^ {text} ]");
        names(
            &text,
            &[selector],
            &["JumpFalse", "LoopTestUp", "LoopTrue", "Loop"],
        );
    }
}

#[test]
fn quick_methods_are_what_the_model_says() {
    assert_eq!(method("m [ ]").quick, Some(Quick::ReturnSelf));
    assert_eq!(method("m: x [ ^ self ]").quick, Some(Quick::ReturnSelf));
    assert_eq!(method("m [ ^ b ]").quick, Some(Quick::ReturnIvar(0)));
    assert_eq!(method("m: x [ b := x ]").quick, Some(Quick::StoreIvar(0)));
    let code = method("m [ ^ nil ]");
    assert_eq!(
        (code.quick, code.literals),
        (Some(Quick::ReturnLiteral(0)), vec![Literal::Nil])
    );
    assert_eq!(
        method("m [ ^ #(1 2) ]").quick,
        Some(Quick::ReturnLiteral(0))
    );
    assert_eq!(method("m: x [ b := x. ^ self ]").quick, None);
    assert_eq!(method("m: x y: y [ b := y ]").quick, None);
    assert_eq!(method("m: x [ ^ x ]").quick, None);
    assert_eq!(method("m [ <primitive: foo> ^ 3 ]").quick, None);
}

#[test]
fn literals_are_shared_within_a_method() {
    let code = method("m [ ^ { 'a'. 'a'. #a. 1.5. 1.5. 0.0. -0.0. 100000000000. 5. #(1). #(1) } ]");
    assert_eq!(code.literals.len(), 8);
}

#[test]
fn primitives_and_pragmas_are_kept() {
    let code = method("m [ <primitive: intAdd> <category: 'x'> <foo: 3 bar: #z> ^ 3 ]");
    assert_eq!(code.primitive.as_deref(), Some("intAdd"));
    assert_eq!(code.pragmas.len(), 3);
}

#[test]
fn a_digest_does_not_depend_on_line_ends() {
    assert_eq!(method("m [\n ^ 3 ]").digest, method("m [\r\n ^ 3 ]").digest);
    assert_ne!(method("m [ ^ 3 ]").digest, method("m [ ^ 4 ]").digest);
}

#[test]
fn a_script_carries_out_definitions_and_statements_in_order() {
    let unit = unit(
        "Object subclass: Bar [ Count := 3. Bar class [ | k | ] <comment: 'c'> <shape: #byte> \
         foo [ ^ Count ] Bar class >> k [ ^ k ] ]\n\
         Bar >> a [ ] Bar class >> b [ ]\n\
         Eval [ t := 3. t foo ]\n\
         x := 4. k := Bar new. [ x := x + 1 ] value. k foo: x",
    );
    same_listing(
        &unit.script,
        "0 Define 0
         1 LoadGlobal r3 0
         2 Evaluate 1 @3 =r3
         3 StoreGlobal r3 1
         4 Define 2
         5 LoadNil r3
         6 Evaluate 3 @3 =r3
         7 LoadNil r1
         8 MakeCell r1 r1
         9 LoadInt r2 4
         10 StoreCell r2 r1
         11 LoadGlobal r5 0
         12 Send r5 r5 n0 `new` @5 =r2
         13 MakeBlock r5 r1 n1 0
         14 Send r5 r5 n0 `value` @5 =r5
         15 LoadCell r6 r1
         16 Send r2 r6 n1 `foo:` @5 =r5
         17 Return r5
         --
         0 LoadCaptured r1 r0 0
         1 LoadCell r1 r1
         2 AddInt r1 #1 `+` @4 =r1
         3 LoadCaptured r2 r0 0
         4 StoreCell r1 r2
         5 Return r1",
    );
    let Definition::Class(class) = &unit.definitions[0] else {
        panic!()
    };
    assert_eq!(
        (class.kind, class.comment.as_str()),
        (Some(Kind::Bytes), "c")
    );
    assert_eq!(class.class_variables, ["Count"]);
    assert_eq!(class.class_instance_variables, ["k"]);
    assert_eq!(class.methods.len(), 2);
    let count = GlobalRef::ClassVariable {
        class: "Bar".into(),
        name: "Count".into(),
    };
    assert_eq!(class.methods[0].code.globals, [count]);
    assert_eq!(class.methods[1].code.quick, Some(Quick::ReturnIvar(0)));
    let Definition::Extension { methods, .. } = &unit.definitions[2] else {
        panic!()
    };
    assert_eq!(methods.len(), 2);
}

#[test]
fn classes_made_by_messages_are_known() {
    unit(
        "Object subclass: #Foo instanceVariableNames: 'p q' classVariableNames: 'Zork' package: 'X'.\n\
         Foo class instanceVariableNames: 'r'.\n\
         Smalltalk at: #Total put: 3.\n\
         Object subclass: #Baz.\n\
         Foo extend [ | s | m [ ^ p + q + s + Zork + Total ] ]\n\
         Foo class extend [ m [ ^ r + Zork ] ]\n\
         Baz >> x [ Total := Foo new ]\n\
         Eval [ Smalltalk.Foo new foo ]",
    );
}

#[test]
fn files_compiled_together_see_each_others_classes() {
    let files = [
        ("a.st", "Object subclass: A [ | x | m [ ^ B new zork ] ]"),
        (
            "b.st",
            "A subclass: B [ zork [ ^ x ] B class >> new [ ^ super new ] ]",
        ),
    ];
    let compiled = compile_all(&files, &environment());
    let units: Vec<Unit> = compiled
        .into_iter()
        .map(|one| one.unit.expect("a unit"))
        .collect();
    units.iter().for_each(checker::check_unit);
    let environment = UnitEnvironment::from_units(&units);
    assert!(environment.understands("zork"));
    assert_eq!(
        environment
            .class("B")
            .and_then(|shape| shape.superclass)
            .as_deref(),
        Some("A")
    );
    let later = compile("c.st", "B extend [ y [ ^ x zork ] ]", &environment);
    assert!(
        later.unit.is_some() && later.diagnostics.is_empty(),
        "{:?}",
        later.diagnostics
    );
}

#[test]
fn three_hundred_temporaries_work() {
    let names: Vec<String> = (0..300).map(|n| format!("t{n}")).collect();
    let assign = |name: &String| format!("{name} := x foo: {name}. ");
    let sum = names.join(" + ");
    let text = format!(
        "m: x [ | {} | {} 1 to: t299 do: [ :i | t280 := x at: t281 put: i ]. \
         t5 < t290 ifTrue: [ t270 := [ :y | t1 + t299 + x + y ] ]. \
         t271 := t272 ifNil: [ a ]. b := t273. ^ {sum} ]",
        names.join(" "),
        names.iter().map(assign).collect::<String>(),
    );
    names_wide(&text);
}

#[track_caller]
fn names_wide(text: &str) {
    names(text, &["MoveWide"], &[]);
}

#[test]
fn script_variables_beyond_a_byte_work() {
    let source: String = (0..400).map(|n| format!("v{n} := {n}. ")).collect();
    unit(&format!(
        "{source} v0 foo: v399; bar: v300. [ v299 + v399 ] value. v399"
    ));
}

#[test]
fn many_arguments_work_and_too_many_are_reported() {
    let method = |count: usize| {
        let pattern: String = (0..count).map(|n| format!("k{n}: p{n} ")).collect();
        let last = count - 1;
        let locals: Vec<String> = (0..20).map(|n| format!("t{n}")).collect();
        let send: String = (0..count).map(|n| format!("k{n}: p0 ")).collect();
        let temporaries = locals.join(" ");
        format!(
            "Object subclass: Foo [ {pattern} [ | {temporaries} | t19 := p{last}. \
             ^ [ p{last} + p0 + (self {send}) + t19 ] ] ]"
        )
    };
    unit(&method(255));
    let compiled = compile("test.st", &method(256), &environment());
    assert!(compiled.unit.is_none());
    assert!(compiled.diagnostics.iter().any(|one| one.code == "E0209"));
}

#[test]
fn many_captures_work_and_too_many_are_reported() {
    let method = |count: usize| {
        let names: Vec<String> = (0..count).map(|n| format!("t{n}")).collect();
        let assign: String = names.iter().map(|name| format!("{name} := 3. ")).collect();
        let reversed: Vec<String> = names.iter().rev().cloned().collect();
        format!(
            "Object subclass: Foo [ m [ | {} | {assign} ^ [ {} ] ] ]",
            names.join(" "),
            reversed.join(" + ")
        )
    };
    unit(&method(100));
    unit(&method(200));
    let compiled = compile("test.st", &method(201), &environment());
    assert!(compiled.unit.is_none());
    assert!(compiled.diagnostics.iter().any(|one| one.code == "E0209"));
}

#[test]
fn a_big_literal_array_is_one_instruction() {
    let source = format!("x := #({}). x foo", "1234567 'abc' ".repeat(50_000));
    let unit = unit(&source);
    assert_eq!(unit.script.literals.len(), 1);
}

#[test]
fn an_empty_file_answers_nil() {
    let compiled = compile("empty.st", "", &EmptyEnvironment);
    let unit = compiled.unit.expect("a unit");
    checker::check_unit(&unit);
    same_listing(&unit.script, "0 LoadNil r1\n1 Return r1");
}

#[test]
fn odd_control_flow_leaves_no_holes() {
    for text in [
        "m [ [ ^ 3 ] whileTrue: [ a foo ] ]",
        "m [ [ true ] whileTrue: [ a foo ] ]",
        "m [ [ false ] whileTrue: [ a foo ] ]",
        "m [ [ [ true ] whileTrue ] repeat ]",
        "m [ ^ [ ] whileTrue: [ ] ]",
        "m [ ^ a ifTrue: [ ] ifFalse: [ ^ 3 ] ]",
        "m [ ^ (a ifTrue: [ ^ 1 ] ifFalse: [ ^ 2 ]) foo ]",
        "m [ ^ (a and: [ ^ 1 ]) | (a or: [ ]) ]",
        "m [ 1 to: 3 do: [ :i | ^ i ] ]",
        "m [ ^ 3 timesRepeat: [ ] ]",
        "m [ ^ a ifNil: [ ] ]",
        "m [ ^ a ifNotNil: [ :x | ] ifNil: [ ] ]",
        "m [ a := [ :x | | y | y := x. [ y := y + x ] ] ]",
        "m [ ^ true ifTrue: [ 1 ] ifFalse: [ 2 ] ]",
        "m [ ^ (true and: [ false ]) or: [ a ] ]",
        "m [ (a and: [ b ]) ifTrue: [ ^ 1 ]. (a or: [ b ]) ifFalse: [ ^ 2 ] ]",
        "m [ [ :k | k foo. [ self bar. ^ k ] value ] value: 3 ]",
        "m [ | x | x := 3. x := x ifNil: [ x ]. x := x == 3 and: [ x == 4 ]. ^ x := { x. x } ]",
        "m [ (a ifTrue: [ b ] ifFalse: [ a > 3 ]) ifTrue: [ a foo ] ]",
    ] {
        method(text);
    }
}
