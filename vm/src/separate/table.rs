//! The table of all processors, in chunks: it grows without moving them, and without room that is not used.

use std::ops::{Index, IndexMut};

use super::processor::Processor;

/// Processors of a chunk.
const CHUNK: usize = 1024;

#[derive(Clone, Debug, Default)]
pub(super) struct Processors {
    chunks: Vec<Vec<Processor>>,
    count: usize,
}

impl Processors {
    pub(super) fn push(&mut self, processor: Processor) {
        if self.count.is_multiple_of(CHUNK) {
            // The first chunk grows with its processors: most programs have few.
            let room = if self.count == 0 { 0 } else { CHUNK };
            self.chunks.push(Vec::with_capacity(room));
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(processor);
            self.count += 1;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Processor> {
        self.chunks.iter().flatten()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Processor> {
        self.chunks.iter_mut().flatten()
    }

    /// Bytes of the table.
    pub(super) fn bytes(&self) -> usize {
        let room: usize = self.chunks.iter().map(Vec::capacity).sum();
        room * size_of::<Processor>()
    }
}

impl Index<usize> for Processors {
    type Output = Processor;

    fn index(&self, number: usize) -> &Processor {
        &self.chunks[number / CHUNK][number % CHUNK]
    }
}

impl IndexMut<usize> for Processors {
    fn index_mut(&mut self, number: usize) -> &mut Processor {
        &mut self.chunks[number / CHUNK][number % CHUNK]
    }
}
