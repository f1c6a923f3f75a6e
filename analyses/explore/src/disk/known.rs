//! The fingerprints of the states of earlier levels, sorted in files. Each file has a list in memory of the first fingerprint of each
//! block, so that looking for some fingerprints reads some blocks.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{Sink, Source, StorageError, Stored};
use crate::fingerprint::Fingerprint;

/// Fingerprints in a block.
const BLOCK: usize = 256;
const BYTES: usize = size_of::<Fingerprint>();

/// A sorted file of fingerprints.
#[derive(Debug)]
struct Run {
    stored: Stored,
    source: Source,
    /// The first fingerprint of each block.
    firsts: Vec<Fingerprint>,
    /// The block that was read last, by its number, and a place in it.
    block: Vec<Fingerprint>,
    number: usize,
    place: usize,
}

/// A file that is written.
pub(super) struct NewRun {
    sink: Sink,
    firsts: Vec<Fingerprint>,
    count: usize,
}

impl NewRun {
    /// An empty one.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub(super) fn new(folder: &Path, name: String) -> Result<NewRun, StorageError> {
        Ok(NewRun {
            sink: Sink::new(folder, name)?,
            firsts: Vec::new(),
            count: 0,
        })
    }

    /// Adds a fingerprint, which is larger than those before it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(super) fn push(&mut self, fingerprint: Fingerprint) -> Result<(), StorageError> {
        if self.count.is_multiple_of(BLOCK) {
            self.firsts.push(fingerprint);
        }
        self.count += 1;
        self.sink.write(&fingerprint.to_le_bytes())
    }
}

impl Run {
    fn new(folder: &Path, mut new: NewRun) -> Result<Run, StorageError> {
        let stored = new.sink.stored()?;
        Run::with(folder, stored, new.firsts)
    }

    /// A file that was written before.
    fn opened(folder: &Path, stored: &Stored) -> Result<Run, StorageError> {
        let mut source = Source::new(folder, &stored.name)?;
        let mut firsts = Vec::new();
        for block in 0..(stored.length as usize / BYTES).div_ceil(BLOCK) {
            source.go_to((block * BLOCK * BYTES) as u64)?;
            firsts.push(source.read_u128()?);
        }
        Run::with(folder, stored.clone(), firsts)
    }

    fn with(folder: &Path, stored: Stored, firsts: Vec<Fingerprint>) -> Result<Run, StorageError> {
        Ok(Run {
            source: Source::new(folder, &stored.name)?,
            block: Vec::new(),
            number: 0,
            place: 0,
            firsts,
            stored,
        })
    }

    /// How many fingerprints it has.
    fn len(&self) -> usize {
        self.stored.length as usize / BYTES
    }

    fn begin(&mut self) {
        self.block.clear();
        self.number = 0;
        self.place = 0;
    }

    /// Whether it has a fingerprint, which is larger than those that were looked for since the beginning.
    fn has(&mut self, fingerprint: Fingerprint) -> Result<bool, StorageError> {
        let before = self.number;
        while (self.firsts.get(self.number + 1)).is_some_and(|first| *first <= fingerprint) {
            self.number += 1;
        }
        if self.number != before || self.block.is_empty() {
            self.load()?;
        }
        while (self.block.get(self.place)).is_some_and(|known| *known < fingerprint) {
            self.place += 1;
        }
        Ok(self.block.get(self.place) == Some(&fingerprint))
    }

    /// Reads a block.
    fn load(&mut self) -> Result<(), StorageError> {
        let start = self.number * BLOCK;
        let mut bytes = vec![0; (self.len() - start).min(BLOCK) * BYTES];
        self.source.go_to((start * BYTES) as u64)?;
        self.source.read(&mut bytes)?;
        self.block.clear();
        let (words, _) = bytes.as_chunks::<BYTES>();
        self.block
            .extend(words.iter().map(|word| Fingerprint::from_le_bytes(*word)));
        self.place = 0;
        Ok(())
    }
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Known {
    runs: Vec<Run>,
}

/// What is known of the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct KnownFiles(pub(super) Vec<Stored>);

impl Known {
    /// The files that were written before.
    ///
    /// # Errors
    ///
    /// One cannot be read.
    pub(super) fn opened(folder: &Path, files: &KnownFiles) -> Result<Known, StorageError> {
        let runs = files.0.iter().map(|stored| Run::opened(folder, stored));
        Ok(Known {
            runs: runs.collect::<Result<_, _>>()?,
        })
    }

    /// The files.
    pub(super) fn files(&self) -> KnownFiles {
        KnownFiles(self.runs.iter().map(|run| run.stored.clone()).collect())
    }

    /// What is looked for next begins again with small fingerprints.
    pub(super) fn begin(&mut self) {
        self.runs.iter_mut().for_each(Run::begin);
    }

    /// Whether a fingerprint is known, which is larger than those that were looked for since the beginning.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub(super) fn has(&mut self, fingerprint: Fingerprint) -> Result<bool, StorageError> {
        for run in &mut self.runs {
            if run.has(fingerprint)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Adds a file of fingerprints that were not known. Files of about one size become one, so that there are few.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub(super) fn add(
        &mut self,
        folder: &Path,
        new: NewRun,
        name: &mut dyn FnMut() -> String,
    ) -> Result<(), StorageError> {
        if new.count == 0 {
            return Ok(());
        }
        self.runs.push(Run::new(folder, new)?);
        while let [.., before, last] = self.runs.as_slice()
            && before.len() < 2 * last.len()
        {
            let joined = joined(folder, [before, last], name())?;
            self.runs.truncate(self.runs.len() - 2);
            self.runs.push(Run::new(folder, joined)?);
        }
        Ok(())
    }

    /// The memory in bytes.
    pub(super) fn memory(&self) -> usize {
        let firsts = self.runs.iter().map(|run| run.firsts.capacity());
        firsts.sum::<usize>() * BYTES
    }
}

/// The fingerprints of two files, in one.
fn joined(folder: &Path, runs: [&Run; 2], name: String) -> Result<NewRun, StorageError> {
    let mut new = NewRun::new(folder, name)?;
    let mut left = runs.map(Run::len);
    let [mut first, mut second] = [
        Source::new(folder, &runs[0].stored.name)?,
        Source::new(folder, &runs[1].stored.name)?,
    ];
    let next = |source: &mut Source, left: &mut usize| match *left {
        0 => Ok(None),
        _ => {
            *left -= 1;
            source.read_u128().map(Some)
        }
    };
    let mut heads = [
        next(&mut first, &mut left[0])?,
        next(&mut second, &mut left[1])?,
    ];
    loop {
        let takes_first = match heads {
            [None, None] => return Ok(new),
            [Some(one), Some(other)] => one < other,
            [one, None] => one.is_some(),
            [None, _] => false,
        };
        let (head, source, left) = match takes_first {
            true => (&mut heads[0], &mut first, &mut left[0]),
            false => (&mut heads[1], &mut second, &mut left[1]),
        };
        if let Some(fingerprint) = *head {
            new.push(fingerprint)?;
        }
        *head = next(source, left)?;
    }
}
