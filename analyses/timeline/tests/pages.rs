//! Pages of timelines stay below 10 MB and say what is left out. No name is read as markup.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

mod support;

use std::io::Read as _;

use flate2::read::DeflateDecoder;
use serde_json::Value;
use support::{Run, find_path, head};
use tally_timeline::trace::Ending;
use tally_timeline::{
    Described, Extent, Origin, Overview, STATES, Sink as _, State, feed, html_page,
};
use tally_vm::{Event, EventKind, Timeline, TimelineProcessor};

const MOST_BYTES: usize = 10_000_000;

fn page(timeline: &Timeline, extent: Extent) -> String {
    let mut overview = Overview::new(extent, None, false).drawing();
    feed(timeline, &mut overview).expect("a sound timeline");
    let mut figures = overview.finish();
    find_path(&mut figures, timeline);
    html_page(&head(), Ending::Finished, &figures)
}

/// The data of a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("type=\"application/json\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The bytes of a packed text.
fn unpacked(text: &Value) -> Vec<u8> {
    let digit = |letter: u8| -> u32 {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        value.into()
    };
    let mut bytes = Vec::new();
    for piece in text.as_str().unwrap().as_bytes().chunks(4) {
        let bits = piece.iter().fold(0, |bits, letter| {
            bits << 6 | if *letter == b'=' { 0 } else { digit(*letter) }
        });
        bytes.extend(&bits.to_be_bytes()[1..]);
    }
    let mut inflated = Vec::new();
    let mut decoder = DeflateDecoder::new(&*bytes);
    decoder.read_to_end(&mut inflated).unwrap();
    inflated
}

/// Numbers of a packed text.
struct Numbers {
    bytes: Vec<u8>,
    at: usize,
}

impl Numbers {
    fn of(text: &Value) -> Numbers {
        let bytes = unpacked(text);
        Numbers { bytes, at: 0 }
    }

    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn next(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return number;
            }
        }
    }
}

/// The kind of a tile, and the number of kinds that have ticks: the states, and the time without the processor.
const TILE: usize = STATES.len() + 1;

/// Ticks of each lane by kind, and the number of intervals and tiles.
fn strips(data: &Value) -> (Vec<[u64; TILE]>, u64) {
    let mut numbers = Numbers::of(&data["lanes"]);
    // Creator, creation, moment, class, requests.
    let lanes = numbers.next();
    for _ in 0..5 * lanes {
        numbers.next();
    }
    let count = numbers.next();
    let all = numbers.next();
    let mut found = 0;
    let strips = (0..count).map(|_| {
        let mut sums = [0; TILE];
        let entries = numbers.next();
        found += entries;
        (0..entries).for_each(|_| add_entry(&mut numbers, &mut sums));
        sums
    });
    let strips = strips.collect();
    assert_eq!(found, all);
    (strips, all)
}

fn add_entry(numbers: &mut Numbers, sums: &mut [u64; TILE]) {
    let byte = numbers.byte();
    let kind = usize::from(byte & 15);
    let length = match byte >> 4 {
        15 => 15 + numbers.next(),
        short => short.into(),
    };
    if kind != TILE {
        sums[kind] += length;
        return;
    }
    let mask = numbers.next();
    let mut whole = 0;
    for kind in (0..TILE).filter(|kind| mask >> kind & 1 == 1) {
        let ticks = numbers.next();
        sums[kind] += ticks;
        whole += ticks;
    }
    assert_eq!(whole, length, "a tile has the ticks of its time");
}

#[test]
fn the_lanes_of_a_page_have_the_ticks_of_the_processors() {
    let run = Run::new(40, 4000, 5);
    for extent in [
        Extent::whole(run.timeline.end),
        Extent::segment(300, 2000, run.timeline.end),
    ] {
        let mut overview = Overview::new(extent, None, false).drawing();
        feed(&run.timeline, &mut overview).unwrap();
        let figures = overview.finish();
        let html = html_page(&head(), Ending::Finished, &figures);
        assert!(html.len() < MOST_BYTES);
        let (lanes, _) = strips(&data(&html));
        for (lane, row) in lanes.iter().zip(&figures.processors) {
            assert_eq!(lane[..STATES.len()], row.states);
        }
    }
}

