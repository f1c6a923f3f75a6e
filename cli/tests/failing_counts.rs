//! A project with a history in which an assertion about counts begins to fail: a cache that forgets the entry that was used least
//! recently. `bisect`, `compare` and `history` follow the failure like any other count, and tests that end early are in no sum.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use serde_json::Value;
use support::Sandbox;
use support::lru::{CACHE, TESTS};

/// The project with five commits. The fourth makes the assertion about counts fail.
fn cache(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.write("tally.toml", "[project]\npaths = [\"src\", \"tests\"]\n");
    sandbox.write("src/LruCache.st", CACHE);
    sandbox.write("tests/LruCacheTest.st", TESTS);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.git(&["add", "tally.toml", "src", "tests"]);
    sandbox.git(&["commit", "-q", "-m", "A cache"]);
    change(
        &sandbox,
        "src/LruCache.st",
        "size [ ^values size ]",
        "size [ ^values size ]\n\
        isFull [ ^values size >= capacity ]",
        "Tell whether it is full",
    );
    change(
        &sandbox,
        "src/LruCache.st",
        "| capacity",
        "\"A cache.\" | capacity",
        "Say what it is",
    );
    change(
        &sandbox,
        "src/LruCache.st",
        "ifFalse: [self makeRoom]",
        "ifFalse: [self isFull ifTrue: [evictions := evictions + 1]. self makeRoom]",
        "Count evictions",
    );
    change(
        &sandbox,
        "src/LruCache.st",
        "A cache.",
        "A cache that forgets.",
        "Say more",
    );
    sandbox
}

