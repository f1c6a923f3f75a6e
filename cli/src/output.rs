//! Where a command's result goes: standard output or a file. Messages are `console`'s business.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::ProgramOutput;
use tally_workbench::files::replace::write_file;
use tally_workbench::outside::kept::Kept;

/// Writes a result to the file, or to standard output if there is no file or its name is `-`.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    write_bytes(text.as_bytes(), file)
}

/// Writes a text for a reader who may want only its beginning: a closed pipe is no failure.
pub(crate) fn write_to_reader(text: &str) -> Result<Exit, Failure> {
    match write(text, None) {
        Err(failure) if !failure.is_lost_output() => Err(failure),
        _ => Ok(Exit::Success),
    }
}

/// The name of standard output where a file can be named.
const STANDARD: &str = "-";

/// Whether a file's name stands for standard output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Where a file stands or will stand, at the end of its links.
pub(crate) fn place(path: &Path) -> PathBuf {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let beside = || {
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    };
    let place = path.canonicalize().ok().or_else(beside);
    place.unwrap_or_else(|| path.to_path_buf())
}

/// A file can only be written to a folder that is there.
///
/// # Errors
/// The folder is missing.
pub(crate) fn refuse_without_folder(path: &Path) -> Result<(), Failure> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !is_standard(path) && !folder.is_dir()) {
        None => Ok(()),
        Some(folder) => {
            let (path, folder) = (path.display(), folder.display());
            let why = format!("cannot write {path}: there is no folder {folder}");
            Err(Failure::new(Exit::Io, why))
        }
    }
}

/// The ending of a file's name, if it is one of those that decide a format; of several the longest. `None` for standard output.
pub(crate) fn ending<'k>(path: &Path, known: &[&'k str]) -> Result<Option<&'k str>, Failure> {
    if is_standard(path) {
        return Ok(None);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    // A name that is nothing but an ending has none.
    let has = |known: &&&str| {
        let start = name.strip_suffix(**known);
        start
            .and_then(|start| start.strip_suffix('.'))
            .is_some_and(|stem| !stem.is_empty())
    };
    match known.iter().filter(has).max_by_key(|known| known.len()) {
        Some(ending) => Ok(Some(ending)),
        None => {
            let why = format!(
                "{}: the name does not decide the format; names end in .{}, and - is standard output",
                path.display(),
                known.join(", .")
            );
            Err(Failure::new(Exit::Usage, why))
        }
    }
}

/// Writes a result that need not be text to the file, or to standard output if there is no file or its name is `-`.
pub(crate) fn write_bytes(bytes: &[u8], file: Option<&Path>) -> Result<(), Failure> {
    match file.filter(|path| !is_standard(path)) {
        Some(path) => write_file(path, bytes)
            .map_err(|error| Failure::io("write", &path.display().to_string(), &error)),
        None => to_standard_output(bytes),
    }
}

fn to_standard_output(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(bytes).and_then(|()| out.flush());
    written.map_err(|error| output_failure(&error))
}

fn output_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::lost_output(),
        _ => Failure::io("write", "standard output", error),
    }
}

/// Prints what a program has printed, its standard output where that is to go. Its last line is ended.
pub(crate) fn write_kept(kept: &Kept, where_to: ProgramOutput) -> Result<(), Failure> {
    let print = |is_output: bool, text: &str| match is_output && where_to == ProgramOutput::Standard
    {
        true => write(text, None),
        false => {
            console::write(text);
            Ok(())
        }
    };
    for (is_output, text) in kept.pieces() {
        print(is_output, &text)?;
    }
    if let Some((is_output, text)) = kept.pieces().next_back()
        && !text.ends_with('\n')
    {
        print(is_output, "\n")?;
    }
    console::write(&kept.notice());
    Ok(())
}

/// A document as indented JSON that ends in a newline.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(document);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::new(Exit::Internal, error.to_string()))
}

/// A document as JSON on one line, which ends in a newline.
pub(crate) fn json_line(document: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string(document);
    text.map(|text| text + "\n")
        .map_err(|error| Failure::new(Exit::Internal, error.to_string()))
}
