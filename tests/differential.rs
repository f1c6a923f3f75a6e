//! Runs every program of `examples` in every way that must not make a difference: in each mode, stopped and copied at
//! poll points, with a scheduler's choices replayed. Compares output and counts with the files beside the program.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Extent, Observed, Options, compile, conclude, machine, observe};
use tally_tests::{compare_with_file, example_programs, root};
use tally_vm::bytecode::Unit;
use tally_vm::{Replay, Shuffle};

use crate::checks::{Checked, trial};

/// How often a program is copied in the middle of its run.
const FORKS: u64 = 100;
/// Ticks of all runs that the forks of one program may take.
const FORK_BUDGET: u64 = if cfg!(debug_assertions) {
    150_000_000
} else {
    400_000_000
};
/// Runs with more ticks than this are not repeated with a collection at each allocation.
const MOST_TICKS_UNDER_STRESS: u64 = 150_000;

/// Arguments that make a program's run short, for gc stress.
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

/// Golden programs with processes, which the examples lack, for the tests that depend on them.
const PROCESSES: &[&str] = &[
    "counting/two_processes_add_up",
    "counting/time_slices_change_the_order_and_not_the_counts",
    "counting/a_process_that_is_terminated_runs_its_ensure_blocks",
    "counting/a_measurement_sees_its_own_process_only",
    "language/processes_wait_for_each_other",
];

/// Golden programs that change what the machine may do to be faster, in the middle of their run.
const CHANGES: &[&str] = &["counting/a_redefinition_in_hot_code_closes_one_short_cut"];

static CHECKS: AtomicUsize = AtomicUsize::new(0);
static COPIES: AtomicUsize = AtomicUsize::new(0);
static STRESSED: AtomicUsize = AtomicUsize::new(0);

/// What the tests of this file have checked so far, in words.
pub(crate) fn summary() -> String {
    format!(
        "differential runs: {} checks, {} copies at poll points, {} programs under gc stress",
        CHECKS.load(Ordering::Relaxed),
        COPIES.load(Ordering::Relaxed),
        STRESSED.load(Ordering::Relaxed)
    )
}

type Check = fn(&Program) -> Checked;

/// A program with what its tests share.
struct Program {
    name: String,
    path: PathBuf,
    source: String,
    unit: Arc<Unit>,
}

/// Some tests for each example.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let checks: [(&str, Check); 5] = [
        ("output_and_counts", output_and_counts),
        ("modes_agree", modes_agree),
        ("gc_stress_agrees", gc_stress_agrees),
        ("copies_go_on_alike", copies_go_on_alike),
        ("choices_replay", choices_replay),
    ];
    let mut trials = Vec::new();
    for path in example_programs()? {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        for (what, check) in checks {
            trials.push(of_program(format!("examples/{name}/{what}"), &path, check));
        }
    }
    let processes = PROCESSES.iter().map(|name| ("processes", name));
    let changes = CHANGES.iter().map(|name| ("changes", name));
    for (kind, name) in processes.chain(changes) {
        let path = root().join("tests/golden").join(name).with_extension("st");
        for (what, check) in &checks[3..] {
            trials.push(of_program(format!("{kind}/{name}/{what}"), &path, *check));
        }
    }
    for (what, check) in [
        ("each_limit", stopped_at_each_tick as fn() -> Checked),
        ("each_depth", stopped_at_each_depth),
        ("each_slice", switched_after_each_slice),
    ] {
        trials.push(trial(format!("foreseen/{what}"), check));
    }
    Ok(trials)
}

fn of_program(name: String, path: &Path, check: Check) -> Trial {
    let path = path.to_path_buf();
    trial(name, move || {
        load(&path).and_then(|program| check(&program))
    })
}

fn load(path: &Path) -> Result<Program, String> {
    let name = path
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let source = source.replace("\r\n", "\n");
    let compiled = compile(&format!("{name}.st"), &source)?;
    let unit = compiled
        .unit
        .ok_or_else(|| format!("{:?}", compiled.diagnostics))?;
    Ok(Program {
        name,
        path: path.to_path_buf(),
        source,
        unit: Arc::new(unit),
    })
}

fn checked() {
    CHECKS.fetch_add(1, Ordering::Relaxed);
}

/// Fails unless both runs look the same.
fn same(what: &str, first: &Observed, second: &Observed, extent: Extent) -> Checked {
    checked();
    let differences = first.differences(second, extent);
    if differences.is_empty() {
        Ok(())
    } else {
        Err(format!("{what}: {}", differences.join("\n")))
    }
}

// --- goldens ----------------------------------------------------------------------------------------

