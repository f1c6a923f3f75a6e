//! How fast states are found, and in how much memory. Not part of the tests, because they need minutes without optimisation:
//! `cargo test --release -p tally-explore --test engine -- --ignored --nocapture`.

use std::io::{self, Write as _};
use std::time::Instant;

use crate::support::ok;
use crate::support::programs::counters;
use tally_explore::{Delivery, Options, Space};

/// Nanoseconds that this thread was on a processor, where the system says so. The machine may be busy otherwise.
fn on_processor() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}

/// As many states as 13 philosophers have, with 13 transitions each.
fn thirteen_actors(delivery: Delivery, threads: usize, max_graph: usize) {
    let mut program = counters(13, 3);
    let start = program.start();
    let options = Options {
        delivery,
        max_graph,
        threads,
        ..Options::default()
    };
    let (begun, before) = (Instant::now(), on_processor());
    let space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let mut seconds = begun.elapsed().as_secs_f64();
    if let (Some(before), Some(after), 1) = (before, on_processor(), threads) {
        seconds = (after - before) as f64 / 1e9;
    }
    let (states, transitions) = (space.states(), space.transitions());
    if delivery == Delivery::Any {
        assert_eq!((states, transitions), (1_594_323, 13 * 1_594_323));
    }
    let _ = writeln!(
        io::stdout(),
        "{delivery:?}, {threads} threads, graph {}: {seconds:.2} s, {:.0} states/s, {:.0} transitions/s, {} bytes/state",
        space.has_graph(),
        states as f64 / seconds,
        transitions as f64 / seconds,
        space.bytes() as u64 / states,
    );
}

#[test]
#[ignore = "needs an optimised build"]
fn any() {
    thirteen_actors(Delivery::Any, 1, 0);
}

#[test]
#[ignore = "needs an optimised build"]
fn any_with_graph() {
    thirteen_actors(Delivery::Any, 1, usize::MAX);
}

#[test]
#[ignore = "needs an optimised build"]
fn any_with_threads() {
    thirteen_actors(Delivery::Any, 2, 0);
}

#[test]
#[ignore = "needs an optimised build"]
fn fifo() {
    thirteen_actors(Delivery::Fifo, 1, 0);
}

/// Ten million states in 400 MB.
#[test]
#[ignore = "needs an optimised build"]
fn ten_million() {
    let mut program = counters(10, 5);
    let start = program.start();
    let options = Options {
        delivery: Delivery::Any,
        max_graph: 0,
        ..Options::default()
    };
    let space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    assert_eq!(space.states(), 9_765_625);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let _ = writeln!(
        io::stdout(),
        "{} bytes/state, {peak:?}",
        space.bytes() as u64 / space.states()
    );
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    assert!(kilobytes.is_none_or(|kilobytes| kilobytes < 400_000));
}
