//! The cache of compiled regular expressions and of the text that was searched last.

use std::sync::Arc;

use crate::regex::Regex;

/// Results that the next search will probably need again.
#[derive(Default)]
pub(crate) struct Kept {
    /// The expressions that were used last, compiled; the latest one comes first.
    pub(crate) compiled: Vec<Arc<Compiled>>,
    /// The text that was searched last, as long as the heap knows its string as unchanged.
    pub(crate) prepared: Option<Prepared>,
    /// Steps of the last search, by the counting model.
    pub(crate) steps: u64,
}

impl Kept {
    /// Bytes that are kept of texts.
    pub(crate) fn bytes(&self) -> usize {
        self.prepared.as_ref().map_or(0, Prepared::bytes)
    }

    /// Drops the cached texts.
    pub(crate) fn forget_text(&mut self) {
        self.prepared = None;
    }
}

pub(crate) struct Compiled {
    pub(crate) source: String,
    pub(crate) ignores_case: bool,
    pub(crate) regex: Regex,
}

/// A text with characters of more than one byte.
pub(crate) struct Encoded {
    pub(crate) utf8: Vec<u8>,
    /// The byte where each character begins whose position is a multiple of [`STEP`].
    pub(crate) starts: Vec<usize>,
}

/// The cached facts of a string. An ASCII string is its own UTF-8.
pub(crate) struct Prepared {
    pub(crate) is_narrow: bool,
    pub(crate) length: usize,
    pub(crate) encoded: Option<Encoded>,
}

impl Prepared {
    /// Bytes that are kept.
    fn bytes(&self) -> usize {
        match &self.encoded {
            Some(Encoded { utf8, starts }) => {
                utf8.capacity() + starts.capacity() * size_of::<usize>()
            }
            None => 0,
        }
    }
}
