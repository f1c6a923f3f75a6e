//! `tally timeline` of ordinary processes: the examples, closed forms, waits by cause, deadlocks, and processors that are blocked.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{Ran, Sandbox};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes")
}

/// The document of a program, after the laws of lanes have been checked.
fn document(sandbox: &Sandbox, file: &str, exit: i32) -> Value {
    let ran = sandbox.tally(&["timeline", file, "--format", "json"]);
    ran.exits(exit);
    let document: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
    let number = |value: &Value| value.as_u64().unwrap();
    let (ticks, end) = (number(&document["ticks"]), number(&document["to"]));
    let mut running = 0;
    for lane in document["processors"].as_array().unwrap() {
        let states = lane["states"].as_object().unwrap();
        let sum: u64 = states.values().map(number).sum();
        assert_eq!(sum, end - number(&lane["created"]), "{lane}");
        running += number(&states["running"]);
    }
    assert_eq!(running, ticks);
    // Each wait that a process ends names it; the others last to the end.
    let stuck = document["stuck"].as_array().map_or(0, Vec::len);
    let none = Vec::new();
    let blocked = document["blocked"].as_array().unwrap_or(&none);
    let open = blocked.iter().filter(|wait| wait["endedBy"].is_null());
    let open: u64 = open.map(|wait| number(&wait["waits"])).sum();
    assert!(open <= stuck as u64, "{document}");
    document
}

fn of_text(name: &str, text: &str) -> Value {
    let sandbox = Sandbox::new(name);
    sandbox.write("p.st", text);
    document(&sandbox, "p.st", 0)
}

fn state(document: &Value, lane: usize, state: &str) -> u64 {
    document["processors"][lane]["states"][state]
        .as_u64()
        .unwrap()
}

/// Ticks of blocked waits of a cause, and for what.
fn blocked(document: &Value, cause: &str) -> Vec<(String, String, u64, u64)> {
    let none = Vec::new();
    let waits = document["blocked"].as_array().unwrap_or(&none).iter();
    let mut of_cause: Vec<_> = waits
        .filter(|wait| wait["cause"] == cause)
        .map(|wait| {
            let text = |name: &str| wait[name].as_str().unwrap_or_default().to_string();
            let number = |name: &str| wait[name].as_u64().unwrap();
            (
                text("for"),
                text("endedBy"),
                number("waits"),
                number("ticks"),
            )
        })
        .collect();
    of_cause.sort();
    of_cause
}

/// An example, its exit code, its ticks, the cause of its waits, and how many of these end and how many do not.
const EXAMPLES: &[(&str, i32, u64, &str, u64, u64)] = &[
    ("philosophers-mended", 0, 468, "mutex", 4, 0),
    ("philosophers", 1, 270, "mutex", 0, 5),
    ("queue", 0, 492, "shared queue", 8, 0),
    ("readers", 0, 1_433, "monitor", 8, 0),
];

#[test]
fn each_example_waits_as_its_row_says() {
    let sandbox = Sandbox::new("processes");
    for (name, exit, ticks, cause, ended, stuck) in EXAMPLES {
        let file = format!("{name}.st");
        let text = fs::read_to_string(folder().join(&file)).unwrap();
        sandbox.write(&file, &text);
        let expected = text.split("\"expect: ").nth(1).unwrap();
        let expected = format!("{}\n", expected.split('"').next().unwrap());
        let ran = sandbox.tally(&["timeline", &file]);
        assert!(ran.output().starts_with(&expected), "{ran}");
        let plain = sandbox.tally(&["run", &file]);
        plain.exits(*exit).prints(&expected);
        let document = document(&sandbox, &file, *exit);
        assert_eq!(document["ticks"].as_u64(), Some(*ticks), "{name}");
        let waits = blocked(&document, cause);
        let of_others = waits.iter().filter(|(_, by, ..)| !by.is_empty());
        let found: u64 = of_others.map(|(.., waits, _)| *waits).sum();
        assert_eq!(found, *ended, "{name}: {waits:?}");
        let none = Vec::new();
        let all_stuck = document["stuck"].as_array().unwrap_or(&none).iter();
        let of_cause = all_stuck.filter(|one| one["cause"] == *cause);
        assert_eq!(of_cause.count() as u64, *stuck, "{name}");
    }
}

#[test]
fn each_example_has_a_row() {
    let files = fs::read_dir(folder()).unwrap();
    let mut found: Vec<String> = files
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let rows = EXAMPLES.iter().map(|(name, ..)| format!("{name}.st"));
    assert_eq!(found, rows.collect::<Vec<_>>());
}

