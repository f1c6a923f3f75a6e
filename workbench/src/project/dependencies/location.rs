//! The folder of a dependency's files. For a version of the project that is in a folder of its own, what lies inside of the
//! repository is the version's, and what lies outside is taken from beside the user's project.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::remote;
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::project::settings::dependency::{Dependency, Place};
use crate::project::workspace::Workspace;
use crate::revisions::Checkout;

/// Where a version comes from whose files are in a folder of their own. Its paths are whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The folder of the version's files.
    pub top: PathBuf,
    /// The top folder of the user's repository.
    pub repository: PathBuf,
    /// The folder of the user's project, which keeps what was fetched.
    pub project: PathBuf,
}

impl Origin {
    /// That of a version of the project in a folder.
    pub fn of(checkout: &Checkout, project: &Path) -> Origin {
        Origin {
            top: checkout.root().to_path_buf(),
            repository: checkout.repository().to_path_buf(),
            project: project.to_path_buf(),
        }
    }
}

/// The project whose dependencies are looked for.
pub(super) struct Project<'p> {
    pub(super) root: &'p Path,
    pub(super) origin: Option<&'p Origin>,
}

impl Project<'_> {
    /// The folder of a dependency's files. A commit is fetched if it is not yet there.
    pub(super) fn folder(
        &self,
        dependency: &Dependency,
        front: &dyn Embedder,
    ) -> Result<PathBuf, Error> {
        match &dependency.place {
            Place::Folder(path) => {
                let folder = self.beside(path)?;
                match folder.is_dir() {
                    true => Ok(folder),
                    false => {
                        let why = format!("there is no folder {}", folder.display());
                        Err(Error::new(ErrorKind::Usage, why))
                    }
                }
            }
            Place::Commit { url, commit } => {
                let root = self.origin.map_or(self.root, |origin| &origin.project);
                let workspace = Workspace::of(root);
                remote::folder(&workspace, &dependency.name, url, commit, front)
            }
        }
    }

    /// The folder that a path from the project's folder leads to.
    fn beside(&self, path: &Path) -> Result<PathBuf, Error> {
        let folder = self.root.join(path);
        let Some(origin) = self.origin else {
            return Ok(folder);
        };
        let whole = |path: &Path| {
            let whole = path.canonicalize();
            whole.map_err(|error| Error::io("find", &path.display().to_string(), &error))
        };
        // An empty path is the current folder.
        let root = whole(&Path::new(".").join(self.root))?;
        let top = whole(&origin.top)?;
        let inner = root.strip_prefix(&top).unwrap_or(Path::new(""));
        match is_inside(inner, path) {
            true => Ok(folder),
            false => Ok(plain(&origin.repository.join(inner).join(path))),
        }
    }
}

/// Whether a path from a place in a folder stays in the folder.
fn is_inside(place: &Path, path: &Path) -> bool {
    let mut depth = 0_usize;
    for part in place.components().chain(path.components()) {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    true
}

/// A path without `..`, so that a folder has one name however it is reached.
fn plain(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    //! Which paths lead out of a version.

    use super::*;

    #[test]
    fn a_path_leads_out_if_it_leaves_the_top_at_any_point() {
        let cases = [
            ("", "../stones", false),
            ("", "stones", true),
            ("", "./a/../stones", true),
            ("lib/app", "../stones", true),
            ("lib/app", "../../stones", true),
            ("lib/app", "../../../stones", false),
            ("lib", "../../repository/stones", false),
        ];
        for (place, path, expected) in cases {
            let found = is_inside(Path::new(place), Path::new(path));
            assert_eq!(found, expected, "{path} from {place}");
        }
    }
}
