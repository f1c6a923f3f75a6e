//! Zeroed words that can grow, for the stacks of processes. A small number of words comes from the allocator. A large
//! number gets its own range of addresses. So a deep stack grows without being copied, and its memory returns to the
//! system when the stack shrinks. This module knows nothing of frames.
//!
//! Why the `unsafe` here is sound: `start` and `count` always describe zeroed memory that this value alone owns, a
//! boxed slice or the committed part of a region.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

use crate::base::budget::{self, Purpose};

use super::region::Region;

/// From this number of words on they lie in a region. Miri takes about a microsecond to visit a word.
const MANY: usize = if cfg!(miri) { 1 << 9 } else { 1 << 16 };
/// Bytes that a region for a stack can at least grow to.
const ADDRESSES: usize = if cfg!(miri) { 1 << 22 } else { 1 << 30 };

/// Words that belong to one owner.
pub(crate) struct Words {
    start: *mut u64,
    count: usize,
    region: Option<Region>,
}

// SAFETY: the pointer is to memory that this value owns alone.
unsafe impl Send for Words {}

impl Words {
    /// That many words, all 0.
    pub(crate) fn new(count: usize) -> Words {
        if count < MANY {
            let words = vec![0_u64; count].into_boxed_slice();
            budget::note(Purpose::Stacks, count as isize * 8);
            return Words {
                start: Box::into_raw(words).cast(),
                count,
                region: None,
            };
        }
        let mut region = Region::reserve(ADDRESSES.max(count.saturating_mul(32)), Purpose::Stacks);
        region.commit(count * 8);
        Words {
            start: region.start(),
            count: region.committed() / 8,
            region: Some(region),
        }
    }

    /// Grows to at least `count` words and keeps their contents. The words may move.
    pub(crate) fn grow(&mut self, count: usize) {
        if count <= self.count {
            return;
        }
        if let Some(region) = &mut self.region
            && count * 8 <= region.reserved()
        {
            region.commit(count * 8);
            self.count = region.committed() / 8;
            return;
        }
        let mut larger = Words::new(count);
        larger[..self.count].copy_from_slice(self);
        *self = larger;
    }

    /// Gives back memory above `count` words, if there is enough of it to be worth it.
    pub(crate) fn shrink(&mut self, count: usize) {
        if let Some(region) = &mut self.region {
            region.shrink(count * 8);
            self.count = region.committed() / 8;
        }
    }

    /// The first word.
    #[inline(always)]
    pub(crate) fn start(&mut self) -> *mut u64 {
        self.start
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline(always)]
    fn deref(&self) -> &[u64] {
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

impl DerefMut for Words {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.count) }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        if self.region.is_none() {
            budget::note(Purpose::Stacks, -(self.count as isize * 8));
            // SAFETY: without a region the words came from a boxed slice of this length.
            drop(unsafe {
                Box::from_raw(std::ptr::slice_from_raw_parts_mut(self.start, self.count))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_content_as_they_grow() {
        let mut words = Words::new(0);
        let mut count = 3;
        while count < 5 * MANY {
            let old = words.len();
            words.grow(count);
            assert!(words.len() >= count);
            assert!(words[old..].iter().all(|&word| word == 0));
            assert!((1..old).all(|index| words[index] == index as u64));
            for (index, word) in words.iter_mut().enumerate() {
                *word = index as u64;
            }
            count += count / 2;
        }
        words.shrink(MANY);
        assert!((MANY..4 * MANY).contains(&words.len()));
        assert_eq!(words[MANY - 1], MANY as u64 - 1);
    }
}
