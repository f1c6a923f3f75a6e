//! A test has one number, whichever command gives it: the cost of its method and of the processes that this forks
//! (counting model, 2.1). setUp and tearDown have a line of their own.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::Sandbox;

/// Tests that fork, are wrapped, fail by counts, unwind, run other tests, and read what processes of setUp do.
const TESTS: &str = "Object subclass: Box [ | v |\n\
    v [ ^v ] v: x [ v := x ]\n\
    work [ ^(1 to: 5) inject: 0 into: [:a :b | a + b] ]\n]\n\
TestCase subclass: PlainTest [\n\
    testSum [ self assert: Box new work equals: 15 ]\n\
    testNothing [ self assert: true ]\n]\n\
TestCase subclass: BoxTest [\n\
    | box turn |\n\
    setUp [ box := Box new. box v: 3 printString ]\n\
    tearDown [ box work ]\n\
    testBlock [ self assert: box v size equals: 1. [:x | x work] value: box ]\n\
    testForks [ | done | done := Semaphore new.\n\
        [10 timesRepeat: [box work]. done signal] fork. done wait. self assert: true ]\n\
    testCounted [ self assert: [box work] sendsAtMost: 3. self assert: true ]\n\
    testUnwinding [ self assert: ([[Error new signal: 'x'] on: Error do: [:e | e return: 4]] ensure: [box work]) equals: 4 ]\n\
    testRecursion [ self assert: (self down: 20) equals: 0 ]\n\
    down: n [ ^n = 0 ifTrue: [0] ifFalse: [self down: n - 1] ]\n\
    testOfTests [ self assert: (PlainTest selector: #testSum) run hasPassed ]\n\
    testOfFailing [ (PlainTest selector: #down) runCapturing. box work. self assert: true ]\n]\n\
TestCase subclass: OverridingTest [\n\
    performTest [ 3 printString. super performTest. 4 printString ]\n\
    testSum [ self assert: Box new work equals: 15 ]\n]\n\
TestCase subclass: ForkingSetUpTest [\n\
    | go done |\n\
    setUp [ go := Semaphore new. done := Semaphore new.\n\
        [[true] whileTrue: [go wait. 100 printString. done signal]] fork ]\n\
    testBackAndForth [ 5 timesRepeat: [go signal. done wait]. self assert: true ]\n]\n";

fn project(name: &str, tests: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("tally.toml", "[project]\npaths = [\"tests\"]\n");
    sandbox.write("tests/Tests.st", tests);
    sandbox
}

/// The lines of `tally.counts`: sends and other counts by name.
fn counts(sandbox: &Sandbox) -> BTreeMap<String, BTreeMap<String, u64>> {
    sandbox.tally(&["test", "--counts", "update", "--accept-model"]);
    let text = sandbox.read("tally.counts");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let line = |line: &str| {
        let at = line.find(" sends=").unwrap();
        let counts = line[at..].split_whitespace();
        let counts = counts.filter_map(|count| {
            let (name, count) = count.split_once('=')?;
            Some((name.to_string(), count.parse().ok()?))
        });
        (line[..at].to_string(), counts.collect())
    };
    lines.map(line).collect()
}

fn profile(sandbox: &Sandbox, test: &str) -> Value {
    let run = sandbox.tally(&["profile", "--test", test, "--format", "json"]);
    serde_json::from_str(run.output()).unwrap()
}

#[test]
fn a_profile_of_a_test_adds_up_to_its_line() {
    let sandbox = project("one_number", TESTS);
    let counts = counts(&sandbox);
    let mut seen = 0;
    for (test, counts) in counts.iter().filter(|(name, _)| name.contains(">>")) {
        let profile = profile(&sandbox, test);
        let cost = &profile["cost"];
        for name in ["sends", "loops", "activations", "blocks", "called", "work"] {
            assert_eq!(cost[name], counts[name], "{test}: {name}");
        }
        assert_eq!(
            cost["allocations"]["objects"], counts["allocations"],
            "{test}"
        );
        let own = profile["methods"].as_array().unwrap().iter();
        let own: u64 = own.map(|method| method["own"].as_u64().unwrap()).sum();
        assert_eq!(own, counts["sends"], "{test}: own sends of methods");
        seen += 1;
    }
    assert_eq!(seen, 11);
}

