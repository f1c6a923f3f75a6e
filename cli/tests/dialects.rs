//! Files of other dialects: which options read them, and how a run of them ends.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

/// A program of GNU Smalltalk with a failing statement between two others.
const FAILING: &str = "Eval [ x _ 16r1_F. x ]\nnil foo!\nEval [ #after ]\n";

#[test]
fn statements_run_one_by_one_and_the_first_failure_is_the_exit_code() {
    let sandbox = Sandbox::new("gst");
    sandbox.write("p.st", FAILING);
    let ran = sandbox.tally(&["run", "--dialect", "gst", "p.st"]);
    ran.exits(1).says("p.st:2:5");
    let expected = "\nExecution begins...\nreturned value is 31\n error: did not understand #foo\n\
                    \nExecution begins...\nreturned value is #after\n";
    assert_eq!(ran.output(), expected);
    sandbox.write("q.st", "Eval [ 1 + ]\nEval [ 2 ]\n");
    let ran = sandbox.tally(&["run", "--dialect", "gst", "q.st"]);
    ran.exits(8).says("q.st:1");
    let expected = "\nExecution begins...\nreturned value is nil\n\nExecution begins...\nreturned value is 2\n";
    assert_eq!(ran.output(), expected);
}

#[test]
fn without_the_option_nothing_of_the_dialect_is_there() {
    let sandbox = Sandbox::new("gst-off");
    sandbox.write("p.st", FAILING);
    sandbox.tally(&["run", "p.st"]).exits(8);
    sandbox.write("l.st", "LookupTable new\n");
    sandbox
        .tally(&["check", "l.st"])
        .exits(8)
        .says("LookupTable");
    sandbox
        .tally(&["check", "--dialect", "gst", "l.st", "p.st"])
        .exits(0);
    sandbox
        .tally(&["run", "--dialect", "gst", "l.st"])
        .exits(0)
        .prints("");
}

#[test]
fn the_library_of_the_dialect_and_the_shown_values_are_in_no_count() {
    let sandbox = Sandbox::new("gst-counts");
    sandbox.write("p.st", "Eval [ 3 + 4 ]\nEval [ 'text' ]\n");
    sandbox
        .tally(&[
            "run",
            "--dialect",
            "gst",
            "--counts",
            "--format",
            "json",
            "p.st",
        ])
        .exits(0)
        .says("\"sends\":1,");
}

#[test]
fn limits_end_the_whole_run() {
    let sandbox = Sandbox::new("gst-limits");
    sandbox.write("p.st", "Eval [ [ true ] whileTrue ]\nEval [ 2 ]\n");
    sandbox
        .tally(&["run", "--dialect", "gst", "--max-sends", "10000", "p.st"])
        .exits(6)
        .prints("\nExecution begins...\n");
    sandbox.write("q.st", "Eval [ ObjectMemory quit: 3 ]\nEval [ 2 ]\n");
    sandbox
        .tally(&["run", "--dialect", "gst", "q.st"])
        .exits(3)
        .prints("\nExecution begins...\n");
}

#[test]
fn the_option_is_for_files_of_the_dialect() {
    let sandbox = Sandbox::new("gst-usage");
    sandbox.write("p.st", "3");
    sandbox
        .tally(&["run", "--dialect", "squeak", "p.st"])
        .exits(2);
    sandbox
        .tally(&["run", "--dialect", "gst", "p.st", "-e", "3"])
        .exits(2);
    sandbox
        .tally(&["run", "--dialect", "gst", "P.som"])
        .exits(2);
}

/// Each unit shares the text of the file, so that memory grows with the file and not with its square.
#[test]
fn a_file_of_many_statements_takes_little_memory() {
    let sandbox = Sandbox::new("gst-many");
    sandbox.write("p.st", "x := 12345 + 67890.\n".repeat(4000));
    sandbox
        .tally(&["run", "--dialect", "gst", "--max-memory", "100M", "p.st"])
        .exits(0);
}
