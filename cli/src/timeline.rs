//! `tally timeline`: runs a program with processors in virtual time, and reports what waited for what.

use clap::{Args, ValueEnum};
use tally_timeline::{FeatureOrder, features, features_table, from_call, measure, summary};
use tally_vm::{Costs, Timeline};
use tally_workbench::ProgramOutput;

use crate::arguments::MachineArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{console, output, program};

#[derive(Clone, Debug, Args)]
pub(crate) struct TimelineArguments {
    /// Source files, run in this order
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
    /// Simulated CPUs: a number, or max for as many as there are processors
    #[arg(long, value_name = "N", default_value = "max", value_parser = cpus)]
    cpus: Cpus,
    /// What communication costs, in ticks: latency=20
    #[arg(long, value_name = "COSTS", value_parser = costs)]
    costs: Option<Costs>,
    /// Begin all figures with the first activation of this method: 'Deal>>first:second:'
    #[arg(long, value_name = "METHOD")]
    from_call: Option<String>,
    /// What to show
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    view: View,
    #[command(flatten)]
    machine: MachineArguments,
}

/// How many CPUs are simulated.
#[derive(Clone, Copy, Debug)]
struct Cpus(Option<u64>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum View {
    /// A few lines about the whole run, and the features
    #[default]
    Summary,
    /// The features with their metrics
    Features,
    /// The features that waited longest first
    Waits,
}

fn cpus(text: &str) -> Result<Cpus, String> {
    if text == "max" {
        return Ok(Cpus(None));
    }
    let number = text.parse().ok().filter(|number| *number > 0);
    let why = || "a number from 1 on, or max, is expected".to_string();
    number.map(|number| Cpus(Some(number))).ok_or_else(why)
}

fn costs(text: &str) -> Result<Costs, String> {
    let mut costs = Costs::default();
    for part in text.split(',') {
        let (name, number) = part.split_once('=').unwrap_or((part, ""));
        let number = number.parse();
        match (name, number) {
            ("latency", Ok(number)) => costs.latency = number,
            ("latency", Err(_)) => return Err("latency is a number of ticks".to_string()),
            _ => return Err(format!("there is no cost '{name}'; there is latency")),
        }
    }
    Ok(costs)
}

pub(crate) fn timeline(arguments: &TimelineArguments) -> Result<Exit, Failure> {
    let mut program = program::load(
        &arguments.files,
        arguments.evaluate.as_deref(),
        &arguments.arguments,
        &arguments.machine.settings(),
        ProgramOutput::Standard,
    )?;
    let costs = arguments.costs.unwrap_or_default();
    program.vm.simulate(arguments.cpus.0, costs);
    let outcome = program.run();
    let ended = program.ended(&outcome).map_err(Failure::from);
    let timeline = match program.vm.timeline() {
        Some(timeline) => timeline,
        None => return ended.map(|()| Exit::Success).and_then(|_| none()),
    };
    report(arguments, &timeline)?;
    ended.map(|()| Exit::Success)
}

fn none() -> Result<Exit, Failure> {
    let why = "the program made no processor: `Account separate new` makes one";
    Err(Failure::new(Exit::Nothing, why))
}

fn report(arguments: &TimelineArguments, timeline: &Timeline) -> Result<(), Failure> {
    let mut requests = measure(timeline);
    let mut start = 0;
    if let Some(method) = &arguments.from_call {
        start = from_call(&mut requests, method).ok_or_else(|| {
            let why = format!("'{method}' began no request: name a method with <separate>, or a feature of a request");
            Failure::new(Exit::Usage, why)
        })?;
    }
    let features = features(requests.iter().skip(1));
    let mut text = String::new();
    if arguments.view == View::Summary {
        text += &summary(timeline, &requests, start);
        text.push('\n');
    }
    let order = match arguments.view {
        View::Summary | View::Features => FeatureOrder::Name,
        View::Waits => FeatureOrder::Waiting,
    };
    features_table(&features, order).push_text(console::results_page(), &mut text);
    output::write(&text, None)
}
