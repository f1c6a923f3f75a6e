//! The numbers of the interpreter in `src/oracle/actors`: cases that are worked out by hand or known from the literature,
//! and random programs whose numbers are found in several ways.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Trial;
use tally_compiler::parser;
use tally_tests::oracle::actors::costs::Machine;
use tally_tests::oracle::actors::examples::{self, Join, Locals};
use tally_tests::oracle::actors::explore::{Found, Sameness, Setting, explore};
use tally_tests::oracle::actors::foata;
use tally_tests::oracle::actors::generate::generate;
use tally_tests::oracle::actors::language::Program;
use tally_tests::oracle::actors::print::source;
use tally_tests::oracle::actors::state::Delivery::{self, Any, Causal, Fifo};
use tally_tests::oracle::actors::state::Fault;

use crate::checks::{Checked, none, trials_of};

/// How many random programs are explored.
const CASES: u64 = 150;

const ALL: [Delivery; 3] = [Any, Fifo, Causal];

pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        ("oracle/actors/paper", paper),
        ("oracle/actors/receivers", receivers),
        ("oracle/actors/elections", elections),
        ("oracle/actors/computations", computations),
        ("oracle/actors/results", results),
        ("oracle/actors/unmerged", unmerged),
        ("oracle/actors/failures", failures),
        ("oracle/actors/costs", costs),
        ("oracle/actors/formulas", formulas),
        ("oracle/actors/endless", endless),
        ("oracle/actors/known_to_actors", known_to_actors),
        ("oracle/actors/unreachable", unreachable),
        ("oracle/actors/source", printed),
        ("oracle/actors/random", random),
    ])
}

fn found(program: &Program, setting: &Setting) -> Result<Found, String> {
    explore(program, setting).ok_or_else(|| "too many states".to_string())
}

/// Fails unless both are equal.
pub(crate) fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, wanted: &T) -> Checked {
    match found == wanted {
        true => Ok(()),
        false => Err(format!("{what}: found {found:?}, not {wanted:?}")),
    }
}

/// A program, a delivery, the numbers of states, transitions, schedules, and computations.
type Row = (Program, Delivery, [u128; 4]);

fn check(rows: &[Row]) -> Checked {
    let mut wrong = Vec::new();
    for (number, (program, delivery, wanted)) in rows.iter().enumerate() {
        let seen = found(program, &Setting::new(*delivery))?;
        let computations = seen.computations.map_or(0, |c| c.complete + c.failed);
        let schedules = seen.schedules.unwrap_or(0);
        let sizes = [seen.states, seen.transitions].map(|size| size as u128);
        let numbers = [sizes[0], sizes[1], schedules, computations as u128];
        let what = format!("row {number}, {delivery:?}");
        wrong.extend(same(&what, &numbers, wanted).err());
    }
    none(&wrong)
}

fn modulo(to: i64) -> Program {
    examples::modulo((1, to), Join::Remainder, &Locals::default())
}

fn paper() -> Checked {
    let as_printed = examples::modulo((1, 4), Join::Printed, &Locals::default());
    let mut rows = vec![
        (modulo(6), Any, [133, 309, 33_264, 8]),
        (modulo(6), Fifo, [146, 350, 33_264, 8]),
        (modulo(6), Causal, [146, 350, 33_264, 8]),
    ];
    for delivery in ALL {
        rows.push((modulo(4), delivery, [14, 16, 6, 2]));
        rows.push((as_printed.clone(), delivery, [13, 16, 6, 2]));
        rows.push((modulo(8), delivery, [175, 396, 33_264, 8]));
    }
    check(&rows)
}

/// One sender or several receivers, and a triangle of actors.
fn receivers() -> Checked {
    check(&[
        (examples::receiver(3, true), Any, [16, 15, 6, 6]),
        (examples::receiver(4, true), Any, [65, 64, 24, 24]),
        (examples::receiver(3, true), Fifo, [4, 3, 1, 1]),
        (examples::receiver(3, false), Any, [8, 12, 6, 6]),
        (examples::receiver(4, false), Any, [16, 32, 24, 24]),
        (examples::receiver(4, false), Fifo, [5, 4, 1, 1]),
        (examples::receivers(2, 2), Fifo, [9, 12, 6, 1]),
        (examples::receivers(3, 3), Fifo, [64, 144, 1_680, 1]),
        (examples::receivers(3, 3), Causal, [64, 144, 1_680, 1]),
        (examples::triangle(), Any, [8, 8, 3, 2]),
        (examples::triangle(), Fifo, [8, 8, 3, 2]),
        (examples::triangle(), Causal, [6, 6, 2, 1]),
    ])
}

