//! The options of `tally explore`.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Args, ValueEnum};
use tally_explore::{Delivery, FRONTIER, MOST_TICKS, Options, Policy};
use tally_workbench::ProgramOutput;
use tally_workbench::exploring::TurnOptions;
use tally_workbench::loading::Program;

use super::machines::{Setting, Varied, setting, varied};
use crate::arguments::{Delivery as Order, MachineArguments};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::inside::InsideArguments;
use crate::program;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally explore [OPTIONS] <FILE>... [-- <ARGS>...]",
    after_help = "The last script makes the actors and sends the first messages. Each turn of an actor is executed once for each behaviour and message.\n\n\
Costs are ticks of turns, and what a machine takes for messages. By default messages cost nothing."
)]
pub(crate) struct ExploreArguments {
    /// Source files, run in this order
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
    /// The order in which messages may arrive [default: fifo]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(super) delivery: Option<Order>,
    /// What to find: all states, or all computations without keeping states
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub(super) by: ByName,
    /// Let messages arrive before others: 'paid: * < order: *' (repeatable)
    #[arg(long, value_name = "RULE")]
    pub(super) policy: Vec<String>,
    /// What messages and creations cost: a machine of tally.toml, [machine.NAME], or unit, where each costs a tick
    #[arg(long = "machine", value_name = "NAME")]
    pub(super) machine_name: Option<String>,
    /// Change a cost of the machine: latency=5 (repeatable)
    #[arg(long, value_name = "COST=N", value_parser = setting)]
    pub(super) set: Vec<Setting>,
    /// Show Depth for all values of a cost: latency=0..1000
    #[arg(long, value_name = "COST=A..B", value_parser = varied)]
    pub(super) vary: Option<Varied>,
    /// Let each turn take N ticks beside its messages, whatever it executes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=MOST_TICKS))]
    pub(super) local: Option<u64>,
    /// Show the time on N processors, of the computation with the largest Depth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) processors: Option<u32>,
    /// Compare with the program in this file
    #[arg(long, value_name = "FILE", conflicts_with_all = ["outputs", "format", "view", "evaluate"])]
    pub(super) with: Option<String>,
    /// What to show
    #[arg(long, value_enum, default_value_t, value_name = "VIEW")]
    pub(super) view: ViewName,
    /// Show the computation N, of those that --view computations lists, in diagrams and schedules [default: one with the largest Depth]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) computation: Option<u32>,
    /// Format on standard output
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(super) format: Option<Format>,
    /// Write to a file, named *.json, *.csv (computations), *.txt (the report), *.states.txt, *.svg, *.dot (the tree), *.tdd.svg (a diagram of times), *.html (a page), *.schedule (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    /// Threads; results are the same for any number [default: one for each CPU]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) jobs: Option<u16>,
    /// How long processors take [default: any]
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) timing: Option<TimingName>,
    /// Execute only schedules in which processes take the turns of others at most N times
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=1000), hide_short_help = true)]
    pub(super) preemptions: Option<u32>,
    /// Stop after N schedules of processors
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true, help_heading = "Limits and permissions")]
    pub(super) max_schedules: u64,
    /// Stop at N states [default: 10,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits and permissions")]
    pub(super) max_states: Option<u32>,
    /// List computations up to N beginnings, count N [default: 100,000]
    #[arg(long, value_name = "N", help_heading = "Limits and permissions")]
    pub(super) max_computations: Option<u64>,
    /// Stop if a turn takes more than N ticks
    #[arg(
        long,
        value_name = "N",
        default_value_t = 100_000_000,
        help_heading = "Limits and permissions"
    )]
    pub(super) max_ticks_per_turn: u64,
    /// Stop if a state has more than N actors
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        hide_short_help = true,
        help_heading = "Limits and permissions"
    )]
    pub(super) max_actors: u32,
    /// Stop if a state has more than N messages that have not arrived
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        hide_short_help = true,
        help_heading = "Limits and permissions"
    )]
    pub(super) max_pending: u32,
    /// Keep N vectors of times for each state; with more of them costs are bounds
    #[arg(long, value_name = "N", default_value_t = FRONTIER, hide_short_help = true, help_heading = "Limits and permissions")]
    pub(super) frontier: usize,
    /// Whether a schedule fails that loses a message to a disposed actor
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "HOW",
        hide_short_help = true
    )]
    pub(super) dead_letters: DeadLetters,
    /// Execute each turn twice, and check that both do the same
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(super) no_memo: bool,
    #[command(flatten)]
    pub(super) inside: InsideArguments,
    #[command(flatten)]
    pub(super) machine: MachineArguments,
}

