//! Where the objects of a settled heap stand, in the heap and in its copies, and whether a copy has changed one of them. The head of
//! `heap` says why the `unsafe` is sound.
#![allow(unsafe_code)]

use super::*;

/// Bits of a header that no program can see, or that say nothing of the object's contents.
const APART: u64 = HASH_MASK << HASH_SHIFT | SOILED | OLD | REMEMBERED | FORWARDED | MARKED;

/// The place of an object among those that a heap had when it was settled. It is the same in all copies, until one of these objects
/// dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Position {
    /// Words from the start of the old space.
    Old(u32),
    /// The how-manieth of the large objects.
    Large(u32),
}

/// How many objects a settled heap has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettledExtent {
    old_words: usize,
    large: usize,
}

impl Heap {
    /// The extent of the objects that are there now. The heap is settled.
    pub(crate) fn extent(&self) -> SettledExtent {
        SettledExtent {
            old_words: self.old_words(),
            large: self.large.len(),
        }
    }

    /// The place of the object, if it was there in this extent.
    pub(crate) fn position(&self, object: Value, extent: SettledExtent) -> Option<Position> {
        let header = object.pointer();
        let offset = (header as usize).wrapping_sub(self.old.start() as usize) / WORD;
        if offset < extent.old_words {
            return u32::try_from(offset).ok().map(Position::Old);
        }
        // SAFETY: see the module's head.
        let is_large = unsafe { words_field(*header) == LARGE_WORDS };
        let mut large = self.large.iter().take(extent.large);
        let index = is_large.then(|| large.position(|chunk| header_of(chunk) == header))??;
        u32::try_from(index).ok().map(Position::Large)
    }

    /// The object at a place that [`Heap::position`] has given for this extent, here or in another copy of the same heap.
    pub(crate) fn object_at(&self, position: Position, extent: SettledExtent) -> Option<Value> {
        let header = match position {
            Position::Old(offset) => {
                let is_there = (offset as usize) < extent.old_words.min(self.old_words());
                // SAFETY: the offset is within the old space.
                is_there.then(|| unsafe { self.old.start().add(offset as usize) })?
            }
            Position::Large(index) => header_of(self.large.get(index as usize)?),
        };
        Some(Value::from_pointer(header))
    }

    /// Gives each object an identity hash that has none. So an object has the same one in all copies.
    pub(crate) fn draw_all_hashes(&mut self) {
        for object in self.objects_of(|_| true) {
            self.identity_hash(object);
        }
    }

    /// An object of this settled heap that a copy of it has changed. Identity hashes are no change.
    pub(crate) fn changed_in(&self, copy: &Heap) -> Option<Value> {
        let extent = self.extent();
        let mut at = 0;
        while at < extent.old_words {
            // SAFETY: objects fill the old space without gaps, and the copy's old space began as one of the same size.
            unsafe {
                let (header, there) = (self.old.start().add(at), copy.old.start().add(at));
                if !self.is_same(header, copy, there, extent) {
                    return Some(Value::from_pointer(header));
                }
                at += words_field(*header) + 1;
            }
        }
        let pairs = self.large.iter().zip(&copy.large);
        let mut pairs = pairs.map(|(here, there)| (header_of(here), header_of(there)));
        // SAFETY: these are headers of large objects.
        let changed = pairs.find(|(here, there)| unsafe {
            words_of(*here) != words_of(*there) || !self.is_same(*here, copy, *there, extent)
        });
        changed.map(|(header, _)| Value::from_pointer(header))
    }

    /// Whether two objects have the same contents.
    ///
    /// # Safety
    ///
    /// Both are headers, the first in this heap, the second in the copy, where as many words can be read.
    unsafe fn is_same(
        &self,
        here: *const u64,
        copy: &Heap,
        there: *const u64,
        extent: SettledExtent,
    ) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            if (*here ^ *there) & !APART != 0 {
                return false;
            }
            let words = words_of(here);
            if *here & BYTES_KIND != 0 {
                let bytes = |header: *const u64| std::slice::from_raw_parts(header.add(1), words);
                return bytes(here) == bytes(there);
            }
            (1..=words).all(|index| {
                let value = *here.add(index).cast::<Value>();
                let other = *there.add(index).cast::<Value>();
                if !value.is_object() || !other.is_object() {
                    return value == other;
                }
                copy.position(other, extent) == self.position(value, extent)
                    && self.position(value, extent).is_some()
            })
        }
    }
}

/// The header of a large object: the second word of its chunk.
fn header_of(chunk: &Chunk) -> *mut u64 {
    chunk.start.wrapping_add(1)
}
