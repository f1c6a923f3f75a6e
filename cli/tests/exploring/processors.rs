//! Every schedule of programs with processors.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::sandbox;
use crate::support::{Ran, Sandbox};

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"))
}

/// Two clients keep a number each. The script shows the one that is kept then: none, or the one that came last.
const KEPT: &str = "\
Object subclass: Keeper [ | kept | keep: n [ kept := n ] kept [ ^kept ] ]
Object subclass: Giver [ | to | to: aKeeper [ to := aKeeper ] give: n [ self give: n into: to ]
    give: n into: aKeeper [ <separate> aKeeper keep: n ] ]
| keeper givers |
keeper := Keeper separate new.
givers := (1 to: 2) collect: [:i | Giver separate new].
givers do: [:each | each to: keeper].
givers keysAndValuesDo: [:i :each | each give: i].
[:k | k kept printNl] separate: keeper.
";

#[test]
fn all_results_are_found() {
    let sandbox = sandbox(KEPT);
    let ran = sandbox.tally(&["explore", "p.st", "--format", "json"]);
    let found = json(ran.exits(0));
    assert_eq!(found["schema"], "tally.schedules/1");
    assert_eq!(found["timing"], "any");
    assert_eq!(found["redundant"], 0, "{found}");
    // Three want the lock, in six orders.
    assert_eq!(found["schedules"], 6, "{found}");
    let results = found["results"].as_array().unwrap();
    let mut sums: Vec<(&str, u64)> = results
        .iter()
        .map(|one| {
            (
                one["output"].as_str().unwrap(),
                one["schedules"].as_u64().unwrap(),
            )
        })
        .collect();
    sums.sort_unstable();
    assert_eq!(sums, [("1\n", 2), ("2\n", 2), ("nil\n", 2)]);
    let ran = sandbox.tally(&["explore", "p.st"]);
    ran.exits(0).mentions("There are 3 results.");
    ran.mentions("6 schedules, whatever time each processor takes");
}

#[test]
fn deadlocks_are_found_in_any_time_and_makespans_in_exact_time() {
    let sandbox = sandbox(&example("bank.st"));
    let ran = sandbox.tally(&["explore", "p.st", "--max-schedules", "400"]);
    ran.exits(1)
        .mentions("in a deadlock")
        .mentions("wants the lock of");
    let ran = sandbox.tally(&["explore", "p.st", "--timing", "exact"]);
    let run = sandbox.tally(&["timeline", "p.st"]);
    let makespan = |ran: &Ran, before: &str| -> u64 {
        let rest = ran
            .output()
            .split_once(before)
            .unwrap_or_else(|| panic!("{ran}"))
            .1;
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().unwrap()
    };
    assert_eq!(
        makespan(&ran, "The makespan is "),
        makespan(&run, "makespan ")
    );
    // Ties change the order of who eats.
    let sandbox = self::sandbox(&example("savages.st"));
    let ran = sandbox.tally(&["explore", "p.st", "--timing", "exact"]);
    ran.exits(0).mentions("The makespan is 535 to 537.");
    ran.mentions("A schedule with the longest makespan, 537");
}

#[test]
fn odd_programs_and_options() {
    let sandbox = sandbox(KEPT);
    let ran = sandbox.tally(&["explore", "p.st", "--max-schedules", "2"]);
    ran.exits(6).mentions("Unknown: the limit of 2 schedules");
    for options in [
        &["--policy", "a < b"][..],
        &["--delivery", "any"],
        &["--by", "computations"],
        &["--max-states", "9"],
        &["--max-computations", "9"],
        &["--no-memo"],
        &["--vary", "latency=0..3"],
        &["-o", "x.svg"],
        &["--format", "csv"],
        &["--view", "states"],
    ] {
        let ran = sandbox.tally(&[&["explore", "p.st"], options].concat());
        ran.exits(2).says("this one has processors");
    }
    // A program of actors has no exact times, also if it speaks of what is separate.
    sandbox.write(
        "a.st",
        "\"separate\" Actor subclass: A [ go [ self output: 1 ] ] A spawn tell go.",
    );
    sandbox.tally(&["explore", "a.st"]).exits(0);
    let ran = sandbox.tally(&["explore", "a.st", "--timing", "exact"]);
    ran.exits(2)
        .says("--timing is for programs with processors");
    // Durations are open, so the clock shows nothing.
    let clock = "Object subclass: A [ now [ ^Time millisecondClock ] ] (A separate new now; yourself) isNil printNl.";
    sandbox.write("c.st", clock);
    sandbox.tally(&["explore", "c.st"]).exits(7).says("clock");
    sandbox
        .tally(&["explore", "c.st", "--timing", "exact"])
        .exits(0);
    // A delay is one step, however long it is.
    let delayed = "Object subclass: A [ go [ (Delay forSeconds: 100) wait ] ] A separate new go; yourself. (Delay forSeconds: 90) wait. 3 printNl.";
    sandbox.write("d.st", delayed);
    sandbox
        .tally(&["explore", "d.st"])
        .exits(0)
        .mentions("There is one result.");
    let failing = "Object subclass: A [ go [ ^1 / 0 ] ] A separate new go printNl.";
    sandbox.write("f.st", failing);
    let ran = sandbox.tally(&["explore", "f.st"]);
    ran.exits(1).mentions("1 schedule fails").mentions("divide");
    let nothing = Sandbox::new("exploring");
    nothing
        .tally(&["explore", "--timing", "any", "x.st"])
        .exits(74);
}

