//! Programs of chance: what follows from merged states agrees with what follows from all computations.

use std::collections::BTreeMap;

use crate::costs::primes;
use crate::support::{Act, Actors, explored, ok};
use tally_explore::Delivery::{Any, Causal, Fifo};
use tally_explore::{Cost, Cycles, Determinacy, FRONTIER, Options, Place, Space};

/// A number below `below` that depends on all others.
fn chance(numbers: &[i64], below: u64) -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for number in numbers {
        state = (state ^ *number as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 29;
    }
    (state >> 7) % below
}

/// A turn of chance. Messages have fuel. It goes down, so that all computations end, unless it is negative.
fn act(act: &mut Act<'_>) {
    let (seed, kind) = (act.behaviour.numbers[0], act.behaviour.numbers[1]);
    let (message, fuel) = (act.message.numbers[0], act.message.numbers[1]);
    let pick = |what: i64, below: u64| chance(&[seed, kind, message, fuel, what], below);
    act.work(pick(0, 30));
    let mut known = vec![act.me()];
    known.extend(act.slots());
    known.extend((0..act.message.slots).map(|n| act.arg(n)));
    let sends = if fuel != 0 { pick(1, 3) } else { 0 };
    for n in 0..sends as i64 {
        if pick(10 + n, 4) == 0 {
            let kind = pick(20 + n, 3) as i64;
            known.push(act.create("Actor", &[seed, kind], &[act.me()]));
        }
        let one = |what: i64| known[pick(what, known.len() as u64) as usize];
        let (to, slot): (Place, Place) = (one(30 + n), one(40 + n));
        let message = pick(50 + n, 2) as i64;
        // Negative fuel never ends.
        let left = if fuel > 0 { fuel - 1 } else { fuel };
        act.send(to, "take:with:about:", &[message, left], &[slot]);
    }
    match pick(2, 12) {
        0 => act.output(message),
        1 if fuel == 0 => act.fail("chance"),
        _ => {}
    }
    match pick(3, 6) {
        0 => act.dispose(),
        1 | 2 => act.becomes("Actor", &[seed, pick(4, 3) as i64], &act.slots()),
        3 => {
            let slot = known[pick(5, known.len() as u64) as usize];
            act.becomes("Actor", &[seed, kind], &[slot]);
        }
        _ => {}
    }
}

pub(crate) fn program(seed: i64, is_endless: bool) -> Actors<fn(&mut Act<'_>)> {
    let actors = 1 + chance(&[seed, 1], 3) as u32;
    let mut program = Actors::new(act as fn(&mut Act<'_>));
    for n in 0..actors {
        let slot = chance(&[seed, 2, i64::from(n)], u64::from(actors)) as u32;
        program = program.actor("Actor", &[seed, i64::from(n)], &[slot]);
    }
    for n in 0..1 + chance(&[seed, 3], 3) as i64 {
        let to = chance(&[seed, 4, n], u64::from(actors)) as u32;
        let fuel = match is_endless {
            true => -1,
            false => 1 + chance(&[seed, 5, n], 2) as i64,
        };
        program = program.message(to, "first:with:", &[n % 2, fuel]);
    }
    program
}

/// The bounds over merged states are the least and the largest of these costs.
fn bounds_are_of(costs: &[Cost], space: &Space, context: &str) {
    let bounds = space
        .bounds(&primes(), FRONTIER)
        .expect("all computations end");
    let works = || costs.iter().map(|cost| cost.work);
    let depths = || costs.iter().map(|cost| cost.depth);
    assert_eq!(Some(bounds.least.work), works().min(), "{context}");
    assert_eq!(Some(bounds.largest.work), works().max(), "{context}");
    assert_eq!(Some(bounds.least.depth), depths().min(), "{context}");
    assert_eq!(Some(bounds.largest.depth), depths().max(), "{context}");
}

#[test]
fn merged_states_agree_with_all_computations() {
    let (mut compared, mut several, mut failing, mut lossy) = (0, 0, 0, 0);
    for seed in 0..400 {
        for delivery in [Any, Fifo, Causal] {
            let mut program = program(seed, false);
            let mut space = explored(&mut program, delivery);
            let Some(computations) = ok(space.computations(&mut program, 3_000)) else {
                continue;
            };
            let context = format!("seed {seed}, {delivery:?}");
            let alone = ok(space.findings(&mut program, None));
            let findings = ok(space.findings(&mut program, Some(&computations)));
            assert_eq!(alone.determinacy, findings.determinacy, "{context}");
            let counted: BTreeMap<String, _> = findings
                .outcomes
                .iter()
                .map(|outcome| (outcome.text(), outcome.computations))
                .collect();
            assert!(
                counted.values().all(|count| *count > Some(0)),
                "{context}: {counted:?}"
            );
            assert!(
                findings.schedules >= Some(computations.len() as u128),
                "{context}"
            );
            let costs = computations.costs(&space, &primes());
            bounds_are_of(&costs, &space, &context);
            compared += 1;
            several += usize::from(findings.determinacy == Determinacy::Bounded);
            failing += usize::from(findings.is_failed());
            lossy += usize::from(findings.lossy > 0);
        }
    }
    let all = [compared, several, failing, lossy];
    assert!(
        compared > 800 && several > 20 && failing > 20 && lossy > 20,
        "{all:?}"
    );
}

/// Fair cycles are found in programs of chance, and runs can follow them. Their messages come from turns of the cycle or before it.
#[test]
fn fair_cycles_are_runs() {
    let (mut fair, mut unfair) = (0, 0);
    for seed in 0..600 {
        for delivery in [Any, Fifo, Causal] {
            let mut program = program(seed, true);
            let start = program.start();
            let options = Options {
                delivery,
                max_states: 500,
                max_actors: 8,
                max_pending: 6,
                ..Options::default()
            };
            let mut space = ok(Space::explore(&mut program, &start, &options, &mut |_| {
                true
            }));
            let findings = ok(space.findings(&mut program, None));
            unfair += usize::from(findings.cycles == Cycles::Unfair);
            let Some(livelock) = findings.livelock else {
                continue;
            };
            fair += 1;
            assert!(!livelock.cycle.is_empty());
            // Each message of the cycle was sent by an actor of the cycle, or before it began.
            let takes = |name: &String| livelock.cycle.iter().any(|step| step.target == *name);
            let senders = livelock
                .cycle
                .iter()
                .filter_map(|step| step.sender.as_ref());
            let before = livelock.stem.iter().map(|step| &step.target);
            let before: Vec<&String> = before.collect();
            for (sender, _) in senders {
                assert!(
                    takes(sender) || before.contains(&sender),
                    "seed {seed}, {delivery:?}"
                );
            }
        }
    }
    assert!(fair > 50 && unfair > 5, "{fair} {unfair}");
}
