//! Allocations by class, context and site.

use hashbrown::HashMap;

use crate::heap::Allocations;

/// A context, an instruction and a class: the edge of the allocating frame, the address in its code, the class's number.
pub(super) type Place = (u32, usize, u32);

/// Locations whose rows are found without a search.
const RECENT: usize = 1024;

/// Allocations by context, instruction and class.
#[derive(Clone, Debug, Default)]
pub(crate) struct AllocationSites {
    rows: Vec<(Place, Allocations)>,
    /// The row of each place.
    numbers: HashMap<Place, u32>,
    /// By the hash of a location: the row of the last location with this hash. It may be a different location.
    recent: Vec<u32>,
    /// The heap's counters at the last note.
    pub(crate) noted: Allocations,
}

impl AllocationSites {
    /// Objects and bytes by place.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (Place, Allocations)> {
        self.rows.iter().copied()
    }

    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.numbers.clear();
        self.recent.clear();
    }

    /// The same with other addresses.
    pub(crate) fn moved(&self, address: impl Fn(u32, usize) -> usize) -> AllocationSites {
        let mut moved = AllocationSites {
            noted: self.noted,
            ..AllocationSites::default()
        };
        for ((edge, at, class), row) in self.rows() {
            *moved.row((edge, address(edge, at), class)) = row;
        }
        moved
    }

    /// The allocations at this location.
    pub(crate) fn row(&mut self, place: Place) -> &mut Allocations {
        let (edge, at, class) = place;
        // Instructions are of eight bytes.
        let mixed = (at / 8)
            .wrapping_add(edge as usize * 31)
            .wrapping_add(class as usize * 127);
        let index = mixed % RECENT;
        let number = self
            .recent
            .get(index)
            .map_or(usize::MAX, |&number| number as usize);
        let number = match self.rows.get(number) {
            Some((known, _)) if *known == place => number,
            _ => self.find_row(place, index),
        };
        &mut self.rows[number].1
    }

    #[inline(never)]
    fn find_row(&mut self, place: Place, index: usize) -> usize {
        let rows = &mut self.rows;
        let number = *self.numbers.entry(place).or_insert_with(|| {
            rows.push((place, Allocations::default()));
            rows.len() as u32 - 1
        });
        if self.recent.is_empty() {
            self.recent = vec![u32::MAX; RECENT];
        }
        self.recent[index] = number;
        number as usize
    }
}
