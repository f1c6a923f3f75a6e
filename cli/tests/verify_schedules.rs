//! `tally verify` of programs with processors: what their outputs and endings depend on, if they run in other orders.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use serde_json::Value;
use support::{Ran, Sandbox};

/// Both writers send their line at the same moment: the first is called a tick earlier and takes a tick longer.
const TIE: &str = "Object subclass: Paper [
    | lines |
    initialize [ lines := '' ]
    add: aString [ lines := lines , aString ]
    lines [ ^lines ]
]
Object subclass: Writer [
    write: aString on: paper [ paper add: aString ]
    think: aString on: paper [ self yourself. paper add: aString ]
    isDone [ ^true ]
]
| paper one other |
paper := Paper separate new.
one := Writer separate new.
other := Writer separate new.
one think: 'a' on: paper.
other write: 'b' on: paper.
(one isDone and: [other isDone]) printNl.
paper lines displayNl.
";

/// Sums are the same in any order.
const SUM: &str = "Object subclass: Account [
    | balance |
    initialize [ balance := 0 ]
    deposit: amount [ balance := balance + amount ]
    balance [ ^balance ]
]
Object subclass: Teller [
    deposit: amount into: account [ account deposit: amount ]
    isDone [ ^true ]
]
| account tellers |
account := Account separate new.
tellers := (1 to: 3) collect: [ :each | Teller separate new ].
tellers do: [ :each | each deposit: 7 into: account ].
(tellers allSatisfy: [ :each | each isDone ]) printNl.
account balance printNl.
";

/// Each fork is taken before the other, and held for longer than it takes to reach for the second: with a CPU for each, they wait for ever.
/// On one CPU the first has put both back before the second begins.
const DEADLOCK: &str = "Object subclass: Fork [ use [ ^1 ] ]
Object subclass: Guest [
    | second |
    second: aFork [ second := aFork ]
    eat: first [
        <separate>
        20 timesRepeat: [].
        self take: second
    ]
    take: fork [
        <separate>
        fork use
    ]
]
| a b one other |
a := Fork separate new.
b := Fork separate new.
one := Guest separate new.
other := Guest separate new.
one second: b.
other second: a.
one eat: a.
other eat: b.
";

fn verify(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.tally(&[&["verify"], arguments].concat())
}

