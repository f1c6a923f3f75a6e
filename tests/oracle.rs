//! Compares the machine with the interpreter in `src/oracle`, which counts by the text of the counting model and shares
//! no code with it: over golden programs, over examples, and over random programs.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use libtest_mimic::Trial;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use tally_tests::expectation;
use tally_tests::modes;
use tally_tests::observe::{Extent, Observed, Options, compile, observe};
use tally_tests::oracle::{self, Ending, compare, program};
use tally_tests::{example_programs, files_below, root};
use tally_vm::bytecode::Unit;

use crate::checks::trial;

static COMPARED: AtomicUsize = AtomicUsize::new(0);
static SENDS: AtomicU64 = AtomicU64::new(0);
static ENDINGS: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());

/// What the tests of this file have checked so far, in words.
pub(crate) fn summary() -> String {
    let endings = ENDINGS
        .lock()
        .map(|endings| endings.clone())
        .unwrap_or_default();
    let endings: Vec<String> = endings
        .iter()
        .map(|(ending, count)| format!("{count} {ending}"))
        .collect();
    format!(
        "oracle: {} programs compared, {} sends; {}",
        COMPARED.load(Ordering::Relaxed),
        SENDS.load(Ordering::Relaxed),
        endings.join(", ")
    )
}

/// Programs that the interpreter cannot execute or that it cannot judge, and why: `folder/name: reason` on a line.
fn beyond() -> Result<BTreeMap<String, String>, String> {
    let path = root().join("tests/src/oracle/beyond.txt");
    let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = rows.filter_map(|line| line.split_once(": "));
    Ok(pairs
        .map(|(name, why)| (name.to_string(), why.to_string()))
        .collect())
}

/// One test for each golden program and each example that the interpreter can execute, and one for random programs.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let mut trials = Vec::new();
    let beyond = beyond()?;
    let below = |folder: &str| files_below(&root().join("tests/golden").join(folder), "st");
    for (short, paths) in [
        ("counting", below("counting")?),
        ("kernel", below("kernel")?),
        ("language", below("language")?),
        ("work", below("work")?),
        ("examples", example_programs()?),
    ] {
        for path in paths {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = format!("{short}/{stem}");
            if beyond.contains_key(&name) {
                continue;
            }
            trials.push(trial(format!("oracle/{name}"), move || golden(&path)));
        }
    }
    trials.push(trial("oracle/random_programs", random));
    Ok(trials)
}

/// How many random programs are compared, if `TALLY_ORACLE_CASES` does not say it.
const CASES: u32 = 120;

/// Random programs, made smaller when they show a difference.
fn random() -> Result<(), String> {
    let cases = std::env::var("TALLY_ORACLE_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    let config = Config {
        cases: cases.unwrap_or(CASES),
        failure_persistence: None,
        max_shrink_iters: 20_000,
        ..Config::default()
    };
    let seed = std::env::var("TALLY_ORACLE_SEED").ok();
    let seed = seed.and_then(|n| n.parse::<u64>().ok()).unwrap_or(1);
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let choices = proptest::collection::vec(proptest::num::u8::ANY, 0..1000);
    let outcome = runner.run(&choices, |bytes| {
        let program = program::program(&bytes);
        // A quarter of them, which is as good as any other.
        let in_all_modes = program.source.len().is_multiple_of(4);
        check(
            "program.st",
            &program.source,
            &program.options,
            in_all_modes,
        )
        .map_err(|why| {
            TestCaseError::fail(format!("{why}\n{:?}\n{}", program.options, program.source))
        })
    });
    outcome.map_err(|error| error.to_string())
}

fn golden(path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let wanted = expectation::read(&source)?;
    let mut options = wanted.options;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    if let Some((_, argument)) = SHORT.iter().find(|(name, _)| *name == stem) {
        options.arguments = vec![argument.to_string()];
    }
    check("program.st", &source, &options, false)
}

/// Arguments that make an example's run short.
const SHORT: &[(&str, &str)] = &[
    ("bank", "3"),
    ("bigint", "10"),
    ("constraints", "8"),
    ("expressions", "2"),
    ("life", "1"),
    ("lu", "5"),
    ("queens", "5"),
    ("scheduler", "60"),
];

/// In what the machine's other modes differ from the profiled run.
fn modes_differ(
    unit: &Arc<Unit>,
    options: &Options,
    profiled: &Observed,
) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let stress = profiled.cost.sends + profiled.cost.loops < MOST_TICKS_UNDER_STRESS;
    let others = modes::all()
        .into_iter()
        .filter(|mode| *mode != modes::PROFILE);
    for mode in others.chain(stress.then_some(modes::GC_STRESS)) {
        let seen = observe(unit, options, &mode)?;
        let texts = profiled.differences(&seen, Extent::with_profile(&mode));
        found.extend(
            texts
                .into_iter()
                .map(|text| format!("{}: {text}", mode.name)),
        );
    }
    Ok(found)
}

/// Runs with more ticks than this are not repeated with a collection at each allocation.
const MOST_TICKS_UNDER_STRESS: u64 = 3_000;

/// Runs a program both ways and compares.
fn check(name: &str, source: &str, options: &Options, in_all_modes: bool) -> Result<(), String> {
    let Some(unit) = compile(name, source)?.unit else {
        return Err("the program does not compile".to_string());
    };
    let seen = oracle::run(name, source, options)?;
    if let Ending::Unsupported(what) = &seen.ending {
        return Err(format!("the interpreter does not know {what}"));
    }
    let unit = Arc::new(unit);
    let observed = observe(&unit, options, &modes::PROFILE)?;
    let mut found = compare::differences(&seen, &observed);
    match &observed.profile {
        Some(profile) => found.extend(compare::profile_differences(&seen, profile)),
        None => found.push("there is no profile".to_string()),
    }
    found.extend(observed.check_profile().err());
    if in_all_modes {
        found.extend(modes_differ(&unit, options, &observed)?);
    }
    COMPARED.fetch_add(1, Ordering::Relaxed);
    SENDS.fetch_add(seen.counts.sends, Ordering::Relaxed);
    if let Ok(mut endings) = ENDINGS.lock() {
        *endings
            .entry(format!("{:?}", seen.ending).to_lowercase())
            .or_default() += 1;
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(found.join("\n"))
    }
}
