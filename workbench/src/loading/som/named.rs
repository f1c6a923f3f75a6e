//! Programs of SOM among the files that are loaded.

use super::{Program, folders};
use crate::error::{Error, ErrorKind};
use crate::loading::Sources;

/// Whether the file is a program of SOM.
pub fn is_program(file: &str) -> bool {
    file.ends_with(".som")
}

/// The file of the program that is named, and the program.
///
/// # Errors
/// If more is named than one file, or the file cannot be read.
pub fn named<'s>(what: &Sources<'s>, class_path: &str) -> Result<(&'s str, Program), Error> {
    let [file] = what.files else {
        let why = "a program of SOM is one file; others come from the class path";
        return Err(Error::new(ErrorKind::Usage, why));
    };
    if what.expression.is_some() {
        let why = "-e is for Smalltalk, not for SOM";
        return Err(Error::new(ErrorKind::Usage, why));
    }
    let metadata = std::fs::metadata(file);
    metadata.map_err(|error| Error::io("read", file, &error))?;
    Ok((
        file,
        Program::new(file, &folders(class_path), what.arguments),
    ))
}

/// Says that an operation does not take programs of SOM.
///
/// # Errors
/// If one is among the files.
pub fn refuse(files: &[String], operation: &str) -> Result<(), Error> {
    match files.iter().find(|file| is_program(file)) {
        Some(file) => {
            let why = format!("tally {operation} does not take programs of SOM ({file})");
            Err(Error::new(ErrorKind::Usage, why))
        }
        None => Ok(()),
    }
}
