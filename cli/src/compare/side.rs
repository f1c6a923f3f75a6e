//! The two sides of a comparison: what their names mean, and what they cost. Sides that have to be run are run side by side.

use std::path::Path;

use tally_comparison::Measurement;

use super::arguments::{CompareArguments, TestsFrom};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::hidden;
use crate::progress::Progress;
use crate::saved::{self, EventArguments};
use tally_workbench::measuring::{Giver, Measuring, side_by_side};
use tally_workbench::revisions::{Repository, Version, WORK_TREE};

/// A side.
pub(super) struct Side {
    /// It as people are shown it.
    pub(super) name: String,
    pub(super) measurement: Measurement,
}

/// The two of them.
pub(super) struct Sides {
    pub(super) old: Side,
    pub(super) new: Side,
    /// Whether a side is a version of the project, not a saved profile.
    pub(super) is_of_project: bool,
}

/// What the name of a side means.
enum Meaning {
    /// A file that holds what was measured.
    Saved(String),
    Version(Version),
}

impl Sides {
    /// What the arguments ask for.
    pub(super) fn of(arguments: &CompareArguments) -> Result<Sides, Failure> {
        let names = [
            arguments.old.as_str(),
            arguments.new.as_deref().unwrap_or(WORK_TREE),
        ];
        let is_of_project = !names.into_iter().all(saved::is_profile);
        let repository = match names.iter().any(|name| is_revision(name)) {
            true => Some(Repository::here()?),
            false => None,
        };
        let meanings = names.map(|name| meaning(name, repository.as_ref()));
        let [old, new] = meanings;
        let (old, new) = (old?, new?);
        let subject = &arguments.subject.subject();
        if !is_of_project && (!subject.is_tests() || !subject.tests.is_empty()) {
            let why = "both sides are saved profiles: nothing is run";
            return Err(Failure::new(Exit::Usage, why));
        }
        if arguments.tests_from != TestsFrom::Each && !subject.is_tests() {
            let why = "--tests-from is about tests, and a script is run";
            return Err(Failure::new(Exit::Usage, why));
        }
        let (worker, here) = (hidden::measuring()?, Path::new(""));
        let measuring = Measuring::new(subject, repository.as_ref(), here, &worker, &front())?;
        let progress = Progress::new(1);
        progress.step(format!("measuring {} and {}", names[0], names[1]));
        let sides = match (arguments.tests_from, old, new) {
            (TestsFrom::Each, old, new) => {
                let names = [old.name(names[0]), new.name(names[1])];
                let [old, new] = side_by_side(
                    || old.measure(&measuring, &arguments.event, Exit::Incomparable),
                    || new.measure(&measuring, &arguments.event, Exit::Io),
                )?;
                (names, [old, new])
            }
            (from, Meaning::Version(old), Meaning::Version(new)) => {
                let giver = match from {
                    TestsFrom::Old => Giver::Old,
                    TestsFrom::New | TestsFrom::Each => Giver::New,
                };
                let names = [&old, &new].map(|version| version.name().to_string());
                let measured = measuring.with_tests_of(giver, &old, &new)?;
                (names, measured)
            }
            _ => {
                let why = "--tests-from runs the tests of one revision on the other; a saved profile is of tests that were run";
                return Err(Failure::new(Exit::Usage, why));
            }
        };
        drop(progress);
        let ([old_name, new_name], [old, new]) = sides;
        let side = |name, measurement| Side { name, measurement };
        Ok(Sides {
            old: side(old_name, old),
            new: side(new_name, new),
            is_of_project,
        })
    }
}

/// Whether only git knows what a name means.
fn is_revision(name: &str) -> bool {
    name != WORK_TREE && !saved::is_profile(name)
}

fn meaning(name: &str, repository: Option<&Repository>) -> Result<Meaning, Failure> {
    match repository {
        _ if saved::is_profile(name) => Ok(Meaning::Saved(name.to_string())),
        Some(repository) => Ok(Meaning::Version(repository.version(name)?)),
        None => Ok(Meaning::Version(Version::WorkTree)),
    }
}

impl Meaning {
    fn name(&self, given: &str) -> String {
        match self {
            Meaning::Saved(path) => path.clone(),
            Meaning::Version(Version::Revision(revision))
                if revision.commit.0.starts_with(given) =>
            {
                revision.short.clone()
            }
            Meaning::Version(Version::Revision(revision)) => {
                format!("{given} ({})", revision.short)
            }
            Meaning::Version(Version::WorkTree) => Version::WorkTree.name().to_string(),
        }
    }

    /// What it costs; `missing` is the exit code for a file that does not exist.
    fn measure(
        &self,
        measuring: &Measuring<'_>,
        event: &EventArguments,
        missing: Exit,
    ) -> Result<Measurement, Failure> {
        match self {
            Meaning::Saved(path) => {
                saved::read_measurement(path, event, missing, Exit::Incomparable)
            }
            Meaning::Version(version) => Ok(measuring.measure(version)?.measurement),
        }
    }
}
