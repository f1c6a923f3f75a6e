//! Timelines in the formats of other tools: each format is read back, and its sums are those of the report.

mod support;

use std::collections::BTreeMap;

use proptest::prelude::*;
use rusqlite::Connection;
use support::exports::{Slices, WORDS, export, exported, read_chrome, read_perfetto, report};
use support::{Run, odd_blocks, traced};
use tally_timeline::exports::EXPORTS;
use tally_timeline::trace::{Trace, forged};
use tally_timeline::{CAUSES, Extent, Figures, Window};
use tally_vm::{Event, EventKind, Timeline, TimelineProcessor, TimelineRequest};

/// Parts of a timeline: the whole, from a moment on, and segments.
fn parts(end: u64) -> [Extent; 4] {
    [
        Extent::whole(end),
        Extent::since(end / 3, end),
        Extent::segment(end / 3, end / 2, end),
        Extent::segment(end / 2, end, end),
    ]
}

/// A database of these bytes.
fn database(bytes: &[u8]) -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.sqlite");
    std::fs::write(&path, bytes).expect("a file");
    let database = Connection::open(&path).expect("a database");
    (folder, database)
}

/// Lanes, names, begins and ends.
fn bars(read: &Slices) -> Vec<(u64, &str, u64, u64)> {
    let bars = read.bars.iter();
    bars.map(|bar| (bar.lane, bar.name.as_str(), bar.from, bar.to))
        .collect()
}

/// Names and sums by SQL.
fn rows(database: &Connection, sql: &str) -> BTreeMap<String, Vec<u64>> {
    let mut statement = database.prepare(sql).expect(sql);
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let numbers: Result<Vec<Option<i64>>, _> = (1..columns).map(|at| row.get(at)).collect();
        let numbers = numbers?.into_iter();
        let numbers = numbers.map(|one| one.unwrap_or_default().unsigned_abs());
        Ok((row.get(0)?, numbers.collect()))
    });
    rows.expect(sql).map(|row| row.expect(sql)).collect()
}

fn of_features(figures: &Figures) -> BTreeMap<String, Vec<u64>> {
    let rows = figures.features.iter().map(|row| {
        let numbers = vec![
            row.requests,
            row.unstarted,
            row.evaluations.sum,
            row.queue.sum,
            row.synchronization.sum,
            row.execution.sum,
            row.waiting.sum,
            row.useful.sum,
        ];
        (row.name.clone(), numbers)
    });
    rows.collect()
}

#[test]
fn sums_of_sql_are_those_of_the_report() {
    for (processors, requests) in [(1, 2), (3, 40), (30, 3000)] {
        let timeline = Run::new(processors, requests, 9).timeline;
        for extent in parts(timeline.end) {
            let figures = report(&timeline, extent);
            let (_folder, database) = database(&exported(&timeline, extent, "sqlite"));
            let features = rows(
                &database,
                "SELECT name, count(synchronizes), count(*) - count(synchronizes),
                    sum(iif(synchronizes IS NULL, 0, evaluations)), sum(queue), sum(synchronization), sum(execution),
                    sum(iif(synchronizes IS NULL OR returns IS NULL, 0, waiting)), sum(useful)
                FROM named_requests WHERE request > 0 GROUP BY name",
            );
            assert_eq!(features, of_features(&figures), "{extent:?}");
            let waits = rows(
                &database,
                "SELECT cause, sum(ticks) FROM named_waits GROUP BY cause",
            );
            let expected = CAUSES.map(|cause| (cause.word().to_string(), figures.waited(cause)));
            let expected = expected.into_iter().filter(|(_, ticks)| *ticks > 0);
            let expected: BTreeMap<_, _> =
                expected.map(|(word, ticks)| (word, vec![ticks])).collect();
            assert_eq!(waits, expected, "{extent:?}");
            for (word, state) in WORDS {
                let sql = format!(
                    "SELECT name, coalesce(sum(\"to\" - \"from\"), 0) FROM processors
                    LEFT JOIN states ON states.processor = processors.processor AND state = '{word}'
                    GROUP BY processors.processor"
                );
                let numbered = (0..).zip(&figures.processors);
                let expected = numbered.map(|(number, row)| {
                    (figures.processor_name(number), vec![row.in_state(state)])
                });
                assert_eq!(rows(&database, &sql), expected.collect(), "{extent:?}");
            }
        }
    }
}

