//! The options of `tally test`.

use std::path::PathBuf;

use clap::Args;
use tally_workbench::testing::selection::Shard;

use super::counts::CountsMode;
use super::covered::CoverageTo;
use super::methods::MethodsTo;
use super::report::ReportTo;
use crate::arguments::{Format, MachineArguments};

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally test [OPTIONS] [FILE]... [FILTER]... [-- <ARGS>...]",
    after_help = "--max-sends holds for each test by itself; without it and max-sends in tally.toml it is 1,000,000,000, some ten seconds.\n\
With --format json the report is a line for each test; the last line is the summary."
)]
pub(crate) struct TestArguments {
    /// Files and folders, loaded in this order, - for standard input; other words are filters [default: those of tally.toml]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Run only tests whose names contain TEXT or fit TEXT with * (repeatable)
    #[arg(short = 'k', long = "filter", value_name = "TEXT")]
    pub(crate) filters: Vec<String>,
    /// Run only the tests that did not pass the last time
    #[arg(long)]
    pub(crate) failed: bool,
    /// Run only the tests that changes since revision REV can affect
    #[arg(long, value_name = "REV")]
    pub(crate) changed: Option<String>,
    /// Run only a part of the tests, such as 1/3; the parts together are all of them
    #[arg(long, hide_short_help = true, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Run the tests in an order that SEED decides; verdicts and counts are the same in any order
    #[arg(long, hide_short_help = true, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) shuffle: Option<u64>,
    /// Run N tests at once [default: the number of cores]
    #[arg(short, long, hide_short_help = true, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// Check, update or ignore tally.counts, the costs of tests [default: check if it exists]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Counts")]
    pub(crate) counts: Option<CountsMode>,
    /// The reason why counts change, kept in tally.counts
    #[arg(long, value_name = "TEXT", help_heading = "Counts")]
    pub(crate) reason: Option<String>,
    /// Measure all tests anew for another version of Tally
    #[arg(long, hide_short_help = true, help_heading = "Counts")]
    pub(crate) accept_model: bool,
    /// Report the code that tests executed; FILE.html is a page, lcov=FILE and json=FILE write it
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "text", help_heading = "Counts")]
    pub(crate) coverage: Vec<CoverageTo>,
    /// Report the sends of calls by method; FILE is *.json, *.md, *.csv, *.txt
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-", help_heading = "Counts", conflicts_with = "coverage")]
    pub(crate) methods: Option<MethodsTo>,
    /// Evaluate each counted block a second time, and fail if its cost differs
    #[arg(long, hide_short_help = true, help_heading = "Counts")]
    pub(crate) check_lazy: bool,
    /// Run tests with processes or processors under every schedule, at most N each [default: 1000]
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "1000", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["schedule", "watch"])]
    pub(crate) explore: Option<u64>,
    /// Let tests follow a schedule that --explore has written
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        conflicts_with = "watch"
    )]
    pub(crate) schedule: Option<PathBuf>,
    /// Run the tests that a change concerns at each save, until Ctrl-C
    #[arg(short, long, conflicts_with_all = ["failed", "changed", "shard", "coverage", "methods", "reports", "list", "reason", "accept_model"])]
    pub(crate) watch: bool,
    /// Show the tests that did not pass and the summary only
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Show sends and output of all tests, not only the output of failed ones
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Show the time of each test and of the run
    #[arg(long)]
    pub(crate) timing: bool,
    /// Write a report too: junit, json, github or md (repeatable)
    #[arg(long = "report", value_name = "KIND=FILE")]
    pub(crate) reports: Vec<ReportTo>,
    /// Let tests pass although definitions of packages were left out
    #[arg(long, hide_short_help = true)]
    pub(crate) allow_left_out: bool,
    /// List the tests instead of running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Stop at the first test that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// How results are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Make a request to a processor outside of a scope an error of its client, as in SCOOP
    #[arg(long, hide_short_help = true, help_heading = "Limits and permissions")]
    pub(crate) strict_control: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err("a number from 1 to 1024 is expected".to_string()),
    }
}
