//! The views of `tally timeline`: curves, matrices, what ended waits, and the members of its JSON.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::support::{Ran, Sandbox, TIMELINE_VIEWS};
use crate::{EXAMPLES, End, folder};

/// A folder with an example.
fn sandbox(name: &str) -> Sandbox {
    let sandbox = Sandbox::new("views");
    let text = fs::read_to_string(folder().join(name)).unwrap();
    sandbox.write(name, text);
    sandbox
}

fn timeline(name: &str, options: &[&str]) -> Ran {
    sandbox(name).tally(&[&["timeline", name], options].concat())
}

fn json(name: &str, options: &[&str]) -> Value {
    let ran = timeline(name, &[options, &["--format", "json"]].concat());
    serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"))
}

/// The rows of a view, without its heading.
fn csv(name: &str, options: &[&str]) -> Vec<String> {
    let ran = timeline(name, &[options, &["--format", "csv"]].concat());
    let rows = ran.exits(0).output().lines().skip(1);
    rows.map(str::to_string).collect()
}

#[test]
fn a_curve_has_the_makespan_of_each_run() {
    let options = ["--cpus", "1,2,max", "--format", "json"];
    let curve = json("market.st", &options[..2]);
    for row in curve["curve"].as_array().unwrap() {
        let cpus = row["cpus"].as_u64();
        let cpus = cpus.map_or("max".to_string(), |cpus| cpus.to_string());
        let alone = json("market.st", &["--cpus", &cpus]);
        assert_eq!(row["makespan"], alone["makespan"], "{cpus}");
        assert_eq!(row["ticks"], alone["ticks"], "{cpus}");
        let speed_up = 68.0 / row["makespan"].as_f64().unwrap();
        assert_eq!(row["speedUp"].as_f64(), Some(speed_up), "{cpus}");
        assert_eq!(row["parallelism"].as_f64(), Some(68.0 / 65.0), "{cpus}");
        assert_eq!(row["sameOutput"], true);
    }
    // The other members are those of the last run.
    let mut last = json("market.st", &["--cpus", "max"]);
    last["curve"] = curve["curve"].clone();
    assert_eq!(curve, last);
}

/// Four processors: on as many CPUs as that, 68 ticks in 65 are 68 / (4 · 65) of the time. What the program prints comes once.
#[test]
fn a_curve_is_printed_once_with_utilisations() {
    let rows = csv("market.st", &["--cpus", "1,max"]);
    assert_eq!(rows[0].split(',').nth(4), Some("100"), "{rows:?}");
    let utilisation = (100.0 * (68.0 / (4.0 * 65.0))).to_string();
    assert_eq!(rows[1].split(',').nth(4), Some(&*utilisation), "{rows:?}");
    let ran = timeline("barber.st", &["--view", "curve"]);
    assert!(
        ran.exits(0)
            .is_silent()
            .output()
            .starts_with("true\n6\nMakespans"),
        "{ran}"
    );
    let cpus: Vec<&str> = ran
        .output()
        .lines()
        .filter_map(|line| line.split(' ').next())
        .collect();
    let last = cpus.len() - 5;
    assert_eq!(cpus[last..], ["1", "2", "4", "8", "max"], "{ran}");
    assert!(ran.output().contains('█'), "{ran}");
}

/// Graham's anomaly: on eight CPUs the baboons come to the rope in another order than on seven.
#[test]
fn a_curve_marks_where_more_cpus_are_slower() {
    let rows = csv("baboons-mended.st", &["--cpus", "6,7,8"]);
    let ends = rows.iter().map(|row| row.rsplit(',').next().unwrap());
    assert_eq!(
        ends.collect::<Vec<_>>(),
        ["", "", "slower than on 7"],
        "{rows:?}"
    );
}

#[test]
fn a_curve_tells_of_other_outputs_and_endings() {
    let sandbox = Sandbox::new("views-outputs");
    // On one CPU the longer one is first, since it began first.
    sandbox.write(
        "p.st",
        "Object subclass: Log [ | all | initialize [ all := '' ] add: x [ all := all , x ] all [ ^all ] ]\n\
         Object subclass: Worker [ log: x in: a after: n [ n timesRepeat: []. a add: x ] done [ ^true ] ]\n\
         | a one two |\na := Log separate new. one := Worker separate new. two := Worker separate new.\n\
         one log: 'a' in: a after: 50. two log: 'b' in: a after: 9.\n\
         (one done and: [ two done ]) printNl. a all displayNl.\n",
    );
    let ran = sandbox.tally(&["timeline", "p.st", "--cpus", "1,2,max"]);
    ran.exits(0)
        .says("these CPUs: 2, max; only the first output is shown");
    assert!(ran.output().starts_with("true\nab\nMakespans"), "{ran}");
    assert_eq!(ran.output().matches("another output").count(), 2, "{ran}");
    let ran = timeline("philosophers.st", &["--cpus", "1,max"]);
    ran.exits(1).says("deadlock: ");
    assert_eq!(ran.output().matches(" deadlock").count(), 2, "{ran}");
    assert!(!ran.error().contains("warning"), "{ran}");
}

