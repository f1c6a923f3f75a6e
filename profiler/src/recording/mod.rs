//! Recordings, `*.tally`: a whole profile in a compressed file of our own, with the same bytes on any machine.
//! docs/RECORDING.md describes the format. `container` holds the frame around the content, `payload` the content, `bytes`
//! the encoding of numbers and texts. This module opens no files.
//!
//! A reader trusts no file: its memory is bounded by [`MAX_CONTENT`] and [`MAX_MEMORY`], whatever sizes a file claims.

pub mod bytes;
pub mod container;
pub mod payload;

use std::fmt;

use crate::ReadError;
use crate::profile::Profile;

pub use container::seal;

/// The bytes that recordings begin with.
pub const MAGIC: [u8; 8] = *b"\x89TALLY\r\n";

/// Version of the format: a greater major number means that older readers cannot read the file.
pub const MAJOR: u16 = 1;

/// Version of the format within the major number: a greater one may hold more than this crate knows.
pub const MINOR: u16 = 3;

/// The most bytes that the content may have before it is compressed.
pub const MAX_CONTENT: usize = 256 << 20;

/// The most bytes that a profile read from a recording may take, about.
pub const MAX_MEMORY: usize = 1 << 30;

/// The limits of reading a recording, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The content, unpacked.
    pub content: usize,
    /// Bytes of the decoded profile. Checking it takes as much again.
    pub memory: usize,
}

impl Bounds {
    /// The bounds of docs/RECORDING.md.
    pub const USUAL: Bounds = Bounds {
        content: MAX_CONTENT,
        memory: MAX_MEMORY,
    };
}

/// Why bytes are no recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordingError {
    /// They do not begin as recordings do.
    NoRecording,
    /// Another major version wrote it.
    Version(u16, u16),
    /// Some of it is missing.
    Truncated,
    /// Its content is inconsistent.
    Damaged(String),
    /// It is larger than recordings may be.
    TooLarge,
    /// Its profile is invalid.
    Invalid(ReadError),
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::NoRecording => write!(f, "not a recording"),
            RecordingError::Version(major, minor) => write!(
                f,
                "a recording of version {major}.{minor}, which this tally cannot read; it reads {MAJOR}.x"
            ),
            RecordingError::Truncated => write!(f, "truncated recording: its end is missing"),
            RecordingError::Damaged(why) => write!(f, "damaged recording: {why}"),
            RecordingError::TooLarge => write!(f, "the recording is larger than recordings may be"),
            RecordingError::Invalid(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for RecordingError {}

/// Whether bytes begin as a recording does.
pub fn is_recording(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Writes a profile as a recording.
///
/// # Errors
/// The profile is larger than recordings may be.
pub fn to_recording(profile: &Profile) -> Result<Vec<u8>, RecordingError> {
    seal(profile.model, &payload::write(profile)?)
}

/// Reads a profile back.
///
/// # Errors
/// The bytes are no recording, not all of one, a damaged one, or one of a later major version.
pub fn from_recording(bytes: &[u8]) -> Result<Profile, RecordingError> {
    from_recording_within(bytes, &Bounds::USUAL)
}

/// As [`from_recording`], with other bounds.
///
/// # Errors
/// The same.
pub fn from_recording_within(bytes: &[u8], bounds: &Bounds) -> Result<Profile, RecordingError> {
    let opened = container::open(&container::RECORDING, bytes, bounds.content)?;
    payload::read(&opened.content, opened.model, opened.minor, bounds.memory)
}

#[cfg(test)]
mod tests;
