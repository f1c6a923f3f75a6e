//! Where a command's result goes: standard output or a file. Messages are `console`'s business.

use std::io::{self, Write as _};
use std::path::Path;

use crate::console;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::ProgramOutput;
use tally_workbench::files::replace::write_file;
use tally_workbench::outside::kept::Kept;

/// Writes a result to the file, or to standard output.
pub(crate) fn write(text: &str, file: Option<&Path>) -> Result<(), Failure> {
    write_bytes(text.as_bytes(), file)
}

/// Writes a result that need not be text to the file, or to standard output.
pub(crate) fn write_bytes(bytes: &[u8], file: Option<&Path>) -> Result<(), Failure> {
    match file {
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
