//! The command line's grammar. Help texts, usage errors and completions all derive from the
//! definitions here, so their documentation comments are written for users; what a command does is
//! not here.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use tally_workbench::loading::MachineSettings;
use tally_workbench::outside::permissions::Permissions;
use tally_workbench::testing::selection::Shard;

use crate::bisect::BisectArguments;
use crate::compare::CompareArguments;
use crate::console::Color;
use crate::formats::{self, ProfileFormat};
use crate::history::HistoryArguments;
use crate::measured::MeasuredArguments;
use crate::new::NewArguments;
use crate::store::arguments::StoreArguments;
use crate::study::{CalibrateArguments, StudyArguments};
use crate::test::{CountsMode, CoverageTo, ReportTo};
use crate::verify::VerifyArguments;
use crate::view::ViewArguments;

/// Smalltalk in plain files, on a machine that counts every message send, exactly.
#[derive(Debug, Parser)]
#[command(name = "tally", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    /// When to colour messages
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0 all well · 1 a program or test failed · 2 usage · 3 an assertion about counts failed
  4 nothing to run · 5 not comparable · 6 a resource limit was hit · 7 runs differ that must not
  8 source does not compile · 70 internal error · 74 input or output failed · 130 interrupted";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run files, or evaluate an expression
    Run(RunArguments),
    /// Run something and show which methods send how many messages
    Profile(ProfileArguments),
    /// Show source text with the sends of each line and each message
    Annotate(AnnotateArguments),
    /// Run the tests that files define
    Test(TestArguments),
    /// Run a project's tests for continuous integration: with tally.counts or budgets that must be there
    Gate(GateArguments),
    /// Make a project to start from: a class, its tests, settings, and a file for CI
    New(NewArguments),
    /// Run a program again in other ways, in which every count must be the same
    Verify(VerifyArguments),
    /// Compare what two versions cost, method by method: revisions, the work tree, saved profiles
    Compare(Box<CompareArguments>),
    /// Show what the commits of a range cost
    History(Box<HistoryArguments>),
    /// Find the first commit at which a count is another
    Bisect(Box<BisectArguments>),
    /// Test the method itself: hold counts against time over a basket of applications
    Study(Box<StudyArguments>),
    /// Work out what a send and its like cost on this machine, so that --estimate-time can tell times
    Calibrate(CalibrateArguments),
    /// Run a program once for another process of tally, and tell how long it took
    #[command(hide = true)]
    Sample {
        /// What is asked
        request: PathBuf,
    },
    /// Measure the version in the current folder for another process of tally
    #[command(hide = true)]
    Measure {
        /// What is asked
        request: PathBuf,
    },
    /// Write a saved profile in other formats
    Convert(ConvertArguments),
    /// Show, carry elsewhere, reduce or check what was measured and kept
    Store(StoreArguments),
    /// Tell what is wrong with files, without running them
    Check(CheckArguments),
    /// Explain the code of an error or a warning; without a code list all
    Explain(ExplainArguments),
    /// Show the bytecode of files
    Disassemble(DisassembleArguments),
    /// Evaluate inputs one after the other
    Repl(ReplArguments),
    /// Show the comment of a class or a method
    Doc(DocArguments),
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
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    // For people
    #[default]
    Human,
    // For programs
    Json,
}

/// What to load, and what the script gets.
#[derive(Clone, Debug, Args)]
pub(crate) struct ProgramArguments {
    /// Source files, loaded in this order; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
}

