//! States in files, for explorations that need more memory than there is.
//!
//! The states of a level are read one after the other. Their successors are collected and sorted by their fingerprints. At the end of the
//! level all known fingerprints are looked through once, and what was not known is the next level: delayed detection of duplicates, after
//! U. Stern and D. Dill, *Using magnetic disk instead of main memory in the Murϕ verifier* (1998), with sorted files after R. Korf. New states
//! are sorted by their parents and choices, and numbered. Numbers are therefore those of an exploration in memory.
//!
//! What is known at the end of a level is a [`Checkpoint`], from which a run that was killed goes on.

mod checkpoint;
mod files;
mod known;
mod runs;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use hashbrown::HashTable;

use crate::fingerprint::{Fingerprint, short};
use crate::pages::Texts;
use checkpoint::Checkpoint;
pub(crate) use checkpoint::Sums;
pub use files::StorageError;
use files::{Sink, Source, Stored, is_own_file, keep_only, new_file};
use known::{Known, NewRun};
use runs::{Buffer, Runs};

/// Where an exploration may keep states that find no room in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spill {
    /// The folder of all explorations. Each has one in it, which is made when it is needed, and removed when the exploration ends. It stays if a limit
    /// or an interrupt ends the exploration, which then goes on there the next time.
    pub folder: PathBuf,
    /// What identifies the program, its arguments and the version of the machine.
    pub program: String,
    /// The bytes of memory for states. An exploration that needs more than half of them goes on in files.
    pub memory: usize,
}

impl Spill {
    /// The folder of the exploration with this key.
    fn folder_of(&self, key: &str) -> PathBuf {
        self.folder.join(key.get(..16).unwrap_or(key))
    }
}

/// The least memory of buffers in bytes.
const LEAST: usize = 1 << 12;
/// The file that keeps other explorations out of the folder.
const LOCK: &str = ".lock";
/// Bytes of an origin, and of a fingerprint.
const ORIGIN: usize = size_of::<Origin>();
const FINGERPRINT: usize = size_of::<Fingerprint>();

/// By what a state was found: the parent's number and the choice there, as one number. New states are numbered in their order.
pub(crate) type Origin = u64;

/// An origin.
pub(crate) fn origin(parent: u32, choice: u16) -> Origin {
    u64::from(parent) << 16 | u64::from(choice)
}

/// The parent and the choice of an origin.
fn parts(origin: Origin) -> (u32, u32) {
    ((origin >> 16) as u32, u32::from(origin as u16))
}

/// The first bytes of a record, and the rest.
fn split<const N: usize>(record: &[u8]) -> ([u8; N], &[u8]) {
    let parts = record.split_first_chunk();
    parts.map_or(([0; N], &[]), |(head, rest)| (*head, rest))
}

/// The files to which all levels add: origins, final states, turns, and writings.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Log {
    Origins,
    Finals,
    Turns,
    Writings,
}

/// Their names, in the same order.
const LOGS: [&str; 4] = ["origins", "finals", "turns", "writings"];

/// The states that are expanded next.
#[derive(Debug, Default)]
struct Window {
    first: u32,
    fingerprints: Vec<Fingerprint>,
    states: Texts,
}

/// States in files.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
    key: String,
    /// It is held as long as the folder is used.
    _lock: File,
    next_file: u64,
    /// How many states have numbers.
    found: u32,
    known: Known,
    logs: [Sink; 4],
    /// The level that is expanded: its file, its next state in the file, and the states that were read.
    level: Option<Source>,
    next_state: u32,
    window: Window,
    /// The states of the next level that have numbers.
    next_level: Sink,
    /// Successors that are perhaps new, and their places by their fingerprints.
    candidates: Buffer,
    places: HashTable<u32>,
    runs: Runs,
    /// Whether the files are of no more use.
    is_done: bool,
}

impl Disk {
    /// Nothing yet, in an empty folder. The states from `first` on are given next, by [`Disk::keep`].
    ///
    /// # Errors
    ///
    /// The folder cannot be made, or another exploration uses it.
    pub(crate) fn new(spill: &Spill, key: &str) -> Result<Disk, StorageError> {
        let folder = spill.folder_of(key);
        let lock = locked(&folder)?;
        keep_only(&folder, &[]);
        let log = |name: &str| Sink::new(&folder, name.to_string());
        let [origins, finals, turns, writings] = LOGS.map(log);
        let logs = [origins?, finals?, turns?, writings?];
        let next_level = Sink::new(&folder, "level-0".to_string())?;
        Ok(Disk::with(spill, key, lock, logs, next_level))
    }

