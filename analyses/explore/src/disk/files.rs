//! Files of an exploration: written once or appended to, each with its length and a digest.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use blake3::Hasher;
use serde::{Deserialize, Serialize};

/// Bytes that are read or written at once.
const BUFFER: usize = 1 << 16;
/// Bytes that are read at once of all files that are read together, and the least of each.
const BUFFERS: usize = 1 << 20;
const LEAST_BUFFER: usize = 1 << 12;

/// Why a file of states could not be used.
#[derive(Debug, Clone)]
pub struct StorageError {
    file: PathBuf,
    action: &'static str,
    why: String,
}

impl StorageError {
    fn new(file: &Path, action: &'static str, why: &io::Error) -> StorageError {
        StorageError {
            file: file.to_path_buf(),
            action,
            why: why.to_string(),
        }
    }

    /// An error that says how a file could not be written.
    pub(super) fn writing(file: &Path) -> impl Fn(io::Error) -> StorageError {
        |why| StorageError::new(file, "write", &why)
    }

    /// An error that says how a file could not be read.
    pub(super) fn reading(file: &Path) -> impl Fn(io::Error) -> StorageError {
        |why| StorageError::new(file, "read", &why)
    }

    /// The folder is a link, or something else that is no folder.
    pub(super) fn is_no_folder(folder: &Path) -> StorageError {
        let why = io::Error::other("it is no folder of its own");
        StorageError::new(folder, "use", &why)
    }

    /// The file says what no exploration writes.
    pub(crate) fn is_damaged(file: &Path) -> StorageError {
        StorageError::new(file, "read", &io::Error::other("it is damaged"))
    }

    /// There are more states than numbers for them.
    pub(super) fn is_full(folder: &Path) -> StorageError {
        let why = io::Error::other("there are more than 2^32 states");
        StorageError::new(folder, "use", &why)
    }

    /// Another exploration uses the folder.
    pub(super) fn is_used(folder: &Path) -> StorageError {
        let why = io::Error::other("another exploration of this program goes on there");
        StorageError::new(folder, "use", &why)
    }
}

impl fmt::Display for StorageError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StorageError { file, action, why } = self;
        write!(out, "cannot {action} {}: {why}", file.display())
    }
}

impl std::error::Error for StorageError {}

/// What is known of a whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// Its name in the folder.
    pub(super) name: String,
    /// Its length in bytes.
    pub(super) length: u64,
    digest: String,
}

impl Stored {
    /// Whether the first bytes of the file are these. A longer file is cut: a run that was killed has gone on.
    pub(super) fn is_whole(&self, folder: &Path) -> bool {
        // A name from a file could lead out of the folder.
        let file = folder.join(&self.name);
        if file.parent() != Some(folder) || file.file_name() != Some(self.name.as_ref()) {
            return false;
        }
        let digest = self.read_digest(&file);
        digest.is_ok_and(|hasher| hasher.finalize().to_hex().as_str() == self.digest)
    }

    /// The digest of its first bytes.
    fn read_digest(&self, file: &Path) -> io::Result<Hasher> {
        let mut hasher = Hasher::new();
        if !is_own_file(file) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let file = OpenOptions::new().read(true).write(true).open(file)?;
        if file.metadata()?.len() < self.length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        file.set_len(self.length)?;
        hasher.update_reader(file)?;
        Ok(hasher)
    }
}

/// A file that is written from its beginning to its end, or further.
#[derive(Debug)]
pub(super) struct Sink {
    path: PathBuf,
    name: String,
    writer: BufWriter<File>,
    hasher: Hasher,
    length: u64,
}