fn output_and_counts(program: &Program) -> Checked {
    let seen = observe(&program.unit, &Options::default(), &modes::PROFILE)?;
    if !seen.error.is_empty() {
        return Err(format!("the program complains:\n{}", seen.error));
    }
    if !seen.out.is_empty() {
        checked();
        compare_with_file(&program.path.with_extension("expected"), &seen.out)?;
    }
    checked();
    compare_with_file(&program.path.with_extension("counts"), &counts(&seen))
}

fn counts(seen: &Observed) -> String {
    let cost = &seen.cost;
    let mut text = String::new();
    let rows = [
        ("sends", cost.sends),
        ("loops", cost.loops),
        ("activations", cost.activations),
        ("blocks", cost.blocks),
        ("objects", cost.allocations.objects),
        ("bytes", cost.allocations.bytes),
    ];
    for (name, count) in rows {
        let _ = writeln!(text, "{name} {count}");
    }
    text
}

// --- modes ------------------------------------------------------------------------------------------

fn modes_agree(program: &Program) -> Checked {
    let options = Options::default();
    let plain = observe(&program.unit, &options, &modes::PLAIN)?;
    let profile = observe(&program.unit, &options, &modes::PROFILE)?;
    same("profile", &plain, &profile, Extent::Cheap)?;
    for mode in modes::all().into_iter().skip(2) {
        let seen = observe(&program.unit, &options, &mode)?;
        same(mode.name, &profile, &seen, Extent::with_profile(&mode))?;
        identities(program, &seen)?;
    }
    identities(program, &profile)
}

/// The identities of the counting model that need no other run.
fn identities(program: &Program, seen: &Observed) -> Checked {
    checked();
    seen.check_sum_of_own()?;
    seen.check_profile()?;
    let sums = seen
        .tallies
        .values()
        .fold((0, 0), |(calls, blocks), tally| {
            (calls + tally.calls, blocks + tally.block_calls)
        });
    if sums != (seen.cost.activations, seen.cost.blocks) {
        let found = (seen.cost.activations, seen.cost.blocks);
        return Err(format!(
            "activations and blocks of methods {sums:?}, of the run {found:?}"
        ));
    }
    // With one process everything happens below the script.
    let has_processes = program.source.contains("fork") || program.source.contains("newProcess");
    let script = seen
        .tallies
        .get(&format!("{}.st", program.name))
        .copied()
        .unwrap_or_default();
    if !has_processes && script.total != seen.cost.sends {
        return Err(format!(
            "total of the script {}, sends {}",
            script.total, seen.cost.sends
        ));
    }
    Ok(())
}

fn gc_stress_agrees(program: &Program) -> Checked {
    let short = SHORT.iter().find(|(name, _)| *name == program.name);
    let arguments = short
        .map(|(_, arguments)| arguments.to_string())
        .into_iter()
        .collect();
    let options = Options {
        arguments,
        ..Options::default()
    };
    let profile = observe(&program.unit, &options, &modes::PROFILE)?;
    if profile.cost.sends + profile.cost.loops > MOST_TICKS_UNDER_STRESS {
        return Ok(());
    }
    STRESSED.fetch_add(1, Ordering::Relaxed);
    let stressed = observe(&program.unit, &options, &modes::GC_STRESS)?;
    same("gc stress", &profile, &stressed, Extent::Everything)
}

// --- copies -----------------------------------------------------------------------------------------

/// Stops a run at poll points spread over it, copies the machine there, and lets the copy go on to the end;
/// at last the original goes on too.
fn copies_go_on_alike(program: &Program) -> Checked {
    for mode in [modes::PLAIN, modes::SMALL_HEAP] {
        copies_in_mode(program, &mode)?;
    }
    Ok(())
}

fn copies_in_mode(program: &Program, mode: &Mode) -> Checked {
    let options = Options::default();
    let extent = Extent::with_profile(mode);
    let straight = observe(&program.unit, &options, mode)?;
    let ticks = straight.cost.sends + straight.cost.loops;
    let forks = FORKS.min(FORK_BUDGET / (ticks + 1)).max(3);
    let host = TestHost::new();
    let mut vm = machine(&options, mode, &host)?;
    vm.prepare_unit(program.unit.clone());
    for fork in 0..forks {
        // A step that is no round number meets different kinds of poll points.
        let at = ticks * (2 * fork + 1) / (2 * forks) + fork % 7;
        if let Some(outcome) = vm.run_until(at) {
            let seen = conclude(&mut vm, &host, outcome);
            return same("stopped run", &straight, &seen, extent);
        }
        let split = host.split();
        let mut copy = vm.fork(Box::new(split.clone()));
        let outcome = copy.resume();
        COPIES.fetch_add(1, Ordering::Relaxed);
        let seen = conclude(&mut copy, &split, outcome);
        same(
            &format!("{}: copy at tick {at}", mode.name),
            &straight,
            &seen,
            extent,
        )?;
    }
    let outcome = vm.resume();
    let seen = conclude(&mut vm, &host, outcome);
    same(
        &format!("{}: original of the copies", mode.name),
        &straight,
        &seen,
        extent,
    )
}

