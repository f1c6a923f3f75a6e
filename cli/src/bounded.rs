//! Reading of files up to a length: what never ends must not fill the memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

/// The contents of a file.
///
/// # Errors
/// It cannot be read, is a folder, or has more than `longest` bytes.
pub(crate) fn contents(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    file.take(longest.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match bytes.len() as u64 > longest {
        true => Err(ErrorKind::FileTooLarge.into()),
        false => Ok(bytes),
    }
}

/// What a file of text in UTF-8 holds.
///
/// # Errors
///
/// It cannot be read, is longer, or is no text.
pub(crate) fn text(path: &Path, longest: u64) -> io::Result<String> {
    String::from_utf8(contents(path, longest)?).map_err(|_| ErrorKind::InvalidData.into())
}
