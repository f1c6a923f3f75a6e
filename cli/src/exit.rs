//! Exit codes, and failures that carry one. Every way out of the command that is not a plain return of
//! a code goes through [`Failure`].

use tally_workbench::{Error, ErrorKind};

use crate::{console, memory};

/// The exit codes; `tally --help` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All well.
    Success,
    /// A program or a test failed.
    Failed,
    /// The command line makes no sense. Never a verdict: `make` turns everything into 2.
    Usage,
    /// An assertion about counts failed, or a comparison that was to fail.
    Counted,
    /// There was nothing to run.
    Nothing,
    /// Counts do not mean the same, or there is nothing to compare with.
    Incomparable,
    /// A resource limit was hit.
    Limit,
    /// Two runs of one program differ that must not.
    Nondeterministic,
    /// Source text does not compile.
    Source,
    /// The machine or the command met a state that it holds to be impossible.
    Internal,
    /// A file or a stream could not be read or written.
    Io,
    /// The user ended it with Ctrl-C.
    Interrupted,
    /// What the script asked for with `Smalltalk exit:`.
    Chosen(u8),
}

impl Exit {
    /// The number that the operating system gets.
    pub(crate) fn code(self) -> i32 {
        match self {
            Exit::Success => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Counted => 3,
            Exit::Nothing => 4,
            Exit::Incomparable => 5,
            Exit::Limit => 6,
            Exit::Nondeterministic => 7,
            Exit::Source => 8,
            Exit::Internal => 70,
            Exit::Io => 74,
            Exit::Interrupted => 130,
            Exit::Chosen(code) => i32::from(code),
        }
    }
}

impl Exit {
    /// The exit code with this number, if it is one of the command's own.
    pub(crate) fn from_code(code: i32) -> Option<Exit> {
        let all = [
            Exit::Success,
            Exit::Failed,
            Exit::Usage,
            Exit::Counted,
            Exit::Nothing,
            Exit::Incomparable,
            Exit::Limit,
            Exit::Nondeterministic,
            Exit::Source,
            Exit::Internal,
            Exit::Io,
            Exit::Interrupted,
        ];
        all.into_iter().find(|exit| exit.code() == code)
    }
}

/// Why a command stops, for people and for the operating system.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    /// A sentence without a full stop; empty when everything was said already.
    message: String,
    /// Whether nobody reads standard output any more.
    output_is_lost: bool,
    /// Whether the message is made of words that another process of the command has printed.
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

    /// A failure in words that another process of the command has printed.
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

    /// Standard output was closed by its reader. That needs no message; the exit code still tells that not
    /// all was written.
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

    /// What it says; empty if that has been printed.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// The exit code that it carries.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// What is wrong with a version that cannot be measured, if that is for the version's sake; else the failure.
    pub(crate) fn of_version(self) -> Result<String, Failure> {
        match self.exit {
            Exit::Failed
            | Exit::Usage
            | Exit::Nothing
            | Exit::Incomparable
            | Exit::Limit
            | Exit::Source
            | Exit::Chosen(_) => Ok(self.message),
            Exit::Success
            | Exit::Counted
            | Exit::Nondeterministic
            | Exit::Internal
            | Exit::Io
            | Exit::Interrupted => Err(self),
        }
    }

    /// Whether the user ended what ran.
    pub(crate) fn is_interrupt(&self) -> bool {
        self.exit == Exit::Interrupted
    }

    /// Whether nobody reads standard output any more.
    pub(crate) fn is_lost_output(&self) -> bool {
        self.output_is_lost
    }

    /// The exit code if the script asked for it, else the failure.
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

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Exit {
        match kind {
            ErrorKind::Failed => Exit::Failed,
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Nothing => Exit::Nothing,
            ErrorKind::Incomparable => Exit::Incomparable,
            ErrorKind::Limit | ErrorKind::Memory => Exit::Limit,
            ErrorKind::Source => Exit::Source,
            ErrorKind::Internal => Exit::Internal,
            ErrorKind::Io => Exit::Io,
            ErrorKind::Interrupted => Exit::Interrupted,
            ErrorKind::Exited(code) => Exit::Chosen(code),
        }
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

/// Ends the process as clap wants it: help and version on standard output with 0, else usage.
pub(crate) fn usage(error: &clap::Error) -> ! {
    let exit = if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Success
    };
    let exit = if error.print().is_err() {
        Exit::Io
    } else {
        exit
    };
    std::process::exit(exit.code())
}
