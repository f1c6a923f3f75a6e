//! Sessions and their assertions: what is loaded, what is left behind, values, permissions, the texts of failures.

#![expect(
    clippy::unwrap_used,
    reason = "a session that cannot be made has its error in the panic"
)]

use std::fs;
use std::path::PathBuf;

use tally_test::{CostName, ErrorKind, LimitKind, Session, Value};

const COUNTER: &str = "Object subclass: Counter [\n\
    Counter class [ | asked | ]\n\
    Counter class >> next [ ^asked := (asked ifNil: [0]) + 1 ]\n\
    Counter class >> fail [ ^self error: 'no more' ]\n\
    ]";

/// A session with a class that counts its calls.
fn session() -> Session {
    let builder = Session::builder().text("counter.st", COUNTER);
    builder.build().unwrap()
}

/// An empty folder of a test's own.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tally-test-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn evaluations_see_the_machine_as_the_session_left_it() {
    let mut session = session();
    for _ in 0..3 {
        assert_eq!(session.eval("Counter next. Counter next").unwrap().value, 2);
        let asserted = session.assertion("assert: Counter next equals: 1");
        assert!(asserted.unwrap().holds());
    }
    session.load("later.st", "Counter next").unwrap();
    assert_eq!(session.eval("Counter next").unwrap().value, 2);
}

#[test]
fn a_failure_names_methods_with_their_places() {
    let asserted = session().sends("Counter next", 9).unwrap();
    assert_eq!(
        asserted.failure(),
        Some(
            "expected exactly 9 sends, counted 2: 7 fewer\n       \
             sends  method\n           \
             1  <expression> (<expression>:1)\n           \
             1  Counter class>>next (counter.st:3)"
        )
    );
}

#[test]
fn an_error_inside_has_its_place_and_the_line_of_source() {
    let error = session().sends("Counter fail", 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Failed);
    let text = error.to_string();
    let line = "      Counter class >> fail [ ^self error: 'no more' ]";
    let column = line.find("error:").unwrap_or_default();
    let shown = format!("(counter.st:4:31)\n{line}\n{}^\n", " ".repeat(column));
    assert!(text.contains("no more\n"), "{text}");
    assert!(text.contains(&shown), "{text}");
}

#[test]
fn a_mistake_is_shown_in_the_expression_itself() {
    let mut session = session();
    let alone = session.eval("3 + ]").unwrap_err();
    assert_eq!(alone.kind(), ErrorKind::Source);
    assert!(alone.to_string().contains("<expression>:1:"), "{alone}");
    assert!(alone.to_string().contains("1 | 3 + ]"), "{alone}");
    assert_eq!(session.sends("3 + ]", 1), Err(alone));
    let [first, second] = ["3 + 4", "4 5 6"];
    let error = session.faster_than(first, second).unwrap_err();
    assert!(error.to_string().contains("1 | 4 5 6"), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());
}

#[test]
fn budgets_are_kept_by_name_and_ratchets_are_noted() {
    let mut session = session();
    let limits = [
        (CostName::Sends, LimitKind::Max, 2),
        (CostName::Primitives, LimitKind::Ratchet, 5),
    ];
    session.budget("it's next", &limits).unwrap();
    let kept = session.within("Counter next", "it's next").unwrap();
    assert!(kept.holds());
    assert_eq!(
        kept.notes(),
        ["budget it's next: primitives could be lowered to 1"]
    );
    let broken = session.within("Counter next. Counter next", "it's next");
    let broken = broken.unwrap();
    let text = broken.failure().unwrap_or_default();
    assert!(text.starts_with("budget it's next: expected at most 2 sends, counted 4: 2 more\n"));
}

#[test]
fn fewer_sends_and_more_allocations_are_noted() {
    let asserted = session().faster_than("Array new: 3", "3 + 4. 5 + 6");
    let asserted = asserted.unwrap();
    assert!(asserted.holds());
    let [allocations, work] = asserted.notes() else {
        panic!("two notes expected: {:?}", asserted.notes());
    };
    assert!(allocations.starts_with(
        "fewer sends (1 against 2) but more allocations (1 against 0): sends are a proxy"
    ));
    assert!(work.starts_with("fewer sends (1 against 2) but more work ("));
    let compared = session().compare("Array new: 3", "3 + 4. 5 + 6").unwrap();
    assert!(compared.is_faster());
    assert_eq!(
        compared.to_string(),
        "[Array new: 3] executes 1 sends, [3 + 4. 5 + 6] executes 2 sends: 1 fewer"
    );
    assert_eq!(compared.warnings.len(), 3, "{:?}", compared.warnings);
}

#[test]
fn an_unknown_class_of_growth_is_an_error() {
    let error = session().grows("[:n | n + 1]", &[1, 2, 4, 8], "slow'ly");
    let text = error.unwrap_err().to_string();
    assert!(
        text.contains("unknown class of growth #'slow''ly'"),
        "{text}"
    );
}

