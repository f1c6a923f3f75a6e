//! `tally gate --self-test` with the real binary: gates that are wired in ways that work, and in those that never fail.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use support::{Ran, Sandbox};

const TALLY: &str = env!("CARGO_BIN_EXE_tally");

const PROGRAM: &str = "Object subclass: Tree [ double: n [ ^n + n ] ]\n\
    TestCase subclass: TreeTest [\n\
    testDouble [ self assert: (Tree new double: 3) equals: 6 ]\n\
    testLazy [ self assert: [ Tree new double: 4 ] sendsAtMost: 5 ]\n]\n";

/// A project whose counts are known, with a script for its gate in which `tally` stands for the command.
fn project(script: &str) -> Sandbox {
    let sandbox = Sandbox::new("gate");
    sandbox.write("tally.toml", "[project]\npaths = [\"tree.st\"]\n");
    sandbox.write("tree.st", PROGRAM);
    sandbox
        .tally(&["test", "tree.st", "--counts", "update"])
        .exits(0);
    sandbox.write("ci.sh", script.replace("tally ", &format!("'{TALLY}' ")));
    sandbox
}

/// Everything of the project, but what the runs of this test leave.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(next) = waiting.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                waiting.push(path);
            } else if !name.starts_with("out-") && !name.starts_with("err-") {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

/// Tests the gate, and that it left no trace in the project.
fn tested(sandbox: &Sandbox, command: &[&str]) -> Ran {
    let before = contents(&sandbox.path("."));
    let mut arguments = vec!["gate", "--self-test", "--"];
    arguments.extend(command);
    let ran = sandbox.tally(&arguments);
    assert!(contents(&sandbox.path(".")) == before);
    ran
}

fn works(script: &str, command: &[&str], said: &str) {
    let sandbox = project(script);
    let ran = tested(&sandbox, command);
    ran.exits(0);
    assert!(ran.output().contains(said), "{ran:?}");
}

fn does_not(script: &str, command: &[&str], said: &str) {
    let sandbox = project(script);
    tested(&sandbox, command).exits(3).says(said);
}

#[test]
fn a_plain_gate_works() {
    works(
        "tally gate\n",
        &["sh", "ci.sh"],
        "one send more in TreeTest>>testDouble (tree.st:3)",
    );
    works(
        "tally test tree.st --counts check\n",
        &["sh", "ci.sh"],
        "exit code 3",
    );
    works("", &[TALLY, "gate"], "exit code 3");
}

#[test]
fn a_gate_behind_make_works() {
    let makefile = |sandbox: &Sandbox, flags: &str| {
        sandbox.write("Makefile", format!("gate:\n\t{flags}'{TALLY}' gate\n"));
    };
    let sandbox = project("");
    makefile(&sandbox, "");
    let ran = tested(&sandbox, &["make", "gate"]);
    assert!(ran.exits(0).output().contains("exit code 2"));
    makefile(&sandbox, "-");
    tested(&sandbox, &["make", "gate"])
        .exits(3)
        .says("Makefile:2: make ignores");
}

#[test]
fn failures_that_are_ignored_are_found_out() {
    does_not(
        "set -e\ntally gate || true\n",
        &["sh", "ci.sh"],
        "ci.sh:2: a failure in front of || is ignored",
    );
}

#[test]
fn pipes_without_pipefail_are_found_out() {
    does_not(
        "set -e\ntally gate | cat\n",
        &["bash", "ci.sh"],
        "ci.sh:2: the exit code of a pipe",
    );
    works(
        "set -eo pipefail\ntally gate | cat\n",
        &["bash", "ci.sh"],
        "exit code 3",
    );
}

#[test]
fn shells_that_go_on_are_found_out() {
    does_not(
        "tally gate\necho done\n",
        &["sh", "ci.sh"],
        "ci.sh: the shell goes on",
    );
    works(
        "tally gate\necho done\n",
        &["sh", "-e", "ci.sh"],
        "exit code 3",
    );
}

#[test]
fn a_gate_that_fails_by_itself_cannot_be_tested() {
    let sandbox = project("tally gate\n");
    sandbox.write("tree.st", PROGRAM.replace("^n + n", "^n + n + 0"));
    tested(&sandbox, &["sh", "ci.sh"])
        .exits(1)
        .says("in an unchanged copy");
}

#[test]
fn without_counts_there_is_nothing_to_notice() {
    let sandbox = project("tally gate\n");
    fs::remove_file(sandbox.path("tally.counts")).unwrap();
    tested(&sandbox, &["sh", "ci.sh"])
        .exits(4)
        .says("tally.counts");
}

#[test]
fn a_gate_that_tests_itself_ends() {
    let sandbox = project("tally gate --self-test -- sh ci.sh\n");
    tested(&sandbox, &["sh", "ci.sh"])
        .exits(1)
        .says("would do so for ever");
}
