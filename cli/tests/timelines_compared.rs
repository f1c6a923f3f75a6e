//! `tally compare` of two traces, and lists of traces: the differences of the shares of the critical path add up to that of the makespan.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::Sandbox;
use tally_timeline::trace::{Ending, Head, Writer};

fn examples() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors");
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut examples: Vec<(String, String)> = paths
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    examples.sort();
    examples
}

/// A folder with the traces of both markets.
fn markets(name: &str, options: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new(name);
    for (name, text) in examples() {
        if name.starts_with("market") {
            sandbox.write(&format!("{name}.st"), text);
            record(&sandbox, &name, &name, options);
        }
    }
    sandbox
}

fn record(sandbox: &Sandbox, program: &str, trace: &str, options: &[&str]) {
    let (program, trace) = (format!("{program}.st"), format!("{trace}.timeline"));
    let command = ["timeline", &program, "-o", &trace];
    let ran = sandbox.tally(&[&command, options].concat());
    // Some examples end in a deadlock.
    assert!(matches!(ran.code(), Some(0 | 1)), "{ran}");
}

fn compared(sandbox: &Sandbox, one: &str, other: &str) -> Value {
    let names = [one, other].map(|name| format!("{name}.timeline"));
    let ran = sandbox.tally(&["compare", &names[0], &names[1], "--format", "json"]);
    serde_json::from_str(ran.exits(0).output()).unwrap()
}

/// The sum of a member of the shares.
fn sum(document: &Value, member: &str) -> i64 {
    let shares = document["shares"].as_array().unwrap();
    shares.iter().map(|row| row[member].as_i64().unwrap()).sum()
}

/// The shares are those of the path, and their differences are that of the makespans.
fn check_sums(document: &Value) {
    let makespan = &document["makespan"];
    for member in ["before", "after", "difference"] {
        let all = sum(document, member);
        assert_eq!(makespan[member].as_i64(), Some(all), "{member} {document}");
    }
    let shares = document["shares"].as_array().unwrap();
    let sizes = shares
        .iter()
        .map(|row| row["difference"].as_i64().unwrap().abs());
    assert!(sizes.is_sorted_by(|one, other| one >= other), "{document}");
}

/// A member of the row of a feature.
fn of_feature<'d>(document: &'d Value, list: &str, name: &str, member: &str) -> &'d Value {
    let rows = document[list].as_array().unwrap();
    let found = rows
        .iter()
        .find(|row| [&row["name"], &row["feature"]].contains(&&Value::from(name)));
    &found.unwrap_or_else(|| panic!("{name} in {document}"))[member]
}

/// The market answers its investors' questions without a callback: of 65 ticks 20 are left out.
#[test]
fn the_mended_market_is_twenty_ticks_shorter() {
    let sandbox = markets("compared-market", &[]);
    let document = compared(&sandbox, "market", "market-mended");
    assert_eq!(document["schema"], "tally.timeline.compare/1");
    check_sums(&document);
    let makespan = &document["makespan"];
    assert_eq!(
        [
            &makespan["before"],
            &makespan["after"],
            &makespan["difference"]
        ],
        [65, 45, -20]
    );
    assert_eq!(document["warnings"], Value::Array(Vec::new()));
    // Both call `buy:` and `sell:` twice.
    for name in ["Market>>buy:", "Market>>sell:"] {
        let requests = of_feature(&document, "features", name, "requests");
        assert_eq!([&requests["before"], &requests["after"]], [2, 2]);
        assert_eq!(of_feature(&document, "shares", name, "before"), 12);
    }
    let ran = sandbox.tally(&["compare", "market.timeline", "market-mended.timeline"]);
    ran.exits(0)
        .mentions("makespan 65 → 45 (-20)")
        .mentions("Critical path")
        .mentions("Waits");
    let sum = ["makespan", "65", "45", "-20"];
    let mut lines = ran.output().lines();
    assert!(lines.any(|line| line.split_whitespace().eq(sum)), "{ran}");
    // From the other side the signs are the opposite ones.
    let back = compared(&sandbox, "market-mended", "market");
    check_sums(&back);
    assert_eq!(back["makespan"]["difference"], 20);
}