#[test]
fn curves_have_no_place_in_traces_and_other_views() {
    let sandbox = sandbox("market.st");
    for (command, options, why) in [
        (
            "timeline",
            &["--cpus", "1,2", "-o", "x.timeline"][..],
            "would hold one run",
        ),
        (
            "timeline",
            &["--cpus", "1,2", "--view", "waits"],
            "--view curve",
        ),
        ("timeline", &["--cpus", "1,1"], "1 is given twice"),
        ("timeline", &["--cpus", "1,0"], "a number from 1 on"),
        ("run", &["--cpus", "1,2"], "tally timeline takes a list"),
        (
            "timeline",
            &["--per-processor"],
            "--per-processor is for --view matrix",
        ),
    ] {
        let ran = sandbox.tally(&[&[command, "market.st"], options].concat());
        ran.exits(2).prints("").says(why);
    }
    let made = sandbox.tally(&["timeline", "market.st", "-o", "m.timeline"]);
    made.exits(0);
    for options in [["--cpus", "1,2"], ["--view", "curve"]] {
        let ran = sandbox.tally(&[&["timeline", "m.timeline"], &options[..]].concat());
        ran.exits(2).says("is a trace");
    }
}

/// The investors wait for the market, which calls them back.
#[test]
fn the_matrix_of_the_market() {
    assert_eq!(
        csv("market.st", &["--view", "matrix"]),
        [
            "Investor,Market,9,29,22",
            "script,Investor,8,4,0",
            "script,Market,1,2,0",
            "Market,Investor,20,0,0",
        ]
    );
    let each = csv("market.st", &["--view", "matrix", "--per-processor"]);
    assert!(
        each.contains(&"#3 Investor,#1 Market,5,15,19".to_string()),
        "{each:?}"
    );
    let text = timeline("market.st", &["--view", "matrix"]);
    text.exits(0).mentions("Investor  ·         9 / 51");
    // Sums agree with the other views.
    let all = json("market.st", &[]);
    let sum = |member: &str| -> u64 {
        let links = all["matrix"].as_array().unwrap().iter();
        links.map(|link| link[member].as_u64().unwrap()).sum()
    };
    let waited = |causes: &[&str]| -> u64 {
        let rows = all["waits"].as_array().unwrap().iter();
        let rows = rows.filter(|row| causes.contains(&row["cause"].as_str().unwrap()));
        rows.map(|row| row["ticks"].as_u64().unwrap()).sum()
    };
    assert_eq!(sum("answers"), waited(&["answer"]));
    assert_eq!(sum("locks"), waited(&["lock", "condition"]));
    let requests = all["requests"].as_array().unwrap().iter();
    let sent = requests.filter(|row| row["isLocal"] == false).count();
    assert_eq!(sum("requests"), sent as u64);
}

/// More classes than a picture has columns are listed, and so are many processors.
#[test]
fn a_large_matrix_is_a_list() {
    let sandbox = Sandbox::new("views-large");
    sandbox.write(
        "p.st",
        "Object subclass: Worker [ work [ ] ]\n(1 to: 60) do: [ :i | Worker separate new work ].\n",
    );
    let matrix = ["timeline", "p.st", "--view", "matrix"];
    sandbox
        .tally(&matrix)
        .exits(0)
        .mentions("script  120 / 120");
    let each = sandbox.tally(&[&matrix[..], &["--per-processor"]].concat());
    each.exits(0)
        .mentions("20 more rows; --limit N shows N of them");
}

