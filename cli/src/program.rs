//! Loading programs as the command line names them.

use std::path::Path;

use tally_compiler::Notation;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::{MachineSettings, Program, Sources};

use crate::failure::Failure;
use crate::front::front;

/// Sets a machine up, and reads and compiles the sources, whose names begin in the current folder; nothing runs yet.
pub(crate) fn load(
    files: &[String],
    expression: Option<&str>,
    arguments: &[String],
    options: &MachineSettings,
    output: ProgramOutput,
) -> Result<Program, Failure> {
    load_in(
        Notation::Tally,
        files,
        expression,
        arguments,
        options,
        output,
    )
}

/// The same for sources in a notation.
pub(crate) fn load_in(
    notation: Notation,
    files: &[String],
    expression: Option<&str>,
    arguments: &[String],
    options: &MachineSettings,
    output: ProgramOutput,
) -> Result<Program, Failure> {
    let what = Sources {
        folder: Path::new(""),
        files,
        expression,
        arguments,
    };
    let front = front();
    Ok(Program::load_in(notation, &what, options, output, &front)?)
}