/// Schedules that meet the limit of ticks, or end with an exit code, are results.
#[test]
fn schedules_that_do_not_end_well() {
    let sandbox = sandbox(KEPT);
    // A processor that goes on for ever meets the limit.
    let endless = "Object subclass: A [ go [ [true] whileTrue ] ] A separate new go.";
    sandbox.write("e.st", endless);
    sandbox
        .tally(&["explore", "e.st", "--max-ticks-per-turn", "100000"])
        .exits(6)
        .mentions("1 schedule meets the limit of ticks.")
        .mentions("does not end");
    // So does one of two schedules here, and the other one ends with an exit code.
    let sometimes = "\
Object subclass: Flag [ | isUp | up [ isUp := true ] isUp [ ^isUp == true ] ]
Object subclass: Setter [ set: aFlag [ <separate> aFlag up ] ]
Object subclass: Reader [ read: aFlag [ <separate> aFlag isUp ifFalse: [[true] whileTrue]. Smalltalk exit: 3 ] ]
| flag |
flag := Flag separate new. Setter separate new set: flag. Reader new read: flag.
";
    sandbox.write("s.st", sometimes);
    sandbox
        .tally(&["explore", "s.st", "--max-ticks-per-turn", "100000"])
        .exits(1)
        .mentions("1 schedule ends with an exit code that is not 0, and 1 schedule meets the limit of ticks.");
}

/// Two philosophers. A run ends well, because the script is slow.
const PHILOSOPHERS: &str = "\
Object subclass: Fork [ | uses | initialize [ uses := 0 ] use [ uses := uses + 1 ] ]
Object subclass: Philosopher [
    | left right |
    left: aFork right: anotherFork [ left := aFork. right := anotherFork ]
    dine [ self takeLeft: left ]
    takeLeft: aFork [ <separate> self eat: aFork with: right ]
    eat: aFork with: anotherFork [ <separate> aFork use. anotherFork use ]
]
| a b one other |
a := Fork separate new. b := Fork separate new.
one := Philosopher separate new. other := Philosopher separate new.
one left: a right: b. other left: b right: a.
one dine. other dine.
";

/// A schedule in a file is followed by runs and profiles, to the same end.
#[test]
fn schedules_with_moments_have_timelines() {
    let sandbox = sandbox("");
    // With exact times it is a schedule with the largest makespan.
    sandbox.write("savages.st", example("savages.st"));
    let exact = [
        "explore",
        "savages.st",
        "--timing",
        "exact",
        "-o",
        "late.schedule",
    ];
    sandbox.tally(&exact).exits(0);
    sandbox
        .tally(&["run", "savages.st", "--schedule", "late.schedule"])
        .exits(0);
    // Such a schedule has moments: a timeline shows them.
    let late = ["timeline", "savages.st", "--schedule", "late.schedule"];
    sandbox.tally(&late).exits(0).mentions("makespan 537,");
    // A program without processors follows none of its steps.
    sandbox.write("hello.st", "Transcript show: 'hello'");
    let ran = sandbox.tally(&["run", "hello.st", "--schedule", "late.schedule"]);
    ran.exits(5).says("it is of processors or processes");
}

