//! Where a command's result goes: standard output or a file. Messages are `console`'s business.

use std::io::{self, Write as _};
use std::path::Path;

use crate::exit::{Exit, Failure};

/// Writes a result to the file, or to standard output.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    match file {
        Some(path) => std::fs::write(path, text)
            .map_err(|error| Failure::io("write", &path.display().to_string(), &error)),
        None => to_standard_output(text),
    }
}

fn to_standard_output(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
