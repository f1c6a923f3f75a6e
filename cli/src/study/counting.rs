//! What is done beside running a program: nothing, or one of the ways to count by methods. What is installed for it is installed and
//! removed while the clock runs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tally_profiler::{Profile, SampleProfile};
use tally_study::data::{Form, Methods};
use tally_study::ranking::{by_counts, by_samples};
use tally_vm::bytecode::{Definition, Unit};
use tally_vm::{Cost, Detail, Outcome, Samples};

use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::loading::{Program, compile_text};

/// Looks at the stack a second. A thousand is usual; programs of some milliseconds would hardly be seen then.
const SAMPLES_A_SECOND: u32 = 5000;
/// Methods that are shown of each ranking,
const LISTED: u32 = 30;
/// and where the whole cost vector is known.
const LISTED_OF_VECTOR: u32 = 100;
/// Why a program was not run without counting.
const CHECKS_SLOTS: &str = "an object took the place of a larger one that code was running on, and the loop that counts nothing does not check slots";
/// The name of texts that the command makes itself.
const NAME: &str = "<study>";

/// The work beside the run, and its results.
pub(super) enum Counting {
    Nothing,
    /// The loop that counts nothing, which is another loop in nothing else.
    Stopped,
    Recorder {
        detail: Detail,
        recorded: Option<Box<tally_vm::Recorded>>,
    },
    /// What installs wrappers, and what removes them.
    Wrappers([Arc<Unit>; 2]),
    Sampler(Option<Samples>),
}

impl Counting {
    /// Prepares a form of counting, as far as possible before the clock starts.
    pub(super) fn prepare(
        form: Form,
        package: &str,
        program: &mut Program,
    ) -> Result<Counting, Failure> {
        let recorder = |detail| Counting::Recorder {
            detail,
            recorded: None,
        };
        Ok(match form {
            Form::Counted | Form::Inlined => Counting::Nothing,
            Form::Uncounted => {
                program.vm.stop_counting();
                Counting::Stopped
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
                let package = package.replace('\'', "''");
                wrappers(program, &format!("onPackage: '{package}'"))?
            }
        })
    }

    pub(super) fn start(&mut self, program: &mut Program) -> Result<(), Failure> {
        match self {
            Counting::Nothing | Counting::Stopped => Ok(()),
            Counting::Recorder { detail, .. } => {
                program.vm.start_profile(*detail);
                Ok(())
            }
            Counting::Wrappers([install, _]) => run_own(program, install),
            Counting::Sampler(_) => {
                let interval = Duration::from_secs(1) / SAMPLES_A_SECOND;
                let started = program.vm.start_sampling(interval);
                started.map_err(|error| {
                    Failure::new(
                        Exit::Internal,
                        format!("the sampling thread cannot be started: {error}"),
                    )
                })
            }
        }
    }

    pub(super) fn finish(&mut self, program: &mut Program) -> Result<(), Failure> {
        match self {
            Counting::Nothing => Ok(()),
            Counting::Stopped if !program.vm.checks_slots() => Ok(()),
            Counting::Stopped => Err(Failure::new(Exit::Incomparable, CHECKS_SLOTS)),
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
    pub(super) fn methods(
        self,
        program: &Program,
        outcome: &Outcome,
        cost: &Cost,
    ) -> Option<Methods> {
        let about = program.description(outcome);
        match self {
            Counting::Nothing | Counting::Stopped | Counting::Wrappers(_) => None,
            Counting::Recorder { detail, recorded } => {
                let profile = Profile::collect(&program.vm, &*recorded?, cost, about);
                let most = match detail.sites {
                    true => LISTED_OF_VECTOR,
                    false => LISTED,
                };
                Some(by_counts(&profile, most))
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
                Some(by_samples(&profile, LISTED))
            }
        }
    }
}

fn wrappers(program: &Program, message: &str) -> Result<Counting, Failure> {
    let compiled = |text: String| compile_text(&program.vm, NAME, &text).map(Arc::new);
    Ok(Counting::Wrappers([
        compiled(format!("Compteur start: (Compteur {message})"))?,
        compiled("Compteur stop".to_string())?,
    ]))
}

fn run_own(program: &mut Program, unit: &Arc<Unit>) -> Result<(), Failure> {
    let outcome = program.vm.run_unit(Arc::clone(unit));
    Ok(program.ended(&outcome)?)
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
