//! The project that is worked on: its folder, its settings, and what is loaded: the packages that it needs of other repositories,
//! then what is named, or what the settings name.

pub mod dependencies;
pub mod settings;
pub mod workspace;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::loading::som::is_program;
use dependencies::{Dependencies, Origin};
use settings::Settings;
use settings::dependency::Place;
use workspace::Workspace;

/// A project: a folder with a `tally.toml`, or without one the current folder.
#[derive(Default)]
pub struct Project {
    /// The folder that holds its files, as a path from the current one; empty for the current one.
    pub root: PathBuf,
    /// What its `tally.toml` says.
    pub settings: Settings,
    /// Whether there is a `tally.toml`.
    pub has_settings: bool,
    /// Where its files come from, if they are those of a version in a folder of their own.
    origin: Option<Origin>,
    /// Known from the first use on, so that warnings about them are given once.
    dependencies: OnceLock<Dependencies>,
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
            ..Project::default()
        })
    }

    /// The same project, if its files are those of a version.
    #[must_use]
    pub fn of_version(self, origin: Option<Origin>) -> Project {
        Project { origin, ..self }
    }

    /// What the settings name of the project's own.
    pub fn own_files(&self) -> Vec<String> {
        let paths = self.settings.paths.iter();
        paths
            .map(|path| self.root.join(path).display().to_string())
            .collect()
    }

    /// The folders of the dependencies whose files can change. A commit does not change.
    pub fn folders_of_dependencies(&self) -> Vec<PathBuf> {
        let places = self.settings.dependencies.iter().map(|one| &one.place);
        let folders = places.filter_map(|place| match place {
            Place::Folder(path) => Some(self.root.join(path)),
            Place::Commit { .. } => None,
        });
        folders.collect()
    }

    /// What is loaded if nothing is named.
    ///
    /// # Errors
    /// If a dependency is not there or lacks what the settings name.
    pub fn default_files(&self, front: &dyn Embedder) -> Result<Vec<String>, Error> {
        self.with_dependencies(self.own_files(), front)
    }

    /// The files to load: the named ones, or those of the settings. Answers also whether they are the whole project.
    ///
    /// # Errors
    /// If there is nothing to load, or a dependency is not there or lacks what the settings name.
    pub fn files(
        &self,
        named: Vec<String>,
        front: &dyn Embedder,
    ) -> Result<(Vec<String>, bool), Error> {
        if !named.is_empty() {
            let files = self.with_dependencies(named, front)?;
            return Ok((files, !self.has_settings));
        }
        let own = self.own_files();
        if own.is_empty() {
            let why =
                "nothing to load: name files, or list them as paths under [project] in tally.toml";
            return Err(Error::new(ErrorKind::Usage, why));
        }
        Ok((self.with_dependencies(own, front)?, true))
    }

    /// These files behind the packages that the project needs of other repositories. Every place that loads files of a project
    /// gets them from here.
    ///
    /// # Errors
    /// If a dependency is not there or lacks what the settings name.
    pub fn with_dependencies(
        &self,
        files: Vec<String>,
        front: &dyn Embedder,
    ) -> Result<Vec<String>, Error> {
        // A program of SOM has its own way to name its classes.
        if files.first().is_some_and(|file| is_program(file)) {
            return Ok(files);
        }
        let dependencies = self.dependencies(front)?;
        let mut all: Vec<String> = dependencies.files().map(str::to_owned).collect();
        all.extend(files);
        Ok(all)
    }

    /// The packages that the project needs of other repositories. What is not yet here is fetched.
    ///
    /// # Errors
    /// If a dependency is not there or lacks what the settings name.
    pub fn dependencies(&self, front: &dyn Embedder) -> Result<&Dependencies, Error> {
        if let Some(known) = self.dependencies.get() {
            return Ok(known);
        }
        let found = self.find_dependencies(front)?;
        found.warn(front);
        Ok(self.dependencies.get_or_init(|| found))
    }

    /// The same without warnings about what has no effect, for a caller that shows each part.
    ///
    /// # Errors
    /// If a dependency is not there or lacks what the settings name.
    pub fn find_dependencies(&self, front: &dyn Embedder) -> Result<Dependencies, Error> {
        let dependencies = &self.settings.dependencies;
        Dependencies::resolve(dependencies, &self.root, self.origin.as_ref(), front)
    }

    /// What is remembered of it.
    pub fn workspace(&self) -> Workspace {
        Workspace::of(&self.root)
    }
}
