//! The project as it was in a revision: exported into a folder of its own, and compiled there.

use std::path::Path;

use crate::embedder::{Front, ProgramOutput};
use crate::error::{Error, ErrorKind};
use crate::loading::{MachineSettings, Program, Sources};
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
        let files = self.sources.files.iter().map(|file| {
            let whole = canonical(&self.sources.folder.join(file))?;
            let inner = whole.strip_prefix(&repository.root).map_err(|_| {
                let why = format!("{file} is outside of the repository");
                Error::new(ErrorKind::Usage, why)
            })?;
            Ok(checkout.root().join(inner).display().to_string())
        });
        let files: Vec<String> = files.collect::<Result<_, Error>>()?;
        let what = Sources {
            files: &files,
            ..self.sources
        };
        let program = Program::load(&what, self.machine, ProgramOutput::Nowhere, self.front)?;
        Ok(Earlier { program, checkout })
    }
}

impl Earlier {
    /// What stands in front of the names of its files.
    pub fn prefix(&self) -> String {
        format!("{}/", self.checkout.root().display())
    }
}
