//! The packages of other repositories that a project loads: where their files are (`location`, `remote`), what the repository
//! holds (`repository`), what a baseline says (`baseline`), and which packages follow from it in which order (`choice`).
//!
//! Nothing of a dependency runs here.

mod baseline;
mod choice;
mod location;
mod remote;
mod repository;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tally_vm::bytecode::{Definition, Unit};

pub use self::baseline::{Remark, RemarkKind};
pub use self::choice::{Loaded, Requirement, Why};
pub use self::location::Origin;

use self::choice::{Provided, choose};
use self::location::Project;
use self::repository::Repository;
use super::settings::dependency::{Choice, Dependency, Place};
use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};

/// The dependencies of a project, in the order in which they are loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependencies {
    /// Each of them.
    pub all: Vec<Resolved>,
}

/// A dependency whose packages are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Its name in `tally.toml`.
    pub name: String,
    /// Where its files are from.
    pub place: Place,
    /// The folder of its files.
    pub folder: PathBuf,
    /// The class of its baseline, if it has one that decides.
    pub baseline: Option<String>,
    /// The groups of the baseline that are loaded.
    pub groups: Vec<String>,
    /// The packages, in the order in which they are loaded.
    pub packages: Vec<Loaded>,
    /// What it needs of other repositories that `tally.toml` does not name.
    pub missing: Vec<Requirement>,
    /// Packages that the baseline lists and the repository lacks.
    pub absent: Vec<String>,
    /// The parts of the baseline that have no effect.
    pub remarks: Vec<Remark>,
    /// The dependencies that have to be loaded before it.
    needs: Vec<String>,
}

impl Dependencies {
    /// Finds the packages of all dependencies. What is not yet here is fetched.
    ///
    /// # Errors
    /// If a dependency is not there or lacks what `tally.toml` names.
    pub(super) fn resolve(
        dependencies: &[Dependency],
        root: &Path,
        origin: Option<&Origin>,
        front: &dyn Embedder,
    ) -> Result<Dependencies, Error> {
        let project = Project { root, origin };
        let mut repositories = Vec::new();
        for dependency in dependencies {
            let found = project
                .folder(dependency, front)
                .and_then(|folder| Repository::read(folder, dependency.baseline.as_deref()));
            repositories.push(found.map_err(|error| about(dependency, &error))?);
        }
        let provided = Provided::by(dependencies, &repositories);
        let mut all = Vec::new();
        for (dependency, repository) in dependencies.iter().zip(&repositories) {
            let resolved = choose(dependency, repository, &provided);
            all.push(resolved.map_err(|error| about(dependency, &error))?);
        }
        let mut dependencies = Dependencies { all: in_order(all) };
        dependencies.leave_out_repeated();
        Ok(dependencies)
    }

    /// The folders to load, in order.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        let packages = self.all.iter().flat_map(|one| &one.packages);
        packages.map(|package| package.folder.as_str())
    }

    /// Whether a file or folder is one of a dependency, by the names under which they are loaded.
    pub fn hold(&self, file: &Path) -> bool {
        self.files().any(|folder| file.starts_with(folder))
    }

    /// The classes whose tests are not the project's: those of packages that `tally.toml` does not name. The names of units begin
    /// in the folder.
    pub fn untested_classes(&self, units: &[Arc<Unit>], folder: &Path) -> BTreeSet<String> {
        let packages = self.all.iter().flat_map(|one| &one.packages);
        let untested = packages.filter(|package| package.why != Why::Named);
        let untested: Vec<&str> = untested.map(|package| package.folder.as_str()).collect();
        let is_untested = |unit: &Unit| {
            let file = folder.join(&unit.name);
            untested.iter().any(|package| file.starts_with(package))
        };
        let mut classes = BTreeSet::new();
        for unit in units {
            if untested.is_empty() || !is_untested(unit) {
                continue;
            }
            classes.extend(unit.definitions.iter().filter_map(|one| match one {
                Definition::Class(class) => Some(class.name.clone()),
                Definition::Extension { .. } | Definition::Evaluation { .. } => None,
            }));
        }
        classes
    }

    /// Reports what has no effect, and what is missing. `tally check --packages` shows each part.
    pub(super) fn warn(&self, front: &dyn Embedder) {
        for one in &self.all {
            for message in one.warnings() {
                front.warn(&format!("dependency {}: {message}", one.name));
            }
        }
    }

    /// Two dependencies may choose packages of one folder.
    fn leave_out_repeated(&mut self) {
        let mut seen = HashSet::new();
        for one in &mut self.all {
            one.packages.retain(|package| {
                let whole = Path::new(&package.folder).canonicalize();
                seen.insert(whole.unwrap_or_else(|_| PathBuf::from(&package.folder)))
            });
        }
    }
}

impl Resolved {
    /// What a user has to know when it is loaded.
    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for requirement in &self.missing {
            let place = requirement.repository.as_deref();
            let place = place.map_or(String::new(), |place| format!(" ({place})"));
            warnings.push(format!(
                "it requires {}{place}, which tally.toml does not name",
                requirement.name
            ));
        }
        if !self.absent.is_empty() {
            let names = self.absent.join(", ");
            warnings.push(format!(
                "its repository lacks packages that it lists: {names}"
            ));
        }
        let remarks = self.remarks.iter().filter(|one| one.decides()).count();
        if remarks > 0 {
            let parts = match remarks {
                1 => "1 part of its baseline has".to_owned(),
                _ => format!("{remarks} parts of its baseline have"),
            };
            warnings.push(format!(
                "{parts} no effect, because baselines are read and not run; `tally check --packages` lists them"
            ));
        }
        warnings
    }
}

/// An error of a dependency, with its name.
fn about(dependency: &Dependency, error: &Error) -> Error {
    let why = format!("dependency {}: {}", dependency.name, error.message());
    Error::new(error.kind(), why)
}

/// The same by name, but each behind those that it needs. In a circle the first by name comes first.
fn in_order(mut waiting: Vec<Resolved>) -> Vec<Resolved> {
    waiting.sort_by(|one, other| one.name.cmp(&other.name));
    let mut ordered: Vec<Resolved> = Vec::with_capacity(waiting.len());
    while !waiting.is_empty() {
        let names: HashSet<&str> = waiting.iter().map(|one| one.name.as_str()).collect();
        let is_ready = |one: &Resolved| !one.needs.iter().any(|need| names.contains(need.as_str()));
        let next = waiting.iter().position(is_ready).unwrap_or(0);
        ordered.push(waiting.remove(next));
    }
    ordered
}

/// An error of a name that is not there, with the nearest one.
fn unknown<'n>(what: &str, name: &str, known: impl Iterator<Item = &'n str>) -> Error {
    let near = tally_compiler::nearest(name, known);
    let hint = near.map_or(String::new(), |near| format!("; did you mean '{near}'?"));
    Error::new(ErrorKind::Usage, format!("{what} '{name}'{hint}"))
}

/// The names that `tally.toml` gives of what is loaded.
fn named(choice: &Choice) -> &[String] {
    match choice {
        Choice::Default => &[],
        Choice::Packages(names) | Choice::Groups(names) => names,
    }
}
