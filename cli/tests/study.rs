//! `tally study` and `tally calibrate` with the real binary, over small programs; and what the basket counts. No time is asserted
//! anywhere.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::Sandbox;

/// An application of two classes with its tests.
const SHAPES: &str = "Object subclass: Square [
    | side |
    <category: 'Shapes-Core'>
    side: aNumber [ side := aNumber ]
    area [ ^side * side ]
    isLarge [ ^self area > 100 ]
]
TestCase subclass: SquareTest [
    <category: 'Shapes-Tests'>
    testAreas [
        | sum |
        sum := 0.
        1 to: 300 do: [ :i | sum := sum + (Square new side: i; area) ].
        self assert: sum equals: 9045050
    ]
    testLarge [
        self deny: (Square new side: 10; isLarge).
        self assert: (Square new side: 11; isLarge)
    ]
]
";

const WORDS: &str = "Object subclass: Words [
    <category: 'Words-Core'>
    count: aString [
        | bag |
        bag := Bag new.
        (aString substrings: ' ') do: [ :each | bag add: each ].
        ^bag
    ]
]
TestCase subclass: WordsTest [
    <category: 'Words-Tests'>
    testCounts [
        1 to: 50 do: [ :i |
            self assert: ((Words new count: 'to be or not to be') occurrencesOf: 'be') equals: 2 ]
    ]
]
";

const SCRIPT: &str =
    "| sum | sum := 0. 1 to: 2000 do: [ :i | sum := sum + (i gcd: 12) ]. sum printNl.";

fn planted() -> Sandbox {
    let sandbox = Sandbox::new("study");
    sandbox.write("shapes.st", SHAPES);
    sandbox.write("words.st", WORDS);
    sandbox.write("script.st", SCRIPT);
    sandbox
}

fn entries(sandbox: &Sandbox, file: &str) -> Vec<Value> {
    let text = sandbox.read(file);
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("an entry"))
        .collect()
}

fn samples<'e>(entries: &'e [Value], application: &str) -> Vec<&'e Value> {
    let is_its = |e: &&Value| e["is"] == "sample" && e["application"] == application;
    entries.iter().filter(is_its).collect()
}

#[test]
fn all_forms_and_contexts_count_the_same() {
    let sandbox = planted();
    let ran = sandbox.tally(&[
        "study",
        "shapes.st",
        "words.st",
        "script.st",
        "--rounds",
        "2",
    ]);
    ran.exits(0);
    let entries = entries(&sandbox, ".tally/study.jsonl");
    for (application, tests) in [("shapes", 2), ("words", 1), ("script", 0)] {
        let is_it = |e: &&Value| e["is"] == "application" && e["name"] == application;
        let facts = entries.iter().find(is_it).expect("an application");
        assert_eq!(facts["tests"], tests);
        let mut sends = BTreeMap::new();
        for sample in samples(&entries, application) {
            assert!(sample["seconds"].as_f64().expect("seconds") > 0.0);
            if sample["form"] != "uncounted" {
                let number = sample["cost"]["sends"].as_u64().expect("sends");
                *sends.entry(number).or_insert(0) += 1;
            }
        }
        assert_eq!(sends.len(), 1, "{application}: {sends:?}");
        // Counted, recorded, sampled, both wrapped in two rounds, vector and inlined once, five more contexts.
        assert_eq!(sends.into_values().sum::<u32>(), 2 * 5 + 2 + 5 * 2);
    }
    assert!(ran.output().contains("shapes"), "{}", ran.output());
    let missing = entries.iter().filter(|e| e["is"] == "missing").count();
    assert_eq!(missing, 0);
}

#[test]
fn what_is_known_is_not_measured_again() {
    let sandbox = planted();
    let study = ["study", "shapes.st", "--quick", "--data", "data.jsonl"];
    sandbox.tally(&study).exits(0);
    let whole = sandbox.read("data.jsonl");
    sandbox.tally(&study).exits(0);
    assert_eq!(sandbox.read("data.jsonl"), whole);

    // Cut off in the middle of a line: that run is made again, and no other.
    let cut = whole.len() - 40;
    sandbox.write("data.jsonl", &whole.as_bytes()[..cut]);
    sandbox.tally(&study).exits(0);
    let again = sandbox.read("data.jsonl");
    let kept = whole[..cut].rfind('\n').expect("a line");
    assert_eq!(again[..kept], whole[..kept]);
    assert_eq!(again.lines().count(), whole.lines().count());

    // Other sources are another program; what was measured of the old one stays where it is.
    sandbox.write(
        "shapes.st",
        SHAPES.replace("300", "301").replace("9045050", "9135651"),
    );
    sandbox.tally(&study).exits(0);
    let newer = sandbox.read("data.jsonl");
    assert!(newer.starts_with(&again) && newer.len() > again.len());

    let anew = [&study[..], &["--anew"]].concat();
    sandbox.tally(&anew).exits(0);
    assert_eq!(sandbox.read("data.jsonl.old"), newer);
    sandbox.tally(&anew).exits(0);
    assert_eq!(sandbox.read("data.jsonl.old"), newer);
    assert!(!sandbox.read("data.jsonl.old2").is_empty());
}