#[test]
fn forked_processes_belong_to_a_test_and_those_of_set_up_do_not() {
    let sandbox = project("one_number_forks", TESTS);
    counts(&sandbox);
    let forks = profile(&sandbox, "BoxTest>>testForks");
    let methods = forks["methods"].as_array().unwrap();
    let work = methods
        .iter()
        .find(|method| method["name"] == "Box>>work")
        .unwrap();
    assert_eq!(work["calls"], 10);
    let methods = profile(&sandbox, "ForkingSetUpTest>>testBackAndForth")["methods"].to_string();
    assert!(!methods.contains("printString"), "{methods}");
}

#[test]
fn every_count_of_a_test_has_what_its_processes_did() {
    let test = |body: &str| {
        format!(
            "TestCase subclass: ForkTest [\n\
             testForks [ | done | done := Semaphore new.\n\
             [{body}. done signal] fork. done wait. self assert: true ]\n]\n"
        )
    };
    let line = |name: &str, body: &str| {
        let sandbox = project(name, &test(body));
        counts(&sandbox).remove("ForkTest>>testForks").unwrap()
    };
    let alone = line("one_number_alone", "3");
    let forks = line("one_number_thousand", "1000 timesRepeat: [3 printString]");
    let names = ["sends", "loops", "primitives", "allocations", "called"];
    for name in names {
        assert_eq!(forks[name] - alone[name], 1000, "{name}");
    }
    assert!(forks["work"] - alone["work"] > 1000 * 1000);
}

#[test]
fn set_up_and_tear_down_have_a_line_of_their_class() {
    let tests = |extra: &str| {
        format!(
            "TestCase subclass: FixtureTest [\n\
             setUp [ 3 even. 4 even. {extra} ]\n\
             tearDown [ 5 odd ]\n\
             testOne [ self assert: true ]\n\
             testTwo [ self assert: 1 equals: 1 ]\n]\n\
             TestCase subclass: BareTest [\n\
             testOne [ self assert: true ]\n]\n"
        )
    };
    let sandbox = project("fixture_line", &tests(""));
    let lines = counts(&sandbox);
    let names: Vec<&str> = lines.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "BareTest>>testOne",
            "FixtureTest (setUp, tearDown)",
            "FixtureTest>>testOne",
            "FixtureTest>>testTwo"
        ]
    );
    let before = lines["FixtureTest (setUp, tearDown)"]["sends"];
    sandbox.write("tests/Tests.st", tests("6 yourself"));
    let checked = sandbox.tally(&["test"]);
    checked.exits(3);
    checked.mentions("1 setUp costs otherwise");
    let changed = (checked.output().lines()).find(|line| line.contains("(setUp, tearDown)  sends"));
    let changed: Vec<&str> = changed.unwrap().split_whitespace().rev().collect();
    let after = (before + 2).to_string();
    assert_eq!(changed[..4], ["(+2)", &after, "→", &before.to_string()]);
    checked.mentions("FixtureTest (setUp, tearDown)");
    assert!(!checked.output().contains("neither Tally"), "{checked}");
    // One test of the class says nothing of the sum.
    let one = sandbox.tally(&["test", "testOne"]);
    one.exits(0);
    sandbox.tally(&["test", "testOne", "--counts", "update"]);
    assert!(
        sandbox
            .read("tally.counts")
            .contains(&format!("(setUp, tearDown) sends={before} "))
    );
    // Neither does a setUp that fails: the line stays as it is.
    sandbox.write("tests/Tests.st", tests("self error: #x"));
    sandbox.tally(&["test", "--counts", "update"]).exits(1);
    let kept = format!("(setUp, tearDown) sends={before} ");
    assert!(sandbox.read("tally.counts").contains(&kept));
    // A class without them has no line any more.
    let bare = "TestCase subclass: FixtureTest [\n testOne [ self assert: true ]\n testTwo [ self assert: 1 equals: 1 ]\n]\n";
    sandbox.write("tests/Tests.st", bare);
    assert!(!counts(&sandbox).keys().any(|name| name.contains("setUp")));
}
