//! Copies a whole heap. All objects are old at that time, and they keep their order. The old space is copied as it is,
//! and all references move by the same distance. The head of `heap` says why the `unsafe` is sound.
#![allow(unsafe_code)]

use hashbrown::HashMap;

use super::*;

impl Heap {
    /// Whether no object has been made since `settle`.
    pub(crate) fn is_settled(&self) -> bool {
        self.bump == self.nursery.start
            && self.settled_words == Some(self.old_words())
            && self.large_words_made == 0
    }

    /// Prepares the heap for copies. The caller has just made a full collection.
    pub(crate) fn settle(&mut self) {
        self.settled_words = Some(self.old_words());
    }

    /// An empty heap for a copy of this one, in the memory of an earlier copy if there is any.
    pub(crate) fn for_copy(&self) -> Heap {
        let (nursery, old) = self
            .rooms
            .take(self.nursery.capacity() * WORD, OLD_ADDRESSES);
        let mut copy = Heap::within(nursery, old, self.least_old_bytes, false);
        copy.rooms = self.rooms.clone();
        copy.is_copy = true;
        copy.hash_state = self.hash_state;
        copy.allocations = self.allocations;
        copy.statistics = self.statistics.clone();
        copy.stress = self.stress;
        copy.reset_limit();
        copy
    }

    /// Copies all objects into a heap from `for_copy`. `roots` shows the roots of the *copy*: words that still refer to
    /// objects of `self`, to be rewritten. The heap is settled.
    pub(crate) fn copy_objects(&self, copy: &mut Heap, roots: &mut Roots<'_>) {
        debug_assert!(self.is_settled());
        let used = self.old_words();
        let (from, to) = (self.old.start(), copy.old_room(used));
        let large: HashMap<Value, Value> = self
            .large
            .iter()
            .map(|chunk| copy.copy_large(chunk))
            .collect();
        let follow = |value: &mut Value| {
            if !value.is_object() {
                return;
            }
            let offset = (value.pointer() as usize).wrapping_sub(from as usize);
            *value = match offset < used * WORD {
                // SAFETY: the same place in the copy's old space, which is as large.
                true => Value::from_pointer(unsafe { to.add(offset / WORD) }),
                false => large.get(value).copied().unwrap_or(Value::NIL),
            };
        };
        roots(Scope::All, &mut |value| follow(value));
        let mut at = 0;
        while at < used {
            // SAFETY: objects fill the old space without gaps, and the copy has as much room.
            unsafe {
                let (header, place) = (from.add(at), to.add(at));
                let words = words_field(*header);
                *place = *header;
                if *header & BYTES_KIND != 0 {
                    std::ptr::copy_nonoverlapping(header.add(1), place.add(1), words);
                } else {
                    for index in 1..=words {
                        let mut value = *header.add(index).cast::<Value>();
                        follow(&mut value);
                        *place.add(index).cast() = value;
                    }
                }
                at += words + 1;
            }
        }
        for &object in large.values() {
            // SAFETY: `copy_large` answered a complete object of `copy`.
            unsafe { copy.scan_object(object.pointer(), |_, value| follow(value)) };
        }
        copy.set_threshold();
    }

    /// A shallow copy of a large object of the original heap: the object there and here.
    fn copy_large(&mut self, chunk: &Chunk) -> (Value, Value) {
        // SAFETY: the chunk's first words are the object's size and header. Nothing in a settled heap is young, so the
        // object's card bits are clean, and the bits of a new chunk are clean too.
        unsafe {
            let original = Value::from_pointer(chunk.start.add(1));
            let words = words_of(original.pointer());
            let copy = Chunk::new(Heap::bytes_for(self.contents(original)));
            std::ptr::copy_nonoverlapping(chunk.start, copy.start, words + 2);
            let object = Value::from_pointer(copy.start.add(1));
            self.adopt_large(copy, words);
            (original, object)
        }
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if self.is_copy {
            self.rooms.put(&mut self.nursery, &mut self.old);
        }
    }
}
