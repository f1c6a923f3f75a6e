//! The options of `tally timeline`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tally_timeline::{View, Window};
use tally_vm::Timing;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;

use crate::arguments::{MachineArguments, MessageArguments, SimulationArguments, cpus_list};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::program;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally timeline [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally timeline [OPTIONS] <TRACE>...",
    mut_arg("cpus", |cpus| cpus.value_name("LIST").value_parser(cpus_list)
        .help("Simulated CPUs: a number, or max for as many as there are processors; a list shows the curve: 1,2,4,max [default: max]")),
    after_help = "A trace, *.timeline, is shown without running anything. Several traces are listed.\n\n\
With -o the report goes to the files only. With --format html, json, md or csv on standard output, the program's output goes to standard error."
)]
pub(crate) struct TimelineArguments {
    /// Source files, run in this order, or a trace
    #[arg(value_name = "FILE", required_unless_present = "evaluate")]
    pub(super) files: Vec<String>,
    /// Evaluate statements after the files have run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub(super) evaluate: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(super) arguments: Vec<String>,
    #[command(flatten)]
    pub(super) simulation: SimulationArguments,
    /// Run again under a changed assumption: 'copy Account' (repeatable)
    #[arg(long = "if", value_name = "RULE")]
    pub(super) rules: Vec<String>,
    /// Try what might make the program faster, and show what does
    #[arg(long)]
    pub(super) advise: bool,
    /// Begin all figures with the first activation of this method: 'Deal>>first:second:'
    #[arg(long, value_name = "METHOD", conflicts_with_all = ["from", "to"])]
    pub(super) from_call: Option<String>,
    /// Show the segment from this tick on
    #[arg(long, value_name = "TICK")]
    pub(super) from: Option<u64>,
    /// Show the segment up to this tick
    #[arg(long, value_name = "TICK")]
    pub(super) to: Option<u64>,
    /// What to show
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    pub(super) view: ViewName,
    /// List processors in the matrix, not their classes
    #[arg(long)]
    pub(super) per_processor: bool,
    /// Show N rows of a view; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(super) limit: usize,
    /// Format on standard output
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// Write to a file, named *.timeline (a trace), *.html (a page), *.json, *.md, *.csv, *.txt, *.svg, *.sqlite, *.pftrace (Perfetto), *.trace.json (Chrome), *.firefox.json (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) messages: MessageArguments,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ViewName {
    /// A few lines about the whole run, and the features
    #[default]
    Summary,
    /// A row for each processor, over time
    Processors,
    /// The features with means and deviations
    Features,
    /// The worst features, and what is imperfect in them
    Hotspots,
    /// Waits by their causes, and what ended them, the longest first
    Waits,
    /// The critical path: what the makespan is made of, and who made others wait
    Path,
    /// Who sent requests to whom, and waited for whom
    Matrix,
    /// Makespans by the number of CPUs
    Curve,
}

/// The format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    // For people
    Human,
    // A page to look around in
    Html,
    // All figures, for programs
    Json,
    // The table of the view
    Md,
    // The table of the view, without rounding
    Csv,
}

impl TimelineArguments {
    pub(super) fn view(&self) -> View {
        match self.view {
            ViewName::Summary => View::Summary,
            ViewName::Processors => View::Processors,
            ViewName::Features => View::Features,
            ViewName::Hotspots => View::Hotspots,
            ViewName::Waits => View::Waits,
            ViewName::Path => View::Path,
            ViewName::Matrix if self.per_processor => View::ProcessorMatrix,
            ViewName::Matrix => View::Matrix,
            ViewName::Curve => View::Summary,
        }
    }

    /// The same program is run several times: what one run writes to files would be read by the next.
    pub(super) fn refuse_writes(&self) -> Result<(), Failure> {
        match self.machine.allow_write.is_empty() {
            true => Ok(()),
            false => {
                let why =
                    "the program is run several times, so it may not write files (--allow-write)";
                Err(Failure::new(Exit::Usage, why))
            }
        }
    }

    /// The program, which has not run yet.
    pub(super) fn load(&self, output: ProgramOutput) -> Result<Program, Failure> {
        let mut program = program::load(
            &self.files,
            self.evaluate.as_deref(),
            &self.arguments,
            &self.machine.settings(),
            output,
        )?;
        self.messages.set(&mut program)?;
        if program.vm.is_guided(Timing::Any) {
            let why = "a timeline shows moments, and this schedule of processors has others: tally run and tally profile follow it, and tally explore --timing exact makes schedules that have them";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok(program)
    }

    pub(super) fn limit(&self) -> Option<usize> {
        (self.limit > 0).then_some(self.limit)
    }

    /// The segment, if there is one; the last moment is that of the run.
    pub(super) fn segment(&self) -> Result<Option<Window>, Failure> {
        if self.from.is_none() && self.to.is_none() {
            return Ok(None);
        }
        let (from, to) = (self.from.unwrap_or(0), self.to.unwrap_or(u64::MAX));
        match from < to {
            true => Ok(Some(Window { from, to })),
            false => {
                let why = format!("a segment ends after its begin: --from {from} --to {to}");
                Err(Failure::new(Exit::Usage, why))
            }
        }
    }
}
