//! Sections: named parts of tests, each with a line of its own in `tally.counts`.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::{Ran, Sandbox};

/// Sections whose sends are known by hand: two of one name, one inside another, one that forks, one left early.
const TESTS: &str = "TestCase subclass: PipeTest [\n\
    testTwo [\n\
        | sum |\n\
        sum := self section: 'add' cost: [3 + 4].\n\
        self section: 'twice' cost: [1 + 1. 2 + 2].\n\
        self section: 'twice' cost: [5 + 5].\n\
        self assert: sum equals: 7 ]\n\
    testNested [\n\
        | sum |\n\
        sum := self section: 'outer' cost: [1 + 1. self section: 'inner' cost: [2 + 2. 3 + 3]].\n\
        self assert: sum equals: 6 ]\n\
    testForks [\n\
        | done |\n\
        done := Semaphore new.\n\
        self section: 'alone' cost: [done wait: 0. 1 + 1].\n\
        self section: 'forks' cost: [[1 + 1. 2 + 2. done signal] fork. done wait].\n\
        self assert: true ]\n\
    testLeft [\n\
        [self section: 'left' cost: [Error signal: 'x']] on: Error do: [:error | error return].\n\
        self assert: true ]\n\
    testPlain [ self assert: true ]\n]\n\
Semaphore extend [ wait: n [ ^n ] ]\n";

fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("tally.toml", "[project]\npaths = [\"tests\"]\n");
    sandbox.write("tests/Tests.st", TESTS);
    sandbox
}

/// The lines of `tally.counts` that belong to sections: the name and the sends.
fn sections(sandbox: &Sandbox) -> Vec<(String, u64)> {
    let text = sandbox.read("tally.counts");
    let lines = text.lines().filter_map(|line| line.split_once(" sends="));
    let lines = lines.filter(|(name, _)| name.ends_with(']'));
    let line = |(name, costs): (&str, &str)| {
        let sends = costs.split(' ').next().unwrap();
        (name.to_string(), sends.parse().unwrap())
    };
    lines.map(line).collect()
}

fn change(sandbox: &Sandbox, from: &str, to: &str) {
    let text = sandbox.read("tests/Tests.st");
    assert!(text.contains(from), "{from}");
    sandbox.write("tests/Tests.st", text.replace(from, to));
}

fn updated(sandbox: &Sandbox) -> Ran {
    sandbox.tally(&["test", "--counts", "update"])
}

#[test]
fn a_section_has_a_line_with_its_cost() {
    let sandbox = project("sections_lines");
    let run = updated(&sandbox);
    assert!(
        run.output().contains("5 tests and 6 sections are new:"),
        "{}",
        run.output()
    );
    let expected = [
        ("PipeTest>>testForks [alone]", 2),
        // fork, which sends newProcess and resume on the way, two sums, signal and wait.
        ("PipeTest>>testForks [forks]", 11),
        // Two sums and the three sends of the inner section; a sum of its own.
        ("PipeTest>>testNested [inner]", 2),
        ("PipeTest>>testNested [outer]", 6),
        ("PipeTest>>testTwo [add]", 1),
        ("PipeTest>>testTwo [twice]", 3),
    ];
    let expected = expected.map(|(name, sends)| (name.to_string(), sends));
    assert_eq!(sections(&sandbox), expected);
    assert_eq!(sandbox.tally(&["test"]).code(), Some(0));
}

#[test]
fn reports_have_the_sections() {
    let sandbox = project("sections_reports");
    let verbose = sandbox.tally(&["test", "-v", "testTwo"]);
    assert!(
        verbose
            .output()
            .contains("    add  1 sends\n    twice  3 sends\n"),
        "{}",
        verbose.output()
    );
    sandbox.tally(&[
        "test",
        "testTwo",
        "--report",
        "json=r.json",
        "--report",
        "junit=r.xml",
    ]);
    let json = sandbox.read("r.json");
    let test = json.lines().find(|line| line.contains("testTwo")).unwrap();
    let test: serde_json::Value = serde_json::from_str(test).unwrap();
    assert_eq!(test["sections"][1]["name"], "twice");
    assert_eq!(test["sections"][1]["cost"]["sends"], 3);
    let xml = sandbox.read("r.xml");
    assert!(
        xml.contains("<property name=\"sends [twice]\" value=\"3\"/>"),
        "{xml}"
    );
}

