//! The project that a command works on: its folder, its settings, and what is loaded if nothing is named.

use std::path::{Path, PathBuf};

use crate::exit::{Exit, Failure};
use crate::settings::Settings;
use crate::workspace::Workspace;

/// A project: a folder with a `tally.toml`, or without one the current folder.
pub(crate) struct Project {
    /// The folder that holds its files, as a path from the current one; empty for the current one.
    pub(crate) root: PathBuf,
    pub(crate) settings: Settings,
    /// Whether there is a `tally.toml`.
    pub(crate) has_settings: bool,
}

impl Project {
    /// The project of the current folder.
    pub(crate) fn here() -> Result<Project, Failure> {
        Project::of(Path::new("."))
    }

    /// The project that a folder belongs to.
    pub(crate) fn of(folder: &Path) -> Result<Project, Failure> {
        let found = Settings::find(folder)?;
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
    pub(crate) fn default_files(&self) -> Vec<String> {
        let paths = self.settings.paths.iter();
        paths
            .map(|path| self.root.join(path).display().to_string())
            .collect()
    }

    /// What to load: what is named, else what the settings say. Answers also whether that is the whole project.
    pub(crate) fn files(&self, named: Vec<String>) -> Result<(Vec<String>, bool), Failure> {
        if !named.is_empty() {
            return Ok((named, !self.has_settings));
        }
        let files = self.default_files();
        if files.is_empty() {
            let why =
                "nothing to load: name files, or list them as paths under [project] in tally.toml";
            return Err(Failure::new(Exit::Usage, why));
        }
        Ok((files, true))
    }

    /// What is remembered of it.
    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::of(&self.root)
    }
}
