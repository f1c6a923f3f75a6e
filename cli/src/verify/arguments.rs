//! The command line of `tally verify`.

use clap::{Args, ValueEnum};

use super::modes::ModeName;
use crate::arguments::{Format, MachineArguments};

/// Findings that fail a verification beside forbidden differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DenyVerified {
    // Counts that depend on identity hashes, seeds or the clock
    Findings,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally verify [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally verify [OPTIONS] [FILE]... -e <EXPR> [-- <ARGS>...]\n       \
tally verify [OPTIONS] --tests [FILE]... [-- <ARGS>...]",
    after_help = "Exits with 7 if two runs differ but must not, with --deny findings if there is a finding, or with --same-output if the order of \
processors shows in the output. Time is made of \
sends in all runs, and a program may not write files, so that no run sees what another did."
)]
pub(crate) struct VerifyArguments {
    /// Source files and folders, loaded in this order; - is standard input. With --tests, those of tally.toml if none is named
    #[arg(value_name = "FILE", required_unless_present_any = ["evaluate", "tests"])]
    pub(crate) files: Vec<String>,
    /// Evaluate statements after the files have run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        conflicts_with = "tests"
    )]
    pub(crate) evaluate: Option<String>,
    /// Verify each test by itself instead of the script
    #[arg(long)]
    pub(crate) tests: bool,
    /// Only tests whose Class>>selector contains TEXT (may be repeated)
    #[arg(short = 'k', long = "filter", value_name = "TEXT", requires = "tests")]
    pub(crate) filters: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Compare with this mode instead of with all (may be repeated)
    #[arg(long = "mode", value_enum, value_name = "MODE")]
    pub(crate) modes: Vec<ModeName>,
    /// Fail on these too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<DenyVerified>,
    /// Fail if output or ending depends on the order in which processors run
    #[arg(long)]
    pub(crate) same_output: bool,
    /// The format of the result
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Let programs see addresses of objects; for tests of this command
    #[arg(long, hide = true)]
    pub(crate) tell_addresses: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}
