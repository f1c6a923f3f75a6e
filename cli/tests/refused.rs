//! Memory that the system refuses, and memory that is not taken at all.
#![cfg(target_os = "linux")]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::process::{Command, Output};

use support::Sandbox;
use support::filling::FILLING;

#[test]
fn the_same_text_compiled_again_takes_no_memory() {
    let sandbox = Sandbox::new("again");
    for expression in [
        "1 to: 100000 do: [:i | Smalltalk evaluate: '3']",
        "1 to: 100000 do: [:i | Smalltalk evaluate: '#foo size + 10 factorial']",
        "1 to: 100000 do: [:i | Object compile: 'foo ^3']",
    ] {
        sandbox
            .tally(&["run", "--max-memory", "20M", "-e", expression])
            .exits(0);
    }
}

/// Runs a program in an address space of a given number of KiB.
fn within(kilobytes: u32, sandbox: &Sandbox, arguments: &str) -> Output {
    let tally = env!("CARGO_BIN_EXE_tally");
    let line = format!("ulimit -v {kilobytes}; exec '{tally}' {arguments}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(sandbox.path("."));
    shell.output().expect("a shell")
}

#[test]
fn a_system_that_refuses_memory_ends_the_run_in_order() {
    let sandbox = Sandbox::new("refused");
    for (what, program) in FILLING {
        sandbox.write("p.st", format!("'before' displayNl.\n{program}.\n"));
        let ran = within(800_000, &sandbox, "run p.st");
        let error = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(6), "{what}: {error}");
        assert_eq!(ran.stdout, b"before\n", "{what}");
        assert!(error.starts_with("error: "), "{what}: {error}");
        assert_eq!(error.lines().count(), 1, "{what}: {error}");
    }
}

#[test]
fn a_system_without_memory_for_a_start_is_a_limit() {
    let sandbox = Sandbox::new("start");
    let ran = within(200_000, &sandbox, "run -e 3");
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(6), "{error}");
    assert!(error.starts_with("error: "), "{error}");
}

/// A heap that takes all addresses that are left leaves none to stacks, and none to the machines of tests.
#[test]
fn few_addresses_are_enough_for_small_programs() {
    let sandbox = Sandbox::new("addresses");
    sandbox.write(
        "p.st",
        "| b |\nb := nil.\nb := [ :n | n = 0 ifTrue: [ 0 ] ifFalse: [ (b value: n - 1) + 1 ] ].\n(b value: 9000) printNl\n",
    );
    sandbox.write(
        "t.st",
        "TestCase subclass: T [ testOne [ self assert: true ] testTwo [ self assert: 3 = 3 ] ]\n",
    );
    for kilobytes in [1_200_000, 1_500_000, 2_500_000, 3_000_000, 6_000_000] {
        for arguments in ["run p.st", "test --jobs 2 t.st"] {
            let ran = within(kilobytes, &sandbox, arguments);
            let error = String::from_utf8_lossy(&ran.stderr);
            assert_eq!(
                ran.status.code(),
                Some(0),
                "{kilobytes}, {arguments}: {error}"
            );
        }
    }
}
