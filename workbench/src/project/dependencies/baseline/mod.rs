//! A baseline, a class `BaselineOf…`, as far as its text shows it: packages, their requirements, groups, and baselines
//! of other repositories. The method is read and never executed. What only a run could show becomes a remark with its location.

mod reading;
#[cfg(test)]
mod tests;

use serde::Serialize;

/// What the names of such classes begin with.
pub(super) const PREFIX: &str = "BaselineOf";
/// The name of the group that is loaded if none is named.
pub(super) const DEFAULT: &str = "default";
/// The name of everything that a baseline lists.
pub(super) const ALL: &str = "ALL";

/// What a baseline says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Baseline {
    /// Its name without the prefix.
    pub(super) name: String,
    /// The packages, in the order of the text.
    pub(super) packages: Vec<Package>,
    /// Other baselines, in the order of the text.
    pub(super) projects: Vec<Project>,
    /// The groups, in the order of the text.
    pub(super) groups: Vec<Group>,
    /// What could not be read, and what will not be run.
    pub(super) remarks: Vec<Remark>,
}

/// A package of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Package {
    /// Its name.
    pub(super) name: String,
    /// What is loaded before it.
    pub(super) requires: Vec<String>,
    /// What is loaded behind it.
    pub(super) includes: Vec<String>,
}

/// Another baseline that a baseline needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Project {
    /// The name by which this baseline refers to it.
    pub(super) name: String,
    /// Its own name.
    pub(super) baseline: String,
    /// Where it says that its repository is.
    pub(super) repository: Option<String>,
    /// What is loaded of it, if that is said.
    pub(super) loads: Vec<String>,
}

/// A group of a baseline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    /// Its name.
    pub(super) name: String,
    /// Packages, groups and projects.
    pub(super) members: Vec<String>,
}

/// A file of the package that holds a baseline.
#[derive(Clone, Debug)]
pub(super) struct BaselineFile {
    /// Its path, as messages show it.
    pub(super) path: String,
    /// Its text.
    pub(super) text: String,
}

/// Why a part of a baseline has no effect here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RemarkKind {
    /// A value is computed.
    NoLiteral,
    /// A statement says what only a run can tell.
    NotRead,
    /// Code that is to run before or after loading.
    NotRun,
    /// The repository of another baseline is computed. `tally.toml` decides where it is.
    Place,
    /// A part for other systems or versions.
    OtherSystem,
}

/// A part of a baseline that has no effect here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Why.
    pub kind: RemarkKind,
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// What is there, in a sentence without a full stop.
    pub message: String,
}

impl Remark {
    /// Whether what is loaded could be other than the baseline means.
    pub(super) fn decides(&self) -> bool {
        match self.kind {
            RemarkKind::NoLiteral | RemarkKind::NotRead | RemarkKind::NotRun => true,
            RemarkKind::Place | RemarkKind::OtherSystem => false,
        }
    }
}

impl Baseline {
    /// The baseline in the files of a package, if one of them defines its class.
    pub(super) fn read(class: &str, files: &[BaselineFile]) -> Option<Baseline> {
        reading::read(class, files)
    }

    /// The package of a name.
    pub(super) fn package(&self, name: &str) -> Option<&Package> {
        self.packages.iter().find(|one| one.name == name)
    }

    /// The group of a name.
    pub(super) fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|one| one.name == name)
    }

    /// The other baseline that is referred to by a name.
    pub(super) fn project(&self, name: &str) -> Option<&Project> {
        self.projects.iter().find(|one| one.name == name)
    }
}
