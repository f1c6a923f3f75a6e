//! The state of output and files after a run that ends in the middle: by a signal, by a limit of the system, by lack of a thread.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

use support::Sandbox;

/// Runs a line of shell, in which `tally` is the command.
fn shell(sandbox: &Sandbox, line: &str) -> Output {
    let line = line.replace("tally ", concat!(env!("CARGO_BIN_EXE_tally"), " "));
    Command::new("sh")
        .args(["-c", &line])
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The names of the hidden files in the folder.
fn hidden(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(sandbox.path("")).unwrap().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut hidden: Vec<String> = names.filter(|name| name.starts_with('.')).collect();
    hidden.sort();
    hidden
}

#[test]
fn a_signal_loses_nothing_that_was_printed() {
    for (name, number) in [("HUP", 1), ("INT", 2), ("TERM", 15), ("XCPU", 24)] {
        let sandbox = Sandbox::new("signals");
        sandbox.write(
            "p.st",
            "Transcript showCr: 'before'.\n\
             'there' asFileReference contents: 'x'.\n\
             [true] whileTrue: [nil isNil printString]",
        );
        let out = File::create(sandbox.path("out")).unwrap();
        // Tests that run in the background, or under nohup, ignore signals, and children inherit that.
        let mut tally = Command::new("env")
            .arg(format!("--default-signal={name}"))
            .arg(env!("CARGO_BIN_EXE_tally"))
            .args(["run", "--allow-write", "p.st"])
            .current_dir(sandbox.path(""))
            .stdin(Stdio::null())
            .stdout(out)
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !sandbox.path("there").exists() {
            assert!(start.elapsed() < Duration::from_secs(60), "{name}");
            std::thread::sleep(Duration::from_millis(5));
        }
        let killed = Command::new("kill")
            .args([&format!("-{name}"), &tally.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        assert_eq!(tally.wait().unwrap().signal(), Some(number), "{name}");
        assert_eq!(sandbox.read("out"), "before\n", "{name}");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_of_the_write() {
    let sandbox = Sandbox::new("file-size");
    sandbox.write(
        "p.st",
        "Transcript showCr: 'before'.\n\
         'large' asFileReference contents: (String new: 1000000)",
    );
    let ran = shell(&sandbox, "ulimit -f 8; exec tally run --allow-write p.st");
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{error}");
    assert_eq!(ran.stdout, b"before\n");
    assert!(error.contains("could not use large"), "{error}");
    let print = "(String new: 1000000) displayNl";
    let ran = shell(
        &sandbox,
        &format!("ulimit -f 8; exec tally run -e '{print}' > large"),
    );
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(74), "{error}");
    assert!(error.contains("cannot write standard output"), "{error}");
    assert_eq!(hidden(&sandbox), [""; 0]);
}

#[test]
fn what_a_killed_process_has_left_is_removed_by_the_next_write() {
    let sandbox = Sandbox::new("left");
    // No process has such a number.
    let names = [
        ".tally-4199999-0.tmp",
        ".tally-4199999-1.tmp",
        ".tally-4199999",
    ];
    for name in names {
        sandbox.write(name, "half");
        let an_hour = Duration::from_secs(60 * 60);
        let file = File::options().write(true).open(sandbox.path(name));
        file.unwrap()
            .set_modified(SystemTime::now() - an_hour)
            .unwrap();
    }
    sandbox.write(".tally-4199999-1.tmp", "new");
    sandbox
        .tally(&["run", "-e", "3", "--counts", "-o", "counts"])
        .exits(0);
    assert_eq!(hidden(&sandbox), [".tally-4199999", ".tally-4199999-1.tmp"]);
    assert!(sandbox.read("counts").contains("sends"));
}

#[test]
fn a_process_that_cannot_start_says_why() {
    let sandbox = Sandbox::new("starting");
    let ran = shell(&sandbox, "ulimit -s 64; exec tally run -e '3 + 4'");
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert_eq!(ran.stdout, b"7\n");
    let ran = shell(&sandbox, "ulimit -v 200000; exec tally run -e '3 + 4'");
    let error = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(6), "{error}");
    assert!(
        error.contains("the working thread cannot be started"),
        "{error}"
    );
}
