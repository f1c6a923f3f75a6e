//! Work in all that compares costs: a regression that sends do not show, the step from counting model 1, and what refuses
//! counts of another model.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const TESTS: &str = "TestCase subclass: BoxTest [\n\
    testFind [ self assert: Box new place > 0 ]\n\
    testOther [ self assert: 3 + 4 equals: 7 ]\n]\n";

/// A method that searches a literal text, the last character of which it finds.
fn program(length: usize) -> String {
    let text = "a".repeat(length);
    format!("Object subclass: Box [\n place [ ^'{text}x' indexOfAnyOf: 'x' startingAt: 1 ]\n]\n")
}

/// A project of three commits, the last of which searches a longer text by the same sends.
fn repository(name: &str, settings: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    let paths = "[project]\npaths = [\"src\", \"tests\"]\n";
    sandbox.write("tally.toml", format!("{paths}{settings}"));
    sandbox.write("tests/BoxTest.st", TESTS);
    sandbox.write(".gitignore", ".tally\nout-*\nerr-*\n");
    sandbox.git(&["init", "-q", "-b", "main"]);
    for (place, text) in [
        program(10),
        program(10) + "\"Nothing else.\"\n",
        program(5000),
    ]
    .iter()
    .enumerate()
    {
        sandbox.write("src/Box.st", text);
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-qm", &format!("number {}", place + 1)]);
    }
    sandbox
}

#[test]
fn a_regression_in_work_alone_is_compared_and_followed() {
    let sandbox = repository("work_compared", "");
    let compare =
        |arguments: &[&str]| sandbox.tally(&[&["compare", "HEAD~1", "HEAD"], arguments].concat());
    compare(&[])
        .exits(0)
        .mentions("1 of 2 tests differ: ")
        .mentions(" sends on both sides; work ")
        .mentions("BoxTest>>testFind")
        .mentions("Work by counts (+")
        .mentions("  scanned  11 → 5,001");
    compare(&["--fail-on", "sends>+0"]).exits(0);
    compare(&["--fail-on", "work>+0"])
        .exits(3)
        .says("work>+0: work");
    compare(&["--show", "worse"])
        .exits(0)
        .mentions("BoxTest>>testFind");
    let better = compare(&["--show", "better"]);
    assert!(!better.output().contains("BoxTest>>testFind"), "{better}");
    compare(&["--format", "md"])
        .exits(0)
        .mentions("| scanned | 11 → 5,001 |");
    sandbox
        .tally(&["history", "--count", "work"])
        .exits(0)
        .mentions("Units of work (")
        .mentions("number 3");
    sandbox
        .tally(&["bisect", "HEAD~2", "HEAD", "--count", "work"])
        .exits(0)
        .mentions("number 3")
        .mentions("  scanned  11 → 5,001");
    let of_test = ["--test", "testFind", "--count", "work"];
    sandbox
        .tally(&[&["bisect", "HEAD~2", "HEAD"], &of_test[..]].concat())
        .exits(0)
        .mentions("number 3")
        .mentions("  scanned  11 → 5,001");
    sandbox
        .tally(&["bisect", "HEAD~2", "HEAD", "--count", "sends"])
        .exits(4);
}

#[test]
fn a_regression_in_work_alone_fails_the_gate() {
    let budget = "[[budget]]\ntest = \"BoxTest>>testFind\"\nwork = 100_000\n";
    let sandbox = repository("work_gate", budget);
    sandbox
        .tally(&["gate"])
        .exits(3)
        .mentions("BoxTest>>testFind has ")
        .mentions(" work, at most 100,000 allowed");
    sandbox.git(&["checkout", "-q", "HEAD~1"]);
    sandbox.tally(&["gate"]).exits(0);
    sandbox.tally(&["test", "--counts", "update"]).exits(0);
    let counts = sandbox.read("tally.counts");
    assert!(
        counts.contains(" called=") && counts.contains(" work="),
        "{counts}"
    );
    sandbox.git(&["checkout", "-q", "main"]);
    // Without the budget the snapshot notices it.
    sandbox.write("tally.toml", "[project]\npaths = [\"src\", \"tests\"]\n");
    sandbox
        .tally(&["gate"])
        .exits(3)
        .mentions("1 test costs otherwise than tally.counts says:\n  BoxTest>>testFind  work  ");
}

/// What counting model 1 wrote: the same without called primitives and work.
fn of_model_1(counts: &str) -> String {
    let line = |line: &str| match (line.split_once(" called="), line.rsplit_once(" code=")) {
        (Some((before, _)), Some((_, code))) => format!("{before} code={code}\n"),
        _ => line.to_string() + "\n",
    };
    let text: String = counts.lines().map(line).collect();
    text.replacen(
        "# tally.counts 2\n# model 2\n",
        "# tally.counts 1\n# model 1\n",
        1,
    )
}

#[test]
fn counts_of_model_1_are_migrated_in_one_step() {
    let sandbox = repository("work_migration", "");
    sandbox
        .tally(&["test", "--counts", "update", "--reason", "the first"])
        .exits(0);
    let new = sandbox.read("tally.counts");
    let old = of_model_1(&new);
    assert_ne!(old, new);
    sandbox.write("tally.counts", &old);
    let why = "the snapshot was taken with version 1 of the counting model (this is 2)";
    for command in [&["test"][..], &["gate"]] {
        let ran = sandbox.tally(command);
        ran.exits(5).mentions(why).mentions("--accept-model");
        assert!(!ran.output().contains("costs otherwise"), "{ran}");
    }
    let ran = sandbox.tally(&["test", "--counts", "update"]);
    ran.exits(5).says(why).says("--accept-model");
    assert_eq!(sandbox.read("tally.counts"), old);
    sandbox
        .tally(&["test", "--counts", "update", "--accept-model"])
        .exits(0);
    assert_eq!(sandbox.read("tally.counts"), new, "the reason is kept");
    sandbox.tally(&["gate"]).exits(0);
}

#[test]
fn profiles_of_model_1_are_converted_and_compared_with_no_others() {
    let sandbox = Sandbox::new("work_profiles");
    sandbox.write("a.st", "(1 to: 10) inject: 0 into: [:a :b | a + b]\n");
    sandbox
        .tally(&["profile", "a.st", "-o", "new.json"])
        .exits(0);
    let new = sandbox.read("new.json");
    assert!(new.contains("\"model\": 2"), "{new}");
    let mut old: serde_json::Value = serde_json::from_str(&new).expect("it is JSON");
    old["model"] = 1.into();
    let cost = old["cost"].as_object_mut().expect("there is a cost");
    for member in ["steps", "called", "counters", "work"] {
        assert!(cost.remove(member).is_some(), "{member}");
    }
    cost.insert("instructions".to_string(), 241.into());
    sandbox.write("old.json", old.to_string());
    sandbox
        .tally(&["convert", "old.json", "old.tally"])
        .exits(0);
    sandbox
        .tally(&["compare", "old.tally", "new.json"])
        .exits(5)
        .says("the profiles were made with versions 1 and 2 of the counting model");
    let ran = sandbox.tally(&["compare", "old.tally", "new.json", "--force"]);
    ran.exits(0).mentions("Not comparable, strictly speaking");
    for count in ["work  ", "steps  "] {
        assert!(!ran.output().contains(count), "{ran}");
    }
}