/// The slices of a format are the requests of the report, and flows lead from their calls to them.
fn check_slices(read: &Slices, figures: &Figures, end: u64) {
    let mut expected: BTreeMap<(u64, String), (u64, u64)> = BTreeMap::new();
    let mut calls = BTreeMap::new();
    for (number, row) in &figures.listed {
        let Some(from) = row.synchronizes else {
            continue;
        };
        let to = row.returns.unwrap_or(end);
        let name = figures.names.full(row.feature);
        let sum = expected.entry((u64::from(*number), name)).or_default();
        *sum = (sum.0.saturating_add(to - from), row.supplier.into());
        calls.insert(u64::from(*number), row);
    }
    let mut found: BTreeMap<(u64, String), (u64, u64)> = BTreeMap::new();
    let is_request =
        |name: &str| name != "synchronizes" && !name.starts_with("waits for ") && name != "script";
    for bar in read.bars.iter().filter(|bar| is_request(&bar.name)) {
        let number = bar.request.expect("the number of a request");
        let sum = found.entry((number, bar.name.clone())).or_default();
        *sum = (sum.0 + bar.to - bar.from, bar.lane);
    }
    // A request that is not in the part has no slice, or one of no length.
    expected.retain(|key, (ticks, _)| *ticks > 0 || found.contains_key(key));
    found.retain(|key, (ticks, _)| *ticks > 0 || expected.contains_key(key));
    assert_eq!(found, expected);
    let mut passed = 0;
    for (number, time, lane) in &read.flows {
        let Some(row) = calls.get(number) else {
            continue;
        };
        let places = [
            (row.called, row.client),
            (row.synchronizes, row.supplier),
            (row.returns, row.client),
        ];
        let is_there = places
            .iter()
            .any(|(moment, at)| *moment == Some(*time) && u64::from(*at) == *lane);
        let is_late = row.returns.is_none_or(|returns| *time >= returns);
        assert!(is_there || is_late, "{number} at {time} in {lane}: {row:?}");
        passed += u64::from(is_there);
    }
    assert!(passed > 0 || calls.values().all(|row| row.is_local));
    for (word, state) in WORDS {
        let mut sums = vec![0; figures.processors.len()];
        for bar in read.states.iter().filter(|bar| bar.name == word) {
            sums[bar.lane as usize] += bar.to - bar.from;
        }
        let expected: Vec<u64> = figures
            .processors
            .iter()
            .map(|row| row.in_state(state))
            .collect();
        assert_eq!(sums, expected, "{word}");
    }
    assert_eq!(read.lanes.len(), figures.processors.len());
}

#[test]
fn slices_flows_and_states_are_those_of_the_report() {
    for (processors, requests) in [(1, 2), (3, 40), (30, 3000)] {
        let timeline = Run::new(processors, requests, 5).timeline;
        for extent in parts(timeline.end) {
            let figures = report(&timeline, extent);
            let end = figures.extent.end;
            let perfetto = read_perfetto(&exported(&timeline, extent, "perfetto"));
            check_slices(&perfetto, &figures, end);
            let chrome = read_chrome(&exported(&timeline, extent, "chrome"));
            check_slices(&chrome, &figures, end);
            assert_eq!(chrome.bars, perfetto.bars);
            assert_eq!(chrome.states, perfetto.states);
            assert_eq!(chrome.levels, perfetto.levels);
            assert_eq!(chrome.lanes, perfetto.lanes);
        }
    }
}

/// Markers of a profile: their names with how many there are and how long they are together, in ticks.
fn markers(bytes: &[u8]) -> BTreeMap<String, (u64, u64)> {
    let profile: serde_json::Value = serde_json::from_slice(bytes).expect("JSON");
    let mut sums: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for thread in profile["threads"].as_array().expect("threads") {
        let markers = &thread["markers"];
        let strings = match thread["stringArray"].as_array() {
            Some(strings) => strings,
            None => profile["shared"]["stringArray"].as_array().expect("texts"),
        };
        for place in 0..markers["length"].as_u64().expect("a length") as usize {
            let name = strings[markers["name"][place].as_u64().expect("a value") as usize].as_str();
            let moment = |column: &str| {
                let milliseconds = markers[column][place].as_f64().expect("a moment");
                (milliseconds * 1000.0).round() as u64
            };
            let sum = sums.entry(name.expect("a name").to_string()).or_default();
            sum.0 += 1;
            sum.1 += moment("endTime") - moment("startTime");
        }
    }
    sums
}

