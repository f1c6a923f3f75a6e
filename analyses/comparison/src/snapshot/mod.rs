//! The costs of every test of a project when its snapshot was last taken, stored in the file `tally.counts`, and the
//! changes since. This module reads and writes no files; the command does.

mod difference;
#[cfg(test)]
mod tests;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

pub use difference::{Cause, ChangedTest, LoneTest, SnapshotDifference, difference};
pub use text::{NAME as SNAPSHOT_FILE, SnapshotError};

use tally_profiler::{CostName, TestCounts};

/// The entry of a test in a snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TestRecord {
    /// Its cost.
    pub counts: TestCounts,
    /// Digest of the program's own methods that it entered; the library's are not in it.
    pub code: Code,
}

/// A digest of code in as few digits as a line has room for. That two differ is certain news; that they are
/// equal is as good as certain.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Code(pub u32);

impl Code {
    /// From a longer digest.
    pub fn of(digest: u64) -> Code {
        let [a, b, c, d, e, f, g, h] = digest.to_le_bytes();
        Code(u32::from_le_bytes([a ^ e, b ^ f, c ^ g, d ^ h]))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// What stands behind the name of a class in the line of its setUp and tearDown.
const FIXTURE: &str = " (setUp, tearDown)";

/// The name of the line that holds what setUp and tearDown of all tests of a class cost (counting model, 2.1).
pub fn fixture_name(class: &str) -> String {
    format!("{class}{FIXTURE}")
}

/// Whether a name is that of a line for setUp and tearDown.
pub fn is_fixture(name: &str) -> bool {
    name.ends_with(FIXTURE)
}

/// The name of the line for a part of a test that has a name of its own, which has no brackets.
pub fn section_name(test: &str, name: &str) -> String {
    format!("{test} [{name}]")
}

/// The test of which a line holds a part, if it does.
pub fn test_of_section(name: &str) -> Option<&str> {
    let (test, _) = name.strip_suffix(']')?.rsplit_once(" [")?;
    Some(test)
}

/// The costs of a project's tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Version of the counting model.
    pub model: u32,
    /// Digest of the library.
    pub library: u64,
    /// The author's reason why the counts differ from the snapshot before.
    pub reason: Option<String>,
    /// The tests by their names.
    pub tests: BTreeMap<String, TestRecord>,
}

/// The part of a test run that concerns the snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestRun {
    /// The tests that finished, their costs, and the model and the library of the run.
    pub snapshot: Snapshot,
    /// The names of all tests of the project, if all of it was loaded: tests that are not among them are gone. Without,
    /// a test that is missing was not run, and nothing more is known of it.
    pub known: Option<BTreeSet<String>>,
    /// Tests that were meant to run and have no counts: skipped ones, and those that failed.
    pub uncounted: BTreeSet<String>,
}

impl TestRun {
    /// Whether a test that has no counts is still there, as far as is known. A section that has none is, if its test may be
    /// there and has none either.
    fn may_exist(&self, name: &str) -> bool {
        let is_known = |name: &str| self.known.as_ref().is_none_or(|known| known.contains(name));
        match test_of_section(name) {
            Some(test) => is_known(test) && !self.snapshot.tests.contains_key(test),
            None => is_known(name),
        }
    }

    /// Whether a line belongs to a test that was meant to run and has no counts.
    fn is_uncounted(&self, name: &str) -> bool {
        self.uncounted
            .contains(test_of_section(name).unwrap_or(name))
    }
}

/// The reasons why the counts of two snapshots cannot be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparability {
    /// The versions of the counting model, if they differ.
    pub model: Option<(u32, u32)>,
    /// The digests of the libraries, if they differ.
    pub library: Option<(u64, u64)>,
}

impl Comparability {
    /// Whether counts can be compared.
    pub fn is_same(&self) -> bool {
        self.model.is_none() && self.library.is_none()
    }
}

