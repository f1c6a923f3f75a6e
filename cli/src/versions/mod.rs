//! Versions of a project and what they cost: a revision is exported into a folder of its own, and each version is measured by a
//! process of its own, in that folder, unless it was measured before. The user's checkout, index and stash are never touched.

mod checkout;
mod keeping;
mod quantity;
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tally_comparison::Measurement;
use tally_vm::{Config, MemoryHost};

use crate::exit::{Exit, Failure};
use crate::git::{self, Commit, Revision};
use crate::interrupts::Interrupts;
use crate::project::Project;
use crate::store::Store;
use crate::subject::SubjectArguments;
use crate::temporary::TemporaryFolder;
use crate::workspace::Workspace;

pub(crate) use checkout::Checkout;
pub(crate) use keeping::{key_of_program, key_of_request, standard_input};
pub(crate) use quantity::{Count, QuantityArguments};
pub(crate) use run::{Answer, KeptRevision, Request};

/// What the version in the user's folder is called.
pub(crate) const WORK_TREE: &str = "WORKTREE";
/// What stands before the name of a revision to mean where the current one has left its line.
const MERGE_BASE: &str = "merge-base:";

/// A version of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// What is in the user's folder, committed or not.
    WorkTree,
    /// What was committed.
    Revision(Revision),
}

impl Version {
    /// It as people are shown it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Version::WorkTree => "the work tree",
            Version::Revision(revision) => &revision.short,
        }
    }
}

/// What measuring a version came to.
pub(crate) struct Measured {
    pub(crate) measurement: Measurement,
    /// Whether something was run for it.
    pub(crate) ran: bool,
}

/// The repository that the current folder is in.
pub(crate) struct Repository {
    pub(crate) root: PathBuf,
    /// The current folder below it.
    place: PathBuf,
}

impl Repository {
    pub(crate) fn here() -> Result<Repository, Failure> {
        let repository = Repository::of(Path::new("."))?;
        let here = canonical(Path::new("."))?;
        let place = here.strip_prefix(&repository.root).map(Path::to_path_buf);
        let place = place.map_err(|_| {
            let why = "the current folder is not in the work tree of its repository";
            Failure::new(Exit::Usage, why)
        })?;
        Ok(Repository {
            place,
            ..repository
        })
    }

    /// The repository that a file or a folder is in; what is asked of it is asked at its top.
    pub(crate) fn of(path: &Path) -> Result<Repository, Failure> {
        Ok(Repository {
            root: canonical(&git::repository_root(path)?)?,
            place: PathBuf::new(),
        })
    }

    /// The version that a name means: `WORKTREE`, `merge-base:REV`, or what git takes for a revision.
    pub(crate) fn version(&self, name: &str) -> Result<Version, Failure> {
        if name == WORK_TREE {
            return Ok(Version::WorkTree);
        }
        let revision = match name.strip_prefix(MERGE_BASE) {
            None => git::revision(&self.root, name)?,
            Some(other) => {
                let ends = ["HEAD", other].map(|name| git::commit_of(&self.root, name));
                let [here, other] = ends;
                let Commit(base) = git::merge_base(&self.root, &here?, &other?)?;
                git::revision(&self.root, &base)?
            }
        };
        Ok(Version::Revision(revision))
    }
}

/// Whoever measures versions.
pub(crate) struct Measuring<'m> {
    pub(crate) subject: &'m SubjectArguments,
    /// Where there is none only the work tree can be measured.
    pub(crate) repository: Option<&'m Repository>,
    /// The folder of the project, as which it is kept what was measured.
    keeps_in: PathBuf,
    store: Mutex<Store>,
    /// Digest of the library.
    library: u64,
    interrupts: Interrupts,
    /// What was said already.
    said: Mutex<BTreeSet<String>>,
}

impl<'m> Measuring<'m> {
    pub(crate) fn new(
        subject: &'m SubjectArguments,
        repository: Option<&'m Repository>,
    ) -> Result<Measuring<'m>, Failure> {
        subject.check()?;
        for name in [checkout::NAME, run::NAME] {
            TemporaryFolder::sweep(name);
        }
        let root = Project::here()?.root;
        let keeps_in = match root.as_os_str().is_empty() {
            true => canonical(Path::new("."))?,
            false => canonical(&root)?,
        };
        let machine = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default());
        let machine = machine.map_err(|why| Failure::new(Exit::Internal, why))?;
        Ok(Measuring {
            subject,
            repository,
            store: Mutex::new(Store::open(&Workspace::of(&keeps_in))),
            keeps_in,
            library: machine.library_digest(),
            interrupts: Interrupts::caught()?,
            said: Mutex::default(),
        })
    }

    /// What a version costs.
    pub(crate) fn measure(&self, version: &Version) -> Result<Measured, Failure> {
        match (version, self.repository) {
            (Version::Revision(revision), Some(repository)) => {
                if let Some(measurement) = self.remembered(revision)? {
                    return Ok(Measured {
                        measurement,
                        ran: false,
                    });
                }
                let checkout = Checkout::of(repository, revision)?;
                self.measure_in(checkout.folder(), version, Some((revision, &checkout)))
            }
            // What may write must not write into what is the user's.
            (Version::WorkTree, Some(repository)) if self.subject.writes() => {
                let checkout = Checkout::of_version(repository, version)?;
                self.measure_in(checkout.folder(), version, None)
            }
            _ => self.measure_in(Path::new("."), version, None),
        }
    }
}

/// A path without links and `..`.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let whole = path.canonicalize();
    whole.map_err(|error| Failure::io("find", &path.display().to_string(), &error))
}
