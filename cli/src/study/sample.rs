//! `tally sample`, which the command runs by itself: one run of a program in a process of its own, with the processor time that it
//! took. What is loaded and compiled before is in no time; what a way to count installs and uninstalls is.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tally_profiler::{CostVector, inlined};
use tally_study::data::{Context, Cost, Form, Methods};
use tally_vm::Outcome;

use super::clock;
use super::counting::Counting;
use super::machine::this_build;
use super::subject::has_tests;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;
use crate::program;
use crate::test::report_chosen;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::{MachineSettings, Program};
use tally_workbench::testing::chosen::{Chosen, Ran};
use tally_workbench::workers;

/// The request to the process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    /// What to run; without it only the build is described.
    pub(super) run: Option<RunRequest>,
}

/// What to run, and how.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunRequest {
    pub(super) files: Vec<String>,
    pub(super) form: Form,
    /// The category whose methods are wrapped when one package alone is.
    pub(super) package: String,
    pub(super) machine: MachineSettings,
    /// Whether the tests run once before, so that nothing is done for the first time when they are timed.
    #[serde(default)]
    pub(super) again: bool,
}

/// What it answers on its standard output, as a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Answer {
    /// The build and the machine, without a name, if nothing was to be run.
    pub(super) context: Option<Context>,
    /// What was run.
    pub(super) run: Option<RunAnswer>,
}

/// What a run came to.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunAnswer {
    /// Digest of the sources, in hexadecimal digits.
    pub(super) program: String,
    /// Unit tests that were run; 0 for a script.
    pub(super) tests: u64,
    pub(super) seconds: f64,
    pub(super) cost: Cost,
    pub(super) inlined: Option<BTreeMap<String, u64>>,
    pub(super) methods: Option<Methods>,
}

pub(crate) fn sample(request: &Path) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::io("read", "the request", &error);
    let text = std::fs::read(request).map_err(failed)?;
    let request: Request = workers::read(&text)
        .map_err(|error| Failure::new(Exit::Usage, format!("this is no request: {error}")))?;
    let answer = Answer {
        context: match request.run {
            Some(_) => None,
            None => Some(this_build()?),
        },
        run: request.run.map(|run| run.answer()).transpose()?,
    };
    output::write(&output::json_line(&answer)?, None)?;
    Ok(Exit::Success)
}

/// What is timed: all tests one after the other, or the scripts.
enum Work {
    Tests(Chosen),
    Scripts,
}

/// How it ended.
enum Ended {
    Tests(Ran),
    Scripts(Outcome),
}

impl Work {
    fn run(self, program: &mut Program) -> Result<Ended, Failure> {
        Ok(match self {
            Work::Tests(tests) => Ended::Tests(tests.run(program)?),
            Work::Scripts => Ended::Scripts(program.run()),
        })
    }
}

impl Ended {
    fn outcome(&self) -> Outcome {
        match self {
            Ended::Tests(ran) => ran.outcome(),
            Ended::Scripts(outcome) => outcome.clone(),
        }
    }

    /// Fails unless all went well: what fails takes another time.
    fn check(&self, program: &mut Program) -> Result<(), Failure> {
        match self {
            Ended::Tests(ran) => match report_chosen(ran, program)? {
                Exit::Success => Ok(()),
                exit => Err(Failure::new(exit, "its tests do not all pass")),
            },
            Ended::Scripts(outcome) => Ok(program.ended(outcome)?),
        }
    }
}

impl RunRequest {
    fn answer(mut self) -> Result<RunAnswer, Failure> {
        self.machine.count_inlined |= self.form == Form::Inlined;
        let mut program = program::load(
            &self.files,
            None,
            &[],
            &self.machine,
            ProgramOutput::Nowhere,
        )?;
        let (mut work, tests) = self.work(&mut program)?;
        if self.again && tests > 0 {
            work.run(&mut program)?.check(&mut program)?;
            work = Work::Tests(self.tests(&mut program)?);
        }
        let mut counting = Counting::prepare(self.form, &self.package, &mut program)?;
        let start = clock::seconds();
        counting.start(&mut program)?;
        // What installs wrappers sends messages too, which are not the program's.
        let before = program.cost();
        let ended = work.run(&mut program)?;
        let cost = program.cost().since(&before);
        counting.finish(&mut program)?;
        let seconds = clock::seconds() - start;
        ended.check(&mut program)?;
        let outcome = ended.outcome();
        Ok(RunAnswer {
            program: format!("{:016x}", program.description(&outcome).program),
            tests,
            seconds,
            methods: counting.methods(&program, &outcome, &cost),
            inlined: match self.form {
                Form::Inlined => inlined(&program.vm),
                _ => None,
            },
            cost: vector(&cost, self.form == Form::Vector),
        })
    }

    /// What is to be timed, and how many tests that are. Of a program with tests, what else it does has been done.
    fn work(&self, program: &mut Program) -> Result<(Work, u64), Failure> {
        if !has_tests(program.units.iter().map(Arc::as_ref)) {
            return Ok((Work::Scripts, 0));
        }
        let outcome = program.run();
        program.ended(&outcome)?;
        let tests = self.tests(program)?;
        let number = tests.count() as u64;
        Ok((Work::Tests(tests), number))
    }

    fn tests(&self, program: &mut Program) -> Result<Chosen, Failure> {
        Ok(Chosen::all(program, self.machine.max_sends, &*front())?)
    }
}

/// A cost as the study keeps it, which is partial but for one form.
fn vector(cost: &tally_vm::Cost, is_whole: bool) -> Cost {
    let whole = CostVector::from(cost);
    let partial = Cost {
        sends: whole.sends,
        loops: whole.loops,
        objects: whole.allocations.objects,
        bytes: whole.allocations.bytes,
        ..Cost::default()
    };
    match is_whole {
        false => partial,
        true => Cost {
            activations: whole.activations,
            blocks: whole.blocks,
            steps: whole.steps,
            primitives: whole.primitive_count(),
            called: whole.called,
            counters: whole.counters,
            work: whole.work,
            ..partial
        },
    }
}
