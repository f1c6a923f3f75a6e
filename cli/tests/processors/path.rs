//! `tally timeline --view path`: the critical path, blame, and what is gained from the features on it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::folder;
use crate::support::Sandbox;

/// The path of an example, or of a program.
fn path(name: &str, text: &str, options: &[&str]) -> Value {
    let sandbox = Sandbox::new("path");
    sandbox.write(name, text);
    let options = [
        &["timeline", name, "--view", "path", "--format", "json"],
        options,
    ]
    .concat();
    let ran = sandbox.tally(&options);
    let document: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
    assert_eq!(document["path"]["unexplained"], 0, "{ran}");
    let shares = document["path"]["shares"].as_array().unwrap();
    let sum: u64 = shares
        .iter()
        .map(|row| row["share"].as_u64().unwrap())
        .sum();
    assert_eq!(document["makespan"], sum, "{ran}");
    document
}

fn example(name: &str, options: &[&str]) -> Value {
    path(
        name,
        &fs::read_to_string(folder().join(name)).unwrap(),
        options,
    )
}

/// The rows `how feature share gained slack blame`.
fn rows(document: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "–".to_string(),
        other => other.to_string(),
    };
    let shares = document["path"]["shares"].as_array().unwrap();
    let members = ["how", "feature", "share", "gained", "slack", "blame"];
    let row = |row: &Value| members.map(|member| text(&row[member])).join(" ");
    shares.iter().map(row).collect()
}

/// Of 43 ticks, the two calls of `buy:` and `sell:` of the market take 6 each.
#[test]
fn the_path_of_the_market_is_its_makespan() {
    let document = example("market.st", &["--from-call", "Deal>>first:second:"]);
    assert_eq!(document["makespan"], 43);
    assert_eq!(
        rows(&document)[..2],
        [
            "running Market>>buy: 12 12 – 18",
            "running Market>>sell: 12 12 – 18"
        ]
    );
}

/// The fix leaves 15 messages on the path, of 63.
#[test]
fn messages_on_the_path_of_the_market_travel() {
    for (name, messages) in [("market.st", 63), ("market-mended.st", 15)] {
        let options = [
            "--from-call",
            "Deal>>first:second:",
            "--costs",
            "latency=10",
        ];
        let document = example(name, &options);
        let shares = document["path"]["shares"].as_array().unwrap();
        let travel = shares.iter().filter(|row| row["how"] == "travel");
        let sum: u64 = travel.map(|row| row["share"].as_u64().unwrap()).sum();
        assert_eq!(sum, 10 * messages, "{name}");
    }
}

const BOTH: &str = "
Object subclass: Short [ run [ 30 timesRepeat: [] ] done [ ^1 ] ]
Object subclass: Long [ run [ 50 timesRepeat: [] ] done [ ^1 ] ]
Object subclass: Both [
    join: short with: long [
        <separate>
        | a b |
        short run. long run.
        a := short done.
        b := long done ] ]
| short long |
short := Short separate new.
long := Long separate new.
Both new join: short with: long.";

/// Two workers of 30 and 50 ticks at once, and the script that queries both. Without the long one the run is 20 shorter, and 20 of its ticks
/// can be saved before the other one is as long: the second query waits until 31, and the first query was sent one tick before.
#[test]
fn slack_ends_where_another_path_is_as_long() {
    let document = path("both.st", BOTH, &["--from-call", "Both>>join:with:"]);
    let rows = rows(&document);
    let long = rows.iter().find(|row| row.contains("Long>>run")).unwrap();
    // The long one is called second, at 2: it ends at 52. The short one ends at 31, and its query is sent at 3. So the second query is sent at 32.
    assert_eq!(document["makespan"], 52);
    assert!(long.starts_with("running Long>>run 50 20 20 "), "{long}");
}

/// The two workers of `both.st` and the script that queries them. The script executes alone from 0 to 1, with the short worker to 2, with both to 3,
/// and with the long one from 31 to 32. The short worker ends at 31, the long one at 52.
#[test]
fn normalized_times_add_up_to_the_moments_of_execution() {
    let document = path("both.st", BOTH, &["--from-call", "Both>>join:with:"]);
    let shares = document["path"]["shares"].as_array().unwrap();
    let time = |feature: &str| {
        let row = shares.iter().find(|row| row["feature"] == feature);
        row.unwrap()["npt"].as_f64().unwrap()
    };
    let third = 1.0 / 3.0;
    let expected = [
        ("Both>>join:with:", 1.0 + 0.5 + third + 0.5),
        ("Short>>run", 0.5 + third + 14.0),
        ("Long>>run", third + 14.0 + 0.5 + 20.0),
    ];
    for (feature, expected) in expected {
        let found = time(feature);
        assert!((found - expected).abs() <= 0.0005, "{feature}: {found}");
    }
    for name in ["market.st", "santa-mended.st", "savages.st", "workers.st"] {
        for (cpus, sum) in [("1", "ticks"), ("2", "makespan"), ("max", "makespan")] {
            // In these examples a processor executes at each moment.
            let document = example(name, &["--cpus", cpus]);
            let shares = document["path"]["shares"].as_array().unwrap();
            let times = shares.iter().filter_map(|row| row["npt"].as_f64());
            let rounding = 0.0005 * shares.len() as f64;
            let difference = times.sum::<f64>() - document[sum].as_f64().unwrap();
            assert!(difference.abs() <= rounding, "{name}, {cpus}: {difference}");
        }
    }
}