fn elections() -> Checked {
    let rising = examples::election(&[1, 2, 3]);
    let falling = examples::election(&[3, 2, 1]);
    let longer = examples::election(&[1, 2, 3, 4]);
    let longest = examples::election(&[4, 3, 2, 1]);
    check(&[
        (rising.clone(), Any, [72, 159, 1_980, 93]),
        (rising.clone(), Fifo, [84, 167, 528, 16]),
        (rising, Causal, [24, 37, 64, 1]),
        (falling.clone(), Any, [96, 220, 7_920, 326]),
        (falling.clone(), Fifo, [128, 241, 1_143, 20]),
        (falling, Causal, [27, 42, 128, 1]),
        (longer.clone(), Any, [270, 783, 450_450, 973]),
        (longer.clone(), Fifo, [324, 855, 58_994, 64]),
        (longer, Causal, [59, 122, 2_240, 1]),
        (longest.clone(), Fifo, [1_028, 2_429, 1_306_373, 120]),
        (longest, Causal, [80, 166, 35_840, 1]),
    ])?;
    // The computations of this one are too many.
    let setting = Setting {
        prefixes: 1,
        ..Setting::new(Any)
    };
    let seen = found(&examples::election(&[4, 3, 2, 1]), &setting)?;
    same(
        "4, 3, 2, 1",
        &(seen.states, seen.transitions),
        &(600, 1_870),
    )
}

/// Sums in a tree have 2^(F(n+1)-1) computations, a pipeline has (items!)^stages, or one.
fn computations() -> Checked {
    let mut wrong = Vec::new();
    for (n, wanted) in [(1, 1), (2, 2), (3, 4), (4, 16), (5, 128)] {
        let seen = found(&examples::fib(n), &Setting::new(Any))?;
        let complete = seen.computations.map(|c| c.complete);
        wrong.extend(same("fib", &(complete, seen.results.len()), &(Some(wanted), 1)).err());
    }
    none(&wrong)?;
    check(&[
        (
            examples::pipeline(3, 4, 10),
            Any,
            [394, 937, 369_600, 13_824],
        ),
        (examples::pipeline(3, 4, 10), Fifo, [36, 61, 462, 1]),
        (examples::ping_pong(4), Any, [6, 5, 1, 1]),
        (examples::ping_pong(9), Causal, [11, 10, 1, 1]),
    ])
}

/// Computations and schedules by what the root writes.
fn results() -> Checked {
    let seen = found(&modulo(8), &Setting::new(Fifo))?;
    let by_result = seen.computations.map(|c| c.by_result).unwrap_or_default();
    let by_result: BTreeMap<i64, (usize, u128)> = by_result
        .iter()
        .flat_map(|(outputs, counts)| outputs.values().map(|written| (written[0], *counts)))
        .collect();
    let wanted = [
        (0, (2, 8_316)),
        (1, (3, 12_474)),
        (2, (1, 4_158)),
        (3, (2, 8_316)),
    ];
    same("1..8", &by_result, &BTreeMap::from(wanted))
}

/// Nodes of the tree whose states are not merged, and sets of events.
fn unmerged() -> Checked {
    for (to, wanted) in [(4, (27, 14)), (8, (146_331, 183))] {
        let seen = found(&modulo(to), &Setting::new(Any))?;
        let sizes = seen.computations.map(|c| (c.nodes, c.prefixes));
        same("nodes and prefixes", &sizes, &Some(wanted))?;
    }
    Ok(())
}

/// On 1..6 half of all schedules divide by zero. The second part has two equal answers.
fn failures() -> Checked {
    let seen = found(&modulo(6), &Setting::new(Any))?;
    let faults: BTreeSet<Fault> = seen.failures.iter().map(|failure| failure.fault).collect();
    same("faults", &faults, &BTreeSet::from([Fault::Zero]))?;
    same("each of equal messages", &seen.deliveries, &322)?;
    let failing = seen.computations.map(|c| (c.failed, c.failing_schedules));
    same("failing", &failing, &Some((4, 16_632)))
}