/// Each process waits once in a round for the other one's two ticks and its loop's.
#[test]
fn ping_pong() {
    let rounds = |count: u64| {
        let text = format!(
            "| a b | a := Semaphore new. b := Semaphore new.
             [ {count} timesRepeat: [ a wait. b signal ] ] forkAt: 40.
             {count} timesRepeat: [ a signal. b wait ]. 'x' size"
        );
        of_text("ping", &text)
    };
    for count in [1, 2, 10, 500] {
        let document = rounds(count);
        // Two semaphores take 6 ticks and the fork 3; a round has four messages and two repetitions; `size` is a tick.
        let ticks = 6 + 3 + 6 * count + 1;
        assert_eq!(document["makespan"].as_u64(), Some(ticks), "{count}");
        // The script runs 11 or more ticks before the other one begins. Its waits end when that signals.
        let waits = blocked(&document, "semaphore");
        let by_other: Vec<_> = waits.iter().filter(|(_, by, ..)| by != "script").collect();
        assert_eq!(by_other.len(), 1, "{waits:?}");
        assert_eq!(by_other[0].2, count);
    }
}

/// The i-th of k processes waits for the i−1 before it. Each holds the mutex for a yield, n repetitions, and its own messages.
#[test]
fn contention_of_a_mutex() {
    let of = |count: u64, n: u64| {
        let text = format!(
            "| mutex | mutex := Mutex new.
             {count} timesRepeat: [ [ mutex critical: [ Processor yield. {n} timesRepeat: [] ] ] forkAt: 50 ].
             Processor yield. 1 to: 5 do: [ :i | ]"
        );
        of_text("contention", &text)
    };
    for count in [1, 2, 3, 10] {
        let [short, long] = [of(count, 10), of(count, 110)].map(|document| {
            let waits = blocked(&document, "mutex");
            let number: u64 = waits.iter().map(|(.., waits, _)| waits).sum();
            let ticks: u64 = waits.iter().map(|(.., ticks)| ticks).sum();
            assert!(waits.iter().all(|(mutex, ..)| mutex == "Mutex #1"));
            (number, ticks, document["makespan"].as_u64().unwrap())
        });
        // A higher priority runs at once, so each is alone, and none waits.
        assert_eq!((short.0, long.0), (0, 0));
        assert_eq!(long.2 - short.2, 100 * count);
        // Of one priority, all are there when the first one yields.
        let text = |n: u64| {
            format!(
                "| mutex done | mutex := Mutex new. done := Semaphore new.
                 {count} timesRepeat: [ [ mutex critical: [ Processor yield. {n} timesRepeat: [] ]. done signal ] forkAt: 40 ].
                 {count} timesRepeat: [ done wait ]"
            )
        };
        let [short, long] = [text(10), text(110)].map(|text| {
            let document = of_text("contention", &text);
            let waits = blocked(&document, "mutex");
            let number: u64 = waits.iter().map(|(.., waits, _)| waits).sum();
            let ticks: u64 = waits.iter().map(|(.., ticks)| ticks).sum();
            (number, ticks)
        });
        assert_eq!((short.0, long.0), (count - 1, count - 1));
        assert_eq!(long.1 - short.1, 100 * count * (count - 1) / 2);
    }
}

/// All sleep at the same time, and the CPU is idle for as long as the last one sleeps.
#[test]
fn delays_overlap() {
    for (count, milliseconds) in [(1, 1), (3, 5), (10, 40)] {
        let text = format!(
            "| done | done := Semaphore new.
             {count} timesRepeat: [ [ (Delay forMilliseconds: {milliseconds}) wait. done signal ] forkAt: 40 ].
             {count} timesRepeat: [ done wait ]"
        );
        let document = of_text("delays", &text);
        let idle = document["makespan"].as_u64().unwrap() - document["ticks"].as_u64().unwrap();
        // The others fall asleep after the first one, 8 ticks each. Between two that wake, 3 of these 8 ticks are executed: `done signal`, and by
        // the script a repetition and `done wait`.
        assert_eq!(idle, 1000 * milliseconds - 3 * (count - 1));
        for lane in 1..=count {
            assert_eq!(
                state(&document, lane as usize, "asleep"),
                1000 * milliseconds
            );
        }
    }
}

