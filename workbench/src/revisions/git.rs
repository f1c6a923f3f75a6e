//! Queries to git, by running `git`: where a repository is, what a revision is called, and a revision's files
//! in a folder of their own. Nothing here touches the user's work tree, index or stash or runs a hook. What is exported passes
//! through no filter either: blobs are written as the repository holds them. Only `fetch` uses a network.

mod copy;
mod export;
mod fetch;
mod history;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::{Error, ErrorKind};
pub use copy::copy_work_tree;
pub use export::export;
pub use fetch::fetch;
pub use history::{
    Revision, commits_between, commits_of_range, file_in_tree, is_ancestor, merge_base, revision,
};

/// Variables by which an invocation of git that runs us would turn ours to its own index or work tree.
const INHERITED: [&str; 5] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
];

/// A commit's full name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit(pub String);

/// A `git` that runs in a folder, changes nothing there, never prompts and prints English.
fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    for name in INHERITED {
        command.env_remove(name);
    }
    command
        .current_dir(folder)
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .args([
            "-c",
            "core.fsmonitor=false",
            "-c",
            "core.hooksPath=/dev/null",
        ])
        .args(["-c", "core.quotePath=false", "--no-pager"])
        .stdin(Stdio::null());
    command
}

fn run(folder: &Path, arguments: &[&OsStr]) -> Result<Output, Error> {
    let output = git(folder).args(arguments).output();
    output.map_err(|error| not_started(folder, &error))
}

fn not_started(folder: &Path, error: &std::io::Error) -> Error {
    if folder.is_dir() && error.kind() == std::io::ErrorKind::NotFound {
        let why =
            "git is not installed, or not where the PATH leads; it is needed to look at a revision";
        return Error::new(ErrorKind::Io, why);
    }
    Error::io("run git in", &folder.to_string_lossy(), error)
}

fn text(words: &[&'static str]) -> Vec<&'static OsStr> {
    words.iter().map(|&word| OsStr::new(word)).collect()
}

/// What git said on its standard error, in one line.
fn complaint(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| !line.trim().is_empty());
    let first = first.unwrap_or("it gives no reason").trim();
    first.strip_prefix("fatal: ").unwrap_or(first).to_string()
}

/// An unexpected failure of git.
fn failed(output: &Output) -> Error {
    Error::new(ErrorKind::Io, format!("git: {}", complaint(output)))
}

/// What git printed, without the end of the line.
fn printed(output: &Output) -> OsString {
    let mut bytes = output.stdout.clone();
    while bytes.ends_with(b"\n") || bytes.ends_with(b"\r") {
        bytes.pop();
    }
    os_string(bytes)
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> OsString {
    String::from_utf8_lossy(&bytes).into_owned().into()
}

/// The top folder of the work tree that a folder, or a file's folder, is in.
pub fn repository_root(path: &Path) -> Result<PathBuf, Error> {
    let folder = folder_of(path);
    let output = run(folder, &text(&["rev-parse", "--show-toplevel"]))?;
    if output.status.success() {
        return Ok(printed(&output).into());
    }
    let said = complaint(&output);
    if said.contains("not a git repository") {
        let why = format!("{} is in no git repository", path.display());
        return Err(Error::new(ErrorKind::Usage, why));
    }
    Err(failed(&output))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent().filter(|_| !path.is_dir()) {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// The commit that a revision means.
pub fn commit_of(root: &Path, revision: &str) -> Result<Commit, Error> {
    let is_option = revision.starts_with('-');
    if is_option || revision.is_empty() || revision.contains(['\0', '\n']) {
        let why = format!("'{}' is no revision", revision.escape_debug());
        return Err(Error::new(ErrorKind::Usage, why));
    }
    let wanted = format!("{revision}^{{commit}}");
    let arguments = ["rev-parse", "--verify", "--quiet", &wanted].map(OsStr::new);
    let output = run(root, &arguments)?;
    if output.status.success() {
        return Ok(Commit(printed(&output).to_string_lossy().into_owned()));
    }
    if is_shallow(root)? {
        let why = format!(
            "there is no revision '{revision}' in this clone, which is shallow\n\
             help: git fetch --unshallow brings the rest; in a CI file, ask for the whole history"
        );
        return Err(Error::new(ErrorKind::Incomparable, why));
    }
    let why = format!("there is no revision '{revision}' in the repository");
    Err(Error::new(ErrorKind::Usage, why))
}

fn is_shallow(root: &Path) -> Result<bool, Error> {
    let output = run(root, &text(&["rev-parse", "--is-shallow-repository"]))?;
    Ok(printed(&output) == "true")
}

/// The last commit that changed a file or something in a folder, if one did.
pub fn last_commit_of(path: &Path) -> Result<Option<Commit>, Error> {
    let folder = folder_of(path);
    // Names of files are no patterns here.
    let mut arguments = text(&["--literal-pathspecs", "log", "-1", "--format=%H", "--"]);
    let name = match path.is_dir() {
        true => OsStr::new("."),
        false => path.file_name().unwrap_or(path.as_os_str()),
    };
    arguments.push(name);
    repository_root(path)?;
    let output = run(folder, &arguments)?;
    if !output.status.success() {
        // In a repository without commits there is no last one.
        let head = run(folder, &text(&["rev-parse", "--verify", "--quiet", "HEAD"]))?;
        return match head.status.success() {
            true => Err(failed(&output)),
            false => Ok(None),
        };
    }
    let found = printed(&output).to_string_lossy().into_owned();
    Ok((!found.is_empty()).then_some(Commit(found)))
}

/// The revision that a file is of, and whether the work tree differs from it; `None` if it is of none, or git cannot run.
pub fn state_of(path: &Path) -> Option<tally_profiler::Revision> {
    let root = repository_root(path).ok()?;
    let Commit(commit) = commit_of(&root, "HEAD").ok()?;
    let is_dirty = !is_clean(&root).ok()?;
    Some(tally_profiler::Revision { commit, is_dirty })
}

/// Whether the work tree holds nothing but what is committed; files that git ignores do not matter.
pub fn is_clean(root: &Path) -> Result<bool, Error> {
    let output = run(root, &text(&["status", "--porcelain", "-z"]))?;
    match output.status.success() {
        true => Ok(output.stdout.is_empty()),
        false => Err(failed(&output)),
    }
}
