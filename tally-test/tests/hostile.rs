//! Hostile inputs: each gives an error of the right kind. None hangs, panics or ends the process, and the session works as
//! before. Every input is evaluated, measured, asserted and loaded.

#![expect(
    clippy::unwrap_used,
    reason = "a session that cannot be made has its error in the panic"
)]

use tally_test::{ErrorKind, Session};

fn session() -> Session {
    let builder = Session::builder().max_sends(200_000).max_memory(64 << 20);
    builder.build().unwrap()
}

/// Every use of the text gives an error of one of these kinds.
fn fails(text: &str, kinds: &[ErrorKind]) {
    let mut session = session();
    let shown: String = text.chars().take(60).collect();
    let errors = [
        session.eval(text).err(),
        session.cost(text).err(),
        session.compare("3 + 4", text).err(),
        session.sends(text, 1).err(),
        session.faster_than(text, "3 + 4").err(),
        session.faster_than("3 + 4", text).err(),
        session.call(text, "yourself", &[]).err(),
        session.load("hostile.st", text).err(),
    ];
    for (number, error) in errors.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("use {number} of {shown} gives no error"));
        assert!(
            kinds.contains(&error.kind()),
            "use {number} of {shown}: {error}"
        );
        let length = error.to_string().len();
        assert!(
            length < 20_000,
            "use {number} of {shown}: {length} bytes of text"
        );
    }
    assert_eq!(session.eval("6 * 7").unwrap().value, 42, "after {shown}");
}

#[test]
fn texts_that_do_not_compile() {
    let deep_parentheses = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
    let deep_blocks = "[".repeat(3_000);
    let long_mistake = format!("3 + '{}' ]", "x".repeat(1 << 20));
    let long_sum = vec!["1"; 5_000].join(" + ");
    let texts = [
        "3 + ",
        "3 + ]",
        "] value. [",
        "3] sendsExactly: 1. [4",
        "3 \"no end",
        "'no end",
        "#(1 2",
        "^^3",
        "undeclared + 1",
        "3 := 4",
        "\u{0}",
        "\u{202e}3",
        "Object subclass: Half [ go [ ^3 ",
        &deep_parentheses,
        &deep_blocks,
        &long_mistake,
        &long_sum,
    ];
    for text in texts {
        fails(text, &[ErrorKind::Source]);
    }
}

#[test]
fn runs_without_end() {
    let texts = [
        "[true] whileTrue: []",
        "[3 + 4] repeat",
        "| b | b := [:x | x value: x]. b value: b",
        "[[true] whileTrue: []] ensure: [[true] whileTrue: []]",
        "[[true] whileTrue: []] on: Error do: [:e | 3]",
        "1 to: 1000000000 do: [:i | i * i]",
    ];
    for text in texts {
        fails(text, &[ErrorKind::Limit]);
    }
}

#[test]
fn deep_recursion() {
    let mut session = Session::builder()
        .text(
            "deep.st",
            "Object subclass: Deep [ Deep class >> down: n [ ^1 + (self down: n + 1) ] ]",
        )
        .max_depth(10_000)
        .build()
        .unwrap();
    let error = session.eval("Deep down: 1").unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Failed | ErrorKind::Limit),
        "{error}"
    );
    let error = session.max_depth("Deep down: 1", 5).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Failed | ErrorKind::Limit),
        "{error}"
    );
    assert_eq!(session.eval("6 * 7").unwrap().value, 42);
}

#[test]
fn errors_inside() {
    let texts = [
        "3 / 0",
        "nil foo",
        "self error: 'told'",
        "#() first",
        "Error new signal: (String new: 5000 withAll: $x)",
        "3 perform: 4",
        "Semaphore new wait",
        "[:a | a] value",
        "thisContext foo",
    ];
    for text in texts {
        fails(text, &[ErrorKind::Failed]);
    }
}

#[test]
fn an_expression_cannot_return_past_its_assertion() {
    let mut session = session();
    for text in ["^3", "^#(nil)", "^nil", "[^#(nil)] value"] {
        let error = session.sends(text, 0).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Failed, "{text}: {error}");
    }
}

#[test]
fn a_program_that_ends_itself() {
    fails("Smalltalk exit: 7", &[ErrorKind::Exited(7)]);
    fails("Smalltalk exit: 0", &[ErrorKind::Exited(0)]);
}

#[test]
fn large_objects() {
    let texts = [
        "String new: 1000000000",
        "Array new: 1000000000",
        "(2 raisedTo: 100000000) printString",
        "| s | s := 'x'. [s := s, s] repeat",
        "| c | c := OrderedCollection new. [c add: (Array new: 1000)] repeat",
    ];
    let kinds = [ErrorKind::Limit, ErrorKind::Memory, ErrorKind::Failed];
    for text in texts {
        fails(text, &kinds);
    }
}

#[test]
fn long_texts_are_no_error() {
    let text = "x".repeat(1 << 20);
    let mut session = session();
    let answer = session.eval(&format!("'{text}' size")).unwrap();
    assert_eq!(answer.value, 1 << 20);
    let argument = [text.as_str().into()];
    let answer = session.call("''", ",", &argument).unwrap();
    assert_eq!(answer.value, text.as_str());
    let sum = vec!["1"; 1_500].join(" + ");
    assert_eq!(session.cost(&sum).unwrap().sends, 1_499);
    let printed = session.eval("1 to: 3000 do: [:i | Transcript showCr: (String new: 10000)]");
    assert!(
        printed
            .unwrap()
            .output
            .ends_with("more bytes of output are not shown)\n")
    );
}

#[test]
fn a_program_that_replaces_what_counts() {
    let mut session = session();
    let text = "CountedEvaluation class extend [ notes [ ^3 ] ]";
    session.load("replaced.st", text).unwrap();
    assert!(session.sends("3 + 4", 1).is_err());
    let mut session = self::session();
    let text = "TestAsserter extend [ assert: a sendsExactly: b [ ^self ] ]";
    session.load("replaced.st", text).unwrap();
    assert!(session.sends("3 + 4", 9).is_ok());
}

#[test]
fn sessions_are_separate_and_may_change_threads() {
    let mut first = session();
    let mut second = session();
    first.load("a.st", "Object subclass: Mine []").unwrap();
    assert!(second.eval("Mine new").is_err());
    let moved = std::thread::spawn(move || first.eval("Mine new").unwrap().value);
    assert_eq!(format!("{:?}", moved.join().unwrap()), "Object(\"a Mine\")");
}
