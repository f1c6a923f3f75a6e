//! Numbers of states, transitions and computations: those of document 002, and of programs whose numbers are known.

use crate::support::programs::{
    counters, election, fibonacci, modulo, modulo_as_printed, ping_pong, pipeline, receiver,
    receivers, sieve, triangle,
};
use crate::support::{Act, Actors, explored, ok};
use tally_explore::Delivery::{Any, Causal, Fifo};
use tally_explore::{Cycles, Delivery, Determinacy, Findings, Limit, Options, Space};

const ALL: [Delivery; 3] = [Any, Fifo, Causal];

fn found<F: FnMut(&mut Act<'_>)>(mut program: Actors<F>, delivery: Delivery) -> (Space, Findings) {
    let mut space = explored(&mut program, delivery);
    let computations = ok(space.computations(&mut program, 100_000));
    let findings = ok(space.findings(&mut program, computations.as_ref()));
    (space, findings)
}

fn counts(space: &Space) -> (u64, u64) {
    (space.states(), space.transitions())
}

fn results(findings: &Findings) -> Vec<String> {
    findings.outcomes.iter().map(|one| one.text()).collect()
}

#[test]
fn the_papers_program_has_the_papers_states() {
    for (to, states, transitions) in [(4, 14, 16), (6, 133, 322), (8, 175, 396)] {
        for delivery in ALL {
            let space = explored(&mut modulo(1, to, 0), delivery);
            // Two children of the range 1..6 answer 3. Without channels these messages are equal, and one transition has both.
            let equal = if to == 6 && delivery == Any { 13 } else { 0 };
            assert_eq!(counts(&space), (states, transitions - equal), "1..{to}");
        }
    }
}

#[test]
fn the_papers_program_has_two_computations() {
    for delivery in ALL {
        let (_, findings) = found(modulo(1, 4, 0), delivery);
        assert_eq!(results(&findings), ["1", "3"]);
        assert_eq!(findings.determinacy, Determinacy::Bounded);
        assert_eq!(findings.computations, Some(2));
        assert_eq!((findings.nodes, findings.schedules), (Some(27), Some(6)));
        assert!(!findings.is_failed());
    }
}

#[test]
fn every_result_has_a_schedule() {
    let mut program = modulo(1, 4, 0);
    let mut space = explored(&mut program, Fifo);
    let findings = ok(space.findings(&mut program, None));
    for (outcome, second) in findings
        .outcomes
        .iter()
        .zip(["a1 ← join: 7 of a12#1", "a1 ← join: 3 of a11#1"])
    {
        let schedule = ok(space.schedule_to(outcome, &mut program));
        let steps: Vec<String> = schedule.iter().map(ToString::to_string).collect();
        assert_eq!(steps.len(), 7);
        assert_eq!(steps[5], second);
    }
}

/// Erratum 1: the root of figure 1 writes its result, which is 0 in both computations.
#[test]
fn the_papers_program_as_printed_writes_0() {
    let (space, findings) = found(modulo_as_printed(1, 4), Fifo);
    assert_eq!(space.states(), 13);
    assert_eq!(results(&findings), ["0"]);
    assert_eq!(findings.computations, Some(2));
}

#[test]
fn the_range_to_8_has_eight_computations() {
    let mut program = modulo(1, 8, 0);
    let mut space = explored(&mut program, Fifo);
    let computations = ok(space.computations(&mut program, 100_000)).unwrap();
    assert_eq!((computations.len(), computations.prefixes()), (8, 183));
    let findings = ok(space.findings(&mut program, Some(&computations)));
    assert_eq!(findings.nodes, Some(146_331));
    assert_eq!(findings.schedules, Some(33_264));
    let outcomes = findings.outcomes.iter();
    let counted = outcomes.map(|one| (one.text(), one.computations, one.schedules));
    let expected = [
        ("0", 2, 8_316),
        ("1", 3, 12_474),
        ("2", 1, 4_158),
        ("3", 2, 8_316),
    ];
    let expected = expected.map(|(text, all, ways)| (text.to_string(), Some(all), Some(ways)));
    assert_eq!(counted.collect::<Vec<_>>(), expected);
    assert_eq!(
        ok(space.computations(&mut program, 182)).map(|all| all.len()),
        None
    );
}

