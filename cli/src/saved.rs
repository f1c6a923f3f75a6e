//! Saved profiles: recordings and JSON. Their first bytes distinguish them.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};

use tally_comparison::Measurement;
use tally_profiler::Profile;
use tally_profiler::recording::{from_recording, is_recording};

use crate::exit::Exit;
use crate::failure::Failure;

/// The longest file that is read, in bytes: what never ends must not fill the memory.
const LONGEST: u64 = 2 << 30;

/// Whether a file's name is that of a saved profile.
pub(crate) fn is_profile(file: &str) -> bool {
    let suffix = std::path::Path::new(file).extension();
    suffix.is_some_and(|suffix| suffix == "json" || suffix == "tally")
}

/// Reads a profile; `missing` is the exit code for a file that does not exist, `wrong` for one that holds no profile.
pub(crate) fn read(path: &str, missing: Exit, wrong: Exit) -> Result<Profile, Failure> {
    let bytes = contents(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::new(missing, format!("cannot read {path}: no such file")),
        _ => Failure::io("read", path, &error),
    })?;
    profile(path, &bytes).map_err(|why| Failure::new(wrong, format!("{path}: {why}")))
}

/// Reads what one or several runs cost; exit codes are as for [`read`].
pub(crate) fn read_measurement(
    path: &str,
    missing: Exit,
    wrong: Exit,
) -> Result<Measurement, Failure> {
    let profile = read(path, missing, wrong)?;
    Ok(Measurement::of_profile(&profile))
}

fn contents(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LONGEST {
        true => Err(ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

fn profile(path: &str, bytes: &[u8]) -> Result<Profile, String> {
    if is_recording(bytes) || path.ends_with(".tally") {
        return from_recording(bytes).map_err(|why| why.to_string());
    }
    let text = std::str::from_utf8(bytes).map_err(|_| "not a profile: not UTF-8".to_string())?;
    tally_profiler::from_json(text).map_err(|why| why.to_string())
}
