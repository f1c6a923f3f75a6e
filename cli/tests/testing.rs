//! `tally test`, `tally check` and `tally explain` as their users meet them.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use serde_json::Value;
use support::{Ran, Sandbox};

/// One test for each way to end.
const ENDINGS: &str = "TestCase subclass: EndTest [\n\
    testPass [ self assert: 3 + 4 equals: 7 ]\n\
    testFail [ #(1 2) do: [:each | self assert: each equals: 1] ]\n\
    testError [ self helper: 0 ]\n\
    helper: x [ ^1 / x ]\n\
    testFork [ [#() first] fork. Processor yield. self assert: true ]\n\
    testExit [ Smalltalk exit: 3 ]\n\
    testEndless [ [true] whileTrue: [3 yourself] ]\n\
    testDeep [ self testDeep ]\n\
    testWait [ Semaphore new wait ]\n\
    testVacuous [ 3 + 4 ]\n\
    testSkip [ self skip: 'later' ]\n\
    testExpected [ <expectedFailure> self assert: false ]\n\
    testUnexpected [ <expectedFailure> self assert: true ]\n\
    testLast [ self assert: true ]\n]\n";

/// The documents of a report by lines: the head, a map from names to tests, the summary.
fn lines(ran: &Ran) -> (Value, Vec<Value>, Value) {
    let parsed = ran.output().lines().map(serde_json::from_str);
    let mut parsed: Vec<Value> = parsed
        .collect::<Result<_, _>>()
        .expect("a report is JSON, line by line");
    let tail = parsed.pop().expect("a report has a summary");
    let head = parsed.remove(0);
    (head, parsed, tail)
}

fn find<'t>(tests: &'t [Value], name: &str) -> &'t Value {
    let found = tests.iter().find(|test| test["name"] == name);
    found.expect("every test is reported")
}

#[test]
fn every_test_is_run_and_reported_however_others_end() {
    let sandbox = Sandbox::new("endings");
    sandbox.write("e.st", ENDINGS);
    let ran = sandbox.tally(&[
        "test",
        "e.st",
        "--format",
        "json",
        "--max-sends",
        "100000",
        "--max-depth",
        "1000",
    ]);
    let (head, tests, tail) = lines(ran.exits(6));
    assert_eq!(head["schema"], "tally.test/1");
    assert_eq!(head["tests"], 13);
    assert_eq!(tests.len(), 13);
    let verdicts = [
        ("testPass", "pass"),
        ("testFail", "fail"),
        ("testError", "error"),
        ("testFork", "error"),
        ("testExit", "error"),
        ("testEndless", "limit"),
        ("testDeep", "error"),
        ("testWait", "error"),
        ("testVacuous", "vacuous"),
        ("testSkip", "skip"),
        ("testExpected", "expected failure"),
        ("testUnexpected", "fail"),
        ("testLast", "pass"),
    ];
    for (selector, verdict) in verdicts {
        let test = find(&tests, &format!("EndTest>>{selector}"));
        assert_eq!(test["verdict"], verdict, "{test}");
    }
    let summary = &tail["summary"];
    assert!(
        ran.output()
            .lines()
            .last()
            .unwrap()
            .starts_with("{\"summary\":{\"passed\":3,\"failed\":2,\"errors\":6,\"skipped\":1,")
    );
    assert_eq!(summary["vacuous"], 1);
    assert_eq!(summary["expectedFailures"], 1);
    assert_eq!(summary["limits"], 1);
    assert_eq!(summary["tests"], 13);
    let passed = find(&tests, "EndTest>>testPass");
    assert_eq!(passed["assertions"], 1);
    assert!(passed["sends"].as_i64().unwrap() > 1);
}

