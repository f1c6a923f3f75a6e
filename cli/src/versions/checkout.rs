//! A version's files in a folder that goes away, in which the current folder has its place.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Repository, Version};
use crate::console;
use crate::exit::{Exit, Failure};
use crate::git::{self, Revision};
use crate::temporary::TemporaryFolder;

/// What the names of such folders begin with.
pub(super) const NAME: &str = "tally-version";

/// A version's files.
pub(crate) struct Checkout {
    /// Goes away with it.
    _folder: TemporaryFolder,
    root: PathBuf,
    place: PathBuf,
}

impl Checkout {
    /// A version's files.
    pub(crate) fn of_version(
        repository: &Repository,
        version: &Version,
    ) -> Result<Checkout, Failure> {
        match version {
            Version::WorkTree => Checkout::of_work_tree(repository),
            Version::Revision(revision) => Checkout::of(repository, revision),
        }
    }

    /// Copies the files of the work tree, but for those that git ignores.
    fn of_work_tree(repository: &Repository) -> Result<Checkout, Failure> {
        let (folder, root) = empty()?;
        git::copy_work_tree(&repository.root, &root)?;
        Checkout::new(folder, root, repository, "the work tree")
    }

    /// Exports a revision.
    pub(crate) fn of(repository: &Repository, revision: &Revision) -> Result<Checkout, Failure> {
        let (folder, root) = empty()?;
        let export = git::export(&repository.root, &revision.commit.0, &root)?;
        for submodule in export.submodules {
            console::warning(&format!(
                "{} is a submodule, which is left out of {}",
                submodule.display(),
                revision.short
            ));
        }
        Checkout::new(folder, root, repository, &revision.short)
    }

    fn new(
        folder: TemporaryFolder,
        root: PathBuf,
        repository: &Repository,
        name: &str,
    ) -> Result<Checkout, Failure> {
        let place = root.join(&repository.place);
        let missing = repository.place.display();
        match fs::metadata(&place) {
            Ok(facts) if facts.is_dir() => {}
            Err(error) if !is_absence(&error) => {
                return Err(Failure::io("read", &place.display().to_string(), &error));
            }
            _ => {
                let why = format!("the folder {missing} is not in {name}");
                return Err(Failure::new(Exit::Incomparable, why));
            }
        }
        Ok(Checkout {
            _folder: folder,
            root,
            place,
        })
    }

    /// Where the current folder is in it.
    pub(crate) fn folder(&self) -> &Path {
        &self.place
    }

    /// Where the repository's top is in it.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}

/// Whether an error says that there is no such folder; any other says nothing of the version.
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// A folder that goes away, and where in it files are to be put.
fn empty() -> Result<(TemporaryFolder, PathBuf), Failure> {
    let failed = |error: std::io::Error| Failure::io("make", "a temporary folder", &error);
    let folder = TemporaryFolder::new(NAME).map_err(failed)?;
    // Nothing outside of the version is taken for a part of the project.
    fs::create_dir(folder.path().join(".git")).map_err(failed)?;
    let root = folder.path().join("tree");
    fs::create_dir(&root).map_err(failed)?;
    Ok((folder, root))
}
