//! Compares the engine, the crate `tally-explore`, with the interpreter in `src/oracle/actors`: states, results, computations and costs.
//! The interpreter also follows the engine's schedules.

use libtest_mimic::Trial;
use tally_tests::oracle::actors::examples::{self, Join, Locals};
use tally_tests::oracle::actors::explore::Setting;
use tally_tests::oracle::actors::explored::{Explored, explored, explored_turns};
use tally_tests::oracle::actors::generate::generate;
use tally_tests::oracle::actors::language::Program;
use tally_tests::oracle::actors::machine::{executed, is_sayable, without_texts, wrong_ends};
use tally_tests::oracle::actors::numbers::{Numbers, expected};
use tally_tests::oracle::actors::replay::replay;
use tally_tests::oracle::actors::state::Delivery::{self, Any, Causal, Fifo};

use crate::actors::same;
use crate::checks::{Checked, none, trials_of};

/// How many random programs are compared.
const CASES: u64 = 400;

/// How many random programs the machine executes, if their scripts can say them.
const MACHINE_CASES: u64 = 150;

const ALL: [Delivery; 3] = [Any, Fifo, Causal];

pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        ("oracle/actors/engine/paper", paper),
        ("oracle/actors/engine/cases", cases),
        ("oracle/actors/engine/elections", elections),
        ("oracle/actors/engine/past", past),
        ("oracle/actors/engine/names", names),
        ("oracle/actors/engine/threads", threads),
        ("oracle/actors/engine/random", random),
        ("oracle/actors/machine/random", machine),
    ])
}

/// The paper's program, with and without failures, and with local times that make orders differ in Depth.
fn paper() -> Checked {
    let times = Locals {
        start: 17,
        inner: 19,
        leaves: [23, 223],
        joins: [29, 31],
        root: 37,
    };
    let mut programs = Vec::new();
    for to in [2, 3, 4, 5, 6, 8] {
        for join in [Join::Remainder, Join::Sum, Join::Printed] {
            programs.push(examples::modulo((1, to), join, &times));
        }
    }
    compare_all(&programs)
}

fn cases() -> Checked {
    let mut programs = vec![
        examples::receivers(2, 2),
        examples::receivers(3, 3),
        examples::triangle(),
        examples::ping_pong(4),
        examples::token_ring(),
        examples::pipeline(1, 1, 5),
        examples::pipeline(2, 3, 10),
        examples::pipeline(3, 4, 10),
    ];
    for n in 1..5 {
        programs.extend([true, false].map(|keeps_order| examples::receiver(n, keeps_order)));
        programs.push(examples::fib(n));
    }
    compare_all(&programs)
}

fn elections() -> Checked {
    let rings: [&[i64]; 6] = [
        &[1, 2],
        &[2, 1],
        &[1, 2, 3],
        &[3, 2, 1],
        &[1, 2, 3, 4],
        &[4, 3, 2, 1],
    ];
    compare_all(&rings.map(examples::election))
}

/// States that differ only in who sent a message, or in what actors and messages know of others.
fn past() -> Checked {
    compare_all(&[
        examples::hearsay(),
        examples::one_turn_or_two(),
        examples::numbers_drawn(true),
        examples::numbers_drawn(false),
    ])?;
    let seen = explored(&examples::hearsay(), &Setting::new(Causal), 1, false);
    let Numbers {
        states,
        transitions,
        schedules,
        ..
    } = seen.numbers;
    same(
        "hearsay",
        &(states, transitions, schedules),
        &(77, 170, Some(1_662)),
    )
}

/// A result names an actor whose number depends on the order of messages.
fn names() -> Checked {
    compare_all(&[examples::helpers()])
}

/// Levels of this many states are expanded by several threads.
fn threads() -> Checked {
    let mut wrong = Vec::new();
    for (program, delivery) in [
        (examples::receivers(5, 4), Fifo),
        (examples::receivers(5, 4), Causal),
        (examples::pipeline(3, 5, 10), Any),
        (examples::election(&[5, 4, 3, 2, 1]), Fifo),
    ] {
        let setting = Setting::new(delivery);
        let [one, four] = [1, 4].map(|threads| explored(&program, &setting, threads, false));
        wrong.extend(same("threads", &four, &one).err());
    }
    none(&wrong)
}

