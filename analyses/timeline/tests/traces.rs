//! Traces come back as they were, as a whole and in segments; of cut ones the whole blocks come back; no byte can change unnoticed.

mod support;

use std::io::Cursor;

use proptest::prelude::*;
use support::{Collected, Run, head, odd_blocks, overview, shown, traced};
use tally_timeline::trace::{Ending, Trace, TraceError, forged};
use tally_timeline::{Extent, STATES, Window, feed, html_page};
use tally_vm::{Event, EventKind, Timeline};

fn open(bytes: &[u8]) -> Result<Trace<Cursor<&[u8]>>, TraceError> {
    Trace::open(Cursor::new(bytes))
}

fn collected(timeline: &Timeline) -> Collected {
    let mut all = Collected::default();
    feed(timeline, &mut all).expect("a sound timeline");
    all
}

/// Everything that can be read of these bytes.
fn read(bytes: &[u8]) -> Result<Collected, TraceError> {
    let mut all = Collected::default();
    open(bytes)?.replay(&mut all)?;
    Ok(all)
}

#[test]
fn a_trace_comes_back() {
    for (processors, requests) in [(1, 2), (3, 20), (40, 3000), (5000, 20_000)] {
        let run = Run::new(processors, requests, 7);
        let bytes = traced(&run.timeline);
        let mut trace = open(&bytes).expect("a trace");
        assert_eq!(*trace.head(), head());
        assert_eq!(trace.ending(), Ending::Deadlock);
        assert_eq!(trace.end(), run.timeline.end);
        assert_eq!(trace.cut(), None);
        let mut back = Collected::default();
        trace.replay(&mut back).expect("sound blocks");
        assert_eq!(back, collected(&run.timeline));
        if run.timeline.events.len() > 1000 {
            let each = bytes.len() as f64 / run.timeline.events.len() as f64;
            assert!(each <= 12.0, "{each} bytes an event");
        }
    }
}

#[test]
fn the_figures_of_a_trace_are_those_of_the_run() {
    let run = Run::new(30, 4000, 3);
    let extent = Extent::whole(run.timeline.end);
    let mut live = overview(extent);
    feed(&run.timeline, &mut live).expect("a sound timeline");
    let mut back = overview(extent);
    let bytes = traced(&run.timeline);
    open(&bytes).unwrap().replay(&mut back).unwrap();
    let live = live.finish();
    assert_eq!(shown(&live), shown(&back.finish()));
    // The states of a processor fill its life.
    for row in &live.processors {
        let states: u64 = STATES.iter().map(|state| row.in_state(*state)).sum();
        assert_eq!(states, run.timeline.end - row.origin.time);
    }
}

#[test]
fn a_segment_of_a_trace_is_that_of_the_run_and_needs_few_blocks() {
    let run = Run::new(60, 120_000, 11);
    let bytes = traced(&run.timeline);
    let end = run.timeline.end;
    let mut least = u64::MAX;
    for part in 0..40 {
        let from = end / 40 * part;
        let to = from + end / 100;
        let extent = Extent::segment(from, to, end);
        let mut live = overview(extent);
        feed(&run.timeline, &mut live).expect("a sound timeline");
        let mut trace = open(&bytes).unwrap();
        let mut back = overview(extent);
        trace
            .replay_segment(Window { from, to }, &mut back)
            .unwrap();
        let [live, back] = [live, back].map(|overview| shown(&overview.finish()));
        let differing = live
            .lines()
            .zip(back.lines())
            .find(|(one, other)| one != other);
        assert_eq!(differing, None, "{from} to {to}");
        assert_eq!(live.len(), back.len());
        least = least.min(trace.bytes_read());
    }
    assert!(least * 4 < bytes.len() as u64, "{least} of {}", bytes.len());
}

/// The times of segments add up to those of the whole.
#[test]
fn segments_add_up() {
    let run = Run::new(12, 3000, 5);
    let end = run.timeline.end;
    let figures = |extent| {
        let mut all = overview(extent);
        feed(&run.timeline, &mut all).expect("a sound timeline");
        all.finish()
    };
    let whole = figures(Extent::segment(0, end, end));
    let cuts: Vec<u64> = (0..=10).map(|part| end * part / 10).collect();
    let parts: Vec<_> = cuts
        .windows(2)
        .map(|ends| figures(Extent::segment(ends[0], ends[1], end)))
        .collect();
    assert_eq!(
        parts.iter().map(|part| part.ticks).sum::<u64>(),
        whole.ticks
    );
    assert_eq!(
        parts.iter().map(|part| part.waiting).sum::<u64>(),
        whole.waiting
    );
    for feature in &whole.features {
        let of = parts.iter().flat_map(|part| &part.features);
        let same: Vec<_> = of.filter(|one| one.name == feature.name).collect();
        let queue: u64 = same.iter().map(|one| one.queue.sum).sum();
        let execution: u64 = same.iter().map(|one| one.execution.sum).sum();
        assert_eq!(
            (queue, execution),
            (feature.queue.sum, feature.execution.sum)
        );
    }
}

