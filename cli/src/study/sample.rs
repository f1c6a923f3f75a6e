//! `tally sample`, which the command runs by itself: one run of a program in a process of its own, with the processor time that it
//! took. What is loaded and compiled before is in no time; what a way to count installs and uninstalls is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tally_profiler::{Profile, SampleProfile, inlined};
use tally_study::data::{Context, Cost, Form, MethodRow, Methods};
use tally_vm::bytecode::{Definition, Unit};
use tally_vm::{Detail, Outcome, Samples};

use super::clock;
use super::machine::this_build;
use super::subject::has_tests;
use crate::arguments::MachineArguments;
use crate::exit::{Exit, Failure};
use crate::host::ProgramOutput;
use crate::output;
use crate::program::{Program, compile_text};
use crate::test::{Chosen, Ran};

/// Looks at the stack a second. A thousand is usual; programs of some milliseconds would hardly be seen then.
const SAMPLES_A_SECOND: u32 = 5000;
/// Methods that are told of the beginning of each ranking,
const LISTED: u32 = 30;
/// and where the whole cost vector is known.
const LISTED_OF_VECTOR: u32 = 100;
/// The global that holds wrappers while they are installed.
const WRAPPERS: &str = "TallyStudyWrappers";
/// The name of texts that the command makes itself.
const NAME: &str = "<study>";

/// What the process is asked.
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
    pub(super) machine: MachineArguments,
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
    let request: Request = serde_json::from_slice(&text)
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
            Ended::Tests(ran) => match ran.report(program)? {
                Exit::Success => Ok(()),
                exit => Err(Failure::new(exit, "its tests do not all pass")),
            },
            Ended::Scripts(outcome) => program.ended(outcome),
        }
    }
}

impl RunRequest {
    fn answer(mut self) -> Result<RunAnswer, Failure> {
        self.machine.count_inlined |= self.form == Form::Inlined;
        let mut program = Program::load(
            &self.files,
            None,
            Vec::new(),
            &self.machine,
            ProgramOutput::Nowhere,
        )?;
        let (work, tests) = self.work(&mut program)?;
        let mut counting = Counting::prepare(&self, &mut program)?;
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
            methods: counting.methods(&program, &ended, &cost),
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
        let tests = Chosen::all(program, self.machine.max_sends)?;
        let number = tests.len() as u64;
        Ok((Work::Tests(tests), number))
    }
}

fn vector(cost: &tally_vm::Cost, is_whole: bool) -> Cost {
    let primitives = cost.primitives.iter().map(|(_, count)| count).sum();
    let partial = Cost {
        sends: cost.sends,
        loops: cost.loops,
        objects: cost.allocations.objects,
        bytes: cost.allocations.bytes,
        ..Cost::default()
    };
    match is_whole {
        false => partial,
        true => Cost {
            activations: cost.activations,
            blocks: cost.blocks,
            instructions: cost.instructions,
            primitives,
            ..partial
        },
    }
}

/// What is done beside running, and what came of it.
enum Counting {
    Nothing,
    Recorder {
        detail: Detail,
        recorded: Option<Box<tally_vm::Recorded>>,
    },
    /// What installs wrappers, and what removes them.
    Wrappers([Arc<Unit>; 2]),
    Sampler(Option<Samples>),
}

impl Counting {
    /// Gets ready for what a form asks for; what can be done before the clock starts is done.
    fn prepare(request: &RunRequest, program: &mut Program) -> Result<Counting, Failure> {
        let recorder = |detail| Counting::Recorder {
            detail,
            recorded: None,
        };
        Ok(match request.form {
            Form::Counted | Form::Inlined => Counting::Nothing,
            Form::Uncounted => {
                program.vm.stop_counting();
                Counting::Nothing
            }
            Form::Recorded => recorder(Detail::default()),
            Form::Vector => {
                program.vm.count_everything();
                recorder(Detail {
                    sites: true,
                    ..Detail::default()
                })
            }
            Form::Sampled => Counting::Sampler(None),
            Form::Wrapped => {
                let classes = class_names(&program.units).join(". ");
                wrappers(program, &format!("onClasses: {{{classes}}}"))?
            }
            Form::WrappedPackage => {
                let package = request.package.replace('\'', "''");
                wrappers(program, &format!("onPackage: '{package}'"))?
            }
        })
    }

