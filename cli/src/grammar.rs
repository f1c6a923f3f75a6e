//! The grammar of the command line. Help, usage errors and completions derive from these definitions, so their documentation
//! comments are for users. The options of a command stand in the module of the command.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::annotate::AnnotateArguments;
use crate::bisect::BisectArguments;
use crate::calibrate::CalibrateArguments;
use crate::check::CheckArguments;
use crate::compare::CompareArguments;
use crate::console::Color;
use crate::convert::ConvertArguments;
use crate::disassemble::DisassembleArguments;
use crate::documentation::DocArguments;
use crate::explain::ExplainArguments;
use crate::explore::ExploreArguments;
use crate::export::ExportArguments;
use crate::gate::GateArguments;
use crate::help;
use crate::history::HistoryArguments;
use crate::new::NewArguments;
use crate::predict::PredictArguments;
use crate::profile::ProfileArguments;
use crate::repl::ReplArguments;
use crate::run::RunArguments;
use crate::store::arguments::StoreArguments;
use crate::study::StudyArguments;
use crate::test::TestArguments;
use crate::timeline::TimelineArguments;
use crate::verify::VerifyArguments;
use crate::version;

/// Smalltalk in plain files, on a machine that counts every message send, exactly.
#[derive(Debug, Parser)]
#[command(
    name = "tally",
    version,
    max_term_width = 100,
    before_help = help::map(),
    help_template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}",
    after_help = EXIT_CODES,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
#[command(long_version = version::text())]
pub(crate) struct Arguments {
    /// When to colour messages
    #[arg(
        long,
        global = true,
        value_enum,
        default_value_t = Color::Auto,
        value_name = "WHEN",
        hide_short_help = true
    )]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0 all well · 1 a program or test failed · 2 usage · 3 an assertion about counts failed
  4 nothing to run · 5 not comparable · 6 a resource limit was hit · 7 runs differ but must not
  8 source does not compile · 70 internal error · 74 input or output failed · 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make a project, or add Tally to a folder: settings, a class, its tests, a file for CI
    New(NewArguments),
    /// Run files, or evaluate an expression
    Run(RunArguments),
    /// Evaluate inputs interactively
    Repl(ReplArguments),
    /// Report the errors and warnings of files without running them
    Check(CheckArguments),
    /// Show the documentation of a class or a method
    Doc(DocArguments),
    /// Run tests, and count what each of them sends
    Test(TestArguments),
    /// Run a program and rank its methods by the messages that they send
    Profile(ProfileArguments),
    /// Show source text with the sends of each line
    Annotate(AnnotateArguments),
    /// Run a project's tests for continuous integration; tally.counts or budgets must exist
    Gate(GateArguments),
    /// Run a program in other modes and check that every count is the same
    Verify(VerifyArguments),
    /// Compare the counts of two versions: revisions, the work tree, saved profiles
    Compare(Box<CompareArguments>),
    /// Show the counts of the commits of a range
    History(Box<HistoryArguments>),
    /// Find the first commit at which a count changed
    Bisect(Box<BisectArguments>),
    /// Run a program with processors, and report which request waited how long
    Timeline(TimelineArguments),
    /// Execute every order of actors, processes and processors: results, failures
    Explore(Box<ExploreArguments>),
    /// Predict what a program costs at sizes that were not run, or how long a design takes
    Predict(PredictArguments),
    /// Explain the code of an error or a warning; list all codes if none is given
    Explain(ExplainArguments),
    /// Write definitions as packages in Tonel
    Export(ExportArguments),
    /// Write a saved profile in other formats
    Convert(ConvertArguments),
    /// Show, export, import, reduce or check the kept measurements
    Store(StoreArguments),
    /// Show the bytecode of files
    Disassemble(DisassembleArguments),
    /// Test the method itself: compare counts with time over a basket of applications
    Study(Box<StudyArguments>),
    /// Measure what each counter costs on this machine, for --estimate-time
    Calibrate(CalibrateArguments),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write those of all commands
    Man {
        /// Write a page for each command into this folder
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Print the help of a command
    Help {
        /// The command
        #[arg(value_name = "COMMAND")]
        command: Option<String>,
    },
    /// Run a program once for another process of tally, and measure its time
    #[command(hide = true)]
    Sample {
        /// The file of the request
        request: PathBuf,
    },
    /// Measure the version in the current folder for another process of tally
    #[command(hide = true)]
    Measure {
        /// The file of the request
        request: PathBuf,
    },
}
