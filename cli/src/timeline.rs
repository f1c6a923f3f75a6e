//! `tally timeline`: runs a program with processors or processes in virtual time, or reads a trace of such a run, and reports what waited for what.

mod assumptions;
mod copies;
mod curve;
mod listing;
mod outputs;
mod path;
mod recording;
pub(crate) mod source;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tally_timeline::trace::Ending;
use tally_timeline::{Circumstances, Extent, Figures, FirstCall, Lanes, Overview, View, Window};
use tally_vm::{Clock, MODEL_VERSION, Outcome, Vm};
use tally_workbench::loading::Program;

use crate::arguments::{MachineArguments, SimulationArguments, cpus_list};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output, program};
use outputs::Outputs;
use recording::Recording;
use source::Source;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally timeline [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally timeline [OPTIONS] <TRACE>...",
    mut_arg("cpus", |cpus| cpus.value_name("LIST").value_parser(cpus_list)
        .help("Simulated CPUs: a number, or max for as many as there are processors; a list shows the curve: 1,2,4,max [default: max]")),
    after_help = "A trace, *.timeline, is shown without running anything. Several traces, or a folder of traces, are listed.\n\n\
With -o the report goes to the files only. With --format html, json, md or csv on standard output, the program's output goes to standard error."
)]
pub(crate) struct TimelineArguments {
    /// Source files, run in this order, or a trace
    #[arg(value_name = "FILE", required_unless_present = "evaluate")]
    files: Vec<String>,
    /// Evaluate statements after the files have run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    evaluate: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    #[command(flatten)]
    simulation: SimulationArguments,
    /// Run again under a changed assumption: 'copy Account' (repeatable)
    #[arg(long = "if", value_name = "RULE")]
    rules: Vec<String>,
    /// Begin all figures with the first activation of this method: 'Deal>>first:second:'
    #[arg(long, value_name = "METHOD", conflicts_with_all = ["from", "to"])]
    from_call: Option<String>,
    /// Show the segment from this tick on
    #[arg(long, value_name = "TICK")]
    from: Option<u64>,
    /// Show the segment up to this tick
    #[arg(long, value_name = "TICK")]
    to: Option<u64>,
    /// What to show
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    view: ViewName,
    /// List processors in the matrix, not their classes
    #[arg(long)]
    per_processor: bool,
    /// Show N rows of a view; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// Format on standard output
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<Format>,
    /// Write to a file, named *.timeline (a trace), *.html (a page), *.json, *.md, *.csv, *.txt, *.svg, *.sqlite, *.pftrace (Perfetto), *.trace.json (Chrome), *.firefox.json (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
    #[command(flatten)]
    machine: MachineArguments,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ViewName {
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
enum Format {
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
    fn view(&self) -> View {
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

    /// The program, which has not run yet.
    fn load(&self, outputs: &Outputs) -> Result<Program, Failure> {
        program::load(
            &self.files,
            self.evaluate.as_deref(),
            &self.arguments,
            &self.machine.settings(),
            outputs.of_program(),
        )
    }

    fn limit(&self) -> Option<usize> {
        (self.limit > 0).then_some(self.limit)
    }

    /// The segment, if there is one; the last moment is that of the run.
    fn segment(&self) -> Result<Option<Window>, Failure> {
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

pub(crate) fn timeline(arguments: &TimelineArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(arguments.format, &arguments.outputs)?;
    let segment = arguments.segment()?;
    if arguments.per_processor && arguments.view != ViewName::Matrix {
        let why = "--per-processor is for --view matrix";
        return Err(Failure::new(Exit::Usage, why));
    }
    if let Some(traces) = listing::traces(&arguments.files) {
        return list(arguments, &outputs, &traces);
    }
    let trace = arguments.files.iter().find(|file| source::is_trace(file));
    if let Some(file) = trace {
        if arguments.files.len() > 1 {
            return Err(no_place(file, "other files"));
        }
        refuse_running(arguments, file)?;
        let mut source = Source::open(file)?;
        source.warn_of_cut();
        outputs.refuse_trace(file)?;
        if arguments.view == ViewName::Curve {
            return Err(curve::refused_trace(file));
        }
        if !arguments.rules.is_empty() {
            return Err(assumptions::refused_trace(file));
        }
        show(arguments, &outputs, segment, &mut source)?;
        return Ok(Exit::Success);
    }
    if !arguments.rules.is_empty() {
        return assumptions::run(arguments, &outputs, segment);
    }
    match arguments.simulation.has_list() || arguments.view == ViewName::Curve {
        true => curve::run(arguments, &outputs, segment),
        false => run(arguments, &outputs, segment),
    }
}

/// Lists traces. If one cannot be read, the command fails when the others have been shown.
fn list(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    traces: &[String],
) -> Result<Exit, Failure> {
    refuse_part(arguments, outputs, traces)?;
    let (listing, failed) = listing::listing(traces);
    outputs.write_texts(|format, page| {
        Ok(match format {
            Format::Human | Format::Html => listing.text(page),
            Format::Json => output::json(&listing.document())?,
            Format::Md => {
                let mut text = String::new();
                listing.table().push_markdown(&mut text);
                text
            }
            Format::Csv => listing.table().csv(),
        })
    })?;
    failed.map_or(Ok(Exit::Success), Err)
}

/// A list is of whole traces, and has no page.
fn refuse_part(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    traces: &[String],
) -> Result<(), Failure> {
    let first = traces.first().map_or("", String::as_str);
    refuse_running(arguments, first)?;
    let is_part = arguments.from.is_some() || arguments.to.is_some();
    let options = [
        (is_part || arguments.from_call.is_some(), "a part of them"),
        (arguments.view != ViewName::Summary, "--view"),
        (!arguments.rules.is_empty(), "--if"),
        (outputs.has(Format::Html), "a page"),
        (outputs.of_one_run().is_some(), "a file for one run"),
    ];
    match options.iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, what)) => {
            let why = format!("several traces are listed, so there is no place for {what}");
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// Traces are shown alone.
fn refuse_running(arguments: &TimelineArguments, file: &str) -> Result<(), Failure> {
    let options = [
        (arguments.evaluate.is_some(), "-e"),
        (!arguments.arguments.is_empty(), "arguments"),
    ];
    let given = options.iter().find(|(is_given, _)| *is_given);
    match given
        .map(|(_, what)| *what)
        .or(arguments.simulation.given())
    {
        None => Ok(()),
        Some(what) => Err(no_place(file, what)),
    }
}

fn no_place(file: &str, what: &str) -> Failure {
    let why = format!("{file} is a trace: nothing is run, so there is no place for {what}");
    Failure::new(Exit::Usage, why)
}

fn run(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
) -> Result<Exit, Failure> {
    let mut program = arguments.load(outputs)?;
    let simulation = &arguments.simulation;
    simulation.set(&mut program.vm);
    let about = program.description(&Outcome::Finished);
    let head = source::head(&about, &simulation.simulation(), MODEL_VERSION);
    let recording = Recording::begin(&mut program.vm, &head, outputs.trace())?;
    let outcome = program.run();
    let ended = program.ended(&outcome).map_err(Failure::from);
    if let Err(refused) = refuse_clock(arguments, &program.vm) {
        ended?;
        return Err(refused);
    }
    let Some(mut source) = recording.end(&mut program.vm, Ending::of(&outcome))? else {
        ended?;
        return Err(no_processor());
    };
    show(arguments, outputs, segment, &mut source)?;
    ended.map(|()| Exit::Success)
}

fn no_processor() -> Failure {
    let why = "the program made no processor and no process: `Account separate new` makes a processor, `[ … ] fork` a process";
    Failure::new(Exit::Nothing, why)
}

/// Lanes of ordinary processes are in ticks.
fn refuse_clock(arguments: &TimelineArguments, vm: &Vm) -> Result<(), Failure> {
    let clock = arguments.simulation.simulation().clock;
    if vm.has_processors() || clock != Clock::Work {
        return Ok(());
    }
    let why = "--clock work is for programs with processors: other processes are shown in ticks";
    Err(Failure::new(Exit::Usage, why))
}

fn show(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
    source: &mut Source,
) -> Result<(), Failure> {
    let extent = extent(arguments, segment, source)?;
    if outputs.has_texts() {
        let figures = figures_of(arguments, outputs, extent, source)?;
        outputs.write(arguments, source, &figures)?;
    }
    outputs.export(source, extent)
}

fn figures(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    segment: Option<Window>,
    source: &mut Source,
) -> Result<Figures, Failure> {
    let extent = extent(arguments, segment, source)?;
    figures_of(arguments, outputs, extent, source)
}

/// The part of the run that is shown.
fn extent(
    arguments: &TimelineArguments,
    segment: Option<Window>,
    source: &mut Source,
) -> Result<Extent, Failure> {
    let end = source.end();
    Ok(match (segment, &arguments.from_call) {
        (Some(Window { from, .. }), _) if from > end => {
            let why =
                format!("nothing happened from tick {from} on: the timeline ends at tick {end}");
            return Err(Failure::new(Exit::Nothing, why));
        }
        (Some(Window { from, to }), _) => Extent::segment(from, to, end),
        (None, Some(method)) => Extent::since(first_call(method, source)?, end),
        (None, None) => Extent::whole(end),
    })
}

fn figures_of(
    arguments: &TimelineArguments,
    outputs: &Outputs,
    extent: Extent,
    source: &mut Source,
) -> Result<Figures, Failure> {
    let lanes = (arguments.view == ViewName::Processors).then(|| {
        let window = Window {
            from: extent.window.from,
            to: extent.end.max(extent.window.from),
        };
        Lanes::new(window, arguments.limit(), console::results_page())
    });
    let overview = Overview::new(extent, lanes, outputs.has(Format::Json));
    let mut overview = overview.under(Circumstances::of(source.head()));
    if outputs.has(Format::Html) {
        overview = overview.drawing();
    }
    source.replay_part(extent, &mut overview)?;
    let mut figures = overview.finish();
    if arguments.view == ViewName::Path {
        figures.findings = Some(path::findings(source, &figures)?);
    }
    Ok(figures)
}

/// When the first activation of the method was.
fn first_call(method: &str, source: &mut Source) -> Result<u64, Failure> {
    let mut first = FirstCall::new(method);
    source.replay(&mut first)?;
    first.finish(source.end()).ok_or_else(|| {
        let why = format!(
            "'{method}' began no request: name a method with <separate>, or a feature of a request"
        );
        Failure::new(Exit::Usage, why)
    })
}