/// Whatever processes of one CPU execute is on its path, and the run is shorter by it.
#[test]
fn all_that_ordinary_processes_execute_is_on_the_path() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processes");
    let mut seen = 0;
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        if file.extension().is_none_or(|ending| ending != "st") || text.contains("Delay") {
            continue;
        }
        let document = path("processes.st", &text, &[]);
        for row in document["path"]["shares"].as_array().unwrap() {
            assert_eq!(row["share"], row["gained"], "{}: {row}", file.display());
            seen += 1;
        }
        assert_eq!(document["ticks"], document["makespan"]);
    }
    assert!(seen > 8, "{seen}");
}

/// The late clerk prepares from 1 to 21, and keeps the desk from 22 to 52. The early clerk walks from 3 to 13, keeps the desk from 14 to 19, and walks
/// to 49.
const CLERKS: &str = "
Object subclass: Desk [ lamp [ ] ]
Object subclass: Clerk [ | desk |
    at: aDesk [ desk := aDesk ]
    prepare: n [ n timesRepeat: [] ]
    walk: n [ n timesRepeat: [] ]
    keep: n [ self use: desk for: n ]
    use: aDesk for: n [ <separate> n timesRepeat: [] ] ]
Object subclass: Office [
    open: late with: early [
        <separate>
        late prepare: 20. late keep: 30.
        early walk: 10. early keep: 5. early walk: 30 ] ]
| desk late early |
desk := Desk separate new.
late := Clerk separate new. late at: desk.
early := Clerk separate new. early at: desk.
Office new open: late with: early.";

/// In the order of the run, the late clerk has the desk at 19, when the early one has kept it, and both end at 49. In truth, the late clerk has the
/// desk first, from 3 to 33. The early one keeps it from there to 38, and walks to 68.
#[test]
fn what_is_free_can_change_the_order_of_locks() {
    let options = ["--from-call", "Office>>open:with:"];
    let document = path("clerks.st", CLERKS, &options);
    let shares = document["path"]["shares"].as_array().unwrap();
    let mut shares = shares.iter();
    let prepares = shares.find(|row| row["feature"] == "Clerk>>prepare:");
    let sandbox = Sandbox::new("clerks");
    sandbox.write("clerks.st", CLERKS);
    let rule = ["--if", "free Clerk>>prepare:", "--format", "json"];
    let ran = sandbox.tally(&[&["timeline", "clerks.st"], &options[..], &rule].concat());
    let free: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
    assert_eq!(document["makespan"], 52);
    assert_eq!(prepares.unwrap()["gained"], 52 - 49);
    assert_eq!(free["if"][0]["gained"], 52 - 68);
}

/// Two workers with a cell each, which share nothing: that the lock of one cell comes back when the other one is locked is no cause. The run
/// without the ticks of the longer worker's feature says what is gained.
#[test]
fn locks_that_are_free_wait_for_no_other_lock() {
    for ticks in [9, 10, 11, 12, 13, 18, 30] {
        let text = format!(
            "
Object subclass: Cell [ put: x [ 3 timesRepeat: [] ] ]
Object subclass: Worker [
    first: c [ <separate> 10 timesRepeat: []. c put: 1 ]
    second: n with: c [ n timesRepeat: []. self in: c ]
    in: c [ <separate> 2 timesRepeat: []. c put: 1 ] ]
| a b v w |
a := Cell separate new. b := Cell separate new.
v := Worker separate new. w := Worker separate new.
v first: a. w second: {ticks} with: b."
        );
        let document = path("cells.st", &text, &[]);
        let shares = document["path"]["shares"].as_array().unwrap();
        let first = shares.iter().find(|row| row["feature"] == "Worker>>first:");
        assert_eq!([&first.unwrap()["share"], &first.unwrap()["blame"]], [0, 0]);
        let row = shares
            .iter()
            .find(|row| row["feature"] == "Worker>>second:with:");
        let sandbox = Sandbox::new("cells");
        sandbox.write("cells.st", &text);
        let rule = "free Worker>>second:with:";
        let ran = sandbox.tally(&["timeline", "cells.st", "--if", rule, "--format", "json"]);
        let free: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
        assert_eq!(row.unwrap()["gained"], free["if"][0]["gained"], "{ticks}");
    }
}