    fn with(spill: &Spill, key: &str, lock: File, logs: [Sink; 4], next_level: Sink) -> Disk {
        // The other half is for what the sorted files and the batches of states take.
        let candidates = Buffer::new((spill.memory / 4).max(LEAST));
        Disk {
            folder: spill.folder_of(key),
            key: key.to_string(),
            _lock: lock,
            next_file: 1,
            found: 0,
            known: Known::default(),
            logs,
            level: None,
            next_state: 0,
            window: Window::default(),
            next_level,
            places: HashTable::with_capacity(candidates.capacity()),
            candidates,
            runs: Runs::default(),
            is_done: false,
        }
    }

    /// Goes on with an exploration that was interrupted, if the folder has one that belongs to the key and is whole.
    ///
    /// # Errors
    ///
    /// Another exploration uses the folder, or a file cannot be read or written.
    pub(crate) fn resumed(spill: &Spill, key: &str) -> Result<Option<(Disk, Sums)>, StorageError> {
        let folder = spill.folder_of(key);
        if !folder.join(checkpoint::NAME).exists() {
            return Ok(None);
        }
        let lock = locked(&folder)?;
        let Some(old) = Checkpoint::read(&folder, key) else {
            return Ok(None);
        };
        keep_only(&folder, &old.names());
        let opened = |stored: &Stored| Sink::opened(&folder, stored);
        let [origins, finals, turns, writings] = old.appended.each_ref().map(opened);
        let logs = [origins?, finals?, turns?, writings?];
        let mut next_file = old.next_file;
        let next_level = Sink::new(&folder, new_name(&mut next_file, "level"))?;
        let mut disk = Disk::with(spill, key, lock, logs, next_level);
        disk.next_file = next_file;
        disk.found = old.found;
        disk.known = Known::opened(&folder, &old.known)?;
        disk.level = Some(Source::new(&folder, &old.level.name)?);
        disk.next_state = old.sums.levels.last().copied().unwrap_or(0);
        Ok(Some((disk, old.sums)))
    }

    fn new_name(&mut self, kind: &str) -> String {
        new_name(&mut self.next_file, kind)
    }

    /// How many states have numbers.
    pub(crate) fn found(&self) -> u32 {
        self.found
    }

    /// The folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The memory in bytes.
    pub(crate) fn memory(&self) -> usize {
        let window = self.window.states.bytes() + self.window.fingerprints.capacity() * FINGERPRINT;
        self.known.memory() + self.candidates.memory() + self.places.allocation_size() + window
    }

    /// The files are of no more use: they are removed with this.
    pub(crate) fn finish(&mut self) {
        self.is_done = true;
    }

    /// Whether the files are removed with this.
    pub(crate) fn is_done(&self) -> bool {
        self.is_done
    }

