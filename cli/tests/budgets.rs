//! Budgets in `tally.toml`, `tally gate` and `--check-lazy`: limits that an update never raises, and blocks that cost something
//! else the second time.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const TREE: &str = "Object subclass: Tree [\n\
    | left right |\n\
    left: a right: b [ left := a. right := b ]\n\
    size [ ^1 + (self sizeOf: left) + (self sizeOf: right) ]\n\
    sizeOf: node [ ^node isNil ifTrue: [0] ifFalse: [node size] ] ]\n\
    TestCase subclass: TreeTest [\n\
    testSize [ self assert: Tree new size equals: 1 ]\n\
    testWithin [ self assert: [Tree new size] within: 'measuring' ]\n]\n";

/// A project with these budgets.
fn project(name: &str, budgets: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("src/tree.st", TREE);
    sandbox.write(
        "tally.toml",
        format!("# of the project\n[project]\npaths = [\"src\"]\n\n[budgets.measuring]\nsends = 100\n\n{budgets}"),
    );
    sandbox
}

#[test]
fn budgets_that_are_kept_say_nothing() {
    let sandbox = project(
        "kept",
        "[[budget]]\ntest = \"TreeTest*\"\nsends = 1_000\nbytes = { max = 10_000 }\n\n\
         [[budget]]\nmethod = \"Tree>>size\"\ntotal = { max = 100 }\ncalls = { exact = 2 }\n",
    );
    let ran = sandbox.tally(&["test"]);
    assert!(
        ran.exits(0).output().ends_with("0 in error, 0 skipped\n"),
        "{ran}"
    );
    // In a folder below, too.
    sandbox.tally(&["test", "--counts", "ignore"]).exits(0);
    sandbox.tally(&["gate"]).exits(0);
}

#[test]
fn budgets_that_are_exceeded_fail_by_counts() {
    let sandbox = project(
        "exceeded",
        "[[budget]]\ntest = \"TreeTest>>testSize\"\nsends = 1\n\n\
         [[budget]]\nmethod = \"Tree>>size\"\ncalls = { exact = 3 }\n",
    );
    let ran = sandbox.tally(&["test", "--report", "md=out.md"]);
    ran.exits(3)
        .mentions("at most 1 allowed by the budget of tests 'TreeTest>>testSize'")
        .mentions("exactly 3 allowed by the budget of methods 'Tree>>size': 1 fewer");
    let md = sandbox.read("out.md");
    assert!(
        md.contains("### Budgets\n\n")
            && md.contains("| `Tree>>size` | calls | 2 | exactly 3 | -1 |"),
        "{md}"
    );
    // Part of the tests is no reason to judge methods.
    sandbox.tally(&["test", "testWithin"]).exits(0);
}

#[test]
fn a_named_budget_is_judged_where_the_test_refers_to_it() {
    let sandbox = project("named", "");
    let toml = sandbox.read("tally.toml");
    sandbox.tally(&["test"]).exits(0);
    sandbox.write("tally.toml", toml.replace("sends = 100", "sends = 3"));
    sandbox
        .tally(&["test"])
        .exits(3)
        .mentions("TreeTest>>testWithin FAILED (counted)")
        .mentions("budget measuring: expected at most 3 sends, counted ");
    sandbox.write("tally.toml", toml.replace("measuring", "measurin"));
    sandbox
        .tally(&["test"])
        .exits(1)
        .mentions("there is no budget 'measuring'; there are measurin");
    sandbox.write("tally.toml", format!("{toml}[budgets.other]\nsends = 5\n"));
    sandbox
        .tally(&["test"])
        .exits(3)
        .mentions("a budget that no test refers to");
}

#[test]
fn an_update_lowers_ratchets_and_nothing_else() {
    let sandbox = project(
        "ratchet",
        "[[budget]]\ntest = \"TreeTest>>testSize\" # the size\nsends = { ratchet = 1_000 }\nbytes = 5\n",
    );
    let before = sandbox.read("tally.toml");
    let ran = sandbox.tally(&["test", "--counts", "update"]);
    ran.exits(3)
        .mentions("The ratchets in tally.toml were lowered.");
    let after = sandbox.read("tally.toml");
    assert_ne!(after, before);
    let number: String = after
        .split("ratchet = ")
        .nth(1)
        .unwrap()
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    assert_eq!(
        after.replace(&format!("ratchet = {number}"), "ratchet = 1_000"),
        before
    );
    sandbox.write("src/tree.st", TREE.replace("^1 +", "self yourself. ^1 +"));
    sandbox.tally(&["test", "--counts", "update"]).exits(3);
    assert_eq!(sandbox.read("tally.toml"), after, "a ratchet never rises");
}

