//! The global cache of lookups, and the emptying of inline caches.

use super::target::Target;
use crate::base::{ClassId, SymbolId};
use crate::bytecode::{Op, Word, with_op};

const CACHE_BITS: u32 = 12;

const CACHE_ENTRIES: usize = 1 << CACHE_BITS;

/// One lookup that was made; a key of 0 is none.
#[derive(Clone, Copy)]
struct Entry {
    key: u64,
    target: *const Target,
}

const NO_ENTRY: Entry = Entry {
    key: 0,
    target: std::ptr::null(),
};

/// Direct-mapped cache of lookups by class and selector.
pub(crate) struct LookupCache {
    entries: Box<[Entry; CACHE_ENTRIES]>,
    is_empty: bool,
}

impl Default for LookupCache {
    fn default() -> LookupCache {
        LookupCache {
            entries: Box::new([NO_ENTRY; CACHE_ENTRIES]),
            is_empty: true,
        }
    }
}

impl LookupCache {
    /// No class has the number 0, so no key is 0.
    #[inline(always)]
    fn key(class: ClassId, selector: SymbolId) -> u64 {
        u64::from(class.0) << 32 | u64::from(selector.0)
    }

    #[inline(always)]
    fn index(key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - CACHE_BITS)) as usize
    }

    #[inline(always)]
    pub(crate) fn get(&self, class: ClassId, selector: SymbolId) -> Option<*const Target> {
        let key = LookupCache::key(class, selector);
        let entry = &self.entries[LookupCache::index(key)];
        (entry.key == key).then_some(entry.target)
    }

    pub(crate) fn put(&mut self, class: ClassId, selector: SymbolId, target: *const Target) {
        self.is_empty = false;
        let key = LookupCache::key(class, selector);
        self.entries[LookupCache::index(key)] = Entry { key, target };
    }

    pub(crate) fn clear(&mut self) {
        if !self.is_empty {
            self.entries.fill(NO_ENTRY);
            self.is_empty = true;
        }
    }
}

/// Empties the inline cache of a send, and takes back the form that it gave the send.
pub(crate) fn empty_cache(send: &mut [u64]) {
    if let [word, cache, target] = send {
        if Word(*word).op().is_some_and(Op::is_formed_send) {
            *word = with_op(*word, Op::Send);
        }
        *cache &= !0xFFFF_FFFF;
        *target = 0;
    }
}
