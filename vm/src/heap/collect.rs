//! Collections of the nursery, whose survivors move to the end of the old space, and full collections. A full
//! collection marks the live objects and then removes the gaps in place. So it needs a map of a thirty-second of the
//! old space and no second old space. Large objects are marked and swept. The head of `heap` says why the `unsafe` is
//! sound.
#![allow(unsafe_code)]

use std::time::Instant;

use super::*;

/// The least capacity of the list of objects to visit.
const LEAST_GREY: usize = if cfg!(test) { 4 } else { 1024 };
/// Objects with more slots than this are marked in portions, so that the list of objects to visit stays short.
const PORTION: usize = 64;

impl Heap {
    /// Moves the survivors of the nursery to the old space.
    pub(crate) fn collect_minor(&mut self, roots: &mut Roots<'_>) {
        let begin = Instant::now();
        if self.unchanged.is_object() && self.in_nursery(self.unchanged.pointer()) {
            self.unchanged = Value::NIL;
        }
        let mut scan = self.old_top;
        let young = Scope::Young {
            start: self.nursery.start as usize,
            bytes: self.nursery.capacity() * WORD,
        };
        roots(young, &mut |value| self.evacuate_young(value));
        let mut remembered = std::mem::take(&mut self.remembered);
        // SAFETY: remembered objects are old and stay where they are until the next full collection.
        remembered.retain(|&header| unsafe { self.visit_soiled(header, Heap::evacuate_slots) });
        self.keep_list(remembered);
        while scan < self.old_top {
            // SAFETY: the objects that this collection has copied fill the old space up to `old_top` without gaps.
            unsafe {
                let words = words_field(*scan);
                if *scan & BYTES_KIND == 0 && self.evacuate_slots(scan.add(1), words) {
                    self.soil(scan, 0, words);
                }
                scan = scan.add(words + 1);
            }
        }
        self.bump = self.nursery.start;
        self.note_minor();
        self.reset_limit();
        self.note_peak(0);
        self.statistics.minor.note(begin);
    }

    /// Keeps the list of objects that are still remembered, and its room for the next ones unless that is unusual.
    fn keep_list(&mut self, mut list: Vec<*mut u64>) {
        list.shrink_to(1024);
        self.remembered = list;
    }

    fn note_peak(&mut self, lists: usize) {
        let bytes = self.bytes_in_use() + lists;
        self.statistics.peak_bytes = self.statistics.peak_bytes.max(bytes);
    }

    /// Collects everything: empties the nursery, marks, compacts the old space, frees large objects.
    pub(crate) fn collect_full(&mut self, roots: &mut Roots<'_>) {
        let begin = Instant::now();
        self.unchanged = Value::NIL;
        self.collect_minor(roots);
        debug_assert!(self.remembered.is_empty(), "nothing young is left");
        let mut map = self.mark(roots);
        let live = map.settle();
        if self.keeps_names() {
            self.rename(&self.moves(&map));
        }
        if map.moves() {
            self.squeeze(&map, roots);
            // SAFETY: fewer words than before are still inside the region.
            self.old_top = unsafe { self.old.start().add(live) };
        }
        drop(map);
        self.sweep_large();
        self.set_threshold();
        // Memory that the heap will soon need again is kept.
        let soon = (live * WORD + self.growth() / 2).min(self.full_threshold * WORD);
        self.old.shrink(soon);
        self.statistics.full.note(begin);
    }

    /// Marks all live objects, in the map or, for large objects, in the header.
    fn mark(&mut self, roots: &mut Roots<'_>) -> LiveMap {
        let mut marker = Marker {
            base: self.old.start() as usize,
            map: LiveMap::new(self.old_words()),
            grey: Vec::new(),
            wide: Vec::new(),
            room: LEAST_GREY.max(self.old_words() / 128),
            missed: usize::MAX,
        };
        roots(Scope::All, &mut |value| marker.mark(*value));
        marker.finish();
        let lists = marker.grey.capacity() * WORD + marker.wide.capacity() * 2 * WORD;
        self.note_peak(lists);
        marker.map
    }

    /// Clears the slots of weak holders, from the given slot on, that hold the only references to an object. The holders'
    /// other slots are strong. The nursery must be empty, as after a full collection. Nothing moves, and the next full
    /// collection frees the objects.
    pub(crate) fn clear_weak(&mut self, holders: &[(Value, usize)], roots: &mut Roots<'_>) {
        let mut held = Vec::new();
        for &(holder, first) in holders {
            for index in first..self.slots(holder).len() {
                let value = self.slot(holder, index);
                if value.is_object() {
                    held.push((holder, index, value));
                    self.set_slot(holder, index, Value::NIL);
                }
            }
        }
        let values: Vec<Value> = held.iter().map(|(_, _, value)| *value).collect();
        let are_live = self.are_live(&values, roots);
        for ((holder, index, value), is_live) in held.into_iter().zip(are_live) {
            if is_live {
                self.set_slot(holder, index, value);
            }
        }
    }