#[test]
fn of_a_cut_trace_the_whole_blocks_come_back() {
    for (run, step) in [(Run::new(4, 60, 1), 1), (Run::new(20, 30_000, 1), 9973)] {
        let bytes = traced(&run.timeline);
        let all = collected(&run.timeline);
        let (mut heads, mut seen) = (0, 0);
        let last = bytes.len() - 1;
        for length in (0..last).step_by(step).chain([last]) {
            let mut trace = match open(&bytes[..length]) {
                Ok(trace) => trace,
                Err(TraceError::Truncated | TraceError::NoTrace) => {
                    assert_eq!(seen, 0);
                    heads += 1;
                    continue;
                }
                Err(error) => panic!("{length}: {error}"),
            };
            let cut = trace.cut().expect("the end is missing");
            assert!(cut.bytes <= length as u64 && cut.bytes + (64 << 10) > length as u64);
            let mut back = Collected::default();
            trace.replay(&mut back).expect("whole blocks");
            assert!(all.events.starts_with(&back.events));
            assert!(back.events.len() >= seen, "{length}");
            seen = back.events.len();
            let last = back.events.iter().map(|event| event.time).max();
            assert!(trace.end() >= last.unwrap_or(0));
            let segment = Window {
                from: trace.end() / 2,
                to: trace.end(),
            };
            let mut part = overview(Extent::segment(segment.from, segment.to, trace.end()));
            trace
                .replay_segment(segment, &mut part)
                .expect("whole blocks");
        }
        assert!(heads > 0);
        assert_eq!(seen, all.events.len());
    }
}

#[test]
fn no_byte_can_change_unnoticed() {
    let run = Run::new(4, 40, 2);
    let bytes = traced(&run.timeline);
    for at in 0..bytes.len() {
        for change in [1, 2, 16, 128, 255] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            assert!(read(&changed).is_err(), "byte {at} ^ {change}");
        }
    }
}

#[test]
fn other_files_are_refused() {
    let text = |bytes: &[u8]| open(bytes).err().map(|error| error.to_string());
    let bytes = traced(&Run::new(2, 5, 1).timeline);
    let mut later = bytes.clone();
    later[8] = 2;
    for (bytes, why) in [
        (&b""[..], "not a trace"),
        (b"'hello' displayNl.", "not a trace"),
        (b"\x89TALLY\r\n", "not a trace"),
        (&bytes[..5], "truncated"),
        (&bytes[..30], "truncated"),
        (&later, "version 2.2"),
        (&[&bytes[..], b"x"].concat(), "damaged"),
    ] {
        let said = text(bytes).unwrap_or_default();
        assert!(said.contains(why), "{said}");
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![
        Just(EventKind::Created),
        (any::<u32>(), any::<bool>())
            .prop_map(|(supplier, waits)| EventKind::Called { supplier, waits }),
        Just(EventKind::Synchronizes),
        Just(EventKind::Locks),
        any::<u32>().prop_map(|supplier| EventKind::Wants { supplier }),
        (0_u32..5).prop_map(|supplier| EventKind::Wants { supplier }),
        Just(EventKind::Granted),
        any::<bool>().prop_map(EventKind::Evaluated),
        Just(EventKind::Executes),
        Just(EventKind::Returns),
        Just(EventKind::Joins),
        Just(EventKind::Answered),
        Just(EventKind::Cancelled),
        any::<u64>().prop_map(EventKind::Charged),
        any::<u64>().prop_map(EventKind::Ran),
        (0_u64..9).prop_map(EventKind::Ran),
        Just(EventKind::Unlocked),
        Just(EventKind::Sleeps),
        Just(EventKind::Wakes),
        (0_u32..5).prop_map(|on| EventKind::Blocks { on }),
        any::<u32>().prop_map(|on| EventKind::Blocks { on }),
        (0_u32..9).prop_map(|by| EventKind::Freed { by }),
        any::<u32>().prop_map(|by| EventKind::Freed { by }),
        any::<u32>().prop_map(|cpu| EventKind::Dispatched { cpu }),
        Just(EventKind::Approved),
    ];
    let time = prop_oneof![0_u64..100, any::<u64>()];
    let request = prop_oneof![0_u32..10, any::<u32>()];
    (time, 0_u32..4, kind, request).prop_map(|(time, processor, kind, request)| Event {
        time,
        processor,
        kind,
        request,
    })
}

/// Everything is done with these bytes that can be done.
fn use_all(bytes: &[u8], from: u64, to: u64) {
    let Ok(mut trace) = open(bytes) else { return };
    let end = trace.end();
    let mut whole = overview(Extent::whole(end)).drawing();
    if trace.replay(&mut whole).is_ok() {
        let figures = whole.finish();
        shown(&figures);
        html_page(trace.head(), trace.ending(), &figures);
    }
    let mut part = overview(Extent::segment(from, to, end)).drawing();
    if trace.replay_segment(Window { from, to }, &mut part).is_ok() {
        let figures = part.finish();
        shown(&figures);
        html_page(trace.head(), trace.ending(), &figures);
    }
}

proptest! {
    #[test]
    fn any_events_come_back(events in prop::collection::vec(any_event(), 0..300)) {
        let mut timeline = Run::new(4, 10, 1).timeline;
        timeline.events.extend(events);
        timeline.end = u64::MAX;
        let bytes = traced(&timeline);
        let back = read(&bytes).expect("a trace");
        prop_assert_eq!(back.events, timeline.events);
        use_all(&bytes, 20, 60);
    }

    #[test]
    fn no_bytes_are_too_odd(bytes in prop::collection::vec(any::<u8>(), 0..400), from: u64, length: u64) {
        use_all(&bytes, from / 2, (from / 2).saturating_add(length));
        use_all(&forged(&bytes), from / 2, (from / 2).saturating_add(length));
    }

    #[test]
    fn no_blocks_are_too_odd(
        bytes in odd_blocks(),
        from in 0_u64..50,
    ) {
        use_all(&forged(&bytes), from, from + 20);
    }
}