/// Half of all schedules divide by zero.
#[test]
fn the_range_to_6_fails() {
    let (_, findings) = found(modulo(1, 6, 0), Fifo);
    assert!(findings.is_failed());
    assert_eq!(results(&findings), ["0", "a1 fails: ZeroDivide"]);
    let schedules: Vec<_> = findings.outcomes.iter().map(|one| one.schedules).collect();
    assert_eq!(schedules, [Some(16_632), Some(16_632)]);
    let [failure] = &findings.failures[..] else {
        panic!("{:?}", findings.failures);
    };
    let steps: Vec<String> = failure.schedule.iter().map(ToString::to_string).collect();
    let shortest = [
        "r ← start: 1 to: 6",
        "a1 ← range: r from: 1 to: 6 of r#1",
        "a11 ← range: a1 from: 1 to: 3 of a1#1",
        "a12 ← range: a1 from: 4 to: 6 of a1#1",
        "a111 ← range: a11 from: 1 to: 2 of a11#1",
        "a112 ← range: a11 from: 3 to: 3 of a11#1",
        "a121 ← range: a12 from: 4 to: 5 of a12#1",
        "a122 ← range: a12 from: 6 to: 6 of a12#1",
        "a11 ← join: 3 of a111#1",
        "a11 ← join: 3 of a112#1",
        "a12 ← join: 9 of a121#1",
        "a12 ← join: 6 of a122#1",
        "a1 ← join: 0 of a11#3",
        "a1 ← join: 6 of a12#3",
    ];
    assert_eq!(steps, shortest);
}

#[test]
fn leaders_are_elected() {
    for (ring, any, fifo) in [
        (&[1, 2, 3][..], (72, 159), (84, 167)),
        (&[3, 2, 1][..], (96, 220), (128, 241)),
        (&[1, 2, 3, 4][..], (270, 783), (324, 855)),
        (&[4, 3, 2, 1][..], (600, 1_870), (1_028, 2_429)),
    ] {
        let found = [Any, Fifo].map(|delivery| counts(&explored(&mut election(ring), delivery)));
        assert_eq!(found, [any, fifo], "{ring:?}");
    }
}

#[test]
fn one_receiver_takes_messages_in_their_orders() {
    for (keeps_order, states) in [(true, 16), (false, 8)] {
        let (space, findings) = found(receiver(3, keeps_order), Any);
        assert_eq!(space.states(), states);
        assert_eq!(findings.computations, Some(6));
        // The receiver writes nothing: the result is the same for all orders.
        assert_eq!(findings.determinacy, Determinacy::External);
        for delivery in [Fifo, Causal] {
            let (space, findings) = found(receiver(3, keeps_order), delivery);
            assert_eq!((space.states(), findings.computations), (4, Some(1)));
            assert_eq!(findings.determinacy, Determinacy::Internal);
            assert_eq!(findings.waiting[0].actor, "r");
        }
    }
}

#[test]
fn causal_order_is_stronger_than_channels() {
    for (delivery, computations) in [(Any, 2), (Fifo, 2), (Causal, 1)] {
        let (_, findings) = found(triangle(), delivery);
        assert_eq!(findings.computations, Some(computations), "{delivery:?}");
    }
}

#[test]
fn independent_receivers_multiply_states_only() {
    let (space, findings) = found(receivers(3, 3), Fifo);
    assert_eq!(space.states(), 64);
    assert_eq!(findings.schedules, Some(1_680));
    assert_eq!(findings.computations, Some(1));
}

#[test]
fn recursive_sums_have_many_computations_and_one_result() {
    for delivery in ALL {
        let (_, findings) = found(fibonacci(5), delivery);
        assert_eq!(findings.computations, Some(128));
        assert_eq!(results(&findings), ["5"]);
        assert_eq!(findings.determinacy, Determinacy::External);
    }
}

#[test]
fn pipelines_and_games_have_one_computation() {
    for delivery in [Fifo, Causal] {
        let (_, findings) = found(pipeline(3, 4, 7), delivery);
        assert_eq!(findings.computations, Some(1));
    }
    let (space, findings) = found(ping_pong(3), Any);
    assert_eq!(findings.computations, Some(1));
    assert_eq!(counts(&space), (8, 7));
}

