//! Every schedule of programs with processes. The guide's chapter about them has the reports.

use std::fs;

use serde_json::Value;

use crate::sandbox;
use crate::support::Ran;

/// Two processes add to a number, with a pause between reading and writing.
const LOST: &str = "\
Object subclass: Counter [
    | count |
    initialize [ count := 0 ]
    count [ ^count ]
    pause [ ^self class ]
    add: n [ | old | old := count. self pause. count := old + n ]
]
Eval [
    | counter done |
    counter := Counter new.
    done := Semaphore new.
    [counter add: 1. done signal] fork.
    [counter add: 2. done signal] fork.
    2 timesRepeat: [done wait].
    counter count printNl.
    counter count < 3 ifTrue: [Smalltalk exit: 9]
]
";

fn json(ran: &Ran) -> Value {
    serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"))
}

#[test]
fn all_results_and_races_are_found() {
    let sandbox = sandbox(LOST);
    let ran = sandbox.tally(&["explore", "p.st", "--format", "json"]);
    let found = json(ran.exits(1));
    assert_eq!(found["schema"], "tally.schedules/1");
    assert_eq!(found["of"], "processes");
    assert_eq!(
        (&found["schedules"], &found["redundant"]),
        (&4.into(), &0.into())
    );
    let results = found["results"].as_array().unwrap();
    let mut outputs: Vec<(&str, &str)> = results
        .iter()
        .map(|one| {
            (
                one["output"].as_str().unwrap(),
                one["ending"].as_str().unwrap(),
            )
        })
        .collect();
    outputs.sort_unstable();
    let bad = "ends with exit code 9";
    assert_eq!(outputs, [("1\n", bad), ("2\n", bad), ("3\n", "ends")]);
    let races = found["races"].as_array().unwrap();
    assert_eq!(races.len(), 2, "{found}");
    for race in races {
        assert_eq!(race["variable"], "count of Counter");
        for access in race["accesses"].as_array().unwrap() {
            let place = access["place"].as_str().unwrap();
            assert!(place.starts_with("Counter>>add: (p.st:6:"), "{place}");
        }
    }
}

#[test]
fn schedules_are_followed() {
    let sandbox = sandbox(LOST);
    let ran = sandbox.tally(&["explore", "p.st", "-o", "bad.schedule"]);
    ran.exits(1)
        .mentions("changes count of Counter in Counter>>add:");
    let run = sandbox.tally(&["run", "p.st"]);
    assert_eq!(run.exits(0).output(), "3\n");
    let replayed = sandbox.tally(&["run", "p.st", "--schedule", "bad.schedule"]);
    assert_ne!(replayed.exits(9).output(), "3\n");
    sandbox
        .tally(&["profile", "p.st", "--schedule", "bad.schedule"])
        .exits(9)
        .mentions("Counter>>add:");
    // A schedule of another program cannot be followed.
    let other = LOST.replace("[counter add: 2. done signal] fork", "done signal");
    fs::write(sandbox.path("other.st"), other).unwrap();
    let ran = sandbox.tally(&["run", "other.st", "--schedule", "bad.schedule"]);
    ran.exits(5)
        .says("the schedule cannot be followed: #2 cannot go on");
    let processors =
        "Object subclass: A [ go: b [ <separate> b hash ] ] A separate new go: A separate new";
    fs::write(sandbox.path("third.st"), processors).unwrap();
    let ran = sandbox.tally(&["run", "third.st", "--schedule", "bad.schedule"]);
    ran.exits(5).says("cannot make processors");
    fs::write(sandbox.path("hello.st"), "Transcript show: 'hello'").unwrap();
    let ran = sandbox.tally(&["run", "hello.st", "--schedule", "bad.schedule"]);
    ran.exits(5).says("it is of processors or processes");
    // A long result is one row of a bounded length.
    let long = "[Transcript show: (String new: 5000 withAll: $x)] fork";
    fs::write(sandbox.path("long.st"), long).unwrap();
    let ran = sandbox.tally(&["explore", "long.st"]);
    ran.exits(0).mentions("x… and 4,000 more characters");
}

#[test]
fn guarded_accesses_are_no_races() {
    let sandbox = sandbox("");
    let races = |signals: &str| {
        let text = format!(
            "| s d x | s := Semaphore new. d := Semaphore new. x := 0. {signals}
            2 timesRepeat: [[s wait. x := x + 1. s signal. d signal] fork]. 2 timesRepeat: [d wait]"
        );
        fs::write(sandbox.path("q.st"), text).unwrap();
        let found = json(
            sandbox
                .tally(&["explore", "q.st", "--format", "json"])
                .exits(0),
        );
        found["races"].as_array().map_or(0, Vec::len)
    };
    assert_eq!(races("s signal."), 0);
    // With two signals both can be there at once.
    assert_eq!(races("s signal. s signal."), 1);
}

