//! `tally export`: definitions from files of any notation, written as packages in Tonel.

use std::path::PathBuf;

use clap::Args;
use tally_workbench::exporting::{Exported, export as write_packages};
use tally_workbench::loading::som::refuse;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::inside::InsideArguments;
use crate::{console, output};

#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Scripts, file-outs and packages in Tonel or FileTree are read. What is no definition is left out."
)]
pub(crate) struct ExportArguments {
    /// The folder for the packages
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// Files and folders of packages; those of the project if none is named
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<String>,
    /// Write into a folder that is not empty, and replace files of the same names
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) inside: InsideArguments,
}

pub(crate) fn export(arguments: &ExportArguments) -> Result<Exit, Failure> {
    refuse(&arguments.files, "export")?;
    let files = match arguments.files.is_empty() {
        true => arguments.inside.files(&[])?,
        false => arguments.files.clone(),
    };
    if files.is_empty() {
        let why =
            "nothing to export: name files, or list them as paths under [project] in tally.toml";
        return Err(Failure::new(Exit::Usage, why));
    }
    let exported = write_packages(&files, &arguments.folder, arguments.force, &*front())?;
    for (source, count) in &exported.left_out {
        let statements = if *count == 1 {
            "statement"
        } else {
            "statements"
        };
        console::warning(&format!("{source}: {count} {statements} left out"));
    }
    output::write(&summary(&exported), None)?;
    Ok(Exit::Success)
}

fn summary(exported: &Exported) -> String {
    let counted = |count: usize, word: &str| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} {word}{plural}")
    };
    // The file that names the format belongs to no package.
    let files = exported.files.len().saturating_sub(1);
    format!(
        "{} in {}\n",
        counted(files, "file"),
        counted(exported.packages, "package")
    )
}
