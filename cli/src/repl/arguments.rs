//! The options of `tally repl`.

use clap::Args;

use crate::arguments::MachineArguments;
use crate::inside::InsideArguments;

#[derive(Clone, Debug, Args)]
#[command(after_help = REPL_HELP)]
pub(crate) struct ReplArguments {
    /// Source files to run before the first input, behind those of the project
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Arguments for the session (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Do not read or write the history of inputs
    #[arg(long)]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

const REPL_HELP: &str = "\
--max-sends holds for each statement. On a terminal :help lists the commands; inputs of \
earlier sessions are kept in $XDG_STATE_HOME/tally/history.

From a pipe or a file each input is evaluated as soon as it is complete, without a prompt. A failure \
does not end the session; the exit code is that of the first one.";
