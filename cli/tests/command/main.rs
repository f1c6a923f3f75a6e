//! The command as its users meet it: the real binary, one test for each exit code and for each kind of
//! input that must not confuse it. What programs mean is tested by the golden programs, not here.

mod files;
mod help;
mod sources;
#[allow(dead_code)] // each test binary uses its own part
#[path = "../support/mod.rs"]
mod support;

use support::{Ran, Sandbox};

fn evaluate(expression: &str) -> Ran {
    Sandbox::new("evaluate").tally(&["run", "-e", expression])
}

// --- exit codes ----------------------------------------------------------------------------------

#[test]
fn an_expression_prints_its_value_and_nothing_else() {
    evaluate("3 + 4").exits(0).prints("7\n").is_silent();
    evaluate("'it''s'").exits(0).prints("'it''s'\n").is_silent();
}

#[test]
fn files_run_in_order_and_a_script_prints_only_what_it_asks_for() {
    let sandbox = Sandbox::new("order");
    sandbox.write(
        "a.st",
        "Object subclass: A [ one [ ^B new two ] ]\n'a' displayNl.\n",
    );
    sandbox.write(
        "b.st",
        "Object subclass: B [ two [ ^2 ] ]\n'b' displayNl.\n",
    );
    sandbox
        .tally(&["run", "a.st", "b.st"])
        .exits(0)
        .prints("a\nb\n")
        .is_silent();
    sandbox
        .tally(&["run", "a.st", "b.st", "-e", "A new one"])
        .exits(0)
        .prints("a\nb\n2\n");
}

#[test]
fn an_unhandled_error_exits_1_with_a_trace() {
    let ran = evaluate("1 printNl. 3 / 0");
    ran.exits(1)
        .prints("1\n")
        .says("ZeroDivide")
        .says("<command line>:1:");
}

#[test]
fn a_wrong_command_line_exits_2() {
    let sandbox = Sandbox::new("usage");
    for wrong in [
        &["run"][..],
        &["frobnicate"],
        &["run", "--max-memory", "64Q", "-e", "1"],
        &[],
    ] {
        sandbox.tally(wrong).exits(2).prints("");
    }
}

#[test]
fn a_counted_failure_exits_3_and_tells_both_counts() {
    let sandbox = Sandbox::new("counted");
    sandbox.write("t.st", TESTS);
    let ran = sandbox.tally(&["test", "t.st", "-k", "testCounted"]);
    ran.exits(3)
        .mentions("2 sends")
        .mentions("1 send")
        .mentions("1 more");
}

#[test]
fn nothing_to_run_exits_4() {
    let sandbox = Sandbox::new("nothing");
    sandbox.write("t.st", TESTS);
    sandbox.write("empty.st", "");
    sandbox
        .tally(&["test", "t.st", "--filter", "nowhere"])
        .exits(4)
        .says("no test matches");
    sandbox
        .tally(&["test", "empty.st"])
        .exits(4)
        .says("define no tests");
    sandbox
        .tally(&["test", "t.st", "-k", "testSkipped"])
        .exits(4);
}

#[test]
fn profiles_of_another_library_exit_5_unless_forced() {
    let sandbox = Sandbox::new("incomparable");
    sandbox.write("a.st", "3 + 4.");
    sandbox
        .tally(&["profile", "a.st", "--format", "json", "-o", "a.json"])
        .exits(0);
    let text = sandbox.read("a.json");
    let start = text.find("\"library\": \"").unwrap() + "\"library\": \"".len();
    let other = format!(
        "{}{}{}",
        &text[..start],
        "0".repeat(16),
        &text[start + 16..]
    );
    sandbox.write("b.json", other);
    sandbox
        .tally(&["compare", "a.json", "b.json"])
        .exits(5)
        .prints("")
        .says("--force");
    let forced = sandbox.tally(&["compare", "a.json", "b.json", "--force"]);
    forced.exits(0).mentions("different libraries");
    sandbox
        .tally(&["compare", "missing.json", "a.json"])
        .exits(5)
        .says("no such file");
    sandbox.write("broken.json", &text[..text.len() / 2]);
    sandbox
        .tally(&["compare", "a.json", "broken.json"])
        .exits(5)
        .says("not a profile");
}

#[test]
fn a_script_chooses_its_exit_code() {
    evaluate("Smalltalk exit: 9. 1 printNl")
        .exits(9)
        .prints("")
        .is_silent();
}

// --- limits --------------------------------------------------------------------------------------