/// A process that is terminated while it waits in a monitor takes itself off the monitor's list. Others use the list at that time.
#[test]
fn monitors_change_their_list_under_the_lock() {
    let sandbox = sandbox(
        "\
Object subclass: Bell [
    | monitor |
    initialize [ monitor := Monitor new ]
    await: ready [ monitor critical: [ready signal. monitor wait] ]
    ring [ monitor critical: [monitor signal] ]
]
Eval [
    | bell ready process |
    bell := Bell new.
    ready := Semaphore new.
    process := [bell await: ready] fork.
    ready wait.
    [bell await: ready. ready signal] fork.
    ready wait.
    [process terminate] fork.
    bell ring.
    bell ring.
    ready wait
]
",
    );
    let ran = sandbox.tally(&["explore", "p.st", "--format", "json"]);
    let found = json(&ran);
    let results = found["results"].as_array().unwrap();
    assert!(found["limit"].is_null() && !results.is_empty(), "{found}");
    assert!(
        results.iter().all(|one| one["ending"] != "fails"),
        "{found}"
    );
}

#[test]
fn preemptions_have_a_bound() {
    let sandbox = sandbox(LOST);
    let within = |most: &str| sandbox.tally(&["explore", "p.st", "--preemptions", most]);
    within("0")
        .exits(0)
        .mentions("No schedule without preemptions fails")
        .mentions("There is at least one result.");
    within("1")
        .exits(1)
        .mentions("There are at least 3 results.")
        .mentions("with at most 1 preemption");
    let ran = sandbox.tally(&["explore", "p.st", "--preemptions", "0", "--format", "json"]);
    assert_eq!(json(ran.exits(0))["preemptions"], 0);
    // Without a bound the failing schedule has as few of them as there can be.
    let ran = sandbox.tally(&["explore", "p.st"]);
    ran.exits(1).mentions("4 of its 8 steps");
    let actors = "Actor subclass: A [ go [ ] ] A spawn tell go.";
    fs::write(sandbox.path("q.st"), actors).unwrap();
    let ran = sandbox.tally(&["explore", "q.st", "--preemptions", "1"]);
    ran.exits(2)
        .says("--preemptions is for programs with processes");
}

#[test]
fn odd_programs_and_options() {
    let sandbox = sandbox(LOST);
    let ran = sandbox.tally(&["explore", "p.st", "--max-schedules", "2"]);
    ran.exits(1)
        .mentions("There may be more: the limit of 2 schedules");
    for options in [
        &["--by", "computations"][..],
        &["--delivery", "any"],
        &["-o", "x.svg"],
    ] {
        let ran = sandbox.tally(&[&["explore", "p.st"], options].concat());
        ran.exits(2).says("this one has processes");
    }
    let ran = sandbox.tally(&["explore", "p.st", "--timing", "exact"]);
    ran.exits(2)
        .says("--timing is for programs with processors");
    let explored = |text: &str| {
        fs::write(sandbox.path("q.st"), text).unwrap();
        sandbox.tally(&[
            "explore",
            "q.st",
            "--max-schedules",
            "50",
            "--max-ticks-per-turn",
            "100000",
        ])
    };
    let polls = "| flag | flag := false. [flag := true] fork. [flag] whileFalse: [Processor yield]. flag printNl";
    explored(polls)
        .exits(6)
        .mentions("Unknown: the limit of 50 schedules");
    let endless = "[[true] whileTrue] fork. 3 printNl";
    explored(endless).exits(6).mentions("does not end");
    let clock = "| s | s := Semaphore new. [Time millisecondClock. s signal] fork. s wait";
    explored(clock).exits(7).says("reads a clock");
    let interrupts = "| p | p := [Semaphore new wait] fork. Processor yield. p interruptWith: [3 printNl]. Processor yield";
    explored(interrupts)
        .exits(7)
        .says("it interrupts a process");
    let mixed = "Actor subclass: A [ go [ self output: 1 ] ] Eval [ A spawn tell go. [Semaphore new wait] fork ]";
    explored(mixed).exits(1).says("processes");
    // A script that ends drops the others, whenever it does.
    let dropped = "[Transcript showCr: 'a'] fork. [Transcript showCr: 'b'] fork";
    explored(dropped).exits(0).mentions("There are 5 results.");
}

#[test]
fn tests_are_executed_in_every_order() {
    let test = "\
TestCase subclass: CounterTest [
    testLost [
        | counter done |
        counter := Counter new.
        done := Semaphore new.
        #(1 2) do: [:n | [counter add: n. done signal] fork].
        2 timesRepeat: [done wait].
        self assert: counter count equals: 3
    ]
    testAlone [ self assert: (Counter new add: 3; count) equals: 3 ]
]
";
    let (class, _) = LOST.split_once("Eval").unwrap();
    let sandbox = sandbox(&format!("{class}{test}"));
    sandbox.tally(&["test", "p.st"]).exits(0);
    let ran = sandbox.tally(&["test", "p.st", "--explore"]);
    ran.exits(1)
        .mentions("1 passed, 1 failed")
        .mentions("instead of 3");
    let follows = ["test", "p.st", "-k", "CounterTest>>testLost", "--schedule"];
    let follows = [&follows[..], &[".tally/CounterTest-testLost.schedule"]].concat();
    sandbox.tally(&follows).exits(1).mentions("instead of 3");
}
