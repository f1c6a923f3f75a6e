//! `--by computations`: one computation after the other.

use crate::support::Sandbox;
use crate::{explored, json, modulo, sandbox};

fn counted(sandbox: &Sandbox, options: &[&str]) -> crate::support::Ran {
    explored(sandbox, &[&["--by", "computations"], options].concat())
}

#[test]
fn computations_are_executed_once() {
    let sandbox = sandbox(&modulo(4));
    for delivery in ["any", "fifo", "causal"] {
        let ran = counted(&sandbox, &["--delivery", delivery]);
        let found = json(ran.exits(0));
        assert_eq!(found["schema"], "tally.computations/1");
        assert_eq!(
            (&found["computations"], &found["redundant"]),
            (&2.into(), &0.into())
        );
        let results = found["results"].as_array().unwrap();
        let of = |place: usize| &results[place]["written"][0]["outputs"][0];
        assert_eq!((results.len(), of(0), of(1)), (2, &"1".into(), &"3".into()));
    }
    sandbox
        .tally(&["explore", "p.st", "--by", "computations"])
        .exits(0)
        .mentions("No computation fails. There are 2 results.\n")
        .mentions("2 computations. No run was redundant. ");
    let words = [
        "explore",
        "p.st",
        "--by",
        "computations",
        "-o",
        "found.json",
    ];
    sandbox.tally(&words).exits(0);
    assert!(sandbox.read("found.json").contains("tally.computations/1"));
}

#[test]
fn failures_and_limits_decide_the_exit_code() {
    // Some orders of 1..6 divide by zero.
    let failing = sandbox(&modulo(6));
    let found = json(counted(&failing, &[]).exits(1));
    let results = found["results"].as_array().unwrap();
    let failures = results.iter().filter(|one| one["failure"].is_array());
    assert!(failures.count() > 0, "{found}");
    let sound = sandbox(&modulo(8));
    assert_eq!(json(counted(&sound, &[]).exits(0))["computations"], 8);
    let found = json(counted(&sound, &["--max-computations", "3"]).exits(6));
    assert_eq!(found["limit"], "the limit of 3 computations");
    let endless = sandbox("Actor subclass: A [ go [ self address tell go ] ] A spawn tell go.");
    let found = json(counted(&endless, &[]).exits(6));
    assert_eq!(
        found["limit"],
        "the limit of 10,000 events in a computation"
    );
}

#[test]
fn what_needs_states_is_refused() {
    let sandbox = sandbox(&modulo(4));
    for options in [
        &["--policy", "join: 1 < join: 2"][..],
        &["--machine", "unit"],
        &["--vary", "latency=0..9"],
        &["--view", "states"],
        &["--computation", "1"],
        &["--processors", "2"],
        &["--dead-letters", "fail"],
        &["-o", "x.svg"],
        &["-o", "x.json", "-o", "y.json"],
        &["--max-states", "9"],
    ] {
        let words = [&["explore", "p.st", "--by", "computations"], options].concat();
        sandbox
            .tally(&words)
            .exits(2)
            .says("--by computations does not keep");
    }
    let processors = crate::sandbox("Object subclass: A [ go [ ] ] A separate new go.");
    processors
        .tally(&["explore", "p.st", "--by", "computations"])
        .exits(2)
        .says("--by is for programs of actors");
}

/// Eight messages have 8! orders, with more than 100,000 beginnings: they are not listed, but counted one by one.
#[test]
fn many_beginnings() {
    let program = "\
Actor subclass: Adder [ | sum | add: n [ sum := (sum ifNil: [0]) + n ] ]
";
    let sending = "| a | a := Adder spawn. 0 to: 7 do: [:n | a tell add: (2 raisedTo: n)]";
    let sandbox = sandbox(&format!("{program}{sending}.\n"));
    let found = json(explored(&sandbox, &["--delivery", "any"]).exits(0));
    let computations = 40_320;
    assert_eq!(found["computations"], computations);
    assert_eq!(found["results"][0]["computations"], computations);
    let limit = ["--delivery", "any", "--max-computations", "40319"];
    let found = json(explored(&sandbox, &limit).exits(0));
    assert!(found["computations"].is_null());
    // A test sends them in order from one sender to one target.
    let test = |most: u32| {
        let sending = "| a | a := Adder spawn. 0 to: 7 do: [:n | Sender spawn tell send: n to: a]";
        let sender = "Actor subclass: Sender [ send: n to: a [ a tell add: (2 raisedTo: n) ] ]\n";
        format!(
            "{program}{sender}TestCase subclass: T [ testIt [ self assert: [{sending}] computationsAtMost: {most} ] ]\n"
        )
    };
    sandbox.write("t.st", test(computations));
    sandbox.tally(&["test", "t.st"]).exits(0);
    sandbox.write("t.st", test(computations - 1));
    sandbox.tally(&["test", "t.st"]).exits(3);
}