/// Of 63 messages on the path 15 are left, each of which travels 10 ticks: 480 ticks less beside the 20.
#[test]
fn messages_that_do_not_travel_are_in_the_difference() {
    let costs = ["--costs", "latency=10"];
    let sandbox = markets("compared-latency", &costs);
    let document = compared(&sandbox, "market", "market-mended");
    check_sums(&document);
    assert_eq!(document["makespan"]["difference"], -500);
    let shares = document["shares"].as_array().unwrap();
    let travel = shares.iter().filter(|row| row["how"] == "travel");
    let travel: i64 = travel.map(|row| row["difference"].as_i64().unwrap()).sum();
    assert_eq!(travel, -480);
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Whatever two traces are compared, and whatever their programs, CPUs and costs are.
#[test]
fn differences_of_shares_add_up_for_any_two_traces() {
    let sandbox = Sandbox::new("compared-any");
    let options: [&[&str]; 4] = [
        &[],
        &["--cpus", "2"],
        &["--costs", "call=3,latency=17,switch=4"],
        &["--cpus", "1", "--slice", "20", "--ties", "shuffle:5"],
    ];
    let examples = examples();
    for (name, text) in &examples {
        sandbox.write(&format!("{name}.st"), text);
    }
    let mut random = Random(23);
    for number in 0..20 {
        let mut makespans = Vec::new();
        for side in ["one", "other"] {
            let (name, _) = &examples[random.below(examples.len())];
            let options = options[random.below(options.len())];
            record(&sandbox, name, side, options);
            let trace = format!("{side}.timeline");
            let alone = ["timeline", &trace, "--view", "path", "--format", "json"];
            let alone: Value =
                serde_json::from_str(sandbox.tally(&alone).exits(0).output()).unwrap();
            makespans.push(alone["makespan"].as_i64().unwrap());
        }
        let document = compared(&sandbox, "one", "other");
        check_sums(&document);
        let makespan = &document["makespan"];
        let sides = ["before", "after"].map(|side| makespan[side].as_i64().unwrap());
        assert_eq!(makespans, sides, "pair {number}");
    }
}

#[test]
fn a_trace_compared_with_itself_differs_in_nothing() {
    let sandbox = markets("compared-same", &[]);
    let same = ["compare", "market.timeline", "market.timeline"];
    let ran = sandbox.tally(&[&same[..], &["--fail-on", "any"]].concat());
    ran.exits(0).mentions("makespan 65,");
    let document = compared(&sandbox, "market", "market");
    check_sums(&document);
    let shares = document["shares"].as_array().unwrap();
    assert!(!shares.is_empty());
    assert!(shares.iter().all(|row| row["difference"] == 0));
}

/// Rows that are not shown are added up in one row, so the sum stays that of the rows.
#[test]
fn rows_without_room_are_added_up() {
    let sandbox = markets("compared-limit", &[]);
    let both = ["compare", "market.timeline", "market-mended.timeline"];
    let markdown = sandbox.tally(&[&both[..], &["--limit", "1", "--format", "md"]].concat());
    let table = markdown.exits(0).output();
    let rows = table.lines().skip_while(|line| !line.starts_with("| how"));
    let rows: Vec<Vec<&str>> = rows
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 3, "{table}");
    let number = |row: usize, column: usize| -> i64 {
        let cell = rows[row][column].trim_matches('*');
        let cell = if cell == "=" { "0" } else { cell };
        cell.replace("\\", "").parse().unwrap()
    };
    for (column, all) in [(2, 65), (3, 45), (4, -20)] {
        assert_eq!(number(0, column) + number(1, column), all, "{table}");
        assert_eq!(number(2, column), all, "{table}");
    }
    // Nothing on the path became longer, so all of it is in the row of the others.
    let worse = sandbox.tally(&[&both[..], &["--show", "worse", "--format", "md"]].concat());
    worse
        .exits(0)
        .mentions(" | 65 | 45 | -20 |\n|  | **makespan**");
    let csv = sandbox.tally(&[&both[..], &["--format", "csv"]].concat());
    let csv = csv.exits(0).output();
    assert!(csv.starts_with("how,feature,before,after,difference\r\n"));
    assert!(csv.contains(",makespan,65,45,-20\r\n"), "{csv}");
}

