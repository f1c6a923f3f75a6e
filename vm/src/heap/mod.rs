//! The objects and their collector.
//!
//! ```text
//!            63      62        61         60    59     58..57  56..54  53..42  41..20  19..0
//! header   marked forwarded remembered  old  soiled   kind   slack   words   hash    class
//! ```
//!
//! `words` is the number of 8-byte words behind the header; 4095 means a large object, whose number of words stands in
//! the word before the header. `slack` is the number of unused bytes in the last word of a byte object. Objects start
//! in a nursery. A minor collection moves its survivors to the end of the old space, one range of addresses. A full
//! collection removes dead objects in place and keeps the order of the others. Large objects lie apart, are never
//! moved, and count as old from the start.
//!
//! An old object that may refer to a young one is remembered: a small one as a whole, a large one card by card (see
//! `cards`). A large object's header never has `remembered`. So every store of a young object into a large object leads
//! to [`Heap::remember`], which soils the card. `soiled` says that the object has soiled cards.
//!
//! The heap knows nothing of classes, frames or processes. The caller of a collection hands in a function that shows
//! every root. A pointer taken from a `Value` is valid until the next allocation or collection.
//!
//! Why the `unsafe` here is sound: `Heap::allocate` of the same heap made every `Value` with the pointer tag. Every
//! collection rewrites all locations that hold such a value: roots and slots of live objects. So the header behind the
//! pointer is readable. Slot and byte access check the index against the header.
#![allow(unsafe_code)]

mod cards;
mod collect;
mod fork;
mod live;
mod names;
mod positions;
mod region;
mod rooms;
mod statistics;
mod words;

use crate::base::Value;
use crate::base::budget::Purpose;

use cards::card_words;
use live::LiveMap;
use names::Names;
pub(crate) use positions::{Position, SettledExtent};
use region::{Chunk, Region};
use rooms::Rooms;
pub use statistics::{CollectorStatistics, Pauses};
pub(crate) use words::Words;

const CLASS_MASK: u64 = (1 << 20) - 1;
const HASH_SHIFT: u32 = 20;
const HASH_BITS: u32 = 22;
const HASH_MASK: u64 = (1 << HASH_BITS) - 1;
const WORDS_SHIFT: u32 = 42;
const WORDS_MASK: u64 = (1 << 12) - 1;
const SLACK_SHIFT: u32 = 54;
const BYTES_KIND: u64 = 1 << 57;
const SOILED: u64 = 1 << 59;
const OLD: u64 = 1 << 60;
const REMEMBERED: u64 = 1 << 61;
const FORWARDED: u64 = 1 << 62;
const MARKED: u64 = 1 << 63;

/// Greatest number of words of an object that is copied; larger ones lie apart.
const LARGE_WORDS: usize = WORDS_MASK as usize;
/// Bytes of large objects that may be made after a full collection before they are a reason for the next.
const LARGE_BUDGET: usize = 64 << 20;
/// Addresses that an old space may grow to fill; memory is taken as it is needed.
const OLD_ADDRESSES: usize = 64 << 30;
/// Bytes of a nursery for which a budget's reserve has room.
const USUAL_NURSERY: usize = 1 << 20;
const WORD: usize = 8;

/// The number of classes that a header can distinguish.
pub(crate) const MAX_CLASSES: usize = 1 << 20;

/// What an object's words hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// That many values.
    Slots(usize),
    /// That many bytes.
    Bytes(usize),
}

impl Contents {
    fn words(self) -> usize {
        match self {
            Contents::Slots(n) => n,
            Contents::Bytes(n) => n.div_ceil(WORD),
        }
    }
}

/// Objects and bytes by the model (counting model, 2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Objects.
    pub objects: u64,
    /// Bytes: a header word and a word a slot; byte objects rounded up to words.
    pub bytes: u64,
}