/// The paper's §4.1: the second investor's wait for the share ends when the first one has sold it.
#[test]
fn who_ended_the_waits_of_the_market() {
    let rows = csv("market.st", &["--view", "waits"]);
    for row in [
        "queue,Deal>>first:second:,Investor>>sell:,Investor>>buy:,2,37,29,",
        "lock,Investor>>buy:,–,Investor>>buy:,1,9,9,",
        "condition,Investor>>buy:,–,Investor>>sell:,1,10,10,",
        "lock,Investor>>sell:,–,Investor>>buy:,1,3,3,",
        "answer,Investor>>buy:,Market>>buy:,Market>>buy:,2,12,6,",
    ] {
        assert!(
            rows.iter().any(|one| one.starts_with(row)),
            "{row}\n{rows:?}"
        );
    }
    // On one CPU it is the CPU, and with a latency the way.
    let rows = csv("market.st", &["--view", "waits", "--cpus", "1"]);
    assert!(rows.iter().any(|row| row.contains(",CPU,")), "{rows:?}");
    let rows = csv("market.st", &["--view", "waits", "--costs", "latency=3"]);
    assert!(
        rows.iter()
            .any(|row| row.starts_with("queue,") && row.contains(",arrival,"))
    );
    let central = ["--policy", "scheduler=central", "--costs", "scheduler=3"];
    let rows = csv("market.st", &[&["--view", "waits"][..], &central].concat());
    assert!(
        rows.iter().any(|row| row.contains(",scheduler,")),
        "{rows:?}"
    );
}

/// Circumstances in which waits end in different ways.
const CIRCUMSTANCES: [&[&str]; 6] = [
    &[],
    &["--cpus", "2"],
    &["--costs", "latency=7"],
    &["--costs", "latency=5,unlock=3", "--cpus", "2"],
    &["--policy", "scheduler=central", "--costs", "scheduler=3"],
    &["--cpus", "2", "--slice", "10"],
];

#[test]
fn every_wait_that_has_ended_was_ended_by_something() {
    for (name, ..) in EXAMPLES {
        let file = format!("{name}-mended.st");
        for options in CIRCUMSTANCES {
            let rows = csv(&file, &[&["--view", "waits"], options].concat());
            assert!(!rows.is_empty(), "{file} {options:?}");
            for row in rows {
                assert_ne!(
                    row.split(',').nth(3),
                    Some("–"),
                    "{file} {options:?}\n{row}"
                );
            }
        }
    }
}

/// While the second investor waits for its condition, the first one gets the market's lock.
#[test]
fn overtakings_of_the_market() {
    let all = json("market.st", &[]);
    for feature in all["features"].as_array().unwrap() {
        let expected = u64::from(feature["name"] == "Investor>>buy:");
        assert_eq!(feature["overtaken"], expected, "{feature}");
    }
    let rows = csv("market.st", &["--view", "waits"]);
    for row in rows {
        let is_overtaken = row.starts_with("lock,Investor>>buy:") || row.starts_with("condition,");
        assert_eq!(row.ends_with(",1"), is_overtaken, "{row}");
    }
    let hotspots = all["hotspots"].as_array().unwrap();
    let worst = hotspots
        .iter()
        .find(|row| row["feature"] == "Investor>>buy:");
    let worst = worst.unwrap()["worst"].as_array().unwrap();
    assert!(worst.contains(&Value::from("overtaken")), "{worst:?}");
}

/// Two clients read and write outside of scopes, so one deposit is lost; a scope mends that.
#[test]
fn interleaved_calls_lose_a_deposit() {
    const CLASSES: &str = "Object subclass: Account [ | n |
        initialize [ n := 0 ]
        n [ ^n ]
        n: k [ n := k ]
    ]
    Object subclass: Teller [
        add: k to: a [ | old | old := a n. 9 timesRepeat: []. a n: old + k ]
        safely: k to: a [ <separate> self add: k to: a ]
        done [ ^true ]
    ]\n";
    let sandbox = Sandbox::new("views-interleaved");
    let run = |send: &str| {
        let text = format!(
            "{CLASSES}| a one two |\na := Account separate new.\n\
             one := Teller separate new.\ntwo := Teller separate new.\n\
             one {send}: 5 to: a. two {send}: 5 to: a.\n\
             one done printNl. two done printNl. a n printNl.\n"
        );
        sandbox.write("p.st", text);
        sandbox.tally(&["timeline", "p.st"])
    };
    let ran = run("add");
    assert!(
        ran.exits(0).output().starts_with("true\ntrue\n5\n"),
        "{ran}"
    );
    ran.mentions("interleaved calls: 2;");
    let features = sandbox.tally(&["timeline", "p.st", "--view", "features"]);
    features.mentions("Account>>n:          0            2");
    let ran = run("safely");
    assert!(
        ran.exits(0).output().starts_with("true\ntrue\n10\n"),
        "{ran}"
    );
    assert!(!ran.output().contains("interleaved"), "{ran}");
}

