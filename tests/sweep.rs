//! A sweep over all messages of the library and all primitives, with unexpected receivers and arguments. No batch may
//! panic or reach an impossible state, and all modes must show the same. `TALLY_SWEEP` is the number of rounds (the soak
//! sets it), `TALLY_SWEEP_SEED` the number of the first round, `TALLY_SWEEP_BATCH` the first batch. With
//! `TALLY_SWEEP_TELL`, each batch prints receivers and arguments.

use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::Trial;
use tally_tests::hostile::{Messages, Programs, Seen, Sweep};
use tally_tests::modes::{self, Mode};
use tally_vm::Outcome;

use crate::checks::trial;

/// Messages in a batch: few enough that one that loops for ever does not take many with it.
const BATCH: usize = 24;

/// The modes that each batch is run in. The last is slow and gets fewer batches.
const MODES: [Mode; 4] = [
    modes::PLAIN,
    modes::PROFILE,
    modes::REFERENCE,
    modes::GC_STRESS,
];

static CALLS: AtomicU64 = AtomicU64::new(0);
static PROGRAMS: AtomicU64 = AtomicU64::new(0);

fn number(variable: &str, otherwise: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Rounds through all messages. Usually they send more than a million.
fn rounds() -> u64 {
    number("TALLY_SWEEP", 8)
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (name, messages) in [
        ("library", Messages::Library),
        ("drawn", Messages::Drawn),
        ("sharp", Messages::Sharp),
        ("primitives", Messages::Primitives),
    ] {
        for part in 0..4 {
            trials.push(trial(format!("sweep/{name}/{part}"), move || {
                sweep(messages, part)
            }));
        }
    }
    for part in 0..4 {
        trials.push(trial(format!("sweep/programs/{part}"), move || {
            programs(part)
        }));
    }
    trials
}

/// Runs programs made of bytes that are drawn.
fn programs(part: u64) -> Result<(), String> {
    let mut programs = Programs::new(&MODES)?;
    let start = number("TALLY_SWEEP_SEED", 1);
    for number in 0..rounds() * 40 {
        let seed = start + number * 4 + part;
        let mut state = seed;
        let bytes: Vec<u8> = (0..400 + seed % 400)
            .flat_map(|_| next(&mut state).to_le_bytes())
            .collect();
        let is_run = programs
            .run(&bytes, |mode| mode.gc_stress && !number.is_multiple_of(8))
            .map_err(|what| format!("{seed}: {what}"))?;
        PROGRAMS.fetch_add(u64::from(is_run), Ordering::Relaxed);
    }
    Ok(())
}

/// The next number of a sequence (Sebastiano Vigna, splitmix64).
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// How many messages were sent.
pub(crate) fn summary() -> String {
    let (calls, programs) = (
        CALLS.load(Ordering::Relaxed),
        PROGRAMS.load(Ordering::Relaxed),
    );
    format!("hostile messages sent: {calls}, hostile programs run: {programs}")
}

fn sweep(messages: Messages, part: usize) -> Result<(), String> {
    let mut sweeps = Vec::new();
    for mode in MODES {
        sweeps.push((mode, Sweep::new(messages, &mode)?));
    }
    let all = sweeps[0].1.number();
    let start = number("TALLY_SWEEP_SEED", 1);
    let mut batch = number("TALLY_SWEEP_BATCH", part as u64);
    let batches = all.div_ceil(BATCH) as u64;
    while batch < rounds() * batches {
        let seed = start + batch;
        let first = (batch % batches) as usize * BATCH;
        let mut usual: Option<Seen> = None;
        for (mode, sweep) in &mut sweeps {
            if mode.gc_stress && !batch.is_multiple_of(8) {
                continue;
            }
            let seen = look(sweep, mode, seed, first)?;
            match &usual {
                None => usual = Some(seen),
                Some(usual) if usual.agrees_with(&seen) => {}
                Some(usual) => {
                    return Err(format!(
                        "{messages:?} {seed} from {first}, {}: {}",
                        mode.name,
                        differences(usual, &seen)
                    ));
                }
            }
        }
        batch += 4;
    }
    Ok(())
}

fn look(sweep: &mut Sweep, mode: &Mode, seed: u64, first: usize) -> Result<Seen, String> {
    let tell = std::env::var_os("TALLY_SWEEP_TELL").is_some();
    if tell {
        let batch = format!("{} {seed} {first}", mode.name);
        writeln!(std::io::stderr(), "{batch}").map_err(|error| error.to_string())?;
    }
    let seen = sweep.run(mode, seed, first, BATCH, tell);
    let dots = seen.out.matches('\n').count() as u64;
    CALLS.fetch_add(dots, Ordering::Relaxed);
    match &seen.outcome {
        Outcome::Internal(what) => Err(format!("{seed} from {first}, {}: {what}", mode.name)),
        _ => Ok(seen),
    }
}

/// Where two runs of the same batch part.
fn differences(usual: &Seen, seen: &Seen) -> String {
    let mut lines = usual.out.lines().zip(seen.out.lines());
    let mut before = Vec::new();
    let parting = lines.find(|(a, b)| {
        before.push(*a);
        a != b
    });
    before.pop();
    let before = before.split_off(before.len().saturating_sub(4));
    let short = |seen: &Seen| {
        let Seen {
            outcome,
            sends,
            loops,
            objects,
            error,
            ..
        } = seen;
        format!("{outcome:?}, {sends} sends, {loops} loops, {objects} objects, {error}")
    };
    format!(
        "after {before:?}: {parting:?}\n{}\n{}",
        short(usual),
        short(seen)
    )
}