#[test]
fn markers_are_the_requests_and_waits_of_the_report() {
    let timeline = Run::new(20, 2000, 3).timeline;
    for extent in parts(timeline.end) {
        let figures = report(&timeline, extent);
        let found = markers(&exported(&timeline, extent, "firefox"));
        for cause in CAUSES {
            let ticks = found.get(cause.word()).map_or(0, |(_, ticks)| *ticks);
            assert_eq!(ticks, figures.waited(cause), "{cause:?}");
        }
        for feature in &figures.features {
            let count = found.get(&feature.name).map_or(0, |(count, _)| *count);
            assert_eq!(count, feature.requests, "{}", feature.name);
        }
    }
}

/// Two processors, and a query from the one to the other.
fn small(class: &str, selector: &str) -> Timeline {
    let processor = |path: &[u32], class: &str| TimelineProcessor {
        path: path.to_vec(),
        class: class.to_string(),
    };
    let request = |class: &str, selector: &str, supplier, waits| TimelineRequest {
        class: class.to_string(),
        selector: selector.to_string(),
        client: 0,
        supplier,
        sender: (supplier > 0).then_some(0),
        waits,
        is_local: false,
        is_callback: false,
        site: (supplier > 0).then(|| format!("{class}.st:1:2")),
    };
    let event = |time, processor, request, kind| Event {
        time,
        processor,
        kind,
        request,
    };
    Timeline {
        processors: vec![processor(&[], ""), processor(&[1], class)],
        requests: vec![request("", "", 0, false), request(class, selector, 1, true)],
        obstacles: Vec::new(),
        events: vec![
            event(3, 0, 0, EventKind::Ran(3)),
            event(3, 1, 0, EventKind::Created),
            event(4, 0, 0, EventKind::Ran(1)),
            event(
                5,
                0,
                1,
                EventKind::Called {
                    supplier: 1,
                    waits: true,
                },
            ),
            event(7, 1, 1, EventKind::Synchronizes),
            event(8, 1, 1, EventKind::Executes),
            event(12, 1, 1, EventKind::Ran(4)),
            event(12, 1, 1, EventKind::Returns),
            event(13, 0, 1, EventKind::Answered),
            event(15, 0, 0, EventKind::Ran(2)),
            event(15, 0, 0, EventKind::Returns),
        ],
        end: 15,
    }
}

/// A database as text.
fn dump(database: &Connection) -> String {
    let mut text = String::new();
    for table in [
        "meta",
        "processors",
        "features",
        "places",
        "requests",
        "states",
        "waits",
    ] {
        let mut statement = database
            .prepare(&format!("SELECT * FROM {table}"))
            .expect("a value");
        let count = statement.column_count();
        let mut rows = statement.query([]).expect("a value");
        while let Some(row) = rows.next().expect("a value") {
            let cells: Vec<String> = (0..count)
                .map(|at| {
                    format!(
                        "{:?}",
                        row.get::<_, rusqlite::types::Value>(at).expect("a value")
                    )
                })
                .collect();
            text += &format!("{table}: {}\n", cells.join(" "));
        }
    }
    text
}

/// Each format of the small timeline as text.
fn spelled(name: &str) -> String {
    let timeline = small("Account", "balance");
    let bytes = exported(&timeline, Extent::whole(timeline.end), name);
    match name {
        "sqlite" => dump(&database(&bytes).1),
        "perfetto" => format!("{:#?}\n", read_perfetto(&bytes)),
        _ => String::from_utf8(bytes).expect("a text"),
    }
}

