//! Copying a whole heap: the original stays as it is, so the new places are kept in a table instead of in
//! the old headers. What makes the `unsafe` sound stands at the head of `heap`.
#![allow(unsafe_code)]

use hashbrown::HashMap;

use super::*;

impl Heap {
    /// A heap of its own with copies of everything reachable from the roots. `roots` shows the roots
    /// of the *copy*: words that still refer to objects of `self`, to be rewritten.
    pub(crate) fn fork(&self, roots: &mut Roots<'_>) -> Heap {
        let mut copy = Heap::new(
            self.nursery.capacity() * WORD,
            self.least_old_bytes,
            self.stress.is_some(),
        );
        copy.stress = self.stress;
        copy.hash_state = self.hash_state;
        copy.allocations = self.allocations;
        copy.statistics = self.statistics.clone();
        let mut places: HashMap<u64, Value> = HashMap::new();
        let mut grey = Vec::new();
        let mut forward = |copy: &mut Heap, value: &mut Value, grey: &mut Vec<Value>| {
            if value.is_object() {
                *value = *places.entry(value.bits()).or_insert_with(|| {
                    let made = copy.adopt(*value);
                    grey.push(made);
                    made
                });
            }
        };
        roots(Scope::All, &mut |value| {
            forward(&mut copy, value, &mut grey)
        });
        while let Some(object) = grey.pop() {
            // SAFETY: `adopt` answered a complete object of `copy`.
            unsafe {
                copy.scan_object(object.pointer(), |copy, value| {
                    forward(copy, value, &mut grey)
                });
            }
        }
        copy.set_threshold();
        copy
    }

    /// A shallow copy of another heap's object, in the old space.
    fn adopt(&mut self, original: Value) -> Value {
        let from = original.pointer();
        // SAFETY: `original` is an object of a heap that is borrowed for the time being.
        unsafe {
            let words = words_of(from);
            let bits = (*from & !(REMEMBERED | SOILED | MARKED)) | OLD;
            let to = if words_field(bits) == LARGE_WORDS {
                // Card bits are 0 in a new chunk, and nothing in the copy is young.
                let chunk = Chunk::new(Heap::bytes_for(self.contents(original)));
                *chunk.start = words as u64;
                let to = chunk.start.add(1);
                self.adopt_large(chunk, words);
                to
            } else {
                self.old_room(words + 1)
            };
            std::ptr::copy_nonoverlapping(from, to, words + 1);
            *to = bits;
            Value::from_pointer(to)
        }
    }
}
