//! The project as it was in a revision: exported into a folder of its own, and compiled there.

use std::path::{Path, PathBuf};

use super::session::Session;
use crate::exit::{Exit, Failure};
use crate::git;
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::temporary::TemporaryFolder;

/// A program that is loaded from a revision's files and has not run.
pub(super) struct Earlier {
    pub(super) program: Program,
    folder: TemporaryFolder,
}

impl Earlier {
    /// What the session has loaded, as it was in a revision of the repository that the path is in.
    pub(super) fn of(
        session: &Session<'_>,
        revision: &str,
        path: &Path,
    ) -> Result<Earlier, Failure> {
        let root = canonical(&git::repository_root(path)?)?;
        let folder = TemporaryFolder::new("tally-earlier")
            .map_err(|error| Failure::io("make", "a temporary folder", &error))?;
        git::export(&root, revision, folder.path())?;
        let files = session.files.iter().map(|file| {
            let whole = canonical(Path::new(file))?;
            let inner = whole.strip_prefix(&root).map_err(|_| {
                let why = format!("{file} is outside of the repository");
                Failure::new(Exit::Usage, why)
            })?;
            Ok(folder.path().join(inner).display().to_string())
        });
        let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
        let arguments = session.arguments;
        let program = Program::load(
            &files,
            None,
            arguments.arguments.clone(),
            &arguments.machine,
            ProgramOutput::Nowhere,
        )?;
        Ok(Earlier { program, folder })
    }

    /// What stands in front of the names of its files.
    pub(super) fn prefix(&self) -> String {
        format!("{}/", self.folder.path().display())
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let whole = path.canonicalize();
    whole.map_err(|error| Failure::io("find", &path.display().to_string(), &error))
}
