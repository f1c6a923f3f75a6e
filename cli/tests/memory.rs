//! The budget of memory: whatever a program fills it with, it ends with the code of a limit, what it printed stands there, and the
//! process never held much more than it may.
#![cfg(target_os = "linux")]
#![expect(
    clippy::print_stdout,
    reason = "how far a test came is shown when it fails"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use nix::sys::resource::{UsageWho, getrusage};
use support::Sandbox;
use support::filling::FILLING;

/// What the processes of these tests may hold.
const LIMIT: &str = "100M";
const LIMIT_BYTES: i64 = 100 << 20;
/// What a process may hold beyond its limit.
const BEYOND: i64 = 64 << 20;

fn stays_small() {
    let held = getrusage(UsageWho::RUSAGE_CHILDREN)
        .expect("usage")
        .max_rss()
        * 1024;
    assert!(held <= LIMIT_BYTES + BEYOND, "{held} bytes");
}

/// One test, because the system reports the greatest memory of all processes that this one has started.
#[test]
fn a_process_stays_within_its_budget() {
    whatever_fills_the_memory_ends_the_run_in_order();
    recording_is_part_of_the_budget();
    sources_and_findings_are_bounded();
}

fn whatever_fills_the_memory_ends_the_run_in_order() {
    let sandbox = Sandbox::new("filling");
    for (what, program) in FILLING {
        sandbox.write("p.st", format!("'before' displayNl.\n{program}.\n"));
        println!("{what}");
        let ran = sandbox.tally(&["run", "--max-memory", LIMIT, "p.st"]);
        ran.exits(6)
            .prints("before\n")
            .says("the limit on memory was reached (--max-memory)");
        ran.says("objects take ")
            .says(", stacks ")
            .says(", code and all else ");
        stays_small();
    }
}

fn recording_is_part_of_the_budget() {
    let sandbox = Sandbox::new("recording");
    let tree = "Object subclass: A [\n\
                a: n [ n = 0 ifFalse: [ self a: n - 1. self b: n - 1 ] ]\n\
                b: n [ n = 0 ifFalse: [ self b: n - 1. self a: n - 1 ] ] ]\n\
                A new a: 80.\n";
    sandbox.write("p.st", tree);
    let arguments = [
        "profile",
        "--max-memory",
        LIMIT,
        "--max-sends",
        "20000000",
        "p.st",
    ];
    sandbox.tally(&arguments).exits(6);
    stays_small();
}

fn sources_and_findings_are_bounded() {
    let sandbox = Sandbox::new("sources");
    let cases = [
        ("nuls.st", "\0"),
        ("open.st", "("),
        ("close.st", ")"),
        ("names.st", "unknown. "),
    ];
    for (name, piece) in cases {
        sandbox.write(name, piece.repeat(1_000_000 / piece.len()));
        let ran = sandbox.tally(&["check", name]);
        ran.exits(8);
        assert!(ran.error().len() < 200_000, "{name}: {}", ran.error().len());
        stays_small();
    }
    sandbox.write("long.st", "3. ".repeat(1000));
    for command in [
        ["check", "--max-source", "2K", "long.st"],
        ["run", "--max-source", "2K", "long.st"],
    ] {
        let ran = sandbox.tally(&command);
        ran.exits(8)
            .says("long.st is too long: a text has at most 2048 bytes (--max-source)");
    }
    sandbox
        .tally(&["run", "--max-source", "3000", "long.st"])
        .exits(0);
}
