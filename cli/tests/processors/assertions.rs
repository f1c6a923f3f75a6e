//! Processors in tests: assertions, budgets and counts. The expected numbers are closed forms, or worked out by hand.

use crate::support::{Ran, Sandbox};

/// A worker is made in 4 ticks, of which its client waits for 2; `done` takes none.
const CLASSES: &str = "Object subclass: Worker [
    | isDone |
    run: n [ n timesRepeat: [ ]. isDone := true ]
    done [ ^isDone ]
]
Object subclass: Boss [
    all: a and: b and: c [
        <separate>
        | x |
        a run: 10. b run: 10. c run: 30.
        x := a done. x := b done. x := c done ]
]
Object subclass: Steps [
    a: n [ n timesRepeat: [ ] ]
    b: n [ n timesRepeat: [ ] ]
    c: n [ n timesRepeat: [ ] ]
    d: n [ n timesRepeat: [ ] ]
    e: n [ n timesRepeat: [ ] ]
    f: n [ n timesRepeat: [ ] ]
    g: n [ n timesRepeat: [ ] ]
]
";

/// A project with these tests, and perhaps with settings.
fn project(tests: &str, settings: &str) -> Sandbox {
    let sandbox = Sandbox::new("assertions");
    sandbox.write("src/Worker.st", CLASSES);
    sandbox.write(
        "src/JoinTest.st",
        format!(
            "TestCase subclass: JoinTest [
    | a b c |
    setUp [ a := Worker separate new. b := Worker separate new. c := Worker separate new ]
    join [ ^[ Boss new all: a and: b and: c ] ]
{tests}
]\n"
        ),
    );
    sandbox.write(
        "src/PlainTest.st",
        "TestCase subclass: PlainTest [ testPlain [ self assert: 3 + 4 equals: 7 ] ]\n",
    );
    let head = "[project]\npaths = [\"src\"]\n";
    sandbox.write("tally.toml", format!("{head}{settings}"));
    sandbox
}

/// What a failed assertion of a test says first.
fn fails(assertion: &str, message: &str) {
    let sandbox = project(&format!("    testJoin [ {assertion} ]"), "");
    let ran = sandbox.tally(&["test"]);
    ran.exits(3);
    assert!(ran.output().contains(message), "{assertion}\n{ran}");
}

fn holds(assertion: &str) {
    let sandbox = project(&format!("    testJoin [ {assertion} ]"), "");
    sandbox.tally(&["test"]).exits(0);
}

/// Fork and join: after k commands t is k, and each answer makes it max(t + 1, i + n): 33, and 41 on two CPUs. `Boss new` is 3 ticks before that, and
/// the scope's message 1.
#[test]
fn fork_and_join() {
    holds("self assert: self join spansAtMost: 37");
    fails(
        "self assert: self join spansAtMost: 36",
        "expected a span of at most 36 ticks, counted 37: 1 more",
    );
    fails(
        "self assert: self join onCpus: 2 spansAtMost: 44",
        "expected a makespan of at most 44 ticks on 2 CPUs, counted 45: 1 more",
    );
    // One CPU executes 3 + 50 + 3 ticks of the scope.
    fails(
        "self assert: self join onCpus: 1 spansAtMost: 59",
        "expected a makespan of at most 59 ticks on 1 CPU, counted 60: 1 more",
    );
    holds("self assert: self join onCpus: 4 isFasterBy: 60 / 37");
    fails(
        "self assert: self join onCpus: 4 isFasterBy: 60 / 36",
        "60 ticks against 37 are 1.62 times",
    );
}

