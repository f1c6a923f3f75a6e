//! Files that take the place of others: written beside and renamed, so that nobody ever meets half of one.

use std::fs::{File, Metadata};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file beside the one it is to replace, which may be missing, and renames it.
pub(crate) fn replace_file(path: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let (beside, file) = new_file(folder)?;
    let written = fill(file, bytes, old).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        // What failed is told; that the rest of it stays is not worth a word.
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// A file in a folder that nobody else has, under a name of its own.
fn new_file(folder: &Path) -> io::Result<(PathBuf, File)> {
    let process = std::process::id();
    for number in 0..100 {
        let path = folder.join(format!(".tally-{process}-{number}"));
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
