//! Allocations that fail: of each command's allocations some are refused, one a run, and the command ends in order. What it
//! writes is there as a whole or not at all. Builds without debug assertions cannot refuse.
#![cfg(all(debug_assertions, target_os = "linux"))]
#![expect(
    clippy::print_stdout,
    reason = "how far a test came is shown when it fails"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::process::{Command, Output};

use support::Sandbox;

/// By how much, in percent, the number of the refused allocation grows from run to run.
const GROWTH: u64 = 108;

fn refusing(number: u64, sandbox: &Sandbox, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tally"))
        .args(arguments)
        .current_dir(sandbox.path("."))
        .env("XDG_STATE_HOME", sandbox.path("state"))
        .env("TALLY_REFUSE_ALLOCATION", number.to_string())
        .output()
        .expect("the command starts")
}

/// The message that a refused allocation leads to.
const REFUSED: &str = "the system has no more memory";

/// Refuses allocations of a command until it has no more of them. Each time the run is looked at with its exit code.
fn with_faults(
    sandbox: &Sandbox,
    arguments: &[&str],
    codes: &[i32],
    mut look: impl FnMut(&Output),
) {
    with_faults_told(sandbox, arguments, codes, |ran| {
        look(ran);
        String::from_utf8_lossy(&ran.stderr).contains(REFUSED)
    });
}

/// The same; the caller's check says whether an allocation was refused.
fn with_faults_told(
    sandbox: &Sandbox,
    arguments: &[&str],
    codes: &[i32],
    mut look: impl FnMut(&Output) -> bool,
) {
    let (mut number, mut refused) = (1, 0);
    loop {
        let ran = refusing(number, sandbox, arguments);
        let error = String::from_utf8_lossy(&ran.stderr);
        if !look(&ran) {
            assert_eq!(
                ran.status.code(),
                Some(0),
                "{number} of {arguments:?}: {error}"
            );
            break;
        }
        let code = ran.status.code();
        assert!(
            code.is_some_and(|code| codes.contains(&code)),
            "{code:?}, {number} of {arguments:?}: {error}"
        );
        refused += 1;
        number = number * GROWTH / 100 + 1;
    }
    println!("{arguments:?}: {refused} refused, the last before {number}");
    assert!(refused >= 50, "{arguments:?}: {refused}");
}

/// Whether a file is as it was before or as it is afterwards.
fn is_whole(sandbox: &Sandbox, name: &str, after: &[u8]) {
    if let Ok(found) = fs::read(sandbox.path(name)) {
        assert!(found == after, "{name} is neither as before nor as after");
        fs::remove_file(sandbox.path(name)).expect("it can be removed");
    }
}

const PROGRAM: &str = "Object subclass: A [ go: n [ ^n = 0 ifTrue: [ 0 ] ifFalse: [ (self go: n - 1) + 1 ] ] ]\n\
                       'first' displayNl.\n(A new go: 50) printNl.\n\
                       1 to: 40 do: [ :i | Smalltalk evaluate: i printString , ' + 4' ].\n(Smalltalk evaluate: '3 + 4') printNl.\n\
                       (1 to: 100) asOrderedCollection size printNl.\n";

#[test]
fn run_prints_what_was_printed_before() {
    let sandbox = Sandbox::new("faults-run");
    sandbox.write("p.st", PROGRAM);
    let all = "first\n50\n7\n100\n";
    let mut partial = 0;
    with_faults(&sandbox, &["run", "p.st"], &[6], |ran| {
        let printed = String::from_utf8_lossy(&ran.stdout);
        assert!(all.starts_with(&*printed), "{printed}");
        partial += u32::from(!printed.is_empty() && printed != all);
    });
    assert!(partial > 0, "no run ended in its middle");
}

#[test]
fn profiles_are_whole_or_absent() {
    let sandbox = Sandbox::new("faults-profile");
    sandbox.write("p.st", PROGRAM);
    for name in ["p.tally", "p.json", "p.html"] {
        let arguments = ["profile", "p.st", "-o", name];
        sandbox.tally(&arguments).exits(0);
        let after = fs::read(sandbox.path(name)).expect("a profile");
        fs::remove_file(sandbox.path(name)).expect("it can be removed");
        with_faults(&sandbox, &arguments, &[6], |_| {
            is_whole(&sandbox, name, &after)
        });
    }
}

