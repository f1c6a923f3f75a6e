//! Numbers as the page's script reads them: in seven bits each, deflated, in base 64.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use tally_presentation::html::base64;
use tally_profiler::recording::bytes::push_number;

/// Numbers one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    bytes: Vec<u8>,
}

impl Packed {
    pub(super) fn number(&mut self, number: u64) {
        push_number(&mut self.bytes, number);
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// 0 for nothing, else the number plus one.
    pub(super) fn optional(&mut self, number: Option<u32>) {
        self.number(number.map_or(0, |number| u64::from(number) + 1));
    }

    /// What a moment is later than another one; its sign is in the lowest bit.
    pub(super) fn difference(&mut self, later: u64, earlier: u64) {
        let difference = later.wrapping_sub(earlier).cast_signed();
        self.number((difference << 1 ^ difference >> 63).cast_unsigned());
    }

    /// The numbers as a text.
    pub(super) fn text(&self) -> String {
        let mut deflated = DeflateEncoder::new(Vec::new(), Compression::default());
        // A vector takes all that is written to it.
        let written = deflated.write_all(&self.bytes);
        let bytes = written.and_then(|()| deflated.finish());
        base64(&bytes.unwrap_or_default())
    }
}
