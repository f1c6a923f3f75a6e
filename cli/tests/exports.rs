//! `tally timeline -o` in the formats of other tools: on the examples, sums of SQL and of slices are those of `--format json`.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;
use support::Sandbox;

/// The files of each format.
const FILES: [&str; 5] = [
    "x.sqlite",
    "x.pftrace",
    "x.trace.json",
    "x.firefox.json",
    "x.svg",
];

/// Programs with processors, one of which ends in a deadlock, and programs with processes.
const EXAMPLES: [&str; 9] = [
    "processors/market.st",
    "processors/philosophers.st",
    "processors/barber.st",
    "processors/hexapod-mended.st",
    "processors/savages.st",
    "processors/producers.st",
    "processes/queue.st",
    "processes/philosophers.st",
    "processes/readers.st",
];

/// A folder with one example and its trace.
fn traced(name: &str, options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new("exports");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let text = std::fs::read(folder.join(name)).expect(name);
    sandbox.write("p.st", text);
    sandbox.tally(&[&["timeline", "p.st", "-o", "x.timeline"], options].concat());
    sandbox
}

/// Names and sums.
type Sums = BTreeMap<String, Vec<u64>>;

fn sql(sandbox: &Sandbox, query: &str) -> Sums {
    let database = Connection::open(sandbox.path("x.sqlite")).expect("a database");
    let mut statement = database.prepare(query).expect(query);
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let numbers: Result<Vec<Option<i64>>, _> = (1..columns).map(|at| row.get(at)).collect();
        let numbers = numbers?.into_iter();
        let numbers = numbers.map(|one| one.unwrap_or_default().unsigned_abs());
        Ok((row.get(0)?, numbers.collect()))
    });
    rows.expect(query).map(|row| row.expect(query)).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_string()
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}

fn rows(value: &Value) -> &[Value] {
    value.as_array().expect("rows")
}

/// The sums of a document that SQL has to give.
fn check_sql(sandbox: &Sandbox, document: &Value, what: &str) {
    let mut features = Sums::new();
    for row in rows(&document["features"]) {
        let metrics = [
            "queue",
            "synchronization",
            "execution",
            "waiting",
            "evaluations",
        ];
        let sums = metrics.map(|metric| number(&row[metric]["sum"]));
        let numbers = [&[number(&row["requests"])][..], &sums].concat();
        features.insert(text(&row["name"]), numbers);
    }
    let found = sql(
        sandbox,
        "SELECT name, count(synchronizes), sum(queue), sum(synchronization), sum(execution),
            sum(iif(synchronizes IS NULL OR returns IS NULL, 0, waiting)), sum(iif(synchronizes IS NULL, 0, evaluations))
        FROM named_requests WHERE request > 0 GROUP BY name",
    );
    assert_eq!(found, features, "{what}");
    let mut waits = Sums::new();
    for row in rows(&document["waits"]) {
        let sum = waits.entry(text(&row["cause"])).or_insert_with(|| vec![0]);
        sum[0] += number(&row["ticks"]);
    }
    let found = sql(
        sandbox,
        "SELECT cause, sum(ticks) FROM named_waits GROUP BY cause",
    );
    assert_eq!(found, waits, "{what}");
    let mut states = Sums::new();
    for row in rows(&document["processors"]) {
        let of_states = row["states"].as_object().expect("states");
        for (state, ticks) in of_states.iter().filter(|(_, ticks)| number(ticks) > 0) {
            let name = format!("{} {state}", text(&row["name"]));
            states.insert(name, vec![number(ticks)]);
        }
    }
    let found = sql(
        sandbox,
        "SELECT name || ' ' || state, sum(\"to\" - \"from\") FROM states JOIN processors USING (processor) GROUP BY processor, state",
    );
    assert_eq!(found, states, "{what}");
}

/// The number of running processors over time makes all ticks, and is never above the CPUs. A queue is empty or has its requests.
fn check_levels(sandbox: &Sandbox, document: &Value, what: &str) {
    let trace: Value = serde_json::from_str(&sandbox.read("x.trace.json")).expect("JSON");
    let (mut ticks, mut last, mut running) = (0, 0, 0);
    for event in rows(&trace["traceEvents"]) {
        if event["name"] == "running processors" && event["ph"] == "C" {
            let time = number(&event["ts"]);
            assert!(time >= last, "{what}: {event}");
            ticks += running * (time - last);
            (last, running) = (time, number(&event["args"]["number"]));
            let cpus = document["cpus"].as_u64().unwrap_or(u64::MAX);
            assert!(running <= cpus, "{what}: {event}");
        }
    }
    assert_eq!(running, 0, "{what}");
    assert_eq!(ticks, number(&document["ticks"]), "{what}");
}

#[test]
fn sums_of_sql_are_those_of_json() {
    for name in EXAMPLES {
        for options in [&[][..], &["--cpus", "2"]] {
            let sandbox = traced(name, options);
            let whole = sandbox.tally(&["timeline", "x.timeline", "--format", "json"]);
            let whole: Value = serde_json::from_str(whole.exits(0).output()).expect("JSON");
            let middle = (number(&whole["to"]) / 2).to_string();
            for part in [&[][..], &["--from", &middle], &["--to", &middle]] {
                let what = format!("{name} {options:?} {part:?}");
                let read = [&["timeline", "x.timeline", "-o", "x.json"], part].concat();
                let outputs = ["-o", "x.sqlite", "-o", "x.trace.json"];
                sandbox.tally(&[&read[..], &outputs].concat()).exits(0);
                let document = serde_json::from_str(&sandbox.read("x.json")).expect("JSON");
                check_sql(&sandbox, &document, &what);
                if !sandbox.read("x.trace.json").contains("overhead") {
                    check_levels(&sandbox, &document, &what);
                }
            }
        }
    }
}

