//! A test of `tally test` can end its own process only: the report says what killed it, and all other results stay the same.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use support::Sandbox;

/// The second test never ends by itself.
const ENDLESS: &str = "TestCase subclass: EndlessTest [\n\
    testA [ self assert: true ]\n\
    testB [ [true] whileTrue: [nil foo: 3] ]\n\
    testC [ self assert: true ]\n]\n\
    Object extend [ foo: x [ ^x ] ]\n";

/// Waits until something is there.
fn wait_for<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that a process has made.
fn children(of: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_child = |id: &u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name, in parentheses, can hold anything.
        let rest = stat.rsplit(')').next().unwrap_or_default();
        rest.split_whitespace().nth(1) == Some(&of.to_string())
    };
    ids.filter(is_child).collect()
}

fn send(signal: &str, process: u32) {
    let status = Command::new("kill")
        .args([signal, &process.to_string()])
        .status();
    assert!(status.unwrap().success());
}

/// Starts the endless tests in one worker, and waits until the second has begun.
fn start_endless(sandbox: &Sandbox) -> (Child, u32) {
    sandbox.write("e.st", ENDLESS);
    let options = ["test", "e.st", "--jobs", "1", "--report", "junit=out.xml"];
    // Tests that run in the background ignore signals, and children inherit that.
    let mut tally = Command::new("env")
        .arg("--default-signal=INT,TERM")
        .arg(env!("CARGO_BIN_EXE_tally"))
        .args(options)
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(tally.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "EndlessTest>>testA  ok\n");
    let worker = wait_for(|| children(tally.id()).first().copied());
    // A thread has to read what else is printed.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    (tally, worker)
}

#[test]
fn a_worker_that_is_killed_from_outside_costs_one_test() {
    let sandbox = Sandbox::new("killed");
    let (mut tally, worker) = start_endless(&sandbox);
    send("-KILL", worker);
    assert_eq!(tally.wait().unwrap().code(), Some(1));
    let junit = sandbox.read("out.xml");
    assert!(
        junit.contains("tests=\"3\" failures=\"0\" errors=\"1\""),
        "{junit}"
    );
    assert!(
        junit.contains("the process that ran it was killed by SIGKILL"),
        "{junit}"
    );
}

#[test]
fn no_worker_is_left_when_the_command_is_killed() {
    for signal in ["-KILL", "-TERM", "-INT"] {
        let sandbox = Sandbox::new("orphan");
        let (mut tally, worker) = start_endless(&sandbox);
        send(signal, tally.id());
        assert_eq!(tally.wait().unwrap().code(), None, "{signal}");
        let worker = format!("/proc/{worker}");
        wait_for(|| (!Path::new(&worker).exists()).then_some(()));
    }
}

/// The ways in which a build with debug assertions can disturb a worker.
#[cfg(debug_assertions)]
mod asked {
    use super::*;

    const MIXED: &str = "TestCase subclass: MixedTest [\n\
        testA [ Transcript show: 'printed'; cr. self assert: true ]\n\
        testB [ self assert: true ]\n\
        testC [ self assert: 3 equals: 4 ]\n\
        testD [ self assert: true ]\n\
        testE [ self assert: [3 + 4] sendsAtMost: 0 ]\n\
        testF [ self assert: true ]\n]\n";