#[test]
fn rules_about_traces_decide_about_the_exit_code() {
    let sandbox = markets("compared-rules", &[]);
    let compare = |one: &str, other: &str, rule: &str| {
        sandbox.tally(&["compare", one, other, "--fail-on", rule])
    };
    let (naive, mended) = ("market.timeline", "market-mended.timeline");
    compare(naive, mended, "makespan>+0").exits(0);
    compare(mended, naive, "makespan>+0")
        .exits(3)
        .says("makespan>+0: ticks of the makespan are 65, 45 before (+20)");
    // 20 of 45 are 44.4 per cent.
    compare(mended, naive, "makespan>+44%").exits(3);
    compare(mended, naive, "makespan>+45%").exits(0);
    compare(naive, mended, "any")
        .exits(3)
        .says("any: something differs");
    compare(naive, mended, "sends>+0")
        .exits(0)
        .says("the rule sends>+0 is about nothing that traces have");
    let json = [
        "compare",
        mended,
        naive,
        "--fail-on",
        "makespan>+0",
        "--format",
        "json",
    ];
    let ran = sandbox.tally(&json);
    let document: Value = serde_json::from_str(ran.exits(3).output()).unwrap();
    assert_eq!(document["violations"][0]["after"], 65);
}

#[test]
fn other_machines_are_told() {
    let sandbox = markets("compared-warned", &[]);
    record(
        &sandbox,
        "market",
        "other",
        &["--cpus", "2", "--costs", "latency=10"],
    );
    record(
        &sandbox,
        "market",
        "central",
        &["--policy", "scheduler=central"],
    );
    let compare = |other: &str| sandbox.tally(&["compare", "market.timeline", other]);
    compare("other.timeline")
        .exits(0)
        .says("the traces differ in CPUs: max before, 2 after")
        .says("the traces differ in costs: none before, latency=10 after");
    compare("central.timeline")
        .exits(0)
        .says("the traces differ in settings: none before, scheduler=central after");
}

/// Arguments, the exit code, and a part of the message.
const WRONG: &str = "\
market.timeline | 2 | market.timeline is a trace, and is compared with another trace
market.timeline HEAD | 2 | market.timeline is a trace, and is compared with another trace
market.timeline work.timeline | 5 | the clocks differ: the first trace is in ticks, the second in work
market.timeline model.timeline | 5 | recorded by version 1 of the counting model
none.timeline market.timeline | 5 | cannot read none.timeline: no such file
market.timeline none.timeline | 74 | cannot read none.timeline: no such file
market.timeline market.timeline --explain | 2 | there is no place for --explain
market.timeline market.timeline --run x.st | 2 | there is no place for what runs
market.timeline market.timeline --estimate-time | 2 | there is no place for --estimate-time
market.timeline market.timeline -o x.html | 2 | names end in .md, .json, .csv, .txt
market.timeline market.timeline --fail-on makespan(x)>+0 | 2 | expected any, sends
HEAD~1 HEAD --format csv | 2 | --format csv is for two traces
";

#[test]
fn wrong_comparisons_are_refused() {
    let sandbox = markets("compared-wrong", &[]);
    record(&sandbox, "market", "work", &["--clock", "work"]);
    let head = Head {
        model: 1,
        ..Head::default()
    };
    let writer = Writer::new(Vec::new(), &head).unwrap();
    let (_, other) = writer.finish(Ending::Finished, 0).unwrap();
    sandbox.write("model.timeline", &other);
    for row in WRONG.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let arguments: Vec<&str> = cells[0].split(' ').collect();
        let ran = sandbox.tally(&[&["compare"][..], &arguments].concat());
        ran.exits(cells[1].parse().unwrap()).says(cells[2]);
    }
}

fn listed(sandbox: &Sandbox, arguments: &[&str]) -> Vec<Value> {
    let ran = sandbox.tally(&[&["timeline", "--format", "json"], arguments].concat());
    let document: Value = serde_json::from_str(ran.exits(0).output()).unwrap();
    assert_eq!(document["schema"], "tally.timeline.list/1");
    document["traces"].as_array().unwrap().clone()
}

