//! Traces, `*.timeline`: the events of a run in blocks, to be read again as a whole or in segments. docs/TIMELINE.md describes the
//! format. `head` holds the head of the file, `block` the frames of blocks, `encode` and `decode` their records, `index` the
//! index and the end of the file. No module here opens a file.
//!
//! A reader trusts no file: whatever a file claims, it reads one block at a time, and its memory is bounded.

mod block;
mod decode;
mod encode;
mod forged;
mod head;
mod index;
mod reader;
mod writer;

use std::fmt;

use tally_vm::Outcome;

use crate::sink::SinkError;

pub use forged::forged;
pub use head::Head;
pub use reader::{Cut, Trace};
pub use writer::Writer;

/// The bytes that traces begin with.
pub const MAGIC: [u8; 8] = *b"\x89TLINE\r\n";
/// Version of the format: a greater major number means that older readers cannot read the file.
pub const MAJOR: u16 = 1;
/// Version of the format within the major number.
pub const MINOR: u16 = 2;

/// Why bytes are no trace, or could not be read.
#[derive(Debug)]
pub enum TraceError {
    /// They do not begin as traces do.
    NoTrace,
    /// Another major version wrote it.
    Version(u16, u16),
    /// Not even its head is whole.
    Truncated,
    /// Its content is inconsistent, at this byte.
    Damaged(u64, &'static str),
    /// There is more of something than there may be.
    TooLarge(&'static str),
    /// It cannot be read.
    Io(std::io::Error),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::NoTrace => write!(f, "not a trace of tally timeline"),
            TraceError::Version(major, minor) => write!(
                f,
                "a trace of version {major}.{minor}, which this tally cannot read; it reads {MAJOR}.x"
            ),
            TraceError::Truncated => write!(f, "truncated trace: its head is not whole"),
            TraceError::Damaged(at, why) => write!(f, "damaged trace: {why}, at byte {at}"),
            TraceError::TooLarge(what) => write!(f, "the trace has too many {what}"),
            TraceError::Io(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for TraceError {}

impl From<std::io::Error> for TraceError {
    fn from(error: std::io::Error) -> TraceError {
        TraceError::Io(error)
    }
}

impl From<SinkError> for TraceError {
    fn from(error: SinkError) -> TraceError {
        match error {
            SinkError::TooMuch(what) => TraceError::TooLarge(what),
            SinkError::Undescribed(_) => TraceError::Damaged(0, "a processor is not described"),
            SinkError::Io(error) => TraceError::Io(error),
        }
    }
}

/// Whether bytes begin as a trace does.
pub fn is_trace(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The script came to its end.
    Finished,
    /// An error ended it.
    Failed,
    /// A limit was hit.
    Limit,
    /// All processes waited for each other.
    Deadlock,
    /// The program ended itself with this exit code.
    Exited(u8),
    /// A class did not compile.
    NotCompiled,
    /// The machine met a state that it holds to be impossible.
    Internal,
    /// The trace does not say it: its end is missing.
    Cut,
}

impl Ending {
    /// The ending of a run with this outcome.
    pub fn of(outcome: &Outcome) -> Ending {
        match outcome {
            Outcome::Finished => Ending::Finished,
            Outcome::Failed => Ending::Failed,
            Outcome::Limit(_) => Ending::Limit,
            Outcome::Deadlock => Ending::Deadlock,
            Outcome::Exited(code) => Ending::Exited(*code),
            Outcome::NotCompiled => Ending::NotCompiled,
            Outcome::Internal(_) => Ending::Internal,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Ending::Finished => "finished",
            Ending::Failed => "failed",
            Ending::Limit => "limit",
            Ending::Deadlock => "deadlock",
            Ending::Exited(_) => "exited",
            Ending::NotCompiled => "not compiled",
            Ending::Internal => "internal error",
            Ending::Cut => "cut",
        }
    }

    fn code(self) -> [u8; 2] {
        match self {
            Ending::Finished => [0, 0],
            Ending::Failed => [1, 0],
            Ending::Limit => [2, 0],
            Ending::Deadlock => [3, 0],
            Ending::Exited(code) => [4, code],
            Ending::NotCompiled => [5, 0],
            Ending::Internal => [6, 0],
            Ending::Cut => [7, 0],
        }
    }

    fn decoded(code: [u8; 2]) -> Option<Ending> {
        Some(match code {
            [0, 0] => Ending::Finished,
            [1, 0] => Ending::Failed,
            [2, 0] => Ending::Limit,
            [3, 0] => Ending::Deadlock,
            [4, code] => Ending::Exited(code),
            [5, 0] => Ending::NotCompiled,
            [6, 0] => Ending::Internal,
            [7, 0] => Ending::Cut,
            _ => return None,
        })
    }
}