/// `TALLY_UPDATE=1` writes the files anew.
#[test]
fn a_small_timeline_is_written_as_its_files_say() {
    for format in EXPORTS {
        let spelled = spelled(format.name);
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exports");
        let path = format!("{folder}/small-{}.txt", format.name);
        if std::env::var_os("TALLY_UPDATE").is_some() {
            std::fs::write(&path, &spelled).expect("a file");
        }
        let expected = std::fs::read_to_string(&path).expect("a file");
        let mut lines = spelled.lines().zip(expected.lines());
        let differing = lines.find(|(one, other)| one != other);
        assert_eq!(differing, None, "{}", format.name);
        assert_eq!(spelled.len(), expected.len(), "{}", format.name);
    }
}

/// Worked out by hand: the script runs 0 to 4 and 13 to 15, the account 8 to 12. The account's queue holds the request from 5 to 7.
#[test]
fn levels_and_slices_by_hand() {
    let timeline = small("Account", "balance");
    let bytes = exported(&timeline, Extent::whole(15), "chrome");
    let read = read_chrome(&bytes);
    let levels = |name: &str| -> Vec<(u64, u64)> {
        let of = read.levels.iter().filter(|(one, ..)| one == name);
        of.map(|(_, time, value)| (*time, *value)).collect()
    };
    let running = levels("running processors");
    assert_eq!(running, [(0, 1), (4, 0), (8, 1), (12, 0), (13, 1), (15, 0)]);
    assert_eq!(levels("queue of #1 Account"), [(5, 1), (7, 0)]);
    let drawn = bars(&read);
    let expected = [
        (1, "synchronizes", 7, 8),
        (1, "Account>>balance", 7, 12),
        (0, "waits for Account>>balance", 5, 13),
        (0, "script", 0, 15),
    ];
    assert_eq!(drawn, expected);
    assert_eq!(read.flows, [(1, 5, 0), (1, 7, 1)]);
    // The segment from 6 to 10 begins in the queue, and ends in the query.
    let bytes = exported(&timeline, Extent::segment(6, 10, 15), "chrome");
    let read = read_chrome(&bytes);
    let drawn = bars(&read);
    let expected = [
        (1, "synchronizes", 7, 8),
        (0, "waits for Account>>balance", 6, 10),
        (0, "script", 6, 10),
        (1, "Account>>balance", 7, 10),
    ];
    assert_eq!(drawn, expected);
    assert_eq!(read.flows, [(1, 7, 1)]);
}

/// Names come from files of unknown origin.
#[test]
fn odd_names_come_back_and_control_nothing() {
    let class = "A\"<&>'\\\u{1b}[31m\u{0}\n\u{1F600}\u{202e}</title><script>";
    let timeline = small(class, "b\"]:");
    let extent = Extent::whole(timeline.end);
    let name = format!("{class}>>b\"]:");
    let (_folder, database) = database(&exported(&timeline, extent, "sqlite"));
    let features = rows(&database, "SELECT name, feature FROM features");
    assert!(features.contains_key(&name), "{features:?}");
    for read in [
        read_perfetto(&exported(&timeline, extent, "perfetto")),
        read_chrome(&exported(&timeline, extent, "chrome")),
    ] {
        assert!(read.bars.iter().any(|bar| bar.name == name), "{read:?}");
        assert_eq!(read.lanes, ["script".to_string(), format!("#1 {class}")]);
    }
    let found = markers(&exported(&timeline, extent, "firefox"));
    assert!(found.contains_key(&name), "{found:?}");
    let svg = String::from_utf8(exported(&timeline, extent, "svg")).expect("a text");
    assert!(texts(&svg).iter().any(|one| one == "script"));
    let is_control = |c: char| c.is_control() && c != '\n';
    assert!(
        !svg.contains(is_control) && !svg.contains("<script"),
        "{svg}"
    );
}

/// The texts of a picture that is read as XML.
fn texts(svg: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(svg);
    let mut texts = Vec::new();
    let mut depth = 0_u32;
    loop {
        match reader.read_event().expect("well-formed") {
            quick_xml::events::Event::Start(start) => {
                let known = ["svg", "style", "text", "path", "title", "g", "rect"];
                let name = String::from_utf8_lossy(start.name().as_ref()).into_owned();
                assert!(known.contains(&name.as_str()), "{name}");
                depth += 1;
            }
            quick_xml::events::Event::End(_) => depth -= 1,
            quick_xml::events::Event::Text(text) => {
                texts.push(text.decode().expect("a text").into_owned());
            }
            quick_xml::events::Event::Eof => break,
            _ => {}
        }
    }
    assert_eq!(depth, 0, "each element ends");
    texts
}

