//! The workbench without a process of the command: two revisions of a repository are measured in this process and compared.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_comparison::{Fate, Measurement, difference};
use tally_workbench::files::temporary::TemporaryFolder;
use tally_workbench::loading::{MachineSettings, Program, Sources};
use tally_workbench::measuring::{Measuring, Subject, Worker};
use tally_workbench::revisions::Repository;
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
    let measured = measured(here, ["HEAD~1", "HEAD"]).map_err(|error| error.to_string())?;
    let [(old, old_ran), (new, new_ran)] = &measured;
    if !(*old_ran && *new_ran) {
        return Err("a revision was not run".to_string());
    }
    let found = difference(old, new);
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
        whole @ 1.. if whole == of_methods => {}
        whole => {
            return Err(format!(
                "the new revision sends {whole} messages more, its methods {of_methods}"
            ));
        }
    }
    let again = self::measured(here, ["HEAD~1", "HEAD"]).map_err(|error| error.to_string())?;
    let kept = measured.into_iter().zip(again);
    for ((measurement, _), (found, ran)) in kept {
        if ran || found.to_bytes().ok() != measurement.to_bytes().ok() {
            return Err("a kept measurement was not found again".to_string());
        }
    }
    Ok(())
}

/// The costs of the tests of two revisions, and whether something was run for each.
fn measured(folder: &Path, revisions: [&str; 2]) -> Result<[(Measurement, bool); 2], Error> {
    let front: Front = Arc::new(Quiet);
    let repository = Repository::of(folder)?;
    let subject = Subject {
        tests: ["sum.st", "tests.st"].map(str::to_string).to_vec(),
        ..Subject::default()
    };
    let worker = Worker::ThisProcess;
    let measuring = Measuring::new(&subject, Some(&repository), folder, &worker, &front)?;
    let one = |revision: &str| -> Result<(Measurement, bool), Error> {
        let measured = measuring.measure(&repository.version(revision)?)?;
        Ok((measured.measurement, measured.ran))
    };
    let [old, new] = revisions.map(one);
    Ok([old?, new?])
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
