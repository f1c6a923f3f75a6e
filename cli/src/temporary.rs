//! Folders that go away with their owners.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::console;

/// A folder that nobody else uses.
#[derive(Debug)]
pub(crate) struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// An empty one, whose name begins so.
    pub(crate) fn new(name: &str) -> io::Result<TemporaryFolder> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let base = std::env::temp_dir().canonicalize()?;
        let process = std::process::id();
        for _ in 0..100 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = base.join(format!("{name}-{process}-{number}"));
            match private_folder(&folder) {
                Ok(()) => return Ok(TemporaryFolder(folder)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.0).is_ok() {
            return;
        }
        make_writable(&self.0);
        if let Err(error) = fs::remove_dir_all(&self.0) {
            let folder = self.0.display();
            console::warning(&format!("{folder} could not be removed: {error}"));
        }
    }
}

/// Whoever worked there may have taken the right to write from folders; without it their files cannot be removed.
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

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}
