//! Measurements, kept from one call of the command to the next. The key of a measurement is everything that was known
//! before the run. It is valid while everything that the run read from outside is the same. The store is optional: if
//! it cannot be used, the command says so once and goes on without it.

mod damaged;
mod database;
mod error;
mod key;
mod row;
mod schema;
#[cfg(test)]
mod tests;
pub mod transfer;

use std::path::{Path, PathBuf};

use tally_comparison::Measurement;
use tally_profiler::Input;

use crate::embedder::Tell;
use crate::error::Error;
use crate::project::workspace::Workspace;
pub use damaged::InUse;
pub use database::{Added, Database, Entry, Found};
pub use error::StoreError;
pub use row::Stored;

pub use key::{Key, KeyBuilder};

/// The version of the tables.
const VERSION: i64 = 1;

/// The name of its file.
pub const FILE: &str = "store.sqlite";
const LOCK: &str = "store.lock";

/// The description of a measurement for people.
#[derive(Clone, Debug)]
pub struct About {
    /// What was run.
    pub subject: String,
    /// The commit that was measured, if it was one.
    pub commit: Option<String>,
}

/// The store of a project, as far as it can be used.
pub struct Store {
    files: Files,
    open: Option<(Database, InUse)>,
    /// What was already said.
    said: Vec<String>,
    tell: Tell,
}

/// A store for a caller that cannot work without it, and the lock that marks it as in use.
pub struct OpenStore {
    /// The store.
    pub database: Database,
    _in_use: InUse,
}

impl OpenStore {
    /// The store of a project, if it has one.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn existing(workspace: &Workspace) -> Result<Option<OpenStore>, Error> {
        let files = Files::of(workspace);
        let there = files.store.try_exists();
        let shown = || files.store.display().to_string();
        if !there.map_err(|error| Error::io("read", &shown(), &error))? {
            return Ok(None);
        }
        let in_use = InUse::say(&files.lock)?;
        Ok(Some(OpenStore {
            database: Database::open_existing(&files.store)?,
            _in_use: in_use,
        }))
    }

    /// The store of a project, which is made if there is none.
    ///
    /// # Errors
    /// If the store cannot be used.
    pub fn made(workspace: &Workspace) -> Result<OpenStore, StoreError> {
        workspace.prepare()?;
        let files = Files::of(workspace);
        let in_use = InUse::say(&files.lock)?;
        Ok(OpenStore {
            database: Database::open(&files.store)?,
            _in_use: in_use,
        })
    }
}

/// Where a store is.
#[derive(Clone, Debug)]
struct Files {
    store: PathBuf,
    lock: PathBuf,
}

impl Files {
    fn of(workspace: &Workspace) -> Files {
        Files {
            store: workspace.path(FILE),
            lock: workspace.path(LOCK),
        }
    }
}

impl Store {
    /// No store: nothing is found in it, and nothing kept.
    pub fn none(tell: Tell) -> Store {
        Store {
            files: Files::of(&Workspace::of(Path::new(""))),
            open: None,
            said: Vec::new(),
            tell,
        }
    }

    /// Whether anything can be kept.
    pub fn is_usable(&self) -> bool {
        self.open.is_some()
    }

    /// The store of a project, which is made if there is none. Failures are reported to `tell`.
    pub fn open(workspace: &Workspace, tell: Tell) -> Store {
        let mut store = Store {
            files: Files::of(workspace),
            open: None,
            said: Vec::new(),
            tell,
        };
        // What cannot be prepared shows when the file is opened.
        let prepared = workspace.prepare().map_err(StoreError::from);
        if let Err(error) = prepared.and_then(|()| store.connect()) {
            store.give_up(&error);
        }
        store
    }

    /// The measurement of a key all of whose inputs still have the digests that `now` answers.
    pub fn find(
        &mut self,
        key: Key,
        now: &mut dyn FnMut(&Input) -> Option<String>,
    ) -> Option<Found> {
        let mut broken = Vec::new();
        let found = self.attempt("looked for", |database| {
            database.find(key, now, &mut broken)
        });
        if !broken.is_empty() {
            self.say("a measurement in the store cannot be read; it is dropped");
            self.attempt("dropped", |database| database.remove(&broken));
        }
        found.flatten()
    }

    /// Keeps a measurement.
    pub fn add(&mut self, key: Key, measurement: &Measurement, about: &About) -> Option<Added> {
        let stored = match Stored::new(key, measurement, &about.subject) {
            Ok(stored) => stored,
            Err(error) => {
                self.say(&format!("the measurement was not stored: {error}"));
                return None;
            }
        };
        let commits: Vec<String> = about.commit.iter().cloned().collect();
        let done = self.attempt("kept", |database| database.add(&stored, &commits));
        done.map(|(added, _)| added)
    }

    /// Notes that a commit gave a measurement that was found.
    pub fn note_commit(&mut self, found: &Found, commit: &str) {
        self.attempt("kept", |database| database.note_commit(found.id, commit));
    }

    /// The key to which a request for a tree of git leads, if that is known.
    pub fn tree(&mut self, tree: &str, request: Key) -> Option<Key> {
        self.attempt("looked for", |database| database.tree(tree, request))
            .flatten()
    }

    /// Notes it.
    pub fn set_tree(&mut self, tree: &str, request: Key, key: Key) {
        self.attempt("kept", |database| database.set_tree(tree, request, key));
    }

    /// Does something with the store if it can be used. A damaged one is set aside, and it is tried with a new one.
    fn attempt<T>(
        &mut self,
        doing: &str,
        mut work: impl FnMut(&mut Database) -> Result<T, StoreError>,
    ) -> Option<T> {
        let (database, _) = self.open.as_mut()?;
        let mut done = work(database);
        if matches!(done, Err(StoreError::Damaged)) {
            self.open = None;
            done = self.renew().and_then(|()| match self.open.as_mut() {
                Some((database, _)) => work(database),
                None => Err(StoreError::Damaged),
            });
        }
        match done {
            Ok(done) => Some(done),
            Err(error @ (StoreError::Damaged | StoreError::Version(_))) => {
                self.give_up(&error);
                None
            }
            Err(error) => {
                self.say(&format!("measurements cannot be {doing}: {error}"));
                None
            }
        }
    }

    /// Opens the store; a damaged one is set aside first.
    fn connect(&mut self) -> Result<(), StoreError> {
        let in_use = InUse::say(&self.files.lock)?;
        match Database::open(&self.files.store) {
            Ok(database) => {
                self.open = Some((database, in_use));
                Ok(())
            }
            Err(StoreError::Damaged) => {
                drop(in_use);
                self.renew()
            }
            Err(error) => Err(error),
        }
    }

    /// Puts a new store in the place of a damaged one, which no process uses any more, and opens it.
    fn renew(&mut self) -> Result<(), StoreError> {
        if let Some(name) = damaged::set_aside(&self.files.store, &self.files.lock)? {
            self.say(&format!(
                "the store of measurements is damaged; it is begun anew, and the old one is kept as .tally/{name}"
            ));
        }
        let in_use = InUse::say(&self.files.lock)?;
        self.open = Some((Database::open(&self.files.store)?, in_use));
        Ok(())
    }

    fn give_up(&mut self, error: &StoreError) {
        self.open = None;
        self.say(&format!("measurements are not stored: {error}"));
    }

    fn say(&mut self, text: &str) {
        if !self.said.iter().any(|said| said == text) {
            self.said.push(text.to_string());
            (self.tell)(text);
        }
    }
}