#[test]
fn sums_from_a_call_on_are_those_of_json() {
    let sandbox = traced("processors/market.st", &[]);
    let first = ["--from-call", "Deal>>first:second:"];
    let read = ["timeline", "x.timeline", "-o", "x.json", "-o", "x.sqlite"];
    sandbox.tally(&[&read[..], &first].concat()).exits(0);
    let document = serde_json::from_str(&sandbox.read("x.json")).expect("JSON");
    check_sql(&sandbox, &document, "market");
    // The figures of the paper: 34 requests, 20 of them for the number of an investor.
    let requests = "SELECT 'requests', count(synchronizes) FROM requests WHERE request > 0";
    assert_eq!(sql(&sandbox, requests)["requests"], [34]);
    let asked =
        "SELECT name, count(*) FROM named_requests WHERE name = 'Investor>>id' GROUP BY name";
    assert_eq!(sql(&sandbox, asked)["Investor>>id"], [20]);
}

#[test]
fn a_run_and_its_trace_give_the_same_files() {
    let sandbox = traced("processors/savages.st", &[]);
    let outputs: Vec<&str> = FILES.iter().flat_map(|file| ["-o", file]).collect();
    let bytes = || FILES.map(|file| std::fs::read(sandbox.path(file)).expect(file));
    sandbox
        .tally(&[&["timeline", "p.st"], &outputs[..]].concat())
        .exits(0);
    let run = bytes();
    sandbox
        .tally(&[&["timeline", "x.timeline"], &outputs[..]].concat())
        .exits(0);
    assert!(run == bytes(), "other bytes");
    let files = std::fs::read_dir(sandbox.path("")).expect("a folder");
    let names: Vec<_> = files
        .map(|file| file.expect("a value").file_name())
        .collect();
    let is_left = |name: &std::ffi::OsString| name.to_string_lossy().contains("partial");
    assert!(!names.iter().any(is_left), "{names:?}");
}

#[test]
fn names_decide_formats_and_mistakes_are_refused() {
    let sandbox = traced("processors/market.st", &[]);
    let read = |more: &[&str]| sandbox.tally(&[&["timeline", "x.timeline"], more].concat());
    read(&["-o", "a.json", "-o", "a.trace.json", "-o", "A.DB"]).exits(0);
    assert!(sandbox.read("a.json").contains("tally.timeline/1"));
    assert!(sandbox.read("a.trace.json").contains("traceEvents"));
    assert!(
        std::fs::read(sandbox.path("A.DB"))
            .expect("a value")
            .starts_with(b"SQLite format 3\0")
    );
    let twice = read(&["-o", "a.svg", "-o", "a.svg"]);
    assert!(
        twice
            .exits(2)
            .error()
            .contains("a.svg would be written twice"),
        "{twice}"
    );
    let unknown = read(&["-o", "a.pdf"]);
    let told = ".sqlite, .db, .pftrace, .perfetto-trace, .trace.json, .firefox.json, .svg";
    assert!(unknown.exits(2).error().contains(told), "{unknown}");
    for file in FILES {
        let missing = read(&["-o", &format!("missing/{file}")]);
        assert!(
            missing.exits(74).error().contains("cannot write missing/"),
            "{missing}"
        );
        sandbox.write(&format!("{file}.folder/{file}/inside"), "");
        read(&["-o", &format!("{file}.folder/{file}")]).exits(74);
    }
    let several = sandbox.tally(&["timeline", "p.st", "--cpus", "1,2", "-o", "a.svg"]);
    assert!(
        several
            .exits(2)
            .error()
            .contains("a.svg would hold one run"),
        "{several}"
    );
    let after = read(&["--from", "1000000", "-o", "b.svg"]);
    after.exits(4);
    assert!(!sandbox.path("b.svg").exists());
}

#[cfg(unix)]
#[test]
fn what_is_read_is_not_written_over() {
    let sandbox = traced("processors/market.st", &[]);
    let trace = std::fs::read(sandbox.path("x.timeline")).expect("a trace");
    for name in ["link.svg", "link.json", "link.timeline"] {
        std::os::unix::fs::symlink("x.timeline", sandbox.path(name)).expect(name);
        let ran = sandbox.tally(&["timeline", "x.timeline", "-o", name]);
        ran.exits(2);
        assert_eq!(
            std::fs::read(sandbox.path("x.timeline")).ok().as_ref(),
            Some(&trace),
            "{name}\n{ran}"
        );
    }
    std::os::unix::fs::symlink("p.st", sandbox.path("p.svg")).expect("a link");
    let ran = sandbox.tally(&["timeline", "p.st", "-o", "p.svg"]);
    ran.exits(2)
        .says("p.svg would be written over what is read");
    // Two names of one place.
    let ran = sandbox.tally(&["timeline", "p.st", "-o", "a.svg", "-o", "./a.svg"]);
    ran.exits(2).says("would be written twice");
}

#[test]
fn a_missing_folder_is_said_before_the_run() {
    let sandbox = Sandbox::new("exports-folder");
    sandbox.write("p.st", "'it ran' displayNl.");
    for file in FILES.iter().chain(&["x.timeline", "x.html", "x.json"]) {
        let ran = sandbox.tally(&["timeline", "p.st", "-o", &format!("none/{file}")]);
        ran.exits(74).says("there is no folder none");
        assert_eq!(ran.output(), "", "{file}");
    }
}
