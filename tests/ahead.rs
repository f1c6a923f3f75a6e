//! Runs each golden program with processors several times. Each run lets processors run further ahead of the others. No
//! result depends on that: output, errors, costs and timelines are equal. The same holds for runs under one changed assumption.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::host::TestHost;
use tally_tests::modes::PLAIN;
use tally_tests::observe::{Options, compile, machine};
use tally_tests::{expectation, files_below, root};
use tally_vm::bytecode::Unit;
use tally_vm::{AnswersOfPair, Assumption, Cost, Limit, Outcome, Pace, Timeline};

use crate::checks::{Checked, trial};

/// Ticks that a processor runs ahead of the others at most.
const AHEAD: [u64; 4] = [1, 7, 1_000, u64::MAX];

/// Ticks after which a run under an assumption ends.
const MOST_TICKS: u64 = 3_000_000;

/// Two tests for each program.
pub(crate) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let folder = root().join("tests/golden/processors");
    let mut trials = Vec::new();
    for path in files_below(&folder, "st")? {
        let name = path.strip_prefix(&folder)?.with_extension("");
        let read =
            |path: &PathBuf| std::fs::read_to_string(path).map_err(|error| error.to_string());
        let assumed = (
            format!("ahead/assumptions/{}", name.display()),
            path.clone(),
        );
        let name = format!("ahead/{}", name.display());
        trials.push(trial(name, move || agrees(&read(&path)?)));
        let (name, path) = assumed;
        trials.push(trial(name, move || agrees_under_assumptions(&read(&path)?)));
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
    answers: Vec<AnswersOfPair>,
    timeline: Option<Timeline>,
}

impl Shown {
    fn nothing(outcome: Outcome) -> Shown {
        Shown {
            out: String::new(),
            error: String::new(),
            outcome,
            cost: Cost::default(),
            answers: Vec::new(),
            timeline: None,
        }
    }
}

fn agrees(source: &str) -> Checked {
    let program = Program::of(source)?;
    let expected = program.agreed(None)?;
    match expected.timeline {
        Some(_) => Ok(()),
        None => Err("the program makes no processor".to_string()),
    }
}

/// Assumptions about names of the program's run: each feature has another pace, and so on.
fn agrees_under_assumptions(source: &str) -> Checked {
    let program = Program::of(source)?;
    let timeline = program.run(AHEAD[3], None)?.timeline;
    let timeline = timeline.ok_or("the program makes no processor")?;
    let mut assumptions = Vec::new();
    let requests = timeline.requests.iter().skip(1);
    let features: BTreeSet<(String, String)> = requests
        .clone()
        .map(|request| (request.class.clone(), request.selector.clone()))
        .collect();
    for (number, feature) in features.into_iter().enumerate() {
        let units = [0, 2, 7][number % 3];
        assumptions.push(Assumption::Pace {
            feature: feature.clone(),
            pace: Pace { ticks: 3, units },
        });
        assumptions.push(Assumption::Cache { feature });
    }
    let sites: BTreeSet<String> = requests
        .filter_map(|request| request.site.clone())
        .collect();
    assumptions.extend(sites.into_iter().map(|site| Assumption::Async { site }));
    let classes = timeline.processors.iter().skip(1);
    let classes: BTreeSet<String> = classes.map(|processor| processor.class.clone()).collect();
    let mut first: Option<&String> = None;
    for class in &classes {
        assumptions.push(Assumption::Copy {
            class: class.clone(),
        });
        assumptions.extend(first.map(|first| Assumption::Merge {
            first: first.clone(),
            second: class.clone(),
        }));
        first = Some(class);
    }
    assumptions
        .into_iter()
        .try_for_each(|assumption| program.agreed(Some(assumption)).map(|_| ()))
}

/// A program, and how it is run.
struct Program {
    unit: Arc<Unit>,
    options: Options,
}

impl Program {
    fn of(source: &str) -> Result<Program, String> {
        let options = expectation::read(source)?.options;
        let unit = compile("program.st", source)?.unit;
        let unit = Arc::new(unit.ok_or("the program does not compile")?);
        Ok(Program { unit, options })
    }

    /// What all runs under the assumption show.
    fn agreed(&self, assumption: Option<Assumption>) -> Result<Shown, String> {
        let [first, others @ ..] = AHEAD;
        let expected = self.run(first, assumption.clone())?;
        for ahead in others {
            let other = self.run(ahead, assumption.clone())?;
            if other != expected {
                return Err(format!(
                    "{first} and {ahead} differ under {assumption:?}: {expected:#?}\n{other:#?}"
                ));
            }
        }
        Ok(expected)
    }

    fn run(&self, ahead: u64, assumption: Option<Assumption>) -> Result<Shown, String> {
        let host = TestHost::new();
        let mut vm = machine(&self.options, &PLAIN, &host)?;
        vm.record_timeline();
        vm.run_ahead(ahead);
        // Without this, primitives are counted in silent code and up to the next poll point, which depends on how far processors run ahead.
        vm.count_everything();
        if assumption.is_some() {
            // An assumption can keep a program from ending.
            vm.limit_ticks(MOST_TICKS);
        }
        vm.assume(assumption);
        let outcome = vm.run_unit(Arc::clone(&self.unit));
        if outcome == Outcome::Limit(Limit::Ticks) {
            // How far the others were by then depends on it.
            return Ok(Shown::nothing(outcome));
        }
        Ok(Shown {
            out: host.out(),
            error: host.error(),
            outcome,
            cost: vm.cost(),
            answers: vm.answers(),
            timeline: vm.timeline(),
        })
    }
}
