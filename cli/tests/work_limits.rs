//! The limit on work: where it begins to count, and that it ends runs of each kind.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const LIMIT: &str = "100000000";

#[test]
fn a_limit_begins_anew_with_each_input_and_each_test() {
    let sandbox = Sandbox::new("work-anew");
    let input = "1000 factorial size\n".repeat(40);
    sandbox
        .tally_reading(&input, &["repl", "--max-work", LIMIT])
        .exits(0);
    sandbox
        .tally_reading(
            "(3 raisedTo: 40000000) size\n",
            &["repl", "--max-work", LIMIT],
        )
        .exits(6)
        .says("--max-work");
    sandbox.write(
        "t.st",
        "TestCase subclass: LimitTest [\n testA [ self assert: 100 factorial > 3 ]\n \
         testB [ self assert: (3 raisedTo: 40000000) > 3 ]\n testC [ self assert: 100 factorial > 3 ]\n]\n",
    );
    sandbox
        .tally(&["test", "--max-work", LIMIT, "t.st"])
        .mentions("2 passed")
        .mentions("the limit on work was reached (--max-work)");
}

#[test]
fn what_is_charged_at_the_end_of_a_run_passes_the_limit_as_well() {
    let sandbox = Sandbox::new("work-end");
    sandbox.write("c.st", "(String new: 100000) copy\n");
    sandbox
        .tally(&["run", "--max-work", "2600000", "c.st"])
        .exits(6)
        .says("--max-work");
    sandbox
        .tally(&["run", "--max-work", "9600000", "c.st"])
        .exits(0);
}

#[test]
fn a_limit_ends_a_run_at_the_same_send_in_all_modes() {
    let sandbox = Sandbox::new("work-modes");
    let text = "| t | t := 0. 1 to: 3000 do: [:i | t := t * 31 + i \\\\ 1000003 ]\n";
    sandbox.write("lim.st", text);
    sandbox
        .tally(&["verify", "lim.st", "--max-work", "453207"])
        .exits(6)
        .mentions("the same in");
}

#[test]
fn a_limit_ends_programs_of_som() {
    let sandbox = Sandbox::new("work-som");
    sandbox.write(
        "Grow.som",
        "Grow = ( run = ( | x | x := 3. [ true ] whileTrue: [ x := x * x ] ) )\n",
    );
    sandbox
        .tally(&["run", "--max-work", LIMIT, "Grow.som"])
        .exits(6)
        .says("--max-work");
}

/// What a program makes, and a send whose work is large.
const LARGE: &[(&str, &str)] = &[
    ("| x | x := 3.", "x raisedTo: 40000000"),
    (
        "| a b | a := (1 bitShift: 67000000) - 1. b := (1 bitShift: 66999999) + 1.",
        "a gcd: b",
    ),
    ("| x | x := '1e15000000'.", "x asNumber"),
    ("| x | x := String new: 2000000 withAll: $9.", "x asInteger"),
    ("| x | x := 1 bitShift: 60000000.", "x printString"),
    ("| x | x := Array.", "x new: 100000000"),
    ("| x | x := Array new: 2000000.", "x copy"),
    (
        "| x | x := Array new: 2000000.",
        "x copyFrom: 1 to: 2000000",
    ),
    ("| x | x := Array new: 2000000.", "x , x"),
    (
        "| x y | y := Array new: 2000000. x := Array new: 2000000.",
        "x replaceFrom: 1 to: 2000000 with: y startingAt: 1",
    ),
    (
        "| x s | x := Array new: 1000. s := String new: 100000 withAll: $a. x atAllPut: s.",
        "s join: x",
    ),
    (
        "| x | x := String new: 100000000 withAll: $a.",
        "x indexOf: $b",
    ),
    (
        "| x | x := String new: 1000000 withAll: (Character value: 1024).",
        "x indexOf: $b",
    ),
    (
        "| x s | x := String new: 1000000 withAll: (Character value: 1024). s := String new: 1000000 withAll: (Character value: 1025).",
        "x indexOfAnyOf: s",
    ),
    (
        "| x | x := String new: 3000000 withAll: $a.",
        "x splitOn: 'a'",
    ),
    (
        "| x | x := String new: 15000000 withAll: $a.",
        "'.*x|a' asRegex matchingRangesIn: x",
    ),
    (
        "| x | x := String new: 300000 withAll: $a.",
        "'.*x|a' asRegex matchingRangesIn: x",
    ),
    (
        "| x y | x := String new: 1000000 withAll: (Character value: 1024). y := x copy.",
        "x = y",
    ),
    (
        "| x | x := String new: 1000000 withAll: $a.",
        "x findString: 'ab'",
    ),
    (
        "| x | x := String new: 100000 withAll: $a.",
        "x copyReplaceAll: 'a' with: (String new: 1000)",
    ),
    ("| x | x := String new: 1000000 withAll: $ .", "x trimBoth"),
    (
        "| x | x := ReadStream on: (String new: 1000000 withAll: $ ).",
        "x skipSeparators",
    ),
    (
        "| x | x := ReadStream on: (String new: 1000000 withAll: $ ).",
        "x upTo: $a",
    ),
    (
        "| x r | x := String new: 1000000 withAll: $a. r := 'b' asRegex.",
        "r search: x",
    ),
    (
        "| x r | x := String new: 40 withAll: $a. r := '(?=(a+)+b)a' asRegex.",
        "r search: x",
    ),
    (
        "| x | x := String new: 100000 withAll: $ .",
        "Compiler evaluate: x",
    ),
    (
        "| x | x := 'y ', (String new: 100000 withAll: $ ).",
        "Object compile: x",
    ),
];

/// The work of a program, as the command prints it.
fn work_of(sandbox: &Sandbox, program: &str) -> u64 {
    sandbox.write("p.st", program);
    let done = sandbox.tally(&["run", "--counts", "p.st"]);
    let line = done
        .exits(0)
        .error()
        .lines()
        .find(|line| line.starts_with("work "));
    let number = line
        .expect("a line")
        .replace(|c: char| !c.is_ascii_digit(), "");
    number.parse().expect("a number")
}

#[test]
fn one_large_send_ends_at_the_limit() {
    let sandbox = Sandbox::new("work-large");
    for (makes, sends) in LARGE {
        let made = work_of(&sandbox, &format!("{makes} 'made' displayNl."));
        let limit = (made + 20_000).to_string();
        sandbox.write(
            "p.st",
            format!("{makes} 'made' displayNl. {sends}. 'reached' displayNl.\n"),
        );
        let done = sandbox.tally(&["run", "--max-work", &limit, "p.st"]);
        assert_eq!(done.output(), "made\n", "{sends}");
        done.exits(6)
            .says("the limit on work was reached (--max-work)");
    }
}

#[test]
fn what_is_refused_is_no_work() {
    let sandbox = Sandbox::new("work-refused");
    let refused = "[Array new: SmallInteger maxVal] on: Error do: [:it | ].\n\
                   [(1 to: 3) asArray replaceFrom: SmallInteger minVal to: 3 with: #(1) startingAt: 1] on: Error do: [:it | ].\n\
                   [3 printString: 99] on: Error do: [:it | ].\n";
    sandbox.write("p.st", refused);
    sandbox
        .tally(&["run", "--max-work", LIMIT, "p.st"])
        .exits(0);
}

#[test]
fn loading_a_dialect_is_no_work() {
    let sandbox = Sandbox::new("work-gst");
    sandbox.write("p.st", "Eval [ 3 ]\n");
    sandbox
        .tally(&["run", "--dialect", "gst", "--max-work", "10000", "p.st"])
        .exits(0);
}
