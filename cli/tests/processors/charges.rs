//! Costs and policies in programs that are small enough to be worked out by hand.

use std::fmt::Write as _;

use super::forms::{Program, sum};
use crate::figure;
use crate::support::{Ran, Sandbox};

fn timeline(text: &str, options: &[&str]) -> Ran {
    let sandbox = Sandbox::new("charges");
    sandbox.write("p.st", text);
    sandbox.tally(&[&["timeline", "p.st"], options].concat())
}

fn makespan(text: &str, options: &[&str]) -> u64 {
    figure(timeline(text, options).exits(0), "makespan ")
}

/// Two requests. `separate` at 1, `new` is sent at 2, takes two ticks and answers at 4, the command is sent at 5 and takes none.
const TWO_REQUESTS: &str = "Object subclass: Cell [ | value | value: anObject [ value := anObject ] ]\n\
     | cell |\ncell := Cell separate new.\ncell value: 3.\n";

#[test]
fn each_cost_of_a_request_is_paid_where_the_document_says() {
    let costs = [
        ("call=0", 5),
        ("create=7", 5 + 7),
        ("call=7", 5 + 7 + 7),
        // `new` is one word, `value:` two.
        ("word=7", 5 + 7 + 14),
        // There and back, and there.
        ("latency=7", 5 + 14 + 7),
        ("receive=7", 5 + 7 + 7),
        // The second is sent fifty after the first.
        ("gap=50", 2 + 50),
        // The first is unlocked at 11, the second is granted its lock then, ends at once and is unlocked.
        ("unlock=7", 4 + 7 + 7),
    ];
    for (cost, expected) in costs {
        assert_eq!(
            makespan(TWO_REQUESTS, &["--costs", cost]),
            expected,
            "{cost}"
        );
    }
}

/// The one CPU goes to the cell, back to the script, and to the cell.
#[test]
fn a_cpu_pays_for_each_switch() {
    let options = ["--cpus", "1", "--costs", "switch=7"];
    assert_eq!(makespan(TWO_REQUESTS, &options), 5 + 3 * 7);
    // Two CPUs have one processor each, and never switch.
    let options = ["--cpus", "2", "--costs", "switch=7"];
    assert_eq!(makespan(TWO_REQUESTS, &options), 5);
}

/// A scope with two locks, and a condition that is true.
#[test]
fn a_scope_pays_for_its_locks_and_evaluations() {
    let text = "Object subclass: Pair [\n    \
         join: one with: other [ <separate> self require: [ true ]. one yourself ]\n]\n\
         Pair new join: Object separate new with: Object separate new.\n";
    let without = makespan(text, &[]);
    assert_eq!(makespan(text, &["--costs", "lock=7"]), without + 14);
    assert_eq!(makespan(text, &["--costs", "evaluate=7"]), without + 7);
}

const USERS: &str = "Object subclass: Worker [ use: it [ <separate> 10 timesRepeat: [] ] ]";

/// k workers, each with a resource of its own for n ticks, started by a message a tick. The scope of the messages is approved first,
/// which takes σ. The request of the i-th worker arrives i later, and is approved at iσ + 1: 1 + kσ + n, and
/// Σ (1 + iσ − i) = σ·k(k+1)/2 − k(k−1)/2.
#[test]
fn a_central_scheduler_lets_disjoint_scopes_wait() {
    const K: u64 = 100;
    const CENTRAL: &[&str] = &["--policy", "scheduler=central", "--costs", "scheduler=5"];
    let mut text = Program::new(USERS);
    let (mut sent, mut parameters, mut arguments) = (String::new(), String::new(), String::new());
    for i in 0..K {
        text.make(&format!("w{i}"), "Worker");
        text.make(&format!("r{i}"), "Object");
        let _ = write!(sent, "a{i} use: r{i}. ");
        let _ = write!(parameters, "{}: a{i} ", if i == 0 { "start" } else { "x" });
        let _ = write!(arguments, "{}: w{i} ", if i == 0 { "start" } else { "x" });
    }
    let start = format!("{parameters}[ <separate> {sent}]");
    text.go = format!("self {arguments}. ] {}", start.trim_end_matches(']'));
    let central = text.run(CENTRAL);
    // The call of `start` is a tick, and its approval takes 5.
    assert_eq!(
        figure(central.exits(0), "makespan "),
        1 + 5 + 1 + 5 * K + 10
    );
    let waited = 5 * K * (K + 1) / 2 - K * (K - 1) / 2;
    let central = text.run(&[CENTRAL, &["--format", "json"]].concat());
    assert_eq!(sum(&central, "Worker>>use:", "synchronization"), waited);
    assert_eq!(text.makespan("max"), 1 + K + 10);
    let parallel = text.run(&["--format", "json"]);
    assert_eq!(sum(&parallel, "Worker>>use:", "synchronization"), 0);
}

/// Two workers of 25 ticks on one CPU, with slices of ten. They are started at 1 and 2 in one scope, and the script ends at 2. Then they
/// have the CPU in turns: 2 to 12, 12 to 22, 22 to 32, 32 to 42, 42 to 47, and 47 to 52.
#[test]
fn slices_let_busy_processors_take_turns() {
    let mut text =
        Program::new("Object subclass: Worker [ | n | work: k [ k timesRepeat: [] ] get [ ^n ] ]");
    text.make("one", "Worker");
    text.make("two", "Worker");
    text.go = "one work: 25. two work: 25.".to_string();
    let executed = |options: &[&str]| {
        let ran = text.run(&[&["--cpus", "1", "--format", "json"], options].concat());
        sum(&ran, "Worker>>work:", "execution")
    };
    // One after the other.
    assert_eq!(executed(&[]), 25 + 25);
    assert_eq!(executed(&["--slice", "10"]), (47 - 2) + (52 - 12));
}