#[test]
fn unbounded_recursion_exits_6() {
    let sandbox = Sandbox::new("recursion");
    sandbox.write(
        "r.st",
        "Object subclass: R [ go [ ^self go + 1 ] ]\nR new go.\n",
    );
    let ran = sandbox.tally(&["run", "r.st"]);
    ran.exits(6)
        .prints("")
        .says("RecursionTooDeep")
        .says("--max-depth");
    sandbox
        .tally(&["run", "r.st", "--max-depth", "100"])
        .exits(6)
        .says("… ");
}

#[test]
fn a_loop_without_sends_meets_the_limit_on_sends() {
    let sandbox = Sandbox::new("ticks");
    let ran = sandbox.tally(&["run", "--max-sends", "1000", "-e", "[true] whileTrue: []"]);
    ran.exits(6).prints("").says("--max-sends");
}

#[test]
fn growing_without_end_meets_the_limit_on_memory() {
    let grow = "| c | c := OrderedCollection new. [true] whileTrue: [c add: (Array new: 1000)]";
    let ran = Sandbox::new("memory").tally(&["run", "--max-memory", "64M", "-e", grow]);
    ran.exits(6).prints("").says("--max-memory");
}

#[test]
fn what_the_platform_refuses_is_a_limit_and_what_the_model_forbids_an_error() {
    // Few machines have 64 GB in one piece. On one that has them the program goes on.
    let ran = evaluate("(Array new: 8000000000) size printNl. nil");
    ran.exits(if ran.output().is_empty() { 6 } else { 0 });
    evaluate("Array new: 9000000000")
        .exits(1)
        .says("not a valid size");
}

#[test]
fn a_deadlock_ends_the_run() {
    evaluate("Semaphore new wait").exits(1).says("deadlock");
}

// --- errors at run time ------------------------------------------------------------------------------

#[test]
fn errors_at_run_time_exit_1_with_their_names() {
    evaluate("#(1 2) at: 5")
        .exits(1)
        .says("SubscriptOutOfBounds")
        .says("5");
    evaluate("[3 / 0] ensure: [#(1) at: 2]")
        .exits(1)
        .says("SubscriptOutOfBounds");
    let sandbox = Sandbox::new("dead");
    sandbox.write(
        "d.st",
        "Object subclass: D [ blk [ ^[:x | ^x] ] ]\nD new blk value: 3.\n",
    );
    sandbox
        .tally(&["run", "d.st"])
        .exits(1)
        .says("returned already");
}

#[test]
fn an_error_while_an_error_is_printed_ends_the_run_once() {
    let sandbox = Sandbox::new("printing");
    let source = "Error subclass: Odd [ messageText [ ^self foo ] description [ ^self foo ] ]\n\
                  Odd new signal.\n";
    sandbox.write("odd.st", source);
    sandbox
        .tally(&["run", "odd.st"])
        .exits(1)
        .prints("")
        .says("error: ");
    let silly = "Object subclass: Silly [ printOn: aStream [ ^3 / 0 ] ]\n";
    sandbox.write("silly.st", silly);
    let ran = sandbox.tally(&["run", "silly.st", "-e", "Silly new"]);
    ran.exits(1).prints("").says("ZeroDivide");
}

// --- counts and profiles -----------------------------------------------------------------------------

const FACTORIAL: &str = "Object subclass: Fact [\n\
    of: n [ ^n = 0 ifTrue: [1] ifFalse: [n * (self of: n - 1)] ]\n]\n\
    (Fact new of: 5) printNl.\n";

#[test]
fn counts_go_to_standard_error_and_leave_the_printing_out() {
    let sandbox = Sandbox::new("counts");
    let ran = sandbox.tally(&["run", "--counts", "--format", "json", "-e", "3 + 4"]);
    ran.exits(0).prints("7\n");
    let counts: serde_json::Value = serde_json::from_str(ran.error()).unwrap();
    assert_eq!(counts["schema"], "tally.counts/1");
    assert_eq!(counts["sends"], 1);
    sandbox
        .tally(&["run", "--counts", "-e", "3 + 4"])
        .exits(0)
        .prints("7\n")
        .says("sends");
}

#[test]
fn counts_are_the_same_in_every_mode() {
    let sandbox = Sandbox::new("modes");
    sandbox.write("f.st", FACTORIAL);
    let sends = |mode: &[&str]| {
        let mut arguments = vec!["run", "f.st", "--counts", "--format", "json"];
        arguments.extend(mode);
        let ran = sandbox.tally(&arguments);
        ran.exits(0).prints("120\n");
        let counts: serde_json::Value = serde_json::from_str(ran.error()).unwrap();
        ["sends", "loops", "activations", "blocks"].map(|name| counts[name].as_u64().unwrap())
    };
    let plain = sends(&[]);
    let modes = [
        "--reference",
        "--gc-stress",
        "--no-caches",
        "--no-shortcuts",
        "--no-quick",
    ];
    for mode in modes {
        assert_eq!(sends(&[mode]), plain, "{mode}");
    }
}

