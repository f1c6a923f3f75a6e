//! `tally timeline --advise`: what would help, tried.

use std::fs;

use serde_json::Value;

use crate::folder;
use crate::support::{Ran, Sandbox};

fn advise(name: &str, options: &[&str]) -> Ran {
    let sandbox = Sandbox::new("advice");
    sandbox.write(name, fs::read_to_string(folder().join(name)).unwrap());
    sandbox.tally(&[&["timeline", name, "--advise"], options].concat())
}

fn rows(name: &str, options: &[&str]) -> Vec<Value> {
    let ran = advise(name, &[options, &["--format", "json"]].concat());
    let document: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
    let rows = document["advice"].as_array();
    rows.cloned().unwrap_or_default()
}

/// The makespan of the program as it is.
fn makespan(name: &str) -> u64 {
    let sandbox = Sandbox::new("advice");
    sandbox.write(name, fs::read_to_string(folder().join(name)).unwrap());
    let ran = sandbox.tally(&["timeline", name, "--format", "json"]);
    let document: Value = serde_json::from_str(ran.output()).unwrap_or_else(|_| panic!("{ran}"));
    document["makespan"].as_u64().unwrap()
}

/// The investor passes itself to the market, which queries its number again and again. Without costs that takes no ticks; with them the
/// copy saves the callbacks.
#[test]
fn the_market_is_told_to_pass_what_is_needed() {
    let options = ["--from-call", "Deal>>first:second:"];
    let first = &rows("market.st", &options)[0];
    assert_eq!(first["rule"], "copy Investor");
    assert_eq!(first["place"], "market.st:20:17");
    let evidence = "Market>>buy: gets an Investor and calls it back 20 times";
    assert_eq!(first["evidence"], evidence);
    let gains = first["gains"].as_array().unwrap();
    assert_eq!(gains[0]["before"], 43);
    assert_eq!(gains[0]["after"], 43);
    // With `threads` a message travels 10 ticks, and its call and its receipt cost 2 each.
    assert!(gains[1]["after"].as_u64() < gains[1]["before"].as_u64().map(|before| before / 2));
}

/// Examples whose fix is one of the rules: it comes first, and its makespan is about that of the mended source.
#[test]
fn fixes_that_are_rules_come_first() {
    for (name, mended, rule) in [
        ("matrix.st", "matrix-mended.st", "copy Array"),
        (
            "pipeline.st",
            "pipeline-mended.st",
            "async pipeline.st:11:37",
        ),
        (
            "threadring.st",
            "threadring-mended.st",
            "async threadring.st:9:39",
        ),
    ] {
        let first = &rows(name, &[])[0];
        assert_eq!(first["rule"], rule);
        let gain = &first["gains"][0];
        let (before, after) = (&gain["before"], gain["after"].as_u64().unwrap());
        assert_eq!(before.as_u64(), Some(makespan(name)));
        let expected = makespan(mended);
        assert!(
            after.abs_diff(expected) * 20 <= expected,
            "{name}: {after} and {expected}"
        );
    }
}

/// Each example whose fix is no run of a rule, the rule that points to it, and by how many percent the mended source may take longer or
/// shorter: it does other work, too.
const ESTIMATED: &[(&str, &str, u64)] = &[
    ("savages.st", "narrow Savage>>eatFrom:", 10),
    ("buffer.st", "narrow Producer>>make:into:", 5),
    ("barber.st", "narrow Barber>>serveFrom:", 5),
    ("readers.st", "narrow Reader>>read:", 10),
    ("baboons.st", "narrow Baboon>>cross:", 25),
    ("workers.st", "late workers.st:24:23", 1),
    ("santa.st", "late santa.st:41:31", 10),
    ("quicksort.st", "late quicksort.st:16:38", 30),
    ("randmat.st", "servers Generator 6", 1),
    ("thresh.st", "servers Histogram 7", 60),
    ("producers.st", "holds Producer>>put:into:", 10),
    ("hexapod.st", "delay Poller>>poll:until:left:right: 1/10", 1),
    ("barrier.st", "delay Worker>>work: 1/10", 5),
];

