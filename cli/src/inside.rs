//! The files that a command loads inside a project: those of `tally.toml` first, so that the project's classes are there, then the
//! named ones. A named file that is part of the project is not loaded twice.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::Args;
use tally_workbench::loading::files_of;
use tally_workbench::loading::som::is_program;
use tally_workbench::project::Project;

use crate::failure::Failure;
use crate::front::front;

/// Whether the project is loaded.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct InsideArguments {
    /// Do not load the project of tally.toml
    #[arg(long, hide_short_help = true)]
    pub(crate) no_project: bool,
}

impl InsideArguments {
    /// The files to load, with those of the project if the current folder is in one.
    pub(crate) fn files(&self, named: &[String]) -> Result<Vec<String>, Failure> {
        // A program of SOM has its own way to name its classes.
        if self.no_project || named.first().is_some_and(|file| is_program(file)) {
            return Ok(named.to_vec());
        }
        let mut files = Project::here(&*front())?.default_files(&*front())?;
        if files.is_empty() || named.is_empty() {
            files.extend(named.iter().cloned());
            return Ok(files);
        }
        let known: HashSet<PathBuf> = of_project(&files)?.iter().map(|file| whole(file)).collect();
        for name in named {
            files.extend(unknown(name, &known)?);
        }
        Ok(files)
    }
}

/// The files of a project.
fn of_project(paths: &[String]) -> Result<Vec<String>, Failure> {
    Ok(files_of(Path::new(""), paths)?)
}

/// What of a named file or folder is not part of the project.
fn unknown(name: &str, known: &HashSet<PathBuf>) -> Result<Vec<String>, Failure> {
    if !Path::new(name).is_dir() {
        return Ok(match known.contains(&whole(name)) {
            true => Vec::new(),
            false => vec![name.to_string()],
        });
    }
    let inner = files_of(Path::new(""), &[name.to_string()])?;
    let new: Vec<String> = inner
        .iter()
        .filter(|file| !known.contains(&whole(file)))
        .cloned()
        .collect();
    Ok(match new.len() == inner.len() {
        true => vec![name.to_string()],
        false => new,
    })
}

/// A path that is the same however the file is named.
pub(crate) fn whole(file: &str) -> PathBuf {
    std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file))
}
