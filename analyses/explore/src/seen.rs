//! The states that were found: their fingerprints by their numbers, and the numbers by their fingerprints.

use hashbrown::HashTable;

use crate::fingerprint::{Fingerprint, short};
use crate::pages::Paged;

/// The states that were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    fingerprints: Paged<Fingerprint>,
    numbers: HashTable<u32>,
}

impl Seen {
    /// The state with this fingerprint.
    pub(crate) fn find(&self, fingerprint: Fingerprint) -> Option<u32> {
        let is_equal = |number: &u32| self.fingerprints.get(*number as usize) == fingerprint;
        self.numbers.find(short(fingerprint), is_equal).copied()
    }

    /// Adds a state that is not there. Its number is the next one.
    pub(crate) fn insert(&mut self, fingerprint: Fingerprint) -> u32 {
        let number = self.fingerprints.len() as u32;
        self.fingerprints.push(fingerprint);
        let Seen {
            fingerprints,
            numbers,
        } = self;
        let rehash = |other: &u32| short(fingerprints.get(*other as usize));
        numbers.insert_unique(short(fingerprint), number, rehash);
        number
    }

    /// The fingerprint of a state.
    pub(crate) fn fingerprint(&self, number: u32) -> Fingerprint {
        self.fingerprints.get(number as usize)
    }

    /// The fingerprints of all states, by their size. No state is found any more.
    pub(crate) fn sorted(&mut self) -> Vec<Fingerprint> {
        self.numbers = HashTable::new();
        let all = 0..self.len();
        let mut sorted: Vec<Fingerprint> = all.map(|one| self.fingerprints.get(one)).collect();
        sorted.sort_unstable();
        sorted
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Their memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.fingerprints.bytes() + self.numbers.allocation_size()
    }
}
