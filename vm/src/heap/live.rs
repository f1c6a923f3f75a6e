//! The live words of the old space, and the location of each word after a full collection. The map exists during a full
//! collection only. Its size is a thirty-second of the old space. No `unsafe`: it deals in indices of words.

/// Words that one block of the map stands for.
const BLOCK: usize = 64;

#[derive(Clone, Copy, Default)]
struct Block {
    /// A bit for each word.
    live: u64,
    /// Live words in all blocks before.
    before: u64,
}

/// A bit for each word of the old space, and sums that make counting them quick.
pub(super) struct LiveMap {
    blocks: Vec<Block>,
    words: usize,
    /// Words before this one stay where they are.
    fixed: usize,
}

impl LiveMap {
    /// A map for that many words, none of them live.
    pub(super) fn new(words: usize) -> LiveMap {
        LiveMap {
            blocks: vec![Block::default(); words.div_ceil(BLOCK)],
            words,
            fixed: 0,
        }
    }

    /// Bytes that a map for that many words takes.
    pub(super) fn bytes_for(words: usize) -> usize {
        words.div_ceil(BLOCK) * size_of::<Block>()
    }

    /// Marks an object's words; `false` if that had been done.
    #[inline(always)]
    pub(super) fn mark(&mut self, first: usize, count: usize) -> bool {
        let (mut block, bit) = (first / BLOCK, first % BLOCK);
        if self.blocks[block].live >> bit & 1 != 0 {
            return false;
        }
        let room = BLOCK - bit;
        self.blocks[block].live |= low_bits(count.min(room)) << bit;
        let mut rest = count.saturating_sub(room);
        while rest > 0 {
            block += 1;
            self.blocks[block].live |= low_bits(rest.min(BLOCK));
            rest = rest.saturating_sub(BLOCK);
        }
        true
    }

    /// Whether the word at this index is live.
    pub(super) fn is_live(&self, index: usize) -> bool {
        self.blocks[index / BLOCK].live >> (index % BLOCK) & 1 != 0
    }

    /// Computes the new location of every live word, after marking. Answers the number of live words.
    pub(super) fn settle(&mut self) -> usize {
        let mut before = 0;
        let mut fixed = None;
        for (index, block) in self.blocks.iter_mut().enumerate() {
            block.before = before;
            before += u64::from(block.live.count_ones());
            if fixed.is_none() && block.live != u64::MAX {
                fixed = Some(index * BLOCK + block.live.trailing_ones() as usize);
            }
        }
        self.fixed = fixed.unwrap_or(self.words);
        before as usize
    }

    /// Whether anything will move.
    pub(super) fn moves(&self) -> bool {
        self.fixed < self.words
    }

    /// Where the live word at this index will be.
    #[inline(always)]
    pub(super) fn place_of(&self, index: usize) -> usize {
        if index < self.fixed {
            return index;
        }
        let block = self.blocks[index / BLOCK];
        let below = block.live & low_bits(index % BLOCK);
        block.before as usize + below.count_ones() as usize
    }

    /// The first live word at or after this index.
    #[inline(always)]
    pub(super) fn next_live(&self, mut index: usize) -> Option<usize> {
        while index < self.words {
            let rest = self.blocks[index / BLOCK].live >> (index % BLOCK);
            if rest != 0 {
                return Some(index + rest.trailing_zeros() as usize);
            }
            index = (index / BLOCK + 1) * BLOCK;
        }
        None
    }
}

#[inline(always)]
fn low_bits(count: usize) -> u64 {
    if count >= BLOCK {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn places_are_counted_live_words(objects in prop::collection::vec((1..200usize, any::<bool>()), 1..60)) {
            let words = objects.iter().map(|(size, _)| size).sum();
            let mut map = LiveMap::new(words);
            let mut at = 0;
            for &(size, live) in &objects {
                if live {
                    prop_assert!(map.mark(at, size));
                    prop_assert!(!map.mark(at, size));
                }
                at += size;
            }
            let total = map.settle();
            let (mut at, mut before, mut found) = (0, 0, map.next_live(0));
            for &(size, live) in &objects {
                if live {
                    prop_assert_eq!(found, Some(at));
                    prop_assert_eq!(map.place_of(at), before);
                    before += size;
                    found = map.next_live(at + size);
                }
                at += size;
            }
            prop_assert_eq!(found, None);
            prop_assert_eq!(total, before);
            prop_assert_eq!(map.moves(), total < words);
        }
    }
}
