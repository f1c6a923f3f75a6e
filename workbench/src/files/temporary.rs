//! Folders that go away with their owners.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::embedder::Tell;

const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder that no other process uses.
pub struct TemporaryFolder {
    path: PathBuf,
    /// Who gets a warning if it cannot be removed.
    tell: Option<Tell>,
}

impl TemporaryFolder {
    /// An empty one, whose name begins so.
    pub fn new(name: &str) -> io::Result<TemporaryFolder> {
        TemporaryFolder::new_in(&std::env::temp_dir(), name)
    }

    /// An empty one in a folder, for what is moved to a place beside it when it is whole.
    pub fn new_in(base: &Path, name: &str) -> io::Result<TemporaryFolder> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let base = base.canonicalize()?;
        let process = std::process::id();
        for _ in 0..100 {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = base.join(format!("{name}-{process}-{number}"));
            match private_folder(&folder) {
                Ok(()) => {
                    return Ok(TemporaryFolder {
                        path: folder,
                        tell: None,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Removes what processes have left behind that were killed, whose folders' names begin so.
    pub fn sweep(name: &str) {
        TemporaryFolder::sweep_in(&std::env::temp_dir(), name);
    }

    /// The same in a folder.
    pub fn sweep_in(base: &Path, name: &str) {
        let entries = fs::read_dir(base).into_iter().flatten();
        for entry in entries.flatten() {
            let file_name = entry.file_name();
            let owner = file_name.to_str().and_then(|text| owner(text, name));
            // Its owner may be another user, whose folder stays, or a process that this one cannot see.
            let is_old = entry.metadata().is_ok_and(|facts| is_old(&facts));
            if is_old && owner.is_some_and(is_gone) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// The same folder, with a function that receives a warning if the folder cannot be removed.
    #[must_use]
    pub fn telling(mut self, tell: Tell) -> TemporaryFolder {
        self.tell = Some(tell);
        self
    }

    /// Its location.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The process that made a folder of this name.
fn owner(file_name: &str, name: &str) -> Option<u32> {
    let rest = file_name.strip_prefix(name)?.strip_prefix('-')?;
    let (process, number) = rest.split_once('-')?;
    number.parse::<u32>().ok()?;
    process.parse().ok()
}

/// Whether nothing was made there for a day.
fn is_old(facts: &fs::Metadata) -> bool {
    let age = facts.modified().ok().and_then(|time| time.elapsed().ok());
    age.is_some_and(|age| age > A_DAY)
}

/// Whether there is no such process any more, as far as the system shows.
pub fn is_gone(process: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if fs::remove_dir_all(&self.path).is_ok() {
            return;
        }
        make_writable(&self.path);
        if let Err(error) = fs::remove_dir_all(&self.path)
            && let Some(tell) = &self.tell
        {
            let folder = self.path.display();
            tell(&format!("{folder} could not be removed: {error}"));
        }
    }
}

/// A program may have removed the right to write from folders. Without that right their files cannot be removed.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_behind_is_known_by_its_name() {
        assert_eq!(owner("tally-measure-12-0", "tally-measure"), Some(12));
        for other in [
            "tally-measure",
            "tally-measure-12",
            "tally-measure-x-0",
            "tally-measure-12-0-1",
            "other-12-0",
        ] {
            assert_eq!(owner(other, "tally-measure"), None, "{other}");
        }
        assert!(!is_gone(std::process::id()));
    }
}