#[test]
fn a_picture_is_bounded_and_says_what_it_leaves_out() {
    let timeline = Run::new(1000, 20_000, 4).timeline;
    let svg = exported(&timeline, Extent::whole(timeline.end), "svg");
    assert!(svg.len() < 2_000_000, "{} bytes", svg.len());
    let svg = String::from_utf8(svg).expect("a text");
    let texts = texts(&svg);
    for part in [
        "800 processors are left out: the first 200 are drawn.",
        "that waited longest until they were taken up are drawn.",
        "A bar shows the state that took most of each ",
    ] {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}");
    }
    assert!(svg.contains("prefers-color-scheme: dark"));
}

#[test]
fn an_empty_timeline_can_be_exported() {
    let timeline = Timeline::default();
    for extent in [Extent::whole(0), Extent::segment(0, 5, 0)] {
        for format in EXPORTS {
            let bytes = exported(&timeline, extent, format.name);
            assert!(!bytes.is_empty(), "{}", format.name);
        }
        assert!(
            read_perfetto(&exported(&timeline, extent, "perfetto"))
                .bars
                .is_empty()
        );
        assert!(
            read_chrome(&exported(&timeline, extent, "chrome"))
                .bars
                .is_empty()
        );
        texts(&String::from_utf8(exported(&timeline, extent, "svg")).expect("a value"));
    }
}

/// Perfetto counts nanoseconds in 63 bits.
#[test]
fn what_is_too_long_for_a_format_is_an_error() {
    let mut timeline = small("A", "b");
    let end = u64::MAX / 4;
    timeline.events.push(Event {
        time: end,
        processor: 0,
        kind: EventKind::Ran(1),
        request: 0,
    });
    timeline.end = end;
    let bytes = traced(&timeline);
    for (name, is_too_long) in [
        ("perfetto", true),
        ("firefox", true),
        ("chrome", false),
        ("sqlite", false),
        ("svg", false),
    ] {
        let done = export(&bytes, Extent::whole(end), name);
        assert_eq!(done.is_err(), is_too_long, "{name}");
    }
}

/// Everything is done with these bytes that can be done. Errors are expected.
fn use_all(bytes: &[u8], from: u64, to: u64) {
    let Ok(trace) = Trace::open(std::io::Cursor::new(bytes)) else {
        return;
    };
    let end = trace.end();
    for format in EXPORTS {
        let _ = export(bytes, Extent::whole(end), format.name);
        let window = Window { from, to };
        let segment = Extent::segment(window.from, window.to, end);
        let _ = export(bytes, segment, format.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_blocks_are_too_odd(
        bytes in odd_blocks(),
        from in 0_u64..50,
    ) {
        use_all(&forged(&bytes), from, from + 20);
    }

    #[test]
    fn events_in_any_order_are_no_harm(
        events in prop::collection::vec((0_u64..99, 0_u32..5, 0_u8..14, 0_u32..12), 0..200),
    ) {
        let mut timeline = Run::new(4, 10, 1).timeline;
        let kinds = [
            EventKind::Called { supplier: 1, waits: true },
            EventKind::Called { supplier: 2, waits: false },
            EventKind::Synchronizes,
            EventKind::Executes,
            EventKind::Returns,
            EventKind::Answered,
            EventKind::Joins,
            EventKind::Cancelled,
            EventKind::Ran(3),
            EventKind::Locks,
            EventKind::Granted,
            EventKind::Blocks { on: 1 },
            EventKind::Freed { by: 2 },
            EventKind::Evaluated(false),
        ];
        let events = events.into_iter().map(|(time, processor, kind, request)| Event {
            time,
            processor,
            kind: kinds[usize::from(kind)],
            request,
        });
        timeline.events.extend(events.filter(|event| event.processor < 4));
        use_all(&traced(&timeline), 20, 60);
    }
}