impl fmt::Display for Comparability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = self
            .model
            .map(|(old, new)| format!("with version {old} of the counting model (this is {new})"));
        let library = self
            .library
            .map(|(old, new)| format!("with another library ({old:016x}, this is {new:016x})"));
        let reasons: Vec<String> = model.into_iter().chain(library).collect();
        match reasons.is_empty() {
            true => f.write_str("the snapshot was taken with the same model and library"),
            false => write!(f, "the snapshot was taken {}", reasons.join(" and ")),
        }
    }
}

/// Why a snapshot cannot be brought up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpdateError {
    /// Model or library are others, and the update does not accept that.
    Incomparable(Comparability),
    /// Model or library are others, and these tests were not run: their counts would be old ones among new ones.
    NotRun(Vec<String>),
}

/// Tests that a message names.
const NAMED: usize = 3;

impl fmt::Display for UpdateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UpdateError::Incomparable(why) => {
                write!(f, "{why}; --accept-model measures all tests anew")
            }
            UpdateError::NotRun(names) => {
                let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
                let more = names.len() - shown.len();
                let shown = tally_presentation::printable(&shown.join(", ")).into_owned();
                write!(
                    f,
                    "with another model or library all tests have to run; {shown} "
                )?;
                match (more, names.len()) {
                    (0, 1) => f.write_str("did not"),
                    (0, _) => f.write_str("did not run"),
                    (more, _) => write!(
                        f,
                        "and {} more did not",
                        tally_presentation::grouped(more as u64)
                    ),
                }
            }
        }
    }
}

impl std::error::Error for UpdateError {}

impl Snapshot {
    /// The costs that its model has.
    pub fn costs(&self) -> &'static [CostName] {
        CostName::of_model(self.model)
    }

    /// The costs that both snapshots have.
    fn common_costs(&self, other: &Snapshot) -> &'static [CostName] {
        CostName::of_model(self.model.min(other.model))
    }

    /// What keeps another snapshot, made later, from being compared with this one.
    pub fn comparability(&self, new: &Snapshot) -> Comparability {
        Comparability {
            model: (self.model != new.model).then_some((self.model, new.model)),
            library: (self.library != new.library).then_some((self.library, new.library)),
        }
    }

    /// This snapshot with the counts of a run. Tests that were not run keep their counts; removed tests are dropped.
    /// Without a new reason the old one stays as long as no count changes.
    ///
    /// # Errors
    /// Model or library are others, and the update does not accept that or not all tests were run.
    pub fn updated(
        &self,
        measured: &TestRun,
        reason: Option<String>,
        accepts_model: bool,
    ) -> Result<Snapshot, UpdateError> {
        let comparability = self.comparability(&measured.snapshot);
        if !comparability.is_same() && !accepts_model {
            return Err(UpdateError::Incomparable(comparability));
        }
        let kept = self.tests.iter().filter(|(name, _)| {
            !measured.snapshot.tests.contains_key(*name) && measured.may_exist(name)
        });
        let mut tests: BTreeMap<String, TestRecord> =
            kept.map(|(name, record)| (name.clone(), *record)).collect();
        if !comparability.is_same() {
            // Old counts among new ones would look like new ones.
            tests.retain(|name, _| !measured.is_uncounted(name));
            if !tests.is_empty() {
                return Err(UpdateError::NotRun(tests.into_keys().collect()));
            }
        }
        tests.extend(
            measured
                .snapshot
                .tests
                .iter()
                .map(|(name, record)| (name.clone(), *record)),
        );
        let mut updated = Snapshot {
            model: measured.snapshot.model,
            library: measured.snapshot.library,
            reason: None,
            tests,
        };
        updated.reason = match reason {
            None if updated.has_counts_of(self) => self.reason.clone(),
            reason => reason,
        };
        Ok(updated)
    }

    fn has_counts_of(&self, other: &Snapshot) -> bool {
        let costs = self.common_costs(other);
        let is_same = |name: &String, record: &TestRecord| {
            let other = other.tests.get(name);
            other.is_some_and(|other| record.counts.is_same_in(costs, &other.counts))
        };
        let mut tests = self.tests.iter();
        self.tests.len() == other.tests.len() && tests.all(|(name, record)| is_same(name, record))
    }
}
