//! Measurements in a file that can be carried elsewhere: a head, entries with their lengths in front, a digest of everything. A
//! reader believes nothing: all is checked before any of it is kept.

use serde::{Deserialize, Serialize};

use super::row::Stored;
use crate::files::digest::Digest;

const HEAD: &[u8; 9] = b"\x89TALLS\r\n\x01";

/// Where the last byte of the head says the version.
const VERSION_AT: usize = HEAD.len() - 1;

/// A measurement in such a file.
#[derive(Serialize, Deserialize)]
struct Carried {
    key: [u8; 32],
    inputs: String,
    subject: String,
    sends: u64,
    is_repeatable: bool,
    payload: Vec<u8>,
    commits: Vec<String>,
}

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is something else.
    NoExport,
    /// Another version wrote it.
    Version,
    /// Some of it is missing, or was changed.
    Damaged,
    /// This version cannot read a measurement in it, or a measurement disagrees with its description.
    Entry(usize),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::NoExport => out.write_str("it is no file that tally store export wrote"),
            Refused::Version => out.write_str("another version of Tally wrote it"),
            Refused::Damaged => out.write_str("it is damaged, or not all of it is there"),
            Refused::Entry(number) => write!(
                out,
                "measurement {number} in it cannot be read by this version of Tally, or does not add up"
            ),
        }
    }
}

/// Such a file while it is made.
pub struct Export {
    bytes: Vec<u8>,
    /// How many measurements it has.
    pub count: usize,
}

impl Default for Export {
    fn default() -> Export {
        Export {
            bytes: HEAD.to_vec(),
            count: 0,
        }
    }
}

impl Export {
    /// Adds one.
    pub fn add(&mut self, stored: Stored, commits: Vec<String>) -> Option<()> {
        let carried = Carried {
            key: stored.key.bytes(),
            inputs: stored.inputs,
            subject: stored.subject,
            sends: stored.sends,
            is_repeatable: stored.is_repeatable,
            payload: stored.payload,
            commits,
        };
        let entry = postcard::to_allocvec(&carried).ok()?;
        self.bytes.extend((entry.len() as u64).to_le_bytes());
        self.bytes.extend(entry);
        self.count += 1;
        Some(())
    }

    /// The whole file.
    pub fn finish(mut self) -> Vec<u8> {
        let digest = Digest::of(&self.bytes);
        self.bytes.extend(digest.bytes());
        self.bytes
    }
}

/// The measurements in such a file, with the commits that gave them.
pub fn read(bytes: &[u8]) -> Result<Vec<(Stored, Vec<String>)>, Refused> {
    if !bytes.starts_with(&HEAD[..VERSION_AT]) {
        return Err(Refused::NoExport);
    }
    if bytes
        .get(VERSION_AT)
        .is_some_and(|version| *version != HEAD[VERSION_AT])
    {
        return Err(Refused::Version);
    }
    let damaged = Refused::Damaged;
    let (content, digest) = bytes.split_last_chunk::<32>().ok_or(damaged.clone())?;
    if Digest::of(content).bytes() != *digest {
        return Err(damaged);
    }
    let mut rest = content.get(HEAD.len()..).ok_or(damaged.clone())?;
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let (length, behind) = rest.split_first_chunk::<8>().ok_or(damaged.clone())?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged.clone())?;
        let (entry, behind) = behind.split_at_checked(length).ok_or(damaged.clone())?;
        let number = entries.len() + 1;
        entries.push(checked(entry).ok_or(Refused::Entry(number))?);
        rest = behind;
    }
    Ok(entries)
}

/// A measurement, if it agrees with its description.
fn checked(entry: &[u8]) -> Option<(Stored, Vec<String>)> {
    let (carried, rest): (Carried, _) = postcard::take_from_bytes(entry).ok()?;
    let stored = Stored {
        key: Digest::from_bytes(carried.key),
        inputs: carried.inputs,
        subject: carried.subject,
        sends: carried.sends,
        payload: carried.payload,
        is_repeatable: carried.is_repeatable,
    };
    let is_commit = |name: &String| {
        matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let is_sound =
        rest.is_empty() && carried.commits.iter().all(is_commit) && stored.is_consistent();
    is_sound.then_some((stored, carried.commits))
}
