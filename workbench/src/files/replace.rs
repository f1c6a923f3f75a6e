//! Files that replace others. A file is written beside the old one and renamed, so that a reader never sees half of a file. A process
//! that is killed leaves its file there; the next process that writes to the folder removes it.

use std::collections::BTreeSet;
use std::fs::{self, File, Metadata, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::files::temporary::is_gone;

/// The beginning and end of the names of incomplete files. Many tools ignore files with this end.
const START: &str = ".tally-";
const END: &str = ".tmp";
/// A younger file may belong to a process that is invisible from here.
const A_MINUTE: Duration = Duration::from_secs(60);

/// Replaces the file at the path, or at the end of its links. A device or a pipe gets the bytes unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match std::fs::metadata(path) {
        Ok(old) if old.is_file() => replace_file(&path.canonicalize()?, bytes, Some(&old)),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            replace_file(path, bytes, None)
        }
        _ => std::fs::write(path, bytes),
    }
}

/// Writes a file beside the one it is to replace, which may be missing, and renames it.
pub fn replace_file(path: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    sweep(folder);
    let (beside, file) = new_file(folder)?;
    let written = fill(file, bytes, old).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // The first error is the one to report, not that of the removal.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// A file that grows under a name of its own, and then replaces another one. If the process is killed, what was written stays there.
#[derive(Debug)]
pub struct GrowingFile {
    /// The file that it is to replace.
    path: PathBuf,
    /// Its own name, until it is complete.
    beside: Option<PathBuf>,
}

impl GrowingFile {
    /// Begins a file that is to replace the one at the path, or at the end of its links. It is named as that one with `.partial`
    /// behind.
    ///
    /// # Errors
    /// The file cannot be made, or another process is writing it (`WouldBlock`), or there is something else than a file.
    pub fn begin(path: &Path) -> io::Result<(GrowingFile, File)> {
        let path = match fs::metadata(path) {
            Ok(old) if old.is_file() => path.canonicalize()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_path_buf(),
            Err(error) => return Err(error),
            Ok(old) if old.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(_) => {
                let why = "it is no file that can be read again";
                return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
            }
        };
        let mut name = path.clone().into_os_string();
        name.push(".partial");
        let beside = PathBuf::from(name);
        if fs::symlink_metadata(&beside).is_ok_and(|facts| !facts.is_file()) {
            let why = format!("{} is no file", beside.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&beside)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                io::Error::new(io::ErrorKind::WouldBlock, "another process is writing it")
            }
            TryLockError::Error(error) => error,
        })?;
        file.set_len(0)?;
        let growing = GrowingFile {
            path,
            beside: Some(beside),
        };
        Ok((growing, file))
    }

    /// Where it stands until it is complete.
    pub fn place(&self) -> &Path {
        self.beside.as_deref().unwrap_or(&self.path)
    }

    /// The file is complete, and replaces the other one.
    ///
    /// # Errors
    /// It cannot be renamed. Then it stays under its own name.
    pub fn complete(mut self) -> io::Result<()> {
        let Some(beside) = self.beside.take() else {
            return Ok(());
        };
        if let Ok(old) = fs::metadata(&self.path) {
            fs::set_permissions(&beside, old.permissions())?;
        }
        fs::rename(beside, &self.path)
    }
}

impl Drop for GrowingFile {
    fn drop(&mut self) {
        if let Some(beside) = self.beside.take() {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Whether nothing has this name. What cannot be looked at may have it.
pub fn is_free(path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// A new file in a folder, under a name that no other process uses.
fn new_file(folder: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0..100 {
        let path = folder.join(format!("{START}{process}-{number}{END}"));
        match File::create_new(&path) {
            Ok(file) => return Ok((path, file)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

fn fill(mut file: File, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    file.write_all(bytes)?;
    match old {
        Some(old) => file.set_permissions(old.permissions()),
        None => Ok(()),
    }
}

/// Removes what processes have left in a folder that were killed while they wrote. Each folder is looked at once.
fn sweep(folder: &Path) {
    static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut swept = SWEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !swept.insert(folder.to_path_buf()) {
        return;
    }
    let here = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    for entry in fs::read_dir(here).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(owner);
        if owner.is_some_and(is_gone) && entry.metadata().is_ok_and(|facts| is_old(&facts)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that writes, or wrote, a file of this name.
fn owner(name: &str) -> Option<u32> {
    let inner = name.strip_prefix(START)?.strip_suffix(END)?;
    let (process, number) = inner.split_once('-')?;
    number.parse::<u32>().ok()?;
    process.parse().ok()
}

fn is_old(facts: &Metadata) -> bool {
    let age = facts.modified().ok().and_then(|time| time.elapsed().ok());
    facts.is_file() && age.is_some_and(|age| age > A_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_complete_is_known_by_its_name() {
        assert_eq!(owner(".tally-12-0.tmp"), Some(12));
        for other in [
            ".tally",
            ".tally-12-0",
            ".tally-x-0.tmp",
            "tally-12-0.tmp",
            ".tally-12.tmp",
        ] {
            assert_eq!(owner(other), None, "{other}");
        }
    }
}
