//! The parts of a large object that the next collection of the nursery has to visit. A large object is never copied, so
//! it may have millions of slots. Visiting all of them because of a single store would be too slow. So its slots are
//! divided into cards; behind the slots stands a bit for each card.
//!
//! ```text
//! chunk    words | header | slots … | card bits …
//! ```
//!
//! Cards divide the chunk, not the slots. Where chunks begin at a page, a card is a line of the processor's cache. Then
//! the collection reads only lines that a store has just touched.
//!
//! A card is soiled when a young object is stored behind it. It is clean again when a collection has found no young
//! object behind it. Small objects are one card each: their header has the bit. Copies of a heap have no young objects,
//! so all of their cards are clean. The head of `heap` says why the `unsafe` is sound.
#![allow(unsafe_code)]

use super::*;

/// Words of a card.
const CARD: usize = 8;
/// Words of a chunk whose cards have their bits in one word.
const GROUP: usize = CARD * 64;
/// Words of a chunk before its first slot.
const HEAD: usize = 2;

#[inline(always)]
fn card_of(slot: usize) -> usize {
    (slot + HEAD) / CARD
}

#[inline(always)]
fn first_slot(card: usize) -> usize {
    (card * CARD).saturating_sub(HEAD)
}

/// Words that the card bits of an object with these contents take.
pub(super) fn card_words(contents: Contents) -> usize {
    match contents {
        Contents::Slots(n) if n >= LARGE_WORDS => (n + HEAD).div_ceil(GROUP),
        _ => 0,
    }
}

/// The word before a large object's first card bits.
///
/// # Safety
/// `header` is the header of a large object with slots.
unsafe fn card_bits(header: *mut u64) -> *mut u64 {
    // SAFETY: by the caller's promise; `allocate_large` and `adopt` leave room behind the slots.
    unsafe { header.add(1 + words_of(header)) }
}

impl Heap {
    /// Notes that an old object may refer to a young one from this slot on, for `count` slots.
    ///
    /// # Safety
    /// `header` is the header of an old object that has these slots, at least one.
    pub(super) unsafe fn soil(&mut self, header: *mut u64, first: usize, count: usize) {
        // SAFETY: by the caller's promise; the cards of slots that exist have bits.
        unsafe {
            let flag = match words_field(*header) {
                LARGE_WORDS => {
                    debug_assert!(first + count <= words_of(header));
                    let bits = card_bits(header);
                    for card in card_of(first)..=card_of(first + count - 1) {
                        *bits.add(card / 64) |= 1 << (card % 64);
                    }
                    SOILED
                }
                _ => REMEMBERED,
            };
            if *header & flag == 0 {
                *header |= flag;
                self.remembered.push(header);
            }
        }
    }

    /// Soils the cards of a large object behind which, in this range of slots, there are young objects.
    ///
    /// # Safety
    /// `header` is the header of a large object that has these slots.
    pub(super) unsafe fn soil_where_young(&mut self, header: *mut u64, from: usize, to: usize) {
        let mut first = from;
        while first < to {
            let end = to.min(first_slot(card_of(first) + 1));
            // SAFETY: by the caller's promise.
            unsafe {
                let slot = |index| *header.add(1 + index).cast::<Value>();
                if (first..end).any(|index| self.is_young(slot(index))) {
                    self.soil(header, first, 1);
                }
            }
            first = end;
        }
    }

    /// Shows `visit` every run of slots of a remembered object that may refer to young ones: the first slot and the
    /// count. `visit` answers whether the run still does. Answers whether any run does; the others are clean from now
    /// on.
    ///
    /// # Safety
    /// `header` is the header of a remembered object, and `visit` writes to these slots only.
    pub(super) unsafe fn visit_soiled(
        &mut self,
        header: *mut u64,
        mut visit: impl FnMut(&mut Heap, *mut u64, usize) -> bool,
    ) -> bool {
        // SAFETY: by the caller's promise; soiled cards are cards of slots that exist.
        unsafe {
            let words = words_of(header);
            if words_field(*header) < LARGE_WORDS {
                let remains = visit(self, header.add(1), words);
                if !remains {
                    *header &= !REMEMBERED;
                }
                return remains;
            }
            let bits = card_bits(header);
            let mut any_remains = false;
            for group in 0..(words + HEAD).div_ceil(GROUP) {
                let mut soiled = *bits.add(group);
                while soiled != 0 {
                    let bit = soiled & soiled.wrapping_neg();
                    soiled &= !bit;
                    let card = group * 64 + bit.trailing_zeros() as usize;
                    let (first, end) = (first_slot(card), words.min(first_slot(card + 1)));
                    let remains = visit(self, header.add(1 + first), end - first);
                    any_remains |= remains;
                    if !remains {
                        *bits.add(group) &= !bit;
                    }
                }
            }
            if !any_remains {
                *header &= !SOILED;
            }
            any_remains
        }
    }
}