    fn start(&mut self, program: &mut Program) -> Result<(), Failure> {
        match self {
            Counting::Nothing => Ok(()),
            Counting::Recorder { detail, .. } => {
                program.vm.start_profile(*detail);
                Ok(())
            }
            Counting::Wrappers([install, _]) => run_own(program, install),
            Counting::Sampler(_) => {
                let interval = Duration::from_secs(1) / SAMPLES_A_SECOND;
                let started = program.vm.start_sampling(interval);
                started.map_err(|error| {
                    Failure::new(Exit::Internal, format!("no thread to sample by: {error}"))
                })
            }
        }
    }

    fn finish(&mut self, program: &mut Program) -> Result<(), Failure> {
        match self {
            Counting::Nothing => Ok(()),
            Counting::Recorder { recorded, .. } => {
                *recorded = Some(Box::new(program.vm.finish_profile()));
                Ok(())
            }
            Counting::Wrappers([_, remove]) => run_own(program, remove),
            Counting::Sampler(samples) => {
                *samples = Some(program.vm.finish_sampling());
                Ok(())
            }
        }
    }

    /// The application's methods that cost most.
    fn methods(self, program: &Program, ended: &Ended, cost: &tally_vm::Cost) -> Option<Methods> {
        let about = program.description(&ended.outcome());
        match self {
            Counting::Nothing | Counting::Wrappers(_) => None,
            Counting::Recorder { detail, recorded } => {
                let profile = Profile::collect(&program.vm, &*recorded?, cost, about);
                let most = match detail.sites {
                    true => LISTED_OF_VECTOR,
                    false => LISTED,
                };
                Some(ranked(0, counted_rows(&profile), most))
            }
            Counting::Sampler(samples) => {
                let samples = samples?;
                let profile = SampleProfile::collect(
                    &program.vm,
                    &samples,
                    SAMPLES_A_SECOND,
                    about.files,
                    about.arguments,
                );
                Some(ranked(profile.samples, sampled_rows(&profile), LISTED))
            }
        }
    }
}

fn wrappers(program: &Program, message: &str) -> Result<Counting, Failure> {
    let compiled = |text: String| compile_text(&program.vm, NAME, &text).map(Arc::new);
    Ok(Counting::Wrappers([
        compiled(format!(
            "Smalltalk at: #{WRAPPERS} put: (Compteur {message}). (Smalltalk at: #{WRAPPERS}) install"
        ))?,
        compiled(format!("(Smalltalk at: #{WRAPPERS}) uninstall"))?,
    ]))
}

fn run_own(program: &mut Program, unit: &Arc<Unit>) -> Result<(), Failure> {
    let outcome = program.vm.run_unit(Arc::clone(unit));
    program.ended(&outcome)
}

fn class_names(units: &[Arc<Unit>]) -> Vec<String> {
    let definitions = units.iter().flat_map(|unit| &unit.definitions);
    let names: BTreeSet<String> = definitions
        .filter_map(|definition| match definition {
            Definition::Class(class) => Some(class.name.clone()),
            _ => None,
        })
        .collect();
    names.into_iter().collect()
}

fn counted_rows(profile: &Profile) -> Vec<MethodRow> {
    let own = profile.methods.iter().filter(|m| !m.is_library);
    own.filter(|method| !method.class.is_empty())
        .map(|method| MethodRow {
            name: method.name.clone(),
            own: method.own,
            total: method.total,
            calls: method.calls,
            block_calls: method.block_calls,
            objects: method.allocations.objects,
            bytes: method.allocations.bytes,
            ..MethodRow::default()
        })
        .collect()
}

fn sampled_rows(profile: &SampleProfile) -> Vec<MethodRow> {
    let own = profile.methods.iter().filter(|m| !m.is_library);
    own.filter(|method| method.name.contains(">>"))
        .map(|method| MethodRow {
            name: method.name.clone(),
            own: method.own,
            total: method.total,
            ..MethodRow::default()
        })
        .collect()
}

/// Methods with their places, those alone that have one of the first places.
fn ranked(samples: u64, mut rows: Vec<MethodRow>, most: u32) -> Methods {
    let known = rows.len() as u64;
    place(
        &mut rows,
        |row| (row.own, row.total),
        |row, place| row.by_own = place,
    );
    place(
        &mut rows,
        |row| (row.total, row.own),
        |row, place| row.by_total = place,
    );
    rows.retain(|row| row.by_own <= most || row.by_total <= most);
    Methods {
        known,
        samples,
        listed: rows,
    }
}

/// Sorts by what costs most, then by name, and notes the places.
fn place(
    rows: &mut [MethodRow],
    key: impl Fn(&MethodRow) -> (u64, u64),
    note: impl Fn(&mut MethodRow, u32),
) {
    rows.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.name.cmp(&b.name)));
    for (row, number) in rows.iter_mut().zip(1..) {
        note(row, number);
    }
}
