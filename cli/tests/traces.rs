//! Traces through the command line: what is read is what was run, in each view and format; wrong input is refused.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::io::Cursor;
use std::path::Path;

use support::{Sandbox, TIMELINE_VIEWS as VIEWS};
use tally_timeline::trace::{Ending, Head, Trace, Writer};
use tally_timeline::{Accepted, Described, Origin, Sink};
use tally_vm::Event;

/// A folder with the examples of processors.
fn examples(name: &str) -> (Sandbox, Vec<String>) {
    let sandbox = Sandbox::new(name);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/processors");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).expect("examples") {
        let path = entry.expect("an example").path();
        let name = path.file_name().expect("a name").to_string_lossy();
        sandbox.write(&name, std::fs::read(&path).expect("a text"));
        names.push(name.into_owned());
    }
    names.sort();
    (sandbox, names)
}

fn market(name: &str) -> Sandbox {
    let (sandbox, _) = examples(name);
    let made = sandbox.tally(&["timeline", "market.st", "-o", "market.timeline"]);
    assert_eq!(made.exits(0).output(), "");
    sandbox
}

#[test]
fn a_trace_shows_what_its_run_shows() {
    let (sandbox, names) = examples("traces-same");
    for name in names.iter().filter(|name| name.starts_with("market")) {
        for options in [&[][..], &["--cpus", "2", "--costs", "latency=10"]] {
            let record = ["timeline", name, "-o", "x.timeline", "-o", "x.json"];
            sandbox.tally(&[&record, options].concat()).exits(0);
            let shown = |more: &[&str]| {
                let run = sandbox.tally(&[&["timeline", name.as_str()], options, more].concat());
                let read = sandbox.tally(&[&["timeline", "x.timeline"], more].concat());
                let (run, read) = (run.exits(0).output(), read.exits(0).output());
                assert_eq!(run, read, "{name} {options:?} {more:?}");
                assert!(!read.is_empty());
            };
            for view in VIEWS {
                shown(&["--view", view]);
                shown(&["--view", view, "--from", "20", "--to", "45"]);
                shown(&["--view", view, "--format", "csv"]);
                shown(&["--view", view, "--format", "md"]);
            }
            shown(&["--format", "json"]);
            shown(&["--format", "json", "--from", "30"]);
            let read = sandbox.tally(&["timeline", "x.timeline", "--format", "json"]);
            assert_eq!(read.output(), sandbox.read("x.json"));
        }
    }
    // The others print something first. One of them ends in a deadlock.
    for name in names.iter().filter(|name| name.ends_with(".st")) {
        sandbox.tally(&["timeline", name, "-o", "x.timeline"]);
        let run = sandbox.tally(&["timeline", name]);
        let read = sandbox.tally(&["timeline", "x.timeline"]);
        assert!(read.exits(0).output().starts_with("makespan "), "{read}");
        assert!(
            run.output().ends_with(read.output()),
            "{name}\n{run}\n{read}"
        );
    }
    let first = ["--from-call", "Deal>>first:second:"];
    let run = sandbox.tally(&[&["timeline", "market.st"][..], &first].concat());
    sandbox
        .tally(&["timeline", "market.st", "-o", "m.timeline"])
        .exits(0);
    let read = sandbox.tally(&[&["timeline", "m.timeline"][..], &first].concat());
    assert_eq!(run.exits(0).output(), read.exits(0).output());
    assert!(
        read.output()
            .starts_with("makespan 43, ticks 46, processors 4, requests 34,")
    );
}