/// Of the 37 ticks, the script executes 3 for `Boss new` and 1 for the message of the scope, which sends 3 commands before the last worker executes
/// its 30 ticks. On one CPU everything is on the path.
#[test]
fn failures_show_the_critical_path() {
    let path = "the critical path:
      running 30: Worker>>run:, 81.1 %
      running 4: script, 10.8 %
      running 3: Boss>>all:and:and:, 8.1 %
    the longest waits:
      queue 27: Boss>>all:and:and: for Worker>>done, ended by Worker>>run:, 2 times
";
    for assertion in [
        "self assert: self join spansAtMost: 36",
        "self assert: self join onCpus: 4 isFasterBy: 60 / 36",
        "self assert: self join waitsAtMost: 1",
        "self assert: self join overCpus: #(4) keepsBusy: 99",
        "self assert: self join spansLessThan: [ 3 + 4 ] onCpus: 4",
        "self deny: self join waitsFor: Worker",
    ] {
        fails(assertion, path);
    }
    let all = "the critical path:
      running 50: Worker>>run:, 83.3 %
      running 6: Boss>>all:and:and:, 10.0 %
      running 4: script, 6.7 %
";
    fails("self assert: self join onCpus: 1 spansAtMost: 59", all);
    // Of a block without waits, among processors.
    let alone = "counted 11: 1 more
    the critical path:
      running 11: script, 100.0 %
    src";
    fails(
        "self assert: [ 11 timesRepeat: [ ] ] spansAtMost: 10",
        alone,
    );
}

/// Nine features are on the path: five have a line, and the sixth line stands for 4 + 3 ticks, 3 of the script, and 2 in which the processor is made.
#[test]
fn the_last_line_stands_for_other_shares() {
    let steps =
        "[ | s | s := Steps separate new. s a: 9. s b: 8. s c: 7. s d: 6. s e: 5. s f: 4. s g: 3 ]";
    let lines = "counted 47: 1 more
    the critical path:
      running 9: Steps>>a:, 19.1 %
      running 8: Steps>>b:, 17.0 %
      running 7: Steps>>c:, 14.9 %
      running 6: Steps>>d:, 12.8 %
      running 5: Steps>>e:, 10.6 %
      others 12, 25.5 %
    the longest waits:
";
    fails(&format!("self assert: {steps} spansAtMost: 46"), lines);
}

/// The program of a test whose statements have these sums: it waits for the workers together, or one after the other.
fn pair(order: &str) -> String {
    format!(
        "    testPair [
        | d e x |
        d := Worker separate new. e := Worker separate new.
        {order}
        self assert: x ]"
    )
}

const TOGETHER: &str = "d run: 10. e run: 10. x := d done. x := e done.";
const ONE_BY_ONE: &str = "d run: 10. x := d done. e run: 10. x := e done.";

/// A number in the line of a test in tally.counts.
fn count(counts: &str, test: &str, name: &str) -> Option<u64> {
    let line = counts.lines().find(|line| line.starts_with(test))?;
    let field = line.split(' ').find_map(|field| {
        let value = field.strip_prefix(name)?;
        value.strip_prefix('=')
    });
    field?.parse().ok()
}

#[test]
fn spans_in_counts() {
    let sandbox = project(&pair(TOGETHER), "");
    let update = ["test", "--counts", "update", "--reason", "first"];
    sandbox.tally(&update).exits(0);
    let together = sandbox.read("tally.counts");
    let pair = |counts: &str, name: &str| count(counts, "JoinTest>>testPair", name).unwrap();
    let (sends, loops) = (pair(&together, "sends"), pair(&together, "loops"));
    assert_eq!(pair(&together, "ticks"), sends + loops);
    // 2 for each worker that is made, and 8 for the first answer; the second one is there at that moment.
    assert_eq!(pair(&together, "waiting"), 12);
    // Up to the second answer it is tick 20. What follows is executed by the test alone, as all of what is not the workers' 24, and 8 up to then.
    let span = pair(&together, "span");
    let after = sends + loops - 24 - 8;
    assert_eq!(span, 20 + after);
    for name in ["span", "ticks", "waiting"] {
        assert_eq!(count(&together, "PlainTest>>testPlain", name), None);
        assert_eq!(count(&together, "JoinTest (setUp", name), None);
    }
    sandbox.tally(&["test"]).exits(0);

    // The same sends, and 10 ticks longer.
    let text = sandbox
        .read("src/JoinTest.st")
        .replace(TOGETHER, ONE_BY_ONE);
    sandbox.write("src/JoinTest.st", text);
    let ran = sandbox.tally(&["test"]);
    ran.exits(3);
    for part in ["span", "(+10)", "waiting", "12  →  22"] {
        assert!(ran.output().contains(part), "{part}\n{ran}");
    }
    assert!(ran.output().contains("same sends"), "{ran}");
    sandbox.tally(&update).exits(0);
    let one_by_one = sandbox.read("tally.counts");
    assert_eq!(pair(&one_by_one, "span"), span + 10);
    assert_eq!(pair(&one_by_one, "ticks"), sends + loops);
    assert_eq!(pair(&one_by_one, "waiting"), 22);
}

