//! Memory of dropped heaps, for the next copies of the same machine. A new nursery and a new range of addresses, with
//! cleared pages, cost more than copying a small heap. No `unsafe`: this module does not read the memory.

use std::mem::replace;
use std::sync::{Arc, Mutex, PoisonError};

use crate::base::budget::Purpose;

use super::region::{Chunk, Region};

/// The largest number of kept rooms: about as many copies as live at the same time.
const MOST: usize = 8;
/// Bytes of an old space that are kept.
const MOST_BYTES: usize = 4 << 20;

/// A nursery and the addresses of an old space.
struct Room {
    nursery: Chunk,
    old: Region,
}

/// The rooms that a machine and its copies have in common.
#[derive(Clone, Default)]
pub(super) struct Rooms(Arc<Mutex<Vec<Room>>>);

impl Rooms {
    /// A nursery of that many bytes and an old space, with anything in them.
    pub(super) fn take(&self, nursery_bytes: usize, addresses: usize) -> (Chunk, Region) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match kept.filter(|room| room.nursery.capacity() * 8 == nursery_bytes) {
            Some(Room { nursery, old }) => (nursery, old),
            None => (
                Chunk::new(nursery_bytes),
                Region::reserve(addresses, Purpose::Heap),
            ),
        }
    }

    /// Keeps the memory of a heap that is going, if there are not enough.
    pub(super) fn put(&self, nursery: &mut Chunk, old: &mut Region) {
        let mut rooms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rooms.len() < MOST {
            old.shrink(MOST_BYTES);
            rooms.push(Room {
                nursery: replace(nursery, Chunk::none()),
                old: replace(old, Region::none()),
            });
        }
    }
}
