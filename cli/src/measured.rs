//! Runs with the recorder on: of files, an expression, or tests. The commands decide what is shown of the profile.

use clap::Args;
use tally_profiler::{Profile, check_identities};
use tally_vm::{Detail, Outcome};

use crate::arguments::{MachineArguments, MessageArguments, refused_schedule};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::inside::InsideArguments;
use crate::program;
use crate::{console, output, test};
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;
use tally_workbench::loading::som::refuse;
use tally_workbench::project::Project;
use tally_workbench::testing::chosen::Chosen;

/// The program to run and its arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct MeasuredArguments {
    /// Source files and folders, loaded in this order; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Evaluate statements after the files have run; print the last value
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        conflicts_with = "tests"
    )]
    pub(crate) evaluate: Option<String>,
    /// Measure a test and nothing else: 'Class>>selector', its selector, or a class for all its tests (repeatable).
    /// Without files those of tally.toml
    #[arg(long = "test", value_name = "TEST")]
    pub(crate) tests: Vec<String>,
    /// Measure the tests whose names contain TEXT or fit TEXT with * (repeatable)
    #[arg(
        short = 'k',
        long = "filter",
        value_name = "TEXT",
        conflicts_with = "evaluate"
    )]
    pub(crate) filters: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) messages: MessageArguments,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
}

/// A run and its profile.
pub(crate) struct Measured {
    pub(crate) program: Program,
    pub(crate) profile: Profile,
    /// The result of the command if nothing else fails.
    ended: Result<Exit, Failure>,
}

impl MeasuredArguments {
    /// Whether tests are measured.
    pub(crate) fn chooses_tests(&self) -> bool {
        !(self.tests.is_empty() && self.filters.is_empty())
    }

    /// Fails if there is nothing to run.
    fn check(&self) -> Result<(), Failure> {
        if self.files.is_empty() && self.evaluate.is_none() {
            let why = "nothing to run: name a file, or an expression with -e";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(())
    }

    /// The files to load: for tests those that `tally test` loads, else those that `tally run` loads.
    ///
    /// Fails if there is nothing to run.
    pub(crate) fn sources(&self) -> Result<Vec<String>, Failure> {
        if self.chooses_tests() {
            return Ok(Project::here(&*front())?
                .files(self.files.clone(), &*front())?
                .0);
        }
        self.check()?;
        self.inside.files(&self.files)
    }
}

impl Measured {
    /// The exit code of the run. A profile whose counts do not add up is an internal error: no verdict is better than a wrong one.
    pub(crate) fn exit(self) -> Result<Exit, Failure> {
        let exit = self.ended?;
        match check_identities(&self.profile).first() {
            Some(violation) => Err(Failure::new(Exit::Internal, violation.to_string())),
            None => Ok(exit),
        }
    }
}

/// The counts to record beside calls and sends.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// The sends and allocations of each site.
    pub(crate) sites: bool,
    /// The whole cost vector.
    pub(crate) everything: bool,
}

/// Runs the program with the recorder on. Its output goes to `where_to`, and so does an expression's value.
pub(crate) fn measure(
    what: &MeasuredArguments,
    machine: &MachineArguments,
    where_to: ProgramOutput,
    wanted: Wanted,
) -> Result<Measured, Failure> {
    let detail = Detail {
        sites: wanted.sites,
        ..Detail::default()
    };
    let files = what.sources()?;
    if what.chooses_tests() {
        refuse(&files, "profile --test")?;
    }
    let mut program = program::load(
        &files,
        what.evaluate.as_deref(),
        &what.arguments,
        &machine.settings(),
        where_to,
    )?;
    // Sends are counted by sites where everything is.
    if wanted.everything || wanted.sites {
        program.vm.count_everything();
    }
    if what.chooses_tests() {
        return measure_tests(program, what, machine, detail);
    }
    what.messages.set(&mut program)?;
    program.vm.start_profile(detail);
    let outcome = program.run();
    let cost = program.cost();
    let recorded = program.vm.finish_profile();
    let about = match wanted.everything {
        true => program.whole_description(&outcome),
        false => program.description(&outcome),
    };
    let profile = Profile::collect(&program.vm, &recorded, &cost, about);
    let ended = program.ended(&outcome).map(|()| Exit::Success);
    let mut ended = refused_schedule(&program.vm).and(ended.map_err(Failure::from));
    // The profile was taken before, so the printing does not count.
    if outcome == Outcome::Finished && what.evaluate.is_some() {
        ended = print_value(&mut program, where_to).map(|()| Exit::Success);
    }
    Ok(Measured {
        program,
        profile,
        ended,
    })
}

fn print_value(program: &mut Program, where_to: ProgramOutput) -> Result<(), Failure> {
    let text = program.print_result()? + "\n";
    match where_to {
        ProgramOutput::Standard => output::write(&text, None),
        ProgramOutput::Error => {
            console::write(&text);
            Ok(())
        }
        ProgramOutput::Nowhere => Ok(()),
    }
}

/// The scripts and the set-up of the tests' resources run first. The profile is that of the tests and the processes that
/// they fork, without setUp and tearDown, so that it adds up to the counts of `tally test`.
fn measure_tests(
    mut program: Program,
    what: &MeasuredArguments,
    machine: &MachineArguments,
    detail: Detail,
) -> Result<Measured, Failure> {
    let outcome = program.run();
    program.ended(&outcome)?;
    let tests = Chosen::new(
        &mut program,
        &Project::here(&tally_workbench::Quiet)?,
        &what.tests,
        &what.filters,
        machine.max_sends,
        &*front(),
    )?;
    program.vm.record_tests_apart();
    program.vm.start_profile(detail);
    let before = program.cost();
    let ran = tests.run(&mut program);
    let cost = program.cost().since(&before);
    let recorded = program.vm.finish_profile_of_tests();
    let (recorded, cost) = match recorded {
        Some(recorded) => (recorded.tests, recorded.cost),
        // No test came so far as to begin.
        None => (program.vm.finish_profile(), cost),
    };
    let ran = ran?;
    let mut about = program.description(&ran.outcome());
    let files = about.files.clone();
    // The script that starts a test is no method of a class.
    for script in &ran.scripts {
        about.files.push(tally_workbench::testing::NAME.to_string());
        about.scripts.push(*script);
    }
    let mut profile = Profile::collect(&program.vm, &recorded, &cost, about);
    profile.files = files;
    let ended = test::report_chosen(&ran, &mut program);
    Ok(Measured {
        program,
        profile,
        ended,
    })
}