fn report(sandbox: &Sandbox, arguments: &[&str], code: i32) -> Value {
    let ran = verify(sandbox, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(ran.exits(code).output()).expect("a document")
}

/// The options whose modes differ, and the modes.
fn differing(report: &Value) -> Vec<(&str, &str)> {
    let modes = report["runs"][0]["modes"].as_array().expect("modes");
    let different = modes.iter().filter(|mode| mode["isEqual"] == false);
    different
        .map(|mode| {
            let text = |member: &str| mode[member].as_str().unwrap_or_default();
            (text("option"), text("mode"))
        })
        .collect()
}

#[test]
fn the_output_depends_on_ties() {
    let sandbox = Sandbox::new("schedules-tie");
    sandbox.write("tie.st", TIE);
    let usual = sandbox.tally(&["run", "tie.st"]);
    assert_eq!(usual.exits(0).output(), "true\nab\n");
    let other = sandbox.tally(&["run", "tie.st", "--ties", "reverse"]);
    assert_eq!(other.exits(0).output(), "true\nba\n");
    let ran = verify(&sandbox, &["tie.st"]);
    ran.exits(0)
        .mentions(": schedule-sensitive\n")
        .mentions("  schedule-sensitive: the output depends on --ties; the run with --ties reverse differs\n")
        .mentions("    line 2 of the output: 'ab' → 'ba'\n")
        .mentions("\n0 runs differ but must not, 1 finding\n");
    // Each reported mode prints otherwise with `tally run`, and each other mode the same.
    let document = report(&sandbox, &["tie.st"], 0);
    let found = differing(&document);
    assert!(found.contains(&("--ties", "--ties reverse")), "{found:?}");
    let modes = document["runs"][0]["modes"].as_array().expect("modes");
    let scheduled = modes.iter().filter(|mode| mode["option"].is_string());
    let mut count = 0;
    for mode in scheduled {
        count += 1;
        let text = mode["mode"].as_str().expect("a mode");
        let options: Vec<&str> = text.split(' ').collect();
        let ran = sandbox.tally(&[&["run", "tie.st"], &options[..]].concat());
        let is_equal = ran.output() == "true\nab\n";
        assert_eq!(mode["isEqual"], is_equal, "{text}: {ran}");
    }
    assert_eq!(count, 10);
}

#[test]
fn outputs_that_must_agree_fail_the_command() {
    let sandbox = Sandbox::new("schedules-same");
    sandbox.write("tie.st", TIE);
    sandbox.write("sum.st", SUM);
    verify(&sandbox, &["tie.st", "--same-output"])
        .exits(7)
        .mentions(": schedule-sensitive\n")
        .mentions("depends on --ties");
    let document = report(&sandbox, &["tie.st", "--same-output"], 7);
    assert_eq!(document["failures"], differing(&document).len());
    assert_eq!(document["findings"], 0);
    verify(&sandbox, &["tie.st", "--deny", "findings"]).exits(7);
    verify(&sandbox, &["tie.st", "--mode", "reference"])
        .exits(0)
        .mentions("the same in 2 runs");
    verify(&sandbox, &["sum.st", "--same-output"])
        .exits(0)
        .mentions("the same in 24 runs");
    verify(&sandbox, &["sum.st", "--same-output", "--mode", "seed"])
        .exits(2)
        .says("--same-output is about the mode schedule");
}

#[test]
fn the_ending_depends_on_cpus() {
    let sandbox = Sandbox::new("schedules-end");
    sandbox.write("forks.st", DEADLOCK);
    sandbox.tally(&["run", "forks.st"]).exits(1);
    sandbox.tally(&["run", "forks.st", "--cpus", "1"]).exits(0);
    verify(&sandbox, &["forks.st", "--mode", "schedule"])
        .exits(1)
        .mentions(
            "schedule-sensitive: the ending depends on --cpus; the run with --cpus 1 differs\n",
        )
        .mentions("    how it ended: ended in a deadlock → finished\n");
}

#[test]
fn programs_without_processors_have_no_order_of_them() {
    let sandbox = Sandbox::new("schedules-none");
    sandbox.write("plain.st", "3 printNl.");
    verify(&sandbox, &["plain.st", "--same-output"])
        .exits(0)
        .mentions("the same in 14 runs");
    verify(&sandbox, &["plain.st", "--mode", "schedule"])
        .exits(0)
        .mentions("not run in the mode '--ties reverse': it makes no processor");
}

/// Each test by itself: the one about the order depends on it, the other one does not.
#[test]
fn tests_with_processors_are_verified_too() {
    let sandbox = Sandbox::new("schedules-tests");
    let classes = |text: &str| text.split("\n| ").next().unwrap_or_default().to_string();
    let tests = "
TestCase subclass: OrderTest [
    lines [
        | paper one other |
        paper := Paper separate new.
        one := Writer separate new.
        other := Writer separate new.
        one think: 'a' on: paper.
        other write: 'b' on: paper.
        self assert: (one isDone and: [other isDone]).
        ^paper lines
    ]
    testOrder [ self assert: self lines equals: 'ab' ]
    testSize [ self assert: self lines size equals: 2 ]
]
";
    sandbox.write("tests.st", classes(TIE) + tests);
    let document = report(&sandbox, &["--tests", "tests.st"], 0);
    let runs = document["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2);
    for run in runs {
        let modes = run["modes"].as_array().expect("modes");
        let ties = modes.iter().find(|mode| mode["mode"] == "--ties reverse");
        let is_order = run["name"] == "OrderTest>>testOrder";
        let is_equal = &ties.expect("a mode")["isEqual"];
        assert_eq!(*is_equal, !is_order, "{run}");
    }
}
