//! `tally man`: manual pages, which derive from the definitions in `grammar`.

use std::path::Path;

use clap_mangen::Man;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::{help, output};

/// Prints the page of the command itself, or writes the pages of all commands into a folder.
pub(crate) fn man(folder: Option<&Path>) -> Result<Exit, Failure> {
    let mut command = help::grammar();
    command.build();
    let Some(folder) = folder else {
        return output::write_to_reader(&page(command)?);
    };
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::io("make", &folder.display().to_string(), &error))?;
    for command in with_subcommands(command) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        let path = folder.join(format!("{name}.1"));
        output::write(&page(command)?, Some(&path))?;
    }
    Ok(Exit::Success)
}

/// The command and those below it that people use.
fn with_subcommands(command: clap::Command) -> Vec<clap::Command> {
    let below: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let shown = below
        .into_iter()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help");
    let mut all = vec![command];
    all.extend(shown.flat_map(with_subcommands));
    all
}

fn page(command: clap::Command) -> Result<String, Failure> {
    let mut text = Vec::new();
    Man::new(command)
        .render(&mut text)
        .map_err(|error| Failure::new(Exit::Internal, error.to_string()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}