#[test]
fn the_sieve_needs_channels() {
    let (_, findings) = found(sieve(7), Fifo);
    assert_eq!(results(&findings), ["a1: 2; a11: 3; a111: 5; a1111: 7"]);
    let mut program = sieve(7);
    let mut space = explored(&mut program, Any);
    let findings = ok(space.findings(&mut program, None));
    assert_eq!(findings.determinacy, Determinacy::Bounded);
    let results = results(&findings);
    assert!(results.contains(&"a1: 2; a11: 3; a111: 5; a1111: 7".to_string()));
    assert!(results.contains(&"a1: 4; a11: 2; a111: 3; a1111: 5; a11111: 7".to_string()));
}

#[test]
fn a_game_without_end_is_a_fair_cycle() {
    let mut program = ping_pong(-1);
    let mut space = explored(&mut program, Any);
    let findings = ok(space.findings(&mut program, None));
    assert_eq!(findings.determinacy, Determinacy::Unbounded);
    let livelock = findings.livelock.unwrap();
    assert!(livelock.stem.is_empty());
    let cycle: Vec<String> = livelock.cycle.iter().map(ToString::to_string).collect();
    assert_eq!(cycle, ["a1 ← ball", "a2 ← ball of a1#1"]);
    // Whatever the limit, they are not counted.
    assert!(ok(space.computations(&mut program, u64::MAX)).is_none());
}

/// Each counter alone could go round for ever, but that is not fair to the others.
#[test]
fn a_fair_cycle_lets_every_message_arrive() {
    let mut program = counters(3, 2);
    let mut space = explored(&mut program, Any);
    assert_eq!(counts(&space), (8, 24));
    let findings = ok(space.findings(&mut program, None));
    assert_eq!(findings.cycles, Cycles::Fair);
    let cycle = findings.livelock.unwrap().cycle;
    for actor in ["a1", "a2", "a3"] {
        assert!(cycle.iter().any(|step| step.target == actor), "{cycle:?}");
    }
}

/// A message that can always arrive ends this program. Without it, the other actor goes on for ever.
#[test]
fn a_cycle_that_keeps_a_message_waiting_is_not_fair() {
    fn act(act: &mut Act<'_>) {
        match (act.behaviour.name, act.message.name) {
            ("Worker", "stop") => act.dispose(),
            _ => act.send(act.me(), "go", &[], &[]),
        }
    }
    let program = Actors::new(act as fn(&mut Act<'_>)).actor("Worker", &[], &[]);
    let mut program = program.message(0, "go", &[]).message(0, "stop", &[]);
    let mut space = explored(&mut program, Any);
    let findings = ok(space.findings(&mut program, None));
    assert_eq!(findings.cycles, Cycles::Unfair);
    assert!(!findings.is_failed());
    assert_eq!(findings.lossy, 1);
}

/// Numbers of states, schedules and results do not depend on threads.
#[test]
fn threads_change_nothing() {
    let programs: [fn() -> Actors<_>; 4] = [
        || election(&[4, 3, 2, 1]),
        || counters(7, 4),
        || fibonacci(5),
        || sieve(7),
    ];
    for program in programs {
        for delivery in [Any, Fifo] {
            let found = [1, 2, 4].map(|threads| {
                let mut program = program();
                let options = Options {
                    delivery,
                    threads,
                    ..Options::default()
                };
                let start = program.start();
                let space = Space::explore(&mut program, &start, &options, &mut |_| true);
                let mut space = ok(space);
                let findings = ok(space.findings(&mut program, None));
                (counts(&space), space.bytes(), format!("{findings:?}"))
            });
            assert_eq!(found[0], found[1]);
            assert_eq!(found[0], found[2]);
        }
    }
}

/// A boss makes one helper, or two in a hurry. They pass a message back and are disposed. Then the boss makes a last actor.
fn helped(act: &mut Act<'_>) {
    match (act.behaviour.name, act.message.name) {
        ("Boss", "help") => {
            let mut helper = act.create("Helper", &[], &[act.me()]);
            if act.behaviour.numbers[0] == 1 {
                helper = act.create("Helper", &[], &[helper]);
            }
            act.send(helper, "go", &[], &[]);
        }
        ("Boss", "hurry") => act.becomes("Boss", &[1], &[]),
        ("Boss", _) => {
            let last = act.create("Last", &[], &[act.me()]);
            act.send(last, "go", &[], &[]);
        }
        ("Helper", _) => {
            act.send(act.slot(0), "go", &[], &[]);
            act.dispose();
        }
        _ => {
            act.output(5);
            act.dispose();
        }
    }
}

/// The boss has the same state after one helper and after two. The name of the last actor is all that differs, and results have it.
#[test]
fn results_have_the_names_of_their_writers() {
    let program = Actors::new(helped).actor("Boss", &[0], &[]);
    let program = program.message(0, "help", &[]).message(0, "hurry", &[]);
    let (_, findings) = found(program, Any);
    let writers = findings.outcomes.iter().map(|one| &one.written[0].actor);
    assert_eq!(writers.collect::<Vec<_>>(), ["a2", "a3"]);
    let counted = findings
        .outcomes
        .iter()
        .map(|one| (one.computations, one.schedules));
    let all: u64 = counted
        .clone()
        .filter_map(|(computations, _)| computations)
        .sum();
    assert_eq!(findings.computations, Some(all));
    assert_eq!(findings.determinacy, Determinacy::Bounded);
}

/// A server makes a worker for each message. No result names a worker, so that the same worker again is the same state.
#[test]
fn a_server_with_nameless_workers_repeats() {
    let serve = |act: &mut Act<'_>| match act.behaviour.name {
        "Server" => {
            let worker = act.create("Worker", &[], &[act.me()]);
            act.send(worker, "work", &[], &[]);
        }
        _ => {
            act.send(act.slot(0), "next", &[], &[]);
            act.dispose();
        }
    };
    let mut program = Actors::new(serve).actor("Server", &[], &[]);
    program = program.message(0, "next", &[]);
    let mut space = explored(&mut program, Fifo);
    let findings = ok(space.findings(&mut program, None));
    assert_eq!(counts(&space), (2, 2));
    assert_eq!(findings.cycles, Cycles::Fair);
}

/// Choices have numbers of 16 bits. A state that needs larger ones is not expanded, whatever the options allow.
#[test]
fn a_state_has_at_most_65_536_pending_messages() {
    for (messages, limit, states) in [(65_537, Some(Limit::Pending), 2), (300, None, 302)] {
        let mut program = Actors::new(move |act: &mut Act<'_>| {
            if act.behaviour.name == "Source" {
                (0..messages).for_each(|n| act.send(act.slot(0), "take:", &[n], &[]));
            }
        });
        program = program.actor("Source", &[], &[1]).actor("Target", &[], &[]);
        program = program.message(0, "start", &[]);
        let options = Options {
            delivery: Fifo,
            max_pending: u32::MAX,
            ..Options::default()
        };
        let start = program.start();
        let space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
            true
        }));
        assert_eq!((space.limit(), space.states()), (limit, states));
    }
}

