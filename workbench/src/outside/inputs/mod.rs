//! The inputs of a run: files, folders, the existence of paths, variables of the environment, standard input. Data that
//! the run wrote itself are no input. The inputs and the facts known before a run decide whether another run must do
//! the same. If they cannot decide, a reason is noted. A refused access is no input, since permissions are known before.

mod look;
mod own;
mod standard_input;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use tally_profiler::{Input, InputKind};
use tally_vm::FileFacts;

use crate::files::digest::Digest;
use own::Own;
use standard_input::StandardInput;

pub use look::Now;
pub use look::{contents, facts, modified, names, variable};

/// The most inputs of a run that are noted.
const MOST_INPUTS: usize = 100_000;

/// The most bytes of their names.
const MOST_BYTES: usize = 32 << 20;

/// Why another run need not do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrepeatable {
    /// It looked at the real clock.
    Clock,
    /// It asked when a file had changed last.
    ModificationTime,
    /// Something had changed when it was read again.
    Changed,
    /// There was more to note than is noted.
    TooMuch,
    /// A folder that was there before was given another path.
    MovedFolder,
    /// Something failed outside for a reason that another run need not meet.
    Failed,
}

impl Unrepeatable {
    /// The note on a test for which this holds.
    pub fn note(self) -> &'static str {
        match self {
            Unrepeatable::Clock => {
                "it read the clock, so its counts may differ from run to run (--virtual-clock)"
            }
            Unrepeatable::ModificationTime => {
                "it asked when a file changed last, so its counts may differ from run to run"
            }
            Unrepeatable::Changed => {
                "what it read changed while it ran, so its counts may differ from run to run"
            }
            Unrepeatable::TooMuch => {
                "it read more from outside than is kept track of, so its counts may differ from run to run"
            }
            Unrepeatable::MovedFolder => {
                "it moved a folder that was there before, so its counts may differ from run to run"
            }
            Unrepeatable::Failed => {
                "something failed outside of it, so its counts may differ from run to run"
            }
        }
    }
}

/// What a look at the outside found: a digest, or why there is none.
pub type Found = Result<Digest, io::ErrorKind>;

/// What a run has read so far.
#[derive(Debug, Default)]
pub struct Inputs {
    seen: BTreeMap<(InputKind, String), Option<String>>,
    /// Bytes of the names in it.
    bytes: usize,
    own: Own,
    standard_input: StandardInput,
    /// The working directory, once it is known.
    folder: Option<PathBuf>,
    unrepeatable: Option<Unrepeatable>,
}

impl Inputs {
    /// What was read, sorted.
    pub fn all(&self) -> Vec<Input> {
        let seen = self.seen.iter();
        let input = |((kind, name), digest): (&(InputKind, String), &Option<String>)| Input {
            kind: *kind,
            name: name.clone(),
            digest: digest.clone(),
        };
        let mut all: Vec<Input> = seen.map(input).collect();
        all.extend(self.standard_input.input());
        all.sort_unstable();
        all
    }

    /// Why another run need not do the same, if there is a reason.
    pub fn unrepeatable(&self) -> Option<Unrepeatable> {
        self.unrepeatable
    }

    /// Notes a reason, if it is the first.
    pub fn doubt(&mut self, why: Unrepeatable) {
        self.unrepeatable.get_or_insert(why);
    }

    /// Notes what was found under a path of the program's, unless that is its own work.
    fn note_path(&mut self, kind: InputKind, path: &str, found: Found) {
        if !self.own.has(path) {
            let name = self.name_of(path);
            self.note(kind, name, digest_of(found));
        }
    }

    /// Notes what a file was found to hold.
    pub fn note_contents(&mut self, path: &str, found: &io::Result<Vec<u8>>) {
        if !self.own.has(path) {
            let found = found.as_ref().map(|bytes| Digest::of(bytes));
            self.note_path(InputKind::File, path, found.map_err(io::Error::kind));
        }
    }

    /// Notes what was found to stand at a path.
    pub fn note_facts(&mut self, path: &str, found: &io::Result<FileFacts>) {
        let found = found.as_ref().map(look::digest_of_facts);
        self.note_path(InputKind::Facts, path, found.map_err(io::Error::kind));
    }

    /// Notes the names in a folder: those that were there before.
    pub fn note_names(&mut self, path: &str, found: &io::Result<Vec<String>>) {
        let found = match found {
            Ok(names) => Ok(look::digest_of_names(&self.own.names_before(path, names))),
            Err(error) => Err(error.kind()),
        };
        self.note_path(InputKind::Folder, path, found);
    }

    /// Notes a variable of the environment.
    pub fn note_variable(&mut self, name: &str, value: Option<&str>) {
        let digest = value.map(|value| Digest::of(value.as_bytes()).to_string());
        self.note(InputKind::Variable, name.to_string(), digest);
    }

    /// Notes the names of the variables of the environment.
    pub fn note_variable_names(&mut self, names: &[String]) {
        let digest = look::digest_of_names(names).to_string();
        self.note(InputKind::VariableNames, String::new(), Some(digest));
    }

    /// Notes that the working directory was read.
    pub fn note_folder(&mut self, path: &str) {
        let digest = Digest::of(path.as_bytes()).to_string();
        self.note(InputKind::WorkingDirectory, String::new(), Some(digest));
    }

    /// Notes bytes of the standard input, and whether it ended behind them.
    pub fn note_standard_input(&mut self, bytes: &[u8], is_end: bool) {
        self.standard_input.add(bytes, is_end);
    }

