//! `tally study`: a test of the method itself. Runs a basket of applications repeatedly, each run in a process of its own, and
//! reports how well counts predict time. `tally_study` evaluates the measurements and makes the report.

mod basket;
mod child;
pub(crate) mod clock;
mod counting;
mod journal;
pub(crate) mod machine;
mod outputs;
mod plan;
mod sample;
mod session;
mod subject;
mod way;

use std::path::{Path, PathBuf};

use clap::Args;
use tally_study::Data;

pub(crate) use self::child::temporary_folder;
use self::journal::Journal;
use self::outputs::Outputs;
use self::plan::Repetitions;
use self::session::{Session, is_empty};
use self::subject::named;
use self::way::{OtherBuild, ways};
use crate::arguments::MachineArguments;
use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::project::workspace::Workspace;

pub(crate) use self::sample::sample;

/// The name in the workspace under which measurements are kept.
const DATA: &str = "study.jsonl";

#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "tally study [OPTIONS] [APPLICATION]...\n       tally study --from <FILE> [-o <FILE>]...",
    after_help = "An application is a file or folder with tests, or a script; several files that belong together have commas between \
them: model.st,tests.st. Its tests run one after the other in one process; their processor time is taken, without loading and \
compiling. What is measured is kept after every run, so that the same command goes on where it was interrupted."
)]
pub(crate) struct StudyArguments {
    /// Programs to study; without any, the sixteen applications that come with tally
    #[arg(value_name = "APPLICATION")]
    applications: Vec<String>,
    /// Fewer rounds without the long programs: about a minute instead of a quarter of an hour
    #[arg(long)]
    quick: bool,
    /// Make N rounds instead of ten
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Measure with another build of tally too: debug=target/debug/tally, arm='qemu-aarch64 ./tally' (may be repeated)
    #[arg(long = "also", value_name = "NAME=COMMAND")]
    also: Vec<OtherBuild>,
    /// Keep measurements in FILE instead of .tally/study.jsonl; measurements in it are used again
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// Measure everything anew; the old file is renamed to FILE.old
    #[arg(long)]
    anew: bool,
    /// Measure nothing, and evaluate the measurements in FILE
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["applications", "quick", "rounds", "also", "data", "anew"])]
    from: Option<PathBuf>,
    /// Write the study to a file (*.html, *.md, *.json, *.txt) or to a folder with tables as CSV and figures as SVG (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
    #[command(flatten)]
    machine: MachineArguments,
}

pub(crate) fn study(arguments: &StudyArguments) -> Result<Exit, Failure> {
    let outputs = Outputs::new(&arguments.outputs)?;
    let data = match &arguments.from {
        Some(file) => journal::read(file)?,
        None => measured(arguments)?,
    };
    if is_empty(&data) {
        return Err(Failure::new(Exit::Nothing, "nothing was measured"));
    }
    outputs.write(&tally_study::study(&data))?;
    Ok(Exit::Success)
}

/// All measurements, the missing ones measured now.
fn measured(arguments: &StudyArguments) -> Result<Data, Failure> {
    let repetitions = match arguments.quick {
        true => Repetitions::QUICK,
        false => Repetitions::FULL,
    };
    let repetitions = match arguments.rounds {
        Some(rounds) => repetitions.with_rounds(rounds),
        None => repetitions,
    };
    let ways = ways(&arguments.machine.settings(), &arguments.also)?;
    let place = clock::pin();
    if place.starts_with("not") {
        console::warning(&place);
    }
    let unpacked = temporary_folder()?;
    let here = PathBuf::from(".");
    let (subjects, folder) = match arguments.applications.is_empty() {
        true => (own_subjects(unpacked.path())?, unpacked.path()),
        false => (named(&arguments.applications)?, here.as_path()),
    };
    let mut journal = open_journal(arguments.data.as_deref(), arguments.anew)?;
    let session = Session {
        subjects: &subjects,
        folder,
        ways: &ways,
        repetitions,
    };
    session.measure(&mut journal)?;
    Ok(journal.data)
}

fn own_subjects(folder: &Path) -> Result<Vec<subject::Subject>, Failure> {
    let unpacked = basket::unpack(folder);
    unpacked.map_err(|error| Failure::io("write", "a temporary folder", &error))
}

fn open_journal(path: Option<&Path>, anew: bool) -> Result<Journal, Failure> {
    if let Some(path) = path {
        return Journal::open(path, anew);
    }
    let workspace = Workspace::of(Path::new(""));
    let made = workspace.prepare();
    made.map_err(|error| Failure::io("write", ".tally", &error))?;
    Journal::open(&workspace.path(DATA), anew)
}