#[test]
fn schedules_are_followed() {
    let sandbox = sandbox(PHILOSOPHERS);
    let ran = sandbox.tally(&["explore", "p.st", "-o", "bad.schedule"]);
    ran.exits(1).mentions("1 schedule ends in a deadlock.");
    let written = sandbox.read("bad.schedule");
    assert!(written.contains("\"ending\": \"deadlock\""), "{written}");
    sandbox.tally(&["run", "p.st"]).exits(0);
    for command in ["run", "profile"] {
        let ran = sandbox.tally(&[command, "p.st", "--schedule", "bad.schedule"]);
        ran.exits(1).says("deadlock: ");
    }
    let ran = sandbox.tally(&["timeline", "p.st", "--schedule", "bad.schedule"]);
    ran.exits(2).says("tally run and tally profile follow it");
    sandbox.write("kept.st", KEPT);
    let ran = sandbox.tally(&["run", "kept.st", "--schedule", "bad.schedule"]);
    ran.exits(5)
        .says("was made for other source texts")
        .says("cannot go on");
    sandbox
        .tally(&["explore", "kept.st", "-o", "kept.schedule"])
        .exits(0);
    let kept = sandbox.read("kept.schedule");
    let found = json(&sandbox.tally(&["explore", "kept.st", "--format", "json"]));
    let ran = sandbox.tally(&["run", "kept.st", "--schedule", "kept.schedule"]);
    let expected = found["results"][0]["output"].as_str().unwrap();
    assert_eq!(ran.exits(0).output(), expected);
    for (broken, told) in [
        (
            kept.replace("\"any\"", "\"soon\""),
            "there is no timing soon",
        ),
        (
            kept.replace("schedule/1", "schedule/9"),
            "schedule/1 is known",
        ),
        (kept.replace("choices", "chances"), "unknown field"),
        ("5".to_string(), "expected an object"),
    ] {
        sandbox.write("broken.schedule", broken);
        let ran = sandbox.tally(&["run", "kept.st", "--schedule", "broken.schedule"]);
        ran.exits(2).says(told);
    }
}

/// A bank whose tellers and readers lock both accounts together.
const BANK: &str = "\
Object subclass: Account [
    | balance |
    initialize [ balance := 100 ]
    balance [ ^balance ]
    add: n [ balance := balance + n ]
]
Object subclass: Teller [
    move: n from: a to: b [ <separate> a add: 0 - n. b add: n ]
]
Object subclass: Reader [ sum: a and: b [ <separate> ^a balance + b balance ] ]
";

/// A test that passes in a run, and one that passes in every order.
const TESTED: &str = "\
TestCase subclass: BankTest [
    | one two |
    setUp [ one := Account separate new. two := Account separate new ]
    testApart [
        Teller separate new move: 10 from: one to: two.
        self assert: one balance + two balance equals: 200
    ]
    testTogether [
        Teller separate new move: 10 from: one to: two.
        self assert: (Reader new sum: one and: two) equals: 200
    ]
    testPlain [ self assert: 3 + 4 equals: 7 ]
    testSpan [
        one balance = 100 ifTrue: [self assert: [one add: 1] spansAtMost: 1000]
    ]
    testClock [
        one add: 1.
        self assert: Time millisecondClock >= 0
    ]
]
";

#[test]
fn tests_are_executed_in_every_order() {
    let sandbox = Sandbox::new("exploring");
    sandbox.write("t.st", format!("{BANK}{TESTED}"));
    sandbox.tally(&["test", "t.st"]).exits(0);
    let ran = sandbox.tally(&["test", "t.st", "--explore"]);
    ran.exits(1)
        .mentions("BankTest>>testApart     FAILED")
        .mentions("steps, those at which something else could have happened:")
        .mentions("-k 'BankTest>>testApart' --schedule")
        .mentions("it passes under all of its 2 schedules")
        .mentions("its schedules are not explored: a clock")
        .mentions("its schedules are not explored: it asserts what");
    let schedule = ".tally/BankTest-testApart.schedule";
    let follow = |name: &str| sandbox.tally(&["test", "t.st", "-k", name, "--schedule", schedule]);
    let message = |ran: &Ran| {
        let found = ran.output().split("instead of 200").next();
        let found = found.and_then(|text| text.split("Got ").nth(1));
        found.map(str::to_string)
    };
    let followed = follow("BankTest>>testApart");
    assert_eq!(message(followed.exits(1)), message(&ran), "{followed}");
    assert!(message(&ran).is_some());
    follow("BankTest>>testPlain").exits(0);
    let ran = follow("BankTest>>testClock");
    ran.exits(1).mentions("the schedule cannot be followed");
    let ran = sandbox.tally(&["test", "t.st", "-k", "Together", "--explore=1"]);
    ran.exits(0)
        .mentions("it passes under 1 schedule, and there may be more");
    for options in [&["--explore=0"][..], &["--explore", "--schedule", schedule]] {
        let ran = sandbox.tally(&[&["test", "t.st"], options].concat());
        ran.exits(2);
    }
    let actors = "Actor subclass: A [ go [ self output: 1 ] ] A spawn tell go.";
    sandbox.write("a.st", actors);
    sandbox
        .tally(&["explore", "a.st", "-o", "a.schedule"])
        .exits(0);
    let ran = sandbox.tally(&["test", "t.st", "--schedule", "a.schedule"]);
    ran.exits(2).says("a schedule of actors");
}