#[test]
fn several_traces_are_listed() {
    let sandbox = markets("listed", &["--cpus", "2"]);
    let both = ["market.timeline", "market-mended.timeline"];
    let rows = listed(&sandbox, &both);
    assert_eq!(rows.len(), 2);
    for (row, name) in rows.iter().zip(["market", "market-mended"]) {
        assert_eq!(row["trace"], format!("{name}.timeline"));
        assert_eq!(row["files"][0], format!("{name}.st"));
        assert_eq!(row["first"], 0);
        assert_eq!(row["cpus"], 2);
        assert_eq!(row["ending"], "finished");
        let shown = sandbox.tally(&["timeline", &format!("{name}.timeline"), "--format", "json"]);
        let shown: Value = serde_json::from_str(shown.exits(0).output()).unwrap();
        assert_eq!(row["last"], shown["to"]);
        assert_eq!(row["program"], shown["program"]);
        assert!(row["records"].as_u64() > Some(50), "{row}");
    }
    let text = sandbox.tally(&[&["timeline"], &both[..]].concat());
    text.exits(0)
        .mentions("market-mended.timeline  market-mended.st");
    // A folder with sources is a program; one with traces alone is a list.
    let folder = sandbox.path("kept");
    fs::create_dir(&folder).unwrap();
    for name in both {
        fs::copy(sandbox.path(name), folder.join(name)).unwrap();
    }
    assert_eq!(listed(&sandbox, &["kept"]).len(), 2);
    // Sources may be deeper.
    fs::create_dir(folder.join("inner")).unwrap();
    sandbox.tally(&["timeline", "kept"]).exits(4);
    fs::remove_dir(folder.join("inner")).unwrap();
    fs::write(folder.join("x.st"), "3 printNl.").unwrap();
    sandbox.tally(&["timeline", "kept"]).exits(4);
    for (options, why) in [
        ("--view waits", "no place for --view"),
        ("--if cpus=2", "no place for --if"),
        ("--from 3", "no place for a part of them"),
        ("-o x.html", "no place for a page"),
        ("-o x.svg", "no place for a file for one run"),
        ("--cpus 3", "no place for --cpus"),
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        let ran = sandbox.tally(&[&["timeline"], &both[..], &options].concat());
        ran.exits(2).says(why);
    }
    // What cannot be read is reported, and the others are shown.
    sandbox.write("foreign.timeline", "3 printNl.");
    let mixed = sandbox.tally(&["timeline", "foreign.timeline", "market.timeline"]);
    mixed
        .exits(74)
        .says("foreign.timeline: not a trace")
        .mentions("market.timeline");
}

/// A run that goes on has locked its trace against other writers. Readers read what is there.
#[test]
fn a_trace_that_grows_can_be_read() {
    let sandbox = markets("growing", &[]);
    let bytes = fs::read(sandbox.path("market.timeline")).unwrap();
    sandbox.write("x.timeline.partial", &bytes[..bytes.len() / 2]);
    let cut = sandbox.tally(&["timeline", "x.timeline.partial"]);
    cut.exits(0)
        .says("the end of x.timeline.partial is missing: it is whole up to tick 9, byte ");
    let writer = fs::File::open(sandbox.path("x.timeline.partial")).unwrap();
    writer.lock().unwrap();
    let read = sandbox.tally(&["timeline", "x.timeline.partial"]);
    read.exits(0)
        .says("x.timeline.partial is still being written: it was read up to tick 9, byte ");
    assert_eq!(read.output(), cut.output());
    let rows = listed(&sandbox, &["x.timeline.partial", "market.timeline"]);
    assert_eq!(rows[0]["ending"], "running");
    assert_eq!(rows[0]["last"], 9);
    assert!(rows[0]["readTo"].as_u64() <= Some(bytes.len() as u64 / 2));
    assert_eq!(rows[1]["readTo"], Value::Null);
    drop(writer);
    let rows = listed(&sandbox, &["x.timeline.partial", "market.timeline"]);
    assert_eq!(rows[0]["ending"], "cut");
}
