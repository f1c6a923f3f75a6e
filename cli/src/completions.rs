//! `tally completions`: scripts that let a shell complete the command's options. They derive from the
//! definitions in `arguments`.

use clap::CommandFactory as _;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::grammar::Arguments;
use crate::output;

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "tally", &mut script);
    output::write(&String::from_utf8_lossy(&script), None)?;
    Ok(Exit::Success)
}