    /// Whether the roots lead to these objects. The nursery must be empty, as after a full collection. Nothing moves.
    pub(crate) fn are_live(&mut self, values: &[Value], roots: &mut Roots<'_>) -> Vec<bool> {
        let map = self.mark(roots);
        let base = self.old.start() as usize;
        let flags = values.iter().map(|value| {
            let header = value.pointer();
            // SAFETY: the nursery is empty, so every reference is to an old object or a large one.
            let bits = unsafe { *header };
            match words_field(bits) == LARGE_WORDS {
                true => bits & MARKED != 0,
                false => map.is_live((header as usize - base) / WORD),
            }
        });
        let flags = flags.collect();
        for chunk in &self.large {
            // SAFETY: a large object's header is the second word of its chunk.
            unsafe { *chunk.start.add(1) &= !MARKED };
        }
        flags
    }

    /// From where to where the map moves the headers of objects.
    fn moves(&self, map: &LiveMap) -> Vec<(usize, usize)> {
        let (base, mut moves) = (self.old.start(), Vec::new());
        let (mut next, mut to) = (map.next_live(0), 0);
        while let Some(at) = next {
            // SAFETY: as in `squeeze`: a live word that does not belong to the object before it is a header.
            let words = unsafe { words_field(*base.add(at)) };
            moves.push((base as usize + at * WORD, base as usize + to * WORD));
            to += words + 1;
            next = map.next_live(at + words + 1);
        }
        moves
    }

    /// Moves all live words down to their locations by the map, and updates every reference.
    fn squeeze(&mut self, map: &LiveMap, roots: &mut Roots<'_>) {
        let base = self.old.start();
        let bytes = self.old_words() * WORD;
        let follow = |value: &mut Value| {
            if value.is_object() {
                let offset = (value.pointer() as usize).wrapping_sub(base as usize);
                if offset < bytes {
                    // SAFETY: the new place is below the old one, inside the region.
                    *value = Value::from_pointer(unsafe { base.add(map.place_of(offset / WORD)) });
                }
            }
        };
        roots(Scope::All, &mut |value| follow(value));
        for index in 0..self.large.len() {
            // SAFETY: a large object's header is the second word of its chunk.
            unsafe {
                let header = self.large[index].start.add(1);
                if *header & MARKED != 0 {
                    self.scan_object(header, |_, value| follow(value));
                }
            }
        }
        let (mut next, mut to) = (map.next_live(0), 0);
        while let Some(at) = next {
            // SAFETY: a live word that does not belong to the object before it is a header. Objects move downwards in
            // the order of their locations, so no object is overwritten before it has moved.
            unsafe {
                let (from, place) = (base.add(at), base.add(to));
                let header = *from;
                let words = words_field(header);
                if header & BYTES_KIND != 0 {
                    if at != to {
                        std::ptr::copy(from, place, words + 1);
                    }
                } else {
                    *place = header;
                    for index in 1..=words {
                        let mut value = *from.add(index).cast::<Value>();
                        follow(&mut value);
                        *place.add(index).cast() = value;
                    }
                }
                if at != to {
                    self.statistics.words_moved += words as u64 + 1;
                }
                to += words + 1;
                next = map.next_live(at + words + 1);
            }
        }
    }

    pub(super) fn set_threshold(&mut self) {
        self.large_words_made = 0;
        self.settled_words = None;
        self.full_threshold = self.old_words() + self.large_words + self.growth() / WORD;
    }

    /// Bytes that the old space may grow by before the next full collection: three times the live data while these are
    /// small, half of them when they are large.
    fn growth(&self) -> usize {
        let live = (self.old_words() + self.large_words) * WORD;
        let least = self.least_old_bytes;
        (live * 3)
            .saturating_sub(least)
            .min(live / 2 + 8 * least)
            .max(least)
    }

    /// Frees large objects that were not marked. As much memory is kept for new ones as was made since the last full
    /// collection. The system would have to clear new pages, which costs more than all other work.
    fn sweep_large(&mut self) {
        let made = self.large_words_made.min(LARGE_BUDGET / WORD);
        let mut room = made.max(self.least_old_bytes / WORD);
        self.spare.clear();
        (self.large_words, self.large_cost) = (0, 0);
        for chunk in std::mem::take(&mut self.large) {
            // SAFETY: a large object's header is the second word of its chunk, its size the first.
            let (words, is_alive) = unsafe {
                let header = chunk.start.add(1);
                let is_alive = *header & MARKED != 0;
                *header &= !MARKED;
                (words_of(header), is_alive)
            };
            if is_alive {
                self.adopt_large(chunk, words);
            } else if chunk.capacity() <= room {
                room -= chunk.capacity();
                self.spare.push(chunk);
            }
        }
    }