#[test]
fn a_defect_shows_where_it_comes_from() {
    let sandbox = Sandbox::new("places");
    sandbox.write("e.st", ENDINGS);
    let ran = sandbox.tally(&["test", "e.st", "-k", "testFail", "-k", "testError"]);
    ran.exits(1)
        .mentions(
            "EndTest>>testFail FAILED\n    Got 2 instead of 1.\n    e.st:3:37 in EndTest>>testFail\n",
        )
        .mentions(
            "        testFail [ #(1 2) do: [:each | self assert: each equals: 1] ]\n\
             \x20                                           ^\n",
        )
        .mentions("\n    ZeroDivide: ")
        .mentions("\n    e.st:5:16 in EndTest>>helper:\n")
        .mentions("    from e.st:4:18 in EndTest>>testError\n");
    let ran = sandbox.tally(&["test", "e.st", "-k", "testFork"]);
    ran.exits(1)
        .mentions("a process that the test made ended by an error: ")
        .mentions("    e.st:6:17 in EndTest>>testFork\n")
        .is_silent();
    let ran = sandbox.tally(&["test", "e.st", "testFail", "--format", "json"]);
    let (_, tests, _) = lines(ran.exits(1));
    assert_eq!(tests[0]["place"]["line"], 3);
    assert_eq!(tests[0]["place"]["file"], "e.st");
    assert_eq!(tests[0]["place"]["method"], "EndTest>>testFail");
}

#[test]
fn filters_select_and_the_first_defect_can_end_the_run() {
    let sandbox = Sandbox::new("filters");
    sandbox.write("e.st", ENDINGS);
    sandbox
        .tally(&["test", "e.st", "EndTest>>testPass", "testLast"])
        .exits(0)
        .mentions("2 tests: 2 passed");
    sandbox
        .tally(&["test", "e.st", "nowhere"])
        .exits(4)
        .says("no test matches");
    sandbox
        .tally(&["test", "missing.st", "testLast"])
        .exits(74)
        .says("missing.st");
    sandbox.tally(&["test", "nothing"]).exits(74);
    sandbox
        .tally(&["test", "e.st", "--fail-fast"])
        .exits(1)
        .mentions("2 tests: 1 passed, 1 failed")
        .mentions(", 11 not run");
    sandbox
        .tally(&["test", "e.st", "testVacuous"])
        .exits(4)
        .mentions("1 without an assertion");
    sandbox
        .tally(&["test", "e.st", "testExpected"])
        .exits(0)
        .mentions("1 failed as expected");
}

#[test]
fn resources_are_made_once_and_torn_down_at_the_end() {
    let sandbox = Sandbox::new("resources");
    sandbox.write(
        "r.st",
        "TestResource subclass: Kept [\n\
         setUp [ 'up' displayNl ] tearDown [ 'down' displayNl ] ]\n\
         TestResource subclass: Broken [ setUp [ self error: 'no way' ] ]\n\
         TestCase subclass: KeptTest [\n\
         KeptTest class >> resources [ ^{Kept} ]\n\
         testOne [ self assert: Kept isAlreadyAvailable ]\n\
         testTwo [ self assert: Kept isAlreadyAvailable ] ]\n\
         TestCase subclass: BrokenTest [\n\
         BrokenTest class >> resources [ ^{Broken} ]\n\
         testOne [ self assert: true ]\n\
         testTwo [ self assert: true ] ]\n",
    );
    let ran = sandbox.tally(&["test", "r.st", "-v"]);
    ran.exits(1)
        .mentions("up\nKeptTest>>testOne    ok  ")
        .mentions("BrokenTest>>testOne ERROR\n    Error: no way\n    r.st:3:46 in Broken>>setUp")
        .mentions("BrokenTest>>testTwo ERROR\n    Error: no way\n");
    assert_eq!(ran.output().matches("down\n").count(), 1);
}

#[test]
fn tests_that_cannot_be_made_are_errors_and_others_are_run() {
    let sandbox = Sandbox::new("broken");
    sandbox.write(
        "b.st",
        "TestCase subclass: BadTest [ BadTest class >> buildSuite [ ^self error: 'no suite' ] ]\n\
         TestCase subclass: OtherTest [ OtherTest class >> isAbstract [ ^nil zork ] testOther [ ] ]\n\
         TestCase subclass: GoodTest [ testGood [ self assert: true ] ]\n",
    );
    sandbox
        .tally(&["test", "b.st"])
        .exits(1)
        .mentions("no suite")
        .mentions("OtherTest>>suite ERROR\n    nil does not understand #zork\n")
        .mentions("GoodTest>>testGood  ok");
}