/// A consumer waits for each item as long as the producer makes it.
#[test]
fn a_shared_queue() {
    let of = |items: u64, ticks: u64| {
        let text = format!(
            "| queue done | queue := SharedQueue new. done := Semaphore new.
             [ {items} timesRepeat: [ queue next ]. done signal ] forkNamed: 'consumer'.
             [ {items} timesRepeat: [ {ticks} timesRepeat: []. queue nextPut: 1. Processor yield ] ] forkNamed: 'producer'.
             done wait"
        );
        let document = of_text("queue", &text);
        let waits = blocked(&document, "shared queue");
        assert_eq!(waits.len(), 1);
        let (queue, by, number, ticks) = waits[0].clone();
        assert_eq!(
            (&*queue, &*by, number),
            ("SharedQueue #1", "producer", items)
        );
        ticks
    };
    for items in [1, 2, 7] {
        assert_eq!(of(items, 130) - of(items, 30), 100 * items);
    }
}

#[test]
fn waits_name_their_objects_and_places() {
    let sandbox = Sandbox::new("processes-told");
    sandbox.write(
        "p.st",
        "Object subclass: Door [
    | semaphore | initialize [ semaphore := Semaphore new ]
    open [ semaphore signal ]
    pass [ semaphore wait ]
]
| door other process |
door := Door new. other := Door new.
[ door pass ] forkNamed: 'guest'.
process := [ Processor activeProcess suspend. door open ] forkNamed: 'porter'.
[ other pass ] fork.
[ [ other pass ] ensure: [] ] fork.
3 timesRepeat: [ Processor yield ].
process resume.
Processor yield.
Semaphore new wait.
",
    );
    let ran = sandbox.tally(&["timeline", "p.st"]);
    ran.exits(1).mentions(
        "  script waits for Semaphore #3 (p.st:15:15)
  #3 script [line 10] waits for Semaphore #2 (p.st:4:22)
  #4 script [line 11] waits for Semaphore #2 (p.st:4:22)\n",
    );
    let document = document(&sandbox, "p.st", 1);
    let waits = document["blocked"].as_array().unwrap().iter();
    let ended: Vec<_> = waits
        .filter(|wait| !wait["endedBy"].is_null())
        .map(|wait| ["cause", "waiter", "for", "endedBy", "place"].map(|name| wait[name].as_str()))
        .collect();
    assert!(ended.contains(&[
        Some("semaphore"),
        Some("guest"),
        Some("Semaphore #1"),
        Some("porter"),
        Some("p.st:4:22")
    ]));
    assert!(ended.contains(&[
        Some("suspended"),
        Some("porter"),
        None,
        Some("script"),
        Some("p.st:9:38")
    ]));
}

/// A processor whose only process waits for a semaphore is blocked, up to a signal of another processor.
#[test]
fn processors_are_blocked() {
    let sandbox = Sandbox::new("processes-separate");
    sandbox.write(
        "p.st",
        "Object subclass: Gate [
    Door := nil. Opened := nil.
    Gate class >> initialize [ Door := Semaphore new ]
    Gate class >> pass [ Door wait ]
    Gate class >> open [ Opened := true. Door signal ]
]
Object subclass: Waiter [
    pass [ Gate pass. ^1 ]
    nap [ (Delay forMilliseconds: 1) wait. ^2 ]
]
Object subclass: Opener [
    open [ 500 timesRepeat: []. Gate open ]
]
Gate initialize.
| waiter opener answer |
waiter := Waiter separate new.
opener := Opener separate new.
answer := waiter future pass.
opener open.
answer value printNl.
waiter nap printNl.
",
    );
    let document = document(&sandbox, "p.st", 0);
    let waits = blocked(&document, "semaphore");
    assert_eq!(waits.len(), 1, "{document}");
    let (semaphore, by, number, ticks) = waits[0].clone();
    assert_eq!(
        (&*semaphore, &*by, number),
        ("Semaphore #1", "Opener>>open", 1)
    );
    assert_eq!(state(&document, 1, "blocked"), ticks);
    assert_eq!(state(&document, 1, "asleep"), 1000);
}

#[test]
fn a_trace_shows_what_the_run_shows() {
    let sandbox = Sandbox::new("processes-trace");
    for (name, exit, ..) in EXAMPLES {
        let file = format!("{name}.st");
        sandbox.write(&file, fs::read(folder().join(&file)).unwrap());
        sandbox
            .tally(&["timeline", &file, "-o", "p.timeline"])
            .exits(*exit);
        for view in ["summary", "processors", "features", "hotspots", "waits"] {
            for segment in [&[][..], &["--from", "100", "--to", "200"]] {
                let show = |file: &str| {
                    let options = ["timeline", file, "--view", view, "--format", "csv"];
                    let ran = sandbox.tally(&[&options[..], segment].concat());
                    ran.output().to_string()
                };
                let (live, back) = (show(&file), show("p.timeline"));
                assert!(live.lines().count() > 1 && live == back, "{live}\n{back}");
            }
        }
    }
}

