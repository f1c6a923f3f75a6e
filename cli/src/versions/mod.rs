//! Versions of a project and what they cost: a revision is exported into a folder of its own, and each version is measured by a
//! process of its own, in that folder, unless it was measured before. The user's checkout, index and stash are never touched.

mod keeping;
mod quantity;
mod run;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tally_workbench::revisions::checkout;
use tally_workbench::revisions::{Checkout, Repository, Version, canonical};

use tally_comparison::Measurement;
use tally_vm::{Config, MemoryHost};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::interrupts::Interrupts;
use crate::subject::SubjectArguments;
use tally_workbench::embedder::warnings_to;
use tally_workbench::files::temporary::TemporaryFolder;
use tally_workbench::project::Project;
use tally_workbench::project::workspace::Workspace;
use tally_workbench::store::Store;

pub(crate) use keeping::{key_of_program, key_of_request, standard_input};
pub(crate) use quantity::{Count, QuantityArguments};
pub(crate) use run::{Answer, KeptRevision, Request};

/// What measuring a version came to.
pub(crate) struct Measured {
    pub(crate) measurement: Measurement,
    /// Whether something was run for it.
    pub(crate) ran: bool,
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
        TemporaryFolder::sweep(checkout::NAME);
        let root = Project::here(&*front())?.root;
        let keeps_in = match root.as_os_str().is_empty() {
            true => canonical(Path::new("."))?,
            false => canonical(&root)?,
        };
        let machine = tally_stdlib::machine(Config::default(), Box::<MemoryHost>::default());
        let machine = machine.map_err(|why| Failure::new(Exit::Internal, why))?;
        Ok(Measuring {
            subject,
            repository,
            store: Mutex::new(Store::open(
                &Workspace::of(&keeps_in),
                warnings_to(&front()),
            )),
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
                let checkout = Checkout::of(repository, revision, &front())?;
                self.measure_in(checkout.folder(), version, Some((revision, &checkout)))
            }
            // What may write must not write into what is the user's.
            (Version::WorkTree, Some(repository)) if self.subject.writes() => {
                let checkout = Checkout::of_version(repository, version, &front())?;
                self.measure_in(checkout.folder(), version, None)
            }
            _ => self.measure_in(Path::new("."), version, None),
        }
    }
}
