//! A dependency as `tally.toml` names it: where its repository is, and what of it is loaded.

use std::path::PathBuf;

/// Packages of another repository that a project needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name in `tally.toml`.
    pub name: String,
    /// Where its files are.
    pub place: Place,
    /// What of it is loaded.
    pub choice: Choice,
    /// The baseline that lists its packages, by the name behind `BaselineOf`. It is needed where the repository has several.
    pub baseline: Option<String>,
}

/// Where the files of a dependency are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a folder, by its path from the project's folder.
    Folder(PathBuf),
    /// In a git repository, in one commit.
    Commit {
        /// The address of the repository.
        url: String,
        /// The full name of the commit.
        commit: String,
    },
}

/// What is loaded of a dependency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// What its baseline says, or all packages that are no tests.
    Default,
    /// These packages, and what they require.
    Packages(Vec<String>),
    /// These groups of its baseline.
    Groups(Vec<String>),
}