    fn evacuate_young(&mut self, value: &mut Value) {
        if self.is_young(*value) {
            *value = self.promote(value.pointer());
        }
    }

    /// Moves the young objects that slots refer to. Answers whether a slot still refers to a young object. At present
    /// all survivors leave the nursery at once, so none does.
    fn evacuate_slots(&mut self, first: *mut u64, count: usize) -> bool {
        let mut remains = false;
        for index in 0..count {
            // SAFETY: callers show slots of one complete object of this heap.
            unsafe {
                let slot = first.add(index).cast::<Value>();
                if self.is_young(*slot) {
                    let moved = self.promote((*slot).pointer());
                    *slot = moved;
                    remains |= self.is_young(moved);
                }
            }
        }
        remains
    }

    /// Copies a young object to the old space, unless that was done; answers where it is now.
    fn promote(&mut self, from: *mut u64) -> Value {
        // SAFETY: `from` is the header of an object in the nursery, which is never large; a
        // forwarded header holds the new place in its low bits.
        unsafe {
            let bits = *from;
            if bits & FORWARDED != 0 {
                return Value::from_bits(bits & !FORWARDED & ADDRESS_MASK);
            }
            let words = words_field(bits) + 1;
            let to = self.old_room(words);
            *to = bits | OLD;
            for index in 1..words {
                *to.add(index) = *from.add(index);
            }
            self.statistics.words_promoted += words as u64;
            let moved = Value::from_pointer(to);
            self.note_promoted(from as usize, to as usize);
            *from = FORWARDED | moved.bits();
            moved
        }
    }

    /// Applies `visit` to every slot of an object and writes the new values back.
    ///
    /// # Safety
    /// `header` is the header of a complete object of this heap.
    #[inline(always)]
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

/// Finds all live objects, depth first. The list of objects to visit is bounded. An object that does not fit into the
/// list is only marked. A walk over all marked objects finds it again.
struct Marker {
    /// Address of the old space.
    base: usize,
    map: LiveMap,
    /// Marked objects with slots to visit.
    grey: Vec<*mut u64>,
    /// Marked objects with many slots, and the first unvisited slot.
    wide: Vec<(*mut u64, usize)>,
    /// How long `grey` may get.
    room: usize,
    /// Index of the first word of an object that was marked and then found no room.
    missed: usize,
}

impl Marker {
    /// Marks an object, and notes its slots for a visit.
    #[inline(always)]
    fn mark(&mut self, value: Value) {
        if !value.is_object() {
            return;
        }
        let header = value.pointer();
        // SAFETY: the nursery is empty, so every reference is to an old object or a large one.
        unsafe {
            let bits = *header;
            let words = words_field(bits);
            let is_new = if words == LARGE_WORDS {
                *header = bits | MARKED;
                bits & MARKED == 0
            } else {
                self.map
                    .mark((header as usize - self.base) / WORD, words + 1)
            };
            if is_new && bits & BYTES_KIND == 0 && words > 0 {
                if self.grey.len() >= self.room && words < LARGE_WORDS {
                    self.missed = self.missed.min((header as usize - self.base) / WORD);
                } else if words > PORTION {
                    self.wide.push((header, 1));
                } else {
                    self.grey.push(header);
                }
            }
        }
    }

    /// Marks all objects that marked objects reach.
    fn finish(&mut self) {
        self.empty_lists();
        while self.missed < usize::MAX {
            let mut next = self
                .map
                .next_live(std::mem::replace(&mut self.missed, usize::MAX));
            while let Some(at) = next {
                // SAFETY: the walk began at a header, and behind a live object comes a header or a
                // word that is dead.
                let words = unsafe {
                    let header = (self.base as *mut u64).add(at);
                    let words = words_field(*header);
                    if *header & BYTES_KIND == 0 {
                        self.mark_slots(header, 1, words);
                    }
                    words
                };
                self.empty_lists();
                next = self.map.next_live(at + words + 1);
            }
        }
    }

    fn empty_lists(&mut self) {
        loop {
            // SAFETY: only headers of complete objects get into the lists.
            unsafe {
                if let Some(header) = self.grey.pop() {
                    self.mark_slots(header, 1, words_field(*header));
                } else if let Some((header, first)) = self.wide.pop() {
                    let words = words_of(header);
                    let last = words.min(first + PORTION - 1);
                    if last < words {
                        self.wide.push((header, last + 1));
                    }
                    self.mark_slots(header, first, last);
                } else {
                    return;
                }
            }
        }
    }

    /// # Safety
    /// The object behind `header` has these slots.
    unsafe fn mark_slots(&mut self, header: *mut u64, first: usize, last: usize) {
        for index in first..=last {
            // SAFETY: by the caller's promise.
            self.mark(unsafe { *header.add(index).cast::<Value>() });
        }
    }
}