#[test]
fn limits_end_the_exploration() {
    for (options, limit) in [
        (
            Options {
                max_states: 100,
                ..Options::default()
            },
            Limit::States,
        ),
        (
            Options {
                max_actors: 3,
                ..Options::default()
            },
            Limit::Actors,
        ),
        (
            Options {
                max_pending: 1,
                ..Options::default()
            },
            Limit::Pending,
        ),
    ] {
        let mut program = fibonacci(5);
        let start = program.start();
        let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
            true
        }));
        assert_eq!(space.limit(), Some(limit));
        let findings = ok(space.findings(&mut program, None));
        assert_eq!(findings.determinacy, Determinacy::Unknown);
        assert_eq!(findings.schedules, None);
    }
    let mut program = fibonacci(5);
    let start = program.start();
    let options = Options::default();
    let stop = &mut |progress: tally_explore::Progress| progress.states < 50;
    let space = ok(Space::explore(&mut program, &start, &options, stop));
    assert_eq!(space.limit(), Some(Limit::Stopped));
}

/// Without whole states, results and failures are the same, but cycles are not known.
#[test]
fn fingerprints_alone_give_the_same_results() {
    let mut program = modulo(1, 6, 0);
    let start = program.start();
    let options = Options {
        max_graph: 0,
        ..Options::default()
    };
    let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
        true
    }));
    let findings = ok(space.findings(&mut program, None));
    let (whole, expected) = found(modulo(1, 6, 0), Fifo);
    assert_eq!(counts(&space), counts(&whole));
    assert_eq!(results(&findings), results(&expected));
    assert_eq!(findings.failures, expected.failures);
    assert_eq!(findings.cycles, Cycles::NotLookedFor);
    assert_eq!(findings.determinacy, Determinacy::Unknown);
}