/// Each actor has a lane, and each message is a request. The moments are those of the program's sends: the script takes 3 ticks, `range` of the
/// first node 17.
#[test]
fn actors_are_lanes_and_messages_are_requests() {
    let sandbox = Sandbox::new("processes-actors");
    let actors = folder().join("../actors");
    sandbox.write("p.st", fs::read(actors.join("modulo.st")).unwrap());
    let picture = "\
script                        ███··············································
#1 Root                        ··███████····································r██
#1.1 Node                         ··rrrr█████████████████······rrrrrrrr██████··
#1.1.1 Node                                  ··rrrrrrrrrr███████···············
#1.1.2 Node                                     ···rrrrrrrrrrrrr███████········";
    let ran = sandbox.tally(&["timeline", "p.st", "--view", "processors"]);
    assert!(ran.exits(0).output().contains(picture), "{ran}");
    let document = document(&sandbox, "p.st", 0);
    assert_eq!(document["makespan"], document["ticks"]);
    // The messages: one to the root, three ranges, three answers.
    let requests = document["processors"].as_array().unwrap().iter();
    let requests = requests.map(|lane| lane["requests"].as_u64().unwrap());
    assert_eq!(requests.collect::<Vec<u64>>(), [0, 2, 3, 1, 1]);
    // Another order: the second half answers first.
    let any = ["timeline", "p.st", "--delivery", "any", "--seed", "3"];
    let shown = |options: &[&str]| {
        let ran = sandbox.tally(&[options, &["--view", "processors"]].concat());
        ran.exits(0).output().to_string()
    };
    assert_eq!(shown(&any), shown(&any));
    // A schedule that fails is shown up to its failure.
    sandbox.write("six.st", fs::read(actors.join("modulo-six.st")).unwrap());
    let ran = sandbox.tally(&["explore", "six.st", "-o", "late.schedule"]);
    ran.exits(1);
    let late = ["timeline", "six.st", "--schedule", "late.schedule"];
    let ran = sandbox.tally(&late);
    ran.exits(1).says("divide a number by zero");
    ran.mentions("Node>>range:from:to:");
    // A schedule of another program cannot be followed.
    sandbox
        .tally(&["timeline", "p.st", "--schedule", "late.schedule"])
        .exits(5)
        .says("the schedule cannot be followed");
    sandbox
        .tally(&["timeline", "p.st", "-o", "p.timeline"])
        .exits(0);
    sandbox
        .tally(&["timeline", "p.timeline", "--schedule", "late.schedule"])
        .exits(2)
        .says("no place for --schedule");
    // Messages to disposed actors are called and never taken up.
    let dead =
        "Actor subclass: A [ go [ self dispose ] ] | a | a := A spawn. a tell go. a tell go.";
    sandbox.write("dead.st", dead);
    let ran = sandbox.tally(&["timeline", "dead.st", "--view", "waits"]);
    ran.exits(0).says("was disposed");
}

#[test]
fn odd_programs() {
    let sandbox = Sandbox::new("processes-odd");
    let run = |text: &str, options: &[&str]| -> Ran {
        sandbox.write("p.st", text);
        sandbox.tally(&[&["timeline", "p.st"], options].concat())
    };
    // A process that is never resumed has no lane.
    run("[ ] newProcess", &[])
        .exits(4)
        .says("made no processor, no process and no actor");
    run("[ ] fork", &["--clock", "work"])
        .exits(2)
        .says("--clock work is for programs with processors");
    // One that is terminated before it runs was called and never taken up.
    run("[ ] fork terminate", &[])
        .exits(0)
        .mentions("requests 0");
    run("[ Semaphore new wait ] fork. Processor yield. 1 foo", &[])
        .exits(1)
        .says("foo");
    // With its first processor, a program has lanes of processors only.
    let ran = run(
        "[ Semaphore new wait ] fork. Processor yield. Object separate new yourself",
        &[],
    );
    ran.exits(0).mentions("processors 2");
    // A program that forks without end meets its limit, and is shown up to there.
    run(
        "[ true ] whileTrue: [ [ ] fork. Processor yield ]",
        &["--max-sends", "20000"],
    )
    .exits(6)
    .mentions("makespan 20000");
}
