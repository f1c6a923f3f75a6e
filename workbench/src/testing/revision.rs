//! The project as it was in a revision: exported into a folder of its own, and compiled there.

use std::path::Path;

use crate::embedder::{Front, ProgramOutput, Quiet};
use crate::error::{Error, ErrorKind};
use crate::loading::{MachineSettings, Program, Sources};
use crate::project::Project;
use crate::project::dependencies::Origin;
use crate::revisions::git;
use crate::revisions::{Checkout, Repository, canonical};

/// What was loaded, and how, so that a revision can be loaded in the same way.
#[derive(Clone, Copy)]
pub struct Loaded<'l> {
    /// The files and the arguments.
    pub sources: Sources<'l>,
    /// The settings of the machine.
    pub machine: &'l MachineSettings,
    /// Who gets the messages.
    pub front: &'l Front,
    /// The project, whose dependencies are among the files.
    pub project: &'l Project,
}

/// A program that is loaded from a revision's files and has not run.
pub struct Earlier {
    /// The program.
    pub program: Program,
    checkout: Checkout,
}

impl Loaded<'_> {
    /// It as it was in a revision of the repository that the path is in.
    ///
    /// # Errors
    /// If there is no such revision, or it cannot be loaded.
    pub fn earlier(&self, revision: &str, path: &Path) -> Result<Earlier, Error> {
        let repository = Repository::of(path)?;
        let revision = git::revision(&repository.root, revision)?;
        let checkout = Checkout::of(&repository, &revision, self.front)?;
        let own = self.own_files()?;
        let files = own.into_iter().map(|file| {
            let whole = canonical(&self.sources.folder.join(file))?;
            let inner = whole.strip_prefix(&repository.root).map_err(|_| {
                let why = format!("{file} is outside of the repository");
                Error::new(ErrorKind::Usage, why)
            })?;
            Ok(checkout.root().join(inner).display().to_string())
        });
        let files: Vec<String> = files.collect::<Result<_, Error>>()?;
        let files = self.with_dependencies_then(files, &repository, &checkout)?;
        let what = Sources {
            files: &files,
            ..self.sources
        };
        let program = Program::load(&what, self.machine, ProgramOutput::Nowhere, self.front)?;
        Ok(Earlier { program, checkout })
    }

    /// The files that are the project's own.
    ///
    /// # Errors
    /// If a dependency is not there.
    pub fn own_files(&self) -> Result<Vec<&'_ String>, Error> {
        let dependencies = self.project.dependencies(&**self.front)?;
        let files = self.sources.files.iter();
        Ok(files
            .filter(|file| !dependencies.hold(Path::new(file)))
            .collect())
    }

    /// Files of a revision behind the dependencies that the project had then.
    fn with_dependencies_then(
        &self,
        files: Vec<String>,
        repository: &Repository,
        checkout: &Checkout,
    ) -> Result<Vec<String>, Error> {
        let root = canonical(&Path::new(".").join(&self.project.root))?;
        let Ok(inner) = root.strip_prefix(&repository.root) else {
            return Ok(files);
        };
        // Settings that were not understood then named no dependencies.
        let Ok(then) = Project::of(&checkout.root().join(inner), &Quiet) else {
            return Ok(files);
        };
        let then = then.of_version(Some(Origin::of(checkout, &root)));
        then.with_dependencies(files, &**self.front)
    }
}

impl Earlier {
    /// What stands in front of the names of its files.
    pub fn prefix(&self) -> String {
        format!("{}/", self.checkout.root().display())
    }
}