/// A lane that turns from one state to another this many times, for as long as the function says.
fn turning(turns: u64, length: impl Fn(u64) -> u64) -> (String, [u64; TILE]) {
    let mut end = 0;
    let mut expected = [0; TILE];
    let place = |state| STATES.iter().position(|one| *one == state).unwrap();
    let moments: Vec<(u64, EventKind)> = (0..turns)
        .map(|turn| {
            let ticks = length(turn);
            end += ticks;
            let (kind, state) = match turn % 2 {
                0 => (EventKind::Ran(ticks), State::Running),
                _ => (EventKind::Charged(ticks), State::Overhead),
            };
            expected[place(state)] += ticks;
            (end, kind)
        })
        .collect();
    let mut overview = Overview::new(Extent::whole(end), None, false).drawing();
    overview.processor(0, Origin::default(), "").unwrap();
    for (time, kind) in moments {
        let event = Event {
            time,
            processor: 0,
            kind,
            request: 0,
        };
        overview.event(&event).unwrap();
    }
    let page = html_page(&head(), Ending::Finished, &overview.finish());
    (page, expected)
}

/// Ticks that no compression makes much of.
fn odd(turn: u64) -> u64 {
    1 + (turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 28)
}

#[test]
fn a_million_intervals_fit() {
    let (page, expected) = turning(1_000_000, |turn| 1 + turn * 7 % 11);
    assert!(page.len() < MOST_BYTES);
    let data = data(&page);
    assert_eq!(data["leftOut"]["tile"], 0);
    assert_eq!(strips(&data), (vec![expected], 1_000_000));
}

#[test]
fn more_intervals_than_a_page_has_room_for_become_tiles_with_whole_sums() {
    let many = (2_500_000, turning(2_500_000, |turn| 1 + turn % 3));
    let long = (900_000, turning(900_000, odd));
    for (turns, (page, expected)) in [many, long] {
        assert!(page.len() < MOST_BYTES, "{}", page.len());
        let data = data(&page);
        assert!(data["leftOut"]["tile"].as_u64().unwrap() > 1);
        let (lanes, entries) = strips(&data);
        assert_eq!(lanes, [expected]);
        assert!(entries < turns);
    }
}

/// A command that is called, taken up and begun at a moment, and ends at another one.
fn command(overview: &mut Overview, number: u32, time: u64, ends: u64) {
    let described = Described {
        class: "A",
        selector: "run",
        client: 0,
        supplier: 1,
        sender: None,
        waits: false,
        is_local: false,
        is_callback: false,
        site: None,
    };
    overview.request(number, &described).unwrap();
    let called = EventKind::Called {
        supplier: 1,
        waits: false,
    };
    for (time, processor, kind) in [
        (time, 0, called),
        (time, 1, EventKind::Synchronizes),
        (time, 1, EventKind::Executes),
        (ends, 1, EventKind::Returns),
    ] {
        let event = Event {
            time,
            processor,
            kind,
            request: number,
        };
        overview.event(&event).unwrap();
    }
}

