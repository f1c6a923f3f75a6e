//! `tally calibrate`: what a send and its like cost on this machine, worked out from the basket and kept, so that `--estimate-time`
//! can say how long a run would take that was counted anywhere.

use std::path::{Path, PathBuf};

use clap::Args;
use tally_study::{Calibration, calibrate as worked_out, report};

use super::journal::{self, Journal};
use super::machine::this_build;
use super::plan::Repetitions;
use super::session::Session;
use super::way::Way;
use super::{clock, own_subjects, temporary_folder};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::state::state_file;
use crate::{console, output};

/// The name of the file that a calibration is kept in.
const FILE: &str = "calibration.json";

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "The calibration is kept in $XDG_STATE_HOME/tally/calibration.json (else below ~/.local/state) and holds for this machine \
and this build of tally. It takes about half a minute; the machine should have nothing else to do."
)]
pub(crate) struct CalibrateArguments {
    /// Measure nothing: take what a study has measured on this machine
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Keep the calibration in FILE instead
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn calibrate(arguments: &CalibrateArguments) -> Result<Exit, Failure> {
    let place = match &arguments.output {
        Some(path) => path.clone(),
        None => own_place()?,
    };
    let data = match &arguments.from {
        Some(path) => journal::read(path)?,
        None => measured()?,
    };
    let calibration = worked_out(&data).ok_or_else(|| {
        let why = "there are too few programs with times and counts to work anything out";
        Failure::new(Exit::Nothing, why)
    })?;
    if let Some(folder) = place.parent().filter(|f| !f.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::io("make", &folder.display().to_string(), &error))?;
    }
    output::write(&output::json(&calibration)?, Some(&place))?;
    output::write(&report::calibration_text(&calibration), None)?;
    console::write(&format!("kept in {}\n", place.display()));
    Ok(Exit::Success)
}

fn own_place() -> Result<PathBuf, Failure> {
    state_file(FILE).ok_or_else(|| {
        let why = "neither XDG_STATE_HOME nor HOME says where to keep it; name a file with -o";
        Failure::new(Exit::Usage, why)
    })
}

/// The basket's times and cost vectors, measured now.
fn measured() -> Result<tally_study::Data, Failure> {
    let place = clock::pin();
    if place.starts_with("not") {
        console::warning(&place);
    }
    let folder = temporary_folder()?;
    let subjects = own_subjects(folder.path())?;
    let mut journal = Journal::open(&folder.path().join("data"), false)?;
    let session = Session {
        subjects: &subjects,
        folder: folder.path(),
        ways: &[Way::default()],
        repetitions: Repetitions::CALIBRATION,
    };
    session.measure(&mut journal)?;
    Ok(journal.data)
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
