//! Collecting: the nursery alone, or everything. Cheney's scan over the chunks of the old space; large
//! objects are marked and queued. What makes the `unsafe` sound stands at the head of `heap`.
#![allow(unsafe_code)]

use std::time::Instant;

use super::*;

impl Heap {
    /// Moves what lives in the nursery to the old space.
    pub(crate) fn collect_minor(&mut self, roots: &mut Roots<'_>) {
        let begin = Instant::now();
        let mut scan = ScanPosition::end_of(&self.old);
        let young = Scope::Young {
            start: self.nursery.start as usize,
            bytes: self.nursery.capacity() * WORD,
        };
        roots(young, &mut |value| self.evacuate_young(value));
        let remembered = std::mem::take(&mut self.remembered);
        for header in remembered {
            // SAFETY: remembered objects are old and alive until the next full collection.
            unsafe {
                *header &= !REMEMBERED;
                self.scan_object(header, Heap::evacuate_young);
            }
        }
        while let Some(header) = scan.next(&self.old) {
            // SAFETY: `scan` walks complete objects that this collection copied.
            unsafe { self.scan_object(header, Heap::evacuate_young) };
        }
        self.bump = self.nursery.start;
        self.reset_limit();
        self.statistics.minor.note(begin);
        self.note_peak();
    }

    fn note_peak(&mut self) {
        let bytes = self.bytes_in_use();
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
    }

    /// Copies everything that lives into new chunks and frees the rest.
    pub(crate) fn collect_full(&mut self, roots: &mut Roots<'_>) {
        let begin = Instant::now();
        self.note_peak();
        let from = std::mem::take(&mut self.old);
        self.old_words = 0;
        self.remembered.clear();
        let mut grey = Vec::new();
        let mut scan = ScanPosition::end_of(&self.old);
        roots(Scope::All, &mut |value| self.evacuate_any(value, &mut grey));
        loop {
            if let Some(header) = scan.next(&self.old) {
                // SAFETY: as in `collect_minor`.
                unsafe { self.scan_object(header, |h, v| h.evacuate_any(v, &mut grey)) };
            } else if let Some(header) = grey.pop() {
                // SAFETY: a marked large object is alive.
                unsafe { self.scan_object(header, |h, v| h.evacuate_any(v, &mut grey)) };
            } else {
                break;
            }
        }
        drop(from);
        self.sweep_large();
        self.bump = self.nursery.start;
        self.reset_limit();
        self.set_threshold();
        self.statistics.full.note(begin);
    }

    pub(super) fn set_threshold(&mut self) {
        let live = self.old_words + self.large_words;
        self.full_threshold = (live * 2).max(self.least_old_words);
    }

    fn sweep_large(&mut self) {
        let mut words = 0;
        self.large.retain_mut(|chunk| {
            // SAFETY: a large object's header is the second word of its chunk.
            unsafe {
                let header = chunk.start.add(1);
                let alive = *header & MARKED != 0;
                *header &= !(MARKED | REMEMBERED);
                if alive {
                    words += chunk.capacity();
                }
                alive
            }
        });
        self.large_words = words;
    }

    fn evacuate_young(&mut self, value: &mut Value) {
        if value.is_object() && self.in_nursery(value.pointer()) {
            *value = self.copy_object(value.pointer());
        }
    }

    fn evacuate_any(&mut self, value: &mut Value, grey: &mut Vec<*mut u64>) {
        if !value.is_object() {
            return;
        }
        let header = value.pointer();
        // SAFETY: the header is readable, forwarded or not.
        let bits = unsafe { *header };
        if bits & FORWARDED == 0 && words_field(bits) == LARGE_WORDS {
            if bits & MARKED == 0 {
                // SAFETY: as above.
                unsafe { *header = bits | MARKED };
                grey.push(header);
            }
        } else {
            *value = self.copy_object(header);
        }
    }

    /// Copies the object to the old space, unless that was done; answers where it is now.
    fn copy_object(&mut self, from: *mut u64) -> Value {
        // SAFETY: `from` is the header of an object that is not large; a forwarded header holds
        // the new place in its low bits.
        unsafe {
            let bits = *from;
            if bits & FORWARDED != 0 {
                return Value::from_bits(bits & !FORWARDED & ADDRESS_MASK);
            }
            let words = words_field(bits) + 1;
            let to = self.old_room(words);
            std::ptr::copy_nonoverlapping(from, to, words);
            *to = (bits & !REMEMBERED) | OLD;
            self.statistics.words_promoted += words as u64;
            let moved = Value::from_pointer(to);
            *from = FORWARDED | moved.bits();
            moved
        }
    }

    /// Applies `visit` to every slot of an object and writes back what it made of it.
    ///
    /// # Safety
    /// `header` is the header of a complete object of this heap.
    pub(super) unsafe fn scan_object(
        &mut self,
        header: *mut u64,
        mut visit: impl FnMut(&mut Heap, &mut Value),
    ) {
        // SAFETY: by the caller's promise, and `words_of` is the object's extent.
        unsafe {
            if *header & BYTES_KIND != 0 {
                return;
            }
            for i in 1..=words_of(header) {
                let slot = header.add(i).cast::<Value>();
                let mut value = *slot;
                visit(self, &mut value);
                *slot = value;
            }
        }
    }
}

/// Where a scan of the chunks has got to.
struct ScanPosition {
    chunk: usize,
    word: usize,
}

impl ScanPosition {
    fn end_of(chunks: &[Chunk]) -> ScanPosition {
        match chunks.last() {
            Some(last) => ScanPosition {
                chunk: chunks.len() - 1,
                word: last.used,
            },
            None => ScanPosition { chunk: 0, word: 0 },
        }
    }

    fn next(&mut self, chunks: &[Chunk]) -> Option<*mut u64> {
        while let Some(chunk) = chunks.get(self.chunk) {
            if self.word < chunk.used {
                // SAFETY: `word` is below `used`, at the start of an object.
                unsafe {
                    let header = chunk.start.add(self.word);
                    self.word += words_field(*header) + 1;
                    return Some(header);
                }
            }
            if self.chunk + 1 == chunks.len() {
                return None;
            }
            self.chunk += 1;
            self.word = 0;
        }
        None
    }
}
