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
        .says("\"sends\": 1,");
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

/// Files that do not compile.
const BROKEN: &[&str] = &[
    "Eval [ 3 + ",
    "[",
    "]]]",
    "Eval [ #(1 2 ",
    "Eval [ 'abc ]",
    "Eval [ \"abc ]",
    "Object subclass: Foo [ bar [ ^1 ",
    "Foo class [ | a | a [ ",
    "#{Foo",
    "##(3 ",
    "\0",
    "Eval [ 1e100000000 ]",
    "Eval [ 36rZe100000000 ]",
    "Eval [ #(1d100000000) ]",
    "Eval [ 99999999999999999999r1 ]",
];

#[test]
fn broken_files_do_not_compile() {
    let sandbox = Sandbox::new("gst-broken");
    let nested = ["(", "[ ", "{", "#(", "Eval [ ", "Foo class [ "].map(|open| open.repeat(20_000));
    let nested = nested.iter().map(String::as_str);
    for text in BROKEN.iter().copied().chain(nested) {
        sandbox.write("p.st", text);
        for command in ["run", "check"] {
            let ran = sandbox.tally(&[command, "--dialect", "gst", "p.st"]);
            assert_eq!(
                ran.code(),
                Some(8),
                "{command} of {text:.40}: {}",
                ran.error()
            );
        }
    }
}

#[test]
fn files_without_statements_run_and_files_that_are_no_text_do_not() {
    let sandbox = Sandbox::new("gst-empty");
    for text in ["", " \n", "!", "\u{feff}"] {
        sandbox.write("p.st", text);
        sandbox
            .tally(&["run", "--dialect", "gst", "p.st"])
            .exits(0)
            .prints("");
    }
    for bytes in [&b"Eval [ 'gr\xf6sse' size ]"[..], b"\xff\xfeE\0"] {
        sandbox.write("p.st", bytes);
        for command in ["run", "check"] {
            sandbox
                .tally(&[command, "--dialect", "gst", "p.st"])
                .exits(8)
                .says("not UTF-8");
        }
    }
}

#[test]
fn an_error_is_told_once_when_the_transcript_is_gone() {
    let sandbox = Sandbox::new("gst-transcript");
    sandbox.write(
        "p.st",
        "Smalltalk at: #Transcript put: nil.\nnil foo.\nEval [ 3 ]\n",
    );
    sandbox
        .tally(&["run", "--dialect", "gst", "p.st"])
        .exits(1)
        .says("p.st:2:5")
        .prints("\nExecution begins...\nreturned value is 3\n");
}

#[test]
fn a_stray_bracket_takes_no_statement_with_it() {
    let sandbox = Sandbox::new("gst-stray");
    let text = "3 printNl!\n4 printNl!\n)!\n]!\n5 printNl!\n6 foo: ).\n7 printNl ).\n8 printNl.\n";
    sandbox.write("p.st", text);
    let ran = sandbox.tally(&["run", "--dialect", "gst", "p.st"]);
    ran.exits(8).prints("3\n4\n5\n8\n");
    for place in ["p.st:3:1", "p.st:4:1", "p.st:6:8", "p.st:7:11"] {
        ran.says(place);
    }
}

#[test]
fn methods_of_a_class_that_is_not_there_are_told() {
    let sandbox = Sandbox::new("gst-lost");
    sandbox.write("p.st", "!Nope methodsFor: 'x'!\nfoo\n ^3! !\n");
    let ran = sandbox.tally(&["run", "--dialect", "gst", "p.st"]);
    ran.exits(0).says("warning[W0312]").says("p.st:1:2");
}