/// The lanes of the market: the second investor waits for its condition, and each `id` is served as a callback.
#[test]
fn the_lanes_of_the_market() {
    let sandbox = market("traces-lanes");
    let read = sandbox.tally(&["timeline", "market.timeline", "--view", "processors"]);
    let expected = "\
                              0            13           26           39           52
script                        ██aa██aa██aa██████████████·······································
#1 Market                      ·██·····················█·██████··█··█·██████·█·██████··█·██████
#2 Investor                        ·██···············██a█aaaaaalll██a█aaaaaa···················
#3 Investor                            ·██············lllllllll██acccccccccc█a█aaaaaa██a█aaaaaa
";
    assert!(read.output().ends_with(expected), "{}", read.output());
    let zoomed = ["--view", "processors", "--from", "47", "--to", "52"];
    let read = sandbox.tally(&[&["timeline", "market.timeline"][..], &zoomed].concat());
    assert!(
        read.output()
            .contains("#3 Investor                   aaaa████aaaaaaaaaaaa"),
        "{}",
        read.output()
    );
}

#[test]
fn the_worst_features_and_the_waits_of_the_market() {
    let sandbox = market("traces-worst");
    let csv = |view| {
        let options = [
            "timeline",
            "market.timeline",
            "--format",
            "csv",
            "--view",
            view,
        ];
        sandbox.tally(&options).exits(0).output().to_string()
    };
    let hotspots = csv("hotspots");
    let worst: Vec<&str> = hotspots.lines().skip(1).collect();
    // The paper's Figure 6: most evaluations and their greatest mean, least useful time, most requests.
    assert!(
        worst[0].starts_with("Investor>>buy:,2,3,1.5,14.28"),
        "{hotspots}"
    );
    assert!(
        worst[0].contains("\"evaluations, tries, useful, synchronization, waiting, overtaken\"")
    );
    assert!(
        worst[1].starts_with("Investor>>sell:,2,2,1,14.28"),
        "{hotspots}"
    );
    assert!(
        worst[2].starts_with("Investor>>id,20,0,,100,0,requests"),
        "{hotspots}"
    );
    let waits = csv("waits");
    for row in [
        "queue,Deal>>first:second:,Investor>>sell:,Investor>>buy:,2,37,29,",
        "answer,Investor>>buy:,Market>>buy:,Market>>buy:,2,12,6,",
        "condition,Investor>>buy:,,Investor>>sell:,1,10,10,",
        "lock,Investor>>buy:,,Investor>>buy:,1,9,9,",
    ] {
        let row = row.replace(",,", ",–,");
        assert!(waits.contains(&row), "{waits}");
    }
    let features = csv("features");
    let sell = features
        .lines()
        .find(|line| line.starts_with("Investor>>sell:"));
    // Queue times of 8 and 29: the deviation is that of the population.
    assert!(
        sell.is_some_and(|row| row.contains(",37,18.5,10.5,9,4.5,1.5,")),
        "{features}"
    );
    let processors = csv("processors");
    assert!(
        processors.contains("#2,Investor,14,8,0,14,3,0,0,0,35"),
        "{processors}"
    );
}

#[test]
fn the_document_says_what_was_run() {
    let (sandbox, _) = examples("traces-json");
    let options = ["--cpus", "2", "--costs", "latency=3", "--format", "json"];
    let ran = sandbox.tally(&[&["timeline", "market.st"][..], &options].concat());
    let json: serde_json::Value = serde_json::from_str(ran.exits(0).output()).expect("JSON");
    let keys = [
        "schema",
        "model",
        "program",
        "cpus",
        "costs",
        "ending",
        "makespan",
        "ticks",
        "processors",
        "features",
        "requests",
        "waits",
    ];
    for key in keys {
        assert!(!json[key].is_null(), "{key}");
    }
    assert_eq!(json["schema"], "tally.timeline/1");
    assert_eq!(
        (&json["cpus"], &json["costs"]["latency"]),
        (&2.into(), &3.into())
    );
    assert_eq!(json["ending"], "finished");
    let requests = json["requests"].as_array().expect("requests");
    assert_eq!(requests.len(), 39);
    for request in requests.iter().filter(|one| !one["called"].is_null()) {
        let moment = |key: &str| request[key].as_u64().expect("a moment");
        let moments = ["called", "synchronizes", "executes", "returns"].map(moment);
        assert!(moments.is_sorted(), "{request}");
    }
    let states = |row: &serde_json::Value| {
        let states = row["states"].as_object().expect("states").values();
        states
            .map(|ticks| ticks.as_u64().expect("ticks"))
            .sum::<u64>()
    };
    for row in json["processors"].as_array().expect("processors") {
        let lifetime = json["makespan"].as_u64().unwrap() - row["created"].as_u64().unwrap();
        assert_eq!(states(row), lifetime, "{row}");
    }
}