#[test]
fn data_is_reported_without_running_anything() {
    let sandbox = planted();
    sandbox
        .tally(&[
            "study",
            "shapes.st",
            "words.st",
            "--quick",
            "--data",
            "data.jsonl",
        ])
        .exits(0);
    std::fs::remove_file(sandbox.path("shapes.st")).expect("the file");
    let from = ["study", "--from", "data.jsonl"];
    let shown = sandbox.tally(&from);
    shown.exits(0);
    assert!(shown.output().contains("words"));
    let write = [
        &from[..],
        &[
            "-o", "a.html", "-o", "a.md", "-o", "a.json", "-o", "a.txt", "-o", "all",
        ],
    ];
    sandbox.tally(&write.concat()).exits(0);
    assert_eq!(sandbox.read("a.txt"), shown.output());
    assert!(sandbox.read("a.html").contains("<svg"));
    let json: Value = serde_json::from_str(&sandbox.read("a.json")).expect("JSON");
    assert_eq!(json["schema"], "tally.study/1");
    assert_eq!(json["applications"].as_array().map(Vec::len), Some(2));
    for name in [
        "study.html",
        "study.md",
        "study.json",
        "study.txt",
        "applications.csv",
    ] {
        assert!(!sandbox.read(&format!("all/{name}")).is_empty(), "{name}");
    }
}

#[test]
fn wrong_use_is_told() {
    let sandbox = planted();
    sandbox.write("failing.st", SHAPES.replace("9045050", "1"));
    sandbox.write("broken.st", "Object subclass: [");
    sandbox.write("file", "");
    sandbox.write("garbage.jsonl", "{}\n");
    sandbox.write("other.jsonl", "{\"is\":\"context\",\"schema\":\"tally.study-data/9\",\"name\":\"normal\",\"about\":\"\",\"tally\":\"9\",\"build\":\"\",\"library\":\"\",\"model\":1,\"processor\":\"\",\"system\":\"\",\"processors\":1}\n");
    let cases: [(&[&str], i32, &str); 15] = [
        (&["missing.st"], 74, "there is no missing.st"),
        (&["shapes.st,missing.st"], 74, "there is no missing.st"),
        (&["shapes.st", "shapes.st"], 2, "shapes.st is named twice"),
        (&["failing.st", "--quick"], 1, "its tests do not all pass"),
        (&["broken.st", "--quick"], 8, "error"),
        (&["shapes.st", "--rounds", "0"], 2, "--rounds"),
        (&["shapes.st", "--also", "x"], 2, "NAME=COMMAND is expected"),
        (
            &["shapes.st", "--also", "normal=x"],
            2,
            "'normal' is this build",
        ),
        (
            &["shapes.st", "-o", "a.pdf"],
            2,
            "the format is not known by its name",
        ),
        (
            &["shapes.st", "-o", "no/such/a.html"],
            74,
            "there is no folder no/such",
        ),
        (&["shapes.st", "-o", "file"], 74, "file is no folder"),
        (
            &["--from", "nothing.jsonl"],
            74,
            "cannot read nothing.jsonl",
        ),
        (&["--from", "garbage.jsonl"], 74, "garbage.jsonl: line 1"),
        (&["--from", "other.jsonl"], 74, "'tally.study-data/9'"),
        (&["--from", "file"], 4, "nothing was measured"),
    ];
    for (arguments, code, message) in cases {
        let ran = sandbox.tally(&[&["study"], arguments].concat());
        ran.exits(code);
        assert!(
            ran.error().contains(message),
            "{arguments:?}: {}",
            ran.error()
        );
    }
}