#[test]
fn values_go_both_ways() {
    let mut session = Session::new().unwrap();
    let values = [
        Value::Nil,
        Value::from(true),
        Value::from(-7),
        Value::from(i128::MIN + 1),
        Value::from(u64::MAX),
        Value::from(-2.5e-9),
        Value::from(f64::INFINITY),
        Value::from(1e22),
        Value::from('→'),
        Value::from("it's \"quoted\" → \0"),
        Value::Symbol("at:put:".to_string()),
        Value::Array(vec![Value::Nil, Value::Array(vec![]), 3.into(), "a".into()]),
    ];
    for value in values {
        let arguments = std::slice::from_ref(&value);
        let answer = session.call("Array", "with:", arguments).unwrap();
        assert_eq!(answer.value, Value::Array(vec![value]));
    }
    let own = session.eval("| a | a := Array new: 2. a at: 1 put: a; at: 2 put: a. a");
    assert!(matches!(own.unwrap().value, Value::Array(_)));
    let large = session.eval("2 raisedTo: 200").unwrap().value;
    assert_eq!(large, Value::Object("a LargePositiveInteger".to_string()));
}

#[test]
fn a_call_costs_its_message_alone() {
    let mut session = session();
    let answer = session.call("(3 + 4) negated", "abs", &[]).unwrap();
    assert_eq!(answer.value, 7);
    let direct = session.cost("| n | n := -7. n abs").unwrap();
    assert_eq!(answer.cost.sends, direct.sends);
    assert_eq!(session.call("3", "+", &[4.into()]).unwrap().cost.sends, 1);
    for (selector, arguments) in [
        ("abs", 1),
        ("+", 0),
        ("at:put:", 1),
        ("a b", 0),
        ("a:b", 1),
        ("", 0),
        (":", 1),
        ("x] value. [3", 0),
    ] {
        let error = session.call("3", selector, &vec![Value::Nil; arguments]);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Usage, "{selector}");
    }
    let object = Value::Object("a Point".to_string());
    let error = session.call("3", "+", &[object]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn files_and_texts_are_loaded_in_their_order() {
    let folder = folder("files");
    fs::write(
        folder.join("b.st"),
        "Base subclass: Inner [ two [ ^self one + 1 ] ]",
    )
    .unwrap();
    fs::write(folder.join("a.st"), "Object subclass: Base [ one [ ^1 ] ]").unwrap();
    let mut session = Session::builder()
        .file(folder.join("a.st"))
        .file(folder.join("b.st"))
        .text(
            "c.st",
            "Inner extend [ three [ ^self two + self missing ] ]",
        )
        .build()
        .unwrap();
    assert_eq!(session.eval("Inner new two").unwrap().value, 2);
    assert_eq!(session.call("Inner new", "two", &[]).unwrap().cost.sends, 3);
    let missing = session.eval("Inner new three").unwrap_err().to_string();
    assert!(missing.contains("c.st:1:"), "{missing}");
    let whole = Session::builder().file(&folder).build();
    assert_eq!(whole.unwrap().eval("Inner new two").unwrap().value, 2);
}

#[test]
fn a_project_brings_its_files_its_budgets_and_its_limit() {
    let folder = folder("project");
    fs::create_dir_all(folder.join("src")).unwrap();
    let settings = "[project]\npaths = [\"src\"]\n\n[test]\nmax-sends = 100_000\n\n[budgets.making]\nsends = 3\n";
    fs::write(folder.join("tally.toml"), settings).unwrap();
    let source = "Object subclass: Item [ Item class >> twice [ ^self new -> self new ] ]";
    fs::write(folder.join("src/item.st"), source).unwrap();
    let mut session = Session::builder().project(&folder).build().unwrap();
    assert!(session.within("Item new", "making").unwrap().holds());
    assert!(!session.within("Item twice", "making").unwrap().holds());
    let error = session.eval("[true] whileTrue: []").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit);
    let none = Session::builder().project(std::env::temp_dir()).build();
    assert_eq!(none.err().unwrap().kind(), ErrorKind::Usage);
}

#[test]
fn a_project_brings_its_dependencies_without_their_tests() {
    let folder = folder("dependencies");
    let package = folder.join("stones/Stones");
    fs::create_dir_all(&package).unwrap();
    fs::create_dir_all(folder.join("app/src")).unwrap();
    let class = |name: &str, above: &str| {
        let head = format!("Class {{ #name : '{name}', #superclass : '{above}' }}\n\n");
        head + &format!("{name} >> testWeight [ self assert: true ]\n")
    };
    fs::write(package.join("Stone.class.st"), class("Stone", "Object")).unwrap();
    let test = class("StoneTest", "TestCase");
    fs::write(package.join("StoneTest.class.st"), test).unwrap();
    let settings =
        "[project]\npaths = [\"src\"]\n[dependencies]\nstones = { path = \"../stones\" }\n";
    fs::write(folder.join("app/tally.toml"), settings).unwrap();
    // What is inherited from a test of the dependency is the project's own.
    let own = "StoneTest subclass: WallTest [ testStone [ self assert: Stone new notNil ] ]";
    fs::write(folder.join("app/src/wall.st"), own).unwrap();
    let mut session = Session::builder()
        .project(folder.join("app"))
        .build()
        .unwrap();
    let tested = session.run_tests().unwrap();
    let names: Vec<&str> = tested.iter().map(|one| one.name.as_str()).collect();
    assert!(tested.iter().all(|one| one.is_well()), "{names:?}");
    assert_eq!(names, ["WallTest>>testStone"]);
}