#[test]
fn a_section_that_costs_something_else_is_a_difference() {
    let sandbox = project("sections_change");
    updated(&sandbox);
    change(&sandbox, "[1 + 1. 2 + 2]", "[1 + 1. 2 + 2. 3 + 3]");
    let run = sandbox.tally(&["test"]);
    assert_eq!(run.code(), Some(3));
    assert!(
        run.output().contains("1 test and 1 section cost otherwise"),
        "{}",
        run.output()
    );
    assert!(
        run.output().contains("PipeTest>>testTwo [twice]"),
        "{}",
        run.output()
    );
}

#[test]
fn a_section_comes_and_goes_with_the_test_that_has_it() {
    let sandbox = project("sections_gone");
    updated(&sandbox);
    change(
        &sandbox,
        "self section: 'add' cost: [3 + 4]",
        "self section: 'plus' cost: [3 + 4]",
    );
    let run = sandbox.tally(&["test"]);
    assert_eq!(run.code(), Some(3));
    assert!(
        run.output().contains("1 section is new:"),
        "{}",
        run.output()
    );
    assert!(
        run.output().contains("1 section is gone:"),
        "{}",
        run.output()
    );
    updated(&sandbox);
    let names: Vec<String> = sections(&sandbox)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert!(
        names.contains(&"PipeTest>>testTwo [plus]".to_string()),
        "{names:?}"
    );
    assert!(
        !names.contains(&"PipeTest>>testTwo [add]".to_string()),
        "{names:?}"
    );
    change(&sandbox, "testNested [", "notNested [");
    let run = sandbox.tally(&["test"]);
    assert!(
        run.output().contains("1 test and 2 sections are gone:"),
        "{}",
        run.output()
    );
}

#[test]
fn a_test_that_does_not_run_to_its_end_keeps_its_lines() {
    let sandbox = project("sections_kept");
    updated(&sandbox);
    let before = sandbox.read("tally.counts");
    assert_eq!(
        sandbox
            .tally(&["test", "testPlain", "--counts", "update"])
            .code(),
        Some(0)
    );
    assert_eq!(sandbox.read("tally.counts"), before);
    change(&sandbox, "self assert: sum equals: 7", "self error: 'no'");
    let run = updated(&sandbox);
    assert_eq!(run.code(), Some(1));
    assert_eq!(sandbox.read("tally.counts"), before);
}

#[test]
fn a_section_needs_a_name_for_its_line_and_a_block() {
    let sandbox = Sandbox::new("sections_names");
    sandbox.write(
        "T.st",
        "TestCase subclass: T [\n\
         testBrackets [ self section: 'a [b]' cost: [3] ]\n\
         testEmpty [ self section: '' cost: [3] ]\n\
         testSymbol [ self section: #parse cost: [3]. self assert: true ]\n\
         testNil [ self section: nil cost: [3] ]\n\
         testBlock [ self section: 'a' cost: 3 ]\n\
         testArgument [ self section: 'a' cost: [:x | x] ]\n]\n",
    );
    let run = sandbox.tally(&["test", "T.st"]);
    let output = run.output();
    for said in [
        "the name of a section has no brackets and stands on one line; 'a [b]' does not",
        "the name of a section expected, not ''",
        "the name of a section expected, not nil",
        "a block without arguments expected",
        "6 tests: 1 passed, 0 failed, 0 failed by counts, 5 in error",
    ] {
        assert!(output.contains(said), "{said}\n{output}");
    }
}
