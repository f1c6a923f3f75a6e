//! `tally profile`: runs something with the recorder on and shows what each method cost.

use crate::formats::{self, ProfileFormat};
use crate::measured::MeasuredArguments;
use crate::view::ViewArguments;
use clap::Args;
use std::path::PathBuf;
use tally_profiler::{Profile, Scope, check_identities};
use tally_study::{Calibration, report};

use crate::arguments::MachineArguments;
use crate::calibrate::{counts_of, own_calibration};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::formats::Outputs;
use crate::measured::{Wanted, measure};
use crate::saved::EventArguments;
use crate::{collector, console, output, printed, sampled, saved, view};
use tally_workbench::ProgramOutput;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally profile [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally profile [OPTIONS] [FILE]... -e <EXPR> [-- <ARGS>...]\n       \
tally profile [OPTIONS] <FILE>... --test <TEST>\n       \
tally profile [OPTIONS] <PROFILE>",
    after_help = "A saved profile, of Tally or of another tool, is shown without running anything.\n\n\
Without -o the report goes to standard output and what the program prints \
there goes to standard error; with -o the program keeps its standard output."
)]
pub(crate) struct ProfileArguments {
    #[command(flatten)]
    pub(crate) what: MeasuredArguments,
    /// The format, if the file's name leaves it open: html, tally, json, others
    #[arg(long, hide_short_help = true, hide_possible_values = true, value_parser = ProfileFormat::parser(), value_name = "FORMAT")]
    pub(crate) format: Option<ProfileFormat>,
    /// Write the profile to a file (may be repeated)
    #[arg(short, long = "output", value_name = "FILE", help = formats::help_of_outputs())]
    pub(crate) outputs: Vec<PathBuf>,
    /// Print statistics of the garbage collector to standard error
    #[arg(long, hide_short_help = true)]
    pub(crate) gc_stats: bool,
    #[command(flatten)]
    pub(crate) event: EventArguments,
    #[command(flatten)]
    pub(crate) view: ViewArguments,
    /// Show only these methods, and all others as one: 'Class', 'Class>>selector' or 'Package-*' (repeatable)
    #[arg(long, value_name = "SCOPE", conflicts_with = "sample")]
    pub(crate) only: Vec<String>,
    /// For contrast, sample the stack HZ times a second; times are estimates
    #[arg(long, hide_short_help = true, value_name = "HZ", num_args = 0..=1, require_equals = true, default_missing_value = "1000",
          value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["view", "by", "tests", "filters"])]
    pub(crate) sample: Option<u32>,
    /// Estimate the time of the run on this machine, after tally calibrate
    #[arg(long, hide_short_help = true, conflicts_with_all = ["sample", "only"])]
    pub(crate) estimate_time: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

pub(crate) fn profile(arguments: ProfileArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let scope = Scope::new(&arguments.only)
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let wants_time = arguments.estimate_time;
    let calibration = wants_time.then(own_calibration).transpose()?;
    let shown = Shown {
        arguments: &arguments,
        outputs,
        scope,
        calibration,
    };
    let files = &arguments.what.files;
    if let Some(file) = files.iter().find(|file| saved::is_profile(file)) {
        return shown.saved(file);
    }
    printed::flush_at_signals();
    let where_to = match shown.outputs.is_standard_output() {
        false => ProgramOutput::Standard,
        true => ProgramOutput::Error,
    };
    if let Some(rate) = arguments.sample {
        return sampled::sample(
            &arguments.what,
            &arguments.machine,
            &arguments.view,
            rate,
            &shown.outputs,
            where_to,
        );
    }
    // Reports for people need the recorder only; formats for programs get the whole cost vector.
    let for_programs = shown.outputs.is_for_programs() || wants_time;
    let wanted = Wanted {
        sites: for_programs || arguments.view.needs_sites(),
        everything: for_programs,
    };
    let measured = measure(&arguments.what, &arguments.machine, where_to, wanted)?;
    if arguments.gc_stats {
        collector::report(&measured.program.vm.heap.statistics);
    }
    let written = shown.write(&measured.profile);
    if measured.profile.cost.sends == 0 && !arguments.what.chooses_tests() {
        console::write(NOTHING_SENT);
    }
    let exit = measured.exit()?;
    written.map(|()| exit)
}

/// The hint for files that only define classes.
const NOTHING_SENT: &str = "help: the program sends nothing; --test CLASS measures the tests of a class, -e EXPR an expression\n";

/// What is shown of a profile, and where.
struct Shown<'a> {
    arguments: &'a ProfileArguments,
    outputs: Outputs,
    scope: Scope,
    /// What turns the profile into a time, if that is wanted.
    calibration: Option<Calibration>,
}

impl Shown<'_> {
    /// A saved profile is shown as one is that was just taken.
    fn saved(&self, file: &str) -> Result<Exit, Failure> {
        let what = &self.arguments.what;
        if what.files.len() > 1
            || what.evaluate.is_some()
            || what.chooses_tests()
            || self.arguments.sample.is_some()
        {
            let why = format!("{file} is a saved profile: it is shown alone, and nothing is run");
            return Err(Failure::new(Exit::Usage, why));
        }
        let profile = saved::read(file, &self.arguments.event, Exit::Io, Exit::Io)?;
        if self.arguments.estimate_time {
            if !profile.unit.is_tally() {
                let why = format!(
                    "{file} counts {}: times are estimated from work",
                    profile.unit.name
                );
                return Err(Failure::new(Exit::Usage, why));
            }
            if !profile.cost.is_full() {
                let why = format!("{file} has no work, from which times are estimated");
                return Err(Failure::new(Exit::Incomparable, why));
            }
        }
        self.write(&profile)?;
        Ok(Exit::Success)
    }

    fn write(&self, profile: &Profile) -> Result<(), Failure> {
        let restricted = self.scope.restrict(profile);
        let profile = restricted.map_err(|error| Failure::new(Exit::Nothing, error.to_string()))?;
        if let Some(violation) = check_identities(&profile).first() {
            return Err(Failure::new(Exit::Internal, violation.to_string()));
        }
        let view = &self.arguments.view;
        let measure = view.measure();
        self.outputs.write(&profile, measure, |profile, page| {
            view::report(profile, view, page)
        })?;
        match &self.calibration {
            Some(calibration) => self.estimate(&profile, calibration),
            None => Ok(()),
        }
    }

    /// Prints the estimated time of the run: after a report on standard output, else as a message.
    fn estimate(&self, profile: &Profile, calibration: &Calibration) -> Result<(), Failure> {
        let counts = counts_of(&profile.cost);
        let mut text = report::estimate_text(&counts, calibration);
        if let Some(methods) = report::estimated_methods(profile, calibration, &counts).filled() {
            text.push('\n');
            methods.push_text(console::results_page(), &mut text);
        }
        match self.outputs.report_or_json() {
            Some((false, None)) => output::write(&format!("\n{text}"), None),
            _ => {
                console::write(&text);
                Ok(())
            }
        }
    }
}