#[test]
fn converted_profiles_are_whole_or_absent() {
    let sandbox = Sandbox::new("faults-convert");
    sandbox.write("p.st", PROGRAM);
    sandbox
        .tally(&["profile", "p.st", "-o", "p.tally"])
        .exits(0);
    let arguments = ["convert", "p.tally", "q.json"];
    sandbox.tally(&arguments).exits(0);
    let after = fs::read(sandbox.path("q.json")).expect("a profile");
    fs::remove_file(sandbox.path("q.json")).expect("it can be removed");
    with_faults(&sandbox, &arguments, &[6], |_| {
        is_whole(&sandbox, "q.json", &after)
    });
}

/// A project of two versions.
fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    let version = |loops: u32| {
        format!(
            "TestCase subclass: T [ testA [ 1 to: {loops} do: [ :i | i printString ]. self assert: true ] ]\n"
        )
    };
    sandbox.write("t.st", version(3));
    sandbox.write("tally.toml", "[project]\npaths = [\"t.st\"]\n");
    sandbox.write(".gitignore", "state\nout-*\nerr-*\n.tally*\n");
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "-A"]);
    sandbox.git(&["commit", "-qm", "one"]);
    sandbox.write("t.st", version(5));
    sandbox.git(&["commit", "-qam", "two"]);
    sandbox
}

#[test]
fn the_snapshot_has_what_passed_or_is_absent() {
    let sandbox = project("faults-test");
    let arguments = ["test", "--jobs", "1", "--counts", "update"];
    sandbox.tally(&arguments).exits(0);
    let after = fs::read_to_string(sandbox.path("tally.counts")).expect("a snapshot");
    fs::remove_file(sandbox.path("tally.counts")).expect("it can be removed");
    let mut partial = 0;
    with_faults(&sandbox, &arguments, &[6], |ran| {
        // A test whose process was refused memory has no counts; the others have theirs.
        if let Ok(found) = fs::read_to_string(sandbox.path("tally.counts")) {
            let printed = String::from_utf8_lossy(&ran.stdout);
            let passed = printed.lines().filter(|line| line.ends_with(" ok")).count();
            let counted = found
                .lines()
                .filter(|line| line.contains(" sends="))
                .count();
            assert_eq!(counted, passed, "{printed}\n{found}");
            assert!(found.ends_with("# end\n"), "{found}");
            assert!(
                found
                    .lines()
                    .all(|line| after.lines().any(|other| other == line)),
                "{found}"
            );
            partial += u32::from(found != after);
            fs::remove_file(sandbox.path("tally.counts")).expect("it can be removed");
        }
    });
    assert!(partial > 0, "no test's process was refused memory");
}

#[test]
fn the_store_and_the_work_tree_stay_sound() {
    let sandbox = project("faults-compare");
    for arguments in [&["compare", "HEAD~1", "HEAD"][..], &["history", "-n", "2"]] {
        // A version whose process was refused memory cannot be measured.
        with_faults(
            &sandbox,
            arguments,
            &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 74],
            |_| {},
        );
        sandbox.tally(&["store", "verify"]).exits(0);
        let status = Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(sandbox.path("."))
            .output();
        assert_eq!(status.expect("git").stdout, b"", "{arguments:?}");
    }
}

#[test]
fn a_study_keeps_what_was_measured() {
    let sandbox = Sandbox::new("faults-study");
    sandbox.write("p.st", "'p' displayNl.\n");
    sandbox.write("q.st", PROGRAM);
    let study = |file| {
        [
            "study",
            file,
            "--quick",
            "--rounds",
            "1",
            "--data",
            "out.jsonl",
        ]
    };
    sandbox.tally(&study("p.st")).exits(0);
    let before = sandbox.read("out.jsonl");
    sandbox.tally(&study("q.st")).exits(0);
    let after = sandbox.read("out.jsonl");
    let mut partial = 0;
    // Where only a form of running could not be measured, that is noted, and the study goes on.
    with_faults_told(&sandbox, &study("q.st"), &[0, 6], |ran| {
        let found = sandbox.read("out.jsonl");
        let added = found
            .strip_prefix(&before)
            .expect("what was measured stays");
        assert!(added.is_empty() || added.ends_with('\n'), "{found}");
        let is_entry = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert!(added.lines().all(is_entry), "{found}");
        if ran.status.code() == Some(0) {
            assert!(found.lines().count() >= after.lines().count(), "{found}");
        }
        partial += u32::from(!added.is_empty());
        sandbox.write("out.jsonl", &before);
        String::from_utf8_lossy(&ran.stderr).contains(REFUSED) || found.contains(REFUSED)
    });
    assert!(partial > 0, "no study ended in its middle");
}
