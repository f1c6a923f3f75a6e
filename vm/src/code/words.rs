//! The words of a piece of linked code, owned through a raw pointer. The loop and the caches keep addresses into the
//! words and write through these addresses. A `Box` would claim at each move that no such address exists.
//!
//! Why the `unsafe` here is sound: `start` and `count` always describe a boxed slice that this value alone owns.
#![allow(unsafe_code)]

use std::ops::{Deref, DerefMut};

/// Words that stay in place until they are dropped.
pub(crate) struct CodeWords {
    start: *mut u64,
    count: usize,
}

impl CodeWords {
    /// The address of the first word. Code is read and caches are written through it.
    pub(crate) fn start(&self) -> *const u64 {
        self.start
    }
}

impl From<Vec<u64>> for CodeWords {
    fn from(words: Vec<u64>) -> CodeWords {
        let count = words.len();
        let start = Box::into_raw(words.into_boxed_slice()).cast();
        CodeWords { start, count }
    }
}

impl Clone for CodeWords {
    fn clone(&self) -> CodeWords {
        CodeWords::from(self.to_vec())
    }
}

impl Deref for CodeWords {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts(self.start, self.count) }
    }
}

impl DerefMut for CodeWords {
    fn deref_mut(&mut self) -> &mut [u64] {
        // SAFETY: see the module's head.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.count) }
    }
}

impl Drop for CodeWords {
    fn drop(&mut self) {
        let words = std::ptr::slice_from_raw_parts_mut(self.start, self.count);
        // SAFETY: the words came from a boxed slice of this length.
        drop(unsafe { Box::from_raw(words) });
    }
}
