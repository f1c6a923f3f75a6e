//! A version's files in a folder that goes away, in which the current folder has its place.

use std::fs;
use std::path::{Path, PathBuf};

use super::git::{self, Revision};
use super::repository::{Repository, Version};
use crate::embedder::{Front, warnings_to};
use crate::error::{Error, ErrorKind};
use crate::files::temporary::TemporaryFolder;

/// What the names of such folders begin with.
pub const NAME: &str = "tally-version";

/// A version's files.
pub struct Checkout {
    /// Goes away with it.
    _folder: TemporaryFolder,
    root: PathBuf,
    place: PathBuf,
    /// The top folder of the repository that it is of.
    repository: PathBuf,
}

impl Checkout {
    /// A version's files.
    pub fn of_version(
        repository: &Repository,
        version: &Version,
        front: &Front,
    ) -> Result<Checkout, Error> {
        match version {
            Version::WorkTree => Checkout::of_work_tree(repository, front),
            Version::Revision(revision) => Checkout::of(repository, revision, front),
        }
    }

    /// Copies the files of the work tree, but for those that git ignores.
    fn of_work_tree(repository: &Repository, front: &Front) -> Result<Checkout, Error> {
        let (folder, root) = empty(front)?;
        git::copy_work_tree(&repository.root, &root)?;
        Checkout::new(folder, root, repository, "the work tree")
    }

    /// Exports a revision.
    pub fn of(
        repository: &Repository,
        revision: &Revision,
        front: &Front,
    ) -> Result<Checkout, Error> {
        let (folder, root) = empty(front)?;
        let export = git::export(&repository.root, &revision.commit.0, &root)?;
        for submodule in export.submodules {
            front.warn(&format!(
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
    ) -> Result<Checkout, Error> {
        let place = root.join(&repository.place);
        let missing = repository.place.display();
        match fs::metadata(&place) {
            Ok(facts) if facts.is_dir() => {}
            Err(error) if !is_absence(&error) => {
                return Err(Error::io("read", &place.display().to_string(), &error));
            }
            _ => {
                let why = format!("the folder {missing} is not in {name}");
                return Err(Error::new(ErrorKind::Incomparable, why));
            }
        }
        Ok(Checkout {
            _folder: folder,
            root,
            place,
            repository: repository.root.clone(),
        })
    }

    /// Where the current folder is in it.
    pub fn folder(&self) -> &Path {
        &self.place
    }

    /// Where the repository's top is in it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The top folder of the repository that it is of.
    pub fn repository(&self) -> &Path {
        &self.repository
    }
}

/// Whether an error says that there is no such folder; any other says nothing of the version.
fn is_absence(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// A folder that goes away, and where in it files are to be put.
fn empty(front: &Front) -> Result<(TemporaryFolder, PathBuf), Error> {
    let failed = |error: std::io::Error| Error::io("make", "a temporary folder", &error);
    let folder = TemporaryFolder::new(NAME).map_err(failed)?;
    let folder = folder.telling(warnings_to(front));
    // Nothing outside of the version is taken for a part of the project.
    fs::create_dir(folder.path().join(".git")).map_err(failed)?;
    let root = folder.path().join("tree");
    fs::create_dir(&root).map_err(failed)?;
    Ok((folder, root))
}