/// The objects of one machine.
pub struct Heap {
    bump: *mut u64,
    /// The end of the room for objects that are made on the fast path.
    limit: *mut u64,
    /// The limit for objects that no observer watches.
    unwatched_limit: *mut u64,
    nursery: Chunk,
    old: Region,
    /// Where the next object of the old space will be.
    old_top: *mut u64,
    large: Vec<Chunk>,
    /// Chunks of large objects that the last full collection found dead, for the next ones.
    spare: Vec<Chunk>,
    /// Keeps the memory of dropped copies.
    rooms: Rooms,
    is_copy: bool,
    /// Old objects that may refer to young ones.
    remembered: Vec<*mut u64>,
    /// Words of large objects, and the words that their chunks take.
    large_words: usize,
    large_cost: usize,
    /// Words of large objects made since the last full collection.
    large_words_made: usize,
    full_threshold: usize,
    /// Words in the old space at the last preparation for copies, if there was no full collection since.
    settled_words: Option<usize>,
    least_old_bytes: usize,
    stress: Option<u64>,
    /// Whether allocations take the slow path because an observer watches them.
    watched: bool,
    hash_state: u32,
    /// Names of objects, if they are kept.
    names: Option<Box<Names>>,
    /// The value last given to `note_unchanged`, nil after a change.
    unchanged: Value,
    /// Objects made, by the model.
    pub allocations: Allocations,
    /// Figures of the collector's work.
    pub statistics: CollectorStatistics,
}

// SAFETY: the raw pointers are to memory that this heap owns alone.
unsafe impl Send for Heap {}

/// The roots that a collection needs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    /// All of them.
    All,
    /// Roots that may refer to objects at these addresses, the nursery's. All such objects will have moved away when
    /// the collection is over. So the next collection skips a root that was not written to since.
    Young { start: usize, bytes: usize },
}

impl Scope {
    /// Whether a root with this value has to be shown.
    #[inline(always)]
    pub(crate) fn wants(self, value: Value) -> bool {
        match self {
            Scope::All => true,
            Scope::Young { start, bytes } => {
                value.is_object() && (value.pointer() as usize).wrapping_sub(start) < bytes
            }
        }
    }
}

/// Shows the collector the roots of a scope, one by one.
pub(crate) type Roots<'a> = dyn FnMut(Scope, &mut dyn FnMut(&mut Value)) + 'a;

impl Heap {
    /// An empty heap with a nursery of that many bytes. With `stress`, every allocation collects.
    pub(crate) fn new(nursery_bytes: usize, least_old_bytes: usize, stress: bool) -> Heap {
        let nursery = Chunk::new(nursery_bytes.max(1 << 16));
        let old = Region::reserve(OLD_ADDRESSES, Purpose::Heap);
        Heap::within(nursery, old, least_old_bytes, stress)
    }

    /// An empty heap in memory that is there already.
    fn within(nursery: Chunk, old: Region, least_old_bytes: usize, stress: bool) -> Heap {
        let mut heap = Heap {
            bump: nursery.start,
            limit: nursery.start,
            unwatched_limit: nursery.start,
            nursery,
            old_top: old.start(),
            old,
            large: Vec::new(),
            spare: Vec::new(),
            rooms: Rooms::default(),
            is_copy: false,
            remembered: Vec::new(),
            large_words: 0,
            large_cost: 0,
            large_words_made: 0,
            full_threshold: 0,
            settled_words: None,
            least_old_bytes,
            stress: None,
            watched: false,
            hash_state: 1,
            names: None,
            unchanged: Value::NIL,
            allocations: Allocations::default(),
            statistics: CollectorStatistics::default(),
        };
        heap.set_stress(stress);
        heap.set_threshold();
        heap
    }

    /// Turns collecting at every allocation on or off.
    pub(crate) fn set_stress(&mut self, stress: bool) {
        self.stress = stress.then_some(0);
        self.reset_limit();
    }

    /// Turns the slow path of allocations on or off. Allocations that are declared unwatched stay on the fast path.
    pub(crate) fn watch(&mut self, watched: bool) {
        self.watched = watched;
        self.reset_limit();
    }

    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    fn reset_limit(&mut self) {
        // Under stress, or when it is watched, the nursery always looks full, so that each allocation takes the
        // slow path.
        let full = self.nursery.start;
        let end = self.nursery_end();
        let under_stress = self.stress.is_some();
        self.unwatched_limit = if under_stress { full } else { end };
        self.limit = if under_stress || self.watched {
            full
        } else {
            end
        };
    }

    fn nursery_end(&self) -> *mut u64 {
        // SAFETY: one past the end of the nursery's own allocation.
        unsafe { self.nursery.start.add(self.nursery.capacity()) }
    }