/// Counts the events of a trace.
#[derive(Default)]
struct Count(usize);

impl Sink for Count {
    fn processor(&mut self, _: u32, _: Origin, _: &str) -> Accepted {
        Ok(())
    }

    fn request(&mut self, _: u32, _: &Described<'_>) -> Accepted {
        Ok(())
    }

    fn event(&mut self, _: &Event) -> Accepted {
        self.0 += 1;
        Ok(())
    }
}

/// Buffers of three places, each with four that fill it and four that empty it.
const LARGE: &str = "Object subclass: Store [ | items |
    initialize [ items := OrderedCollection new ]
    isEmpty [ ^items isEmpty ]
    isFull [ ^items size >= 3 ]
    put: x [ items addLast: x ]
    take [ ^items removeFirst ]
]
Object subclass: Maker [
    make: n into: store [ 1 to: n do: [ :i | (i \\\\ 7) timesRepeat: []. self put: i into: store ] ]
    put: i into: store [ <separate> self require: [ store isFull not ]. store put: i ]
]
Object subclass: User [ | sum |
    initialize [ sum := 0 ]
    sum [ ^sum ]
    use: n from: store [ n timesRepeat: [ self takeFrom: store ] ]
    takeFrom: store [ <separate> self require: [ store isEmpty not ]. sum := sum + store take ]
]
| stores makers users |
stores := (1 to: 5) collect: [ :i | Store separate new ].
makers := (1 to: 20) collect: [ :i | Maker separate new ].
users := (1 to: 20) collect: [ :i | User separate new ].
1 to: 20 do: [ :i | (users at: i) use: 60 from: (stores at: i \\\\ 5 + 1) ].
1 to: 20 do: [ :i | (makers at: i) make: 60 into: (stores at: i \\\\ 5 + 1) ].
(users inject: 0 into: [ :all :each | all + each sum ]) printNl.
";

#[test]
fn an_event_has_twelve_bytes_at_most() {
    let sandbox = market("traces-size");
    sandbox.write("large.st", LARGE);
    let made = sandbox.tally(&["timeline", "large.st", "-o", "large.timeline"]);
    assert_eq!(made.exits(0).output(), "36600\n");
    let bytes = std::fs::read(sandbox.path("large.timeline")).expect("a trace");
    let mut count = Count::default();
    let mut trace = Trace::open(Cursor::new(&bytes)).expect("a trace");
    trace.replay(&mut count).expect("whole");
    let each = bytes.len() as f64 / count.0 as f64;
    assert!(each < 12.0, "{each} bytes for each of {} events", count.0);
    // A summary has 30 lines at most.
    let shown = sandbox.tally(&["timeline", "large.timeline"]);
    assert!(shown.exits(0).output().lines().count() <= 30);
}

#[test]
fn a_cut_trace_is_shown_up_to_its_last_whole_block() {
    let sandbox = market("traces-cut");
    let bytes = std::fs::read(sandbox.path("market.timeline")).expect("a trace");
    sandbox.write("cut.timeline", &bytes[..bytes.len() - 10]);
    let whole = sandbox.tally(&["timeline", "market.timeline"]);
    let cut = sandbox.tally(&["timeline", "cut.timeline"]);
    cut.exits(0)
        .says("warning: the end of cut.timeline is missing: it is whole up to tick 65, byte ");
    assert_eq!(cut.output(), whole.output());
    sandbox.write("early.timeline", &bytes[..bytes.len() / 2]);
    let early = sandbox.tally(&["timeline", "early.timeline"]);
    early.exits(0).says("it is whole up to tick 9, byte ");
}