#[test]
fn a_profile_ranks_methods_and_keeps_the_programs_output_apart() {
    let sandbox = Sandbox::new("profile");
    sandbox.write("f.st", FACTORIAL);
    let ran = sandbox.tally(&["profile", "f.st"]);
    ran.exits(0)
        .mentions("Fact>>of:")
        .mentions("100.0%")
        .says("120");
    let by_own = sandbox.tally(&["profile", "f.st", "--sort", "own", "--limit", "1"]);
    by_own
        .exits(0)
        .mentions("Fact>>of:")
        .mentions("more methods");
    let written = sandbox.tally(&["profile", "f.st", "--format", "json", "-o", "f.json"]);
    written.exits(0).prints("120\n").is_silent();
    let again = sandbox.tally(&["profile", "f.st", "--format", "json"]);
    assert_eq!(again.output(), sandbox.read("f.json"));
}

#[test]
fn a_profile_of_a_failing_run_is_still_a_profile() {
    let sandbox = Sandbox::new("failing");
    sandbox.write("f.st", "3 + 4.\n3 / 0.\n");
    sandbox
        .tally(&["profile", "f.st"])
        .exits(1)
        .mentions("the counts end there");
    let limited = sandbox.tally(&["profile", "--max-sends", "1", "f.st"]);
    limited.exits(6).mentions("stopped by a limit");
}

