//! What tests did when the snapshot was last committed, where nothing is remembered of that: a fresh clone knows no more than
//! `tally.counts` and its history. The project of that commit is exported, and the tests run there once more.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tally_profiler::Baseline;

use super::found::{Test, discover};
use super::{Session, budgets};
use crate::exit::{Exit, Failure};
use crate::git;
use crate::host::ProgramOutput;
use crate::program::Program;
use crate::temporary::TemporaryFolder;

/// What these tests did in the commit that changed the snapshot last.
pub(super) fn baseline(
    session: &Session<'_>,
    snapshot: &Path,
    names: &BTreeSet<String>,
) -> Result<Baseline, Failure> {
    let commit = git::last_commit_of(snapshot)?;
    let commit = commit.ok_or_else(|| Failure::new(Exit::Incomparable, "it is in no commit"))?;
    let root = canonical(&git::repository_root(snapshot)?)?;
    let folder = TemporaryFolder::new("tally-earlier")
        .map_err(|error| Failure::io("make", "a temporary folder", &error))?;
    git::export(&root, &commit.0, folder.path())?;
    let files = session.files.iter().map(|file| {
        let whole = canonical(Path::new(file))?;
        let inner = whole.strip_prefix(&root);
        let inner = inner.map_err(|_| Failure::new(Exit::Usage, "a file is elsewhere"))?;
        Ok(folder.path().join(inner).display().to_string())
    });
    let files: Vec<String> = files.collect::<Result<_, Failure>>()?;
    let mut program = Program::load(
        &files,
        None,
        session.arguments.arguments.clone(),
        &session.arguments.machine,
        ProgramOutput::Nowhere,
    )?;
    let outcome = program.run();
    program.ended(&outcome)?;
    budgets::make_known(session.project, &mut program.vm)?;
    let tests: Vec<Test> = discover(&mut program.vm)?;
    let earlier = Session {
        tests: &tests,
        known: None,
        ..*session
    };
    let profiles = earlier.run_again(&mut program, names)?;
    Ok(profiles.without_folder(&format!("{}/", folder.path().display())))
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    let whole = path.canonicalize();
    whole.map_err(|error| Failure::io("find", &path.display().to_string(), &error))
}