    /// Notes what stands at a path that the program is about to change.
    pub fn before_change(&mut self, path: &str) {
        if !self.own.has(path) {
            self.note_path(InputKind::Facts, path, look::facts_digest(Path::new(path)));
        }
    }

    /// Notes the state of a path where the program is about to create a new file or folder.
    pub fn before_making(&mut self, path: &str) {
        self.before_change(path);
        self.before_writing(path);
    }

    /// Notes whether a file can be written at a path.
    pub fn before_writing(&mut self, path: &str) {
        if !self.own.has(path) {
            self.note_path(InputKind::Room, path, look::room_digest(Path::new(path)));
        }
    }

    /// Notes what stands at a path that the program is about to delete; a folder goes only if it is empty.
    pub fn before_deletion(&mut self, path: &str, place: &Path) {
        self.before_change(path);
        if std::fs::symlink_metadata(place).is_ok_and(|facts| facts.is_dir()) {
            self.note_names(path, &look::names(place));
        }
    }

    /// Notes the contents of a file that the program is about to move or to add to.
    pub fn before_use(&mut self, path: &str, place: &Path) {
        if self.own.has(path) {
            return;
        }
        match std::fs::metadata(place).is_ok_and(|facts| facts.is_dir()) {
            true => self.doubt(Unrepeatable::MovedFolder),
            false => self.note_path(InputKind::File, path, look::contents_digest(place)),
        }
    }

    /// Notes the result of a change at a place that the program named by a path.
    pub fn changed(&mut self, path: &str, place: &Path, was_there: bool, done: &io::Result<()>) {
        match done {
            Ok(()) if self.own.add(place, was_there) => {}
            Ok(()) => self.doubt(Unrepeatable::TooMuch),
            Err(error) => self.not_changed(path, error),
        }
    }

    /// Notes why a change could not be made: what stood in its way is an input.
    pub fn not_changed(&mut self, path: &str, error: &io::Error) {
        use io::ErrorKind::{
            AlreadyExists, DirectoryNotEmpty, InvalidInput, IsADirectory, NotADirectory, NotFound,
        };
        self.before_change(path);
        let above = Path::new(path).parent().and_then(Path::to_str);
        if let Some(above) = above.filter(|above| !above.is_empty()) {
            self.before_change(above);
        }
        let is_told_by_facts = matches!(
            error.kind(),
            AlreadyExists
                | DirectoryNotEmpty
                | InvalidInput
                | IsADirectory
                | NotADirectory
                | NotFound
        );
        if !is_told_by_facts {
            self.doubt(Unrepeatable::Failed);
        }
    }

    /// Notes an input; what was found first counts.
    fn note(&mut self, kind: InputKind, name: String, digest: Option<String>) {
        let bytes = self.bytes + name.len();
        let has_room = self.seen.len() < MOST_INPUTS && bytes < MOST_BYTES;
        let key = (kind, name);
        match self.seen.get(&key) {
            Some(known) if *known == digest => {}
            Some(_) => self.doubt(Unrepeatable::Changed),
            None if has_room => {
                self.bytes = bytes;
                self.seen.insert(key, digest);
            }
            None => self.doubt(Unrepeatable::TooMuch),
        }
    }

    /// The name under which a path is noted: what lies below the working directory goes with it wherever the program
    /// runs.
    fn name_of(&mut self, path: &str) -> String {
        if self.folder.is_none() {
            self.folder = std::env::current_dir().ok();
        }
        match &self.folder {
            Some(folder) => name_from(folder, path),
            None => path.to_string(),
        }
    }
}

/// A path from a folder on if it leads below it, else the whole path.
fn name_from(folder: &Path, path: &str) -> String {
    let given = Path::new(path);
    if given.is_relative() && stays_below(given) {
        return path.to_string();
    }
    let whole = folder.join(given);
    let below = whole.strip_prefix(folder).ok();
    let name = match below.filter(|below| stays_below(below)) {
        Some(below) if below.as_os_str().is_empty() => Some("."),
        Some(below) => below.to_str(),
        None => whole.to_str(),
    };
    name.unwrap_or(path).to_string()
}

/// Whether no part of a path leads out of where it begins.
fn stays_below(path: &Path) -> bool {
    let mut depth = 0_usize;
    path.components().all(|part| {
        match part {
            Component::Normal(_) => depth += 1,
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::CurDir => {}
            _ => return false,
        }
        true
    })
}

/// How what was found is noted: nothing if nothing was there; other reasons have digests of their own.
fn digest_of(found: Found) -> Option<String> {
    match found {
        Ok(digest) => Some(digest.to_string()),
        Err(io::ErrorKind::NotFound) => None,
        Err(kind) => Some(look::digest_of_error(kind).to_string()),
    }
}

/// What several runs have read, and whether they found the same where they read the same.
pub fn merged(runs: impl IntoIterator<Item = Vec<Input>>) -> (Vec<Input>, bool) {
    let mut all = BTreeMap::new();
    let mut agree = true;
    for Input { kind, name, digest } in runs.into_iter().flatten() {
        match all.entry((kind, name)) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(digest);
            }
            std::collections::btree_map::Entry::Occupied(known) => agree &= *known.get() == digest,
        }
    }
    let input = |((kind, name), digest)| Input { kind, name, digest };
    (all.into_iter().map(input).collect(), agree)
}
