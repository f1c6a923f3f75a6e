//! The folder `.tally`: what the command remembers of a project from one call to the next. It can be deleted at any time,
//! and ignores itself in git.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::replace::replace_file;

const FOLDER: &str = ".tally";

/// What is remembered of the project in a folder.
pub struct Workspace {
    folder: PathBuf,
}

impl Workspace {
    /// That of the project with this root.
    pub fn of(root: &Path) -> Workspace {
        Workspace {
            folder: root.join(FOLDER),
        }
    }

    /// Whether anything was ever remembered.
    pub fn exists(&self) -> bool {
        self.folder.is_dir()
    }

    /// What was remembered under a name; `None` if nothing was, or it cannot be read.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.folder.join(name)).ok()
    }

    /// Where something is under a name.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Makes the folder if there is none.
    pub fn prepare(&self) -> io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let ignore = self.folder.join(".gitignore");
        match ignore.exists() {
            true => Ok(()),
            false => replace_file(&ignore, b"*\n", None),
        }
    }

    /// Stores bytes under a name, in place of earlier bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.prepare()?;
        let path = self.folder.join(name);
        let old = std::fs::metadata(&path).ok();
        replace_file(&path, bytes, old.as_ref())
    }
}