#[test]
fn another_build_that_cannot_run_is_left_out() {
    let sandbox = planted();
    sandbox.write("script.sh", "#!/bin/sh\nexit 3\n");
    let study = [
        "study",
        "shapes.st",
        "--rounds",
        "1",
        "--data",
        "data.jsonl",
    ];
    let also = ["--also", "nowhere=no-such-command", "--also", "mute=true"];
    let ran = sandbox.tally(&[&study[..], &also].concat());
    ran.exits(0);
    assert!(
        ran.error().contains("'nowhere' is left out"),
        "{}",
        ran.error()
    );
    assert!(
        ran.error().contains("'mute' is left out"),
        "{}",
        ran.error()
    );
    let entries = entries(&sandbox, "data.jsonl");
    let missing = entries.iter().filter(|entry| entry["is"] == "missing");
    let missing: Vec<&Value> = missing.map(|entry| &entry["context"]).collect();
    assert_eq!(missing, ["nowhere", "mute"]);
    assert!(ran.output().contains("nowhere"), "{}", ran.output());
}

#[test]
fn measurements_of_another_build_are_not_added_to() {
    let sandbox = planted();
    let study = ["study", "shapes.st", "--quick", "--data", "data.jsonl"];
    sandbox.tally(&study).exits(0);
    let text = sandbox.read("data.jsonl");
    sandbox.write("data.jsonl", text.replace("linux", "another system"));
    let ran = sandbox.tally(&study);
    ran.exits(5);
    assert!(ran.error().contains("--anew"), "{}", ran.error());
    assert!(
        ran.error().contains("the system was another system"),
        "{}",
        ran.error()
    );
}

/// A calibration of this machine by which a send takes a millisecond, and everything else no time.
fn calibration(sandbox: &Sandbox) -> String {
    sandbox.write("request.json", "{\"run\": null}");
    let ran = sandbox.tally(&["sample", "request.json"]);
    ran.exits(0);
    let answer: Value = serde_json::from_str(ran.output()).expect("an answer");
    let prices = serde_json::json!([{
        "counter": "sends",
        "each": 1e6,
        "interval": {"low": 5e5, "high": 2e6},
        "operations": 1,
    }]);
    let calibration = serde_json::json!({
        "schema": "tally.calibration/2",
        "context": answer["context"],
        "prices": prices,
    });
    calibration.to_string()
}

#[test]
fn a_calibration_turns_counts_into_times() {
    let sandbox = planted();
    let profile = [
        "profile",
        "shapes.st",
        "--test",
        "SquareTest",
        "--estimate-time",
    ];
    // Told before anything runs.
    let ran = sandbox.tally(&profile);
    ran.exits(5).says("this machine is not calibrated");
    assert_eq!(ran.output(), "");

    let calibration = calibration(&sandbox);
    sandbox.write("state/tally/calibration.json", &calibration);
    let ran = sandbox.tally(&["run", "--estimate-time", "-e", "3 + 4 * 5"]);
    ran.exits(0)
        .says("estimated time: 2.00 ms, 1.00 to 4.00 ms");
    sandbox
        .tally(&profile)
        .exits(0)
        .mentions("estimated time: ");
    sandbox
        .tally(&["profile", "shapes.st", "-o", "saved.tally"])
        .exits(0);
    let ran = sandbox.tally(&["profile", "saved.tally", "--estimate-time"]);
    ran.exits(0)
        .mentions("estimated time: ")
        .mentions("own ms  total ms");
    let tests = [
        "profile",
        "shapes.st",
        "--test",
        "SquareTest",
        "-o",
        "tests.tally",
    ];
    sandbox.tally(&tests).exits(0);
    let compare = ["compare", "tests.tally", "tests.tally", "--estimate-time"];
    let ran = sandbox.tally(&compare);
    ran.exits(0).says("estimated time: ").says(" ms (0.0 %)");
}

#[test]
fn no_time_is_estimated_without_work() {
    let sandbox = planted();
    sandbox.write("state/tally/calibration.json", calibration(&sandbox));
    let tests = ["profile", "shapes.st", "--test", "SquareTest"];
    let saved = ["-o", "new.json"];
    sandbox.tally(&[&tests[..], &saved].concat()).exits(0);
    let mut old: Value = serde_json::from_str(&sandbox.read("new.json")).expect("a profile");
    let cost = old["cost"].as_object_mut().expect("a cost");
    for member in ["steps", "called", "counters", "work"] {
        assert!(cost.remove(member).is_some(), "{member}");
    }
    sandbox.write("old.json", old.to_string());
    sandbox
        .tally(&["profile", "old.json", "--estimate-time"])
        .exits(5)
        .says("old.json has no work");
    let ran = sandbox.tally(&["compare", "old.json", "new.json", "--estimate-time"]);
    ran.exits(0).says("a side has no work");
    assert!(!ran.to_string().contains("estimated time"), "{ran}");
}

