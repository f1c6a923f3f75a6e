//! Memory from the system. A region is a range of addresses of which a growing part is memory, so that its contents
//! grow and shrink without moving. A chunk holds one large thing. Both return to the system at once, which no allocator
//! promises. This module knows the system's calls and no objects.
//!
//! Why the `unsafe` here is sound: a region's addresses belong to it alone from `reserve` to `drop`, and only the part
//! below `committed` is ever given out.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};

use crate::base::budget::{self, Purpose};

/// Chunks of fewer bytes come from the allocator: for them the system's calls would cost too much.
const LEAST_MAPPED: usize = 1 << 18;
/// What chunks are rounded to; a multiple of the page size or, where pages are larger, merely a number.
const PAGE: usize = 4096;
/// Bytes by which a region's memory grows, and to which it shrinks: a multiple of every page size.
const STEP: usize = if cfg!(miri) { 1 << 12 } else { 1 << 18 };
/// The least that a region can be made with.
const LEAST: usize = 64 << 20;

/// Addresses, the lower part of them backed by memory.
pub(super) struct Region {
    start: *mut u8,
    reserved: usize,
    committed: usize,
    purpose: Purpose,
}

// SAFETY: the addresses belong to the region alone.
unsafe impl Send for Region {}

impl Region {
    /// A region that can grow to this many bytes, or to fewer if the system has too few addresses. In that case it
    /// takes half of the free addresses, because stacks, threads and further machines need addresses too.
    pub(super) fn reserve(bytes: usize, purpose: Purpose) -> Region {
        let mut wanted = bytes.max(LEAST).next_multiple_of(STEP);
        let mut start = system::reserve(wanted);
        let mut leaves_half = !start.is_null();
        while start.is_null() || !leaves_half {
            if !start.is_null() {
                // SAFETY: the range was reserved just now, and nothing refers to it.
                unsafe { system::free(start, wanted) };
                leaves_half = true;
            } else if wanted <= LEAST {
                out_of_memory(wanted);
            }
            wanted = (wanted / 2).max(LEAST).next_multiple_of(STEP);
            start = system::reserve(wanted);
        }
        Region {
            start,
            reserved: wanted,
            committed: 0,
            purpose,
        }
    }

    /// Its first word.
    #[inline(always)]
    pub(super) fn start(&self) -> *mut u64 {
        self.start.cast()
    }

    /// Bytes that can be used.
    pub(super) fn committed(&self) -> usize {
        self.committed
    }

    /// Bytes to which it can grow.
    pub(super) fn reserved(&self) -> usize {
        self.reserved
    }

    /// Makes at least `bytes` bytes usable and charges the budget for them. A system without memory ends the program,
    /// as it does for any other allocation.
    pub(super) fn commit(&mut self, bytes: usize) {
        let wanted = bytes.next_multiple_of(STEP);
        if wanted <= self.committed {
            return;
        }
        if wanted > self.reserved {
            out_of_memory(bytes);
        }
        let more = wanted - self.committed;
        budget::charge(more);
        // SAFETY: the range is inside the region, which is this value's alone.
        if !unsafe { system::commit(self.start.add(self.committed), more) } {
            out_of_memory(bytes);
        }
        budget::note(self.purpose, more as isize);
        self.committed = wanted;
    }

    /// Gives the memory above `bytes` bytes back to the system; its contents are lost.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let kept = bytes.next_multiple_of(STEP);
        if kept < self.committed {
            // SAFETY: the range is inside the region, and no reference into it is left.
            unsafe { system::release(self.start.add(kept), self.committed - kept) };
            self.discharge(self.committed - kept);
            self.committed = kept;
        }
    }

    fn discharge(&self, bytes: usize) {
        budget::discharge(bytes);
        budget::note(self.purpose, -(bytes as isize));
    }
}

impl Region {
    /// A region without addresses, to stand where one was taken away.
    pub(super) const fn none() -> Region {
        Region {
            start: std::ptr::null_mut(),
            reserved: 0,
            committed: 0,
            purpose: Purpose::Heap,
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        if self.reserved == 0 {
            return;
        }
        // SAFETY: the range came from `reserve` and is given back once.
        unsafe { system::free(self.start, self.reserved) }
        self.discharge(self.committed);
    }
}

/// Memory for the nursery or for one large object, zeroed.
pub(super) struct Chunk {
    pub(super) start: *mut u64,
    bytes: usize,
}

// SAFETY: the memory belongs to the chunk alone.
unsafe impl Send for Chunk {}

impl Chunk {
    /// Memory of `bytes` bytes, from the allocator if they are few.
    pub(super) fn new(bytes: usize) -> Chunk {
        let (start, bytes) = if bytes < LEAST_MAPPED {
            // SAFETY: the layout's size is positive.
            (unsafe { alloc_zeroed(layout(bytes)) }, bytes)
        } else {
            let bytes = bytes.next_multiple_of(PAGE);
            budget::charge(bytes);
            (system::map(bytes), bytes)
        };
        if start.is_null() {
            out_of_memory(bytes);
        }
        budget::note(Purpose::Heap, bytes as isize);
        Chunk {
            start: start.cast(),
            bytes,
        }
    }

