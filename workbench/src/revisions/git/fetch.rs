//! One commit of another repository, brought here. This is the one place that uses a network, by running `git fetch`.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use super::{commit_of, complaint, failed, git, not_started, text};
use crate::error::{Error, ErrorKind};

/// The protocols that may be used, also after a redirection. The others start programs.
const PROTOCOLS: &str = "file:git:http:https:ssh";
/// No prompt of a remote machine is answered, and a silent machine is not waited for.
const SSH: &str = "ssh -o BatchMode=yes -o ConnectTimeout=30";
/// The digits of a name by SHA-256.
const LONG_NAME: usize = 64;

/// Makes a repository in a folder that is empty or not yet there, and brings a commit with its files into it. The commit is
/// given by its full name.
///
/// # Errors
/// If the commit cannot be fetched, or the repository does not have it.
pub fn fetch(url: &str, commit: &str, folder: &Path) -> Result<(), Error> {
    let doing = |error| Error::io("make", &folder.to_string_lossy(), &error);
    fs::create_dir_all(folder).map_err(doing)?;
    let mut init = text(&["init", "--quiet", "--template="]);
    if commit.len() == LONG_NAME {
        init.push(OsStr::new("--object-format=sha256"));
    }
    let made = ran(folder, git(folder).args(init))?;
    if !made.status.success() {
        return Err(failed(&made));
    }
    let alone = ran(folder, fetching(folder, &["--depth=1"], url).arg(commit))?;
    if alone.status.success() {
        return the_commit(folder, commit);
    }
    // Some servers hand out what a branch or a tag leads to, and no commit by its name.
    let mut everything = fetching(folder, &[], url);
    everything.args(["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]);
    match ran(folder, &mut everything)?.status.success() {
        true => the_commit(folder, commit),
        false => {
            let why = format!("{url} cannot be fetched: {}", complaint(&alone));
            Err(Error::new(ErrorKind::Io, why))
        }
    }
}

/// A `git fetch` that does not prompt, runs no hook and starts no other program than the transport.
fn fetching(folder: &Path, options: &[&str], url: &str) -> Command {
    let mut command = git(folder);
    command
        .env("GIT_ALLOW_PROTOCOL", PROTOCOLS)
        .env("GIT_ASKPASS", "")
        .args(["-c", "gc.auto=0", "-c", "maintenance.auto=false"])
        .args(["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"])
        .args(["-c", &format!("core.sshCommand={SSH}")])
        .args(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules"])
        .args(["--no-write-fetch-head", "--update-head-ok"])
        .args(options)
        .arg("--")
        .arg(url);
    command
}

/// Fails if a repository lacks a commit, or the name means another one.
fn the_commit(folder: &Path, commit: &str) -> Result<(), Error> {
    let lacking = |_| {
        let why = format!("the repository has no commit {commit}");
        Error::new(ErrorKind::Usage, why)
    };
    let found = commit_of(folder, commit).map_err(lacking)?;
    if found.0 == commit {
        return Ok(());
    }
    // An annotated tag has a name of its own.
    let why = format!("{commit} is no commit, but leads to {}", found.0);
    Err(Error::new(ErrorKind::Usage, why))
}

fn ran(folder: &Path, command: &mut Command) -> Result<Output, Error> {
    let output = command.output();
    output.map_err(|error| not_started(folder, &error))
}