    #[inline(always)]
    fn is_young(&self, value: Value) -> bool {
        value.is_object() && self.in_nursery(value.pointer())
    }

    fn in_nursery(&self, header: *const u64) -> bool {
        let start = self.nursery.start as usize;
        (header as usize).wrapping_sub(start) < self.nursery.capacity() * WORD
    }

    /// Bytes of the heap at the moment: objects, the nursery with its free part, and the map for the next full
    /// collection.
    pub fn bytes_in_use(&self) -> usize {
        let old = self.old_words();
        let words = old + self.large_cost + self.nursery.capacity();
        words * WORD + self.bytes_of_spare() + LiveMap::bytes_for(old)
    }

    /// Bytes that the next full collection will take in addition to the heap: its map, and room for the survivors of
    /// the nursery, as far as the nursery is larger than usual.
    pub(crate) fn bytes_for_collection(&self) -> usize {
        let nursery = self.nursery.capacity() * WORD;
        LiveMap::bytes_for(self.old_words()) + nursery.saturating_sub(USUAL_NURSERY)
    }

    /// Bytes that are kept for large objects to come.
    pub(crate) fn bytes_of_spare(&self) -> usize {
        self.spare.iter().map(Chunk::cost).sum::<usize>() * WORD
    }

    /// Bytes of the objects that were alive after the last collection, and of the objects made since.
    pub fn bytes_of_objects(&self) -> usize {
        let young = (self.bump as usize) - (self.nursery.start as usize);
        (self.old_words() + self.large_words) * WORD + young
    }

    /// Bytes that an object with these contents takes in memory.
    pub(crate) fn bytes_for(contents: Contents) -> usize {
        (contents.words() + 2 + card_words(contents)).saturating_mul(WORD)
    }

    // --- allocation: the one door -------------------------------------------------------------

    /// Makes an object in the nursery if there is room and no observer watches allocations. Slots are nil, bytes are 0.
    #[inline(always)]
    pub(crate) fn try_allocate(&mut self, class: u32, contents: Contents) -> Option<Value> {
        self.try_allocate_below(self.limit, class, contents)
    }

    /// As `try_allocate`, for an object that no observer watches.
    #[inline(always)]
    pub(crate) fn try_allocate_unwatched(
        &mut self,
        class: u32,
        contents: Contents,
    ) -> Option<Value> {
        self.try_allocate_below(self.unwatched_limit, class, contents)
    }

    #[inline(always)]
    fn try_allocate_below(
        &mut self,
        limit: *mut u64,
        class: u32,
        contents: Contents,
    ) -> Option<Value> {
        let words = contents.words();
        if words >= LARGE_WORDS {
            return None;
        }
        let start = self.bump;
        let end = start.wrapping_add(words + 1);
        if end > limit {
            return None;
        }
        // SAFETY: the room was checked against `limit`, which is inside the nursery.
        unsafe {
            self.bump = end;
            *start = header_bits(class, contents);
            fill(start.add(1), contents);
        }
        Some(Value::from_pointer(start))
    }

    /// Makes an object for which `try_allocate` found no room. The caller has collected with [`Heap::collect_if_due`].
    pub(crate) fn allocate_after_collection(&mut self, class: u32, contents: Contents) -> Value {
        let words = contents.words();
        if words >= LARGE_WORDS {
            return self.allocate_large(class, contents);
        }
        match self.try_allocate_below(self.nursery_end(), class, contents) {
            Some(value) => value,
            None => {
                // The nursery is full of objects that the collection could not move away (it
                // did not run): put the object straight into the old space.
                let header = self.old_room(words + 1);
                // SAFETY: `old_room` answers room for that many words.
                unsafe {
                    *header = header_bits(class, contents) | OLD;
                    fill(header.add(1), contents);
                }
                Value::from_pointer(header)
            }
        }
    }

