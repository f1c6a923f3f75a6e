//! Traces of arbitrary blocks with right checksums, for fuzzers and tests: a random change of a trace gets past the
//! checksums of its blocks hardly ever.

use super::Head;
use super::block::{BlockHead, Kind, MOST_CONTENT};
use super::index;

/// A trace made of these bytes: of each block the letter of its kind, the number of its records, the two bytes of its length, and its content. A
/// trace from an odd last byte ends as one with an index does, whose last block is the index.
pub fn forged(bytes: &[u8]) -> Vec<u8> {
    let mut file = Head::default().bytes();
    let mut rest = bytes;
    let mut previous = 0;
    let mut last = 0;
    while let Some((&[letter, records, low, high], more)) = rest.split_first_chunk::<4>() {
        let length = usize::from(u16::from_le_bytes([low, high])).min(MOST_CONTENT);
        let (content, behind) = more.split_at(length.min(more.len()));
        let head = BlockHead {
            kind: Kind::of(letter),
            length: 0,
            previous,
            records: records.into(),
            first: 0,
            last: u64::MAX,
            low: 0,
            high: u32::MAX,
            checksum: 0,
        };
        let (head, front) = head.sealed(content);
        last = file.len() as u64;
        file.extend(front);
        file.extend(content);
        previous = head.whole() as u32;
        rest = behind;
    }
    if bytes.last().is_some_and(|byte| byte % 2 == 1) {
        file.extend(index::footer(last));
    }
    file
}
