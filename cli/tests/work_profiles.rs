//! Work in `tally profile`: every view shows the same work, and it is that of the run.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use support::Sandbox;

const PROGRAM: &str = "Object subclass: Sums [
    product: n [ ^(1 to: n) inject: 1 into: [ :product :each | product * each ] ]
    sum: n [ ^(1 to: n) inject: 0 into: [ :sum :each | sum + each ] ]
]
(Sums new product: 90) printNl.
(Sums new sum: 90) printNl.
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new("work-profiles");
    sandbox.write("sums.st", PROGRAM);
    sandbox
}

fn number(text: &str) -> u64 {
    let digits = text.replace(',', "");
    digits
        .parse()
        .unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// The work of the run.
fn whole(sandbox: &Sandbox) -> u64 {
    let ran = sandbox.tally(&["run", "sums.st", "--counts"]);
    let text = format!("{}{}", ran.exits(0).output(), ran.error());
    let mut counts = text.lines().filter_map(|line| line.strip_prefix("work "));
    number(counts.next().expect("the work").trim())
}

/// The sum of a column of a ranking whose names have no spaces.
fn column(report: &str, heading: &str) -> u64 {
    let mut lines = report.lines().skip_while(|line| !line.contains("share"));
    let heads = lines.next().expect("a table").replace("total work", "all");
    let place = heads.split_whitespace().position(|head| head == heading);
    let place = place.expect("the column");
    let rows = lines.take_while(|line| !line.is_empty());
    let cells = rows.map(|row| row.split_whitespace().nth(place).map_or(0, number));
    cells.sum()
}

#[test]
fn work_is_ranked_and_adds_up_to_that_of_the_run() {
    let sandbox = sandbox();
    let options = ["--limit", "0", "--library", "fold"];
    let ran = sandbox.tally(&[&["profile", "sums.st", "--sort", "work"], &options[..]].concat());
    ran.exits(0).mentions("1 is 1/100 ns");
    assert_eq!(column(ran.output(), "work"), whole(&sandbox), "{ran}");
    let classes = sandbox.tally(&[
        "profile",
        "sums.st",
        "--by",
        "class",
        "--sort",
        "total-work",
    ]);
    classes.exits(0).mentions("of total work");
}

#[test]
fn a_saved_profile_has_work_beside_sends() {
    let sandbox = sandbox();
    let plain = sandbox.tally(&["profile", "sums.st"]);
    assert!(!plain.exits(0).output().contains("work  "), "{plain}");
    let save = ["profile", "sums.st", "-o", "p.tally", "-o", "p.json"];
    sandbox.tally(&save).exits(0);
    for name in ["p.tally", "p.json"] {
        let ran = sandbox.tally(&["profile", name, "--limit", "0", "--library", "fold"]);
        assert_eq!(
            column(ran.exits(0).output(), "work"),
            whole(&sandbox),
            "{ran}"
        );
    }
}

#[test]
fn trees_and_pictures_weigh_work() {
    let sandbox = sandbox();
    for sort in ["work", "total-work"] {
        sandbox
            .tally(&["profile", "sums.st", "--tree", "--sort", sort])
            .exits(0)
            .mentions("(primitives)")
            .mentions(&tally_presentation::grouped(whole(&sandbox)));
        sandbox
            .tally(&["profile", "sums.st", "--hot", "--sort", sort])
            .exits(0)
            .mentions("of all work");
        let file = format!("{sort}.svg");
        sandbox
            .tally(&["profile", "sums.st", "--sort", sort, "-o", &file])
            .exits(0);
        assert!(sandbox.read(&file).contains("the work in it and above it"));
    }
    sandbox
        .tally(&["annotate", "sums.st"])
        .exits(0)
        .mentions("work: of the sends on the line");
}

/// Tests that pass, fail, signal an error, fork, run another way, or are ended by a limit.
const TESTS: &str = "TestCase subclass: FirstTest [
    | x |
    setUp [ x := OrderedCollection new. 1 to: 5 do: [ :i | x add: i printString ] ]
    tearDown [ x := nil ]
    testPass [ self assert: 3 + 4 equals: 7 ]
    testFail [ self assert: 3 + 4 equals: 8 ]
    testError [ ^Array new: -1 ]
    testFork [ | done |
        done := Semaphore new.
        [ 1 to: 20 do: [ :i | i printString ]. done signal ] fork.
        done wait.
        self assert: true ]
    testLimit [ [ true ] whileTrue: [ 3 printString ] ]
]
TestCase subclass: SecondTest [
    performTest [ ^super performTest ]
    testPass [ self assert: 3 + 4 equals: 7 ]
]
";

#[test]
fn the_methods_of_a_test_add_up_to_its_work() {
    let sandbox = Sandbox::new("work-of-tests");
    sandbox.write("t.st", TESTS);
    let first = ["testPass", "testFail", "testError", "testFork", "testLimit"];
    let tests = first.map(|name| format!("FirstTest>>{name}"));
    for test in tests.iter().map(String::as_str).chain(["SecondTest"]) {
        let options = ["--max-sends", "5000", "--format", "json", "-o", "p.json"];
        sandbox.tally(&[&["profile", "t.st", "--test", test], &options[..]].concat());
        let profile: serde_json::Value = serde_json::from_str(&sandbox.read("p.json")).unwrap();
        let work = &profile["cost"]["work"];
        let methods = profile["methods"].as_array().unwrap().iter();
        let own: u64 = methods.filter_map(|it| it["ownWork"].as_u64()).sum();
        assert_eq!(work.as_u64(), Some(own), "{test}");
        assert_eq!(*work, profile["contexts"][0]["totalWork"], "{test}");
    }
}
