//! Carrying out a plan: what is not known yet is measured and kept at once.

use std::path::Path;

use tally_study::data::{Application, Context, Data, Entry, Form, Missing, Sample};

use super::child::Children;
use super::journal::Journal;
use super::machine::this_build;
use super::plan::{Repetitions, Step, plan};
use super::sample::{Request, RunAnswer, RunRequest};
use super::subject::{Subject, written};
use super::way::Way;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::progress::Progress;
use tally_workbench::workers::Interrupts;

/// Seconds of processor time after which a program is not run once more with wrappers in the language, which make it many
/// times slower.
const LONG_ENOUGH: f64 = 5.0;

/// What is measured, where and how often.
pub(super) struct Session<'a> {
    pub(super) subjects: &'a [Subject],
    /// The folder in which their files are.
    pub(super) folder: &'a Path,
    pub(super) ways: &'a [Way],
    pub(super) repetitions: Repetitions,
}

impl Session<'_> {
    /// Measures what the journal does not have, and answers all that is known then.
    pub(super) fn measure(&self, journal: &mut Journal) -> Result<(), Failure> {
        let interrupts = Interrupts::caught()?;
        let children = Children::new(self.folder, &interrupts)?;
        let known = self.known_ways(journal, &children)?;
        let mut applications = Vec::new();
        for subject in self.subjects {
            applications.push(subject.application(self.folder)?);
        }
        note_library(journal)?;
        let mut steps = plan(self.subjects, self.ways, self.repetitions);
        let all = steps.len();
        steps.retain(|step| {
            let (application, way) = (&applications[step.subject], &self.ways[step.way]);
            known[step.way] && !journal.has(application, &way.name, step.form, step.round)
        });
        let progress = Progress::new(steps.len());
        for (done, step) in steps.iter().enumerate() {
            if self.is_enough(journal, step, &applications[step.subject]) {
                progress.done();
                continue;
            }
            progress.step(self.describe(step));
            let run = self.run(journal, &children, step, &mut applications[step.subject]);
            if let Err(failure) = run {
                drop(progress);
                if interrupts.came() {
                    tell_what_is_kept(journal, all - steps.len() + done, all);
                }
                return Err(failure);
            }
            progress.done();
        }
        Ok(())
    }

    /// Which ways can be gone, by index; why others cannot is noted.
    fn known_ways(
        &self,
        journal: &mut Journal,
        children: &Children<'_>,
    ) -> Result<Vec<bool>, Failure> {
        let here = this_build()?;
        let mut known = Vec::new();
        for way in self.ways {
            let context = match way.command.is_empty() {
                true => Ok(here.clone()),
                false => {
                    let answer = children.ask(way, &Request { run: None })?;
                    let nothing =
                        || Failure::new(Exit::Incomparable, "it does not describe itself");
                    answer.and_then(|answer| answer.context.ok_or_else(nothing))
                }
            };
            known.push(context.is_ok());
            match context {
                Ok(context) => journal.note_context(&Context {
                    name: way.name.clone(),
                    about: way.about.clone(),
                    ..context
                })?,
                Err(failure) => {
                    let why = failure.message();
                    console::warning(&format!("'{}' is left out: {why}", way.name));
                    note_missing(journal, "", way, Form::Counted, why)?;
                }
            }
        }
        Ok(known)
    }

    fn run(
        &self,
        journal: &mut Journal,
        children: &Children<'_>,
        step: &Step,
        application: &mut Application,
    ) -> Result<(), Failure> {
        let (subject, way) = (&self.subjects[step.subject], &self.ways[step.way]);
        let request = Request {
            run: Some(RunRequest {
                files: subject.files.clone(),
                form: step.form,
                package: application.package.clone(),
                machine: way.machine.clone(),
                again: false,
            }),
        };
        let answer = children.ask(way, &request)?;
        let run = match answer {
            Ok(answer) => answer.run,
            // Without these there is nothing to hold anything against.
            Err(failure) if step.way == 0 && [Form::Counted, Form::Vector].contains(&step.form) => {
                let why = format!("{}: {}", subject.name, failure.message());
                return Err(Failure::new(failure.exit(), why));
            }
            Err(failure) => {
                return note_missing(journal, &subject.name, way, step.form, failure.message());
            }
        };
        let run = run.ok_or_else(|| Failure::new(Exit::Internal, "nothing was run"))?;
        if run.program != application.program {
            let why = format!("{} was changed while it was measured", subject.name);
            return Err(Failure::new(Exit::Incomparable, why));
        }
        application.tests = run.tests;
        journal.note_application(application)?;
        journal.add(Entry::Sample(sample(run, application, way, step)))
    }

    /// Whether a run takes so long that what is known of its like has to do.
    fn is_enough(&self, journal: &Journal, step: &Step, application: &Application) -> bool {
        if ![Form::Wrapped, Form::WrappedPackage].contains(&step.form) {
            return false;
        }
        let way = &self.ways[step.way];
        let known = journal.data.samples(application, &way.name, step.form);
        known.iter().map(|sample| sample.seconds).sum::<f64>() > LONG_ENOUGH
    }

    fn describe(&self, step: &Step) -> String {
        let (subject, way) = (&self.subjects[step.subject], &self.ways[step.way]);
        let form = match step.form {
            Form::Counted => "counted",
            Form::Uncounted => "not counted",
            Form::Recorded => "by methods",
            Form::Wrapped => "wrapped",
            Form::WrappedPackage => "one package wrapped",
            Form::Sampled => "sampled",
            Form::Vector => "whole cost vector",
            Form::Inlined => "inlined messages",
        };
        match step.way {
            0 => format!("round {}: {}, {form}", step.round, subject.name),
            _ => format!(
                "round {}: {}, {form}, {}",
                step.round, subject.name, way.name
            ),
        }
    }
}