/// Limits, permissions and modes of the machine.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
pub(crate) struct MachineArguments {
    /// Stop after N sends and loop repetitions
    #[arg(long, value_name = "N", help_heading = "Limits and permissions")]
    pub(crate) max_sends: Option<u64>,
    /// Stop when the process takes more than SIZE bytes of memory; 64M, 2G [default: half of the machine's memory, divided among
    /// the processes that run tests]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Limits and permissions")]
    pub(crate) max_memory: Option<usize>,
    /// Refuse source texts of more than SIZE bytes [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true, help_heading = "Limits and permissions")]
    #[serde(default)]
    pub(crate) max_source: Option<usize>,
    /// Signal RecursionTooDeep at N activations on one stack
    #[arg(long, value_name = "N", help_heading = "Limits and permissions",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_depth: Option<u64>,
    /// Let the script read files: all, or those at and below PATH (may be repeated)
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_read: Vec<String>,
    /// Let the script write files: all, or those at and below PATH (may be repeated)
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_write: Vec<String>,
    /// Let the script read variables of the environment: all, or NAME (may be repeated)
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true,
          default_missing_value = EVERYTHING, value_parser = allowed, help_heading = "Limits and permissions")]
    pub(crate) allow_env: Vec<String>,
    /// Where the classes of a .som program are: folders, separated by colons (-cp for short)
    #[arg(long, value_name = "DIRS", help_heading = "Programs of SOM")]
    pub(crate) class_path: Option<String>,
    /// Seed of Random new
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        allow_negative_numbers = true,
        help_heading = "Limits and permissions"
    )]
    pub(crate) seed: i64,
    /// Make time of sends and loop repetitions, a microsecond each: the same in every run
    #[arg(long, help_heading = "Modes of the machine")]
    pub(crate) virtual_clock: bool,
    /// Count evaluations of control messages that are inlined, such as ifTrue:, too; apart from sends
    #[arg(long, help_heading = "Modes of the machine")]
    pub(crate) count_inlined: bool,
    /// Run without any optimisation; counts are the same
    #[arg(long, help_heading = "Modes of the machine")]
    pub(crate) reference: bool,
    /// Collect garbage at every allocation; counts are the same
    #[arg(long, help_heading = "Modes of the machine")]
    pub(crate) gc_stress: bool,
    /// Give new objects SIZE bytes before they are collected (1M); counts are the same
    #[arg(long, value_name = "SIZE", value_parser = nursery, hide_short_help = true, help_heading = "Modes of the machine")]
    #[serde(default)]
    pub(crate) nursery: Option<usize>,
    /// Run without lookup caches
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_caches: bool,
    /// Run without short cuts for arithmetic, comparison and access
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_shortcuts: bool,
    /// Give quick methods a frame like all others
    #[arg(long, hide_short_help = true, help_heading = "Modes of the machine")]
    pub(crate) no_quick: bool,
}

impl MachineArguments {
    /// The settings that the workbench knows.
    pub(crate) fn settings(&self) -> MachineSettings {
        let MachineArguments {
            max_sends,
            max_memory,
            max_source,
            max_depth,
            allow_read,
            allow_write,
            allow_env,
            class_path,
            seed,
            virtual_clock,
            count_inlined,
            reference,
            gc_stress,
            nursery,
            no_caches,
            no_shortcuts,
            no_quick,
        } = self.clone();
        MachineSettings {
            max_sends,
            max_memory,
            max_source,
            max_depth,
            allow_read,
            allow_write,
            allow_env,
            class_path,
            seed,
            virtual_clock,
            count_inlined,
            reference,
            gc_stress,
            nursery,
            no_caches,
            no_shortcuts,
            no_quick,
        }
    }

    /// What a program may do outside.
    pub(crate) fn permissions(&self) -> Permissions {
        self.settings().permissions()
    }
}

impl Default for MachineArguments {
    /// What they are if the command line says nothing.
    fn default() -> MachineArguments {
        #[derive(Parser)]
        struct Nothing {
            #[command(flatten)]
            machine: MachineArguments,
        }
        Nothing::parse_from(["tally"]).machine
    }
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally run [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally run [OPTIONS] [FILE]... -e <EXPR> [-- <ARGS>...]\n       \
tally run [OPTIONS] [-cp <DIRS>] <CLASS.som> [ARGS]..."
)]
pub(crate) struct RunArguments {
    /// Source files, run in this order; - is standard input
    #[arg(value_name = "FILE", required_unless_present = "evaluate")]
    pub(crate) files: Vec<String>,
    /// Evaluate statements and print the value of the last, after the files have run
    #[arg(
        short,
        long = "evaluate",
        value_name = "EXPR",
        allow_hyphen_values = true
    )]
    pub(crate) evaluate: Option<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Print what the run cost, to standard error
    #[arg(long)]
    pub(crate) counts: bool,
    /// How --counts prints
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    /// Write the counts to a file instead
    #[arg(short, long, value_name = "FILE", requires = "counts")]
    pub(crate) output: Option<PathBuf>,
    /// Tell what the garbage collector did, on standard error
    #[arg(long)]
    pub(crate) gc_stats: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally profile [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally profile [OPTIONS] [FILE]... -e <EXPR> [-- <ARGS>...]\n       \
tally profile [OPTIONS] <FILE>... --test <TEST>\n       \
tally profile [OPTIONS] <PROFILE>",
    after_help = "A file that ends in .json or .tally is a saved profile, which is shown without running anything.\n\n\
Without -o the report goes to standard output and what the program prints \
there goes to standard error; with -o the program keeps its standard output."
)]
pub(crate) struct ProfileArguments {
    #[command(flatten)]
    pub(crate) what: MeasuredArguments,
    /// How the profile is written, if it is not to be told by how the file's name ends
    #[arg(long, value_parser = ProfileFormat::parser(), value_name = "FORMAT")]
    pub(crate) format: Option<ProfileFormat>,
    /// Write the profile to a file (may be repeated)
    #[arg(short, long = "output", value_name = "FILE", help = formats::help_of_outputs())]
    pub(crate) outputs: Vec<PathBuf>,
    /// Tell what the garbage collector did, on standard error
    #[arg(long)]
    pub(crate) gc_stats: bool,
    #[command(flatten)]
    pub(crate) view: ViewArguments,
    /// Show these methods alone, all others as one: 'Class', 'Class>>selector' or 'Package-*' (may be repeated)
    #[arg(long, value_name = "SCOPE", conflicts_with = "sample")]
    pub(crate) only: Vec<String>,
    /// For contrast: look at the stack HZ times a second instead of counting; times are estimates, no two runs are alike
    #[arg(long, value_name = "HZ", num_args = 0..=1, require_equals = true, default_missing_value = "1000",
          value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["view", "by", "tests"])]
    pub(crate) sample: Option<u32>,
    /// Tell how long the run would take on this machine, which tally calibrate has looked at
    #[arg(long, conflicts_with_all = ["sample", "only"])]
    pub(crate) estimate_time: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally annotate [OPTIONS] <FILE>... [-- <ARGS>...]\n       \
