//! `tally test --watch`: a change of a file runs the tests that it concerns, whatever way the file is saved; errors do not end
//! it, and Ctrl-C does.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use support::Sandbox;

/// What takes longer is taken to hang.
const DEADLINE: Duration = Duration::from_secs(60);

const SHELF: &str = "Object subclass: Shelf [\n\
    price [ ^100 ]\n\
    name [ ^'shelf' ]\n]\n";
const TESTS: &str = "TestCase subclass: ShelfTest [\n\
    testPrice [ self assert: Shelf new price equals: 100 ]\n\
    testName [ self assert: Shelf new name equals: 'shelf' ]\n\
    testOther [ self assert: (3 + 4) equals: 7 ]\n]\n";

/// A command that waits for changes.
struct Watching<'s> {
    sandbox: &'s Sandbox,
    child: Child,
    /// How much of its output was read.
    read: usize,
}

impl Watching<'_> {
    fn start<'s>(sandbox: &'s Sandbox, options: &[&str]) -> Watching<'s> {
        let output = File::create(sandbox.path("output")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_tally"))
            .args(["test", "--watch"])
            .args(options)
            .current_dir(sandbox.path("."))
            .stdin(Stdio::null())
            .stderr(output.try_clone().unwrap())
            .stdout(output)
            .spawn()
            .unwrap();
        Watching {
            sandbox,
            child,
            read: 0,
        }
    }

    /// Waits until the output has a text, and answers the output up to there, since the last one.
    #[track_caller]
    fn until(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            let bytes = fs::read(self.sandbox.path("output")).unwrap();
            let new = String::from_utf8_lossy(&bytes[self.read..]).into_owned();
            if let Some(at) = new.find(text) {
                let end = at + text.len();
                self.read += end;
                return new[..end].to_string();
            }
            assert!(start.elapsed() < DEADLINE, "no {text:?} in\n{new}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Presses Ctrl-C and answers the exit code.
    fn interrupt(mut self) -> Option<i32> {
        let id = Pid::from_raw(i32::try_from(self.child.id()).unwrap());
        kill(id, Signal::SIGINT).unwrap();
        self.child.wait().unwrap().code()
    }
}

/// Saves a file as many editors do: under another name, which then takes the place of the file's.
fn replace(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("{name}~"), text);
    fs::rename(sandbox.path(&format!("{name}~")), sandbox.path(name)).unwrap();
}

fn project(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("tally.toml", "[project]\npaths = [\"src\", \"tests\"]\n");
    sandbox.write("src/Shelf.st", SHELF);
    sandbox.write("tests/ShelfTest.st", TESTS);
    sandbox
}

#[test]
fn a_save_runs_the_tests_that_it_concerns() {
    let sandbox = project("watch");
    let mut watching = Watching::start(&sandbox, &[]);
    let first = watching.until("Ctrl-C ends it\n");
    assert!(first.contains("3 tests: 3 passed"), "{first}");
    assert!(first.contains("watching 3 files"), "{first}");

    sandbox.write("src/Shelf.st", SHELF.replace("^100", "^200"));
    let second = watching.until("passed, 1 failed");
    assert!(
        second.contains("src/Shelf.st changed\n1 of 3 tests\nShelfTest>>testPrice  FAILED\n"),
        "{second}"
    );
    assert!(!second.contains("testOther"), "{second}");

    // Saved by a rename, and what failed before is not forgotten.
    let renamed = SHELF
        .replace("^100", "^200")
        .replace("^'shelf'", "^'she','lf'");
    replace(&sandbox, "src/Shelf.st", &renamed);
    let third = watching.until("still failing: ShelfTest>>testPrice\n");
    assert!(
        third.contains("1 of 3 tests\nShelfTest>>testName  ok\n"),
        "{third}"
    );

    // An error is shown, and the next save is compared with the last version that compiled.
    sandbox.write("src/Shelf.st", "Object subclass: Shelf [ price [ ^( ] ]\n");
    watching.until("error[");
    replace(&sandbox, "src/Shelf.st", SHELF);
    let fourth = watching.until("2 tests: 2 passed");
    assert!(fourth.contains("2 of 3 tests\n"), "{fourth}");

    // A change that no test sees, and a new file.
    replace(&sandbox, "src/Shelf.st", &format!("\"A shelf.\"\n{SHELF}"));
    watching.until("0 of 3 tests\n");
    sandbox.write(
        "tests/MoreTest.st",
        "TestCase subclass: MoreTest [ testMore [ self assert: true ] ]\n",
    );
    let fifth = watching.until("1 test: 1 passed");
    assert!(
        fifth.contains("tests/MoreTest.st changed\n1 of 4 tests\n"),
        "{fifth}"
    );

    // Settings are for all tests.
    sandbox.write(
        "tally.toml",
        "[project]\npaths = [\"src\", \"tests\"]\n[test]\nmax-sends = 10_000\n",
    );
    watching.until("4 tests: 4 passed");
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn ctrl_c_ends_it_while_tests_run() {
    let sandbox = project("watch-endless");
    sandbox.write(
        "tests/ZTest.st",
        "TestCase subclass: ZTest [ testEndless [ 'begun' displayNl. [true] whileTrue ] ]\n",
    );
    let mut watching = Watching::start(&sandbox, &["--jobs", "1"]);
    watching.until("ShelfTest>>testOther");
    assert_eq!(watching.interrupt(), Some(130));
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let sandbox = project("watch-refused");
    for options in [
        &["test", "--watch", "-"][..],
        &["test", "--watch", "--counts", "update"],
        &["test", "--watch", "--list"],
        &["test", "--watch", "--changed", "HEAD"],
        &["gate", "--watch"],
    ] {
        let ran = sandbox.tally(options);
        assert!(!ran.exits(2).error().is_empty(), "{ran}");
    }
}