fn random() -> Checked {
    let mut wrong = Vec::new();
    let (mut compared, mut with_computations) = (0, 0);
    for seed in 0..CASES {
        let program = generate(seed);
        for delivery in ALL {
            let setting = Setting {
                states: 1_000,
                prefixes: 1_500,
                ..Setting::new(delivery)
            };
            if let Some(wanted) = expected(&program, &setting) {
                let seen = compare(&program, &setting, &wanted);
                wrong.extend(seen.into_iter().map(|one| format!("seed {seed}, {one}")));
                compared += 1;
                with_computations += u32::from(wanted.costs.is_some());
            }
        }
    }
    none(&wrong)?;
    match compared > 1_000 && with_computations > 1_000 {
        true => Ok(()),
        false => Err(format!(
            "{compared} were compared, {with_computations} of them with computations"
        )),
    }
}

fn compare_all(programs: &[Program]) -> Checked {
    let mut wrong = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        for delivery in ALL {
            let setting = Setting {
                prefixes: 5_000,
                ..Setting::new(delivery)
            };
            let wanted = expected(program, &setting).ok_or("too many states")?;
            let seen = compare(program, &setting, &wanted);
            wrong.extend(
                seen.into_iter()
                    .map(|one| format!("program {number}, {one}")),
            );
        }
    }
    none(&wrong)
}

/// The machine executes the turns of random programs as the interpreter does. Each schedule is one of a run with that end.
fn machine() -> Checked {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for seed in 0..MACHINE_CASES {
        let program = generate(seed);
        if !is_sayable(&program) {
            continue;
        }
        let (mut turns, start) = executed(&program, seed % 4 == 0)?;
        for delivery in ALL {
            let setting = Setting {
                states: 200,
                prefixes: 500,
                ..Setting::new(delivery)
            };
            let Some(wanted) = expected(&program, &setting).filter(is_comparable) else {
                continue;
            };
            let has_computations = wanted.costs.is_some();
            let seen = explored_turns(&mut turns, &start, &setting, 1, has_computations);
            let seen = seen.map_err(|error| format!("seed {seed}: {error}"))?;
            if delivery == ALL[seed as usize % ALL.len()] {
                wrong.extend(wrong_ends(&program, &seen));
            }
            let wanted = without_texts(wanted);
            let seen = differences(&without_texts(seen.numbers), &wanted);
            let seen = seen.into_iter().filter_map(Result::err);
            wrong.extend(seen.map(|one| format!("seed {seed}, {delivery:?}: {one}")));
            compared += 1;
        }
    }
    none(&wrong)?;
    match compared > 100 {
        true => Ok(()),
        false => Err(format!("{compared} were compared")),
    }
}

/// A message that is not understood takes ticks of the machine, and a temporary that is not set travels as nil.
fn is_comparable(numbers: &Numbers) -> bool {
    let mut failures = numbers
        .ends
        .keys()
        .filter_map(|(_, failure)| failure.as_ref());
    !failures.any(|(_, text)| text == "NotUnderstood" || text == "Nil")
}

/// What the engine finds that the interpreter does not find, or that depends on the number of threads.
fn compare(program: &Program, setting: &Setting, wanted: &Numbers) -> Vec<String> {
    let [one, four] = [1, 4].map(|threads| {
        let has_computations = wanted.costs.is_some();
        explored(program, setting, threads, has_computations)
    });
    let mut checks = differences(&one.numbers, wanted);
    checks.push(same("threads", &four, &one));
    checks.extend(followed(program, setting.delivery, &one));
    let wrong = checks.into_iter().filter_map(Result::err);
    let delivery = setting.delivery;
    wrong
        .map(|wrong| format!("{delivery:?}: {wrong}"))
        .collect()
}

fn differences(seen: &Numbers, wanted: &Numbers) -> Vec<Checked> {
    vec![
        same("states", &seen.states, &wanted.states),
        same("transitions", &seen.transitions, &wanted.transitions),
        same("lossy", &seen.lossy, &wanted.lossy),
        same("ends", &seen.ends, &wanted.ends),
        same("schedules", &seen.schedules, &wanted.schedules),
        same("nodes", &seen.nodes, &wanted.nodes),
        same("prefixes", &seen.prefixes, &wanted.prefixes),
        same("determinacy", &seen.determinacy, &wanted.determinacy),
        same("costs", &seen.costs, &wanted.costs),
        same("ranges", &seen.ranges, &wanted.ranges),
    ]
}

/// Each schedule is possible, and leads to the end that it is for.
fn followed(program: &Program, delivery: Delivery, explored: &Explored) -> Vec<Checked> {
    let schedules = explored.schedules.iter();
    let followed = schedules.map(|(end, schedule)| {
        let reached = replay(program, delivery, schedule)?;
        same("schedule", &reached, end)
    });
    followed.collect()
}
