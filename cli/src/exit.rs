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
        let kind = match self {
            Exit::Success => return 0,
            Exit::Failed => ErrorKind::Failed,
            Exit::Usage => ErrorKind::Usage,
            Exit::Counted => ErrorKind::Counted,
            Exit::Nothing => ErrorKind::Nothing,
            Exit::Incomparable => ErrorKind::Incomparable,
            Exit::Limit => ErrorKind::Limit,
            Exit::Nondeterministic => ErrorKind::Nondeterministic,
            Exit::Source => ErrorKind::Source,
            Exit::Internal => ErrorKind::Internal,
            Exit::Io => ErrorKind::Io,
            Exit::Interrupted => ErrorKind::Interrupted,
            Exit::Chosen(code) => ErrorKind::Exited(code),
        };
        i32::from(kind.exit_code())
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Exit {
        match kind {
            ErrorKind::Failed => Exit::Failed,
            ErrorKind::Usage => Exit::Usage,
            ErrorKind::Counted => Exit::Counted,
            ErrorKind::Nothing => Exit::Nothing,
            ErrorKind::Incomparable => Exit::Incomparable,
            ErrorKind::Limit | ErrorKind::Memory => Exit::Limit,
            ErrorKind::Nondeterministic => Exit::Nondeterministic,
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
    let exit = match error.print() {
        // Help has a reader who may want only its beginning.
        Err(lost) if lost.kind() == std::io::ErrorKind::BrokenPipe => exit,
        Err(_) => Exit::Io,
        Ok(()) => exit,
    };
    std::process::exit(exit.code())
}
