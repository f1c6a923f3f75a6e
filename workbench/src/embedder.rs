//! The interface of an embedding program: it receives the workbench's messages and gives programs their streams.

use std::io::{self, Write};
use std::sync::Arc;

use crate::error::Error;

/// The destination of a program's standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOutput {
    /// To standard output.
    Standard,
    /// To standard error, because standard output carries the embedder's own result.
    Error,
    /// Nowhere, because it was shown before. Warnings of the compiler go nowhere then either.
    Nowhere,
}

/// The program in which the workbench runs. Each method has a default that stays silent.
pub trait Embedder: Send + Sync {
    /// Whether rendered texts are to hold colours.
    fn in_color(&self) -> bool {
        false
    }

    /// A rendered text: diagnostics, traces, hints.
    fn show(&self, _text: &str) {}

    /// A warning in a sentence.
    fn warn(&self, _message: &str) {}

    /// An error beside the one that is returned.
    fn complain(&self, _error: &Error) {}

    /// The writer of a program's standard output.
    fn output(&self, _to: ProgramOutput) -> Box<dyn Write + Send> {
        Box::new(io::sink())
    }

    /// The writer of a program's standard error.
    fn error_output(&self) -> Box<dyn Write + Send> {
        Box::new(io::sink())
    }

    /// Gives the process a budget of `bytes` bytes.
    fn limit_memory(&self, bytes: usize) {
        tally_vm::budget::set_limit(bytes);
    }
}

/// An embedder that is shared by all that the workbench makes for it.
pub type Front = Arc<dyn Embedder>;

/// Who gets a warning.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Hands warnings to an embedder.
pub fn warnings_to(front: &Front) -> Tell {
    let front = Arc::clone(front);
    Arc::new(move |message| front.warn(message))
}

/// An embedder that hears nothing and prints nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl Embedder for Quiet {}
