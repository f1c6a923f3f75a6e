//! A damaged store is set aside, and a new one takes its place. No other process may have it open then: its writes to the open
//! file after the renaming could reach the new one. So a process that has the store open holds a lock on a file beside it.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::database::Database;
use super::error::StoreError;
use crate::files::replace::is_free;

/// How long others may have a damaged store open.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most damaged stores that are kept.
const MOST_DAMAGED: usize = 1000;

/// The file that says that the store is in use, while it is locked.
pub struct InUse {
    _file: Option<File>,
}

impl InUse {
    /// Says that the store is in use. Without a lock file, renaming fails too, or no other process runs.
    pub fn say(lock: &Path) -> Result<InUse, StoreError> {
        let Ok(file) = open(lock) else {
            return Ok(InUse { _file: None });
        };
        wait(|| file.try_lock_shared())?;
        Ok(InUse { _file: Some(file) })
    }

    /// Waits until no other process uses the store.
    fn alone(lock: &Path) -> Result<InUse, StoreError> {
        let file = open(lock)?;
        wait(|| file.try_lock())?;
        Ok(InUse { _file: Some(file) })
    }
}

fn open(lock: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(lock)
}

fn wait(mut lock: impl FnMut() -> Result<(), TryLockError>) -> Result<(), StoreError> {
    let start = Instant::now();
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy),
            // A file system without locks is one that others do not share.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Sets a damaged store aside, if it is still damaged when no other process uses it. Answers its new name.
pub(super) fn set_aside(store: &Path, lock: &Path) -> Result<Option<String>, StoreError> {
    let _alone = InUse::alone(lock)?;
    let is_whole = |database: &Database| matches!(database.complaint(), Ok(None));
    // Another process may have found it first.
    match Database::open_existing(store) {
        Ok(database) if is_whole(&database) => return Ok(None),
        Err(error @ (StoreError::Version(_) | StoreError::Busy)) => return Err(error),
        _ => {}
    }
    let (name, aside) = free_name(store)?;
    std::fs::rename(store, &aside)?;
    // What was not finished belongs to the damaged store; the new one must not take it for its own.
    for suffix in ["-journal", "-wal", "-shm"] {
        match std::fs::rename(with_suffix(store, suffix), with_suffix(&aside, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(Some(name))
}

fn free_name(store: &Path) -> Result<(String, PathBuf), StoreError> {
    let free = (1..=MOST_DAMAGED)
        .map(|number| with_suffix(store, &format!(".damaged-{number}")))
        .find(|path| is_free(path));
    let path = free.ok_or_else(|| {
        StoreError::Failed("there are too many damaged stores in .tally already".to_string())
    })?;
    let name = path.file_name().unwrap_or_default();
    Ok((name.to_string_lossy().into_owned(), path))
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
