//! Runs every program below `tests/golden` in every mode. Compares its results with the expectations in its comments, and
//! the modes with each other. Each program says what it tests.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::Trial;
use tally_compiler::Compiled;
use tally_compiler::diagnostic::Diagnostic;
use tally_tests::expectation::{self, CostWord, Expectation, TallyWord, Wanted};
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Extent, Observed, compile, observe, observe_gst, observe_som};
use tally_vm::{Outcome, Work};

use crate::checks::trial;

/// Runs with more ticks than this are not repeated with a collection at each allocation.
const MOST_TICKS_UNDER_STRESS: u64 = 30_000;

static EXPECTATIONS: AtomicUsize = AtomicUsize::new(0);
static COMPARISONS: AtomicUsize = AtomicUsize::new(0);
static UNSTRESSED: AtomicUsize = AtomicUsize::new(0);

/// A test for each program.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let folder = tally_tests::root().join("tests/golden");
    let mut trials = Vec::new();
    for path in tally_tests::files_below(&folder, "st")? {
        let name = path
            .strip_prefix(&folder)?
            .to_string_lossy()
            .replace('\\', "/");
        let shown = format!("golden/{}", name.trim_end_matches(".st"));
        if name.starts_with("gst/") {
            trials.push(trial(shown, move || check_gst_file(&name, &path)));
            continue;
        }
        trials.push(trial(shown, move || check_file(&name, &path)));
    }
    let examples = tally_tests::root().join("examples");
    for path in tally_tests::files_below(&examples.join("actors"), "st")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.into_owned();
        trials.push(trial(
            format!("golden/examples/actors/{}", name.trim_end_matches(".st")),
            move || check_file(&name, &path),
        ));
    }
    for path in tally_tests::files_below(&folder.join("som"), "som")? {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if path
            .parent()
            .is_some_and(|folder| folder.ends_with("parts"))
        {
            continue;
        }
        trials.push(trial(format!("golden/som/{name}"), move || {
            check_som_file(&path)
        }));
    }
    Ok(trials)
}

/// How many expectations were checked so far.
pub(crate) fn expectations() -> usize {
    EXPECTATIONS.load(Ordering::Relaxed)
}

/// What the tests of this file have checked so far, in words.
pub(crate) fn summary() -> String {
    format!(
        "golden programs: {} expectations checked, {} runs compared with others, {} programs spared gc stress",
        expectations(),
        COMPARISONS.load(Ordering::Relaxed),
        UNSTRESSED.load(Ordering::Relaxed)
    )
}

/// A program's text and its expectations.
fn read(path: &Path) -> Result<(String, Wanted), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let source = source.replace("\r\n", "\n");
    if !source.starts_with('"') {
        return Err("the first line does not say what is tested".to_string());
    }
    let wanted = expectation::read(&source)?;
    if wanted.expectations.is_empty() {
        return Err("the file expects nothing".to_string());
    }
    Ok((source, wanted))
}

fn check_som_file(path: &Path) -> Result<(), String> {
    let (_, wanted) = read(path)?;
    check_in_all_modes("<start>", &wanted, |mode| {
        observe_som(path, &wanted.options, mode)
    })
}

fn check_gst_file(name: &str, path: &Path) -> Result<(), String> {
    let (source, wanted) = read(path)?;
    check_in_all_modes(name, &wanted, |mode| {
        observe_gst(name, &source, &wanted.options, mode)
    })
}

fn check_file(name: &str, path: &Path) -> Result<(), String> {
    let (source, wanted) = read(path)?;
    let compiled = compile(name, &source)?;
    check_diagnostics(&compiled, &wanted)?;
    let Some(unit) = compiled.unit else {
        EXPECTATIONS.fetch_add(wanted.expectations.len(), Ordering::Relaxed);
        return Ok(());
    };
    let unit = Arc::new(unit);
    check_in_all_modes(name, &wanted, |mode| observe(&unit, &wanted.options, mode))
}

/// Runs a program in all modes that it allows; `name` is what its script is called.
fn check_in_all_modes(
    name: &str,
    wanted: &Wanted,
    observe: impl Fn(&Mode) -> Result<Observed, String>,
) -> Result<(), String> {
    let mut observed = Vec::new();
    let count = if wanted.options.by_memory {
        2
    } else {
        usize::MAX
    };
    for mode in modes::all().into_iter().take(count) {
        observed.push((mode, observe(&mode)?));
    }
    let ticks = observed
        .first()
        .map_or(0, |(_, seen)| seen.cost.sends + seen.cost.loops);
    if wanted.options.no_gc_stress || wanted.options.by_memory || ticks > MOST_TICKS_UNDER_STRESS {
        UNSTRESSED.fetch_add(1, Ordering::Relaxed);
    } else {
        let mode = modes::GC_STRESS;
        observed.push((mode, observe(&mode)?));
    }
    let mut failures = check_expectations(name, wanted, &observed);
    failures.extend(compare_modes(&observed));
    EXPECTATIONS.fetch_add(wanted.expectations.len(), Ordering::Relaxed);
    if failures.is_empty() {
        Ok(())
    } else {
        Err(failures.join("\n"))
    }
}

/// All errors of the compiler have to be expected, and all expected diagnostics have to be there.
fn check_diagnostics(compiled: &Compiled, wanted: &Wanted) -> Result<(), String> {
    let mut errors = Vec::new();
    let mut warnings = Vec::new();
    for (_, expectation) in &wanted.expectations {
        match expectation {
            Expectation::CompileError(code) => errors.push(code.as_str()),
            Expectation::Warning(code) => warnings.push(code.as_str()),
            _ => {}
        }
    }
    let is_error = |one: &&Diagnostic| one.is_error();
    let found: Vec<&str> = compiled
        .diagnostics
        .iter()
        .filter(is_error)
        .map(|d| d.code)
        .collect();
    if found != errors {
        let texts: Vec<String> = compiled
            .diagnostics
            .iter()
            .map(|d| format!("{} {}", d.code, d.message))
            .collect();
        return Err(format!("compile errors {errors:?} expected, not {texts:?}"));
    }
    for code in warnings {
        if !compiled
            .diagnostics
            .iter()
            .any(|one| !one.is_error() && one.code == code)
        {
            return Err(format!("no warning {code}"));
        }
    }
    Ok(())
}

