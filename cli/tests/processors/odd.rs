//! Odd input: what a program with processors or its options can have wrong, with the exit code and the message.

use crate::support::{Ran, Sandbox};

/// Classes that the programs share.
const CLASSES: &str = "Object subclass: O [ | n |
    one [ ^1 ]
    foo [ ]
    set: x [ n := x ]
    get [ ^n ]
    fail [ self error: 'no' ]
    busy: k [ k timesRepeat: [] ]
]
";

/// A command without its file, a program, the exit code, all of standard output of the program, and a part of standard error.
/// An empty part stands for a silent standard error.
type Row = (
    &'static [&'static str],
    &'static str,
    i32,
    &'static str,
    &'static str,
);

const RUN: &[&str] = &["run"];
const TIMELINE: &[&str] = &["timeline"];

/// Runs the programs of a table.
fn check(rows: &[Row]) {
    let sandbox = Sandbox::new("odd");
    for (command, text, exit, output, error) in rows {
        sandbox.write("p.st", [CLASSES, text].concat());
        let ran = sandbox.tally(&[&command[..1], &["p.st"], &command[1..]].concat());
        ran.exits(*exit);
        assert!(ran.output().starts_with(output), "{text}\n{ran}");
        let is_complete = command[0] == "timeline" || ran.output() == *output;
        assert!(is_complete, "{text}\n{ran}");
        says(&ran, error);
    }
}

fn says(ran: &Ran, error: &str) {
    match error.is_empty() {
        true => ran.is_silent(),
        false => ran.says(error),
    };
}

#[test]
fn cpus_and_costs() {
    let sandbox = Sandbox::new("odd-options");
    sandbox.write("p.st", [CLASSES, "O separate new one printNl."].concat());
    let over = "latency=18446744073709551615";
    for (options, exit, error) in [
        (["--cpus", "0"], 2, "a number from 1 on, or max"),
        (["--cpus", "-1"], 2, "unexpected argument '-1'"),
        (["--cpus", "1x"], 2, "a number from 1 on, or max"),
        (["--cpus", ""], 2, "a number from 1 on, or max"),
        (
            ["--cpus", "18446744073709551616"],
            2,
            "a number from 1 on, or max",
        ),
        (["--cpus", "18446744073709551615"], 0, ""),
        (["--costs", "latency=-1"], 2, "latency is a number of ticks"),
        (["--costs", "latency="], 2, "latency is a number of ticks"),
        (
            ["--costs", "latency=18446744073709551616"],
            2,
            "latency is a number of ticks",
        ),
        (["--costs", over], 6, "virtual time came to its end"),
        (
            ["--costs", "latency=1,latency=2"],
            2,
            "latency is given twice",
        ),
        (["--costs", "=3"], 2, "there is no cost ''"),
        (["--costs", ""], 2, "there is no cost ''"),
    ] {
        let ran = sandbox.tally(&["timeline", "p.st", options[0], options[1]]);
        says(ran.exits(exit), error);
    }
}

#[test]
fn programs_without_processors() {
    let why = "error: the program made no processor";
    check(&[
        (TIMELINE, "", 4, "", why),
        (TIMELINE, "3 printNl.", 4, "3\n", why),
        (
            TIMELINE,
            "Object subclass: S [ go: x [ <separate> ^x ] ] (S new go: 3) printNl.",
            4,
            "3\n",
            why,
        ),
    ]);
}

/// A failed command is reported in its client's scope, or at the end of the run. The next client finds the processor clean.
#[test]
fn requests_to_a_failed_processor() {
    const SCOPE: &str = "Object subclass: S [ go: o [ <separate> o fail. o set: 3. ^o get ] ]
        | o | o := O separate new. o await set: 1.
        ([ S new go: o ] on: SeparateFailure do: [ :e | e messageText ]) displayNl.
        o get printNl.";
    const ALONE: &str = "| o | o := O separate new. o fail. o one printNl.";
    const FUTURE: &str =
        "| o f | o := O separate new. o fail. f := o future one. 'a' displayNl. f value printNl.";
    const QUERY: &str = "| o | o := O separate new.
        ([ o await fail ] on: Error do: [ :e | e messageText ]) displayNl. o one printNl.";
    check(&[
        (RUN, ALONE, 1, "1\n", "error: Error: no"),
        (RUN, FUTURE, 1, "a\n1\n", "error: Error: no"),
        (RUN, QUERY, 0, "no\n1\n", ""),
        (
            RUN,
            SCOPE,
            0,
            "a command before this request failed: Error: no\n1\n",
            "",
        ),
    ]);
}

