//! The project as it was in a revision: exported into a folder of its own, and compiled there.

use std::path::Path;

use super::session::Session;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::program;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::Program;
use tally_workbench::revisions::git;
use tally_workbench::revisions::{Checkout, Repository, canonical};

/// A program that is loaded from a revision's files and has not run.
pub(super) struct Earlier {
    pub(super) program: Program,
    checkout: Checkout,
}

impl Earlier {
    /// What the session has loaded, as it was in a revision of the repository that the path is in.
    pub(super) fn of(
        session: &Session<'_>,
        revision: &str,
        path: &Path,
    ) -> Result<Earlier, Failure> {
        let repository = Repository::of(path)?;
        let checkout = Checkout::of(
            &repository,
            &git::revision(&repository.root, revision)?,
            &front(),
        )?;
        let files = session.files.iter().map(|file| {
            let whole = canonical(Path::new(file))?;
            let inner = whole.strip_prefix(&repository.root).map_err(|_| {
                let why = format!("{file} is outside of the repository");
                Failure::new(Exit::Usage, why)
            })?;
            Ok(checkout.root().join(inner).display().to_string())
        });
        let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
        let arguments = session.arguments;
        let program = program::load(
            &files,
            None,
            &arguments.arguments,
            &arguments.machine.settings(),
            ProgramOutput::Nowhere,
        )?;
        Ok(Earlier { program, checkout })
    }

    /// What stands in front of the names of its files.
    pub(super) fn prefix(&self) -> String {
        format!("{}/", self.checkout.root().display())
    }
}