#[test]
fn a_calibration_of_something_else_is_refused() {
    let sandbox = planted();
    let calibration = calibration(&sandbox);
    let run = ["run", "--estimate-time", "-e", "3 + 4"];
    let changed = [
        ("\"model\":", "\"model\":9", "of the counting model"),
        (
            "tally.calibration/2",
            "tally.calibration/1",
            "tally.calibration/1",
        ),
        (
            "\"processor\":\"",
            "\"processor\":\"not ",
            "another processor",
        ),
        (
            " build, dispatch",
            " sort of build, dispatch",
            "another kind of build",
        ),
        ("1000000.0", "-1.0", "the price of sends is out of range"),
        ("{", "", "this is no calibration"),
    ];
    for (from, to, told) in changed {
        assert!(calibration.contains(from), "{from}");
        sandbox.write(
            "state/tally/calibration.json",
            calibration.replacen(from, to, 1),
        );
        sandbox.tally(&run).exits(5).says(told);
    }
}

#[test]
fn runs_with_other_options_are_not_added_to() {
    let sandbox = planted();
    let study = [
        "study",
        "shapes.st",
        "--quick",
        "--rounds",
        "1",
        "--data",
        "data.jsonl",
    ];
    sandbox.tally(&study).exits(0);
    for options in [&["--seed", "7"][..], &["--reference"]] {
        let ran = sandbox.tally(&[&study[..], options].concat());
        ran.exits(5);
        let told = "its options differ";
        assert!(ran.error().contains(told), "{}", ran.error());
    }
    let other = [
        "study",
        "shapes.st",
        "--quick",
        "--rounds",
        "1",
        "--data",
        "other.jsonl",
        "--seed",
        "7",
    ];
    let ran = sandbox.tally(&other);
    ran.exits(0);
    assert!(
        ran.output().contains("this build; seed 7"),
        "{}",
        ran.output()
    );
}

#[test]
fn what_is_no_data_file_is_left_alone() {
    let sandbox = planted();
    for content in ["precious", "one\ntwo", "{\"one\": 1}", "{}\n", "\0\0"] {
        sandbox.write("file", content);
        let study = ["study", "shapes.st", "--quick", "--data", "file"];
        sandbox.tally(&study).exits(74);
        assert_eq!(sandbox.read("file"), content);
    }
    // A data file of which the first line is not whole yet is begun anew.
    sandbox.write("file", "{\"is\":\"con");
    sandbox
        .tally(&[
            "study",
            "shapes.st",
            "--quick",
            "--rounds",
            "1",
            "--data",
            "file",
        ])
        .exits(0);
    sandbox
        .tally(&["study", "shapes.st", "--quick", "--data", "."])
        .exits(74);
}

#[cfg(unix)]
#[test]
fn two_studies_do_not_write_to_one_file() {
    let sandbox = planted();
    let file = std::fs::File::create(sandbox.path("data.jsonl")).expect("the file");
    file.lock().expect("the lock");
    for anew in [&[][..], &["--anew"]] {
        let study = ["study", "shapes.st", "--quick", "--data", "data.jsonl"];
        let ran = sandbox.tally(&[&study[..], anew].concat());
        ran.exits(74);
        assert!(
            ran.error().contains("another study writes"),
            "{}",
            ran.error()
        );
    }
    assert!(!sandbox.path("data.jsonl.old").exists());
}

#[test]
fn inlined_messages_are_counted_as_they_are_written() {
    let sandbox = Sandbox::new("inlined");
    // Eight messages: <, ifTrue:ifFalse:, three +, to:do:, whileTrue:, <=. Written once each, whatever the code repeats.
    let text = "Object subclass: Some [
        do: n [
            | i |
            i := 0.
            n < 3 ifTrue: [ i := i + 1 ] ifFalse: [ i := i + 2 ].
            1 to: n do: [ :k | i := i + k ].
            [ i <= 10 ] whileTrue: [ i := 11 ].
            ^i
        ]
    ]
    Some new do: 4.";
    sandbox.write("some.st", text);
    sandbox
        .tally(&["study", "some.st", "--quick", "--data", "data.jsonl"])
        .exits(0);
    let entries = entries(&sandbox, "data.jsonl");
    let facts = entries
        .iter()
        .find(|e| e["is"] == "application")
        .expect("an application");
    // With the two messages of the script.
    assert_eq!(facts["messages"]["written"], 10);
    let inlined = &facts["messages"]["inlined"];
    let expected = serde_json::json!({"ifTrue:ifFalse:": 1, "to:do:": 1, "whileTrue:": 1});
    assert_eq!(*inlined, expected);
}