#[test]
fn settings_that_make_no_sense_are_usage_errors_with_their_places() {
    let sandbox = project("settings", "");
    let cases = [
        ("[project]\npath = [\"src\"]\n", "tally.toml:2:1"),
        ("[budgets.a]\nsends = -1\n", "tally.toml:2:9"),
        (
            "[budgets.a]\nsends = { max = 1, exact = 2 }\n",
            "tally.toml:2:",
        ),
        ("[[budget]]\ntest = \"A\"\n", "tally.toml:1:"),
        ("[project\n", "tally.toml:1:"),
    ];
    for (text, place) in cases {
        sandbox.write("tally.toml", text);
        sandbox.tally(&["test"]).exits(2).says(place);
        sandbox.tally(&["gate"]).exits(2).says(place);
    }
    std::fs::remove_file(sandbox.path("tally.toml")).unwrap();
    sandbox.tally(&["test"]).exits(2).says("nothing to load");
}

#[test]
fn a_gate_has_something_to_hold_tests_against() {
    let sandbox = Sandbox::new("gate");
    sandbox.write("tree.st", TREE.replace("testWithin [", "notYet ["));
    sandbox
        .tally(&["gate", "tree.st"])
        .exits(5)
        .says("there is no tally.counts");
    sandbox
        .tally(&["gate", "tree.st", "--counts", "ignore"])
        .exits(4);
    sandbox
        .tally(&["gate", "tree.st", "--counts", "update"])
        .exits(2);
    sandbox
        .tally(&["test", "tree.st", "--counts", "update"])
        .exits(0);
    sandbox.tally(&["gate", "tree.st"]).exits(0);
    sandbox.write(
        "tree.st",
        TREE.replace("testWithin [", "notYet [")
            .replace("^1 +", "self yourself. ^1 +"),
    );
    sandbox.tally(&["gate", "tree.st"]).exits(3);
}

#[test]
fn a_block_that_is_lazy_is_found_out() {
    let sandbox = Sandbox::new("lazy");
    sandbox.write(
        "l.st",
        "Object subclass: Memo [ | kept | value [ ^kept ifNil: [kept := 20 factorial] ] ]\n\
         TestCase subclass: LazyTest [\n\
         testLazy [ | memo | memo := Memo new. self assert: [3 + 4] sendsAtMost: 1.\n\
         self assert: [memo value] sendsAtMost: 1000 ]\n\
         testEager [ self assert: [20 factorial] sendsAtMost: 1000 ]\n\
         testPlain [ self assert: true ]\n]\n",
    );
    sandbox.tally(&["test", "l.st"]).exits(0);
    let ran = sandbox.tally(&["test", "l.st", "--check-lazy"]);
    ran.exits(3)
        .mentions("LazyTest>>testLazy   LAZY\nLazyTest>>testEager  ok\nLazyTest>>testPlain  ok\n")
        .mentions("l.st:4:")
        .mentions("1 with a lazy block");
}

#[test]
fn coverage_is_told_and_written() {
    let sandbox = Sandbox::new("coverage");
    sandbox.write("tree.st", TREE.replace("testWithin [", "notYet ["));
    let ran = sandbox.tally(&[
        "test",
        "tree.st",
        "--coverage",
        "--coverage=lcov=out.info",
        "--coverage=json=out.json",
    ]);
    ran.exits(0)
        .mentions("Tree>>left:right:  3")
        .mentions("methods");
    let lcov = sandbox.read("out.info");
    assert!(
        lcov.contains("SF:tree.st\n") && lcov.contains("end_of_record"),
        "{lcov}"
    );
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("out.json")).unwrap();
    assert_eq!(json["schema"], "tally.coverage/1");
    let again = sandbox.tally(&[
        "test",
        "tree.st",
        "--coverage=lcov=again.info",
        "--jobs",
        "1",
        "--shuffle",
    ]);
    again.exits(0);
    assert_eq!(sandbox.read("again.info"), lcov);
}

#[test]
fn a_counted_block_that_is_left_is_noted() {
    let sandbox = Sandbox::new("left");
    sandbox.write(
        "l.st",
        "TestCase subclass: LeftTest [\n\
         testLeft [ self assert: true. self assert: [^self] sendsAtMost: 3 ]\n\
         testWhole [ self assert: [3 + 4] sendsAtMost: 3 ]\n]\n",
    );
    let note = "a counted block was left before its end, so nothing was decided about it";
    let ran = sandbox.tally(&["test", "l.st"]);
    ran.exits(0).mentions(&format!(
        "LeftTest>>testLeft   ok\n    note: {note}\nLeftTest>>testWhole  ok\n"
    ));
}

#[test]
fn other_programs_are_told_of_counts_and_budgets_too() {
    let sandbox = project(
        "told",
        "[[budget]]\ntest = \"TreeTest>>testSize\"\nsends = 1\n",
    );
    let ran = sandbox.tally(&["test", "--report", "junit=out.xml", "--report", "github"]);
    ran.exits(3).mentions(
        "::error title=tally.toml::1 kept, 1 exceeded or missed%0ATreeTest>>testSize has 19 sends",
    );
    let junit = sandbox.read("out.xml");
    assert!(
        junit.starts_with("<?xml") && junit.contains("<testsuites tests=\"3\" failures=\"1\""),
        "{junit}"
    );
    assert!(
        junit.contains("<testsuite name=\"tally.toml\" tests=\"1\" failures=\"1\""),
        "{junit}"
    );
}