/// Members whose own members are named by the program or by settings.
const OPEN: [&str; 3] = ["costs", "settings", "states"];

fn members(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                found.insert(name.clone());
                if !OPEN.contains(&name.as_str()) {
                    members(value, found);
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| members(value, found)),
        _ => {}
    }
}

/// Each member of the JSON is documented, and each one that is documented is there.
#[test]
fn the_members_of_the_json_are_those_of_the_document() {
    let document = fs::read_to_string(folder().join("../../docs/TIMELINE.md")).unwrap();
    let (_, section) = document.split_once("\n## JSON\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut documented = BTreeSet::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let names = row.split('`').skip(1).step_by(2);
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_alphabetic());
        documented.extend(names.filter(is_name).map(str::to_string));
    }
    let stuck = "[ 5 timesRepeat: [] ] fork. Semaphore new wait";
    let stuck = Sandbox::new("views").tally(&["timeline", "-e", stuck, "--format", "json"]);
    let documents = [
        json("market.st", &["--cpus", "1,2", "--costs", "latency=1"]),
        json("market.st", &["--if", "cpus 1"]),
        serde_json::from_str(stuck.output()).unwrap_or_else(|_| panic!("{stuck}")),
    ];
    let mut found = BTreeSet::new();
    documents
        .iter()
        .for_each(|document| members(document, &mut found));
    let missing: Vec<_> = found.difference(&documented).collect();
    assert!(missing.is_empty(), "TIMELINE.md lacks {missing:?}");
    // Words of values stand in the table as well.
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let first = row.split('|').nth(1).unwrap();
        for name in first.split('`').skip(1).step_by(2) {
            let mut documents = documents.iter();
            let is_there = documents.any(|one| one.get(name).is_some());
            assert!(is_there, "there is no member {name}");
        }
    }
}

/// Every view of every example has a table for programs, with as many cells in each row.
#[test]
fn every_view_has_a_table() {
    let finished = EXAMPLES
        .iter()
        .filter(|(_, end, ..)| matches!(end, End::Makespans(..)));
    for (name, ..) in finished {
        let file = format!("{name}.st");
        let sandbox = sandbox(&file);
        let made = sandbox.tally(&["timeline", &file, "-o", "x.timeline"]);
        made.exits(0);
        for view in TIMELINE_VIEWS {
            let ran = sandbox.tally(&["timeline", "x.timeline", "--view", view, "--format", "csv"]);
            let cells = |line: &str| {
                // Commas between quotes separate nothing.
                let outside = line.split('"').step_by(2);
                outside.map(|part| part.matches(',').count()).sum::<usize>()
            };
            let mut lines = ran.exits(0).output().lines().map(cells);
            let heading = lines.next().unwrap();
            assert!(lines.all(|line| line == heading), "{name} {view}\n{ran}");
        }
    }
}

/// A summary has at most thirty lines, however large the program is.
#[test]
fn a_summary_is_short() {
    for (name, ..) in EXAMPLES {
        let file = format!("{name}-mended.st");
        let sandbox = sandbox(&file);
        sandbox
            .tally(&["timeline", &file, "-o", "x.timeline"])
            .exits(0);
        let shown = sandbox.tally(&["timeline", "x.timeline"]);
        let lines = shown.exits(0).output().lines().count();
        assert!((5..=30).contains(&lines), "{name}: {lines}");
    }
}

#[test]
fn a_page_is_that_of_the_run_and_of_its_trace() {
    let sandbox = sandbox("market.st");
    let run = ["timeline", "market.st", "-o", "a.timeline", "-o", "a.html"];
    sandbox.tally(&run).exits(0).prints("");
    let trace = ["timeline", "a.timeline", "-o", "b.html"];
    sandbox.tally(&trace).exits(0).prints("");
    let page = sandbox.read("a.html");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(page.contains("<title>market.st · Tally timeline</title>"));
    assert!(page == sandbox.read("b.html"));
    let ran = sandbox.tally(&["timeline", "a.timeline", "--format", "html"]);
    assert!(ran.exits(0).output() == page);
    let part = ["timeline", "a.timeline", "--from", "30", "-o", "c.html"];
    sandbox.tally(&part).exits(0).prints("");
    assert!(
        sandbox
            .read("c.html")
            .contains("\"isSegment\":true,\"from\":30,")
    );
}

#[test]
fn a_page_is_that_of_one_run() {
    let ran = timeline("market.st", &["--cpus", "1,2", "-o", "a.html"]);
    ran.exits(2).says("a page shows one run");
}