#[test]
fn estimates_point_to_the_other_fixes() {
    for (name, rule, percent) in ESTIMATED {
        let rows = rows(name, &["--limit", "0"]);
        let found = rows.iter().find(|row| row["rule"] == **rule);
        let found = found.unwrap_or_else(|| panic!("{name}: {rule} in {rows:?}"));
        let gain = &found["gains"][0];
        let after = gain["after"].as_u64().unwrap();
        let expected = makespan(&name.replace(".st", "-mended.st"));
        assert!(
            Some(expected) < gain["before"].as_u64(),
            "{name}: {expected}"
        );
        let is_near = after.abs_diff(expected) * 100 <= expected * percent;
        assert!(is_near, "{name}: {after} and {expected}");
    }
}

/// The mended programs have no such problem, and that is said.
#[test]
fn programs_without_a_problem_are_told_so() {
    for name in [
        "matrix-mended.st",
        "pipeline-mended.st",
        "philosophers-mended.st",
        "workers-mended.st",
    ] {
        let ran = advise(name, &[]).exits(0).to_string();
        assert!(
            ran.contains("No other way of working together"),
            "{name}: {ran}"
        );
        for row in rows(name, &[]) {
            assert_eq!(row["isChange"], false, "{name}: {row}");
        }
    }
}

/// A circle comes before all other advice.
#[test]
fn a_deadlock_is_told_how_to_end() {
    for (name, rule) in [
        ("philosophers.st", "together Philosopher>>takeLeft:"),
        ("bank.st", "together BlockClosure>>separate:"),
    ] {
        let ran = advise(name, &[]);
        ran.exits(1).says("deadlock");
        let text = ran.output();
        assert!(text.contains("1 rule tried, 0 refused, 1 helps"), "{ran}");
        assert!(
            text.contains(&format!("tried as: {rule} (checked)")),
            "{ran}"
        );
        assert!(text.contains("makespan deadlock → "), "{ran}");
        let gain = &rows(name, &[])[0]["gains"][0];
        assert!(gain["before"].is_null(), "{gain}");
    }
    // Two requests that query each other are no scopes.
    let sandbox = Sandbox::new("advice");
    sandbox.write(
        "p.st",
        "Object subclass: A [ | b | b: x [ b := x ] go [ ^b get ] get [ ^1 ] ]
        | a b | a := A separate new. b := A separate new. a b: b. b b: a. a go. b go. a get printNl.",
    );
    let ran = sandbox.tally(&["timeline", "p.st", "--advise"]);
    ran.exits(1).says("mend that first");
    assert!(!ran.output().contains("tried"), "{ran}");
}

/// A rule under which the run ends in a deadlock helps nothing. What the run with other costs does not have is not tried there.
#[test]
fn what_ends_otherwise_is_refused() {
    let sandbox = Sandbox::new("advice");
    sandbox.write(
        "speed.st",
        "Object subclass: A [ set [ ] ]
        Object subclass: T [ x: x y: y after: n [ n timesRepeat: [].
            [ :p | 10 timesRepeat: []. [ :q | q set ] separate: y ] separate: x ] ]
        | a b s t |
        a := A separate new. b := A separate new. s := T separate new. t := T separate new.
        s x: a y: b after: 0. t x: b y: a after: 14.",
    );
    let ran = sandbox.tally(&["timeline", "speed.st", "--advise", "--limit", "0"]);
    let rule = "speed T>>x:y:after: 2/1: the run ends by 'deadlock', not 'finished'";
    assert!(ran.exits(0).output().contains(rule), "{ran}");
    sandbox.write(
        "late.st",
        "Object subclass: F [ | t | initialize [ t := 0 ] bump [ t := 1 ] t [ ^t ] one [ 40 timesRepeat: []. ^1 ] ]
        Object subclass: B [ go: f [ f bump ] ]
        | f b | f := F separate new. b := B separate new. b go: f.
        4 timesRepeat: []. f t = 1 ifTrue: [ f one printNl ].",
    );
    let ran = sandbox.tally(&["timeline", "late.st", "--advise", "--limit", "0"]);
    let why = "speed F>>one 2/1: the run has no requests of F>>one";
    assert!(ran.exits(0).output().contains(why), "{ran}");
}

/// What a smaller machine costs is a candidate, too.
#[test]
fn more_cpus_are_tried_where_there_are_few() {
    let rows = rows("workers-mended.st", &["--cpus", "1"]);
    assert_eq!(rows[0]["rule"], "cpus max");
    let ran = advise("workers-mended.st", &["--cpus", "1,2"]);
    ran.exits(2).says("give one number of CPUs");
    advise("market.st", &["--if", "copy Investor"])
        .exits(2)
        .says("leave --if out");
    advise("market.st", &["-o", "x.timeline"])
        .exits(2)
        .says("--advise runs several");
}
