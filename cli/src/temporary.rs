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
        if let Err(error) = fs::remove_dir_all(&self.0) {
            let folder = self.0.display();
            console::warning(&format!("{folder} could not be removed: {error}"));
        }
    }
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
