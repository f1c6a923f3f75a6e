//! The project that is worked on: its folder, its settings, and what is loaded if nothing is named.

pub mod settings;
pub mod workspace;

use std::path::{Path, PathBuf};

use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use settings::Settings;
use workspace::Workspace;

/// A project: a folder with a `tally.toml`, or without one the current folder.
pub struct Project {
    /// The folder that holds its files, as a path from the current one; empty for the current one.
    pub root: PathBuf,
    /// What its `tally.toml` says.
    pub settings: Settings,
    /// Whether there is a `tally.toml`.
    pub has_settings: bool,
}

impl Project {
    /// The project of the current folder.
    pub fn here(front: &dyn Embedder) -> Result<Project, Error> {
        Project::of(Path::new("."), front)
    }

    /// The project that a folder belongs to.
    pub fn of(folder: &Path, front: &dyn Embedder) -> Result<Project, Error> {
        let found = Settings::find(folder, front)?;
        Ok(Project {
            has_settings: found.is_some(),
            root: match &found {
                Some(settings) => settings.root.clone(),
                None if folder == Path::new(".") => PathBuf::new(),
                None => folder.to_path_buf(),
            },
            settings: found.unwrap_or_default(),
        })
    }

    /// What is loaded if nothing is named.
    pub fn default_files(&self) -> Vec<String> {
        let paths = self.settings.paths.iter();
        paths
            .map(|path| self.root.join(path).display().to_string())
            .collect()
    }

    /// The files to load: the named ones, or those of the settings. Answers also whether they are the whole project.
    pub fn files(&self, named: Vec<String>) -> Result<(Vec<String>, bool), Error> {
        if !named.is_empty() {
            return Ok((named, !self.has_settings));
        }
        let files = self.default_files();
        if files.is_empty() {
            let why =
                "nothing to load: name files, or list them as paths under [project] in tally.toml";
            return Err(Error::new(ErrorKind::Usage, why));
        }
        Ok((files, true))
    }

    /// What is remembered of it.
    pub fn workspace(&self) -> Workspace {
        Workspace::of(&self.root)
    }
}
