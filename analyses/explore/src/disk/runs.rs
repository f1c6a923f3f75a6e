//! Records with keys, sorted in files: as many as fit into memory are sorted there and written as a run, and the runs are read together.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;

use super::files::{Sink, Source, StorageError, Stored};

/// A record in memory.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u128,
    start: u32,
    length: u32,
}

/// Records in memory, up to a number of bytes.
#[derive(Debug)]
pub(super) struct Buffer {
    entries: Vec<Entry>,
    bytes: Vec<u8>,
}

/// The most bytes of records in memory: their places are numbers of 32 bits.
const MOST: usize = 1 << 31;

impl Buffer {
    /// Room for records of this number of bytes in all.
    pub(super) fn new(bytes: usize) -> Buffer {
        let bytes = bytes.min(MOST);
        Buffer {
            entries: Vec::with_capacity(bytes / 2 / size_of::<Entry>()),
            bytes: Vec::with_capacity(bytes / 2),
        }
    }

    /// Whether there is room for one more record.
    pub(super) fn has_room(&self, length: usize) -> bool {
        let has_bytes = self.bytes.len() + length <= self.bytes.capacity();
        has_bytes && self.entries.len() < self.entries.capacity()
    }

    /// Adds a record. The first one finds room always.
    pub(super) fn push(&mut self, key: u128, head: &[u8], rest: &[u8]) {
        self.entries.push(Entry {
            key,
            start: self.bytes.len() as u32,
            length: (head.len() + rest.len()) as u32,
        });
        self.bytes.extend_from_slice(head);
        self.bytes.extend_from_slice(rest);
    }

    /// The key of a record, by its place before they are sorted.
    pub(super) fn key(&self, place: u32) -> u128 {
        self.entries[place as usize].key
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many records find room.
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    /// The memory in bytes.
    pub(super) fn memory(&self) -> usize {
        self.bytes.capacity() + self.entries.capacity() * size_of::<Entry>()
    }

    /// Writes the records by their keys to a file, and forgets them.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    fn write(&mut self, mut sink: Sink) -> Result<Stored, StorageError> {
        self.entries.sort_unstable_by_key(|entry| entry.key);
        for entry in &self.entries {
            let start = entry.start as usize;
            let record = &self.bytes[start..start + entry.length as usize];
            write(&mut sink, entry.key, record)?;
        }
        self.entries.clear();
        self.bytes.clear();
        sink.stored()
    }
}

/// Writes a record.
fn write(sink: &mut Sink, key: u128, record: &[u8]) -> Result<(), StorageError> {
    sink.write(&key.to_le_bytes())?;
    sink.write(&(record.len() as u32).to_le_bytes())?;
    sink.write(record)
}

/// The most files that are read together.
const MOST_RUNS: usize = 128;

/// Sorted files of records.
#[derive(Debug, Default)]
pub(super) struct Runs {
    runs: Vec<Stored>,
    /// How many records each has.
    counts: Vec<usize>,
}

impl Runs {
    /// Writes the records of a buffer as a run, unless there are none. If there are many runs, they become one.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub(super) fn add(
        &mut self,
        folder: &Path,
        name: &mut dyn FnMut() -> String,
        buffer: &mut Buffer,
    ) -> Result<(), StorageError> {
        if buffer.len() == 0 {
            return Ok(());
        }
        if self.runs.len() == MOST_RUNS {
            self.join(folder, name())?;
        }
        self.counts.push(buffer.len());
        self.runs.push(buffer.write(Sink::new(folder, name())?)?);
        Ok(())
    }

    /// Makes one run of all.
    fn join(&mut self, folder: &Path, name: String) -> Result<(), StorageError> {
        let mut sink = Sink::new(folder, name)?;
        let mut all = self.merged(folder)?;
        while let Some(key) = all.next()? {
            write(&mut sink, key, &all.record)?;
        }
        let (joined, count) = (sink.stored()?, self.counts.iter().sum());
        self.remove(folder);
        self.runs.push(joined);
        self.counts.push(count);
        Ok(())
    }

    /// Reads all runs together.
    ///
    /// # Errors
    ///
    /// One cannot be read.
    pub(super) fn merged(&self, folder: &Path) -> Result<Merged, StorageError> {
        let mut merged = Merged {
            runs: Vec::new(),
            left: self.counts.clone(),
            heads: BinaryHeap::new(),
            record: Vec::new(),
        };
        for run in &self.runs {
            let source = Source::one_of(self.runs.len(), folder, &run.name)?;
            merged.runs.push(source);
        }
        for run in 0..merged.runs.len() {
            merged.advance(run)?;
        }
        Ok(merged)
    }

    /// Removes the files.
    pub(super) fn remove(&mut self, folder: &Path) {
        for run in self.runs.drain(..) {
            // It is removed with the folder, at the latest.
            let _ = std::fs::remove_file(folder.join(run.name));
        }
        self.counts.clear();
    }
}

/// The records of several runs by their keys. Of equal keys the one of the oldest run comes first.
pub(super) struct Merged {
    runs: Vec<Source>,
    /// How many records of each run have not been read.
    left: Vec<usize>,
    heads: BinaryHeap<Reverse<(u128, usize)>>,
    /// The record that was read last, without its key.
    pub(super) record: Vec<u8>,
}

impl Merged {
    fn advance(&mut self, run: usize) -> Result<(), StorageError> {
        if self.left[run] > 0 {
            self.left[run] -= 1;
            self.heads.push(Reverse((self.runs[run].read_u128()?, run)));
        }
        Ok(())
    }

    /// Reads the next record, and answers its key.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub(super) fn next(&mut self) -> Result<Option<u128>, StorageError> {
        let Some(Reverse((key, run))) = self.heads.pop() else {
            return Ok(None);
        };
        let length = self.runs[run].read_u32()?;
        self.record.resize(length as usize, 0);
        self.runs[run].read(&mut self.record)?;
        self.advance(run)?;
        Ok(Some(key))
    }
}
