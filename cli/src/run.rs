//! `tally run`: runs files or evaluates an expression, and prints the counts on request.

use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use tally_profiler::{CostVector, cost_report, inlined, inlined_report};
use tally_study::report;
use tally_vm::{Cost, MODEL_VERSION, Outcome};

use crate::arguments::{
    Format, MachineArguments, MessageArguments, SimulationArguments, refused_schedule,
};
use crate::calibrate::{counts_of, own_calibration};
use crate::dialect::DialectArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::inside::InsideArguments;
use crate::program;
use crate::{collector, console, output, printed};
use tally_workbench::ProgramOutput;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally run [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally run [OPTIONS] [FILE]... -e <EXPR> [-- <ARGS>...]\n       \
tally run [OPTIONS] [-cp <DIRS>] <CLASS.som> [ARGS]..."
)]
pub(crate) struct RunArguments {
    /// Source files, run in this order behind the project's; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "evaluate")]
    pub(crate) files: Vec<String>,
    /// Evaluate statements and print the value of the last, after the files have run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        conflicts_with = "dialect"
    )]
    pub(crate) evaluate: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Print the counts of the run to standard error
    #[arg(long)]
    pub(crate) counts: bool,
    /// The format of --counts
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Write the counts to a file instead
    #[arg(short, long, value_name = "FILE", requires = "counts")]
    pub(crate) output: Option<PathBuf>,
    /// Estimate the time of the run on this machine, after tally calibrate
    #[arg(long, hide_short_help = true)]
    pub(crate) estimate_time: bool,
    /// Print statistics of the garbage collector to standard error
    #[arg(long, hide_short_help = true)]
    pub(crate) gc_stats: bool,
    #[command(flatten)]
    pub(crate) messages: MessageArguments,
    #[command(flatten)]
    pub(crate) simulation: SimulationArguments,
    #[command(flatten)]
    pub(crate) dialect: DialectArguments,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// A cost vector as a document of its own.
#[derive(Serialize)]
struct Counts {
    schema: &'static str,
    model: u32,
    #[serde(flatten)]
    cost: CostVector,
    /// Sends of silent code of the program; in none of the other numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inlined: Option<BTreeMap<String, u64>>,
}

pub(crate) fn run(arguments: RunArguments) -> Result<Exit, Failure> {
    let wants_time = arguments.estimate_time;
    let calibration = wants_time.then(own_calibration).transpose()?;
    printed::flush_at_signals();
    let mut program = program::load_in(
        arguments.dialect.notation(),
        &arguments
            .dialect
            .files(&arguments.inside, &arguments.files, "run")?,
        arguments.evaluate.as_deref(),
        &arguments.arguments,
        &arguments.machine.settings(),
        ProgramOutput::Standard,
    )?;
    arguments.simulation.set(&mut program.vm);
    arguments.messages.set(&mut program)?;
    if arguments.counts || wants_time {
        program.vm.count_everything();
    }
    let outcome = program.run();
    let cost = program.cost();
    let overhead = Some(program.vm.programs_overhead()).filter(|&sends| sends > 0);
    let ended = program.ended(&outcome).map_err(Failure::from);
    let mut result = refused_schedule(&program.vm).and(ended);
    // The cost was taken before, so the printing does not count.
    if outcome == Outcome::Finished && arguments.evaluate.is_some() {
        let printed = program.print_result().map_err(Failure::from);
        result = printed.and_then(|text| output::write(&format!("{text}\n"), None));
    }
    if arguments.gc_stats {
        collector::report(&program.vm.heap.statistics);
    }
    if arguments.counts {
        write_counts(&cost, overhead, inlined(&program.vm), &arguments)?;
    }
    if let Some(calibration) = calibration {
        console::write(&report::estimate_text(
            &counts_of(&CostVector::from(&cost)),
            &calibration,
        ));
    }
    // The process ends here, and what it holds with it; taking the machine apart would take a tenth of a short run.
    std::mem::forget(program);
    result.map(|()| Exit::Success)
}

/// Counts go to standard error even as JSON: standard output belongs to the program.
fn write_counts(
    cost: &Cost,
    overhead: Option<u64>,
    inlined: Option<BTreeMap<String, u64>>,
    arguments: &RunArguments,
) -> Result<(), Failure> {
    let text = match arguments.format {
        Format::Human => cost_report(cost, overhead) + &inlined_report(inlined.as_ref()),
        Format::Json => output::json(&Counts {
            schema: "tally.counts/1",
            model: MODEL_VERSION,
            cost: CostVector::from(cost),
            overhead,
            inlined,
        })?,
    };
    match &arguments.output {
        Some(path) => output::write(&text, Some(path)),
        None => {
            console::write(&text);
            Ok(())
        }
    }
}
