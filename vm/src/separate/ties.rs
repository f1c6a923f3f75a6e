//! Which of two goes first at the same moment, and random numbers that follow from a seed. docs/TIMELINE.md defines both.

use std::cmp::Ordering;
use std::sync::Arc;

use super::paths::{Path, ShortPath};
use super::simulation::{Jitter, Ties};

/// The place of a processor among those that want the same at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rank {
    /// Goes before the path; 0 if nothing is shuffled.
    mixed: u64,
    path: ShortPath,
    is_reversed: bool,
}

impl Rank {
    /// The rank by which the order of asking decides.
    pub(super) fn none() -> Rank {
        Rank {
            mixed: 0,
            path: Path::new(Arc::from([])).short(),
            is_reversed: false,
        }
    }

    /// Whether both are ranks of one processor.
    pub(super) fn is_of_same(&self, other: &Rank) -> bool {
        self.path == other.path
    }

    /// Whether it is a rank of the processor with this path.
    pub(super) fn is_of(&self, path: &Path) -> bool {
        self.path == path.short()
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        let by_path = match self.is_reversed {
            true => other.path.cmp(&self.path),
            false => self.path.cmp(&other.path),
        };
        self.mixed.cmp(&other.mixed).then(by_path)
    }
}

impl Ties {
    /// The rank of the processor with this path at the moment.
    pub(super) fn rank(self, path: &Path, moment: u64) -> Rank {
        Rank {
            mixed: match self {
                Ties::Shuffled(seed) => mixed([seed, moment], path),
                Ties::Lower | Ties::Higher => 0,
            },
            path: path.short(),
            is_reversed: self == Ties::Higher,
        }
    }
}

impl Jitter {
    /// How long the processor with this path is delayed when it takes up its request with this number.
    pub(super) fn delay(self, path: &[u32], number: u64) -> u64 {
        mixed([self.seed, number], path) % self.most.saturating_add(1)
    }
}

/// FNV-1a over the numbers and the path, mixed once more: close moments shall have distant numbers.
fn mixed(numbers: [u64; 2], path: &[u32]) -> u64 {
    let numbers = numbers.into_iter().flat_map(u64::to_le_bytes);
    let path = path.iter().flat_map(|part| part.to_le_bytes());
    let hash = numbers
        .chain(path)
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    let hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ hash >> 33
}
