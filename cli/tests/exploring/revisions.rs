//! What tests explore, in revisions: `tally compare`, `tally history` and `tally bisect` in a small repository.

use serde_json::Value;

use crate::support::{Ran, Sandbox};

/// Two receivers of numbers: the sum does not depend on the order, the last number does.
fn test(kept: &str) -> String {
    format!(
        "Actor subclass: Keeper [\n    | kept count |\n    take: n [\n        kept := {kept}. count := (count ifNil: [0]) + 1.\n        \
count = 2 ifTrue: [self output: kept. self dispose]\n    ]\n]\n\
Actor subclass: Giver [ give: n to: keeper [ keeper tell take: n. self dispose ] ]\n\
TestCase subclass: KeeperTest [\n    testOrder [\n        self assert: [ | keeper | keeper := Keeper spawn.\n            \
1 to: 2 do: [:n | Giver spawn tell give: n to: keeper]] statesAtMost: 100\n    ]\n    testPlain [ self assert: 3 + 4 equals: 7 ]\n]\n"
    )
}

const SUM: &str = "(kept ifNil: [0]) + n";
const LAST: &str = "(kept ifNil: [0]) * 0 + n";

/// Six commits. From the fourth on the last number is kept, in place of the sum.
fn repository(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.write("tally.toml", "[project]\npaths = [\"src\"]\n");
    for number in 1..=6 {
        let kept = if number < 4 { SUM } else { LAST };
        sandbox.write("src/KeeperTest.st", test(kept));
        sandbox.write("notes.txt", number.to_string());
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", &format!("number {number}")]);
    }
    sandbox
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"))
}

/// The last number makes two results of one, and the states multiply: the keeper remembers which number came first.
#[test]
fn explorations_of_revisions_are_compared() {
    let sandbox = repository("explorations");
    let of_tests = ["compare", "HEAD~5", "HEAD"];
    let found = json(&sandbox.tally(&[&of_tests[..], &["--format", "json"]].concat()));
    let run = &found["runs"][0];
    assert_eq!(run["name"], "KeeperTest>>testOrder", "{found}");
    let outcomes = &run["outcomes"];
    assert_eq!(outcomes["appeared"], serde_json::json!(["1", "2"]));
    assert_eq!(outcomes["vanished"], serde_json::json!(["3"]));
    for (count, before, after) in [("states", 9, 10), ("computations", 2, 2)] {
        assert_eq!(run["before"][count], before, "{count}: {found}");
        assert_eq!(run["after"][count], after, "{count}: {found}");
    }
    // Each of the two turns of the keeper multiplies once more.
    let depth = |side: &str| run[side]["depth"].as_u64().unwrap();
    assert_eq!(depth("after"), depth("before") + 2);
    let ran = sandbox.tally(&of_tests);
    ran.exits(0).mentions("states 9 → 10");
    ran.mentions("new: 1 | 2; no longer: 3");
    for (rule, code) in [
        ("states>+0", 3),
        ("states>+1", 0),
        ("computations>+0", 0),
        ("depth>+1", 3),
        ("depth>+2", 0),
        ("cost>+0", 3),
        ("any", 3),
    ] {
        let ran = sandbox.tally(&[&of_tests[..], &["--fail-on", rule]].concat());
        ran.exits(code);
        assert!(!ran.error().contains("about nothing"), "{rule}\n{ran}");
    }
    let page = ["-o", "compared.md", "-o", "compared.html"];
    sandbox.tally(&[&of_tests[..], &page].concat()).exits(0);
    let written = sandbox.read("compared.md");
    assert!(written.contains("| work | explored |"), "{written}");
    assert!(written.contains("no longer: 3"), "{written}");
    let ran = sandbox.tally(&["compare", "HEAD~5", "HEAD~3", "--fail-on", "any"]);
    ran.exits(0);
}

#[test]
fn histories_follow_explorations() {
    let sandbox = repository("exploration-history");
    let found = json(&sandbox.tally(&["history", "--count", "states", "--format", "json"]));
    let commits = found["commits"].as_array().unwrap().iter();
    let numbers = commits.map(|one| one["count"].as_u64().unwrap());
    assert_eq!(numbers.collect::<Vec<u64>>(), [9, 9, 9, 10, 10, 10]);
    let ran = sandbox.tally(&["history", "--count", "depth", "--test", "testPlain"]);
    ran.exits(4).mentions("testPlain explores nothing");
    let ran = sandbox.tally(&[
        "bisect",
        "HEAD~5",
        "HEAD",
        "--count",
        "depth",
        "--test",
        "testOrder",
    ]);
    ran.exits(0).mentions("number 4");
}