fn sample(run: RunAnswer, application: &Application, way: &Way, step: &Step) -> Sample {
    Sample {
        application: application.name.clone(),
        program: application.program.clone(),
        context: way.name.clone(),
        form: step.form,
        round: step.round,
        seconds: run.seconds,
        cost: run.cost,
        inlined: run.inlined,
        methods: run.methods,
    }
}

fn note_missing(
    journal: &mut Journal,
    application: &str,
    way: &Way,
    form: Form,
    why: &str,
) -> Result<(), Failure> {
    let missing = Missing {
        application: application.to_string(),
        context: way.name.clone(),
        form,
        why: why.to_string(),
    };
    let is_known = journal.data.missing().any(|known| *known == missing);
    match is_known {
        true => Ok(()),
        false => journal.add(Entry::Missing(missing)),
    }
}

/// Notes what the library's source says about inlined messages.
fn note_library(journal: &mut Journal) -> Result<(), Failure> {
    if journal.data.library().is_some() {
        return Ok(());
    }
    let internal = |why: String| Failure::new(Exit::Internal, why);
    let host = Box::<tally_vm::MemoryHost>::default();
    let vm = tally_stdlib::machine(tally_vm::Config::default(), host).map_err(internal)?;
    let units = tally_compiler::library::library_units_counting_inlined(&vm).map_err(internal)?;
    let mut messages = tally_profiler::WrittenMessages::default();
    units.iter().for_each(|unit| messages.add(unit));
    journal.add(Entry::Library(written(messages)))
}

fn tell_what_is_kept(journal: &Journal, done: usize, all: usize) {
    console::write(&format!(
        "{done} of {all} runs are kept in {}; the same command goes on from there\n",
        journal.path().display()
    ));
}

/// Whether there is anything to report.
pub(super) fn is_empty(data: &Data) -> bool {
    !data
        .entries
        .iter()
        .any(|entry| matches!(entry, Entry::Sample(_)))
}
