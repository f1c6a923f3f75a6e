//! Saved profiles: recordings, JSON, and files of other tools. Their first bytes distinguish them, or else their names.

use std::io::ErrorKind;
use std::path::Path;

use clap::Args;
use tally_comparison::Measurement;
use tally_profiler::recording::{from_recording, is_recording};
use tally_profiler::{ImportFormat, Profile, import};

use crate::bounded::contents;
use crate::exit::Exit;
use crate::failure::Failure;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 2 << 30;

/// Whether a file's name is that of a saved profile.
pub(crate) fn is_profile(file: &str) -> bool {
    let suffix = Path::new(file).extension();
    suffix.is_some_and(|suffix| suffix == "json" || suffix == "tally")
        || ImportFormat::of_file(file).is_some()
}

/// Which count is read of a file that holds several.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EventArguments {
    /// Read this event of a file of another tool; its first if not given
    #[arg(long, value_name = "EVENT", hide_short_help = true)]
    pub(crate) event: Option<String>,
}

/// Reads a profile; `missing` is the exit code for a file that does not exist, `wrong` for one that holds no profile.
pub(crate) fn read(
    path: &str,
    event: &EventArguments,
    missing: Exit,
    wrong: Exit,
) -> Result<Profile, Failure> {
    let bytes = contents(Path::new(path), LONGEST).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::new(missing, format!("cannot read {path}: no such file")),
        _ => Failure::io("read", path, &error),
    })?;
    let profile = profile(path, &bytes, event.event.as_deref());
    profile.map_err(|why| Failure::new(wrong, format!("{path}:{why}")))
}

/// Reads what one or several runs cost; exit codes are as for [`read`].
pub(crate) fn read_measurement(
    path: &str,
    event: &EventArguments,
    missing: Exit,
    wrong: Exit,
) -> Result<Measurement, Failure> {
    let profile = read(path, event, missing, wrong)?;
    Ok(Measurement::of_profile(&profile))
}

/// The profile in a file, or what to say behind its name and a colon.
fn profile(path: &str, bytes: &[u8], event: Option<&str>) -> Result<Profile, String> {
    let own = if is_recording(bytes) || path.ends_with(".tally") {
        from_recording(bytes).map_err(|why| format!(" {why}"))
    } else if let Some(format) = ImportFormat::of(path, bytes) {
        return import(format, path, bytes, event).map_err(|error| match error.line {
            Some(line) => format!("{line}: not {}: {}", format.name, error.why),
            None => format!(" not {}: {}", format.name, error.why),
        });
    } else {
        let text = std::str::from_utf8(bytes);
        let text = text.map_err(|_| " not a profile: not UTF-8".to_string())?;
        tally_profiler::from_json(text).map_err(|why| format!(" {why}"))
    }?;
    match event {
        Some(event) if event != own.unit.name => Err(format!(
            " it has no event '{event}'; it has {}",
            own.unit.name
        )),
        _ => Ok(own),
    }
}