    fn allocate_large(&mut self, class: u32, contents: Contents) -> Value {
        let (words, cards) = (contents.words(), card_words(contents));
        let (chunk, is_new) = self.chunk_for(words + 2 + cards);
        // SAFETY: the chunk has room for the size word, the header, the contents and the card bits.
        let header = unsafe {
            *chunk.start = words as u64;
            let header = chunk.start.add(1);
            *header = header_bits(class, contents) | OLD;
            // A new chunk is zeroed, and memory that is not touched costs nothing.
            if !is_new || matches!(contents, Contents::Slots(_)) {
                fill(header.add(1), contents);
            }
            if !is_new {
                std::ptr::write_bytes(header.add(1 + words), 0, cards);
            }
            header
        };
        self.large_words_made += words;
        self.adopt_large(chunk, words);
        Value::from_pointer(header)
    }

    /// Adds a chunk that holds an object of `words` words.
    fn adopt_large(&mut self, chunk: Chunk, words: usize) {
        self.large_words += words;
        self.large_cost += chunk.cost();
        self.large.push(chunk);
    }

    /// Gives back spare memory for large objects, except `bytes` bytes.
    pub(crate) fn keep_spare(&mut self, bytes: usize) {
        let mut room = bytes / WORD;
        self.spare.retain(|chunk| {
            let fits = chunk.cost() <= room;
            room -= if fits { chunk.cost() } else { 0 };
            fits
        });
    }

    /// A chunk with room for that many words and little more, and whether it is zeroed.
    fn chunk_for(&mut self, words: usize) -> (Chunk, bool) {
        let fits = |chunk: &Chunk| (words..=words + words / 4).contains(&chunk.capacity());
        match self.spare.iter().position(fits) {
            Some(index) => (self.spare.swap_remove(index), false),
            None => (Chunk::new(words * WORD), true),
        }
    }

    /// Whether an object of this size must wait for a collection first.
    pub(crate) fn collection_due(&self, contents: Contents) -> bool {
        let words = contents.words();
        self.stress.is_some()
            || (words < LARGE_WORDS
                && (self.nursery_end() as usize) - (self.bump as usize) < (words + 1) * WORD)
            || (words >= LARGE_WORDS && self.full_is_due(words))
    }

    /// Whether a full collection is due before a large object of that many words is made, or before the nursery is
    /// emptied. The first large objects after a full collection are free. Otherwise a program that makes and drops
    /// large objects would collect for every few of them.
    fn full_is_due(&self, words: usize) -> bool {
        let free = (self.large_words_made + words).min(LARGE_BUDGET / WORD);
        self.old_words() + self.large_words + words > self.full_threshold + free
    }

    /// Collects before an allocation if a collection is due: the nursery, or everything.
    pub(crate) fn collect_if_due(&mut self, contents: Contents, roots: &mut Roots<'_>) {
        if !self.collection_due(contents) {
            return;
        }
        let words = contents.words();
        let mut full = self.full_is_due(if words < LARGE_WORDS { 0 } else { words });
        if let Some(count) = &mut self.stress {
            *count += 1;
            full |= *count % 1000 == 0;
        }
        if full {
            self.collect_full(roots)
        } else {
            self.collect_minor(roots)
        }
    }

    fn old_room(&mut self, words: usize) -> *mut u64 {
        let room = self.old_top;
        let used = room as usize - self.old.start() as usize + words * WORD;
        if used > self.old.committed() {
            self.old.commit(used);
        }
        // SAFETY: the region has as many words: checked or made just now.
        self.old_top = unsafe { room.add(words) };
        room
    }

    fn old_words(&self) -> usize {
        (self.old_top as usize - self.old.start() as usize) / WORD
    }

    // --- access -------------------------------------------------------------------------------

    /// The class number in an object's header.
    #[inline(always)]
    pub(crate) fn class_of_object(&self, object: Value) -> u32 {
        // SAFETY: see the module's head.
        unsafe { (*object.pointer() & CLASS_MASK) as u32 }
    }

    /// The kind and the number of the object's contents.
    pub fn contents(&self, object: Value) -> Contents {
        // SAFETY: see the module's head.
        unsafe {
            let header = object.pointer();
            let words = words_of(header);
            if *header & BYTES_KIND != 0 {
                let slack = (*header >> SLACK_SHIFT & 7) as usize;
                Contents::Bytes(words * WORD - slack)
            } else {
                Contents::Slots(words)
            }
        }
    }

