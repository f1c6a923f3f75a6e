//! A range of addresses of which a growing part is memory: the old space lies in one, so that it can grow
//! and shrink without moving. Knows the system's calls, and nothing of objects.
//!
//! What makes the `unsafe` here sound: a region's addresses belong to it alone from `reserve` to `drop`,
//! and only the part below `committed` is ever given out.
#![allow(unsafe_code)]

/// Bytes by which a region's memory grows, and to which it shrinks: a multiple of every page size.
const STEP: usize = 1 << 18;
/// The least that a region can be made with.
const LEAST: usize = 64 << 20;

/// Addresses, the lower part of them backed by memory.
pub(super) struct Region {
    start: *mut u8,
    reserved: usize,
    committed: usize,
}

impl Region {
    /// A region that can grow to this many bytes, or to fewer if the system has no more addresses.
    pub(super) fn reserve(bytes: usize) -> Region {
        let mut wanted = bytes.max(LEAST).next_multiple_of(STEP);
        loop {
            let start = system::reserve(wanted);
            if !start.is_null() {
                return Region {
                    start,
                    reserved: wanted,
                    committed: 0,
                };
            }
            if wanted <= LEAST {
                out_of_memory(wanted);
            }
            wanted = (wanted / 2).max(LEAST).next_multiple_of(STEP);
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

    /// Makes at least so many bytes usable. A system without memory ends the program, as it does for
    /// any other allocation.
    pub(super) fn commit(&mut self, bytes: usize) {
        let wanted = bytes.next_multiple_of(STEP);
        if wanted <= self.committed {
            return;
        }
        // SAFETY: the range is inside the region, which is this value's alone.
        let done = wanted <= self.reserved
            && unsafe { system::commit(self.start.add(self.committed), wanted - self.committed) };
        if !done {
            out_of_memory(bytes);
        }
        self.committed = wanted;
    }

    /// Gives back to the system what lies above so many bytes; its content is lost.
    pub(super) fn shrink(&mut self, bytes: usize) {
        let kept = bytes.next_multiple_of(STEP);
        if kept < self.committed {
            // SAFETY: the range is inside the region, and nobody refers to it any more.
            unsafe { system::release(self.start.add(kept), self.committed - kept) };
            self.committed = kept;
        }
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the range came from `reserve` and is given back once.
        unsafe { system::free(self.start, self.reserved) }
    }
}

fn out_of_memory(bytes: usize) -> ! {
    let layout = std::alloc::Layout::from_size_align(bytes, 8);
    std::alloc::handle_alloc_error(layout.unwrap_or(std::alloc::Layout::new::<u64>()))
}

#[cfg(all(unix, not(miri)))]
mod system {
    //! `mmap`: addresses first, memory when it is asked for, addresses again when it is given back.

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

    pub(super) unsafe fn commit(start: *mut u8, bytes: usize) -> bool {
        // SAFETY: by the caller's promise the range is a reserved one.
        unsafe { libc::mprotect(start.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) == 0 }
    }

    pub(super) unsafe fn release(start: *mut u8, bytes: usize) {
        // Mapping anew is what gives memory back at once on every Unix. Should it fail, the memory
        // merely stays.
        // SAFETY: by the caller's promise the range is a reserved one that nobody refers to.
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

    use std::alloc::{Layout, alloc, dealloc};
    use std::ptr::null_mut;

    const MOST: usize = 1 << 30;

    fn layout(bytes: usize) -> Option<Layout> {
        Layout::from_size_align(bytes, 16).ok()
    }

    pub(super) fn reserve(bytes: usize) -> *mut u8 {
        match layout(bytes) {
            // SAFETY: the size is positive.
            Some(layout) if bytes <= MOST => unsafe { alloc(layout) },
            _ => null_mut(),
        }
    }

    pub(super) unsafe fn commit(_start: *mut u8, _bytes: usize) -> bool {
        true
    }

    pub(super) unsafe fn release(_start: *mut u8, _bytes: usize) {}

    pub(super) unsafe fn free(start: *mut u8, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: `start` came from `alloc` with this layout.
            unsafe { dealloc(start, layout) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_and_goes() {
        let mut region = Region::reserve(1 << 30);
        region.commit(3 * STEP - 5);
        assert_eq!(region.committed(), 3 * STEP);
        // SAFETY: the words are inside what was committed.
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
