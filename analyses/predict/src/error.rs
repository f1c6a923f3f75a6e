//! What goes wrong with a prediction.

use std::fmt;

/// The kind of an error. It decides the exit code of the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text of a design, or an option, is wrong.
    Usage,
    /// A limit of sizes is reached.
    Limit,
    /// Nothing is known where something is to be predicted.
    Incomparable,
}

/// A sentence, and its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictError {
    /// Its kind.
    pub kind: ErrorKind,
    /// What is wrong, without a full stop.
    pub message: String,
}

impl PredictError {
    pub(crate) fn usage(message: impl Into<String>) -> PredictError {
        PredictError {
            kind: ErrorKind::Usage,
            message: message.into(),
        }
    }

    pub(crate) fn incomparable(message: impl Into<String>) -> PredictError {
        PredictError {
            kind: ErrorKind::Incomparable,
            message: message.into(),
        }
    }

    pub(crate) fn limit(message: impl Into<String>) -> PredictError {
        PredictError {
            kind: ErrorKind::Limit,
            message: message.into(),
        }
    }
}

impl fmt::Display for PredictError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for PredictError {}
