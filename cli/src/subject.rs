//! The options that name the subject of a measurement: a script with its arguments, or the tests.

use clap::Args;

use crate::arguments::MachineArguments;
use tally_workbench::measuring::Subject;

/// The program or the tests that are measured in each version.
#[derive(Clone, Debug, Args)]
pub(crate) struct SubjectArguments {
    /// Run this file of each version instead of the tests (repeatable)
    #[arg(long = "run", value_name = "FILE", help_heading = "What runs")]
    scripts: Vec<String>,
    /// Evaluate statements, after the files of --run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true,
        help_heading = "What runs"
    )]
    evaluate: Option<String>,
    /// Run the tests of this file or folder (repeatable) [default: those of tally.toml]
    #[arg(long = "tests", value_name = "FILE", conflicts_with_all = ["scripts", "evaluate"], help_heading = "What runs")]
    tests: Vec<String>,
    /// Run only tests whose names contain TEXT or fit TEXT with * (repeatable)
    #[arg(short = 'k', long = "filter", value_name = "TEXT", conflicts_with_all = ["scripts", "evaluate"], help_heading = "What runs")]
    filters: Vec<String>,
    /// What the script reads from standard input; without it nothing
    #[arg(
        long = "stdin",
        value_name = "FILE",
        hide_short_help = true,
        help_heading = "What runs"
    )]
    input: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<String>,
    #[command(flatten)]
    machine: MachineArguments,
}

impl SubjectArguments {
    /// The subject that the options name.
    pub(crate) fn subject(&self) -> Subject {
        Subject {
            scripts: self.scripts.clone(),
            evaluate: self.evaluate.clone(),
            tests: self.tests.clone(),
            filters: self.filters.clone(),
            input: self.input.clone(),
            arguments: self.arguments.clone(),
            machine: self.machine.settings(),
        }
    }
}
