//! What tests did when the snapshot was last committed, where nothing is remembered of that: a fresh clone knows no more than
//! `tally.counts` and its history. The tests of that commit run once more.

use crate::front::front;
use std::collections::BTreeSet;
use std::path::Path;

use tally_comparison::Baseline;

use super::session::Session;
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::revisions::git;
use tally_workbench::testing::budgets;
use tally_workbench::testing::discovery::discover;

/// What these tests did in the commit that changed the snapshot last.
pub(super) fn baseline(
    session: &Session<'_>,
    snapshot: &Path,
    names: &BTreeSet<String>,
) -> Result<Baseline, Failure> {
    let commit = git::last_commit_of(snapshot)?;
    let commit = commit.ok_or_else(|| Failure::new(Exit::Incomparable, "it is in no commit"))?;
    let mut earlier = session.loaded.earlier(&commit.0, snapshot)?;
    let program = &mut earlier.program;
    let outcome = program.run();
    program.ended(&outcome)?;
    budgets::make_known(session.project, &mut program.vm)?;
    let tests = discover(&mut program.vm, &*front())?;
    let then = Session {
        tests: &tests,
        known: None,
        schedule: None,
        ..*session
    };
    let profiles = then.run_again(program, names)?;
    Ok(profiles.without_folder(&earlier.prefix()))
}