    /// The slots of an object; empty for byte objects.
    #[inline(always)]
    pub fn slots(&self, object: Value) -> &[Value] {
        // SAFETY: see the module's head; `Value` is a transparent word.
        unsafe {
            let header = object.pointer();
            let length = if *header & BYTES_KIND != 0 {
                0
            } else {
                words_of(header)
            };
            std::slice::from_raw_parts(header.add(1).cast(), length)
        }
    }

    /// The slots of an object that is known to have slots and no bytes.
    #[inline(always)]
    pub(crate) fn elements(&self, object: Value) -> &[Value] {
        debug_assert!(matches!(self.contents(object), Contents::Slots(_)));
        // SAFETY: as for `slots`.
        unsafe {
            let header = object.pointer();
            std::slice::from_raw_parts(header.add(1).cast(), words_of(header))
        }
    }

    /// The bytes of a byte object; empty for others.
    #[inline(always)]
    pub fn bytes(&self, object: Value) -> &[u8] {
        let length = self.byte_length(object);
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts(object.pointer().add(1).cast(), length) }
    }

    /// The bytes of a byte object, for changes; empty for others. Every write to bytes that a program can see uses
    /// this.
    pub fn bytes_mut(&mut self, object: Value) -> &mut [u8] {
        self.note_change(object);
        let length = self.byte_length(object);
        // SAFETY: see the module's head; `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(object.pointer().add(1).cast(), length) }
    }

    /// The bytes of a byte object that has eight, as a number, little end first.
    #[inline(always)]
    pub(crate) fn word_of_bytes(&self, object: Value) -> u64 {
        debug_assert_eq!(self.bytes(object).len(), WORD);
        // SAFETY: see the module's head; the object has a word.
        unsafe { u64::from_le(*object.pointer().add(1)) }
    }

    /// A byte object's contents are about to change.
    #[inline(always)]
    fn note_change(&mut self, object: Value) {
        if self.unchanged == object {
            self.unchanged = Value::NIL;
        }
    }

    /// Notes a value for `is_unchanged`.
    pub(crate) fn note_unchanged(&mut self, value: Value) {
        self.unchanged = value;
    }

    /// Whether this is the value that was noted last, with the same bytes as then. May be false
    /// after a collection all the same.
    pub(crate) fn is_unchanged(&self, value: Value) -> bool {
        self.unchanged == value && value != Value::NIL
    }

    /// Whether the platform has `bytes` bytes in one piece at this moment.
    pub(crate) fn platform_has(bytes: usize) -> bool {
        Chunk::is_to_be_had(bytes)
    }

    /// The words of a byte object, in the byte order of the platform; empty for others.
    #[inline(always)]
    pub(crate) fn limbs(&self, object: Value) -> &[u64] {
        let length = self.limb_count(object);
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts(object.pointer().add(1), length) }
    }

    /// The words of a byte object, to be changed; empty for others.
    #[inline(always)]
    pub(crate) fn limbs_mut(&mut self, object: Value) -> &mut [u64] {
        let length = self.limb_count(object);
        // SAFETY: see the module's head; `&mut self` makes the borrow unique.
        unsafe { std::slice::from_raw_parts_mut(object.pointer().add(1), length) }
    }

    #[inline(always)]
    fn limb_count(&self, object: Value) -> usize {
        // SAFETY: see the module's head.
        unsafe {
            let header = object.pointer();
            match *header & BYTES_KIND {
                0 => 0,
                _ => words_of(header),
            }
        }
    }

    #[inline(always)]
    fn byte_length(&self, object: Value) -> usize {
        match self.contents(object) {
            Contents::Bytes(n) => n,
            Contents::Slots(_) => 0,
        }
    }

    /// A slot; the index was checked by the verifier or by the caller.
    #[inline(always)]
    pub(crate) fn slot(&self, object: Value, index: usize) -> Value {
        debug_assert!(index < self.slots(object).len());
        // SAFETY: the index is inside the object (see the debug check and its callers).
        unsafe { *object.pointer().add(1 + index).cast() }
    }

    /// Stores into a slot, remembering an old object that now refers to a young one.
    #[inline(always)]
    pub(crate) fn set_slot(&mut self, object: Value, index: usize, value: Value) {
        if self.store(object, index, value) {
            self.remember(object, index);
        }
    }

    /// Stores into a slot; true if the object is old, refers to a young one now, and has to be remembered. It is for
    /// callers that are too short to make room on the stack for a call.
    #[inline(always)]
    #[must_use]
    pub(crate) fn store(&mut self, object: Value, index: usize, value: Value) -> bool {
        debug_assert!(index < self.slots(object).len());
        let header = object.pointer();
        // SAFETY: as for `slot`.
        unsafe {
            *header.add(1 + index).cast() = value;
            value.is_object()
                && *header & (OLD | REMEMBERED) == OLD
                && self.in_nursery(value.pointer())
        }
    }

    /// Stores into a slot of a new object: no collection can have happened since it was made.
    #[inline(always)]
    pub(crate) fn init_slot(&mut self, object: Value, index: usize, value: Value) {
        debug_assert!(index < self.slots(object).len());
        debug_assert!(self.in_nursery(object.pointer()));
        // SAFETY: as for `slot`.
        unsafe { *object.pointer().add(1 + index).cast() = value };
    }

    /// Remembers an object because [`Heap::store`] stored a young object into this slot.
    #[cold]
    #[inline(never)]
    pub(crate) fn remember(&mut self, object: Value, index: usize) {
        // SAFETY: see the module's head; the slot was stored into just now.
        unsafe { self.soil(object.pointer(), index, 1) };
    }

    /// Copies slots within or between objects. Ranges were checked by the caller.
    pub(crate) fn copy_slots(
        &mut self,
        from: Value,
        from_index: usize,
        to: Value,
        to_index: usize,
        count: usize,
    ) {
        let in_range = from_index + count <= self.slots(from).len()
            && to_index + count <= self.slots(to).len();
        assert!(in_range, "copy_slots out of range");
        if count == 0 {
            return;
        }
        // SAFETY: both ranges were checked; `copy` allows overlap.
        unsafe {
            let source = from.pointer().add(1 + from_index);
            let target = to.pointer().add(1 + to_index);
            std::ptr::copy(source, target, count);
            let header = to.pointer();
            if *header & (OLD | REMEMBERED) != OLD || !self.may_refer_to_young(from) {
                return;
            }
            match words_field(*header) {
                LARGE_WORDS => self.soil_where_young(header, to_index, to_index + count),
                _ => self.soil(header, to_index, count),
            }
        }
    }

    /// Whether an object is young, or an old one that may refer to a young one.
    fn may_refer_to_young(&self, object: Value) -> bool {
        // SAFETY: see the module's head.
        unsafe { *object.pointer() & (OLD | REMEMBERED | SOILED) != OLD }
    }

    /// Copies bytes within or between byte objects; false, and nothing is done, if a range is not inside its object.
    #[must_use]
    pub(crate) fn copy_bytes(
        &mut self,
        from: Value,
        from_index: usize,
        to: Value,
        to_index: usize,
        count: usize,
    ) -> bool {
        let holds =
            |length: usize, index: usize| index.checked_add(count).is_some_and(|end| end <= length);
        let in_range =
            holds(self.byte_length(from), from_index) && holds(self.byte_length(to), to_index);
        if in_range {
            self.note_change(to);
            // SAFETY: both ranges were checked; `copy` allows overlap.
            unsafe {
                let source = from.pointer().add(1).cast::<u8>().add(from_index);
                let target = to.pointer().add(1).cast::<u8>().add(to_index);
                std::ptr::copy(source, target, count);
            }
        }
        in_range
    }

    /// The object's identity hash, given at the first request from the heap's own sequence.
    /// A full-period generator over 22 bits: 2²² requests give 2²² − 1 different hashes.
    pub(crate) fn identity_hash(&mut self, object: Value) -> u32 {
        // SAFETY: see the module's head.
        unsafe {
            let header = object.pointer();
            let found = (*header >> HASH_SHIFT & HASH_MASK) as u32;
            if found != 0 {
                return found;
            }
            loop {
                self.hash_state = (self.hash_state.wrapping_mul(1_664_525))
                    .wrapping_add(1_013_904_223)
                    & HASH_MASK as u32;
                if self.hash_state != 0 {
                    break;
                }
            }
            *header |= u64::from(self.hash_state) << HASH_SHIFT;
            self.hash_state
        }
    }

    /// Goes on with another sequence of identity hashes; answers where this one stands. Processors have sequences of their own.
    pub(crate) fn exchange_hash_state(&mut self, state: u32) -> u32 {
        std::mem::replace(&mut self.hash_state, state & HASH_MASK as u32)
    }

    /// The object's identity hash, 0 if none was requested.
    pub(crate) fn known_hash(&self, object: Value) -> u32 {
        // SAFETY: see the module's head.
        unsafe { (*object.pointer() >> HASH_SHIFT & HASH_MASK) as u32 }
    }

    /// Gives an object without an identity hash this one, if it is not 0.
    pub(crate) fn give_hash(&mut self, object: Value, hash: u32) {
        // SAFETY: see the module's head.
        unsafe { *object.pointer() |= (u64::from(hash) & HASH_MASK) << HASH_SHIFT };
    }

    /// Gives `to` the hash of `from` if `from` has one: `becomeForward:` must keep identity hashes.
    pub(crate) fn copy_hash(&mut self, from: Value, to: Value) {
        // SAFETY: see the module's head.
        unsafe {
            let hash = *from.pointer() & HASH_MASK << HASH_SHIFT;
            let target = to.pointer();
            if hash != 0 {
                *target = *target & !(HASH_MASK << HASH_SHIFT) | hash;
            }
        }
    }

    /// Gives a byte object another class and more bytes in place, if it can grow there: its last word has room, or it
    /// is the newest object. Its old bytes stay; the new ones are undefined.
    pub(crate) fn grow_in_place(&mut self, object: Value, class: u32, bytes: usize) -> bool {
        let contents = Contents::Bytes(bytes);
        let (old, new) = (self.contents(object).words(), contents.words());
        let header = object.pointer();
        let end = header.wrapping_add(new + 1);
        let is_last = self.in_nursery(header) && header.wrapping_add(old + 1) == self.bump;
        if new >= LARGE_WORDS || new < old || new > old && !(is_last && end <= self.unwatched_limit)
        {
            return false;
        }
        // SAFETY: see the module's head. Words behind the object are the nursery's free ones, and there are enough; objects
        // fill the nursery without gaps again.
        unsafe {
            const CHANGED: u64 = CLASS_MASK | WORDS_MASK << WORDS_SHIFT | 7 << SLACK_SHIFT;
            if new > old {
                fill(header.add(1 + old), Contents::Bytes((new - old) * WORD));
                self.bump = end;
            }
            *header = *header & !CHANGED | header_bits(class, contents);
        }
        self.note_change(object);
        true
    }

    pub(crate) fn swap_hashes(&mut self, a: Value, b: Value) {
        const BITS: u64 = HASH_MASK << HASH_SHIFT;
        // SAFETY: see the module's head; both words are read before either is written.
        unsafe {
            let (first, second) = (*a.pointer(), *b.pointer());
            *a.pointer() = first & !BITS | second & BITS;
            *b.pointer() = second & !BITS | first & BITS;
        }
    }

    /// Whether the value is an object with a slot of this number.
    #[inline]
    pub(crate) fn has_slot(&self, value: Value, index: usize) -> bool {
        value.is_object() && index < self.slots(value).len()
    }

    /// Where the sequence of identity hashes stands.
    pub(crate) fn hash_state(&self) -> u32 {
        self.hash_state
    }

    /// Starts the sequence of identity hashes elsewhere.
    pub(crate) fn seed_hashes(&mut self, seed: u32) {
        self.hash_state = seed & HASH_MASK as u32;
    }

    /// Shows `visit` every slot of every object, dead ones in the old space included.
    /// For `become:`, after a full collection.
    pub(crate) fn for_each_slot(&mut self, mut visit: impl FnMut(&mut Value)) {
        let mut headers = self.headers();
        headers.extend(self.large.iter().map(|c| {
            // SAFETY: a large object's header is the second word of its chunk.
            unsafe { c.start.add(1) }
        }));
        for header in headers {
            // SAFETY: `headers` walks complete objects.
            unsafe { self.scan_object(header, |_, value| visit(value)) };
        }
    }

    /// Replaces every reference to a young object by a reference to a second object. Answers `false`, with nothing
    /// done, if the object is not young. Old objects that refer to young ones are remembered, so the rest of the old
    /// space is skipped.
    pub(crate) fn replace_young(&mut self, roots: &mut Roots<'_>, from: Value, to: Value) -> bool {
        if !self.in_nursery(from.pointer()) {
            return false;
        }
        let replace = |value: &mut Value| {
            if *value == from {
                *value = to;
            }
        };
        roots(Scope::All, &mut |value| replace(value));
        for index in 0..self.remembered.len() {
            let header = self.remembered[index];
            // SAFETY: remembered objects are old and alive until the next full collection.
            unsafe {
                self.visit_soiled(header, |_, first, count| {
                    (0..count).for_each(|slot| replace(&mut *first.add(slot).cast()));
                    true
                });
            }
        }
        let mut header = self.nursery.start;
        while header < self.bump {
            // SAFETY: objects fill the nursery up to `bump` without gaps.
            unsafe {
                self.scan_object(header, |_, value| replace(value));
                header = header.add(words_field(*header) + 1);
            }
        }
        true
    }

    /// Treats every old object as if it referred to a young one, after references were changed without the write
    /// barrier.
    pub(crate) fn remember_everything(&mut self) {
        let large: Vec<*mut u64> = self
            .large
            .iter()
            // SAFETY: a large object's header is the second word of its chunk.
            .map(|chunk| unsafe { chunk.start.add(1) })
            .collect();
        for header in self.headers().into_iter().chain(large) {
            // SAFETY: `headers` walks complete objects.
            unsafe {
                let words = words_of(header);
                if *header & (OLD | BYTES_KIND) == OLD && words > 0 {
                    self.soil(header, 0, words);
                }
            }
        }
    }

    fn headers(&self) -> Vec<*mut u64> {
        let mut headers = Vec::new();
        let young = (self.bump as usize - self.nursery.start as usize) / WORD;
        let old = (self.old.start(), self.old_words());
        for (start, used) in [old, (self.nursery.start, young)] {
            let mut at = 0;
            while at < used {
                // SAFETY: objects fill `start .. start + used` without gaps.
                unsafe {
                    let header = start.add(at);
                    headers.push(header);
                    at += words_field(*header) + 1;
                }
            }
        }
        headers
    }

    /// Every object whose class number `wanted` accepts, in the order of their addresses.
    pub(crate) fn objects_of(&self, wanted: impl Fn(u32) -> bool) -> Vec<Value> {
        let large = self.large.iter().map(|c| {
            // SAFETY: a large object's header is the second word of its chunk.
            unsafe { c.start.add(1) }
        });
        self.headers()
            .into_iter()
            .chain(large)
            .map(Value::from_pointer)
            .filter(|&object| wanted(self.class_of_object(object)))
            .collect()
    }
}

