//! Reads the outside: in the same way for a program and for the check whether a program would read
//! the same again.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tally_profiler::{Input, InputKind};
use tally_vm::{FileFacts, FileKind};

use super::{Found, digest_of, standard_input};
use crate::files::digest::{Bytes, Digest, Fields};
use crate::outside::permissions::Permissions;

/// The contents of a file.
pub fn contents(place: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(place)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A file that is open for reading.
fn open(place: &Path) -> io::Result<File> {
    let metadata = std::fs::metadata(place)?;
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    // A device or a pipe may have no end.
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(place)
}

/// The names in a folder, sorted.
pub fn names(place: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(place)? {
        // A name that is no text cannot be said in the language.
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// What stands at a place that the program named by a path. How large a folder is, is the file system's affair.
pub fn facts(place: &Path, path: &Path) -> io::Result<FileFacts> {
    let metadata = std::fs::metadata(place)?;
    let kind = match metadata.file_type() {
        kind if kind.is_dir() => FileKind::Directory,
        kind if kind.is_file() => FileKind::File,
        _ => FileKind::Other,
    };
    let size = match kind {
        FileKind::File => metadata.len(),
        FileKind::Directory | FileKind::Other => 0,
    };
    Ok(FileFacts {
        kind,
        size,
        is_link: path.is_symlink(),
    })
}

/// When what stands at a place changed last.
pub fn modified(place: &Path) -> io::Result<i64> {
    let metadata = std::fs::metadata(place)?;
    Ok(metadata.modified().map_or(0, seconds_since_1970))
}

fn seconds_since_1970(time: SystemTime) -> i64 {
    let seconds = |duration: Duration| i64::try_from(duration.as_secs()).unwrap_or(i64::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => seconds(after),
        Err(before) => -seconds(before.duration()),
    }
}

/// Whether a file can be written at a place, as far as what stands there decides.
fn room(place: &Path) -> io::Result<()> {
    let found = match std::fs::metadata(place) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let above = place.parent().ok_or(io::ErrorKind::InvalidInput)?;
            return match above.as_os_str().is_empty() || std::fs::metadata(above)?.is_dir() {
                true => Ok(()),
                false => Err(io::ErrorKind::NotADirectory.into()),
            };
        }
        Err(error) => return Err(error),
    };
    match (found.is_file(), found.is_dir()) {
        (true, _) => Ok(()),
        (_, true) => Err(io::ErrorKind::IsADirectory.into()),
        _ => Err(io::ErrorKind::InvalidInput.into()),
    }
}

/// Digest of what is known of a file.
pub(super) fn digest_of_facts(facts: &FileFacts) -> Digest {
    let kind: &[u8] = match facts.kind {
        FileKind::File => b"file",
        FileKind::Directory => b"folder",
        FileKind::Other => b"other",
    };
    let size = facts.size.to_le_bytes();
    let mut fields = Fields::new("facts");
    fields.add(kind).add(&size).add(&[u8::from(facts.is_link)]);
    fields.digest()
}

/// Digest of names in their order.
pub(super) fn digest_of_names(names: &[String]) -> Digest {
    let mut fields = Fields::new("names");
    for name in names {
        fields.add(name.as_bytes());
    }
    fields.digest()
}

/// What stands for not being able to look.
pub(super) fn digest_of_error(kind: io::ErrorKind) -> Digest {
    Fields::new("error")
        .add(kind.to_string().as_bytes())
        .digest()
}

/// What a look at a file's contents finds.
pub(super) fn contents_digest(place: &Path) -> Found {
    let digest = || {
        let mut bytes = Bytes::default();
        io::copy(&mut open(place)?, &mut bytes)?;
        Ok(bytes.digest())
    };
    digest().map_err(|error: io::Error| error.kind())
}

/// What a look at the facts of a path finds.
pub(super) fn facts_digest(path: &Path) -> Found {
    let found = facts(path, path).map_err(|error| error.kind());
    found.map(|facts| digest_of_facts(&facts))
}

/// What a look at the room for a file finds.
pub(super) fn room_digest(place: &Path) -> Found {
    let found = room(place).map_err(|error| error.kind());
    found.map(|()| Fields::new("room").digest())
}

/// The outside as it is now, for a program that would run in a folder.
pub struct Now<'n> {
    /// The folder.
    pub folder: &'n Path,
    /// What the program may do.
    pub permissions: &'n Permissions,
    /// All that its standard input would hold.
    pub standard_input: &'n [u8],
}

impl Now<'_> {
    /// The digest that a program would note of an input.
    pub fn digest(&self, input: &Input) -> Option<String> {
        // No path is no place, the folder neither.
        let place = match input.name.as_str() {
            "" => PathBuf::new(),
            name => self.folder.join(name),
        };
        match input.kind {
            InputKind::File => digest_of(contents_digest(&place)),
            InputKind::Folder => {
                let found = names(&place).map_err(|error| error.kind());
                digest_of(found.map(|names| digest_of_names(&names)))
            }
            InputKind::Facts => digest_of(facts_digest(&place)),
            InputKind::Room => digest_of(room_digest(&place)),
            InputKind::Variable => {
                let value = variable(&input.name)?;
                Some(Digest::of(value.as_bytes()).to_string())
            }
            InputKind::VariableNames => {
                Some(digest_of_names(&self.permissions.variable_names()).to_string())
            }
            InputKind::StandardInput => {
                standard_input::digest_under(&input.name, self.standard_input)
            }
            InputKind::WorkingDirectory => {
                Some(Digest::of(self.folder.to_str()?.as_bytes()).to_string())
            }
        }
    }
}

/// The value of a variable of the environment, if it is a text. A name that no variable can have has none.
pub fn variable(name: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return None;
    }
    std::env::var_os(name)?.into_string().ok()
}
