//! The one error of the workbench: a kind, and a sentence for people.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of an error. The command has an exit code for each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// A program or a test failed.
    Failed,
    /// The request makes no sense.
    Usage,
    /// There was nothing to run.
    Nothing,
    /// Counts do not mean the same, or there is nothing to compare with.
    Incomparable,
    /// A resource limit was hit.
    Limit,
    /// The limit on memory was hit. What holds the memory is known only to the process.
    Memory,
    /// Source text does not compile.
    Source,
    /// The machine or the workbench met a state that it holds to be impossible.
    Internal,
    /// A file or a stream could not be read or written.
    Io,
    /// The user ended it.
    Interrupted,
    /// The script ended with `Smalltalk exit:` and this code.
    Exited(u8),
}

/// Why something could not be done.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    is_told: bool,
    is_printed: bool,
}

impl Error {
    /// An error with a message: a sentence without a full stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
            is_told: false,
            is_printed: false,
        }
    }

    /// An error whose details the embedder or the program's own output has got already.
    pub fn told(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            is_told: true,
            ..Error::new(kind, message)
        }
    }

    /// An error in words that another process has printed, which may hold colours.
    pub fn printed(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            is_printed: true,
            ..Error::new(kind, message)
        }
    }

    /// A file that could not be read or written.
    pub fn io(doing: &str, path: &str, error: &std::io::Error) -> Error {
        let message = format!("cannot {doing} {path}: {}", describe(error));
        Error::new(ErrorKind::Io, message)
    }

    /// What went wrong.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether the details are known already, so that the sentence need not be printed.
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// Whether the sentence is made of words that another process has printed.
    pub fn is_printed(&self) -> bool {
        self.is_printed
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The text of an error, without the operating system's error number.
fn describe(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "no such file".to_string(),
        ErrorKind::PermissionDenied => "permission denied".to_string(),
        ErrorKind::IsADirectory => "it is a directory".to_string(),
        _ => error.to_string(),
    }
}