    /// Whether the system has `bytes` bytes in one piece at this moment.
    pub(super) fn is_to_be_had(bytes: usize) -> bool {
        let Some(bytes) = bytes.checked_next_multiple_of(PAGE) else {
            return false;
        };
        let start = system::map(bytes);
        if !start.is_null() {
            // SAFETY: `map` gave the range, and nothing was put there.
            unsafe { system::free(start.cast(), bytes) };
        }
        !start.is_null()
    }

    /// A chunk without memory, to stand where one was taken away.
    pub(super) const fn none() -> Chunk {
        Chunk {
            start: std::ptr::null_mut(),
            bytes: 0,
        }
    }

    /// Words that fit.
    #[inline(always)]
    pub(super) fn capacity(&self) -> usize {
        self.bytes / 8
    }

    /// Words that it takes; allocators round such sizes up by a sixth or so.
    pub(super) fn cost(&self) -> usize {
        if self.bytes < LEAST_MAPPED {
            self.capacity() / 6 * 7
        } else {
            self.capacity()
        }
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        // SAFETY: `start` came from one of these two in `new`, and is given back once.
        unsafe {
            if self.bytes < LEAST_MAPPED {
                dealloc(self.start.cast(), layout(self.bytes));
            } else {
                system::free(self.start.cast(), self.bytes);
                budget::discharge(self.bytes);
            }
        }
        budget::note(Purpose::Heap, -(self.bytes as isize));
    }
}

fn layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes.max(16), 16).unwrap_or(Layout::new::<[u64; 2]>())
}

fn out_of_memory(bytes: usize) -> ! {
    budget::refused();
    handle_alloc_error(layout(bytes))
}

#[cfg(all(unix, not(miri)))]
mod system {
    //! `mmap`: reserves addresses, adds memory on demand, and gives memory back while it keeps the addresses.

    use std::ptr::null_mut;

    const FLAGS: i32 = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;

    pub(super) fn reserve(bytes: usize) -> *mut u8 {
        // SAFETY: a new mapping at an address of the system's choice.
        let start = unsafe { libc::mmap(null_mut(), bytes, libc::PROT_NONE, FLAGS, -1, 0) };
        if start == libc::MAP_FAILED {
            null_mut()
        } else {
            start.cast()
        }
    }

    /// Zeroed memory, or null.
    pub(super) fn map(bytes: usize) -> *mut u8 {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
        // SAFETY: a new mapping at an address of the system's choice.
        let start = unsafe { libc::mmap(null_mut(), bytes, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            null_mut()
        } else {
            start.cast()
        }
    }

    pub(super) unsafe fn commit(start: *mut u8, bytes: usize) -> bool {
        // SAFETY: by the caller's promise the range is a reserved one.
        unsafe { libc::mprotect(start.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) == 0 }
    }

    pub(super) unsafe fn release(start: *mut u8, bytes: usize) {
        // A new mapping gives the memory back at once on every Unix. If the mapping fails, the process keeps the
        // memory, which does no harm.
        // SAFETY: by the caller's promise the range is reserved and no reference into it exists.
        unsafe {
            libc::mmap(
                start.cast(),
                bytes,
                libc::PROT_NONE,
                FLAGS | libc::MAP_FIXED,
                -1,
                0,
            );
        }
    }

    pub(super) unsafe fn free(start: *mut u8, bytes: usize) {
        // SAFETY: by the caller's promise the range is a reserved one.
        unsafe {
            libc::munmap(start.cast(), bytes);
        }
    }
}

#[cfg(not(all(unix, not(miri))))]
mod system {
    //! The allocator, where there is no `mmap`: a region is one block of memory, of moderate size
    //! because some systems charge for it at once.

    use std::alloc::{alloc_zeroed, dealloc};
    use std::ptr::null_mut;

    use super::layout;

    const MOST: usize = 1 << 30;

    pub(super) fn reserve(bytes: usize) -> *mut u8 {
        if bytes > MOST {
            return null_mut();
        }
        map(bytes)
    }

    pub(super) fn map(bytes: usize) -> *mut u8 {
        // SAFETY: the size is positive.
        unsafe { alloc_zeroed(layout(bytes)) }
    }

    pub(super) unsafe fn commit(_start: *mut u8, _bytes: usize) -> bool {
        true
    }

    pub(super) unsafe fn release(_start: *mut u8, _bytes: usize) {}

    pub(super) unsafe fn free(start: *mut u8, bytes: usize) {
        // SAFETY: `start` came from `alloc_zeroed` with this layout.
        unsafe { dealloc(start, layout(bytes)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_and_goes() {
        let mut region = Region::reserve(1 << 30, Purpose::Heap);
        region.commit(3 * STEP - 5);
        assert_eq!(region.committed(), 3 * STEP);
        // SAFETY: the words are inside the committed range.
        unsafe {
            let last = region.start().add(3 * STEP / 8 - 1);
            *last = 7;
            region.shrink(2 * STEP - 1);
            assert_eq!(region.committed(), 2 * STEP);
            region.commit(3 * STEP);
            if cfg!(all(unix, not(miri))) {
                assert_eq!(*last, 0);
            }
        }
    }
}
