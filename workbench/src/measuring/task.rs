//! The measuring of one version: a kept result that still holds, else a run in the version's folder.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tally_comparison::Measurement;

use super::keeping::{key_of_program, key_of_request, standard_input};
use super::subject::Subject;
use super::{of_script, of_tests};
use crate::embedder::{Front, ProgramOutput, warnings_to};
use crate::error::{Error, ErrorKind};
use crate::loading::{MachineSettings, Program, Sources};
use crate::outside::inputs::Now;
use crate::project::Project;
use crate::project::dependencies::Origin;
use crate::project::workspace::Workspace;
use crate::store::{About, Found, Key, Store};

/// What is measured, and where the result is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Task {
    /// What runs.
    pub subject: Subject,
    /// The folder in which is kept what was measured, if it can be kept.
    pub keeps_in: Option<PathBuf>,
    /// The revision, if it is one.
    pub revision: Option<KeptRevision>,
    /// Where the files come from, if they are in a folder of their own.
    pub origin: Option<Origin>,
}

/// What is kept of a revision beside what it costs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptRevision {
    /// The name of the commit.
    pub commit: String,
    /// The name of its tree.
    pub tree: String,
    /// The current folder in it.
    pub place: PathBuf,
    /// Where its files are.
    pub root: PathBuf,
}

/// What measuring a version came to.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What the version costs.
    pub measurement: Measurement,
    /// Whether something was run for it.
    pub ran: bool,
}

impl Task {
    /// Does it in a folder; an empty path is the current folder.
    ///
    /// # Errors
    /// If the version cannot be measured.
    pub fn measure(&self, folder: &Path, front: &Front) -> Result<Measured, Error> {
        let subject = &self.subject;
        let project = project(folder, front)?.of_version(self.origin.clone());
        let program = self.load(folder, &project, front)?;
        let mut store = match &self.keeps_in {
            Some(folder) => Store::open(&Workspace::of(folder), warnings_to(front)),
            None => Store::none(warnings_to(front)),
        };
        let key = key_of_program(subject, &project, &program);
        let revision = self.revision.as_ref();
        if let Some(revision) = revision.filter(|revision| revision.holds(folder, &program)) {
            let library = program.vm.library_digest();
            let request = key_of_request(subject, &revision.place, library);
            store.set_tree(&revision.tree, request, key);
        }
        let commit = revision.map(|revision| revision.commit.clone());
        if let Some(found) = self.kept(folder, &mut store, key)? {
            if let Some(commit) = &commit {
                store.note_commit(&found, commit);
            }
            return Ok(Measured {
                measurement: found.measurement,
                ran: false,
            });
        }
        let measurement = match subject.is_tests() {
            true => of_tests(program, &project, &subject.machine, &subject.filters, front)?,
            false => of_script(program),
        };
        let subject = subject.summary();
        store.add(key, &measurement, &About { subject, commit });
        Ok(Measured {
            measurement,
            ran: true,
        })
    }

    /// The program, compiled.
    fn load(&self, folder: &Path, project: &Project, front: &Front) -> Result<Program, Error> {
        let subject = &self.subject;
        let files = match subject.is_tests() {
            true => project.files(subject.tests.clone(), &**front)?.0,
            false => project.with_dependencies(subject.scripts.clone(), &**front)?,
        };
        // The names of files must not tell in which folder the version is.
        let inner = |file: &String| match Path::new(file).strip_prefix(folder) {
            Ok(inner) => inner.display().to_string(),
            Err(_) => file.clone(),
        };
        let files: Vec<String> = files.iter().map(inner).collect();
        // That a version lacks a file is no failure of the file system's.
        if let Some(missing) = files.iter().find(|file| is_missing(&folder.join(file))) {
            let why = format!("there is no {missing}");
            return Err(Error::new(ErrorKind::Incomparable, why));
        }
        let what = Sources {
            folder,
            files: &files,
            expression: subject.evaluate.as_deref(),
            arguments: &subject.arguments,
        };
        // The costs of a version without some of its definitions are the costs of a different program.
        let machine = MachineSettings {
            strict: true,
            ..subject.machine.clone()
        };
        Program::load(&what, &machine, ProgramOutput::Nowhere, front)
    }

    /// What is kept under a key, if all that was read is still the same.
    fn kept(&self, folder: &Path, store: &mut Store, key: Key) -> Result<Option<Found>, Error> {
        let permissions = self.subject.machine.permissions();
        let standard_input = standard_input(&self.subject, folder)?;
        let here = std::env::current_dir();
        let here = here.map_err(|error| Error::io("find", "the current folder", &error))?;
        let here = match folder.as_os_str().is_empty() {
            true => here,
            false => here.join(folder),
        };
        let now = Now {
            folder: &here,
            permissions: &permissions,
            standard_input: &standard_input,
        };
        Ok(store.find(key, &mut |input| now.digest(input)))
    }
}

impl KeptRevision {
    /// Whether all sources of a program are a part of the revision: a link may lead out of it.
    fn holds(&self, folder: &Path, program: &Program) -> bool {
        let Ok(root) = self.root.canonicalize() else {
            return false;
        };
        let mut names = program.texts().map(|(name, _)| folder.join(name));
        // A text without a file is the command's own.
        names.all(|name| {
            name.canonicalize()
                .map_or(true, |path| path.starts_with(&root))
        })
    }
}

/// The project that a folder belongs to; an empty path is the current folder.
pub(super) fn project(folder: &Path, front: &Front) -> Result<Project, Error> {
    match folder.as_os_str().is_empty() {
        true => Project::here(&**front),
        false => Project::of(folder, &**front),
    }
}

/// Whether a file is not there; one that cannot be looked at may be there.
fn is_missing(file: &Path) -> bool {
    matches!(file.try_exists(), Ok(false))
}
