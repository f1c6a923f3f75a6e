//! The files of the work tree in a folder of their own: those that git knows, and new ones that it does not ignore.

use std::fs;
use std::path::{Path, PathBuf};

use super::{failed, os_string, run, text};
use crate::error::Error;

/// Copies the files of the work tree below a folder. What git knows and is not there is left out; so are submodules.
pub fn copy_work_tree(root: &Path, destination: &Path) -> Result<(), Error> {
    let arguments = text(&[
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "--full-name",
        "-z",
    ]);
    let output = run(root, &arguments)?;
    if !output.status.success() {
        return Err(failed(&output));
    }
    let names = output.stdout.split(|&byte| byte == 0);
    for name in names.filter(|name| !name.is_empty()) {
        let name = PathBuf::from(os_string(name.to_vec()));
        copy(&root.join(&name), &destination.join(&name))
            .map_err(|error| Error::io("copy", &root.join(&name).display().to_string(), &error))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let facts = match fs::symlink_metadata(from) {
        Ok(facts) => facts,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if let Some(folder) = to.parent().filter(|_| !facts.is_dir()) {
        fs::create_dir_all(folder)?;
    }
    match () {
        () if facts.is_symlink() => copy_link(from, to),
        () if facts.is_file() && !to.exists() => fs::copy(from, to).map(drop),
        // A folder is a submodule; a file may be listed twice while a merge is under way.
        () => Ok(()),
    }
}

#[cfg(unix)]
fn copy_link(from: &Path, to: &Path) -> std::io::Result<()> {
    if to.is_symlink() {
        return Ok(());
    }
    std::os::unix::fs::symlink(fs::read_link(from)?, to)
}

#[cfg(not(unix))]
fn copy_link(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::copy(from, to).map(drop)
}