impl Sink {
    /// An empty file.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub(super) fn new(folder: &Path, name: String) -> Result<Sink, StorageError> {
        let path = folder.join(&name);
        let file = new_file(&path).map_err(StorageError::writing(&path))?;
        Ok(Sink {
            writer: BufWriter::with_capacity(BUFFER, file),
            hasher: Hasher::new(),
            length: 0,
            path,
            name,
        })
    }

    /// A file that goes on.
    ///
    /// # Errors
    ///
    /// It cannot be read or written.
    pub(super) fn opened(folder: &Path, stored: &Stored) -> Result<Sink, StorageError> {
        let path = folder.join(&stored.name);
        let hasher = stored.read_digest(&path);
        let hasher = hasher.map_err(StorageError::reading(&path))?;
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(StorageError::writing(&path))?;
        Ok(Sink {
            writer: BufWriter::with_capacity(BUFFER, file),
            hasher,
            length: stored.length,
            name: stored.name.clone(),
            path,
        })
    }

    /// Its name in the folder.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its length in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        let written = self.writer.write_all(bytes);
        written.map_err(StorageError::writing(&self.path))
    }

    /// What is known of the file, which is whole so far.
    ///
    /// # Errors
    ///
    /// Its last bytes cannot be written.
    pub(super) fn stored(&mut self) -> Result<Stored, StorageError> {
        let flushed = self.writer.flush();
        flushed.map_err(StorageError::writing(&self.path))?;
        Ok(Stored {
            name: self.name.clone(),
            length: self.length,
            digest: self.hasher.finalize().to_hex().to_string(),
        })
    }
}

/// A file that is read from its beginning on.
#[derive(Debug)]
pub(super) struct Source {
    path: PathBuf,
    reader: BufReader<File>,
}

impl Source {
    /// Opens a file.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn new(folder: &Path, name: &str) -> Result<Source, StorageError> {
        Source::one_of(1, folder, name)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens one of several files that are read together.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn one_of(count: usize, folder: &Path, name: &str) -> Result<Source, StorageError> {
        let path = folder.join(name);
        let file = File::open(&path).map_err(StorageError::reading(&path))?;
        let buffer = (BUFFERS / count).clamp(LEAST_BUFFER, BUFFER);
        Ok(Source {
            reader: BufReader::with_capacity(buffer, file),
            path,
        })
    }

    /// Reads bytes from here on.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub(super) fn read(&mut self, bytes: &mut [u8]) -> Result<(), StorageError> {
        let read = self.reader.read_exact(bytes);
        read.map_err(StorageError::reading(&self.path))
    }

    /// Reads a number.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn read_u32(&mut self) -> Result<u32, StorageError> {
        let mut bytes = [0; 4];
        self.read(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Reads a key or a fingerprint.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn read_u128(&mut self) -> Result<u128, StorageError> {
        let mut bytes = [0; 16];
        self.read(&mut bytes)?;
        Ok(u128::from_le_bytes(bytes))
    }

    /// Goes to a byte.
    ///
    /// # Errors
    ///
    /// The file cannot be read there.
    pub(super) fn go_to(&mut self, byte: u64) -> Result<(), StorageError> {
        let found = self.reader.seek(SeekFrom::Start(byte));
        found.map_err(StorageError::reading(&self.path))?;
        Ok(())
    }
}

/// Makes a file in place of one that is there. What a link leads to stays as it is.
pub(super) fn new_file(path: &Path) -> io::Result<File> {
    if let Ok(facts) = fs::symlink_metadata(path) {
        match facts.is_dir() {
            true => fs::remove_dir_all(path)?,
            false => fs::remove_file(path)?,
        }
    }
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Whether this is a file, and no link to one.
pub(super) fn is_own_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file())
}

/// Removes files of the folder but these, and those that begin with a point.
pub(super) fn keep_only(folder: &Path, kept: &[&str]) {
    let entries = fs::read_dir(folder).into_iter().flatten();
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_kept = name
            .to_str()
            .is_none_or(|name| name.starts_with('.') || kept.contains(&name));
        if !is_kept {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            // What stays takes room, and nothing else.
            let _ = match is_folder {
                true => fs::remove_dir_all(entry.path()),
                false => fs::remove_file(entry.path()),
            };
        }
    }
}