#[test]
fn separate_where_it_means_nothing() {
    check(&[
        (
            RUN,
            "O class separate new printNl.",
            1,
            "",
            "the class O class does not understand #separate",
        ),
        (RUN, "O new separate printNl.", 1, "", "write `O separate`"),
        (
            RUN,
            "Metaclass separate new printNl.",
            1,
            "",
            "Metaclass cannot be instantiated by new",
        ),
        (
            RUN,
            "3 separate printNl.",
            1,
            "",
            "do not understand #separate",
        ),
    ]);
}

#[test]
fn processors_in_set_up() {
    let sandbox = Sandbox::new("odd-tests");
    let tests = "TestCase subclass: GoodTest [ | o |
    setUp [ o := O separate new. o set: 4 ]
    testGet [ self assert: o get equals: 4 ]
    testFail [ self assert: o get equals: 4. o fail ]
]
TestCase subclass: FailingTest [ | o |
    setUp [ o := O separate new. o fail ]
    testThree [ self assert: 3 equals: 3 ]
]
O extend [ ask [ 3 timesRepeat: []. ^n ask ] ]
TestCase subclass: DeadTest [ | a b |
    setUp [ a := O separate new. b := O separate new. a set: b. b set: a. a ask. b ask ]
    testThree [ self assert: 3 equals: 3 ]
]
";
    sandbox.write("t.st", [CLASSES, tests].concat());
    let ran = sandbox.tally(&["test", "t.st"]);
    ran.exits(1).mentions("GoodTest>>testGet       ok");
    ran.mentions("GoodTest>>testFail      ERROR")
        .mentions("FailingTest>>testThree  ERROR")
        .mentions("DeadTest>>testThree     ERROR")
        .mentions("deadlock: #2 → #1 → #2");
}

/// The method that is there when a request begins is the one that serves it.
#[test]
fn methods_redefined_while_a_request_waits() {
    check(&[
        (
            RUN,
            "| o f | o := O separate new. o busy: 100. f := o future one.
            O compile: 'one ^2'. f value printNl. o one printNl.",
            0,
            "2\n2\n",
            "",
        ),
        (
            RUN,
            "| o | o := O separate new. o busy: 100. o foo.
            O compile: 'foo ''new'' displayNl. ^7'. o foo printNl.",
            0,
            "new\nnew\n7\n",
            "",
        ),
        (
            RUN,
            "| o f | o := O separate new. o busy: 100. f := o future one.
            O addSelector: #one withMethod: (O >> #get). f value printNl.",
            0,
            "nil\n",
            "",
        ),
        (
            RUN,
            "| o f | o := O separate new. o busy: 100. f := o future one. O removeSelector: #one.
            ([ f value ] on: MessageNotUnderstood do: [ :e | e messageText ]) displayNl.",
            0,
            "Instances of O do not understand #one\n",
            "",
        ),
        (
            RUN,
            "| o | o := O separate new. o busy: 100. o foo. O removeSelector: #foo. o one printNl.",
            1,
            "1\n",
            "error: Instances of O do not understand #foo",
        ),
    ]);
}

/// A program whose scope has this condition, and whose script evaluates the scope in this expression.
fn conditional(condition: &str, expression: &str) -> String {
    format!(
        "{CLASSES}Object subclass: S [ go: o [ <separate> self require: [ {condition} ]. o set: 3. ^o get ] ]\n\
         | o | o := O separate new. o await set: 1. {expression}\no get printNl.\n"
    )
}

#[test]
fn conditions_that_do_more_than_answer() {
    const PLAIN: &str = "(S new go: o) printNl.";
    const CAUGHT: &str =
        "([ S new go: o ] on: Error do: [ :e | e class name , ': ' , e messageText ]) displayNl.";
    const STUCK: &str = "waits until a condition holds, which was false: no processor unlocks #1";
    let sandbox = Sandbox::new("odd-conditions");
    for (condition, expression, exit, output, error) in [
        // It signals.
        ("1 / 0", PLAIN, 1, "", "error: ZeroDivide: "),
        (
            "1 / 0",
            CAUGHT,
            0,
            "ZeroDivide: The program attempted to divide a number by zero\n1\n",
            "",
        ),
        ("o await fail. true", CAUGHT, 0, "Error: no\n1\n", ""),
        (
            "o fail. true",
            CAUGHT,
            0,
            "SeparateFailure: a command before this request failed: Error: no\n1\n",
            "",
        ),
        // It sends commands.
        ("o set: 5. o get = 5", PLAIN, 0, "3\n3\n", ""),
        ("o set: o get + 1. o get > 3", PLAIN, 1, "", STUCK),
        ("o foo. false", PLAIN, 1, "", STUCK),
        // It never holds, leaves its method, or never ends.
        ("o get > 100", PLAIN, 1, "", STUCK),
        ("^7", PLAIN, 0, "7\n1\n", ""),
        ("[ true ] whileTrue: []. true", PLAIN, 6, "", "--max-sends"),
        (
            "[ true ] whileTrue: [ o get ]. true",
            PLAIN,
            6,
            "",
            "--max-sends",
        ),
    ] {
        sandbox.write("p.st", conditional(condition, expression));
        let ran = sandbox.tally(&["run", "p.st", "--max-sends", "20000"]);
        says(ran.exits(exit).prints(output), error);
    }
}