#[test]
fn a_comparison_shows_what_changed_and_fails_on_request() {
    let sandbox = Sandbox::new("compare");
    for (number, name) in [("5", "old.json"), ("7", "new.json")] {
        sandbox.write("f.st", FACTORIAL.replace("of: 5", &format!("of: {number}")));
        sandbox
            .tally(&["profile", "f.st", "--format", "json", "-o", name])
            .exits(0);
    }
    let ran = sandbox.tally(&["compare", "old.json", "new.json"]);
    ran.exits(0)
        .mentions("Fact>>of:")
        .mentions("6 → 8")
        .mentions("+8");
    let on_increase = ["compare", "old.json", "new.json", "--fail-on", "increase"];
    sandbox.tally(&on_increase).exits(3).says("(+8)");
    sandbox
        .tally(&["compare", "new.json", "old.json", "--fail-on", "increase"])
        .exits(0);
    sandbox
        .tally(&["compare", "new.json", "old.json", "--fail-on", "any"])
        .exits(3);
    let same = sandbox.tally(&["compare", "old.json", "old.json", "--fail-on", "any"]);
    same.exits(0).mentions("No method differs");
    let json = sandbox.tally(&["compare", "old.json", "new.json", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(json.output()).unwrap();
    assert_eq!(document["schema"], "tally.comparison/2");
}

// --- tests of the language ---------------------------------------------------------------------------

const TESTS: &str = "TestCase subclass: SomeTest [\n\
    testGood [ self assert: 3 + 4 equals: 7 ]\n\
    testBad [ self assert: 3 + 4 equals: 8 ]\n\
    testCounted [ self assertIs: [3 + 4 + 5] fasterThan: [3 + 4] ]\n\
    testError [ #(1) at: 2 ]\n\
    testSkipped [ self skip: 'later' ]\n]\n";

#[test]
fn tests_are_found_run_and_told_apart() {
    let sandbox = Sandbox::new("tests");
    sandbox.write("t.st", TESTS);
    let ran = sandbox.tally(&["test", "t.st"]);
    ran.exits(1)
        .mentions("5 tests: 1 passed, 1 failed, 1 failed by counts, 1 in error, 1 skipped");
    sandbox
        .tally(&["test", "t.st", "-k", "testGood"])
        .exits(0)
        .mentions("1 test: 1 passed");
    let listed = sandbox.tally(&["test", "t.st", "--list", "-k", "testB", "-k", "testG"]);
    listed
        .exits(0)
        .prints("SomeTest>>testGood\nSomeTest>>testBad\n");
    let json = sandbox.tally(&["test", "t.st", "--format", "json"]);
    let last = json.exits(1).output().lines().last().unwrap();
    let document: serde_json::Value = serde_json::from_str(last).unwrap();
    assert_eq!(document["summary"]["counted"], 1);
}

// --- the rest ----------------------------------------------------------------------------------------

#[test]
fn bytecode_is_shown_with_names_and_execution_counts() {
    let sandbox = Sandbox::new("disassemble");
    sandbox.write("f.st", FACTORIAL);
    sandbox
        .tally(&["disassemble", "f.st"])
        .exits(0)
        .mentions("Fact>>of:")
        .mentions("#of:");
    let one = sandbox.tally(&["disassemble", "f.st", "--method", "Integer>>even"]);
    one.exits(0).mentions("Integer>>even");
    sandbox
        .tally(&["disassemble", "f.st", "--method", "Fact>>no"])
        .exits(4);
    let run = sandbox.tally(&["disassemble", "f.st", "--run"]);
    run.exits(0).mentions("executions").says("120");
}

#[test]
fn help_version_and_completions_are_results() {
    let sandbox = Sandbox::new("help");
    sandbox
        .tally(&["help"])
        .exits(0)
        .mentions("Exit codes")
        .is_silent();
    sandbox
        .tally(&["--version"])
        .exits(0)
        .mentions("tally ")
        .is_silent();
    sandbox
        .tally(&["completions", "bash"])
        .exits(0)
        .mentions("disassemble")
        .is_silent();
}

#[test]
fn colour_is_used_on_request_only() {
    let sandbox = Sandbox::new("colour");
    let plain = sandbox.tally(&["run", "-e", "foo"]);
    assert!(!plain.error().contains('\x1b'));
    let coloured = sandbox.tally(&["run", "--color", "always", "-e", "foo"]);
    assert!(coloured.error().contains('\x1b'));
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_ends_any_command_quietly_with_74() {
    let sandbox = Sandbox::new("pipe");
    sandbox.write(
        "endless.st",
        "[true] whileTrue: ['more output' displayNl].\n",
    );
    sandbox.write("short.st", "'text' displayNl.\n");
    sandbox.write("quiet.st", "3 printString.\n");
    sandbox.write(
        "t.st",
        "TestCase subclass: T [ testOne [ self assert: true ] ]\n",
    );
    for arguments in [
        &["run", "endless.st"] as &[&str],
        &["run", "short.st"],
        &["run", "-e", "3"],
        &["profile", "quiet.st"],
        &["test", "t.st"],
        &["doc", "Object"],
        &["disassemble", "quiet.st"],
    ] {
        sandbox
            .tally_into_closed_pipe(arguments)
            .exits(74)
            .is_silent();
    }
    // These are for a reader, who may want only the beginning.
    for arguments in [
        &["completions", "bash"] as &[&str],
        &["man"],
        &["--help"],
        &["help", "test"],
    ] {
        sandbox
            .tally_into_closed_pipe(arguments)
            .exits(0)
            .is_silent();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_exits_74() {
    let sandbox = Sandbox::new("full");
    sandbox.write("a.st", "'text' displayNl.");
    sandbox.write("t.st", TESTS);
    sandbox
        .tally_into("/dev/full", &["run", "a.st"])
        .exits(74)
        .says("standard output");
    sandbox
        .tally_into("/dev/full", &["run", "-e", "3"])
        .exits(74)
        .says("standard output");
    sandbox
        .tally_into("/dev/full", &["test", "t.st"])
        .exits(74)
        .says("standard output");
}

// --- clocks --------------------------------------------------------------------------------------

#[test]
fn a_virtual_clock_shows_the_same_in_every_run() {
    let sandbox = Sandbox::new("virtual-clock");
    let program = "1 to: 1000 do: [:i | ]. DateAndTime now displayNl. Time microsecondClockValue displayNl. \
                   (Time millisecondsToRun: [1 to: 5000000 do: [:i | ]]) displayNl";
    sandbox.write("clock.st", program);
    let arguments = ["run", "--virtual-clock", "clock.st"];
    let first = sandbox.tally(&arguments);
    let shown = first.output();
    assert!(shown.starts_with("2000-01-01T00:00:00.00"), "{shown}");
    assert!(shown.ends_with("\n5000\n"), "{shown}");
    sandbox.tally(&arguments).exits(0).prints(shown).is_silent();
}

#[test]
fn only_a_real_clock_makes_a_run_irreproducible() {
    let sandbox = Sandbox::new("reproducible");
    sandbox.write("now.st", "DateAndTime now year displayNl");
    let arguments = ["profile", "--format", "json", "now.st"];
    let ran = sandbox.tally(&arguments);
    ran.exits(0).mentions("\"reproducible\": false");
    let ran = sandbox.tally(&[&arguments[..], &["--virtual-clock"]].concat());
    ran.exits(0).mentions("\"reproducible\": true").says("2000");
}
