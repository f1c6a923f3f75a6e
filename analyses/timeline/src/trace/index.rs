//! The index and the last bytes of a trace. An index block lists the blocks since the index block before it.

use tally_profiler::recording::bytes::{Input, push_number};

use super::block::{BlockHead, Kind, checksum};

/// The last bytes of a trace: a mark, where the last index block begins, a checksum.
pub(super) const FOOTER: usize = 20;
const MARK: [u8; 8] = *b"TLINEEND";

/// The most blocks that an index block lists.
pub(super) const MOST_ENTRIES: usize = 1000;

pub(super) fn footer(index: u64) -> [u8; FOOTER] {
    let mut bytes = [0; FOOTER];
    bytes[..8].copy_from_slice(&MARK);
    bytes[8..16].copy_from_slice(&index.to_le_bytes());
    let sum = checksum(&[&bytes[..16]]);
    bytes[16..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Where the last index block begins; nothing if these are not the last bytes of a trace.
pub(super) fn read_footer(bytes: &[u8; FOOTER]) -> Option<u64> {
    let offset: [u8; 8] = bytes[8..16].try_into().ok()?;
    let offset = u64::from_le_bytes(offset);
    (*bytes == footer(offset)).then_some(offset)
}

/// The blocks that an index block lists, which follow each other.
pub(super) struct Listed {
    /// Where the first begins.
    pub(super) first: u64,
    /// Where the index block before begins; 0 if there is none.
    pub(super) before: u64,
    pub(super) blocks: Vec<BlockHead>,
}

/// The content of an index block.
pub(super) fn content(listed: &Listed) -> Vec<u8> {
    let mut bytes = Vec::new();
    push_number(&mut bytes, listed.first);
    push_number(&mut bytes, listed.before);
    for head in &listed.blocks {
        bytes.push(head.kind.letter());
        bytes.extend(head.checksum.to_le_bytes());
        let numbers = [
            head.length.into(),
            head.previous.into(),
            head.records.into(),
            head.first,
            head.last - head.first,
            head.low.into(),
            head.high.into(),
        ];
        numbers
            .iter()
            .for_each(|number| push_number(&mut bytes, *number));
    }
    bytes
}

/// Reads the content of an index block that lists a number of blocks.
pub(super) fn read(content: &[u8], count: u32) -> Option<Listed> {
    if count == 0 || count as usize > MOST_ENTRIES {
        return None;
    }
    let mut input = Input(content);
    let mut listed = Listed {
        first: input.number().ok()?,
        before: input.number().ok()?,
        blocks: Vec::new(),
    };
    for _ in 0..count {
        listed.blocks.push(entry(&mut input)?);
    }
    input.0.is_empty().then_some(listed)
}

fn entry(input: &mut Input<'_>) -> Option<BlockHead> {
    let letter = *input.take(1).ok()?.first()?;
    let sum: [u8; 4] = input.take(4).ok()?.try_into().ok()?;
    let mut small = || u32::try_from(input.number().ok()?).ok();
    let [length, previous, records] = [small()?, small()?, small()?];
    let first = input.number().ok()?;
    let last = first.checked_add(input.number().ok()?)?;
    let mut small = || u32::try_from(input.number().ok()?).ok();
    let [low, high] = [small()?, small()?];
    Some(BlockHead {
        kind: Kind::of(letter),
        length,
        previous,
        records,
        first,
        last,
        low,
        high,
        checksum: u32::from_le_bytes(sum),
    })
}
