//! Span, ticks and waiting of revisions: `tally compare`, `tally history` and `tally bisect` in a small repository.

use serde_json::Value;

use crate::figure;
use crate::support::{Ran, Sandbox};

/// A worker executes a tick to be sent for, and n ticks.
const CLASSES: &str = "Object subclass: Worker [ | isDone | run: n [ n timesRepeat: [ ]. isDone := true ] done [ ^isDone ] ]\n";

/// Two workers at the same time.
const TOGETHER: &str = "d run: 10. e run: 10. x := d done. x := e done.";

/// The same messages: the second worker begins when the first one has ended, 10 ticks later.
const ONE_BY_ONE: &str = "d run: 10. x := d done. e run: 10. x := e done.";

fn script(order: &str) -> String {
    format!("| d e x |\nd := Worker separate new. e := Worker separate new.\n{order}\n")
}

fn tests(order: &str) -> String {
    format!(
        "TestCase subclass: PairTest [\n    testPair [ {} self assert: x ]\n    testPlain [ self assert: 3 + 4 equals: 7 ]\n]\n",
        script(order)
    )
}

/// Six commits. The fourth lets one worker wait for the other one.
fn repository(name: &str) -> Sandbox {
    let sandbox = Sandbox::new(name);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.write("tally.toml", "[project]\npaths = [\"src\"]\n");
    sandbox.write("plain.st", "(3 + 4) printNl.\n");
    sandbox.write("src/Worker.st", CLASSES);
    for number in 1..=6 {
        let order = if number < 4 { TOGETHER } else { ONE_BY_ONE };
        sandbox.write("run.st", CLASSES.to_string() + &script(order));
        sandbox.write("src/PairTest.st", tests(order));
        sandbox.write("notes.txt", number.to_string());
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", &format!("number {number}")]);
    }
    sandbox
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"))
}

/// What `tally timeline` says of the script of a commit.
fn timeline(sandbox: &Sandbox, commit: &str) -> [u64; 3] {
    sandbox.git(&["checkout", "-q", commit]);
    let ran = sandbox.tally(&["timeline", "run.st"]);
    sandbox.git(&["checkout", "-q", "main"]);
    ["makespan ", "ticks ", "waiting "].map(|name| figure(&ran, name))
}

#[test]
fn spans_of_revisions_are_compared() {
    let sandbox = repository("spans");
    let before = timeline(&sandbox, "HEAD~5");
    let after = timeline(&sandbox, "HEAD");
    // Each answer is waited for on its own: 2 and 2 for the workers that are made, 8 for the first answer at once and 10 for each later on.
    assert_eq!([before[0] + 10, before[1], 22], after);
    let whole = json(&sandbox.tally(&[
        "compare", "HEAD~5", "HEAD", "--run", "run.st", "--format", "json",
    ]));
    for (at, name) in ["span", "ticks", "waiting"].into_iter().enumerate() {
        assert_eq!(whole["before"][name], before[at], "{name}");
        assert_eq!(whole["after"][name], after[at], "{name}");
        assert_eq!(whole["runs"][0]["after"][name], after[at], "{name}");
    }
    assert_eq!(whole["before"]["sends"], whole["after"]["sends"]);

    let of_tests = ["compare", "HEAD~5", "HEAD"];
    let ran = sandbox.tally(&of_tests);
    ran.exits(0);
    for part in [
        "1 of 2 tests differ",
        "on both sides; span ",
        "(+10, ",
        "PairTest>>testPair",
    ] {
        assert!(ran.output().contains(part), "{part}\n{ran}");
    }
    let rules = [
        ("span>+9", 3),
        ("span>+10", 0),
        ("ticks>+0", 0),
        ("waiting>+9", 3),
        ("any", 3),
    ];
    for (rule, code) in rules {
        let ran = sandbox.tally(&[&of_tests[..], &["--fail-on", rule]].concat());
        ran.exits(code);
        assert!(!ran.error().contains("about nothing"), "{rule}\n{ran}");
    }
    let page = ["-o", "compared.md", "-o", "compared.html"];
    sandbox.tally(&[&of_tests[..], &page].concat()).exits(0);
    assert!(sandbox.read("compared.md").contains("| work | span |"));
    assert!(sandbox.read("compared.html").contains("span"));

    // A program without processors has none of these counts.
    let plain = ["compare", "HEAD~5", "HEAD", "--run", "plain.st"];
    let found = json(&sandbox.tally(&[&plain[..], &["--format", "json"]].concat()));
    assert!(found["before"].get("sends").is_some());
    assert!(found["before"].get("span").is_none());
    let ran = sandbox.tally(&[&plain[..], &["--fail-on", "span>+0"]].concat());
    ran.exits(0)
        .says("the rule span>+0 is about nothing that ran");
}

