//! The options of `tally compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tally_comparison::{Rule, Show};

use super::verdict;
use crate::saved::EventArguments;
use crate::subject::SubjectArguments;

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally compare [OPTIONS] <A> [B] [-- <ARGS>...]",
    after_help = "A and B are revisions (HEAD~1, v1.2), WORKTREE for the files as they are, merge-base:REV for the commit at which \
HEAD has left the line of REV, saved profiles (.tally, .json, files of callgrind, pprof, speedscope or folded stacks), or two traces of tally timeline. What is not known is run in folders of its own; the checkout, \
the index and the stash stay as they are.\n\
Rules are a count, a relation and a bound: 'sends>+0', 'total(Json*)>+1%', 'test(*Test>>*)>+0', 'allocations>+100', 'any'; 'count>+0' for any unit; \
'span>+0', 'ticks>+0', 'waiting>+0' for what uses processors; 'states>+0', 'computations>+0', 'cost>+0', 'depth>+0' for what explores; for traces 'makespan>+0', 'ticks>+1%', 'requests>+0', 'waiting>+0', 'any'. \
Without --fail-on those of tally.toml hold, if revisions are compared."
)]
pub(crate) struct CompareArguments {
    /// What to compare with
    #[arg(value_name = "A")]
    pub(super) old: String,
    /// What to compare; the work tree if not given
    #[arg(value_name = "B")]
    pub(super) new: Option<String>,
    /// Whose tests are run, if both sides have some
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "SIDE",
        hide_short_help = true,
        help_heading = "What runs"
    )]
    pub(super) tests_from: TestsFrom,
    /// Explain the differences by the changes that cause them: all, or those of a test or a method
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub(super) explain: Option<String>,
    /// Exit with code 3 if this holds (may be repeated)
    #[arg(long, value_name = "RULE", value_parser = verdict::rule)]
    pub(super) fail_on: Vec<Rule>,
    /// Which tests, methods and classes are shown
    #[arg(long, value_enum, default_value_t, value_name = "WHICH")]
    pub(super) show: Showing,
    /// Estimate the times of both sides by this machine's calibration
    #[arg(long)]
    pub(super) estimate_time: bool,
    /// Compare even when counting model or library differ
    #[arg(long, hide_short_help = true)]
    pub(super) force: bool,
    /// Show N of each; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub(super) limit: usize,
    /// How the comparison is printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: ReportFormat,
    /// Write it to a file too, as its name ends: .md, .html, .json, .txt, or of traces .csv (repeatable)
    #[arg(short, long = "output", value_name = "FILE")]
    pub(super) outputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) event: EventArguments,
    #[command(flatten)]
    pub(super) subject: SubjectArguments,
}

/// Whose tests are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TestsFrom {
    // Each side its own
    #[default]
    Each,
    // Those of the old side on both
    Old,
    // Those of the new side on both
    New,
}

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Showing {
    // What differs
    #[default]
    Changed,
    // What sends more
    Worse,
    // What sends fewer
    Better,
    // All
    All,
}

impl From<Showing> for Show {
    fn from(showing: Showing) -> Show {
        match showing {
            Showing::Changed => Show::Changed,
            Showing::Worse => Show::Worse,
            Showing::Better => Show::Better,
            Showing::All => Show::All,
        }
    }
}

/// How a comparison is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    // For people
    #[default]
    Human,
    // For programs
    Json,
    // For a pull request
    Md,
    // The critical paths of two traces
    Csv,
}
