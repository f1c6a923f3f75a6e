//! Assertions of tests about all schedules.

use crate::{MODULO, sandbox};

fn test(body: &str) -> String {
    format!("{MODULO}TestCase subclass: T [ testIt [ {body} ] ]\n")
}

const FOUR: &str = "[Root spawn tell read: 1 to: 4]";

#[test]
fn assertions_hold() {
    for body in [
        format!("self assert: {FOUR} outputs: #(1 3)"),
        format!("self assert: {FOUR} outputs: #(3 1) delivery: #any"),
        format!("self assert: {FOUR} inAllSchedules: [:r | r < 4]"),
        format!("self assert: {FOUR} depthAtMost: 156; assert: {FOUR} costAtMost: 179"),
        format!("self assert: {FOUR} computationsAtMost: 2; assert: {FOUR} statesAtMost: 14"),
        "self assertDeterminate: [Root spawn tell read: 1 to: 2]".to_string(),
        "self assert: [Root spawn tell read: 1 to: 2] outputs: {{3}}".to_string(),
    ] {
        let sandbox = sandbox(&test(&body));
        sandbox.tally(&["test", "p.st"]).exits(0);
    }
    let sandbox = sandbox(&test(&format!(
        "self assert: {FOUR} depthAtMost: 172 on: #slow"
    )));
    sandbox.write("tally.toml", "[machine.slow]\nlatency = 4\n");
    sandbox.tally(&["test", "p.st"]).exits(0);
    sandbox.write("tally.toml", "[machine.slow]\nlatency = 5\n");
    let ran = sandbox.tally(&["test", "p.st"]);
    ran.exits(3)
        .mentions("expected a Depth of at most 172 on slow, counted 176: 4 more");
}

#[test]
fn assertions_fail_with_what_differs() {
    for (body, code, told) in [
        (
            format!("self assert: {FOUR} outputs: #(1 5)"),
            1,
            "some schedule writes 3, and no schedule writes 5",
        ),
        (
            format!("self assert: {FOUR} inAllSchedules: [:r | r < 3]"),
            1,
            "some schedule writes 3",
        ),
        (
            format!("self assertDeterminate: {FOUR}"),
            1,
            "there are 2 results: 1 or 3",
        ),
        (
            "self assert: [Root spawn tell read: 1 to: 6] inAllSchedules: [:r | true]".to_string(),
            1,
            "a1 ← join: 0 of a11#3",
        ),
        (
            format!("self assert: {FOUR} statesAtMost: 13"),
            3,
            "expected at most 13 states, counted 14: 1 more",
        ),
        (
            format!("self assert: {FOUR} depthAtMost: 3 on: #nobodys"),
            1,
            "there is no machine nobodys",
        ),
        (
            "self assert: [3] statesAtMost: 1".to_string(),
            1,
            "sends no message to an actor",
        ),
        (
            "self assert: [nil foo] statesAtMost: 1".to_string(),
            1,
            "failed in its copy",
        ),
        (
            format!("Root spawn. self assert: {FOUR} statesAtMost: 14"),
            1,
            "makes all actors itself",
        ),
        (
            format!("self assert: {FOUR} outputs: #(1 3) delivery: #zork"),
            1,
            "there is no delivery #zork",
        ),
    ] {
        let sandbox = sandbox(&test(&body));
        sandbox.tally(&["test", "p.st"]).exits(code).mentions(told);
    }
}

/// States repeat while a message stays pending: results are known, computations and costs have no bound. If all messages arrive, the
/// test fails.
#[test]
fn assertions_about_cycles() {
    let program = "\
Actor subclass: A [ go [ self address tell go ] stop [ self output: 1. self dispose ] ]
TestCase subclass: T [
    stopped [ | a | a := A spawn. a tell go. a tell stop ]
    testResults [ self assert: [self stopped] outputs: #(1) delivery: #any; assert: [self stopped] statesAtMost: 3 ]
    testDepth [ self assert: [self stopped] depthAtMost: 100 ]
    testComputations [ self assert: [self stopped] computationsAtMost: 100 ]
    testForEver [ self assert: [A spawn tell go] computationsAtMost: 100 ]
]
";
    let sandbox = sandbox(program);
    for (test, code, told) in [
        ("T>>testResults", 0, "1 passed"),
        ("T>>testDepth", 1, "this is not known"),
        ("T>>testComputations", 1, "this is not known"),
        ("T>>testForEver", 1, "may go on for ever"),
    ] {
        let ran = sandbox.tally(&["test", "p.st", test]);
        ran.exits(code).mentions(told);
    }
}

/// What is explored is no part of the test's counts.
#[test]
fn explorations_cost_a_test_nothing() {
    let sends = |to: u32| {
        let body = format!("self assert: [Root spawn tell read: 1 to: {to}] statesAtMost: 1000");
        let sandbox = sandbox(&test(&body));
        let ran = sandbox.tally(&["test", "p.st", "--format", "json"]);
        ran.exits(0);
        let at = ran.output().find("\"sends\"").unwrap();
        let counts = ran.output()[at..].split("\"states\"").next();
        counts.unwrap().to_string()
    };
    assert_eq!(sends(2), sends(8));
}

/// Tests run in copies of the machine, where the first actor gives frames to methods of classes that were linked before.
#[test]
fn actors_in_tests_with_variables_of_classes() {
    let program = "\
Object subclass: Box [ Box class [ | side | ] Box class >> side [ ^side ] Box class >> side: x [ side := x ] ]
Actor subclass: Node [ go [ self output: Box side ] ]
TestCase subclass: T [ testIt [ Node spawn tell go. self assert: Box side equals: 5 ] ]
Box side: 5.
Box side printNl.
";
    let sandbox = sandbox(program);
    sandbox.tally(&["test", "p.st"]).exits(0);
}

/// The states, computations and costs of what a test explores are counts of the test.
#[test]
fn counts_and_budgets_of_explorations() {
    let program = test(&format!("self assert: {FOUR} outputs: #(1 3)"));
    let sandbox = sandbox(&program);
    sandbox
        .tally(&["test", "p.st", "--counts", "update"])
        .exits(0);
    let counts = sandbox.read("tally.counts");
    let expected = " states=14 computations=2 cost=179 depth=156 code=";
    assert!(counts.contains(expected), "{counts}");
    sandbox
        .tally(&["test", "p.st", "--counts", "check"])
        .exits(0);
    sandbox.write("p.st", program.replace("turnCost: 29", "turnCost: 30"));
    let ran = sandbox.tally(&["test", "p.st", "--counts", "check"]);
    ran.exits(3).mentions("depth").mentions("157");
    let budget = |limit: u64| format!("[[budget]]\ntest = \"T>>*\"\ndepth = {limit}\n");
    sandbox.write("tally.toml", budget(157));
    let ignoring = ["test", "p.st", "--counts", "ignore"];
    sandbox.tally(&ignoring).exits(0);
    sandbox.write("tally.toml", budget(156));
    sandbox.tally(&ignoring).exits(3).mentions("a Depth of");
}