/// A line that lacks one of the counts, or has one that is none, is refused.
#[test]
fn damaged_counts() {
    let sandbox = project(&pair(TOGETHER), "");
    sandbox.tally(&["test", "--counts", "update"]).exits(0);
    let counts = sandbox.read("tally.counts");
    let ticks = count(&counts, "JoinTest>>testPair", "ticks").unwrap();
    let wrong = [
        (" waiting=12", ""),
        (" waiting=12", " waiting=x"),
        ("span=", "spam="),
        (&format!("ticks={ticks}"), "ticks=0"),
    ];
    for (old, new) in wrong {
        assert!(counts.contains(old), "{old}");
        sandbox.write("tally.counts", counts.replace(old, new));
        let ran = sandbox.tally(&["test"]);
        assert!(!matches!(ran.code(), Some(0 | 3 | 70)), "{new}\n{ran}");
        ran.says("tally.counts:");
    }
}

/// Nothing sleeps, so on one CPU the makespan is the number of executed ticks.
#[test]
fn budgets_on_cpus() {
    let plain = project(&pair(TOGETHER), "");
    plain.tally(&["test", "--counts", "update"]).exits(0);
    let counts = plain.read("tally.counts");
    let of = |name| count(&counts, "JoinTest>>testPair", name).unwrap();
    let (span, ticks) = (of("span"), of("ticks"));
    let budgets = format!(
        "[[budget]]\ntest = \"JoinTest>>testPair\"\nspan = {{ exact = {ticks} }}\ncpus = 1\n\
         [[budget]]\ntest = \"JoinTest>>testPair\"\nspan = {{ exact = {span} }}\nwaiting = 12\nevaluations = 0\n"
    );
    project(&pair(TOGETHER), &budgets).tally(&["test"]).exits(0);

    let tight = format!(
        "[[budget]]\ntest = \"JoinTest>>testPair\"\nspan = {}\ncpus = 1\n",
        ticks - 1
    );
    let ran = project(&pair(TOGETHER), &tight);
    let ran = ran.tally(&["test"]);
    ran.exits(3);
    let message = format!("JoinTest>>testPair has a span of {ticks} ticks, at most");
    assert!(ran.output().contains(&message), "{ran}");

    for (wrong, says) in [
        ("cpus = 0", "no CPUs"),
        ("cpus = \"two\"", "cpus"),
        ("cpus = -1", "cpus"),
        ("cpu = 2", "cpu"),
    ] {
        let budget = format!("[[budget]]\ntest = \"JoinTest\"\nspan = 9\n{wrong}\n");
        let ran = project(&pair(TOGETHER), &budget);
        let ran = ran.tally(&["test"]);
        assert!(!matches!(ran.code(), Some(0 | 70)), "{wrong}\n{ran}");
        ran.says(says);
    }
}

#[test]
fn named_budgets() {
    let test = "    testJoin [ self assert: self join within: 'join' ]";
    let budget = |limits: &str| format!("[budgets.join]\n{limits}\n");
    let fits = project(test, &budget("span = 37\nwaiting = 100\nsends = 100"));
    fits.tally(&["test"]).exits(0);
    let fits = project(test, &budget("span = { exact = 45 }\ncpus = 2"));
    fits.tally(&["test"]).exits(0);
    let tight = project(test, &budget("span = 36"));
    let ran = tight.tally(&["test"]);
    ran.exits(3);
    let message = "budget join: expected at most 36 ticks of span, counted 37: 1 more";
    assert!(ran.output().contains(message), "{ran}");
}

