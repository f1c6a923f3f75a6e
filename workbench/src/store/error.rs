//! What can be wrong with a store.

use std::fmt;
use std::io;

use rusqlite::ErrorCode;

use super::{FILE, VERSION};
use crate::error::{Error, ErrorKind};

/// Why something could not be done with a store.
#[derive(Debug)]
pub enum StoreError {
    /// What is in the file is no store, or not all of one.
    Damaged,
    /// A Tally of another version made it.
    Version(i64),
    /// The disk is full, or the file may not grow.
    Full,
    /// It may not be written.
    ReadOnly,
    /// Others have used it for too long.
    Busy,
    /// Something is too large to be kept.
    TooLarge,
    /// Anything else.
    Failed(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Damaged => out.write_str("the store is damaged"),
            StoreError::Version(version) => write!(
                out,
                "a newer version of Tally made the store (its version is {version}, this one knows {VERSION})"
            ),
            StoreError::Full => out.write_str("there is no more room on the disk"),
            StoreError::ReadOnly => out.write_str("the folder .tally cannot be written"),
            StoreError::Busy => out.write_str("others use the store"),
            StoreError::TooLarge => out.write_str("it is too large"),
            StoreError::Failed(why) => out.write_str(why),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> StoreError {
        use rusqlite::Error;
        let code = match &error {
            Error::SqliteFailure(failure, _) | Error::SqlInputError { error: failure, .. } => {
                failure.code
            }
            // Every value is read as the type that it was written as.
            Error::IntegralValueOutOfRange(..)
            | Error::FromSqlConversionFailure(..)
            | Error::InvalidColumnType(..)
            | Error::QueryReturnedNoRows
            | Error::Utf8Error(..) => return StoreError::Damaged,
            _ => return StoreError::Failed(error.to_string()),
        };
        match code {
            ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            // The tables were looked at when the store was opened.
            | ErrorCode::Unknown => StoreError::Damaged,
            ErrorCode::DiskFull => StoreError::Full,
            ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
                StoreError::ReadOnly
            }
            ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::FileLockingProtocolFailed => StoreError::Busy,
            ErrorCode::TooBig => StoreError::TooLarge,
            _ => StoreError::Failed(error.to_string()),
        }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> StoreError {
        use io::ErrorKind;
        match error.kind() {
            ErrorKind::PermissionDenied
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::AlreadyExists => StoreError::ReadOnly,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                StoreError::Full
            }
            _ => StoreError::Failed(error.to_string()),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let exit = match error {
            StoreError::Version(_) => ErrorKind::Incomparable,
            _ => ErrorKind::Io,
        };
        let why = match error {
            StoreError::Damaged => format!(
                ".tally/{FILE} is damaged; the next command that measures sets it aside and begins a new one"
            ),
            error => error.to_string(),
        };
        Error::new(exit, why)
    }
}
