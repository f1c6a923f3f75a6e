//! Names of objects that stay when objects move. A name is the place at which an object was made, so two runs that did the same so far have the
//! same names. Only a machine whose accesses are watched keeps them.

use hashbrown::HashMap;

use super::{Heap, WORD};
use crate::base::Value;

/// Set in the names of objects that were made in the nursery.
const YOUNG: u64 = 1 << 63;
/// Set in the names of large objects.
const LARGE: u64 = 1 << 62;
/// The bits of a name that hold the place.
const PLACE_BITS: u32 = 40;
/// The collections that names distinguish. After more of them two objects can have one name, so more steps compete than need to.
const AGES: u64 = 1 << 20;

/// The names of objects that have moved, and of which age the places of the others are.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By the addresses of headers.
    given: HashMap<usize, u64>,
    /// Collections of the nursery so far.
    minor: u64,
    /// Collections of the old space so far.
    full: u64,
}

impl Heap {
    /// Keeps the names of objects from here on.
    pub(crate) fn keep_names(&mut self) {
        self.names = Some(Box::default());
    }

    /// The object's name.
    pub(crate) fn name_of(&self, object: Value) -> u64 {
        self.name_at(object.pointer() as usize)
    }

    fn name_at(&self, header: usize) -> u64 {
        let Some(names) = &self.names else {
            return 0;
        };
        if let Some(name) = names.given.get(&header) {
            return *name;
        }
        let words = |start: usize| (header.wrapping_sub(start) / WORD) as u64;
        if self.in_nursery(header as *const u64) {
            let place = words(self.nursery.start as usize);
            return YOUNG | (names.minor % AGES) << PLACE_BITS | place;
        }
        let start = self.old.start() as usize;
        if header.wrapping_sub(start) < self.old_words() * WORD {
            return (names.full % AGES) << PLACE_BITS | words(start);
        }
        let mut chunks = self.large.iter();
        let place = chunks.position(|chunk| chunk.start as usize + WORD == header);
        LARGE | (names.full % AGES) << PLACE_BITS | place.unwrap_or(self.large.len()) as u64
    }

    /// The nursery's object at the first address is now at the second one.
    pub(super) fn note_promoted(&mut self, from: usize, to: usize) {
        if self.names.is_some() {
            let name = self.name_at(from);
            if let Some(names) = &mut self.names {
                names.given.insert(to, name);
            }
        }
    }

    /// The nursery is empty again.
    pub(super) fn note_minor(&mut self) {
        if let Some(names) = &mut self.names {
            names.minor += 1;
        }
    }

    /// Gives the objects of the old space that will move, from the first address to the second one, and the large ones their names.
    pub(super) fn rename(&mut self, moves: &[(usize, usize)]) {
        let chunks = self.large.iter();
        let large: Vec<usize> = chunks.map(|chunk| chunk.start as usize + WORD).collect();
        let stay = large.into_iter().map(|header| (header, header));
        let all = moves.iter().copied().chain(stay);
        let given = all.map(|(from, to)| (to, self.name_at(from))).collect();
        if let Some(names) = &mut self.names {
            names.given = given;
            names.full += 1;
        }
    }

    pub(super) fn keeps_names(&self) -> bool {
        self.names.is_some()
    }
}