/// What a block does in its copy does not reach the test, and an assertion costs the same whatever its block does.
#[test]
fn copies_leave_no_trace() {
    let tests = "    testNothing [ self assert: [ ] spansAtMost: 1000. self assert: x isNil ]
    testMuch [ self assert: [ x := Worker separate new. x run: 100. 'hidden' displayNl. Smalltalk at: #Left put: 3 ] spansAtMost: 1000. self assert: x isNil ]
    testFiles [ self assert: ([ self assert: [ 'left.txt' asFileReference writeStreamDo: [ :s | s nextPutAll: 'x' ] ] spansAtMost: 10000. false ] on: Error do: [ :e | true ]) ]";
    let sandbox = project(
        &tests.replace("    testNothing", "    | x |\n    testNothing"),
        "",
    );
    let ran = sandbox.tally(&["test", "--verbose", "--allow-write"]);
    ran.exits(0);
    assert!(!ran.output().contains("hidden"), "{ran}");
    assert!(!sandbox.path("left.txt").exists());
    let sends = |test: &str| {
        let line = ran.output().lines().find(|line| line.contains(test));
        line.unwrap().split("  ").last().unwrap().to_string()
    };
    assert_eq!(sends("testNothing"), sends("testMuch"));
}

/// The ticks of copies count against the limit of the test, together.
#[test]
fn limits_inside_copies() {
    let tests = "    testLoop [ self assert: [ [ true ] whileTrue ] spansAtMost: 3 ]
    testMany [ 1 to: 100 do: [ :i | self assert: [ 100000 timesRepeat: [ ] ] spansAtMost: 100000 ] ]
    testOther [ self assert: [ a run: 2000000 ] spansAtMost: 3000000 ]
    testFine [ 1 to: 9 do: [ :i | self assert: [ 100000 timesRepeat: [ ] ] spansAtMost: 100000 ] ]";
    let sandbox = project(tests, "");
    let ran = sandbox.tally(&["test", "--max-sends", "1000000"]);
    ran.exits(6);
    for (test, end) in [
        ("testLoop", "ERROR (limit)"),
        ("testMany", "ERROR (limit)"),
        ("testOther", "ERROR (limit)"),
        ("testFine", "ok"),
    ] {
        let line = ran.output().lines().find(|line| line.contains(test));
        assert!(line.unwrap().ends_with(end), "{test}\n{ran}");
    }
}

#[test]
fn strict_control() {
    let sandbox = project(
        "    testInside [ self assert: self join spansAtMost: 37 ]
    testOutside [ a run: 3. self assert: true ]
    testTried [ self assert: [ a run: 3 ] spansAtMost: 4 ]",
        "",
    );
    sandbox.tally(&["test"]).exits(0);
    let ran: Ran = sandbox.tally(&["test", "--strict-control"]);
    ran.exits(1);
    for (test, end) in [
        ("testInside", "ok"),
        ("testOutside", "ERROR"),
        ("testTried", "ERROR"),
    ] {
        let line = ran.output().lines().find(|line| line.contains(test));
        assert!(line.unwrap().ends_with(end), "{test}\n{ran}");
    }
}

/// Processors of a resource are there before the test is measured. They change nothing of what the test takes.
#[test]
fn processors_of_resources() {
    let row = |resource: &str| {
        let sandbox = Sandbox::new("assertions");
        sandbox.write(
            "p.st",
            format!(
                "{CLASSES}TestResource subclass: Staff [
    | worker |
    setUp [ {resource} ]
]
TestCase subclass: StaffTest [
    StaffTest class >> resources [ ^{{ Staff }} ]
    testRun [ | worker | worker := Worker separate new. self run: worker. self assert: true ]
    run: worker [ <separate> worker run: 10 ]
]
"
            ),
        );
        sandbox
            .tally(&["test", "p.st", "--counts", "update"])
            .exits(0);
        sandbox.tally(&["test", "p.st"]).exits(0);
        let counts = sandbox.read("tally.counts");
        let mut rows = counts.lines().filter(|row| row.starts_with("StaffTest"));
        let row = rows.next().unwrap_or_default().to_string();
        row.split(" code=").next().unwrap_or_default().to_string()
    };
    let usual = row("worker := 3");
    assert!(
        usual.contains(" span=") && usual.contains(" ticks="),
        "{usual}"
    );
    assert_eq!(row("worker := Worker separate new"), usual);
    assert_eq!(row("worker := Worker separate new. worker run: 500"), usual);
}