/// The plain mode shows output and ends; the profile has the numbers.
fn check_expectations(name: &str, wanted: &Wanted, observed: &[(Mode, Observed)]) -> Vec<String> {
    let mut failures = Vec::new();
    let [(_, plain), (_, profile), ..] = observed else {
        return vec!["too few modes".to_string()];
    };
    check_output(wanted, plain, &mut failures);
    check_end(wanted, plain, &mut failures);
    for (line, expectation) in &wanted.expectations {
        let (found, expected) = match expectation {
            Expectation::Cost(word, expected) => (cost(profile, *word), *expected),
            Expectation::Tally(word, method, expected) => {
                let method = if method == "script" { name } else { method };
                (tally(profile, *word, method), *expected)
            }
            Expectation::Work(text) => {
                let found = work(profile);
                if found != *text {
                    failures.push(format!("line {line}: the work is {found}, not {text}"));
                }
                continue;
            }
            Expectation::Error(text) => {
                if !plain.error.contains(text) {
                    failures.push(format!(
                        "line {line}: standard error does not contain {text:?}, it is\n{}",
                        plain.error
                    ));
                }
                continue;
            }
            _ => continue,
        };
        if found != expected {
            failures.push(format!(
                "line {line}: {expectation:?} expected, found {found}"
            ));
        }
    }
    failures
}

fn check_output(wanted: &Wanted, plain: &Observed, failures: &mut Vec<String>) {
    let expected = wanted
        .expectations
        .iter()
        .filter_map(|(line, one)| match one {
            Expectation::Output(text) => Some((*line, text.as_str())),
            _ => None,
        });
    let mut found = plain.out.lines();
    for (line, text) in expected {
        let next = found.next();
        if next != Some(text) {
            failures.push(format!(
                "line {line}: output {text:?} expected, found {next:?}"
            ));
            if !plain.error.is_empty() {
                failures.push(format!("standard error is\n{}", plain.error));
            }
            return;
        }
    }
    if let Some(rest) = found.next() {
        failures.push(format!("more output than expected: {rest:?}"));
    }
}

/// A program without an expected ending must finish; a program that expects an error must fail.
fn check_end(wanted: &Wanted, plain: &Observed, failures: &mut Vec<String>) {
    let found = match &plain.outcome {
        Outcome::Finished => "finished",
        Outcome::Failed => "failed",
        Outcome::Limit(_) => "limit",
        Outcome::Deadlock => "deadlock",
        Outcome::Exited(_) => "exited",
        Outcome::NotCompiled => "not compiled",
        Outcome::Internal(_) => "internal error",
    };
    let said = wanted.expectations.iter().find_map(|(_, one)| match one {
        Expectation::Exit(word) => Some(word.as_str()),
        _ => None,
    });
    let is_error = |one: &(usize, Expectation)| matches!(one.1, Expectation::Error(_));
    let implied = if wanted.expectations.iter().any(is_error) {
        "failed"
    } else {
        "finished"
    };
    let expected = said.unwrap_or(implied);
    if found != expected {
        failures.push(format!(
            "the run should be {expected}, it is {found}\n{}",
            plain.error
        ));
    }
}

fn cost(seen: &Observed, word: CostWord) -> u64 {
    match word {
        CostWord::Sends => seen.cost.sends,
        CostWord::Loops => seen.cost.loops,
        CostWord::Activations => seen.cost.activations,
        CostWord::Blocks => seen.cost.blocks,
        CostWord::Objects => seen.cost.allocations.objects,
        CostWord::Bytes => seen.cost.allocations.bytes,
        CostWord::Called => seen.cost.called,
        CostWord::Steps => seen.cost.steps,
    }
}

/// The counters of work that are not 0, as expectations spell them.
fn work(seen: &Observed) -> String {
    let counters = Work::ALL
        .iter()
        .map(|&work| (work.name(), seen.cost.counters.get(work)));
    let counted: Vec<String> = counters
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    counted.join(", ")
}

fn tally(seen: &Observed, word: TallyWord, method: &str) -> u64 {
    let tally = seen.tallies.get(method).copied().unwrap_or_default();
    match word {
        TallyWord::Calls => tally.calls,
        TallyWord::Own => tally.own,
        TallyWord::Total => tally.total,
    }
}

/// Each run is compared with the profiled one, as far as it counts as much.
fn compare_modes(observed: &[(Mode, Observed)]) -> Vec<String> {
    let mut failures = Vec::new();
    let Some((_, profile)) = observed.iter().find(|(mode, _)| *mode == modes::PROFILE) else {
        return vec!["no profile".to_string()];
    };
    for (mode, seen) in observed.iter().filter(|(mode, _)| *mode != modes::PROFILE) {
        COMPARISONS.fetch_add(1, Ordering::Relaxed);
        let found = profile.differences(seen, Extent::with_profile(mode));
        failures.extend(
            found
                .into_iter()
                .map(|text| format!("{}: {text}", mode.name)),
        );
    }
    for (mode, seen) in observed.iter().filter(|(mode, _)| mode.profile) {
        for checked in [seen.check_sum_of_own(), seen.check_profile()] {
            failures.extend(checked.err().map(|text| format!("{}: {text}", mode.name)));
        }
    }
    failures
}
