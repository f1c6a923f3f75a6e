//! Computations that are executed one after the other: as many as there are sets of events, each once, with their results.

use std::collections::BTreeMap;

use crate::random::program;
use crate::support::programs::{
    election, fibonacci, modulo, modulo_as_printed, ping_pong, pipeline, receiver, receivers,
    sieve, triangle,
};
use crate::support::{Act, Actors, explored, ok};
use tally_explore::Delivery::{Any, Causal, Fifo};
use tally_explore::{CountedComputations, CountingLimit, Delivery, Written, count_computations};

/// Counts by result.
type Counts = BTreeMap<(Option<(String, String)>, Vec<Written>), u64>;

fn counted<F: FnMut(&mut Act<'_>)>(
    mut program: Actors<F>,
    delivery: Delivery,
) -> CountedComputations {
    let start = program.start();
    let most = u64::MAX;
    let counted = ok(count_computations(
        &mut program,
        &start,
        delivery,
        most,
        &mut |_| true,
    ));
    assert_eq!((counted.redundant, counted.limit), (0, None));
    counted
}

/// Compares a program with the search for sets of events. Answers how many computations there are, and whether there are failures and lost messages.
fn compared<F: FnMut(&mut Act<'_>)>(
    mut program: Actors<F>,
    delivery: Delivery,
    context: &str,
) -> Option<(u64, bool, bool)> {
    let mut space = explored(&mut program, delivery);
    let computations = ok(space.computations(&mut program, 3_000))?;
    let findings = ok(space.findings(&mut program, Some(&computations)));
    let expected = findings.outcomes.iter().map(|one| {
        let key = (one.failure.clone(), one.written.clone());
        (key, one.computations.unwrap_or(0))
    });
    let expected: Counts = expected.collect();
    let counted = counted(program, delivery);
    let found = counted.results.into_iter();
    let found: Counts = found
        .map(|one| ((one.failure, one.written), one.computations))
        .collect();
    assert_eq!(found, expected, "{context}, {delivery:?}");
    assert_eq!(counted.computations, computations.len() as u64);
    Some((
        counted.computations,
        findings.is_failed(),
        findings.lossy > 0,
    ))
}

/// Random programs have as many computations as sets of events, with the same results, and none is redundant.
#[test]
fn each_computation_is_executed_once() {
    let (mut all, mut several, mut failing, mut lossy) = (0, 0, 0, 0);
    for seed in 0..1_200 {
        for delivery in [Any, Fifo, Causal] {
            let program = program(seed, false);
            let context = format!("seed {seed}");
            let Some((computations, is_failed, is_lossy)) = compared(program, delivery, &context)
            else {
                continue;
            };
            all += 1;
            several += usize::from(computations > 1);
            failing += usize::from(is_failed);
            lossy += usize::from(is_lossy);
        }
    }
    assert!(
        all > 3_000 && several > 1_000 && failing > 300 && lossy > 1_000,
        "{all} {several} {failing} {lossy}"
    );
}

/// The programs of the literature have as many computations as sets of events.
#[test]
fn known_programs() {
    for delivery in [Any, Fifo, Causal] {
        let several = |program, name: &str| {
            let found = compared(program, delivery, name);
            assert!(found.is_some(), "{name}: too many sets of events");
        };
        for to in [4, 6] {
            several(modulo(1, to, 0), "modulo");
            several(modulo_as_printed(1, to), "modulo as printed");
        }
        several(ping_pong(5), "ping-pong");
        several(pipeline(3, 3, 1), "pipeline");
        several(triangle(), "triangle");
        several(receiver(4, true), "receiver");
        several(receivers(2, 2), "receivers");
        several(sieve(5), "sieve");
        for identities in [&[1, 2, 3][..], &[3, 2, 1], &[2, 1]] {
            several(election(identities), "election");
        }
    }
}

/// Closed forms: n! orders of n messages, one order if each actor gets all from one sender, 2^(F(n + 1) - 1) for a Fibonacci number.
#[test]
fn closed_forms() {
    let count = |program, delivery| counted(program, delivery).computations;
    for (n, factorial) in [(1, 1), (3, 6), (6, 720)] {
        assert_eq!(count(receiver(n, true), Any), factorial, "{n}");
        assert_eq!(count(receiver(n, false), Any), factorial, "{n}");
        assert_eq!(count(receiver(n, true), Fifo), 1, "{n}");
    }
    for delivery in [Any, Fifo, Causal] {
        assert_eq!(count(modulo(1, 4, 0), delivery), 2);
        assert_eq!(count(modulo(1, 8, 0), delivery), 8);
        for (n, computations) in [(3, 4), (5, 128), (6, 4096)] {
            assert_eq!(count(fibonacci(n), delivery), computations, "fib {n}");
        }
    }
    for (delivery, computations) in [(Any, 2), (Fifo, 2), (Causal, 1)] {
        assert_eq!(count(triangle(), delivery), computations);
    }
    assert_eq!(count(receivers(3, 3), Fifo), 1);
}

/// A bound ends the count, and so does who watches, and a computation without end.
#[test]
fn limits() {
    let limit = |mut program: Actors<_>, most: u64, goes_on: bool| {
        let start = program.start();
        let counted = ok(count_computations(
            &mut program,
            &start,
            Any,
            most,
            &mut |_| goes_on,
        ));
        (counted.computations, counted.limit)
    };
    assert_eq!(limit(fibonacci(5), 128, true), (128, None));
    assert_eq!(
        limit(fibonacci(5), 127, true),
        (127, Some(CountingLimit::Computations))
    );
    let (found, why) = limit(fibonacci(5), 100, true);
    assert_eq!((found, why), (100, Some(CountingLimit::Computations)));
    assert_eq!(
        limit(fibonacci(5), 1_000, false).1,
        Some(CountingLimit::Stopped)
    );
    let mut endless = program_without_end();
    let start = endless.start();
    let counted = ok(count_computations(
        &mut endless,
        &start,
        Any,
        10,
        &mut |_| true,
    ));
    assert_eq!(counted.limit, Some(CountingLimit::Events));
    let act: fn(&mut Act<'_>) = |act| {
        for _ in 0..40_000 {
            act.send(act.me(), "again", &[], &[]);
        }
    };
    let mut growing = Actors::new(act)
        .actor("Actor", &[], &[])
        .message(0, "again", &[]);
    let start = growing.start();
    let counted = ok(count_computations(
        &mut growing,
        &start,
        Any,
        10,
        &mut |_| true,
    ));
    assert_eq!(counted.limit, Some(CountingLimit::Parts));
}

fn program_without_end() -> Actors<fn(&mut Act<'_>)> {
    let act: fn(&mut Act<'_>) = |act| act.send(act.me(), "again", &[], &[]);
    Actors::new(act)
        .actor("Actor", &[], &[])
        .message(0, "again", &[])
}
