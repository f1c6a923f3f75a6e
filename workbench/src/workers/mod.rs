//! Processes that work for an embedder: their protocol. A request and an answer are a value each, as a line of JSON. Messages for people
//! go to standard error. The exit code says the rest. A process that measures gets one request, in a file, and gives one answer,
//! on its standard output. A worker of `tally test` gets and gives many, through pipes.

mod desk;
mod interrupts;

use std::fmt;
use std::io::{self, Write};
use std::process::ExitStatus;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use self::desk::{CommandWords, Desk, Process, Reply};
pub use self::interrupts::Interrupts;
use crate::error::ErrorKind;

/// Writes a request or an answer, in one piece.
///
/// # Errors
/// If it cannot be written.
pub fn write(out: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// The request or the answer that a line holds.
///
/// # Errors
/// If the line holds none.
pub fn read<T: DeserializeOwned>(line: &[u8]) -> io::Result<T> {
    Ok(serde_json::from_slice(line)?)
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Death {
    /// By itself.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

impl From<ExitStatus> for Death {
    fn from(status: ExitStatus) -> Death {
        match status.code() {
            Some(code) => Death::Code(code),
            None => Death::Signal(signal_of(status)),
        }
    }
}

impl Death {
    /// The kind of the error that the end is for the process that waited for an answer. A process is killed by hand or for want
    /// of memory. All other signals are mistakes of the worker.
    pub fn kind(self) -> ErrorKind {
        match self {
            Death::Code(code) => ErrorKind::of_exit_code(code).unwrap_or(ErrorKind::Internal),
            #[cfg(unix)]
            Death::Signal(libc::SIGKILL | libc::SIGXCPU) => ErrorKind::Limit,
            #[cfg(unix)]
            Death::Signal(libc::SIGINT | libc::SIGTERM) => ErrorKind::Interrupted,
            Death::Signal(_) => ErrorKind::Internal,
        }
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal().unwrap_or_default()
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> i32 {
    0
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Death::Code(code) => write!(f, "ended with exit code {code}"),
            Death::Signal(number) => match name_of(number) {
                Some(name) => write!(f, "was killed by {name}"),
                None => write!(f, "was killed by signal {number}"),
            },
        }
    }
}

#[cfg(unix)]
fn name_of(number: i32) -> Option<&'static str> {
    let signal = nix::sys::signal::Signal::try_from(number).ok()?;
    Some(signal.as_str())
}

#[cfg(not(unix))]
fn name_of(_: i32) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_has_its_name() {
        assert_eq!(Death::Code(3).to_string(), "ended with exit code 3");
        assert_eq!(Death::Signal(1000).to_string(), "was killed by signal 1000");
        #[cfg(unix)]
        assert_eq!(Death::Signal(9).to_string(), "was killed by SIGKILL");
    }

    #[test]
    fn a_process_that_is_killed_is_no_mistake_of_the_command() {
        assert_eq!(Death::Code(8).kind(), ErrorKind::Source);
        assert_eq!(Death::Code(77).kind(), ErrorKind::Internal);
        #[cfg(unix)]
        for (signal, kind) in [
            (libc::SIGKILL, ErrorKind::Limit),
            (libc::SIGTERM, ErrorKind::Interrupted),
            (libc::SIGSEGV, ErrorKind::Internal),
        ] {
            assert_eq!(Death::Signal(signal).kind(), kind);
        }
    }

    #[test]
    fn a_message_is_a_line() {
        let mut line = Vec::new();
        write(&mut line, &vec!["a\nb"]).unwrap();
        assert_eq!(line.iter().filter(|&&byte| byte == b'\n').count(), 1);
        assert_eq!(read::<Vec<String>>(&line).unwrap(), ["a\nb"]);
        assert!(read::<Vec<String>>(b"[").is_err());
    }
}