/// A program that goes on for as long as it may.
const ENDLESS: &str = "\
Object subclass: Cell [ value [ ^1 ] ]
| cell |
cell := Cell separate new.
[ true ] whileTrue: [ cell value ]
";

#[cfg(unix)]
#[test]
fn of_a_killed_run_all_whole_blocks_are_there() {
    use std::time::{Duration, Instant};
    let sandbox = Sandbox::new("traces-killed");
    sandbox.write("endless.st", ENDLESS);
    let partial = sandbox.path("x.timeline.partial");
    let patience = Instant::now() + Duration::from_secs(60);
    let mut ends = Vec::new();
    for kill in 0..8_u64 {
        let _ = std::fs::remove_file(&partial);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tally"));
        let command = command.current_dir(sandbox.path("."));
        let mut child = command
            .args(["timeline", "endless.st", "-o", "x.timeline"])
            .spawn()
            .expect("a process");
        let is_long =
            || std::fs::metadata(&partial).is_ok_and(|file| file.len() > 70_000 * kill + 300);
        while !is_long() {
            assert!(Instant::now() < patience, "no trace grows");
            std::thread::sleep(Duration::from_millis(1 + kill));
        }
        child.kill().expect("a kill");
        child.wait().expect("an end");
        assert!(!sandbox.path("x.timeline").exists());
        let read = sandbox.tally(&["timeline", "x.timeline.partial", "--format", "json"]);
        read.exits(0)
            .says("the end of x.timeline.partial is missing");
        let document: serde_json::Value = serde_json::from_str(read.output()).expect("a document");
        assert_eq!(document["ending"], "cut");
        ends.push(document["to"].as_u64());
    }
    assert!(ends[7] > ends[0], "{ends:?}");
    // The next run begins anew, and leaves nothing beside its trace.
    let options = [
        "timeline",
        "endless.st",
        "-o",
        "x.timeline",
        "--max-sends",
        "5000",
    ];
    sandbox.tally(&options).exits(6);
    sandbox.tally(&["timeline", "x.timeline"]).exits(0);
    assert!(!partial.exists());
}

/// A client that never pauses: of a trace that was cut, and of a segment, its ticks are there all the same.
#[test]
fn ticks_of_a_client_that_never_pauses() {
    let sandbox = Sandbox::new("traces-steady");
    let program = "\
Object subclass: Cell [ | value | value: anObject [ value := anObject ] ]
| cell |
cell := Cell separate new.
1 to: 200000 do: [ :each | cell value: each ]
";
    sandbox.write("steady.st", program);
    sandbox
        .tally(&["timeline", "steady.st", "-o", "x.timeline"])
        .exits(0);
    let ticks = |arguments: &[&str]| {
        let shown = sandbox.tally(&[arguments, &["--format", "json"]].concat());
        let document: serde_json::Value = serde_json::from_str(shown.output()).expect("a document");
        document["ticks"].as_u64().expect("a number")
    };
    let all = ticks(&["timeline", "x.timeline"]);
    assert!(all > 400_000, "{all}");
    let segment = ticks(&[
        "timeline",
        "x.timeline",
        "--from",
        "100000",
        "--to",
        "200000",
    ]);
    assert_eq!(segment, 100_000);
    let bytes = std::fs::read(sandbox.path("x.timeline")).expect("a trace");
    sandbox.write("cut.timeline", &bytes[..bytes.len() / 2]);
    let cut = ticks(&["timeline", "cut.timeline"]);
    assert!(cut > all / 3, "{cut} of {all}");
}

/// Two runs cannot write one trace at the same time.
#[test]
fn a_trace_that_grows_is_not_written_twice() {
    let sandbox = market("traces-twice");
    let held = std::fs::File::create(sandbox.path("y.timeline.partial")).expect("a file");
    held.lock().expect("a lock");
    let other = sandbox.tally(&["timeline", "market.st", "-o", "y.timeline"]);
    other.exits(74).says("y.timeline");
    drop(held);
    sandbox
        .tally(&["timeline", "market.st", "-o", "y.timeline"])
        .exits(0);
}