/// Least and greatest Work and Depth.
fn figures(program: &Program, machine: Machine) -> Result<[(u64, u64); 2], String> {
    let setting = Setting {
        machine,
        ..Setting::new(Fifo)
    };
    let computations = found(program, &setting)?.computations;
    let figures = computations.and_then(|c| Some([c.work?, c.depth?]));
    figures.ok_or_else(|| "no complete computation".to_string())
}

/// The check numbers of the paper's program.
fn costs() -> Checked {
    let units = Machine::units();
    for (to, work, depth) in [(2, 10, 12), (4, 26, 26), (8, 58, 40)] {
        let wanted = [(work, work), (depth, depth)];
        same("units", &figures(&modulo(to), units)?, &wanted)?;
    }
    let locals = Locals {
        start: 17,
        inner: 19,
        leaves: [23, 23],
        joins: [29, 31],
        root: 37,
    };
    let program = examples::modulo((1, 4), Join::Remainder, &locals);
    let wanted = [(332, 332), (684, 684)];
    same("primes", &figures(&program, Machine::primes())?, &wanted)?;
    // Both orders lead to one state, with other Depths.
    for leaves in [[23, 223], [223, 23]] {
        let program = examples::modulo((1, 4), Join::Sum, &Locals { leaves, ..locals });
        let wanted = [(532, 532), (842, 884)];
        same("sums", &figures(&program, Machine::primes())?, &wanted)?;
    }
    Ok(())
}

/// Work and Depth that a formula gives.
fn formulas() -> Checked {
    let latency = 7;
    let slow = Machine {
        latency,
        ..Machine::default()
    };
    for (stages, items, weight) in [(1, 1, 5), (2, 3, 10), (3, 4, 10)] {
        let (s, n) = (stages as u64, items as u64);
        let (work, depth) = (3 + s * n * weight, 3 + s * latency + (n + s - 1) * weight);
        let seen = figures(&examples::pipeline(stages, items, weight), slow)?;
        same("pipeline", &seen, &[(work, work), (depth, depth)])?;
    }
    let units = Machine {
        latency,
        ..Machine::units()
    };
    let [work, depth] = figures(&examples::ping_pong(4), units)?;
    same("ping-pong", &depth.1, &(work.1 + 4 * latency))?;
    // All methods take one tick: starts, election messages, and announcements.
    for (ids, elections) in [([1, 2, 3, 4], 7), ([4, 3, 2, 1], 10)] {
        let [work, _] = figures(&examples::election(&ids), Machine::default())?;
        let all = 4 + elections + 4;
        same("election messages", &work, &(all, all))?;
    }
    Ok(())
}

fn endless() -> Checked {
    for (delivery, states) in [(Any, 3), (Fifo, 4), (Causal, 4)] {
        let seen = found(&examples::token_ring(), &Setting::new(delivery))?;
        let shown = (seen.states, seen.schedules, seen.computations.is_none());
        same("token ring", &shown, &(states, None, true))?;
    }
    Ok(())
}

/// Under causal delivery two states differ if an actor knows of a pending message in one of them, or will know of it.
fn known_to_actors() -> Checked {
    for program in [examples::hearsay(), examples::one_turn_or_two()] {
        let seen = found(&program, &Setting::new(Causal))?;
        let counted = seen.computations.map(|c| c.schedules);
        same("schedules", &seen.schedules, &counted)?;
    }
    Ok(())
}

/// Final states are one state if the contents of unreachable actors do not count.
fn unreachable() -> Checked {
    let setting = Setting {
        sameness: Sameness {
            drops: true,
            ..Sameness::default()
        },
        ..Setting::new(Any)
    };
    let seen = found(&examples::receiver(3, true), &setting)?;
    same("states", &seen.states, &11)
}

