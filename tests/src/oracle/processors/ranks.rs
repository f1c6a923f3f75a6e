//! Who goes first of two at a moment, and what is drawn from seeds, by docs/TIMELINE.md.

use std::cmp::Reverse;

use tally_vm::{Jitter, Ties};

/// The place of a processor at a moment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Lower(Vec<u32>),
    Higher(Reverse<Vec<u32>>),
    Shuffled(u64, Vec<u32>),
}

/// The rank of the processor with this path at this moment.
pub(super) fn rank(ties: Ties, path: &[u32], moment: u64) -> Rank {
    match ties {
        Ties::Lower => Rank::Lower(path.to_vec()),
        Ties::Higher => Rank::Higher(Reverse(path.to_vec())),
        Ties::Shuffled(seed) => Rank::Shuffled(drawn(seed, moment, path), path.to_vec()),
    }
}

/// How much later the processor with this path takes up its request with this number.
pub(super) fn delay(jitter: Jitter, path: &[u32], number: u64) -> u64 {
    drawn(jitter.seed, number, path) % (jitter.most + 1)
}

fn drawn(seed: u64, number: u64, path: &[u32]) -> u64 {
    let mut bytes = seed.to_le_bytes().to_vec();
    bytes.extend(number.to_le_bytes());
    for part in path {
        bytes.extend(part.to_le_bytes());
    }
    let mut hash: u64 = 14_695_981_039_346_656_037;
    for byte in bytes {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(1_099_511_628_211);
    }
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