tally annotate [OPTIONS] --profile <PROFILE> [FILE]...",
    after_help = "In the margin stand the sends that were executed on a line, and those that they caused. What the program \
prints goes to standard error."
)]
pub(crate) struct AnnotateArguments {
    #[command(flatten)]
    pub(crate) what: MeasuredArguments,
    /// Take the counts of a saved profile instead of running anything; FILEs are the texts that it is of
    #[arg(long, value_name = "PROFILE", conflicts_with_all = ["evaluate", "tests"])]
    pub(crate) profile: Option<String>,
    /// Show METHOD alone, of the library too: 'Class>>selector', a class, a selector, or a pattern with *
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Show also files, and long stretches of files, in which nothing was sent
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally test [OPTIONS] [FILE]... [FILTER]... [-- <ARGS>...]",
    after_help = "A filter selects the tests whose Class>>selector contains it. --max-sends holds for each test by itself.\n\
With --format json the report is a line for each test; the last line is the summary."
)]
pub(crate) struct TestArguments {
    /// Source files and folders, loaded in this order (- is standard input); what names none of them is a filter.
    /// Without files those of tally.toml
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Arguments for the script (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Run only tests whose Class>>selector contains TEXT, or is like it if it has * (may be repeated)
    #[arg(short = 'k', long = "filter", value_name = "TEXT")]
    pub(crate) filters: Vec<String>,
    /// Run only the tests that did not pass the last time
    #[arg(long)]
    pub(crate) failed: bool,
    /// Run only the tests to which the changes since revision REV can make a difference; in doubt a test runs
    #[arg(long, value_name = "REV")]
    pub(crate) changed: Option<String>,
    /// Run only a part of the tests, such as 1/3; the parts together are all of them
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Run the tests in an order that SEED decides; verdicts and counts are the same in any order
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    pub(crate) shuffle: Option<u64>,
    /// Run so many tests at once; as many as there are cores if not given
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,
    /// What to do with tally.counts, which says what each test costs; check if it is there
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Counts")]
    pub(crate) counts: Option<CountsMode>,
    /// Why counts change, kept in tally.counts
    #[arg(long, value_name = "TEXT", help_heading = "Counts")]
    pub(crate) reason: Option<String>,
    /// Measure all tests anew for another version of Tally
    #[arg(long, help_heading = "Counts")]
    pub(crate) accept_model: bool,
    /// Tell which methods, blocks, lines and sends the tests executed; write it for other programs with lcov=FILE or json=FILE
    #[arg(long, value_name = "KIND=FILE", num_args = 0..=1, require_equals = true, default_missing_value = "text", help_heading = "Counts")]
    pub(crate) coverage: Vec<CoverageTo>,
    /// Evaluate each block that a test counts a second time, and fail if that costs something else
    #[arg(long, help_heading = "Counts")]
    pub(crate) check_lazy: bool,
    /// Tell how long each test took
    #[arg(long)]
    pub(crate) timing: bool,
    /// Write a report for other programs too: junit, json, github or md (may be repeated)
    #[arg(long = "report", value_name = "KIND=FILE")]
    pub(crate) reports: Vec<ReportTo>,
    /// List the tests instead of running them
    #[arg(long)]
    pub(crate) list: bool,
    /// Stop at the first test that does not pass
    #[arg(long)]
    pub(crate) fail_fast: bool,
    /// How results are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally gate [OPTIONS] [FILE]... [FILTER]... [-- <ARGS>...]\n       \
tally gate --self-test -- <CMD>..."
)]
pub(crate) struct GateArguments {
    /// Run the command behind -- in copies of the project, and fail unless it fails where a test sends one message more
    #[arg(long)]
    pub(crate) self_test: bool,
    #[command(flatten)]
    pub(crate) tests: TestArguments,
}

