//! Trials of blocks in copies of the machine: their figures are those of the timeline of a program that does the same, and they leave no
//! trace.

use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::{self, Mode};
use tally_tests::observe::{Options, compile, machine};
use tally_tests::{files_below, root};
use tally_timeline::{Circumstances, Extent, Overview, feed};
use tally_vm::{Outcome, Simulation};

use crate::checks::{Checked, trial};

/// The numbers of CPUs with which each program is tried.
const CPUS: [Option<u64>; 3] = [None, Some(1), Some(2)];

pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let mut trials = Vec::new();
    let folders = ["examples/processors", "examples/processes"];
    let found = folders.map(|folder| files_below(&root().join(folder), "st"));
    for path in found.into_iter().collect::<Result<Vec<_>, _>>()?.concat() {
        let name = path.file_stem().unwrap_or_default();
        let name = format!("trials/{}", name.to_string_lossy());
        trials.push(trial(name, move || {
            let text = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
            same_as_timeline(&text)
        }));
    }
    if trials.is_empty() {
        return Err("there are no programs with processors".into());
    }
    Ok(trials)
}

/// The definitions of a program, and its statements.
fn parts(text: &str) -> (&str, &str) {
    let end = text.rfind("\n]\n").map_or(0, |at| at + 3);
    text.split_at(end)
}

/// A block with the statements of a program takes what the program takes, on each number of CPUs. What follows the trials is as if there had been none.
fn same_as_timeline(text: &str) -> Checked {
    let (definitions, statements) = parts(text);
    for cpus in CPUS {
        let expected = timeline(text, cpus)?;
        let number = cpus.map_or("nil".to_string(), |cpus| cpus.to_string());
        let tried = format!(
            "{definitions}| trial |\ntrial := CountedTrial stuckOrNotOf: [ {statements} nil ] onCpus: {number}.\n\
             {{ trial makespan. trial ticks. trial waiting. trial evaluations }} printNl.\n\
             trial deadlock displayNl.\n"
        );
        for mode in [modes::PLAIN, modes::GC_STRESS, modes::PROFILE] {
            let (outcome, out) = run(&tried, &mode)?;
            if outcome != Outcome::Finished {
                return Err(format!("{}: {outcome:?}: {out}", mode.name));
            }
            let found = out.lines().next().unwrap_or_default();
            if found != expected.figures {
                let expected = &expected.figures;
                return Err(format!("{}, {cpus:?}: {found}, not {expected}", mode.name));
            }
            if (out.lines().nth(1) != Some("nil")) != expected.is_stuck {
                return Err(format!("{}, {cpus:?}: {out}", mode.name));
            }
        }
    }
    Ok(())
}

struct Expected {
    figures: String,
    is_stuck: bool,
}

/// What the timeline of the program says.
fn timeline(text: &str, cpus: Option<u64>) -> Result<Expected, String> {
    let options = Options::default();
    let host = TestHost::new();
    let mut vm = machine(&options, &modes::PLAIN, &host)?;
    vm.simulate(Simulation {
        cpus,
        ..Simulation::default()
    });
    vm.record_timeline();
    let unit = compile("program.st", text)?.unit;
    let unit = unit.ok_or("the program does not compile")?;
    let outcome = vm.run_unit(Arc::new(unit));
    let timeline = vm.timeline().ok_or("there is no timeline")?;
    let circumstances = Circumstances {
        has_few_cpus: cpus.is_some(),
        ..Circumstances::default()
    };
    let overview = Overview::new(Extent::whole(timeline.end), None, false);
    let mut overview = overview.under(circumstances);
    feed(&timeline, &mut overview).map_err(|error| error.to_string())?;
    let figures = overview.finish();
    let evaluations = figures.features.iter().map(|row| row.evaluations.sum);
    let evaluations: u64 = evaluations.sum();
    Ok(Expected {
        figures: format!(
            "#({} {} {} {evaluations})",
            timeline.end, figures.ticks, figures.waiting
        ),
        is_stuck: outcome == Outcome::Deadlock,
    })
}

fn run(text: &str, mode: &Mode) -> Result<(Outcome, String), String> {
    let host = TestHost::new();
    let mut vm = machine(&Options::default(), mode, &host)?;
    let unit = compile("program.st", text)?.unit;
    let unit = unit.ok_or("the program does not compile")?;
    let outcome = vm.run_unit(Arc::new(unit));
    Ok((outcome, host.out()))
}
