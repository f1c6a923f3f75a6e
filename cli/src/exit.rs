//! The exit codes of the command.

use tally_workbench::ErrorKind;

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
    /// The code that the script gave to `Smalltalk exit:`.
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