#[test]
fn what_cannot_be_loaded_is_named() {
    let folder = folder("refused");
    let load = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let error = Session::builder().file(&path).build().err().unwrap();
        (error.kind(), error.to_string())
    };
    let (kind, text) = load(
        "broken.st",
        b"Object subclass: Broken [\n    half [ ^3 + ]\n]\n",
    );
    assert_eq!(kind, ErrorKind::Source);
    assert!(text.contains("broken.st:2:"), "{text}");
    assert!(text.contains("2 |     half [ ^3 + ]"), "{text}");
    let (kind, text) = load("bytes.st", b"'\xff'");
    assert_eq!(kind, ErrorKind::Source);
    assert!(text.contains("is not UTF-8"), "{text}");
    let (kind, text) = load("fails.st", b"3 / 0");
    assert_eq!(kind, ErrorKind::Failed);
    assert!(text.contains("fails.st:1:3"), "{text}");
    let (kind, text) = load("Harness.som", b"Harness = ()");
    assert_eq!(kind, ErrorKind::Usage);
    assert!(text.contains("SOM"), "{text}");
    let error = Session::builder().file(folder.join("none.st")).build();
    let error = error.err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(
        error.to_string().contains("none.st: no such file"),
        "{error}"
    );
    let settings = folder.join("tally.toml");
    fs::write(&settings, "[project]\npath = 3\n").unwrap();
    let error = Session::builder().project(&folder).build().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("2 | path = 3"), "{error}");
}

#[test]
fn warnings_are_kept() {
    let folder = folder("warnings");
    let path = folder.join("warned.st");
    fs::write(&path, "Object subclass: Warned [ go [ ^self goeth ] ]").unwrap();
    let session = Session::builder().file(&path).build().unwrap();
    assert!(
        session.warnings().contains("goeth"),
        "{}",
        session.warnings()
    );
    assert_eq!(Session::new().unwrap().warnings(), "");
}

#[test]
fn code_reads_and_writes_what_it_may() {
    let folder = folder("permissions");
    let path = folder.join("numbers.txt");
    fs::write(&path, "17").unwrap();
    let path = path.display().to_string();
    let read = format!("'{path}' asFileReference contents");
    let denied = Session::new().unwrap().eval(&read).unwrap_err();
    let help = "help: Builder::allow_read lets the code read what is at and below a path";
    assert!(denied.to_string().ends_with(help), "{denied}");
    let mut allowed = Session::builder().allow_read(&folder).build().unwrap();
    assert_eq!(allowed.eval(&read).unwrap().value, "17");
}

#[test]
fn the_tests_of_the_code_are_run() {
    let mut session = session();
    let none = session.run_tests().unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Nothing);
    let source = "TestCase subclass: CounterTest [\n\
        testNext [ self assert: Counter next equals: 1. Counter next ]\n\
        testOnce [ self assert: Counter next equals: 1 ]\n\
        testFails [ self assert: Counter next equals: 2 ]\n\
        testCounted [ self assert: [ Counter next ] sendsExactly: 9 ]\n\
        testError [ Counter fail ]\n\
        testEndless [ [true] whileTrue: [] ]\n\
        ]";
    let builder = Session::builder().max_sends(100_000);
    let builder = builder.text("counter.st", COUNTER).text("tests.st", source);
    let tested = builder.build().unwrap().run_tests().unwrap();
    let names: Vec<&str> = tested.iter().map(|test| test.name.as_str()).collect();
    let expected = ["Next", "Once", "Fails", "Counted", "Error", "Endless"];
    assert_eq!(
        names,
        expected.map(|name| format!("CounterTest>>test{name}"))
    );
    let failures: Vec<&str> = tested
        .iter()
        .map(|test| test.failure().unwrap_or_default())
        .collect();
    let starts = [
        "",
        "",
        "CounterTest>>testFails FAILED\n",
        "CounterTest>>testCounted FAILED (counted)\n    expected exactly 9 sends, counted 2",
        "CounterTest>>testError ERROR\n",
        "CounterTest>>testEndless ERROR (limit)\n",
    ];
    for (failure, start) in failures.iter().zip(starts) {
        assert!(failure.starts_with(start), "{failure}");
        assert_eq!(failure.is_empty(), start.is_empty(), "{failure}");
    }
    assert!(failures[2].contains("tests.st:4:"), "{}", failures[2]);
    assert!(tested[0].sends > tested[1].sends, "{tested:?}");
}