/// Replaces a text in a file, and commits.
fn change(sandbox: &Sandbox, file: &str, old: &str, new: &str, subject: &str) {
    let text = sandbox.read(file);
    assert!(text.contains(old), "{old}");
    sandbox.write(file, text.replacen(old, new, 1));
    sandbox.git(&["commit", "-q", "-a", "-m", subject]);
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_test_says_by_how_much_it_fails() {
    let sandbox = cache("counted-test");
    let ran = sandbox.tally(&["test"]);
    ran.exits(3)
        .mentions("expected at most 18 sends, counted 21: 3 more");
    ran.mentions("3 tests: 2 passed, 0 failed, 1 failed by counts, 0 in error, 0 skipped");
}

#[test]
fn the_search_finds_the_commit_that_makes_it_fail() {
    let sandbox = cache("counted-bisect");
    let ran = sandbox.tally(&["bisect", "HEAD~4", "HEAD"]);
    ran.exits(0).mentions("Count evictions\n");
    let test = [
        "bisect",
        "HEAD~4",
        "HEAD",
        "--test",
        "LruCacheTest>>testPutIsCheap",
    ];
    let ran = sandbox.tally(&test);
    ran.exits(0).mentions("Count evictions\n").mentions("(+3)");
    ran.mentions("(+3 sends)");
}

#[test]
fn the_difference_is_that_of_the_assertion_and_its_parts_add_up() {
    let sandbox = cache("counted-compare");
    let name = "LruCacheTest>>testPutIsCheap";
    let explain = format!("--explain={name}");
    let ran = sandbox.tally(&["compare", "HEAD~4", "HEAD", &explain]);
    ran.exits(3)
        .says("on the new side LruCacheTest>>testPutIsCheap fails by counts");
    ran.mentions("fails by counts now")
        .mentions(&format!("Why of {name} (+3 sends)"));
    ran.mentions("LruCache>>at:put:");
    assert!(!ran.output().contains("<test runner>"), "{ran}");
    assert!(!ran.output().contains("Exception>>signal"), "{ran}");
    let ran = sandbox.tally(&["compare", "HEAD~4", "HEAD", "--format", "json"]);
    let document = json(ran.output());
    let runs = document["runs"].as_array().unwrap();
    let run = runs.iter().find(|run| run["name"] == name).unwrap();
    let sends = |side: &str| run[side]["sends"].as_i64().unwrap();
    assert_eq!(sends("after") - sends("before"), 3);
    let own = |method: &Value| {
        let own = |side: &str| method[side]["own"].as_i64().unwrap();
        own("after") - own("before")
    };
    let methods = document["methods"].as_array().unwrap();
    let sum: i64 = methods.iter().map(own).sum();
    let whole = |side: &str| document[side]["sends"].as_i64().unwrap();
    assert_eq!(sum, whole("after") - whole("before"));
}

#[test]
fn the_history_shows_the_failure_and_sums_only_common_tests() {
    let sandbox = cache("counted-history");
    let tests = "tests/LruCacheTest.st";
    change(
        &sandbox,
        tests,
        "testHit [",
        "testNew [ self assert: 3 + 4 equals: 7 ]\ntestHit [",
        "One more test",
    );
    change(
        &sandbox,
        tests,
        "testMiss [",
        "testMiss [ self fail.",
        "Break a test",
    );
    let ran = sandbox.tally(&["history"]);
    ran.exits(0)
        .mentions("(1 of 3 tests fail by counts) Count evictions");
    ran.mentions("(1 of 4 tests fail by counts) One more test");
    ran.mentions("(1 of 4 tests fail by counts; 1 of 4 tests fail) Break a test");
    ran.mentions("(not in the difference: 1 test more with a count (+");
    ran.mentions("(not in the difference: 1 test fewer with a count (-");
    ran.mentions("7 commits, 1 of them with another count than before");
    let document = json(sandbox.tally(&["history", "--format", "json"]).output());
    let commits = document["commits"].as_array().unwrap();
    let differences: Vec<i64> = commits
        .iter()
        .filter_map(|c| c["difference"].as_i64())
        .collect();
    // One entry is made in a test, and two in setUp, which no count of a test contains.
    assert_eq!(differences, [0, 0, 3, 0, 0, 0]);
    assert_eq!(commits[5]["others"]["new"], 1);
    assert_eq!(commits[6]["others"]["gone"], 1);
}

#[test]
fn a_test_that_ends_early_is_neither_a_gain_nor_a_loss() {
    let sandbox = cache("ended-early");
    change(
        &sandbox,
        "tests/LruCacheTest.st",
        "testMiss [",
        "testMiss [ self fail.",
        "Break a test",
    );
    let ran = sandbox.tally(&["compare", "HEAD~1", "HEAD", "--explain"]);
    ran.exits(1).says("LruCacheTest>>testMiss did not end well");
    ran.mentions("0 of 2 tests differ");
    ran.mentions("a test did not come to its end: LruCacheTest>>testMiss (fails now)");
    ran.mentions("Nothing that ran differs");
    let ran = sandbox.tally(&["bisect", "HEAD~5", "HEAD"]);
    ran.exits(4).says("1 of 3 tests do not pass");
}

#[test]
fn a_second_failure_of_another_kind_decides() {
    let sandbox = Sandbox::new("second-failure");
    sandbox.write("t.st", "TestCase subclass: T [\n\
        testBoth [ self assert: [3 + 4] sendsAtMost: 0. self assert: false ]\n\
        testError [ self assert: [3 + 4] sendsAtMost: 0. nil foo ]\n\
        testSkip [ self assert: [3 + 4] sendsAtMost: 0. self skip ]\n\
        testTwice [ self assert: [3 + 4] sendsAtMost: 0. self assert: [3 + 4 + 5] sendsAtMost: 0 ]\n]\n");
    let ran = sandbox.tally(&["test", "t.st"]);
    ran.exits(1)
        .mentions("4 tests: 0 passed, 1 failed, 2 failed by counts, 1 in error, 0 skipped");
    ran.mentions("counted 1: 1 more")
        .mentions("counted 2: 2 more")
        .mentions("Assertion failed");
    ran.mentions("#foo");
}

#[test]
fn a_hyphen_is_standard_output_and_an_unknown_ending_is_an_error() {
    let sandbox = cache("outputs");
    for command in [
        &["history"][..],
        &["compare", "HEAD~1"],
        &["profile", "-e", "3 + 4"],
    ] {
        let ran = sandbox.tally(&[command, &["-o", "-"]].concat());
        ran.exits(if command[0] == "compare" { 3 } else { 0 });
        assert!(!ran.output().is_empty(), "{ran}");
        let ran = sandbox.tally(&[command, &["-o", "a.xyz"]].concat());
        ran.exits(2)
            .prints("")
            .says("a.xyz: the name does not decide the format");
    }
    sandbox
        .tally(&["test", "--report", "github=-"])
        .exits(3)
        .mentions("::error ");
    assert!(!sandbox.path("-").exists());
}

#[test]
fn a_test_of_the_project_is_measured_by_its_name_alone() {
    let sandbox = cache("by-name");
    for command in ["profile", "annotate"] {
        let ran = sandbox.tally(&[command, "--test", "testHit"]);
        ran.exits(0).mentions("LruCache");
        let ran = sandbox.tally(&[command, "--test", "testHti"]);
        ran.exits(4).says("did you mean 'LruCacheTest>>testHit'?");
    }
    let tests = "TestCase subclass: OtherTest [ testHit [ self assert: true ] ]\n";
    sandbox.write("tests/OtherTest.st", tests);
    let ran = sandbox.tally(&["profile", "--test", "testHit"]);
    ran.exits(4)
        .says("the name of several tests: LruCacheTest>>testHit, OtherTest>>testHit");
    let ran = sandbox.tally(&["profile", "src/LruCache.st"]);
    ran.exits(0)
        .says("help: the program sends nothing; --test CLASS");
}

#[test]
fn differences_from_the_snapshot_say_how_to_accept_them() {
    let sandbox = cache("accepting");
    sandbox.git(&["checkout", "-q", "HEAD~4"]);
    sandbox.tally(&["test", "--counts", "update"]).exits(0);
    sandbox.git(&["checkout", "-q", "main"]);
    let ran = sandbox.tally(&["test"]);
    ran.exits(3)
        .mentions("help: tally test --counts update --reason \"why\"");
}

#[test]
fn the_library_alone_may_be_too_much() {
    let sandbox = Sandbox::new("small-memory");
    let ran = sandbox.tally(&["run", "--max-memory", "1", "-e", "3"]);
    ran.exits(6)
        .says("the limit on memory was reached (--max-memory)");
    sandbox
        .tally(&["run", "--max-memory", "64M", "-e", "3"])
        .exits(0)
        .prints("3\n");
}
