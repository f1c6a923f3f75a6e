//! `tally.counts`: what each test costs, checked, brought up to date, and explained when it changes.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const SUMS: &str = "Object subclass: Sums [\n\
    upTo: n [ ^(1 to: n) inject: 0 into: [:sum :each | self add: each to: sum] ]\n\
    add: a to: b [ ^a + b ] ]\n\
    TestCase subclass: SumsTest [\n\
    testTen [ self assert: (Sums new upTo: 10) equals: 55 ]\n\
    testThousand [ self assert: (Sums new upTo: 1000) equals: 500500 ]\n\
    testOther [ self assert: 3 + 4 equals: 7 ]\n]\n";

/// A project whose counts were taken.
fn counted(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("s.st", SUMS);
    let ran = sandbox.tally(&[
        "test",
        "s.st",
        "--counts",
        "update",
        "--reason",
        "the first",
    ]);
    ran.exits(0).mentions("3 tests are new:");
    sandbox
}

#[test]
fn what_changes_no_count_passes_in_silence() {
    let sandbox = counted("same");
    let text = sandbox.read("tally.counts");
    assert!(
        text.starts_with("# tally.counts 2\n# model 2\n# library "),
        "{text}"
    );
    assert!(
        text.contains("\n# reason: the first\nSumsTest>>testOther sends="),
        "{text}"
    );
    sandbox.write(
        "s.st",
        SUMS.replace("[:sum :each | self", "\"a word\" [:sum :each |\n self"),
    );
    let ran = sandbox.tally(&["test", "s.st", "--counts", "check"]);
    assert!(
        ran.exits(0).output().ends_with(
            "\n3 tests: 3 passed, 0 failed, 0 failed by counts, 0 in error, 0 skipped\n"
        )
    );
    assert_eq!(sandbox.read("tally.counts"), text);
}

#[test]
fn one_send_more_fails_and_the_method_is_named() {
    let sandbox = counted("one");
    sandbox.write("s.st", SUMS.replace("^a + b", "a yourself. ^a + b"));
    let ran = sandbox.tally(&["test", "s.st"]);
    ran.exits(3)
        .mentions("2 tests cost otherwise than tally.counts says:\n")
        .mentions("(+1,000)")
        .mentions("The sends of these 2 tests, by methods:\n  +1,010  Sums>>add:to:  s.st:3  (body changed")
        .mentions("SumsTest>>testTen, its sends by methods:\n  +10  Sums>>add:to:  s.st:3  (body changed");
    // A part of the tests is held against its part of the snapshot.
    sandbox.tally(&["test", "s.st", "-k", "testOther"]).exits(0);
    sandbox.tally(&["test", "s.st", "-k", "testTen"]).exits(3);
    sandbox
        .tally(&["test", "s.st", "--counts", "ignore"])
        .exits(0);
    let ran = sandbox.tally(&["test", "s.st", "--format", "json"]);
    let line = ran
        .exits(3)
        .output()
        .lines()
        .find(|line| line.starts_with("{\"counts\":"));
    let line: serde_json::Value = serde_json::from_str(line.unwrap()).unwrap();
    assert_eq!(line["counts"]["changed"][0]["name"], "SumsTest>>testTen");
    let ran = sandbox.tally(&["test", "s.st", "--counts", "update", "-k", "testTen"]);
    ran.exits(0).mentions("(+10)");
    let ran = sandbox.tally(&["test", "s.st"]);
    ran.exits(3).mentions("1 test costs otherwise");
    sandbox
        .tally(&["test", "s.st", "--counts", "update"])
        .exits(0);
    sandbox.tally(&["test", "s.st"]).exits(0);
}

#[test]
fn a_failing_test_wins_over_its_counts() {
    let sandbox = counted("fails");
    let slower = SUMS.replace("^a + b", "a yourself. ^a + b");
    sandbox.write("s.st", slower.replace("equals: 7", "equals: 8"));
    sandbox
        .tally(&["test", "s.st"])
        .exits(1)
        .mentions("2 tests cost otherwise");
}

#[test]
fn tests_that_come_and_go_are_told() {
    let sandbox = counted("gone");
    sandbox.write("s.st", SUMS.replace("testOther", "testNew"));
    let ran = sandbox.tally(&["test", "s.st"]);
    ran.exits(3)
        .mentions("SumsTest>>testNew")
        .mentions("SumsTest>>testOther");
    sandbox
        .tally(&["test", "s.st", "--counts", "update"])
        .exits(0);
    let text = sandbox.read("tally.counts");
    assert!(
        !text.contains("testOther") && text.contains("testNew"),
        "{text}"
    );
}