/// Ten bugs that an order of processors or actors shows. Each program has a mended twin.
const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exploring/planted");

/// Their names, and what a run says that shows them.
const BUGS: [(&str, &str); 10] = [
    ("aba", "what was taken is on the stack"),
    ("check-then-act", "nothing is left"),
    ("double-release", "it is released twice"),
    ("livelock", "limit on sends"),
    ("lock-order", "deadlock: "),
    ("lost-update", "an addition is lost"),
    ("lost-wakeup", "cannot go on"),
    ("message-order", "out of order"),
    ("missing-recheck", "the buffer is empty"),
    ("starvation", "limit on sends"),
];

/// Schedules that fail, and all of them, where these are counted by hand. Two scopes of each of two clients have 6 orders, and 4 of them have both first
/// scopes before both second ones. With three scopes each, both first ones come before all others in 2 · 6 orders.
const BY_HAND: [(&str, u64, Option<u64>); 5] = [
    ("check-then-act", 4, Some(6)),
    ("lost-update", 4, Some(6)),
    ("double-release", 12, None),
    ("lock-order", 1, Some(3)),
    ("aba", 1, Some(3)),
];

#[test]
fn planted_bugs_are_found() {
    let sandbox = Sandbox::new("exploring");
    for (bug, says) in BUGS {
        let (broken, mended) = (format!("{bug}.st"), format!("{bug}-mended.st"));
        for name in [&broken, &mended] {
            let text = fs::read_to_string(Path::new(PLANTED).join(name)).unwrap();
            sandbox.write(name, text);
        }
        sandbox
            .tally(&["explore", &broken, "-o", "bad.schedule"])
            .exits(1);
        let schedule = ["--schedule", "bad.schedule", "--max-sends", "20000"];
        let ran = sandbox.tally(&[&["run", &broken], &schedule[..]].concat());
        // A computation that goes on for ever meets the limit.
        let is_endless = says == "limit on sends";
        ran.exits(if is_endless { 6 } else { 1 }).says(says);
        sandbox.tally(&["explore", &mended]).exits(0);
    }
    for (bug, failing, all) in BY_HAND {
        let ran = sandbox.tally(&["explore", &format!("{bug}.st"), "--format", "json"]);
        let found = json(&ran);
        let results = found["results"].as_array().unwrap();
        let bad = results.iter().filter(|one| one["ending"] != "ends");
        let sum: u64 = bad.map(|one| one["schedules"].as_u64().unwrap()).sum();
        assert_eq!(sum, failing, "{bug}");
        if let Some(all) = all {
            assert_eq!(found["schedules"], all, "{bug}");
        }
    }
}

/// Three transfers and a reader want the same two locks together, in 4! orders: those of processors that a resource has made, or the test.
#[test]
fn processors_of_resources_are_explored() {
    let text = "\
TestResource subclass: Bank [
    | one two |
    setUp [ one := Account separate new. two := Account separate new. one add: 0 ]
    one [ ^one ]
    two [ ^two ]
]
TestCase subclass: BankTest [
    BankTest class >> resources [ ^{ Bank } ]
    with: one and: two [
        1 to: 3 do: [ :n | Teller separate new move: n * 10 from: one to: two ].
        self assert: (Reader new sum: one and: two) equals: 200
    ]
    testOther [ self with: Bank current one and: Bank current two ]
    testOwn [ self with: Account separate new and: Account separate new ]
    testApart [
        | one two |
        one := Bank current one. two := Bank current two.
        Teller separate new move: 10 from: one to: two.
        self assert: one balance + two balance equals: 200
    ]
]
";
    let sandbox = Sandbox::new("exploring");
    sandbox.write("t.st", format!("{BANK}{text}"));
    let ran = sandbox.tally(&["test", "t.st", "--explore", "-k", "O"]);
    let count = ran.exits(0).output().matches("all of its 24 schedules");
    assert_eq!(count.count(), 2, "{ran}");
    let ran = sandbox.tally(&["test", "t.st", "--explore", "-k", "testApart"]);
    ran.exits(1).mentions("Got 210 instead of 200.");
    let schedule = ".tally/BankTest-testApart.schedule";
    let ran = sandbox.tally(&["test", "t.st", "-k", "testApart", "--schedule", schedule]);
    ran.exits(1).mentions("Got 210 instead of 200.");
}
