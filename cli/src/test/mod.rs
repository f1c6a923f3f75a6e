//! `tally test`: finds the tests that files define, runs each in a machine of its own, and reports. How a test ends is
//! decided by the library's TestCase; what that means for the exit code, by `Summary`.

mod arguments;
mod chosen;
mod counts;
mod covered;
mod earlier;
mod human;
mod junit;
mod methods;
#[cfg(unix)]
mod processes;
mod report;
mod reported;
mod session;
mod watch;

use tally_comparison::changes::RunLookups;
use tally_vm::{Outcome, Simulation, printable};

pub(crate) use self::arguments::TestArguments;
pub(crate) use self::chosen::report_chosen;
pub(crate) use self::counts::CountsMode;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use self::counts::Counts;
use self::session::{Ran, Session};
use self::watch::Watched;
use crate::arguments::{Format, read_schedule};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::program;
use crate::{console, output};
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;
use tally_workbench::loading::som::refuse;
use tally_workbench::loading::{MachineSettings, Sources};
use tally_workbench::project::Project;
use tally_workbench::schedules::{ProcessorSchedule, ScheduleFile};
use tally_workbench::testing::budgets;
use tally_workbench::testing::changed::{self, Lookups};
use tally_workbench::testing::discovery::{Test, discover_own};
use tally_workbench::testing::revision::Loaded;
use tally_workbench::testing::selection::{
    Selection, failed_last, files_and_filters, remember_failed, why_none,
};
use tally_workbench::testing::summary::Summary;

pub(crate) fn test(arguments: TestArguments) -> Result<Exit, Failure> {
    match arguments.watch {
        true => watch::watch(&arguments),
        false => run(&arguments, None),
    }
}

/// Runs the chosen tests once; if they are watched, those that the last changes concern.
fn run(arguments: &TestArguments, mut watched: Option<&mut Watched>) -> Result<Exit, Failure> {
    let started = Instant::now();
    let project = Project::here(&*front())?;
    let has_default = !project.own_files().is_empty();
    let (named, mut filters) = files_and_filters(&arguments.files, has_default);
    filters.extend(arguments.filters.iter().cloned());
    let (files, is_whole) = project.files(named, &*front())?;
    refuse(&files, "test")?;
    let counts = Counts::open(&project.root, arguments.counts)?;
    let where_to = output_of_programs(arguments.format);
    let workspace = project.workspace();
    let notes = arguments.changed.is_some() || Lookups::are_wanted(&workspace);
    let mut remembered = notes.then(|| Lookups::remembered(&workspace));
    let notes = notes || watched.is_some();
    let (machine, front) = (settings(arguments), front());
    let (mut program, loading) = load(&files, arguments, &machine, where_to, notes)?;
    budgets::make_known(&project, &mut program.vm)?;
    let (mut tests, known) = chosen_tests(&mut program, &project, &filters, arguments)?;
    if arguments.list {
        return list(&tests, arguments.format);
    }
    let loaded = Loaded {
        sources: sources(&files, arguments),
        machine: &machine,
        front: &front,
        project: &project,
    };
    let schedule = schedule(arguments, &program)?;
    if let Some(revision) = &arguments.changed {
        let names = changed::concerned(&tests, &loaded, &program, revision, &loading, &workspace)?;
        tests.retain(|test| names.contains(&test.name()));
    }
    if let Some(watched) = &mut watched {
        let version = changed::version(&program, &loaded);
        watched.choose(&mut tests, &program.units, version, &loading);
    }
    if tests.is_empty() {
        return none_concerned(arguments, watched);
    }
    let session = Session {
        schedule: schedule.as_ref(),
        arguments,
        started,
        project: &project,
        loaded,
        where_to,
        tests: &tests,
        known: is_whole.then_some(known),
    };
    let lookups = watched.as_mut().map(|watched| &mut watched.lookups);
    let ran = session.run(&mut program, &counts, lookups.or(remembered.as_mut()))?;
    if let (Some(lookups), None) = (remembered, &watched) {
        lookups.remember(&workspace);
    }
    remember_failed(&workspace, ran.outcomes());
    let judged = session.judge(&counts, &ran, &mut program)?;
    let exit = session.report(&ran, &judged, program.lacks())?;
    report_watched(watched, &ran);
    Ok(exit)
}