    /// Adds bytes to a file to which all levels add.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(crate) fn log(&mut self, log: Log, bytes: &[u8]) -> Result<(), StorageError> {
        self.logs[log as usize].write(bytes)
    }

    /// How many bytes were added to such a file.
    pub(crate) fn logged_length(&self, log: Log) -> usize {
        self.logs[log as usize].length() as usize
    }

    /// All bytes that were added to such a file.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub(crate) fn logged(&mut self, log: Log) -> Result<Vec<u8>, StorageError> {
        let stored = self.logs[log as usize].stored()?;
        let mut bytes = vec![0; stored.length as usize];
        Source::new(&self.folder, &stored.name)?.read(&mut bytes)?;
        Ok(bytes)
    }

    /// Takes over the fingerprints of all states that were found in memory, sorted.
    ///
    /// # Errors
    ///
    /// They cannot be written.
    pub(crate) fn know(
        &mut self,
        sorted: impl Iterator<Item = Fingerprint>,
    ) -> Result<(), StorageError> {
        let name = self.new_name("known");
        let mut run = NewRun::new(&self.folder, name)?;
        for fingerprint in sorted {
            run.push(fingerprint)?;
        }
        self.add_known(run)
    }

    fn add_known(&mut self, run: NewRun) -> Result<(), StorageError> {
        let Disk {
            known,
            folder,
            next_file,
            ..
        } = self;
        known.add(folder, run, &mut || new_name(next_file, "known"))
    }

    /// Gives the next number to a state.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn number(&mut self, origin: Origin) -> Result<(), StorageError> {
        let next = self.found.checked_add(1);
        self.found = next.ok_or_else(|| StorageError::is_full(&self.folder))?;
        self.log(Log::Origins, &origin.to_le_bytes())
    }

    /// Keeps a state that is expanded later.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn keep(
        &mut self,
        fingerprint: Fingerprint,
        state: &[u8],
    ) -> Result<(), StorageError> {
        self.next_level.write(&fingerprint.to_le_bytes())?;
        self.next_level.write(&(state.len() as u32).to_le_bytes())?;
        self.next_level.write(state)
    }

    /// What was kept becomes the level that is expanded, from this state on.
    ///
    /// # Errors
    ///
    /// It cannot be written or read.
    pub(crate) fn begin_level(&mut self, first: u32) -> Result<Stored, StorageError> {
        let level = self.next_level.stored()?;
        self.level = Some(Source::new(&self.folder, &level.name)?);
        let name = self.new_name("level");
        self.next_level = Sink::new(&self.folder, name)?;
        self.next_state = first;
        self.window = Window {
            first,
            ..Window::default()
        };
        Ok(level)
    }

    /// Reads the states up to this one, if those from `next` on were not read yet. Answers the state behind the last one that was read.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub(crate) fn read_states(&mut self, next: u32, end: u32) -> Result<u32, StorageError> {
        if let Some(level) = self.level.as_mut().filter(|_| next == self.next_state) {
            self.window = Window {
                first: next,
                ..Window::default()
            };
            let mut state = Vec::new();
            while self.next_state < end {
                let fingerprint = level.read_u128()?;
                state.resize(level.read_u32()? as usize, 0);
                level.read(&mut state)?;
                self.window.fingerprints.push(fingerprint);
                self.window.states.push(&state);
                self.next_state += 1;
            }
        }
        Ok(self.next_state)
    }

    /// An error that says that the level which is expanded is none.
    pub(crate) fn damaged_level(&self) -> StorageError {
        let level = self
            .level
            .as_ref()
            .map_or(self.folder.as_path(), Source::path);
        StorageError::is_damaged(level)
    }

    /// A state that was read, and its fingerprint.
    pub(crate) fn state(&self, number: u32) -> (Fingerprint, &[u8]) {
        let place = (number - self.window.first) as usize;
        (
            self.window.fingerprints[place],
            self.window.states.get(place),
        )
    }

    /// Whether a successor with this fingerprint is collected already.
    pub(crate) fn is_candidate(&self, fingerprint: Fingerprint) -> bool {
        let is_equal = |place: &u32| self.candidates.key(*place) == fingerprint;
        self.places.find(short(fingerprint), is_equal).is_some()
    }

    /// Collects a successor.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub(crate) fn offer(
        &mut self,
        origin: Origin,
        fingerprint: Fingerprint,
        state: &[u8],
    ) -> Result<(), StorageError> {
        if self.is_candidate(fingerprint) {
            return Ok(());
        }
        if !self.candidates.has_room(ORIGIN + state.len()) {
            self.write_candidates()?;
        }
        let Disk {
            candidates, places, ..
        } = self;
        let place = candidates.len() as u32;
        candidates.push(fingerprint, &origin.to_le_bytes(), state);
        places.insert_unique(short(fingerprint), place, |other| {
            short(candidates.key(*other))
        });
        Ok(())
    }

    fn write_candidates(&mut self) -> Result<(), StorageError> {
        self.places.clear();
        let Disk {
            runs,
            folder,
            next_file,
            candidates,
            ..
        } = self;
        runs.add(
            folder,
            &mut || new_name(next_file, "candidates"),
            candidates,
        )
    }

    /// Writes new states, with their origins as keys.
    fn write_new(&mut self, found: &mut Runs) -> Result<(), StorageError> {
        let Disk {
            folder,
            next_file,
            candidates,
            ..
        } = self;
        found.add(folder, &mut || new_name(next_file, "new"), candidates)
    }

    /// Ends a level: numbers the successors that are new, in the order of their origins.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub(crate) fn end_level(&mut self) -> Result<(), StorageError> {
        self.write_candidates()?;
        let mut by_origin = self.new_states()?;
        let mut all = by_origin.merged(&self.folder)?;
        while let Some(key) = all.next()? {
            let (fingerprint, state) = split(&all.record);
            self.number(key as Origin)?;
            self.keep(Fingerprint::from_le_bytes(fingerprint), state)?;
        }
        by_origin.remove(&self.folder);
        Ok(())
    }

    /// The successors that are not known, with their origins as keys. Their fingerprints are known then.
    fn new_states(&mut self) -> Result<Runs, StorageError> {
        let mut found = Runs::default();
        let name = self.new_name("known");
        let mut run = NewRun::new(&self.folder, name)?;
        let mut runs = std::mem::take(&mut self.runs);
        let mut all = runs.merged(&self.folder)?;
        let mut last = None;
        self.known.begin();
        while let Some(fingerprint) = all.next()? {
            // The first of equal ones has the least origin.
            if last.replace(fingerprint) == Some(fingerprint) || self.known.has(fingerprint)? {
                continue;
            }
            run.push(fingerprint)?;
            let (origin, state) = split(&all.record);
            if !self.candidates.has_room(FINGERPRINT + state.len()) {
                self.write_new(&mut found)?;
            }
            let key = u128::from(Origin::from_le_bytes(origin));
            self.candidates.push(key, &fingerprint.to_le_bytes(), state);
        }
        self.write_new(&mut found)?;
        runs.remove(&self.folder);
        self.add_known(run)?;
        Ok(found)
    }

    /// Makes the states that were numbered in this level the level that is expanded, and writes down how far the exploration is.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub(crate) fn write_checkpoint(&mut self, sums: Sums, first: u32) -> Result<(), StorageError> {
        let level = self.begin_level(first)?;
        let [origins, finals, turns, writings] = self.logs.each_mut().map(Sink::stored);
        let checkpoint = Checkpoint {
            schema: checkpoint::SCHEMA,
            key: self.key.clone(),
            found: self.found,
            sums,
            next_file: self.next_file,
            level,
            known: self.known.files(),
            appended: [origins?, finals?, turns?, writings?],
        };
        checkpoint.write(&self.folder)?;
        let mut names = checkpoint.names();
        let next_level = self.next_level.name().to_string();
        names.push(&next_level);
        keep_only(&self.folder, &names);
        Ok(())
    }

    /// The choices from the start to a state.
    ///
    /// # Errors
    ///
    /// They cannot be read.
    pub(crate) fn path(&mut self, number: u32, none: u32) -> Result<Vec<u32>, StorageError> {
        let origins = self.logs[Log::Origins as usize].stored()?;
        let mut source = Source::new(&self.folder, &origins.name)?;
        let mut choices = Vec::new();
        let mut next = number;
        loop {
            source.go_to(u64::from(next) * ORIGIN as u64)?;
            let mut bytes = [0; ORIGIN];
            source.read(&mut bytes)?;
            let (parent, choice) = parts(Origin::from_le_bytes(bytes));
            if parent == none {
                choices.reverse();
                return Ok(choices);
            }
            if parent >= next {
                return Err(StorageError::is_damaged(&self.folder.join(&origins.name)));
            }
            choices.push(choice);
            next = parent;
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_done {
            // What stays takes room, and nothing else.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

/// A name that no other file has.
fn new_name(next_file: &mut u64, kind: &str) -> String {
    *next_file += 1;
    format!("{kind}-{}", *next_file - 1)
}

/// Makes the folder, and keeps other explorations out.
fn locked(folder: &Path) -> Result<File, StorageError> {
    fs::create_dir_all(folder).map_err(StorageError::writing(folder))?;
    if !fs::symlink_metadata(folder).is_ok_and(|facts| facts.is_dir()) {
        return Err(StorageError::is_no_folder(folder));
    }
    let file = folder.join(LOCK);
    let lock = match is_own_file(&file) {
        true => File::options().write(true).open(&file),
        false => new_file(&file),
    };
    let lock = lock.map_err(StorageError::writing(&file))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StorageError::is_used(folder)),
        // A system without locks of files has none here.
        Err(TryLockError::Error(_)) => Ok(lock),
    }
}
