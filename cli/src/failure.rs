//! Failures of a command: a message and an exit code. A command ends with a failure or with an exit code, in no other way.

use tally_workbench::{Error, ErrorKind};

use crate::exit::Exit;
use crate::{console, memory};

/// Why a command stops, for people and for the operating system.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    /// A sentence without a full stop; empty if the message was printed before.
    message: String,
    /// Whether the reader of standard output has closed it.
    output_is_lost: bool,
    /// Whether another process of the command has printed the message.
    is_printed: bool,
}

impl Failure {
    /// A failure with a message.
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Failure {
        Failure {
            exit,
            message: message.into(),
            output_is_lost: false,
            is_printed: false,
        }
    }

    /// A failure with a message that another process of the command has printed.
    pub(crate) fn printed(exit: Exit, message: impl Into<String>) -> Failure {
        Failure {
            is_printed: true,
            ..Failure::new(exit, message)
        }
    }

    /// A failure whose message has been printed.
    pub(crate) fn silent(exit: Exit) -> Failure {
        Failure::new(exit, "")
    }

    /// Standard output was closed by its reader. There is no message; the exit code says that output is missing.
    pub(crate) fn lost_output() -> Failure {
        Failure {
            output_is_lost: true,
            ..Failure::silent(Exit::Io)
        }
    }

    /// A file that could not be read or written.
    pub(crate) fn io(doing: &str, path: &str, error: &std::io::Error) -> Failure {
        Error::io(doing, path, error).into()
    }

    /// The message; empty if it was printed before.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The exit code of the failure.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Whether the user interrupted the run.
    pub(crate) fn is_interrupt(&self) -> bool {
        self.exit == Exit::Interrupted
    }

    /// Whether the reader of standard output has closed it.
    pub(crate) fn is_lost_output(&self) -> bool {
        self.output_is_lost
    }

    /// The exit code if the script chose it, else the failure.
    pub(crate) fn chosen(self) -> Result<Exit, Failure> {
        match self.exit {
            Exit::Chosen(_) => Ok(self.exit),
            _ => Err(self),
        }
    }

    /// Prints the message and answers the exit code.
    pub(crate) fn report(self) -> Exit {
        match self.exit {
            Exit::Internal => console::internal_error(&self.message),
            _ if self.message.is_empty() => {}
            _ if self.is_printed => console::printed_error(&self.message),
            _ => console::error(&self.message),
        }
        self.exit
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let exit = Exit::from(error.kind());
        match error.kind() {
            _ if error.is_told() => Failure::silent(exit),
            _ if error.is_printed() => Failure::printed(exit, error.message()),
            ErrorKind::Memory => Failure::new(exit, memory::limit_reached()),
            _ => Failure::new(exit, error.message()),
        }
    }
}
