//! Where a command's result goes: standard output or a file. Messages are `console`'s business.

use std::io::{self, Write as _};
use std::path::Path;

use crate::exit::{Exit, Failure};
use crate::replace::replace_file;

/// Writes a result to the file, or to standard output.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    write_bytes(text.as_bytes(), file)
}

/// Writes a result that need not be text to the file, or to standard output.
pub(crate) fn write_bytes(bytes: &[u8], file: Option<&Path>) -> Result<(), Failure> {
    match file {
        Some(path) => to_file(bytes, path)
            .map_err(|error| Failure::io("write", &path.display().to_string(), &error)),
        None => to_standard_output(bytes),
    }
}

/// Replaces what is at the path, or at the end of the links there; a device or a pipe gets the bytes as they are.
fn to_file(bytes: &[u8], path: &Path) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(old) if old.is_file() => replace_file(&path.canonicalize()?, bytes, Some(&old)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            replace_file(path, bytes, None)
        }
        _ => std::fs::write(path, bytes),
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