/// The history of a test shows the counts of its line in `tally.counts`.
#[test]
fn histories_follow_spans() {
    let sandbox = repository("span-history");
    sandbox.tally(&["test", "--counts", "update"]).exits(0);
    let counts = sandbox.read("tally.counts");
    let line = counts
        .lines()
        .find(|line| line.contains("testPair"))
        .unwrap();
    for (count, difference) in [("span", 10), ("ticks", 0), ("waiting", 10)] {
        let field = line
            .split(' ')
            .find_map(|field| field.strip_prefix(&format!("{count}=")));
        let last: i64 = field.unwrap().parse().unwrap();
        let found = json(&sandbox.tally(&["history", "--count", count, "--format", "json"]));
        let commits = found["commits"].as_array().unwrap();
        let numbers: Vec<i64> = commits
            .iter()
            .map(|one| one["count"].as_i64().unwrap())
            .collect();
        let first = last - difference;
        assert_eq!(numbers, [first, first, first, last, last, last], "{count}");
    }
    let ran = sandbox.tally(&["history", "--count", "span", "--test", "testPair"]);
    ran.exits(0);
    assert!(
        ran.output().starts_with("Ticks of span of testPair"),
        "{ran}"
    );
    for (options, says) in [
        (
            &["--run", "plain.st"][..],
            "error: nothing that ran uses processors, so there are no ticks of span",
        ),
        (
            &["--test", "testPlain"],
            "(testPlain uses no processors, so it has no ticks of span)",
        ),
        (
            &["--method", "Worker>>run:"],
            "(methods have no count of ticks of span)",
        ),
    ] {
        let ran = sandbox.tally(&[&["history", "--count", "span"], options].concat());
        ran.exits(4);
        assert!(format!("{ran}").contains(says), "{says}\n{ran}");
    }
}

#[test]
fn the_commit_that_made_a_program_more_sequential_is_found() {
    let sandbox = repository("span-bisect");
    for options in [&["--run", "run.st"][..], &["--test", "testPair"], &[]] {
        let bisect = [
            "bisect", "HEAD~5", "HEAD", "--count", "span", "--format", "json",
        ];
        let found = json(&sandbox.tally(&[&bisect[..], options].concat()));
        assert_eq!(found["found"]["subject"], "number 4", "{options:?}");
        let count = |side: &str| found[side]["count"].as_u64().unwrap();
        assert_eq!(count("found"), count("before") + 10, "{options:?}");
    }
    let ticks = ["bisect", "HEAD~5", "HEAD", "--count", "ticks"];
    sandbox.tally(&ticks).exits(4);
    let plain = [
        "bisect", "HEAD~5", "HEAD", "--count", "span", "--run", "plain.st",
    ];
    let ran = sandbox.tally(&plain);
    ran.exits(4)
        .says("nothing that ran uses processors, so there are no ticks of span");
}

/// A test whose assertion about its span does not hold any more came to its end, so it has a span.
#[test]
fn a_broken_assertion_about_a_span_is_found() {
    let sandbox = repository("span-broken");
    let broken = tests(ONE_BY_ONE).replace(
        "self assert: x ]",
        "self assert: x. self assert: [ 3 + 4. 5 + 6 ] spansAtMost: 1 ]",
    );
    sandbox.write("src/PairTest.st", broken);
    sandbox.git(&["commit", "-q", "-a", "-m", "broken"]);
    let bisect = [
        "bisect", "HEAD~6", "HEAD", "--count", "waiting", "--test", "testPair",
    ];
    let ran = sandbox.tally(&bisect);
    ran.exits(0);
    assert!(ran.output().contains("number 4"), "{ran}");
    assert!(ran.output().contains(" it is 22."), "{ran}");
}

/// Whatever a program reads and however it waits, its figures are those of its timeline.
#[test]
fn spans_of_scripts_are_those_of_their_timelines() {
    let programs = [
        // The script waits for a process before there is a processor.
        "| done x |\ndone := Semaphore new.\n[ | w | w := Worker separate new. w run: 10. x := w done. done signal ] fork.\ndone wait.\n",
        // It was suspended before.
        "| script x |\nscript := Processor activeProcess.\n[ | w | w := Worker separate new. w run: 10. x := w done. script resume ] fork.\nscript suspend.\n",
        // A process has not run yet, one waits for ever, and one is not resumed.
        "| w x |\n[ Semaphore new wait ] fork. Processor yield. [ Processor yield ] newProcess. [ x := 3 ] fork.\nw := Worker separate new. w run: 10. x := w done.\n",
        // It sleeps in virtual time.
        "| w x |\nw := Worker separate new. w run: 10. (Delay forMilliseconds: 1) wait. x := w done.\n",
        // It fails.
        "| w x |\nw := Worker separate new. w run: 10. x := w done. nil foo.\n",
        // The answer is read from standard input.
        "| w x |\nw := Worker separate new. w run: stdin nextLine size. x := w done.\n",
    ];
    for text in programs {
        let sandbox = Sandbox::new("span-scripts");
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.write("run.st", CLASSES.to_string() + text);
        sandbox.write("input.txt", "twelve\n");
        sandbox.git(&["add", "-A"]);
        sandbox.git(&["commit", "-q", "-m", "one"]);
        let ran = sandbox.tally_reading("twelve\n", &["timeline", "run.st"]);
        let expected = ["makespan ", "ticks ", "waiting "].map(|name| figure(&ran, name));
        let compare = [
            "compare",
            "HEAD",
            "HEAD",
            "--run",
            "run.st",
            "--stdin",
            "input.txt",
            "--format",
            "json",
        ];
        let found = json(&sandbox.tally(&compare));
        let found = ["span", "ticks", "waiting"].map(|name| found["after"][name].as_u64().unwrap());
        assert_eq!(found, expected, "{text}");
    }
}
