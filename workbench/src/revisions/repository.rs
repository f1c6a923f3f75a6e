//! The repository that a folder is in, and what the names of versions mean there.

use std::path::{Path, PathBuf};

use super::git::{self, Commit, Revision};
use crate::error::{Error, ErrorKind};

/// What the version in the user's folder is called.
pub const WORK_TREE: &str = "WORKTREE";
/// What stands before the name of a revision to mean where the current one has left its line.
const MERGE_BASE: &str = "merge-base:";

/// A version of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// What is in the user's folder, committed or not.
    WorkTree,
    /// What was committed.
    Revision(Revision),
}

impl Version {
    /// It as people are shown it.
    pub fn name(&self) -> &str {
        match self {
            Version::WorkTree => "the work tree",
            Version::Revision(revision) => &revision.short,
        }
    }
}

/// The repository that the current folder is in.
pub struct Repository {
    /// Its top folder.
    pub root: PathBuf,
    /// The current folder below it.
    pub place: PathBuf,
}

impl Repository {
    /// The repository that the current folder is in.
    ///
    /// # Errors
    /// If it is in none.
    pub fn here() -> Result<Repository, Error> {
        let repository = Repository::of(Path::new("."))?;
        let here = canonical(Path::new("."))?;
        let place = here.strip_prefix(&repository.root).map(Path::to_path_buf);
        let place = place.map_err(|_| {
            let why = "the current folder is not in the work tree of its repository";
            Error::new(ErrorKind::Usage, why)
        })?;
        Ok(Repository {
            place,
            ..repository
        })
    }

    /// The repository that a file or a folder is in. Queries run in its top folder.
    pub fn of(path: &Path) -> Result<Repository, Error> {
        Ok(Repository {
            root: canonical(&git::repository_root(path)?)?,
            place: PathBuf::new(),
        })
    }

    /// The version that a name means: `WORKTREE`, `merge-base:REV`, or what git takes for a revision.
    pub fn version(&self, name: &str) -> Result<Version, Error> {
        if name == WORK_TREE {
            return Ok(Version::WorkTree);
        }
        let revision = match name.strip_prefix(MERGE_BASE) {
            None => git::revision(&self.root, name)?,
            Some(other) => {
                let ends = ["HEAD", other].map(|name| git::commit_of(&self.root, name));
                let [here, other] = ends;
                let Commit(base) = git::merge_base(&self.root, &here?, &other?)?;
                git::revision(&self.root, &base)?
            }
        };
        Ok(Version::Revision(revision))
    }
}

/// A path without links and `..`.
pub fn canonical(path: &Path) -> Result<PathBuf, Error> {
    let whole = path.canonicalize();
    whole.map_err(|error| Error::io("find", &path.display().to_string(), &error))
}
