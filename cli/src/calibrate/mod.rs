//! `tally calibrate`: what a unit of each counter costs on this machine, from single operations. The prices are kept, so that
//! `--estimate-time` can say how long a run would take that was counted anywhere.

mod instructions;
mod operations;
mod timing;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use tally_study::prices::{Measured, costs, level};
use tally_study::{Calibration, report};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::state::state_file;
use crate::study::clock;
use crate::study::machine::this_build;
use crate::{console, output};

pub(crate) use self::timing::counts_of;

/// The name of the file that a calibration is kept in.
const FILE: &str = "calibration.json";

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The calibration is kept in $XDG_STATE_HOME/tally/calibration.json (else below ~/.local/state) and holds for this machine \
and this build of tally. It takes about half a minute; the machine should have nothing else to do. With -o nothing but
the named files is written, and --estimate-time knows nothing of them."
)]
pub(crate) struct CalibrateArguments {
    /// Count the instructions of the processor, too: by valgrind, which takes a quarter of an hour or more
    #[arg(long)]
    by_instructions: bool,
    /// Write to a file instead: *.json keeps the calibration, *.md has its tables (may be repeated)
    #[arg(short, long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,
}

pub(crate) fn calibrate(arguments: &CalibrateArguments) -> Result<Exit, Failure> {
    let places = places(arguments)?;
    let place = clock::pin();
    if place.starts_with("not") {
        console::warning(&place);
    }
    let table = operations::Table::own()?;
    let times = timing::measured(&table)?;
    let instructions = match arguments.by_instructions {
        true => instructions::measured(&table)?,
        false => Measured::default(),
    };
    let calibration = Calibration::new(this_build()?, &times, &instructions);
    for (place, is_page) in &places {
        let text = match is_page {
            true => page(&calibration, &times, &instructions),
            false => output::json(&calibration)?,
        };
        write(&text, place)?;
    }
    let mut text = String::new();
    report::prices_table(&calibration).push_text(console::results_page(), &mut text);
    output::write(&text, None)?;
    for (place, _) in &places {
        console::write(&format!("kept in {}\n", place.display()));
    }
    Ok(Exit::Success)
}

/// The files to write, and whether each is a page.
fn places(arguments: &CalibrateArguments) -> Result<Vec<(PathBuf, bool)>, Failure> {
    let mut places = Vec::new();
    for file in &arguments.outputs {
        let ending = output::ending(file, &["json", "md"])?;
        places.push((file.clone(), ending == Some("md")));
    }
    if places.is_empty() {
        places.push((own_place()?, false));
    }
    Ok(places)
}

fn write(text: &str, place: &Path) -> Result<(), Failure> {
    if let Some(folder) = place.parent().filter(|f| !f.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::io("make", &folder.display().to_string(), &error))?;
    }
    output::write(text, Some(place))
}

/// The tables of a calibration in Markdown.
fn page(calibration: &Calibration, times: &Measured, instructions: &Measured) -> String {
    let mut text = String::new();
    report::prices_table(calibration).push_markdown(&mut text);
    for (measured, unit) in [(times, "ns"), (instructions, "instructions")] {
        if !measured.stages.is_empty() {
            let level = level(measured);
            let _ = write!(
                text,
                "\nLevel of mixed operations by {unit}: {level:.2}\n\n"
            );
            report::operations_table(&costs(&measured.stages), unit).push_markdown(&mut text);
        }
    }
    text
}

fn own_place() -> Result<PathBuf, Failure> {
    state_file(FILE).ok_or_else(|| {
        let why =
            "neither XDG_STATE_HOME nor HOME says where the calibration of this machine is kept";
        Failure::new(Exit::Usage, why)
    })
}

/// This machine's calibration.
pub(crate) fn own_calibration() -> Result<Calibration, Failure> {
    read(&own_place()?)
}

fn read(path: &Path) -> Result<Calibration, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            Exit::Incomparable,
            "this machine is not calibrated: tally calibrate does that in half a minute",
        ),
        _ => Failure::io("read", &path.display().to_string(), &error),
    })?;
    let unusable = |why: String| {
        let why = format!("{}: {why}; tally calibrate makes it anew", path.display());
        Failure::new(Exit::Incomparable, why)
    };
    let here = this_build()?;
    let calibration = Calibration::read(&text, &here.library, here.model)
        .map_err(|error| unusable(error.to_string()))?;
    if calibration.context.processor != here.processor {
        return Err(unusable("it was made on another processor".to_string()));
    }
    if calibration.context.build != here.build {
        return Err(unusable(format!(
            "it is of another kind of build: {}",
            calibration.context.build
        )));
    }
    if calibration.context.binary != here.binary {
        console::warning("this machine was calibrated with another build of tally");
    }
    Ok(calibration)
}
