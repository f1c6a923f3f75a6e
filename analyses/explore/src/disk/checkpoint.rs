//! How far an exploration in files was at the end of a level. It is written beside the old one and renamed, so that a run that is killed
//! leaves the one or the other.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{StorageError, Stored, is_own_file, new_file};
use super::known::KnownFiles;

/// The file of the folder.
pub(super) const NAME: &str = "exploration.json";
/// The file that becomes it.
const BESIDE: &str = "exploration.json.new";
/// More than any of these numbers is.
const MOST: u64 = 1 << 62;
/// The form of these files.
pub(super) const SCHEMA: u32 = 1;

/// What an exploration knows besides its states, at the end of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Sums {
    pub(crate) has_creations: bool,
    /// The first state of each level, and of the one that comes.
    pub(crate) levels: Vec<u32>,
    pub(crate) transitions: u64,
    pub(crate) lossy: u64,
    pub(crate) has_conflicts: bool,
    /// How many numbers the tables have.
    pub(crate) table_sizes: [usize; 4],
}

/// What there was at the end of a level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Checkpoint {
    pub(super) schema: u32,
    /// What the exploration depends on.
    pub(super) key: String,
    pub(super) found: u32,
    pub(super) sums: Sums,
    /// The number of the next file.
    pub(super) next_file: u64,
    /// The states of the level that comes.
    pub(super) level: Stored,
    pub(super) known: KnownFiles,
    /// Origins, final states, turns and writings.
    pub(super) appended: [Stored; 4],
}

impl Checkpoint {
    /// The names of the files that it needs.
    pub(super) fn names(&self) -> Vec<&str> {
        let files = self.files().map(|stored| stored.name.as_str());
        files.chain([NAME]).collect()
    }

    fn files(&self) -> impl Iterator<Item = &Stored> {
        let own = [&self.level].into_iter().chain(&self.appended);
        own.chain(&self.known.0)
    }

    /// Writes it.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<(), StorageError> {
        let (file, beside) = (folder.join(NAME), folder.join(BESIDE));
        let text =
            serde_json::to_string(self).map_err(|why| StorageError::writing(&file)(why.into()))?;
        let digest = blake3::hash(text.as_bytes()).to_hex();
        let written = new_file(&beside)
            .and_then(|mut new| new.write_all(format!("{text}\n{digest}\n").as_bytes()));
        written.map_err(StorageError::writing(&beside))?;
        fs::rename(&beside, &file).map_err(StorageError::writing(&file))
    }

    /// The one of a folder, if it belongs to this key, and all files are there as they were written.
    pub(super) fn read(folder: &Path, key: &str) -> Option<Checkpoint> {
        let file = folder.join(NAME);
        let text = is_own_file(&file).then(|| fs::read_to_string(&file).ok())??;
        let (text, digest) = text.trim_end().split_once('\n')?;
        let is_whole = blake3::hash(text.as_bytes()).to_hex().as_str() == digest;
        let read: Checkpoint = is_whole.then(|| serde_json::from_str(text).ok())??;
        let is_same = read.schema == SCHEMA && read.key == key && read.is_possible();
        (is_same && read.files().all(|stored| stored.is_whole(folder))).then_some(read)
    }

    /// Whether no sum can overflow that goes on from these numbers, and levels have states.
    fn is_possible(&self) -> bool {
        let sums = &self.sums;
        let counts = [sums.transitions, sums.lossy, self.next_file];
        let levels = sums.levels.iter().chain([&self.found]);
        counts.iter().all(|count| *count < MOST) && levels.is_sorted() && !sums.levels.is_empty()
    }
}