fn report_watched(watched: Option<&mut Watched>, ran: &Ran) {
    if let Some(watched) = watched {
        watched.report(&ran.outcomes().collect::<Vec<_>>());
    }
}

/// The schedule that all tests follow.
fn schedule(
    arguments: &TestArguments,
    program: &Program,
) -> Result<Option<ProcessorSchedule>, Failure> {
    let Some(file) = &arguments.schedule else {
        return Ok(None);
    };
    match read_schedule(file, program)? {
        ScheduleFile::Processors(schedule) => Ok(Some(schedule)),
        ScheduleFile::Actors(_) => {
            let why = format!(
                "{} is a schedule of actors, and tests follow those of processors",
                file.display()
            );
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// The settings of the machine. A watched save that does not compile is reported, and the next save is compared with the
/// last one that compiled.
fn settings(arguments: &TestArguments) -> MachineSettings {
    let mut settings = arguments.machine.settings();
    settings.strict |= arguments.watch;
    settings
}

/// What is loaded, by names that begin in the current folder.
fn sources<'s>(files: &'s [String], arguments: &'s TestArguments) -> Sources<'s> {
    Sources {
        folder: Path::new(""),
        files,
        expression: None,
        arguments: &arguments.arguments,
    }
}

/// The tests that the options choose, and the names of all tests.
fn chosen_tests(
    program: &mut Program,
    project: &Project,
    filters: &[String],
    arguments: &TestArguments,
) -> Result<(Vec<Test>, BTreeSet<String>), Failure> {
    let found = discover_own(program, project, &*front())?;
    let names: Vec<String> = found.iter().map(Test::name).collect();
    let only = arguments.failed.then(|| failed_last(&project.workspace()));
    let selection = Selection {
        filters,
        only: only.transpose()?,
        shard: arguments.shard,
    };
    let tests = selection.of(found);
    match tests.is_empty() {
        true if program.lacks() > 0 => {
            let why = "there are no tests in what could be loaded";
            Err(Failure::new(Exit::Source, why))
        }
        true => Err(Failure::new(Exit::Nothing, why_none(&names, filters))),
        false => Ok((tests, names.into_iter().collect())),
    }
}

/// How the command ends if changes concern no test.
fn none_concerned(
    arguments: &TestArguments,
    watched: Option<&mut Watched>,
) -> Result<Exit, Failure> {
    if let Some(revision) = &arguments.changed {
        console::write(&format!(
            "no test is concerned by the changes since {revision}\n"
        ));
    }
    if let Some(watched) = watched {
        watched.report(&[]);
    }
    Ok(Exit::Success)
}

/// Standard output carries the report alone when a program is to read it.
fn output_of_programs(format: Format) -> ProgramOutput {
    match format {
        Format::Human => ProgramOutput::Standard,
        Format::Json => ProgramOutput::Error,
    }
}

/// Loads the program, and answers also what was looked up meanwhile if that is to be noted.
fn load(
    files: &[String],
    arguments: &TestArguments,
    machine: &MachineSettings,
    where_to: ProgramOutput,
    notes_lookups: bool,
) -> Result<(Program, RunLookups), Failure> {
    let scripts = arguments.arguments.clone();
    let mut program = program::load(files, None, &scripts, machine, where_to)?;
    program.vm.simulate(Simulation {
        strict_control: arguments.strict_control,
        ..Simulation::default()
    });
    if notes_lookups {
        program.vm.record_lookups();
    }
    let outcome = program.run();
    if let Outcome::Exited(code) = outcome {
        let why = format!(
            "the files end the program, with exit code {code}, before their tests can be run"
        );
        return Err(Failure::new(Exit::Failed, why));
    }
    program.ended(&outcome)?;
    let found = program.vm.take_lookups();
    let loading = RunLookups::of(&program.vm, &found);
    Ok((program, loading))
}

/// The exit code that follows from how tests ended.
fn exit(summary: &Summary) -> Exit {
    summary.kind().map_or(Exit::Success, Exit::from)
}

fn list(tests: &[Test], format: Format) -> Result<Exit, Failure> {
    let names: Vec<String> = tests.iter().map(Test::name).collect();
    let text = match format {
        Format::Human => {
            let names = names.iter().map(|name| printable(name) + "\n");
            names.collect()
        }
        Format::Json => {
            output::json(&serde_json::json!({ "schema": "tally.tests/1", "tests": names }))?
        }
    };
    output::write(&text, None)?;
    Ok(Exit::Success)
}
