//! A copy of a project in a temporary folder, which goes away with its owner.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::console;
use crate::exit::{Exit, Failure};

/// Our own cache; it says nothing about the project.
const CACHE: &str = ".tally";
const REPOSITORY: &str = ".git";

/// A folder that nobody else uses, with a project in it.
pub(super) struct Copy {
    folder: PathBuf,
}

impl Copy {
    /// Copies everything below a folder, as far as it can have to do with the project: files with their times and rights,
    /// links; no sockets, pipes or devices.
    pub(super) fn of(root: &Path, is_over: &dyn Fn() -> bool) -> Result<Copy, Failure> {
        let folder =
            new_folder().map_err(|error| Failure::io("make", "a temporary folder", &error))?;
        let copy = Copy { folder };
        let copying = Copying {
            root,
            to: &copy.folder,
        };
        let mut waiting = vec![PathBuf::new()];
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
        &self.folder
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.folder).is_err() {
            make_writable(&self.folder);
            if let Err(error) = fs::remove_dir_all(&self.folder) {
                let folder = self.folder.display();
                console::warning(&format!("{folder} could not be removed: {error}"));
            }
        }
    }
}

/// A command may have taken the right to write from folders; without it their files cannot be removed.
fn make_writable(folder: &Path) {
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let Ok(facts) = fs::symlink_metadata(&folder) else {
            continue;
        };
        if !facts.is_dir() {
            continue;
        }
        let mut rights = facts.permissions();
        allow_owner(&mut rights);
        // What does not help shows when the folder is removed.
        let _ = fs::set_permissions(&folder, rights);
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        waiting.extend(entries.map(|entry| entry.path()));
    }
}

#[cfg(unix)]
fn allow_owner(rights: &mut fs::Permissions) {
    use std::os::unix::fs::PermissionsExt as _;
    rights.set_mode(rights.mode() | 0o700);
}

#[cfg(not(unix))]
fn allow_owner(rights: &mut fs::Permissions) {
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "there are no others' rights here"
    )]
    rights.set_readonly(false);
}

fn new_folder() -> io::Result<PathBuf> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let base = std::env::temp_dir().canonicalize()?;
    let process = std::process::id();
    for _ in 0..100 {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = base.join(format!("tally-self-test-{process}-{number}"));
        match private_folder(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
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