/// A scope needs a processor once, however often it is an argument, and its own processor not at all.
#[test]
fn scopes_on_itself_and_twice_on_one_processor() {
    const CLASS: &str = "Object subclass: S [
        go: a with: b [ <separate> a set: 3. b set: 4. ^a get + b get ]
        on: me [ <separate> ^7 ]
        never: me [ <separate> self require: [ false ]. ^7 ]
        out: o [ <separate> ^self in: o ]
        in: o [ <separate> self require: [ o get = 5 ]. ^1 ]
    ]\n";
    const ALONE: &str =
        "PreconditionFailed: the condition is false, and no other processor can make it true";
    let sandbox = Sandbox::new("odd-scopes");
    for (text, exit, output, error) in [
        ("(S new go: o with: o) printNl.", 0, "8\n", ""),
        ("(s go: o with: o) printNl.", 0, "8\n", ""),
        ("(s on: s) printNl.", 0, "7\n", ""),
        ("(s on: nil) printNl. (s on: 3) printNl.", 0, "7\n7\n", ""),
        ("(S new on: S new) printNl.", 0, "7\n", ""),
        ("(s never: s) printNl.", 1, "", ALONE),
        ("(S new never: nil) printNl.", 1, "", ALONE),
        // The outer scope has locked it already.
        ("(s out: o) printNl.", 1, "", ALONE),
    ] {
        let text = format!(
            "{CLASSES}{CLASS}| o s | o := O separate new. s := S separate new. o foo. s yourself.\n{text}\n"
        );
        sandbox.write("p.st", text);
        let ran = sandbox.tally(&["run", "p.st"]);
        says(ran.exits(exit).prints(output), error);
    }
}

#[test]
fn a_deadlock_in_an_ensure_block() {
    const TEXT: &str = "Object subclass: A [ | other |
        other: x [ other := x ]
        ask [ [ 'body' displayNl ] ensure: [ other answer printNl. 'never' displayNl ] ]
        answer [ ^42 ]
    ]
    | a b | a := A separate new. b := A separate new. a other: b. b other: a. a ask. b ask. 'script' displayNl.";
    let output = "script\nbody\nbody\n";
    check(&[
        (RUN, TEXT, 1, output, "error: deadlock: #2 → #1 → #2"),
        (TIMELINE, TEXT, 1, output, "error: deadlock: #2 → #1 → #2"),
    ]);
}

/// The requests that were under way are counted.
#[test]
fn a_limit_in_mid_run() {
    let sandbox = Sandbox::new("odd-limit");
    let text = "| o | o := O separate new. o busy: 300. o set: 3. o get printNl.";
    sandbox.write("p.st", [CLASSES, text].concat());
    let limited = ["p.st", "--max-sends", "100"];
    let ran = sandbox.tally(&[&["run"], &limited[..]].concat());
    ran.exits(6).prints("").says("--max-sends");
    let ran = sandbox.tally(&[&["timeline"], &limited[..]].concat());
    ran.exits(6).says("--max-sends");
    ran.mentions("3 requests did not end");
    let ran = sandbox.tally(&[&["timeline", "-o", "p.timeline"], &limited[..]].concat());
    ran.exits(6).prints("").says("--max-sends");
    let ran = sandbox.tally(&["timeline", "p.timeline"]);
    ran.exits(0).mentions("3 requests did not end").is_silent();
}

#[test]
fn programs_that_run_several_times_write_no_files() {
    let sandbox = Sandbox::new("odd-writes");
    sandbox.write("p.st", [CLASSES, "O separate new one printNl."].concat());
    for options in [
        &["--if", "cpus 1"][..],
        &["--advise"],
        &["--cpus", "1,2"],
        &["--view", "curve"],
    ] {
        let command = ["timeline", "p.st", "--allow-write=."];
        let ran = sandbox.tally(&[&command, options].concat());
        ran.exits(2).says("it may not write files (--allow-write)");
    }
    sandbox
        .tally(&["timeline", "p.st", "--allow-write=."])
        .exits(0);
}
