//! What was measured before: by which key it is found, and when it still holds. A version is known by the sources that it loads
//! and by everything else that is known before a run; a revision also by the name of its tree, so that its files need not be
//! looked at.

use std::path::{Component, Path};
use std::sync::{MutexGuard, PoisonError};

use tally_comparison::Measurement;
use tally_profiler::{Input, InputKind};

use super::subject::Subject;
use super::versions::Measuring;
use crate::error::Error;
use crate::files::digest::Digest;
use crate::loading::Program;
use crate::outside::inputs::Now;
use crate::project::Project;
use crate::revisions::git::{self, Revision};
use crate::store::{Key, KeyBuilder, Store};

/// A key to which is added what every run depends on.
fn key_of(purpose: &str, subject: &Subject, library: u64) -> KeyBuilder {
    let Subject {
        scripts,
        evaluate,
        tests,
        filters,
        // What is read of it is an input.
        input: _,
        arguments,
        machine,
    } = subject;
    let mut key = KeyBuilder::new(purpose);
    key.add("tally", env!("CARGO_PKG_VERSION"))
        .add("model", tally_vm::MODEL_VERSION.to_string())
        .add("library", library.to_string())
        .add("machine", format!("{machine:?}"))
        .add("evaluate", format!("{evaluate:?}"))
        .add_all("scripts", scripts)
        .add_all("tests", tests)
        .add_all("filters", filters)
        .add_all("arguments", arguments);
    key
}

/// The key of a version whose program was loaded.
pub(super) fn key_of_program(subject: &Subject, project: &Project, program: &Program) -> Key {
    let mut key = key_of("measurement", subject, program.vm.library_digest());
    let sources = program.texts().flat_map(|(name, text)| [name, text]);
    key.add("settings", project.settings.text())
        .add_all("sources", sources)
        .key()
}

/// The key of a request about a revision. The name of its tree is not in it.
pub(super) fn key_of_request(subject: &Subject, place: &Path, library: u64) -> Key {
    let mut key = key_of("request", subject, library);
    key.add("place", place.to_string_lossy().as_bytes()).key()
}

/// What the standard input of a run would hold.
pub(super) fn standard_input(subject: &Subject, folder: &Path) -> Result<Vec<u8>, Error> {
    match &subject.input {
        None => Ok(Vec::new()),
        Some(path) => {
            std::fs::read(folder.join(path)).map_err(|error| Error::io("read", path, &error))
        }
    }
}

impl Measuring<'_> {
    /// What a revision costs, if that is known without looking at its files.
    ///
    /// # Errors
    /// If the file with the standard input cannot be read.
    pub fn remembered(&self, revision: &Revision) -> Result<Option<Measurement>, Error> {
        let request = self.request_key();
        let mut store = self.store();
        let Some(key) = store.tree(&revision.tree, request) else {
            return Ok(None);
        };
        let permissions = self.subject.machine.permissions();
        let standard_input = standard_input(self.subject, &self.folder)?;
        let now = Now {
            folder: &self.folder,
            permissions: &permissions,
            standard_input: &standard_input,
        };
        let mut digest = |input: &Input| match is_in_tree(input) {
            true => self.digest_in_tree(revision, input),
            false => now.digest(input),
        };
        let Some(found) = store.find(key, &mut digest) else {
            return Ok(None);
        };
        store.note_commit(&found, &revision.commit.0);
        Ok(Some(found.measurement))
    }

    /// The digest of an input that is a part of the tree. Commits with equal sources may differ in what their tests read. What
    /// git does not tell by one question is taken for changed: then the files themselves are looked at.
    fn digest_in_tree(&self, revision: &Revision, input: &Input) -> Option<String> {
        let unknown = Some(String::new());
        let is_plain = |part| matches!(part, Component::Normal(_));
        let (InputKind::File, Some(repository)) = (input.kind, self.repository) else {
            return unknown;
        };
        let path = repository.place.join(&input.name);
        match path.to_str() {
            Some(name) if path.components().all(is_plain) => {
                let found = git::file_in_tree(&repository.root, &revision.tree, name);
                let found = found.ok().flatten();
                found.map_or(unknown, |bytes| Some(Digest::of(&bytes).to_string()))
            }
            _ => unknown,
        }
    }

    fn request_key(&self) -> Key {
        let place = self.repository.map(|repository| repository.place.as_path());
        key_of_request(self.subject, place.unwrap_or(Path::new("")), self.library)
    }

    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an input is a part of the tree, so that it is the same wherever the tree is. Paths that lead out of the current folder
/// are noted whole.
fn is_in_tree(input: &Input) -> bool {
    match input.kind {
        InputKind::File | InputKind::Folder | InputKind::Facts | InputKind::Room => {
            Path::new(&input.name).is_relative()
        }
        InputKind::Variable
        | InputKind::VariableNames
        | InputKind::StandardInput
        | InputKind::WorkingDirectory => false,
    }
}
