//! The tests to which the changes since a revision can make a difference, by the messages that they looked up
//! when they last ran, failed lookups included. A test of which nothing is known that holds for the one version or the other runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tally_comparison::changes::{Changes, RunLookups};
use tally_profiler::fnv1a;
use tally_vm::bytecode::Unit;

use super::discovery::Test;
use super::revision::Loaded;
use crate::error::Error;
use crate::loading::Program;
use crate::project::workspace::Workspace;

/// Under which name lookups are remembered.
const LOOKUPS: &str = "lookups";

/// What tests looked up, and in which version of the program.
#[derive(Default, Serialize, Deserialize)]
pub struct Lookups {
    tests: BTreeMap<String, (u64, RunLookups)>,
}

/// A digest of everything that decides what tests do: the program's texts, and how it is run. File names are not in it, so that
/// the same program elsewhere is the same.
pub fn version(program: &Program, loaded: &Loaded<'_>) -> u64 {
    let mut how = format!("{:?} {:?}", loaded.machine, loaded.sources.arguments);
    let _ = write!(how, " {:016x}", program.vm.library_digest());
    let texts = program.texts().map(|(_, text)| text);
    fnv1a(texts.chain([how.as_str()]))
}

impl Lookups {
    /// What is remembered; nothing if that cannot be understood.
    pub fn remembered(workspace: &Workspace) -> Lookups {
        let bytes = workspace.read(LOOKUPS).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Whether lookups are remembered at all.
    pub fn are_wanted(workspace: &Workspace) -> bool {
        workspace.read(LOOKUPS).is_some()
    }

    /// Lets the lookups of a version hold for the next one, unless the change concerns their test.
    pub fn carry_over(&mut self, from: u64, to: u64, concerned: &BTreeSet<String>) {
        for (name, (version, _)) in &mut self.tests {
            if *version == from && !concerned.contains(name) {
                *version = to;
            }
        }
    }

    /// Adds what a test looked up.
    pub fn add(&mut self, test: &str, version: u64, lookups: RunLookups) {
        self.tests.insert(test.to_string(), (version, lookups));
    }

    /// Keeps them for later. Where that is not possible more tests run than need to.
    pub fn remember(&self, workspace: &Workspace) {
        if let Ok(bytes) = serde_json::to_vec(self) {
            let _ = workspace.write(LOOKUPS, &bytes);
        }
    }
}

/// The names of the tests that can go another way than in the revision. `loading` is what loading the program looked up.
///
/// # Errors
/// If the revision cannot be loaded.
pub fn concerned(
    tests: &[Test],
    loaded: &Loaded<'_>,
    program: &Program,
    revision: &str,
    loading: &RunLookups,
    workspace: &Workspace,
) -> Result<BTreeSet<String>, Error> {
    let own = loaded.own_files()?;
    let here = own.first().map_or(Path::new("."), Path::new);
    let earlier = loaded.earlier(revision, &loaded.sources.folder.join(here))?;
    let (then, now) = (&earlier.program, program);
    let versions = [then, now].map(|program| version(program, loaded));
    let lookups = Lookups::remembered(workspace);
    let units = (&then.units[..], &now.units[..]);
    Ok(concerned_between(tests, units, versions, loading, &lookups))
}

/// The names of the tests that the changes between two versions concern: their results may differ. `loading` holds the
/// lookups of loading the second version.
pub fn concerned_between(
    tests: &[Test],
    (then, now): (&[Arc<Unit>], &[Arc<Unit>]),
    versions: [u64; 2],
    loading: &RunLookups,
    lookups: &Lookups,
) -> BTreeSet<String> {
    let all = || tests.iter().map(Test::name);
    let changes = Changes::between(
        then.iter().map(AsRef::as_ref),
        now.iter().map(AsRef::as_ref),
    );
    if changes.concern(loading) {
        return all().collect();
    }
    let is_concerned = |name: &String| match lookups.tests.get(name) {
        Some((version, lookups)) if versions.contains(version) => changes.concern(lookups),
        _ => true,
    };
    all().filter(is_concerned).collect()
}
