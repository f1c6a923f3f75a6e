//! A copy of a project in a temporary folder, which goes away with its owner.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::files::temporary::TemporaryFolder;

/// Our own cache; it says nothing about the project.
const CACHE: &str = ".tally";
/// But for what was fetched, which the copy would fetch again.
const FETCHED: &str = ".tally/dependencies";
const REPOSITORY: &str = ".git";

/// A folder of its own with a copy of a project.
pub(super) struct Copy {
    folder: TemporaryFolder,
}

impl Copy {
    /// Copies everything below a folder, as far as it can have to do with the project: files with their times and rights,
    /// links; no sockets, pipes or devices.
    pub(super) fn of(root: &Path, is_over: &dyn Fn() -> bool) -> Result<Copy, Failure> {
        let folder = TemporaryFolder::new("tally-self-test")
            .map_err(|error| Failure::io("make", "a temporary folder", &error))?;
        let copy = Copy { folder };
        let copying = Copying {
            root,
            to: copy.path(),
        };
        let mut waiting = vec![PathBuf::new()];
        if root.join(FETCHED).is_dir() {
            let failed = |error: io::Error| Failure::io("copy", FETCHED, &error);
            fs::create_dir_all(copying.to.join(FETCHED)).map_err(failed)?;
            waiting.push(PathBuf::from(FETCHED));
        }
        while let Some(inner) = waiting.pop() {
            if is_over() {
                return Err(Failure::silent(Exit::Interrupted));
            }
            waiting.extend(copying.folder(&inner)?);
        }
        Ok(copy)
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

struct Copying<'c> {
    root: &'c Path,
    to: &'c Path,
}

impl Copying<'_> {
    /// Copies what stands directly in a folder, and answers the folders in it. The folder itself is there.
    fn folder(&self, inner: &Path) -> Result<Vec<PathBuf>, Failure> {
        let failed = |error: io::Error| Failure::io("copy", &inner.to_string_lossy(), &error);
        let mut folders = Vec::new();
        for entry in fs::read_dir(self.root.join(inner)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = inner.join(entry.file_name());
            let failed = |error: io::Error| Failure::io("copy", &path.to_string_lossy(), &error);
            if self.is_left_out(&entry).map_err(failed)? {
                continue;
            }
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                fs::create_dir(self.to.join(&path)).map_err(failed)?;
                folders.push(path);
            } else if kind.is_symlink() {
                self.link(&path).map_err(failed)?;
            } else if kind.is_file() {
                self.file(&path).map_err(failed)?;
            }
        }
        Ok(folders)
    }

    /// A `.git` that is a file leads to a repository which must not see what happens in the copy.
    fn is_left_out(&self, entry: &fs::DirEntry) -> io::Result<bool> {
        let name = entry.file_name();
        let is_linked_repository = name == REPOSITORY && !entry.file_type()?.is_dir();
        Ok(name == CACHE || is_linked_repository || entry.path() == self.to)
    }

    /// The time stays what it was, for `make` and its like.
    fn file(&self, path: &Path) -> io::Result<()> {
        let (from, to) = (self.root.join(path), self.to.join(path));
        let facts = fs::metadata(&from)?;
        fs::copy(&from, &to)?;
        let rights = fs::metadata(&to)?.permissions();
        if rights.readonly() {
            return Ok(());
        }
        match facts.modified() {
            Ok(time) => fs::File::options()
                .write(true)
                .open(&to)?
                .set_modified(time),
            // Some systems know no times.
            Err(_) => Ok(()),
        }
    }

    #[cfg(unix)]
    fn link(&self, path: &Path) -> io::Result<()> {
        let target = fs::read_link(self.root.join(path))?;
        std::os::unix::fs::symlink(self.moved(path, target), self.to.join(path))
    }

    /// Where links need a privilege, what they lead to is copied if it is a file.
    #[cfg(not(unix))]
    fn link(&self, path: &Path) -> io::Result<()> {
        match fs::metadata(self.root.join(path))?.is_file() {
            true => self.file(path),
            false => Ok(()),
        }
    }

    /// Where a link of the copy has to lead: what is in the project is in the copy, what is outside stays where it is.
    fn moved(&self, link: &Path, target: PathBuf) -> PathBuf {
        if let Ok(inner) = target.strip_prefix(self.root) {
            return self.to.join(inner);
        }
        if target.is_absolute() {
            return target;
        }
        let folder = link.parent().unwrap_or(Path::new(""));
        match leads_out(folder, &target) {
            true => self.root.join(folder).join(target),
            false => target,
        }
    }
}

/// Whether a path that begins in a folder of the project leaves it.
fn leads_out(folder: &Path, target: &Path) -> bool {
    let mut depth = folder.components().count();
    for part in target.components() {
        match part {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            Component::CurDir => {}
            Component::Normal(_) | Component::RootDir | Component::Prefix(_) => depth += 1,
        }
    }
    false
}
