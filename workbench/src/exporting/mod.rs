//! Definitions from files of any notation, written as packages in Tonel. Nothing is compiled and nothing runs.

mod packages;
mod tonel;

use std::fs;
use std::path::{Path, PathBuf};

use tally_compiler::description::{Description, describe, is_harmless};

use crate::embedder::Embedder;
use crate::error::{Error, ErrorKind};
use crate::files::replace::replace_file;
use crate::loading::{Findings, Source, packaged};
use packages::Packages;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// The files, with paths from the folder, in their order.
    pub files: Vec<PathBuf>,
    /// How many packages there are.
    pub packages: usize,
    /// How many statements have no place in a package, for each source that has some.
    pub left_out: Vec<(String, usize)>,
}

/// Writes the definitions of these files as packages into a folder. The folder is empty, absent, or `replaces` is set.
///
/// # Errors
/// If a source cannot be read or is malformed, or the folder cannot be written.
pub fn export(
    files: &[String],
    folder: &Path,
    replaces: bool,
    front: &dyn Embedder,
) -> Result<Exported, Error> {
    let described = described(files, front)?;
    let mut exported = Exported::default();
    let mut packages = Packages::default();
    for (source, package, description) in described {
        if !description.others.is_empty() {
            let name = source.name.clone();
            exported.left_out.push((name, description.others.len()));
        }
        packages.add(&source.name, package.as_deref(), description);
    }
    let texts = packages.texts();
    exported.packages = packages.count();
    if exported.packages == 0 {
        let why = "nothing to export: the files define no classes and no methods";
        return Err(Error::new(ErrorKind::Nothing, why));
    }
    check_folder(folder, replaces)?;
    for (path, text) in texts {
        write(&folder.join(&path), &text)?;
        exported.files.push(path);
    }
    Ok(exported)
}

/// The sources with their packages and their definitions, if all of them can be read.
fn described(
    files: &[String],
    front: &dyn Embedder,
) -> Result<Vec<(Source, Option<String>, Description)>, Error> {
    let mut described = Vec::new();
    let mut findings = Findings::default();
    let mut is_broken = false;
    for (source, package) in packaged(files, front)? {
        let (description, mut diagnostics) = describe(&source.name, &source.text);
        diagnostics.retain(|one| one.is_error() && !is_harmless(one));
        is_broken |= !diagnostics.is_empty();
        findings.show(&source, diagnostics, front);
        described.push((source, package, description));
    }
    findings.end(front);
    match is_broken {
        true => Err(Error::told(
            ErrorKind::Source,
            "the sources cannot be read as a whole",
        )),
        false => Ok(described),
    }
}

fn check_folder(folder: &Path, replaces: bool) -> Result<(), Error> {
    let name = folder.to_string_lossy();
    let failed = |error| Error::io("read", &name, &error);
    match fs::metadata(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        found => {
            found.map_err(failed)?;
        }
    }
    let is_empty = fs::read_dir(folder).map_err(failed)?.next().is_none();
    match is_empty || replaces {
        true => Ok(()),
        false => Err(Error::new(
            ErrorKind::Usage,
            format!("{name} is not empty; --force replaces the files of the same names"),
        )),
    }
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    let failed = |error| Error::io("write", &path.to_string_lossy(), &error);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let old = fs::metadata(path).ok().filter(fs::Metadata::is_file);
    replace_file(path, text.as_bytes(), old.as_ref()).map_err(failed)
}
