//! Runs each golden program with processors several times. Each run lets processors run further ahead of the others. No
//! result depends on that: output, errors, costs and timelines are equal.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::PLAIN;
use tally_tests::observe::{Options, compile, machine};
use tally_tests::{expectation, files_below, root};
use tally_vm::bytecode::Unit;
use tally_vm::{Cost, Outcome, Timeline};

use crate::checks::{Checked, trial};

/// Ticks that a processor runs ahead of the others at most.
const AHEAD: [u64; 4] = [1, 7, 1_000, u64::MAX];

/// A test for each program.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let folder = root().join("tests/golden/processors");
    let mut trials = Vec::new();
    for path in files_below(&folder, "st")? {
        let name = path.strip_prefix(&folder)?.with_extension("");
        let name = format!("ahead/{}", name.display());
        trials.push(trial(name, move || {
            let source = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            agrees(&source)
        }));
    }
    Ok(trials)
}

/// What a run shows.
#[derive(Debug, PartialEq)]
struct Shown {
    out: String,
    error: String,
    outcome: Outcome,
    cost: Cost,
    timeline: Option<Timeline>,
}

fn agrees(source: &str) -> Checked {
    let options = expectation::read(source)?.options;
    let unit = compile("program.st", source)?.unit;
    let unit = Arc::new(unit.ok_or("the program does not compile")?);
    let [first, others @ ..] = AHEAD;
    let expected = run(&unit, &options, first)?;
    if expected.timeline.is_none() {
        return Err("the program makes no processor".to_string());
    }
    for ahead in others {
        let other = run(&unit, &options, ahead)?;
        if other != expected {
            return Err(format!(
                "{first} and {ahead} differ: {expected:#?}\n{other:#?}"
            ));
        }
    }
    Ok(())
}

fn run(unit: &Arc<Unit>, options: &Options, ahead: u64) -> Result<Shown, String> {
    let host = TestHost::new();
    let mut vm = machine(options, &PLAIN, &host)?;
    // Without this, primitives are counted in silent code and up to the next poll point, which depends on how far processors run ahead.
    vm.count_everything();
    vm.record_timeline();
    vm.run_ahead(ahead);
    let outcome = vm.run_unit(Arc::clone(unit));
    Ok(Shown {
        out: host.out(),
        error: host.error(),
        outcome,
        cost: vm.cost(),
        timeline: vm.timeline(),
    })
}