/// How long what processors do takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TimingName {
    /// Any time: what one processor does may come before or behind what any other does
    Any,
    /// Its ticks: only what happens at the same moment can change its order
    Exact,
}

/// What an exploration of actors looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ByName {
    /// States. Equal ones are merged
    #[default]
    States,
    /// Computations. Nothing is kept of them but their number and results
    Computations,
}

/// What messages to disposed actors mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DeadLetters {
    /// They are counted
    #[default]
    Count,
    /// The exit code is 1 if there are some
    Fail,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ViewName {
    /// Verdict, results, numbers and costs
    #[default]
    Summary,
    /// The tree of states, in the notation of the paper
    States,
    /// Computations, their results and costs
    Computations,
}

/// The format of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    // For people
    Human,
    // All figures, for programs
    Json,
    // The computations
    Csv,
}

impl ExploreArguments {
    /// The program of these files, which has not run yet.
    pub(super) fn load(&self, files: &[String]) -> Result<Program, Failure> {
        program::load(
            &self.inside.files(files)?,
            self.evaluate.as_deref(),
            &self.arguments,
            &self.machine.settings(),
            ProgramOutput::Error,
        )
    }

    pub(super) fn turns(&self, stop: Arc<AtomicBool>) -> TurnOptions {
        TurnOptions {
            stop: Some(stop),
            most_ticks: Some(self.max_ticks_per_turn),
            is_checked: self.no_memo,
            local: self.local,
        }
    }

    /// How to explore.
    ///
    /// # Errors
    /// A rule of the policy is none.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let mut policy = Policy::default();
        for rule in &self.policy {
            let added = policy.add(rule);
            added.map_err(|why| Failure::new(Exit::Usage, format!("--policy '{rule}': {why}")))?;
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let usual = Options::default();
        Ok(Options {
            policy,
            delivery: match self.delivery.unwrap_or_default() {
                Order::Any => Delivery::Any,
                Order::Fifo => Delivery::Fifo,
                Order::Causal => Delivery::Causal,
            },
            max_states: self.max_states.unwrap_or(usual.max_states),
            max_actors: self.max_actors,
            max_pending: self.max_pending,
            threads: self.jobs.map_or(threads, usize::from),
            ..usual
        })
    }
}

/// Fails if one of these options is given, or one that needs the states of actors, with what is said behind its name.
pub(super) fn refuse_without_states(
    arguments: &ExploreArguments,
    options: &[(bool, &str)],
    why: &str,
) -> Result<(), Failure> {
    let of_states = [
        (arguments.max_states.is_some(), "--max-states"),
        (!arguments.policy.is_empty(), "--policy"),
        (arguments.machine_name.is_some(), "--machine"),
        (!arguments.set.is_empty(), "--set"),
        (arguments.vary.is_some(), "--vary"),
        (arguments.local.is_some(), "--local"),
        (arguments.processors.is_some(), "--processors"),
        (arguments.with.is_some(), "--with"),
        (arguments.view != ViewName::Summary, "--view"),
        (arguments.computation.is_some(), "--computation"),
        (arguments.format == Some(Format::Csv), "--format csv"),
    ];
    let mut all = options.iter().chain(&of_states);
    match all.find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::new(Exit::Usage, format!("{option} {why}"))),
    }
}