// --- schedulers -------------------------------------------------------------------------------------

/// A run with random choices of a scheduler, and one that repeats them.
fn choices_replay(program: &Program) -> Checked {
    let options = Options::default();
    for (seed, longest_slice) in [(1, 5_000), (2, 50), (3, 3), (4, 20)] {
        let shuffle = Shuffle::new(seed, longest_slice);
        let log = shuffle.log.clone();
        let host = TestHost::new();
        let mut vm = machine(&options, &modes::PROFILE, &host)?;
        vm.set_scheduler(Box::new(shuffle));
        let outcome = vm.run_unit(program.unit.clone());
        let shuffled = conclude(&mut vm, &host, outcome);
        let choices = log.lock().map_err(|error| error.to_string())?.clone();
        let host = TestHost::new();
        let mut vm = machine(&options, &modes::PROFILE, &host)?;
        vm.set_scheduler(Box::new(Replay::new(choices)));
        let outcome = vm.run_unit(program.unit.clone());
        let replayed = conclude(&mut vm, &host, outcome);
        same(
            &format!("replay of seed {seed}"),
            &shuffled,
            &replayed,
            Extent::Everything,
        )?;
    }
    Ok(())
}

// --- what is foreseen -------------------------------------------------------------------------------

/// Sends that the loop answers without executing the methods behind them, again and again, with all that may come
/// between: the limits that those methods would have met, and switches to another process.
const FORESEEN: &str = r#"
SmallInteger extend [
    isAtLeast: x [ ^(self < x) not ]
    isBeyond: x [ ^(self isAtLeast: x) and: [(self = x) not] ]
]
Boolean extend [ implies: other [ ^self not or: [other] ] ]
Object subclass: Asked [
    | seen |
    ask: n [
        n isAtLeast: 2.
        ^((n isBeyond: 3) implies: (n isBeyond: 2)) & (n isBeyond: 1)
    ]
    askAll [ seen := OrderedCollection new. 1 to: 6 do: [:n | seen add: (self ask: n)]. ^seen asArray ]
    askAt: depth [ ^depth = 0 ifTrue: [self ask: 4] ifFalse: [self askAt: depth - 1] ]
]
"#;

/// Fails unless a run that may count nothing but sends shows the same as a complete run.
fn foreseen_agrees(what: &str, script: &str, options: &Options) -> Checked {
    let compiled = compile("foreseen.st", &format!("{FORESEEN}{script}"))?;
    let unit = compiled.unit.ok_or("does not compile")?;
    let unit = Arc::new(unit);
    let plain = observe(&unit, options, &modes::PLAIN)?;
    for mode in [modes::RECORDING, modes::PROFILE] {
        let seen = observe(&unit, options, &mode)?;
        same(
            &format!("{what}, {}", mode.name),
            &plain,
            &seen,
            Extent::Cheap,
        )?;
    }
    Ok(())
}

fn stopped_at_each_tick() -> Checked {
    let script = "| a | a := Asked new. 3 timesRepeat: [a askAll printNl]";
    for most in 1..260 {
        let options = Options {
            max_ticks: Some(most),
            ..Options::default()
        };
        foreseen_agrees(&format!("{most} ticks"), script, &options)?;
    }
    Ok(())
}

fn stopped_at_each_depth() -> Checked {
    let script =
        "| a | a := Asked new. (a askAt: 0) printNl. 5 to: 30 do: [:n | (a askAt: n) printNl]";
    for depth in 4..36 {
        let options = Options {
            max_depth: Some(depth),
            ..Options::default()
        };
        foreseen_agrees(&format!("depth {depth}"), script, &options)?;
    }
    Ok(())
}

fn switched_after_each_slice() -> Checked {
    let script = "1 to: 3 do: [:n | [3 timesRepeat: [n printNl. Asked new askAll printNl]] fork]. 20 timesRepeat: [Processor yield]";
    for slice in 1..60 {
        let options = Options {
            slice: Some(slice),
            ..Options::default()
        };
        foreseen_agrees(&format!("slices of {slice}"), script, &options)?;
    }
    Ok(())
}
