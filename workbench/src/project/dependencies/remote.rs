//! Commits of other repositories, each fetched once into the project's folder `.tally`. What is there is whole: it is written
//! beside its place and renamed. A commit does not change, so nothing is fetched again.

use std::path::PathBuf;

use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::files::temporary::TemporaryFolder;
use crate::project::workspace::Workspace;
use crate::revisions::git;

/// The folder for them in the workspace.
const FOLDER: &str = "dependencies";
/// What the names of folders begin with that are not whole yet. They are hidden.
const FETCHING: &str = ".fetching";

/// The folder with the files of a commit.
pub(super) fn folder(
    workspace: &Workspace,
    name: &str,
    url: &str,
    commit: &str,
    front: &dyn Embedder,
) -> Result<PathBuf, Error> {
    let all = workspace.path(FOLDER);
    let folder = all.join(format!("{name}-{commit}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let making = |error| Error::io("make", &all.display().to_string(), &error);
    workspace.prepare().map_err(making)?;
    std::fs::create_dir_all(&all).map_err(making)?;
    TemporaryFolder::sweep_in(&all, FETCHING);
    let beside = TemporaryFolder::new_in(&all, FETCHING).map_err(making)?;
    front.show(&format!("fetching {name} from {url}\n"));
    let clone = beside.path().join("clone");
    git::fetch(url, commit, &clone)?;
    let files = beside.path().join("files");
    let export = git::export(&clone, commit, &files)?;
    if export.commit.0 != commit {
        let why = format!("{commit} was requested, and {} came", export.commit.0);
        return Err(Error::new(ErrorKind::Io, why));
    }
    for submodule in export.submodules {
        let submodule = submodule.display();
        front.warn(&format!(
            "dependency {name}: {submodule} is a submodule, which is left out"
        ));
    }
    match std::fs::rename(&files, &folder) {
        Ok(()) => Ok(folder),
        // Another process was first with the same files.
        Err(_) if folder.is_dir() => Ok(folder),
        Err(error) => Err(Error::io("write", &folder.display().to_string(), &error)),
    }
}
