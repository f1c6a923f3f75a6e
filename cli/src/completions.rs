//! `tally completions`: scripts that let a shell complete the command's options. They derive from the
//! definitions in `grammar`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{help, output};

/// Prints a completion script.
pub(crate) fn completions(shell: clap_complete::Shell) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut help::grammar(), "tally", &mut script);
    output::write_to_reader(&String::from_utf8_lossy(&script))
}
