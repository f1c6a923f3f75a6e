//! Blocks: a head of fixed width, and content of records. The checksum covers both.

use flate2::Crc;

/// The most bytes of a block, its head included.
pub(super) const MOST_BLOCK: usize = 64 << 10;
/// The bytes of a block's head.
pub(super) const HEAD: usize = 44;
/// The most bytes of a block's content.
pub(super) const MOST_CONTENT: usize = MOST_BLOCK - HEAD;
/// The first two bytes of a block.
const MARK: [u8; 2] = *b"TB";

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Events, with the names and requests in them.
    Events,
    /// Processors.
    Processors,
    /// What is under way here; the first of such blocks.
    State,
    /// More of it.
    MoreState,
    /// How the run ended.
    End,
    /// The blocks since the previous index.
    Index,
    /// A kind of a later minor version.
    Unknown(u8),
}

const KINDS: [(u8, Kind); 6] = [
    (b'E', Kind::Events),
    (b'P', Kind::Processors),
    (b'S', Kind::State),
    (b's', Kind::MoreState),
    (b'Z', Kind::End),
    (b'I', Kind::Index),
];

impl Kind {
    pub(super) fn letter(self) -> u8 {
        if let Kind::Unknown(letter) = self {
            return letter;
        }
        let row = KINDS.iter().find(|(_, kind)| *kind == self);
        row.map_or(b'?', |(letter, _)| *letter)
    }

    pub(super) fn of(letter: u8) -> Kind {
        let row = KINDS.iter().find(|(one, _)| *one == letter);
        row.map_or(Kind::Unknown(letter), |(_, kind)| *kind)
    }
}

/// The head of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockHead {
    pub(super) kind: Kind,
    /// Bytes of the content.
    pub(super) length: u32,
    /// Bytes of the block before this one, with its head; 0 if there is none.
    pub(super) previous: u32,
    pub(super) records: u32,
    /// The earliest moment that an event in it is about: of `Ran`, where the run began.
    pub(super) first: u64,
    /// The latest moment of an event in it.
    pub(super) last: u64,
    /// The lowest processor of an event in it.
    pub(super) low: u32,
    /// The highest processor of an event in it.
    pub(super) high: u32,
    /// CRC-32 of the head before this field, and of the content.
    pub(super) checksum: u32,
}

impl BlockHead {
    /// Bytes of the block, with its head.
    pub(super) fn whole(&self) -> u64 {
        u64::from(self.length) + HEAD as u64
    }

    fn fields(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..2].copy_from_slice(&MARK);
        bytes[2] = self.kind.letter();
        let small = [
            (4, self.length),
            (8, self.previous),
            (12, self.records),
            (32, self.low),
            (36, self.high),
            (40, self.checksum),
        ];
        for (at, number) in small {
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.last.to_le_bytes());
        bytes
    }

    /// The checksum that the block with this content has.
    pub(super) fn checksum_with(&self, content: &[u8]) -> u32 {
        checksum(&[&self.fields()[..HEAD - 4], content])
    }

    /// The head as bytes; its length and its checksum are set by the content.
    pub(super) fn sealed(mut self, content: &[u8]) -> (BlockHead, [u8; HEAD]) {
        self.length = content.len() as u32;
        self.checksum = self.checksum_with(content);
        (self, self.fields())
    }

    /// Reads a head; nothing if no block begins with these bytes.
    pub(super) fn read(bytes: &[u8; HEAD]) -> Option<BlockHead> {
        let small = |at: usize| bytes.get(at..at + 4).and_then(|part| part.try_into().ok());
        let small = |at: usize| small(at).map(u32::from_le_bytes);
        let large = |at: usize| bytes.get(at..at + 8).and_then(|part| part.try_into().ok());
        let large = |at: usize| large(at).map(u64::from_le_bytes);
        let head = BlockHead {
            kind: Kind::of(bytes[2]),
            length: small(4)?,
            previous: small(8)?,
            records: small(12)?,
            first: large(16)?,
            last: large(24)?,
            low: small(32)?,
            high: small(36)?,
            checksum: small(40)?,
        };
        let is_one = bytes[..2] == MARK && bytes[3] == 0;
        (is_one && head.length as usize <= MOST_CONTENT && head.first <= head.last).then_some(head)
    }
}

/// CRC-32 as in zlib and PNG.
pub(super) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}
