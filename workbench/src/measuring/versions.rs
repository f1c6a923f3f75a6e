//! Versions of a project and what they cost: a revision is exported into a folder of its own, and each version is measured in
//! that folder, unless it was measured before. The user's checkout, index and stash are never touched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tally_vm::{Config, MemoryHost};

use super::process::{self, Folders, Worker};
use super::subject::Subject;
use super::task::{KeptRevision, Measured, Task, project};
use crate::embedder::{Front, warnings_to};
use crate::error::{Error, ErrorKind};
use crate::files::temporary::TemporaryFolder;
use crate::project::dependencies::Origin;
use crate::project::workspace::Workspace;
use crate::revisions::git::Revision;
use crate::revisions::{Checkout, Repository, Version, canonical, checkout};
use crate::store::Store;

/// The measuring of versions.
pub struct Measuring<'m> {
    /// What is measured in each of them.
    pub subject: &'m Subject,
    /// Where there is none only the work tree can be measured.
    pub repository: Option<&'m Repository>,
    worker: &'m Worker,
    /// The user's folder; an empty path is the current folder.
    pub(super) folder: PathBuf,
    /// The folder of the project, as which it is kept what was measured.
    pub(super) keeps_in: PathBuf,
    pub(super) store: Mutex<Store>,
    /// Digest of the library.
    pub(super) library: u64,
    pub(super) front: Front,
    /// What was said already.
    said: Mutex<BTreeSet<String>>,
}

impl<'m> Measuring<'m> {
    /// The measuring of versions of the project that a folder belongs to; an empty path is the current folder.
    ///
    /// # Errors
    /// If the subject cannot be the same in each version, or the worker cannot measure it.
    pub fn new(
        subject: &'m Subject,
        repository: Option<&'m Repository>,
        folder: &Path,
        worker: &'m Worker,
        front: &Front,
    ) -> Result<Measuring<'m>, Error> {
        subject.check()?;
        if matches!(worker, Worker::ThisProcess) && subject.reads_files() {
            let why = "a program that may use files is measured by a process in the folder of its version";
            return Err(Error::new(ErrorKind::Usage, why));
        }
        TemporaryFolder::sweep(checkout::NAME);
        let root = project(folder, front)?.root;
        let keeps_in = match root.as_os_str().is_empty() {
            true => canonical(Path::new("."))?,
            false => canonical(&root)?,
        };
        let machine = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default());
        let machine = machine.map_err(|why| Error::new(ErrorKind::Internal, why))?;
        Ok(Measuring {
            subject,
            repository,
            worker,
            folder: folder.to_path_buf(),
            store: Mutex::new(Store::open(&Workspace::of(&keeps_in), warnings_to(front))),
            keeps_in,
            library: machine.library_digest(),
            front: front.clone(),
            said: Mutex::default(),
        })
    }

    /// What a version costs.
    ///
    /// # Errors
    /// If it cannot be measured.
    pub fn measure(&self, version: &Version) -> Result<Measured, Error> {
        match (version, self.repository) {
            (Version::Revision(revision), Some(repository)) => {
                if let Some(measurement) = self.remembered(revision)? {
                    return Ok(Measured {
                        measurement,
                        ran: false,
                    });
                }
                let checkout = Checkout::of(repository, revision, &self.front)?;
                self.measure_in(&checkout, version, Some(revision))
            }
            // What may write must not write into what is the user's.
            (Version::WorkTree, Some(repository)) if self.subject.writes() => {
                let checkout = Checkout::of_version(repository, version, &self.front)?;
                self.measure_in(&checkout, version, None)
            }
            _ => self.measured(&self.folder, version, None, None),
        }
    }

    /// What the version costs whose files are in a folder of their own.
    ///
    /// # Errors
    /// If it cannot be measured.
    pub fn measure_in(
        &self,
        checkout: &Checkout,
        version: &Version,
        revision: Option<&Revision>,
    ) -> Result<Measured, Error> {
        let kept = revision.map(|revision| self.kept(revision, checkout));
        let origin = Origin::of(checkout, &self.keeps_in);
        self.measured(checkout.folder(), version, kept, Some(origin))
    }

    fn measured(
        &self,
        folder: &Path,
        version: &Version,
        revision: Option<KeptRevision>,
        origin: Option<Origin>,
    ) -> Result<Measured, Error> {
        let task = Task {
            subject: self.subject.clone(),
            keeps_in: self.store().is_usable().then(|| self.keeps_in.clone()),
            revision,
            origin,
        };
        match self.worker {
            Worker::ThisProcess => task.measure(folder, &self.front),
            Worker::Process {
                command,
                interrupts,
            } => {
                let folders = Folders {
                    version: match folder.as_os_str().is_empty() {
                        true => Path::new("."),
                        false => folder,
                    },
                    here: &self.folder,
                };
                let (measured, messages) =
                    process::measure(task, &folders, version, command, interrupts)?;
                self.say(&messages);
                Ok(measured)
            }
        }
    }

    /// Shows a text once: both sides may have the same messages.
    fn say(&self, text: &str) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if !text.is_empty() && said.insert(text.to_string()) {
            self.front.show(text);
        }
    }

    fn kept(&self, revision: &Revision, checkout: &Checkout) -> KeptRevision {
        let place = self.repository.map(|repository| repository.place.clone());
        KeptRevision {
            commit: revision.commit.0.clone(),
            tree: revision.tree.clone(),
            place: place.unwrap_or_default(),
            root: checkout.root().to_path_buf(),
        }
    }
}
