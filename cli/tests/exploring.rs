//! `tally explore`: the numbers of document 002 and of the examples, schedules that runs follow, assertions of tests, odd input.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[path = "exploring/assertions.rs"]
mod assertions;
#[path = "exploring/costs.rs"]
mod costs;
#[path = "exploring/counted.rs"]
mod counted;
#[path = "exploring/examples.rs"]
mod examples;
#[path = "exploring/odd.rs"]
mod odd;
#[path = "exploring/processes.rs"]
mod processes;
#[path = "exploring/processors.rs"]
mod processors;
#[path = "exploring/revisions.rs"]
mod revisions;
#[path = "exploring/schedules.rs"]
mod schedules;
#[path = "exploring/spilled.rs"]
mod spilled;
#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Ran, Sandbox};

/// The classes of document 002, figure 1, mended. The costs of turns are those of its check numbers.
const MODULO: &str = "\
Actor subclass: Root [
    read: from to: to [
        self turnCost: 17.
        Node spawn tell range: self from: from to: to.
        self behaveAs: Writer new
    ]
]
Actor subclass: Writer [ join: value [ self turnCost: 37. self output: value. self dispose ] ]
Actor subclass: Node [
    range: cont from: from to: to [
        | mid |
        to - from <= 1 ifTrue: [
            self turnCost: 23.
            cont tell join: (to = from ifTrue: [from] ifFalse: [to + from]).
            ^self dispose].
        self turnCost: 19.
        mid := from + to // 2.
        Node spawn tell range: self from: from to: mid.
        Node spawn tell range: self from: mid + 1 to: to.
        self behaveAs: (Join for: cont)
    ]
]
Actor subclass: Join [
    | cont result |
    Join class >> for: anAddress [ ^self new for: anAddress ]
    for: anAddress [ cont := anAddress ]
    join: value [
        result isNil ifTrue: [self turnCost: 29. result := value. ^self].
        self turnCost: 31.
        cont tell join: value \\\\ result.
        self dispose
    ]
]
";

/// The program on the numbers from 1 to another one.
fn modulo(to: u32) -> String {
    format!("{MODULO}Root spawn tell read: 1 to: {to}.\n")
}

fn sandbox(program: &str) -> Sandbox {
    let sandbox = Sandbox::new("exploring");
    sandbox.write("p.st", program);
    sandbox
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/actors")
}

/// What an exploration found, as JSON.
fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|error| panic!("{error}: {ran}"))
}

fn explored(sandbox: &Sandbox, options: &[&str]) -> Ran {
    let mut words = vec!["explore", "p.st", "--format", "json"];
    words.extend(options);
    sandbox.tally(&words)
}

/// Results without failures, as texts.
fn results(found: &Value) -> Vec<String> {
    let all = found["results"].as_array().unwrap().iter();
    let written = all.filter(|one| one["failure"].is_null());
    let texts = written.map(|one| {
        let lists = one["written"].as_array().unwrap().iter();
        let lines = lists.flat_map(|list| list["outputs"].as_array().unwrap());
        let lines: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
        lines.join(" ")
    });
    texts.collect()
}

/// Every computation of the paper's program: states, transitions, results.
#[test]
fn the_program_of_the_paper() {
    let sandbox = sandbox(&modulo(4));
    for delivery in ["any", "fifo", "causal"] {
        let ran = explored(&sandbox, &["--delivery", delivery]);
        let found = json(ran.exits(0));
        assert_eq!(found["states"], 14, "{delivery}");
        assert_eq!(found["transitions"], 16, "{delivery}");
        assert_eq!(found["computations"], 2, "{delivery}");
        assert_eq!(found["nodes"], "27", "{delivery}");
        assert_eq!(found["determinacy"], "bounded", "{delivery}");
        assert_eq!(results(&found), ["1", "3"], "{delivery}");
    }
    sandbox
        .tally(&[
            "explore",
            "p.st",
            "-o",
            "tree.svg",
            "-o",
            "p.tdd.svg",
            "-o",
            "p.html",
            "-o",
            "p.dot",
        ])
        .exits(0);
    let tree = sandbox.read("tree.svg");
    assert_eq!(tree.matches("<circle").count(), 17, "{tree}");
    assert_eq!(tree.matches("<path class=\"merged\"").count(), 3, "{tree}");
    let page = sandbox.read("p.html");
    assert!(
        page.contains("\nBounded nondeterminism: there are 2 results.\n"),
        "{page}"
    );
    assert!(page.ends_with("</html>\n"));
    assert!(sandbox.read("p.dot").starts_with("digraph"));
}

/// On 1..6 half of all schedules divide by zero.
#[test]
fn half_of_the_schedules_fail() {
    let sandbox = sandbox(&modulo(6));
    for (delivery, transitions) in [("any", 309), ("fifo", 322), ("causal", 322)] {
        let ran = explored(&sandbox, &["--delivery", delivery]);
        let found = json(ran.exits(1));
        assert_eq!(found["states"], 133);
        assert_eq!(found["transitions"], transitions);
        assert_eq!(found["schedules"], "33264");
        let failing = found["results"].as_array().unwrap().iter();
        let failing = failing.filter(|one| !one["failure"].is_null());
        let schedules: Vec<&Value> = failing.map(|one| &one["schedules"]).collect();
        assert_eq!(schedules, ["16632"]);
    }
}

/// Threads, a second execution of each turn, and machines without optimisations change nothing.
#[test]
fn what_does_not_matter() {
    for program in [
        modulo(8),
        fs::read_to_string(examples().join("bank.st")).unwrap(),
    ] {
        let sandbox = sandbox(&program);
        let usual = explored(&sandbox, &["-j", "1"]);
        for options in [
            &["-j", "4"][..],
            &["--no-memo"],
            &["--reference"],
            &["--no-caches"],
            &["--no-quick"],
            &["--gc-stress"],
            &["--nursery", "64K"],
        ] {
            let other = explored(&sandbox, options);
            assert_eq!(usual.output(), other.output(), "{options:?}");
        }
    }
}
