//! The commit that `tally --version` shows. It is that of TALLY_COMMIT, if the variable is set, or that of the package that
//! cargo made, or that of the clone. Elsewhere there is none. A build for debugging has none either, because it would be linked
//! anew at every commit.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TALLY_COMMIT");
    if let Some(commit) = given().or_else(packaged).or_else(checked_out) {
        println!("cargo::rustc-env=TALLY_COMMIT={commit}");
    }
}

/// What the environment says.
fn given() -> Option<String> {
    let commit = env::var("TALLY_COMMIT").ok()?;
    is_plain(&commit).then_some(commit)
}

/// What cargo has noted in a package: `"sha1": "…"`, and whether files had changes.
fn packaged() -> Option<String> {
    println!("cargo::rerun-if-changed=.cargo_vcs_info.json");
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, behind) = text.split_once("\"sha1\"")?;
    let commit = behind.split('"').nth(1)?.to_string();
    let dirty = if text.contains("\"dirty\"") {
        "-dirty"
    } else {
        ""
    };
    is_plain(&commit).then(|| format!("{commit}{dirty}"))
}

/// The commit of the clone, if these files are the folder of one.
fn checked_out() -> Option<String> {
    let is_optimised = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if !is_optimised || !Path::new("../.git").exists() {
        return None;
    }
    for name in ["HEAD", "logs/HEAD", "index"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let commit = git(&["rev-parse", "HEAD"])?;
    let changes = git(&["status", "--porcelain", "--untracked-files=no", ".."])?;
    let dirty = if changes.is_empty() { "" } else { "-dirty" };
    is_plain(&commit).then(|| format!("{commit}{dirty}"))
}

/// What git prints, without the end of its line.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim_end().to_string())
}

/// Whether a text can be a commit's name.
fn is_plain(text: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !text.is_empty() && text.len() <= 80 && text.chars().all(is_allowed)
}
