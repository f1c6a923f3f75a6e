//! A repository of 500 commits with planted changes: what `tally compare`, `tally bisect` and `tally history` find there is what the
//! ledger says, and nothing else.

#[allow(dead_code)] // each test binary uses its own part
mod repository;
#[allow(dead_code)]
mod support;

use std::collections::BTreeMap;
use std::path::Path;

use repository::{COMMITS, Kind, Repository, git};
use serde_json::Value;
use support::Sandbox;

fn made(name: &str) -> (Sandbox, Repository) {
    let sandbox = Sandbox::new(name);
    let repository = Repository::create(&sandbox.path("."));
    (sandbox, repository)
}

#[test]
fn the_ledger_is_what_git_says() {
    let (sandbox, repository) = made("ledger");
    let folder = sandbox.path(".");
    assert_eq!(repository.ledger.len(), COMMITS);
    let log = git(
        &folder,
        &[
            "log",
            "--reverse",
            "--topo-order",
            "--format=%H %s",
            "--all",
        ],
        "",
    );
    assert_eq!(log.lines().count(), COMMITS);
    for (entry, commit) in repository.ledger.iter().zip(&repository.commits) {
        let line = format!("{commit} {}", entry.subject);
        assert!(log.lines().any(|found| found == line), "{line}");
    }
    let main = git(
        &folder,
        &["rev-list", "--first-parent", "--reverse", "main"],
        "",
    );
    let main: Vec<&str> = main.lines().collect();
    let expected = repository.main_line();
    let expected: Vec<&str> = expected
        .iter()
        .map(|&at| repository.commits[at].as_str())
        .collect();
    assert_eq!(main, expected);
    changed_files_are_in_git(&folder, &repository);
    let kinds = [
        Kind::Slower,
        Kind::Faster,
        Kind::Renamed,
        Kind::MovedMethod,
        Kind::MovedFile,
        Kind::Library,
        Kind::Input,
    ];
    for kind in kinds {
        assert!(
            repository.ledger.iter().any(|entry| entry.kind == kind),
            "{kind:?}"
        );
    }
}

/// Names of files that differ between commits, as the ledger and as git have them.
fn changed_files_are_in_git(folder: &Path, repository: &Repository) {
    let log = git(
        folder,
        &[
            "log",
            "--reverse",
            "--first-parent",
            "--no-renames",
            "-m",
            "--name-only",
            "--format=commit %H",
            "main",
        ],
        "",
    );
    let mut commits = log.split("commit ").filter(|text| !text.is_empty());
    for index in repository.main_line() {
        let entry = &repository.ledger[index];
        let shown = commits.next().expect("another commit");
        let mut lines = shown.lines().filter(|line| !line.is_empty());
        assert_eq!(lines.next(), Some(repository.commits[index].as_str()));
        let before = entry
            .parents
            .first()
            .map(|&parent| &repository.ledger[parent].files);
        let mut expected: Vec<&String> = entry
            .files
            .iter()
            .filter(|(path, text)| before.and_then(|files| files.get(*path)) != Some(*text))
            .map(|(path, _)| path)
            .collect();
        let gone = before.into_iter().flat_map(|files| files.keys());
        expected.extend(gone.filter(|path| !entry.files.contains_key(*path)));
        expected.sort_unstable();
        let found: Vec<&str> = lines.collect();
        assert_eq!(found, expected, "{}", entry.subject);
        if entry.kind == Kind::Docs {
            assert_eq!(expected, ["README.md"], "{}", entry.subject);
        }
    }
}

/// Sends of the tests that pass in the work tree.
fn counted(sandbox: &Sandbox) -> BTreeMap<String, i64> {
    let ran = sandbox.tally(&[
        "test",
        "--allow-read",
        "--counts",
        "ignore",
        "--format",
        "json",
    ]);
    let lines = ran
        .output()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let passed = lines.filter(|line: &Value| line["verdict"] == "pass");
    passed
        .filter_map(|line| Some((line["name"].as_str()?.to_string(), line["sends"].as_i64()?)))
        .collect()
}

#[test]
fn the_ledger_is_what_tests_cost() {
    let (sandbox, repository) = made("costs");
    let folder = sandbox.path(".");
    let mut first = BTreeMap::new();
    let mut looked_at = 0;
    for (entry, commit) in repository.ledger.iter().zip(&repository.commits) {
        if entry.kind == Kind::Docs || (entry.kind == Kind::Neutral && entry.edited.is_empty()) {
            continue;
        }
        git(&folder, &["checkout", "--quiet", commit], "");
        let counts = counted(&sandbox);
        if entry.kind == Kind::First {
            first.clone_from(&counts);
        }
        let expected: BTreeMap<String, i64> = entry
            .sends
            .iter()
            .map(|(name, more)| (name.to_string(), first[*name] + more))
            .collect();
        assert_eq!(counts, expected, "{}", entry.subject);
        looked_at += 1;
    }
    assert!(looked_at > 20, "{looked_at}");
}
