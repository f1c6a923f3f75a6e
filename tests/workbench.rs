//! The workbench without a process of the command: two revisions of a repository are measured in threads and compared.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_comparison::{Fate, Measurement, difference};
use tally_workbench::files::temporary::TemporaryFolder;
use tally_workbench::loading::{MachineSettings, Program, Sources};
use tally_workbench::measuring::of_tests;
use tally_workbench::project::Project;
use tally_workbench::revisions::{Checkout, Repository, Version};
use tally_workbench::{Error, ErrorKind, Front, ProgramOutput, Quiet};

use crate::checks::trials_of;

/// The tests of the workbench as a library.
pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        (
            "workbench/two_revisions_are_compared_in_this_process",
            two_revisions_are_compared,
        ),
        ("workbench/an_error_is_a_value", an_error_is_a_value),
    ])
}

const TESTS: &str =
    "TestCase subclass: SumTest [ testSum [ self assert: (Sum upTo: 4) equals: 10 ] ]\n";
const OLD: &str = "Object subclass: Sum [ Sum class >> upTo: n [ ^n * (n + 1) // 2 ] ]\n";
const NEW: &str = "Object subclass: Sum [ Sum class >> upTo: n [ ^(1 to: n) inject: 0 into: [:a :b | a + b] ] ]\n";
/// `+`, `*` and `//`.
const OWN_OLD: u64 = 3;
/// `to:`, `inject:into:`, and `+` for each of four numbers.
const OWN_NEW: u64 = 6;

fn two_revisions_are_compared() -> Result<(), String> {
    let folder = TemporaryFolder::new("tally-workbench").map_err(|error| error.to_string())?;
    let here = folder.path();
    git(here, &["init", "--quiet"])?;
    commit(here, &[("tests.st", TESTS), ("sum.st", OLD)])?;
    commit(here, &[("sum.st", NEW)])?;
    let measured = ["HEAD~1", "HEAD"].map(|name| measured(here, name));
    let [old, new] = measured.map(|one| one.map_err(|error| error.to_string()));
    let (old, new) = (old?, new?);
    let found = difference(&old, &new);
    let names: Vec<&str> = found.runs.iter().map(|run| run.name.as_str()).collect();
    if names != ["SumTest>>testSum"] {
        return Err(format!("other tests were compared: {names:?}"));
    }
    let name = "Sum class>>upTo:";
    let methods = found.methods.iter().filter(|method| method.name == name);
    let own: Vec<_> = methods
        .map(|m| (m.fate, m.before.own, m.after.own))
        .collect();
    if own != [(Fate::Edited, OWN_OLD, OWN_NEW)] {
        return Err(format!("{name} is not the method that was edited: {own:?}"));
    }
    let of_methods: i128 = found.methods.iter().map(|m| m.own_difference()).sum();
    match found.sends_difference() {
        whole @ 1.. if whole == of_methods => Ok(()),
        whole => Err(format!(
            "the new revision sends {whole} messages more, its methods {of_methods}"
        )),
    }
}

/// What the tests of a revision cost.
fn measured(folder: &Path, revision: &str) -> Result<Measurement, Error> {
    let front: Front = Arc::new(Quiet);
    let repository = Repository::of(folder)?;
    let version = repository.version(revision)?;
    if version == Version::WorkTree {
        return Err(Error::new(
            ErrorKind::Internal,
            "a revision is no work tree",
        ));
    }
    let checkout = Checkout::of_version(&repository, &version, &front)?;
    let files = ["sum.st", "tests.st"].map(str::to_string);
    let what = Sources {
        folder: checkout.folder(),
        files: &files,
        expression: None,
        arguments: &[],
    };
    let machine = MachineSettings::default();
    let program = Program::load(&what, &machine, ProgramOutput::Nowhere, &front)?;
    let names: Vec<&str> = program.texts().map(|(name, _)| name).collect();
    if names != files {
        return Err(Error::new(ErrorKind::Internal, format!("{names:?}")));
    }
    let project = Project::of(checkout.folder(), &*front)?;
    of_tests(program, &project, &machine, &[], &front)
}

fn an_error_is_a_value() -> Result<(), String> {
    let front: Front = Arc::new(Quiet);
    let files = ["there-is-no-such-file.st".to_string()];
    let what = Sources {
        folder: Path::new(""),
        files: &files,
        expression: None,
        arguments: &[],
    };
    let machine = MachineSettings::default();
    match Program::load(&what, &machine, ProgramOutput::Nowhere, &front) {
        Err(error) if error.kind() == ErrorKind::Io && error.message().contains(&files[0]) => {
            Ok(())
        }
        Err(error) => Err(format!("{:?}: {error}", error.kind())),
        Ok(_) => Err("a file that is not there was loaded".to_string()),
    }
}

fn commit(folder: &Path, files: &[(&str, &str)]) -> Result<(), String> {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).map_err(|error| error.to_string())?;
    }
    git(folder, &["add", "--all"])?;
    git(folder, &["commit", "--quiet", "--message", "a step"])
}

fn git(folder: &Path, words: &[&str]) -> Result<(), String> {
    let status = Command::new("git")
        .args(["-c", "user.name=Someone", "-c", "user.email=some@one"])
        .args(["-c", "commit.gpgSign=false"])
        .args(words)
        .current_dir(folder)
        .status()
        .map_err(|error| error.to_string())?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("git {words:?} failed")),
    }
}