/// Bits of a forwarded header that hold the new place: user addresses fit into 48 bits.
const ADDRESS_MASK: u64 = (1 << 48) - 1;

fn header_bits(class: u32, contents: Contents) -> u64 {
    let words = contents.words().min(LARGE_WORDS) as u64;
    let kind = match contents {
        Contents::Slots(_) => 0,
        Contents::Bytes(n) => {
            let slack = (contents.words() * WORD - n) as u64;
            BYTES_KIND | slack << SLACK_SHIFT
        }
    };
    u64::from(class) | words << WORDS_SHIFT | kind
}

/// Fills a new object: slots with nil, bytes with 0.
///
/// # Safety
/// `start` has room for the contents.
#[inline(always)]
unsafe fn fill(start: *mut u64, contents: Contents) {
    let word = match contents {
        Contents::Slots(_) => Value::NIL.bits(),
        Contents::Bytes(_) => 0,
    };
    for i in 0..contents.words() {
        // SAFETY: by the caller's promise.
        unsafe { *start.add(i) = word };
    }
}

fn words_field(header: u64) -> usize {
    (header >> WORDS_SHIFT & WORDS_MASK) as usize
}

/// # Safety
/// `header` is the header of an object that is not forwarded.
#[inline(always)]
unsafe fn words_of(header: *const u64) -> usize {
    // SAFETY: a large object has its number of words in front of its header.
    unsafe {
        let words = words_field(*header);
        if words == LARGE_WORDS {
            *header.sub(1) as usize
        } else {
            words
        }
    }
}

#[cfg(test)]
mod tests;
