//! How much of the standard input a run read, and what it was.

use tally_profiler::{Input, InputKind};

use crate::files::digest::{Bytes, Digest};

/// What was read of the standard input so far.
#[derive(Debug, Default)]
pub(super) struct StandardInput {
    read: Option<Bytes>,
    bytes: u64,
    /// Whether its end was met.
    is_over: bool,
}

impl StandardInput {
    /// Adds what was read, and whether the end came behind it.
    pub(super) fn add(&mut self, bytes: &[u8], is_end: bool) {
        self.read.get_or_insert_default().add(bytes);
        self.bytes += bytes.len() as u64;
        self.is_over |= is_end;
    }

    /// What is noted of it, if anything was read. Its name says how many bytes were read if not all were.
    pub(super) fn input(&self) -> Option<Input> {
        let read = self.read.as_ref()?;
        Some(Input {
            kind: InputKind::StandardInput,
            name: match self.is_over {
                true => String::new(),
                false => self.bytes.to_string(),
            },
            digest: Some(read.digest().to_string()),
        })
    }
}

/// The digest that a run would note under this name if its standard input held these bytes.
pub(super) fn digest_under(name: &str, bytes: &[u8]) -> Option<String> {
    let read = match name {
        "" => bytes,
        number => bytes.get(..number.parse().ok()?)?,
    };
    Some(Digest::of(read).to_string())
}
