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