#[test]
fn a_test_leaves_no_process_behind() {
    let sandbox = Sandbox::new("left");
    sandbox.write(
        "p.st",
        "TestCase subclass: LeftTest [\n\
         testForks [ [[true] whileTrue: [Processor yield]] fork. self assert: true ]\n\
         testAfter [ 10 timesRepeat: [Processor yield]. self assert: true ] ]\n",
    );
    sandbox
        .tally(&["test", "p.st", "--max-sends", "100000"])
        .exits(0)
        .mentions("2 tests: 2 passed");
}

#[test]
fn checking_runs_nothing_and_tells_what_is_wrong() {
    let sandbox = Sandbox::new("check");
    sandbox.write("good.st", "'never' displayNl.\n");
    sandbox.write("warned.st", "3 zork.\n");
    sandbox.write("bad.st", "x := (3 + 4.\ny := .\nz foo: q.\n");
    sandbox.write("uses.st", "Later new printNl.\n");
    sandbox.write("defines.st", "Object subclass: Later [ ]\n");
    sandbox
        .tally(&["check", "good.st"])
        .exits(0)
        .prints("1 file: 0 errors, 0 warnings\n")
        .is_silent();
    sandbox
        .tally(&["check", "warned.st", "good.st"])
        .exits(0)
        .prints("2 files: 0 errors, 1 warning\n")
        .says("W0303");
    sandbox
        .tally(&["check", "warned.st", "--deny", "warnings"])
        .exits(8);
    sandbox
        .tally(&["check", "bad.st"])
        .exits(8)
        .says("E0101")
        .says("E0112");
    sandbox
        .tally(&["check", "uses.st", "defines.st"])
        .exits(0)
        .mentions("0 errors");
    sandbox.tally(&["check", "missing.st"]).exits(74);
    let json = sandbox.tally(&["check", "bad.st", "--format", "json"]);
    let report: Value = serde_json::from_str(json.exits(8).is_silent().output()).unwrap();
    assert_eq!(report["schema"], "tally.check/1");
    assert_eq!(report["diagnostics"][0]["code"], "E0101");
    assert_eq!(report["diagnostics"][0]["line"], 1);
    assert_eq!(report["diagnostics"][0]["column"], 6);
    assert_eq!(report["diagnostics"][0]["severity"], "error");
}

#[test]
fn long_texts_about_a_test_are_shortened_once_for_all_reports() {
    let sandbox = Sandbox::new("long-texts");
    sandbox.write(
        "t.st",
        "TestCase subclass: T [ testOne [ self fail: (String new: 10000000 withAll: $é) ] ]\n",
    );
    let ran = sandbox.tally(&["test", "t.st", "--report", "junit=out.xml"]);
    let bound = 64 << 10;
    let shortened = format!("é… ({} more bytes)\n", 20_000_000 - bound);
    ran.exits(1).mentions(&shortened);
    assert!(ran.output().len() < bound + 1000, "{}", ran.output().len());
    let junit = sandbox.read("out.xml");
    assert!(junit.contains(&shortened), "{}", junit.len());
    assert!(junit.len() < 2 * bound + 2000, "{}", junit.len());
}

#[test]
fn codes_are_explained() {
    let sandbox = Sandbox::new("explain");
    sandbox
        .tally(&["explain", "e0113"])
        .exits(0)
        .mentions("error E0113: two expressions without anything between them")
        .mentions("Wrong:\n    x := 3\n")
        .is_silent();
    sandbox
        .tally(&["explain"])
        .exits(0)
        .mentions("E0001  a string is never closed\n")
        .mentions("W0303  ");
    sandbox
        .tally(&["explain", "E9999"])
        .exits(2)
        .says("no code `E9999`");
    let json = sandbox.tally(&["explain", "--format", "json"]);
    let document: Value = serde_json::from_str(json.exits(0).output()).unwrap();
    assert_eq!(document["schema"], "tally.explain/1");
}
