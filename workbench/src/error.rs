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
    /// An assertion about counts failed, or a comparison that was to fail.
    Counted,
    /// There was nothing to run.
    Nothing,
    /// Counts do not mean the same, or there is nothing to compare with.
    Incomparable,
    /// A resource limit was hit.
    Limit,
    /// The limit on memory was hit. What holds the memory is known only to the process.
    Memory,
    /// Two runs of one program differ that must agree.
    Nondeterministic,
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

/// The exit codes of processes. A limit on memory is a limit.
const EXIT_CODES: [(ErrorKind, u8); 11] = [
    (ErrorKind::Failed, 1),
    (ErrorKind::Usage, 2),
    (ErrorKind::Counted, 3),
    (ErrorKind::Nothing, 4),
    (ErrorKind::Incomparable, 5),
    (ErrorKind::Limit, 6),
    (ErrorKind::Nondeterministic, 7),
    (ErrorKind::Source, 8),
    (ErrorKind::Internal, 70),
    (ErrorKind::Io, 74),
    (ErrorKind::Interrupted, 130),
];

impl ErrorKind {
    /// The exit code of a process that ends with such an error.
    pub fn exit_code(self) -> u8 {
        let kind = match self {
            ErrorKind::Exited(code) => return code,
            ErrorKind::Memory => ErrorKind::Limit,
            kind => kind,
        };
        let known = EXIT_CODES.iter().find(|(one, _)| *one == kind);
        known.map_or(1, |(_, code)| *code)
    }

    /// The kind of the error with which a process ended that has this exit code. No error has the codes of success and of scripts.
    pub fn of_exit_code(code: i32) -> Option<ErrorKind> {
        let known = EXIT_CODES.iter().find(|(_, one)| i32::from(*one) == code);
        known.map(|(kind, _)| *kind)
    }
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

    /// What is wrong with a version that cannot be measured, if the version is at fault.
    ///
    /// # Errors
    /// The error itself if something else is at fault.
    pub fn of_version(self) -> Result<String, Error> {
        match self.kind {
            ErrorKind::Failed
            | ErrorKind::Usage
            | ErrorKind::Nothing
            | ErrorKind::Incomparable
            | ErrorKind::Limit
            | ErrorKind::Memory
            | ErrorKind::Source
            | ErrorKind::Exited(_) => Ok(self.message),
            ErrorKind::Counted
            | ErrorKind::Nondeterministic
            | ErrorKind::Internal
            | ErrorKind::Io
            | ErrorKind::Interrupted => Err(self),
        }
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