#[test]
fn what_is_no_snapshot_is_refused_with_its_line() {
    let sandbox = counted("bad");
    let good = sandbox.read("tally.counts");
    let cases = [
        (good.replace("# model 2", "# model two"), "tally.counts:2"),
        (
            good.replace("SumsTest>>testTen", "<<<<<<< HEAD\nSumsTest>>testTen"),
            "tally.counts:6",
        ),
        (good[..good.len() - 9].to_string(), "tally.counts:"),
        (good.replace("sends=", "sends=-"), "tally.counts:5"),
        (String::new(), "tally.counts:1"),
    ];
    for (text, place) in cases {
        sandbox.write("tally.counts", &text);
        sandbox.tally(&["test", "s.st"]).exits(5).says(place);
        sandbox
            .tally(&["test", "s.st", "--counts", "update"])
            .exits(5);
        assert_eq!(
            sandbox.read("tally.counts"),
            text,
            "what is not understood stays"
        );
    }
    sandbox.write("tally.counts", [0xff, 0xfe, b'\n']);
    sandbox
        .tally(&["test", "s.st"])
        .exits(5)
        .says("tally.counts is no text in UTF-8");
    sandbox
        .tally(&["test", "s.st", "--counts", "ignore"])
        .exits(0);
    std::fs::remove_file(sandbox.path("tally.counts")).unwrap();
    let ran = sandbox.tally(&["test", "s.st", "--counts", "check"]);
    ran.exits(5).says("there is no tally.counts to check");
    sandbox.tally(&["test", "s.st"]).exits(0);
}

#[test]
fn counts_of_another_tally_are_not_compared() {
    let sandbox = counted("other");
    let good = sandbox.read("tally.counts");
    let library = good.lines().nth(2).unwrap().to_string();
    let older = good.replace(&library, "# library 0123456789abcdef");
    let changed = older.replacen("sends=", "sends=1", 1);
    sandbox.write("tally.counts", &changed);
    let ran = sandbox.tally(&["test", "s.st"]);
    ran.exits(5)
        .mentions("with another library (0123456789abcdef, this is ");
    sandbox
        .tally(&["test", "s.st", "--counts", "update"])
        .exits(5)
        .says("--accept-model");
    assert_eq!(sandbox.read("tally.counts"), changed);
    let ran = sandbox.tally(&[
        "test",
        "s.st",
        "--counts",
        "update",
        "--accept-model",
        "-k",
        "Ten",
    ]);
    ran.exits(5).says("all tests have to run");
    let ran = sandbox.tally(&["test", "s.st", "--counts", "update", "--accept-model"]);
    ran.exits(0)
        .mentions("caused by Tally: the project's code that ran is the same");
    // The reason was one for other counts.
    assert_eq!(
        sandbox.read("tally.counts"),
        good.replace("# reason: the first\n", "")
    );
}

#[test]
fn counts_that_depend_on_the_clock_are_left_out() {
    let sandbox = Sandbox::new("clock");
    sandbox.write(
        "c.st",
        "TestCase subclass: ClockTest [\n\
         testClock [ self assert: Time millisecondClockValue > -1 ]\n\
         testPlain [ self assert: true ]\n]\n",
    );
    let ran = sandbox.tally(&["test", "c.st", "--counts", "update"]);
    ran.exits(0)
        .mentions("1 test is new:")
        .mentions("it read the clock");
    let text = sandbox.read("tally.counts");
    assert!(!text.contains("testClock"), "{text}");
}

#[test]
fn a_fresh_clone_explains_differences_by_its_history() {
    let sandbox = counted("history");
    sandbox.git(&["init", "-q"]);
    sandbox.git(&["add", "s.st", "tally.counts"]);
    sandbox.git(&["commit", "-qm", "counted"]);
    std::fs::remove_dir_all(sandbox.path(".tally")).unwrap();
    sandbox.write("s.st", SUMS.replace("^a + b", "a yourself. ^a + b"));
    let ran = sandbox.tally(&["test", "s.st"]);
    ran.exits(3)
        .mentions(
            "SumsTest>>testTen, its sends by methods:\n  +10  Sums>>add:to:  s.st:3  (body changed",
        )
        .is_silent();
    assert!(
        !sandbox.path(".tally").exists(),
        "a check remembers nothing"
    );
}
