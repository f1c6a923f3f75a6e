//! Makes objects and keeps the limits on memory.

use super::Vm;
use crate::base::{ClassId, Limit, Stop, Value, budget};
use crate::heap::{Contents, Heap};
use crate::processes::Mark;

/// The largest size of an object on any platform. Primitives decline larger ones.
pub(crate) const MOST_BYTES: u64 = 1 << 36;
/// Objects of fewer bytes are made without a check of the room.
const FEW_BYTES: usize = 1 << 15;
/// Objects of more bytes are made only after a check that the platform has the memory.
const MANY_BYTES: usize = 1 << 27;

/// Bytes that may still be taken under the tightest limit, and that limit.
struct Room {
    bytes: usize,
    limit: usize,
}

impl Vm {
    /// Makes an object and counts it.
    #[inline(always)]
    pub(crate) fn make(&mut self, class: ClassId, contents: Contents) -> Value {
        self.heap.allocations.objects += 1;
        self.heap.allocations.bytes += model_bytes(contents);
        self.make_uncounted(class, contents)
    }

    /// Makes an object of a kind that the model does not count.
    #[inline(always)]
    pub(crate) fn make_uncounted(&mut self, class: ClassId, contents: Contents) -> Value {
        match self.heap.try_allocate(class.0, contents) {
            Some(value) => value,
            None => self.make_slowly(class, contents),
        }
    }

    /// Makes an object of a kind that is never counted and never watched: a number, a cell.
    #[inline(always)]
    pub(crate) fn make_unwatched(&mut self, class: ClassId, contents: Contents) -> Value {
        match self.heap.try_allocate_unwatched(class.0, contents) {
            Some(value) => value,
            None => self.make_after_collection(class, contents),
        }
    }

    #[cold]
    #[inline(never)]
    fn make_slowly(&mut self, class: ClassId, contents: Contents) -> Value {
        if crate::observers::PROFILING && self.heap.is_watched() {
            self.allocating(class);
            if let Some(value) = self.heap.try_allocate_unwatched(class.0, contents) {
                return value;
            }
        }
        self.make_after_collection(class, contents)
    }

    #[cold]
    #[inline(never)]
    fn make_after_collection(&mut self, class: ClassId, contents: Contents) -> Value {
        if self.heap.collection_due(contents) {
            self.collect_if_due(contents);
        }
        self.keep_to_limit(Heap::bytes_for(contents));
        self.heap.allocate_after_collection(class.0, contents)
    }

    /// Whether an object with these contents may be made. Check it before an allocation whose size a program chooses.
    /// It may collect: values that were read before are void. If the memory limit forbids the object, the run ends at
    /// the next poll point. If the object could never exist, the program has to handle that.
    pub(crate) fn has_room_for(&mut self, contents: Contents) -> bool {
        let bytes = Heap::bytes_for(contents);
        bytes as u64 <= MOST_BYTES
            && (bytes < FEW_BYTES || self.keep_to_limit(bytes) && self.platform_has(bytes))
    }

    /// The requested number of elements, if the model allows that many of this size. If only this platform cannot hold
    /// them, the run ends as at the limit on memory.
    pub(crate) fn wanted_length(&mut self, wanted: Value, bytes_each: u64) -> Option<usize> {
        let length = u64::try_from(wanted.as_int()?).ok()?;
        let bytes = length.checked_mul(bytes_each)?;
        if bytes > MOST_BYTES {
            return None;
        }
        if isize::try_from(bytes).is_err() {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
            return None;
        }
        usize::try_from(length).ok()
    }

    /// Whether the platform has that many bytes in one piece. Where it refuses them the run ends as at the limit on memory.
    fn platform_has(&mut self, bytes: usize) -> bool {
        // The heap's own data for an object take less than one part in 64.
        let has = bytes < MANY_BYTES || Heap::platform_has(bytes.saturating_add(bytes / 64));
        if !has {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
        }
        has
    }

    /// The bytes that count against `max_memory`.
    pub fn memory_in_use(&self) -> usize {
        self.heap.bytes_in_use()
            + self.running.stack.len() * 8
            + self.running.marks.capacity() * size_of::<Mark>()
            + self.running.contexts.bytes()
            + self.processes.bytes
            + self.separate.bytes()
            + self.actors.bytes()
            + self.image.symbols.bytes()
            + self.world.regexes.bytes()
    }

    /// Limits the bytes of this machine alone from now on; there is no such limit if `None`.
    pub fn limit_memory(&mut self, bytes: Option<usize>) {
        self.config.max_memory = bytes;
    }

    /// Notes an excess of memory; the next poll point ends the run.
    pub(crate) fn check_memory(&mut self) {
        if self.room().is_some_and(|room| room.bytes == 0) {
            self.run.memory_is_short = true;
            self.registers.tick_limit = 0;
        }
    }

    /// The free memory of this machine and of the whole process.
    fn room(&self) -> Option<Room> {
        let own = self.config.max_memory.map(|limit| Room {
            bytes: limit.saturating_sub(self.memory_in_use()),
            limit,
        });
        let common = budget::limit().map(|limit| Room {
            bytes: limit.saturating_sub(budget::held() + self.heap.bytes_for_collection()),
            limit,
        });
        own.into_iter().chain(common).min_by_key(|room| room.bytes)
    }

    /// Whether the machine may hold that many bytes more, after a full collection if necessary. If not, the next poll
    /// point ends the run. A collection must free more than a trifle. Otherwise the program would spend all its time
    /// collecting.
    pub(crate) fn keep_to_limit(&mut self, bytes: usize) -> bool {
        let Some(room) = self.room() else {
            return true;
        };
        // The working memory of a primitive for a large object may be as large as the object.
        if bytes.saturating_mul(2) <= room.bytes {
            return true;
        }
        if bytes <= room.limit {
            self.collect_garbage();
            // Spare memory for large objects takes at most half of the rest.
            let left = self.room().map_or(0, |room| room.bytes);
            let left = left.saturating_add(self.heap.bytes_of_spare());
            let left = left.saturating_sub(bytes.saturating_add(room.limit / 16));
            self.heap.keep_spare(left / 2);
        }
        let fits = self
            .room()
            .is_none_or(|room| bytes.saturating_add(room.limit / 64) <= room.bytes);
        if !fits {
            self.stop_at_next_poll(Stop::Limit(Limit::Memory));
        }
        fits
    }
}

/// Bytes of an object by the model: a header word and its contents in whole words.
pub(crate) fn model_bytes(contents: Contents) -> u64 {
    let words = match contents {
        Contents::Slots(n) => n,
        Contents::Bytes(n) => n.div_ceil(8),
    };
    8 * (1 + words as u64)
}