#[test]
fn the_longest_requests_have_the_room() {
    let count = 600_000_u32;
    let length = |number: u32| odd(number.into()) >> 4;
    let end = u64::from(count) * 4 + (1 << 40);
    let mut overview = Overview::new(Extent::whole(end), None, false).drawing();
    overview.processor(0, Origin::default(), "").unwrap();
    overview.processor(1, Origin::default(), "A").unwrap();
    for number in 1..count {
        let time = u64::from(number) * 4;
        command(&mut overview, number, time, time + length(number));
    }
    let page = html_page(&head(), Ending::Finished, &overview.finish());
    assert!(page.len() < MOST_BYTES, "{}", page.len());
    let data = data(&page);
    let left_out = data["leftOut"]["requests"].as_u64().unwrap();
    let mut numbers = Numbers::of(&data["requests"]);
    let shown = numbers.next();
    assert_eq!(shown + left_out, u64::from(count - 1));
    assert!(shown > 100_000 && left_out > 0, "{shown} {left_out}");
    // The numbers are differences with the sign in the lowest bit.
    let mut number = 0;
    let least = (0..shown).map(|_| {
        number += numbers.next() / 2;
        length(number as u32)
    });
    let least = least.min().unwrap();
    let longer = (1..count).filter(|number| length(*number) > least).count() as u64;
    assert!(
        longer <= shown,
        "{longer} requests are longer than one of {shown}"
    );
}

#[test]
fn a_path_of_more_parts_than_a_page_has_room_for_is_cut_and_its_shares_are_not() {
    let turns = 90_000;
    let mut timeline = Timeline::default();
    timeline.processors.push(TimelineProcessor {
        path: Vec::new(),
        class: String::new(),
    });
    let mut sums = [0, 0];
    for turn in 0..turns {
        let ticks = odd(turn);
        timeline.end += ticks;
        sums[turn as usize % 2] += ticks;
        timeline.events.push(Event {
            time: timeline.end,
            processor: 0,
            kind: match turn % 2 {
                0 => EventKind::Ran(ticks),
                _ => EventKind::Charged(ticks),
            },
            request: 0,
        });
    }
    let mut overview = Overview::new(Extent::whole(timeline.end), None, false).drawing();
    feed(&timeline, &mut overview).unwrap();
    let mut figures = overview.finish();
    find_path(&mut figures, &timeline);
    let page = html_page(&head(), Ending::Finished, &figures);
    assert!(page.len() < MOST_BYTES);
    let data = data(&page);
    let shares = data["path"]["shares"].as_array().unwrap();
    let share = |how: &str| &shares.iter().find(|row| row["how"] == how).unwrap()["share"];
    assert_eq!([share("running"), share("overhead")], sums.each_ref());
    let text = data["path"]["parts"].as_str().unwrap();
    assert!(text.len() <= 300_000);
    let mut numbers = Numbers::of(&data["path"]["parts"]);
    let shown = numbers.next();
    assert_eq!(shown + data["leftOut"]["parts"].as_u64().unwrap(), turns);
    assert!(shown > 10_000 && shown < turns, "{shown}");
    (0..shown).for_each(|_| assert_eq!(numbers.next(), 0, "no gap"));
    (0..shown).for_each(|turn| assert_eq!(numbers.next(), odd(turn)));
}

#[test]
fn no_name_is_markup() {
    let mut timeline = Run::new(4, 60, 3).timeline;
    let hostile = "</script><script>window.broken = 1</script>\u{0}\u{1b}\"'\u{2028}<!--";
    for request in &mut timeline.requests {
        request.class = format!("{hostile}{}", request.class);
        request.selector = format!("{}{hostile}", request.selector);
        request.site = Some(hostile.to_string());
    }
    for processor in &mut timeline.processors {
        processor.class = hostile.to_string();
    }
    for obstacle in &mut timeline.obstacles {
        obstacle.object = hostile.to_string();
    }
    let end = timeline.end;
    let page = page(&timeline, Extent::whole(end));
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    assert!(!page.contains("<!--") && !page.contains('\u{1b}') && !page.contains('\0'));
    let texts = data(&page)["texts"].to_string();
    assert!(texts.contains("window.broken"));
}

#[test]
fn a_timeline_without_events_has_a_page() {
    let data = data(&page(&Timeline::default(), Extent::whole(0)));
    assert_eq!(data["about"]["makespan"], 0);
    assert_eq!(strips(&data), (Vec::new(), 0));
}