    /// Runs the tests with a worker that dies in some; the exit code and both outputs.
    fn run(sandbox: &Sandbox, dies: &str, options: &[&str]) -> (Option<i32>, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_tally"))
            .args(["test", "m.st"])
            .args(options)
            .current_dir(sandbox.path(""))
            .env("TALLY_TEST_DIES", dies)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    #[test]
    fn what_killed_a_test_is_told_and_everything_else_is_as_before() {
        let sandbox = Sandbox::new("dying");
        sandbox.write("m.st", MIXED);
        let (code, whole, _) = run(&sandbox, "", &["--format", "json"]);
        assert_eq!(code, Some(1));
        let whole: Vec<&str> = whole.lines().collect();
        let was_killed = |by: &str| format!("the process that ran it was killed by {by}");
        let ended = |how: &str| format!("the process that ran it ended with exit code {how}");
        for (way, verdict, why, code) in [
            ("abort", "error", was_killed("SIGABRT"), 1),
            ("memory", "error", was_killed("SIGABRT"), 1),
            ("overflow", "error", was_killed("SIGABRT"), 1),
            ("0", "error", ended("0"), 1),
            ("6", "limit", ended("6: a resource limit was reached"), 6),
            ("panic", "error", ended("70"), 70),
        ] {
            for jobs in ["1", "3"] {
                let options = [
                    "--format",
                    "json",
                    "--jobs",
                    jobs,
                    "--report",
                    "junit=out.xml",
                ];
                let dies = format!("MixedTest>>testB={way} MixedTest>>testF={way}");
                let (found, output, _) = run(&sandbox, &dies, &options);
                assert_eq!(found, Some(code), "{way}: {output}");
                let lines: Vec<&str> = output.lines().collect();
                assert_eq!(lines.len(), whole.len(), "{way}: {output}");
                for index in [0, 1, 3, 4, 5] {
                    assert_eq!(lines[index], whole[index], "{way}");
                }
                for index in [2, 6] {
                    let test: serde_json::Value = serde_json::from_str(lines[index]).unwrap();
                    assert_eq!(test["verdict"], *verdict, "{way}");
                    assert_eq!(test["message"], *why, "{way}");
                }
                assert!(sandbox.read("out.xml").contains(&why), "{way}");
            }
        }
    }

    #[test]
    fn counts_coverage_and_budgets_of_the_others_are_kept() {
        let sandbox = Sandbox::new("dying-counts");
        sandbox.write("m.st", MIXED);
        let written = |dies: &str| {
            let options = ["--counts", "update", "--coverage=json=coverage.json"];
            let (code, output, error) = run(&sandbox, dies, &options);
            assert_eq!(code, Some(1), "{output}{error}");
            let counts = sandbox.read("tally.counts");
            fs::remove_file(sandbox.path("tally.counts")).unwrap();
            counts
        };
        let whole = written("");
        let without = written("MixedTest>>testD=abort");
        let left: String = whole
            .lines()
            .filter(|line| !line.contains("testD"))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_ne!(whole, left);
        assert_eq!(without, left);
        assert!(sandbox.read("coverage.json").contains("\"recordings\""));
    }

    #[test]
    fn resources_are_made_once_and_again_for_who_goes_on() {
        let sandbox = Sandbox::new("dying-resources");
        sandbox.write(
            "m.st",
            "TestResource subclass: Water [\n\
             setUp [ Transcript show: 'made'; cr ]\n\
             tearDown [ Transcript show: 'reset'; cr ] ]\n\
             TestCase subclass: WetTest [\n\
             WetTest class >> resources [ ^{Water} ]\n\
             testA [ self assert: Water current notNil ]\n\
             testB [ self assert: Water current notNil ]\n\
             testC [ self assert: Water current notNil ]\n]\n\
             TestCase subclass: DryTest [ testA [ self assert: true ] testB [ self assert: true ] ]\n",
        );
        let (code, whole, error) = run(&sandbox, "", &["-v", "--jobs", "1"]);
        assert_eq!(code, Some(0), "{whole}{error}");
        assert_eq!(whole.matches("made\n").count(), 1, "{whole}");
        assert_eq!(whole.matches("reset\n").count(), 1, "{whole}");
        for options in [
            &["-v", "--jobs", "3"][..],
            &["-v", "--jobs", "2", "--shuffle=4"],
        ] {
            assert_eq!(run(&sandbox, "", options).1, whole, "{options:?}");
        }
        let (code, output, _) = run(&sandbox, "WetTest>>testB=abort", &["-v", "--jobs", "3"]);
        assert_eq!(code, Some(1), "{output}");
        assert_eq!(output.matches("made\n").count(), 1, "{output}");
        assert_eq!(output.matches("reset\n").count(), 1, "{output}");
        assert!(output.contains("5 tests: 4 passed, 0 failed"), "{output}");
    }
}
