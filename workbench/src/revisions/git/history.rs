//! Commits and how they follow each other: what one is called, which lie between two, where two lines part.

use std::ffi::OsStr;
use std::path::Path;

use super::{Commit, commit_of, failed, printed, run, text};
use crate::error::{Error, ErrorKind};

/// What is known of a commit without looking at its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Its full name.
    pub commit: Commit,
    /// Its name as people are shown it.
    pub short: String,
    /// The name of its tree: commits with equal files have equal ones.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
}

/// What `git log` is to print of a commit: fields that cannot hold a zero byte.
const FORMAT: &str = "--format=%H%x00%h%x00%T%x00%s%x00";

/// What a name means.
pub fn revision(root: &Path, name: &str) -> Result<Revision, Error> {
    let commit = commit_of(root, name)?;
    let found = log(root, &["--no-walk", &commit.0])?.pop();
    found.ok_or_else(|| {
        Error::new(
            ErrorKind::Io,
            format!("git does not show commit {}", commit.0),
        )
    })
}

/// The commits that lead from one to another along first parents, the oldest first: without the one, with the other. If
/// that line does not pass the one, those that it has after the two parted.
pub fn commits_between(root: &Path, from: &Commit, to: &Commit) -> Result<Vec<Revision>, Error> {
    let excluded = format!("^{}", from.0);
    let mut found = log(root, &["--first-parent", &to.0, &excluded])?;
    found.reverse();
    Ok(found)
}

/// The commits that a range of the user's means, along first parents, the oldest first; at most `most` of the last.
pub fn commits_of_range(root: &Path, range: &str, most: usize) -> Result<Vec<Revision>, Error> {
    if let Some((from, to)) = range.split_once("..").filter(|_| !range.contains("...")) {
        let end = |name: &str| commit_of(root, if name.is_empty() { "HEAD" } else { name });
        let mut found = commits_between(root, &end(from)?, &end(to)?)?;
        let surplus = found.len().saturating_sub(most);
        found.drain(..surplus);
        return Ok(found);
    }
    let last = commit_of(root, range)?;
    let most = format!("--max-count={most}");
    let mut found = log(root, &["--first-parent", &most, &last.0])?;
    found.reverse();
    Ok(found)
}

fn log(root: &Path, arguments: &[&str]) -> Result<Vec<Revision>, Error> {
    let mut words = text(&["log", "--no-show-signature", "--no-notes", FORMAT]);
    words.extend(arguments.iter().map(OsStr::new));
    words.push(OsStr::new("--"));
    let output = run(root, &words)?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let fields: Vec<&str> = said.split('\0').map(str::trim_start).collect();
    let rows = fields.chunks_exact(4).map(|row| Revision {
        commit: Commit(row[0].to_string()),
        short: row[1].to_string(),
        tree: row[2].to_string(),
        // A terminal must not take it for anything but text.
        subject: row[3].replace(char::is_control, " "),
    });
    Ok(rows.collect())
}

/// Where the line of one commit leaves that of another.
pub fn merge_base(root: &Path, one: &Commit, other: &Commit) -> Result<Commit, Error> {
    let arguments = ["merge-base", &one.0, &other.0].map(OsStr::new);
    let output = run(root, &arguments)?;
    let found = printed(&output).to_string_lossy().into_owned();
    if output.status.success() && !found.is_empty() {
        return Ok(Commit(found));
    }
    if output.status.code() == Some(1) {
        let hint = match super::is_shallow(root)? {
            true => {
                ", as far as this clone reaches, which is shallow\n\
                 help: git fetch --unshallow brings the rest; in a CI file, ask for the whole history"
            }
            false => "",
        };
        let why = format!("the two revisions have no commit in common{hint}");
        return Err(Error::new(ErrorKind::Incomparable, why));
    }
    Err(failed(&output))
}

/// What a file holds in a tree; nothing if there is none, or no file.
pub fn file_in_tree(root: &Path, tree: &str, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let object = format!("{tree}:{path}");
    let arguments = [text(&["cat-file", "blob"]), vec![OsStr::new(&object)]].concat();
    let output = run(root, &arguments)?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Whether the line of a commit passes another one, or is it.
pub fn is_ancestor(root: &Path, one: &Commit, other: &Commit) -> Result<bool, Error> {
    let arguments = ["merge-base", "--is-ancestor", &one.0, &other.0].map(OsStr::new);
    let output = run(root, &arguments)?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(failed(&output)),
    }
}
