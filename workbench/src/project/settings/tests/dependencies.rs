//! What the table `[dependencies]` says, and what is refused in it.

use std::path::PathBuf;

use super::super::dependency::{Choice, Dependency, Place};
use super::{first_complaint, parsed};

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

#[test]
fn dependencies_are_read() {
    let text = format!(
        "[dependencies]\n\
         stones = {{ path = '../stones', packages = ['Stones-Core', 'Stones-Tests'] }}\n\
         json = {{ git = 'https://example.org/json.git', rev = '{}' }}\n\
         [dependencies.ston]\n\
         git = 'git@example.org:ston'\n\
         rev = '{COMMIT}'\n\
         groups = ['Core']\n\
         baseline = 'BaselineOfSton'\n",
        COMMIT.to_uppercase()
    );
    let commit = |url: &str| Place::Commit {
        url: url.to_owned(),
        commit: COMMIT.to_owned(),
    };
    let expected = [
        Dependency {
            name: "json".to_owned(),
            place: commit("https://example.org/json.git"),
            choice: Choice::Default,
            baseline: None,
        },
        Dependency {
            name: "ston".to_owned(),
            place: commit("git@example.org:ston"),
            choice: Choice::Groups(vec!["Core".to_owned()]),
            baseline: Some("Ston".to_owned()),
        },
        Dependency {
            name: "stones".to_owned(),
            place: Place::Folder(PathBuf::from("../stones")),
            choice: Choice::Packages(vec!["Stones-Core".to_owned(), "Stones-Tests".to_owned()]),
            baseline: None,
        },
    ];
    assert_eq!(parsed(&text).dependencies, expected);
    assert_eq!(parsed("[dependencies]\n").dependencies, []);
}

const NO_ADDRESS: &str = "this is no address of a git repository: \
    expected an address of a git repository, \"https://…\"";
const CHANGES: &str = "expected the full name of a commit, 40 hexadecimal digits; a branch, a tag or an abbreviation can \
    come to mean another commit, so results would change without a change here";

#[test]
fn mistakes_in_dependencies_have_their_places() {
    let rev = |rev: &str| format!("a = {{ git = 'https://e.org/a', rev = '{rev}' }}");
    let cases: Vec<(String, String)> = vec![
        (
            "a = 1".into(),
            "2:5 a number where something else is expected: expected a table, { path = \"…\" } or { git = \"…\" }".into(),
        ),
        (
            "a = {}".into(),
            "2:5 a dependency without a place: expected `path = \"…\"` or `git = \"…\"` with `rev = \"…\"`".into(),
        ),
        (
            "a = { path = 'x', pakages = ['y'] }".into(),
            "2:19 unknown key 'pakages': expected one of path, git, rev, packages, groups, baseline; did you mean 'packages'?".into(),
        ),
        (
            "a = { path = 'x', git = 'https://e.org/a' }".into(),
            "2:25 a dependency in two places: expected `path` or `git`, not both".into(),
        ),
        (
            "a = { path = 'x', rev = 'main' }".into(),
            "2:25 a commit without a repository: `rev` belongs to `git`".into(),
        ),
        (
            "a = { path = '/x' }".into(),
            "2:14 a path that holds on one machine only: expected a path from this file's folder".into(),
        ),
        (
            "a = { git = 'https://e.org/a' }".into(),
            "2:13 a repository without a commit: expected `rev = \"…\"`, the full name of a commit".into(),
        ),
        (rev("main"), format!("2:38 this is no name of a commit: {CHANGES}")),
        (rev("0123abc"), format!("2:38 an abbreviated name of a commit: {CHANGES}")),
        (
            rev(&COMMIT.replace('0', "g")),
            format!("2:38 this is no name of a commit: {CHANGES}"),
        ),
        (
            "a = { path = 'x', packages = [], groups = ['y'] }".into(),
            "2:43 packages are chosen twice: expected `packages` or `groups`, not both".into(),
        ),
        (
            "a = { path = 'x', packages = [] }".into(),
            "2:30 an empty list: expected a list of packages, [\"…\"]".into(),
        ),
        (
            "a = { path = 'x', groups = 'default' }".into(),
            "2:28 a text where something else is expected: expected a list of groups, [\"…\"]".into(),
        ),
        (
            "a = { path = 'x', packages = ['A', 2] }".into(),
            "2:36 a number where something else is expected: expected a name".into(),
        ),
        (
            "'../a' = { path = 'x' }".into(),
            "2:1 a name of a dependency that is no name: expected letters, digits, - and _, at most 64".into(),
        ),
    ];
    check(cases);
}

#[test]
fn addresses_that_start_programs_are_refused() {
    let git = |url: &str| format!("a = {{ git = '{url}', rev = '{COMMIT}' }}");
    check(vec![
        (
            git("../stones"),
            format!("2:13 {NO_ADDRESS}; a folder is named by `path`"),
        ),
        // Such addresses start a program.
        (git("ext::sh -c date"), format!("2:13 {NO_ADDRESS}")),
        (git("ext::date"), format!("2:13 {NO_ADDRESS}")),
        (git("a@b::c"), format!("2:13 {NO_ADDRESS}")),
        (git("a@-oProxyCommand=date:c"), format!("2:13 {NO_ADDRESS}")),
        (
            git("--upload-pack=date"),
            format!("2:13 {NO_ADDRESS}; a folder is named by `path`"),
        ),
    ]);
}

fn check(cases: Vec<(String, String)>) {
    for (line, expected) in cases {
        let text = format!("[dependencies]\n{line}\n");
        assert_eq!(first_complaint(&text), expected, "{line}");
    }
}