/// Arguments, the exit code, and a part of the message.
const WRONG: &str = "\
damaged.timeline | 74 | damaged trace: the checksum of a block is wrong, at byte
later.timeline | 74 | a trace of version 9.2, which this tally cannot read
foreign.timeline | 74 | foreign.timeline: not a trace of tally timeline
empty.timeline | 74 | not a trace
head.timeline | 74 | truncated trace: its head is not whole
none.timeline | 74 | cannot read none.timeline
model.timeline | 5 | recorded by version 1 of the counting model
market.timeline market.st | 2 | nothing is run, so there is no place for other files
market.timeline --cpus 2 | 2 | no place for --cpus
market.timeline --costs latency=1 | 2 | no place for --costs
market.timeline -e 3 | 2 | no place for -e
market.timeline -o x.timeline | 2 | a trace already
market.timeline -o x.pdf | 2 | names end in .timeline, .html, .json
market.timeline -o x.csv -o x.csv | 2 | written twice
market.timeline -o x.csv --format md | 2 | --format is for standard output
market.timeline --from 5 --to 5 | 2 | a segment ends after its begin
market.timeline --from 66 | 4 | the timeline ends at tick 65
market.st --from 66 | 4 | the timeline ends at tick 65
market.timeline --from-call Deal>>none | 2 | began no request
market.timeline --from-call Deal>>none --from 1 | 2 | cannot be used with
market.timeline --view love | 2 | invalid value
";

#[test]
fn wrong_input_is_refused() {
    let sandbox = market("traces-wrong");
    let bytes = std::fs::read(sandbox.path("market.timeline")).expect("a trace");
    let changed = |at: usize| {
        let mut changed = bytes.clone();
        changed[at] ^= 8;
        changed
    };
    sandbox.write("damaged.timeline", changed(400));
    sandbox.write("later.timeline", changed(8));
    sandbox.write("foreign.timeline", "3 printNl.");
    sandbox.write("head.timeline", &bytes[..20]);
    sandbox.write("empty.timeline", "");
    let head = Head {
        settings: vec![("scheduler".to_string(), "central".to_string())],
        model: 1,
        ..Head::default()
    };
    let writer = Writer::new(Vec::new(), &head).expect("a writer");
    let (_, other) = writer.finish(Ending::Finished, 0).expect("a trace");
    sandbox.write("model.timeline", &other);
    // A trace under another name is known by its first bytes.
    sandbox.write("trace", &bytes);
    sandbox.tally(&["timeline", "trace"]).exits(0);
    for row in WRONG.lines() {
        let cells: Vec<&str> = row.split(" | ").collect();
        let arguments: Vec<&str> = cells[0].split(' ').collect();
        let ran = sandbox.tally(&[&["timeline"][..], &arguments].concat());
        ran.exits(cells[1].parse().expect("a code")).says(cells[2]);
    }
}

/// A program that fails leaves its trace, which says so.
#[test]
fn a_trace_is_no_program() {
    let sandbox = market("traces-program");
    for command in ["run", "check", "verify", "profile"] {
        sandbox
            .tally(&[command, "market.timeline"])
            .exits(8)
            .says("market.timeline is a trace, which `tally timeline` reads, and no program");
    }
}

#[test]
fn the_trace_of_a_deadlock_names_it() {
    let sandbox = Sandbox::new("traces-dead");
    sandbox.write(
        "dead.st",
        "Object subclass: Asker [ | other |
            other: a [ other := a ]
            ask [ ^other answer ]
            answer [ ^42 ]
        ]
        | a b |
        a := Asker separate new. b := Asker separate new.
        a other: b. b other: a. a ask. b ask.",
    );
    sandbox
        .tally(&["timeline", "dead.st", "-o", "dead.timeline"])
        .exits(1);
    let read = sandbox.tally(&["timeline", "dead.timeline", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(read.exits(0).output()).expect("JSON");
    assert_eq!(json["ending"], "deadlock");
}