const TRIANGLE: &str = "\
Actor subclass: C0 [
    m1: n0 [
        self turnCost: 1.
        self output: n0. ]
]
Actor subclass: C1 [
    | x0 |
    x0: x0Given [ x0 := x0Given ]
    m0 [
        self turnCost: 1.
        x0 tell m1: 2. ]
]
Actor subclass: C2 [
    | x0 x1 |
    x0: x0Given x1: x1Given [ x0 := x0Given. x1 := x1Given ]
    m0 [
        self turnCost: 1.
        x1 tell m1: 1.
        x0 tell m0. ]
]
| a0 a1 a2 |
a0 := C0 new spawn.
a1 := (C1 new x0: a0) spawn.
a2 := (C2 new x0: a1 x1: a0) spawn.
a2 tell m0.
";

fn printed() -> Checked {
    same(
        "triangle",
        &source(&examples::triangle()).as_str(),
        &TRIANGLE,
    )?;
    let mut programs: Vec<Program> = (0..CASES).map(generate).collect();
    programs.extend([modulo(4), examples::fib(5), examples::election(&[1, 2, 3])]);
    for program in programs {
        let text = source(&program);
        let (_, diagnostics) = parser::parse(&text);
        if !diagnostics.is_empty() {
            return Err(format!("{diagnostics:?}\n{text}"));
        }
    }
    Ok(())
}

/// Merged states, sets of events and normal forms agree, and a stricter delivery allows less.
fn random() -> Checked {
    let mut wrong = Vec::new();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for seed in 0..CASES {
        let program = generate(seed);
        let mut before: Option<Found> = None;
        for delivery in ALL {
            let setting = Setting {
                states: 500,
                prefixes: 1_500,
                machine: Machine::primes(),
                ..Setting::new(delivery)
            };
            let Some(seen) = explore(&program, &setting) else {
                continue;
            };
            let what = format!("seed {seed}, {delivery:?}");
            wrong.extend(disagreements(&what, &program, &setting, &seen));
            if let Some(wider) = before
                && !(seen.results.is_subset(&wider.results) && seen.schedules <= wider.schedules)
            {
                wrong.push(format!("{what} allows more"));
            }
            note(&seen, &mut shown);
            before = Some(seen);
        }
    }
    none(&wrong)?;
    let kinds: Vec<&str> = shown.keys().copied().collect();
    same("kinds of programs", &kinds, &KINDS.to_vec())
}

/// What some of the random programs show, sorted.
const KINDS: [&str; 7] = [
    "dead letters",
    "depths",
    "equal messages",
    "failures",
    "many computations",
    "results",
    "works",
];

fn note(seen: &Found, shown: &mut BTreeMap<&str, usize>) {
    let computations = seen.computations.clone().unwrap_or_default();
    let differs = |range: Option<(u64, u64)>| range.is_some_and(|(least, most)| least < most);
    let is_shown = [
        seen.lossy > 0,
        differs(computations.depth),
        seen.transitions < seen.deliveries,
        !seen.failures.is_empty(),
        computations.complete > 10,
        seen.results.len() > 1,
        differs(computations.work),
    ];
    for (kind, is_shown) in KINDS.iter().zip(is_shown) {
        if is_shown {
            *shown.entry(*kind).or_default() += 1;
        }
    }
}

/// The numbers of a program that two ways of counting find different.
fn disagreements(what: &str, program: &Program, setting: &Setting, seen: &Found) -> Vec<String> {
    let mut checks = Vec::new();
    let dropping = Setting {
        sameness: Sameness {
            drops: true,
            ..Sameness::default()
        },
        prefixes: 0,
        ..*setting
    };
    if let Some(dropped) = explore(program, &dropping) {
        checks.push(same("merged results", &dropped.results, &seen.results));
        checks.push(same(
            "merged schedules",
            &dropped.schedules,
            &seen.schedules,
        ));
    }
    let normal_forms = foata::count(program, setting.delivery, 3_000);
    if let Some(computations) = &seen.computations {
        let all = Some(computations.schedules);
        checks.push(same("schedules", &seen.schedules, &all));
        let results: BTreeSet<_> = computations.by_result.keys().cloned().collect();
        checks.push(same("results", &results, &seen.results));
        let (complete, failed) = (computations.complete, computations.failed);
        let counted = (complete, failed, computations.schedules);
        let forms = normal_forms.unwrap_or(counted);
        checks.push(same("normal forms", &forms, &counted));
    }
    let wrong = checks.into_iter().filter_map(Result::err);
    wrong.map(|wrong| format!("{what}: {wrong}")).collect()
}
