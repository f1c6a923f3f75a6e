//! The hidden commands that the command starts as processes of its own.

use std::ffi::OsString;

use tally_workbench::measuring::Worker;
use tally_workbench::workers::{CommandWords, Interrupts};

use crate::console;
use crate::failure::Failure;

/// The words that start a hidden command of a build. Without words of its own the build is this one.
pub(crate) fn words(
    build: &[String],
    hidden: &str,
    in_color: bool,
) -> Result<CommandWords, Failure> {
    let (program, first): (OsString, &[String]) = match build.split_first() {
        Some((program, first)) => (program.into(), first),
        None => {
            let own = std::env::current_exe();
            let own = own.map_err(|error| Failure::io("find", "this command", &error))?;
            (own.into_os_string(), &[])
        }
    };
    let color = if in_color { "always" } else { "never" };
    let own = ["--color", color, hidden].map(OsString::from);
    Ok(CommandWords {
        program,
        arguments: first.iter().map(OsString::from).chain(own).collect(),
    })
}

/// Processes of this command that measure versions. Ctrl-C ends them.
pub(crate) fn measuring() -> Result<Worker, Failure> {
    Ok(Worker::Process {
        command: words(&[], "measure", console::in_color())?,
        interrupts: Interrupts::caught()?,
    })
}