fn jobs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(jobs @ 1..=1024) => Ok(jobs),
        _ => Err("a number from 1 to 1024 is expected".to_string()),
    }
}

/// What makes a check fail beside errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Deny {
    // Any warning
    Warnings,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = "Exits with 8 if there is an error, with 0 if there are warnings only.")]
pub(crate) struct CheckArguments {
    /// Source files and folders, which may mention each other's classes; - is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<String>,
    /// Take these for errors too
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) deny: Vec<Deny>,
    /// Refuse source texts of more than SIZE bytes [default: 64M]
    #[arg(long, value_name = "SIZE", value_parser = size, hide_short_help = true)]
    pub(crate) max_source: Option<usize>,
    /// How the findings are printed; for people they go to standard error
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Codes such as E0113
    #[arg(value_name = "CODE")]
    pub(crate) codes: Vec<String>,
    /// How the explanations are printed
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) format: Format,
}

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "A profile is read only if its counts add up: own sends to the totals, calls in to calls out."
)]
pub(crate) struct ConvertArguments {
    /// The profile, a recording (.tally) or JSON
    #[arg(value_name = "PROFILE")]
    pub(crate) input: String,
    /// Write the profile to these files
    #[arg(value_name = "FILE", required_unless_present = "format", help = formats::help_of_outputs())]
    pub(crate) outputs: Vec<PathBuf>,
    /// How the profile is written, if it is not to be told by how the file's name ends; without FILE, to standard output
    #[arg(long, value_parser = ProfileFormat::parser(), value_name = "FORMAT")]
    pub(crate) format: Option<ProfileFormat>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DisassembleArguments {
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Show this method only, of the files or of the library: 'Class>>selector', 'Class class>>selector'
    #[arg(long, value_name = "METHOD")]
    pub(crate) method: Option<String>,
    /// Run the program too, its output on standard error, and count executions by opcode
    #[arg(long)]
    pub(crate) run: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

#[derive(Clone, Debug, Args)]
#[command(after_help = REPL_HELP)]
pub(crate) struct ReplArguments {
    /// Source files to run before the first input
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Arguments for the session (Smalltalk arguments)
    #[arg(last = true, value_name = "ARGS")]
    pub(crate) arguments: Vec<String>,
    /// Neither read nor write the history of inputs
    #[arg(long)]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

const REPL_HELP: &str = "\
--max-sends holds for each statement. On a terminal :help shows what else there is; inputs of \
earlier sessions are kept in $XDG_STATE_HOME/tally/history.

From a pipe or a file each input is evaluated as soon as it is complete, without a prompt. A failure \
does not end the session; the exit code is that of the first one.";

#[derive(Clone, Debug, Args)]
pub(crate) struct DocArguments {
    /// Class, 'Class>>selector', 'Class class>>selector', or a selector
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Source files to run before, whose classes are shown too
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    #[command(flatten)]
    pub(crate) machine: MachineArguments,
}

/// What an option that allows something has as its value when it has none. Nobody can type it.
const EVERYTHING: &str = "\0";

/// What an option allows: a path or a name, or everything, for which the empty text stands from here on.
fn allowed(text: &str) -> Result<String, String> {
    match text {
        EVERYTHING => Ok(String::new()),
        "" => Err(
            "a path or a name is expected behind =; without = everything is allowed".to_string(),
        ),
        text => Ok(text.to_string()),
    }
}

/// Bytes of the heap's nursery.
fn nursery(text: &str) -> Result<usize, String> {
    match size(text)? {
        bytes @ 0x1_0000..=0x4000_0000 => Ok(bytes),
        _ => Err("a size from 64K to 1G is expected".to_string()),
    }
}

/// A number of bytes with an optional unit: `65536`, `64K`, `64M`, `2G`.
fn size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        other => return Err(format!("unknown unit '{other}', expected K, M or G")),
    };
    let number: usize = digits
        .parse()
        .map_err(|_| "expected a number of bytes".to_string())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "too large".to_string())
}
