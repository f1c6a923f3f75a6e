//! Folders as arguments of the command: which files of a folder belong to a package, and which folders
//! are packages. Compiling and running are the business of `program`.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::filetree;
use crate::error::{Error, ErrorKind};

/// A package: a folder with files.
#[derive(Debug)]
pub(super) struct Folder {
    /// The folder's own name.
    pub(super) name: String,
    /// The folder.
    pub(super) path: PathBuf,
    /// Its files, by name.
    pub(super) files: Vec<String>,
}

/// The files that arguments stand for: those of the packages in folders, and the others as they are.
///
/// # Errors
/// If a folder cannot be read or holds no package.
pub fn files_of(base: &Path, arguments: &[String]) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    for argument in arguments {
        match base.join(argument).is_dir() {
            true => files.extend(
                find(base, argument)?
                    .into_iter()
                    .flat_map(|folder| folder.files),
            ),
            false => files.push(argument.clone()),
        }
    }
    Ok(files)
}

/// A package and where it is.
#[derive(Debug)]
pub struct PackageFolder {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
    /// Its files.
    pub files: Vec<PathBuf>,
}

/// The packages that a folder holds, as they are loaded if the folder is named.
///
/// # Errors
/// If a folder cannot be read or holds no package.
pub fn packages_in(folder: &Path) -> Result<Vec<PackageFolder>, Error> {
    let found = find(Path::new(""), &folder.to_string_lossy())?;
    let located = found.into_iter().map(|package| PackageFolder {
        name: package.name,
        folder: package.path,
        files: package.files.into_iter().map(PathBuf::from).collect(),
    });
    Ok(located.collect())
}

/// The packages of a folder: the folder itself, if it has files in Tonel or file-outs; otherwise the packages in it.
pub(super) fn find(base: &Path, folder: &str) -> Result<Vec<Folder>, Error> {
    let mut search = Search {
        base,
        visited: HashSet::new(),
        found: Vec::new(),
    };
    search.visit(&base.join(folder), true)?;
    if search.found.is_empty() {
        let why = format!("{folder} holds no package: no folder with .st files");
        return Err(Error::new(ErrorKind::Nothing, why));
    }
    Ok(search.found)
}

struct Search<'b> {
    /// The folder that relative names start from.
    base: &'b Path,
    /// The folders that were looked at, under their true names: links can lead in circles.
    visited: HashSet<PathBuf>,
    found: Vec<Folder>,
}

impl Search<'_> {
    fn visit(&mut self, folder: &Path, is_argument: bool) -> Result<(), Error> {
        let failed = |error| Error::io("read", &folder.to_string_lossy(), &error);
        if !self
            .visited
            .insert(fs::canonicalize(folder).map_err(failed)?)
        {
            return Ok(());
        }
        let mut files = Vec::new();
        let mut folders = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if is_hidden(&path) {
                continue;
            }
            // A link that leads nowhere is a file that cannot be read.
            if path.is_dir() {
                folders.push(path);
            } else if path.extension() == Some(OsStr::new("st")) && !is_no_file(&path) {
                files.push(path);
            }
        }
        files.sort();
        folders.sort();
        if files.iter().any(|file| begins_package(file)) {
            self.add(folder, &files);
            return Ok(());
        }
        let parts = filetree::files(&folders).map_err(failed)?;
        if !parts.is_empty() {
            self.add(folder, &parts);
            return Ok(());
        }
        let before = self.found.len();
        for inner in folders {
            self.visit(&inner, false)?;
        }
        // Scripts beside packages are not theirs; scripts alone are a package in another notation.
        if is_argument && self.found.len() == before && !files.is_empty() {
            self.add(folder, &files);
        }
        Ok(())
    }

    fn add(&mut self, folder: &Path, files: &[PathBuf]) {
        let own_name = folder.file_name().map(OsStr::to_os_string).or_else(|| {
            let whole = fs::canonicalize(folder).ok()?;
            whole.file_name().map(OsStr::to_os_string)
        });
        let name = own_name.map_or_else(|| "package".to_owned(), |name| text(&name));
        let name = name
            .strip_suffix(".package")
            .map(str::to_owned)
            .unwrap_or(name);
        let from_base = |file: &PathBuf| {
            let inner = file.strip_prefix(self.base).unwrap_or(file);
            text(inner.as_os_str())
        };
        let files = files.iter().map(from_base).collect();
        self.found.push(Folder {
            name,
            path: folder.to_path_buf(),
            files,
        });
    }
}

fn text(name: &OsStr) -> String {
    name.to_string_lossy().into_owned()
}

/// Whether there is something that is no file: a pipe, for instance, which may have no end.
fn is_no_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| !data.is_file())
}

fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::as_encoded_bytes);
    name.is_some_and(|name| name.starts_with(b"."))
}

/// Whether a text is the file of a package.
pub(super) fn is_of_package(text: &str) -> bool {
    tally_compiler::is_tonel(text) || tally_compiler::is_file_out(text)
}

/// Whether the file belongs to a package, as far as it can be read; if not, that shows when it is loaded.
fn begins_package(file: &Path) -> bool {
    let named = file.file_name().is_some_and(|name| name == "package.st");
    let text = || fs::read(file).unwrap_or_default();
    named || is_of_package(&String::from_utf8_lossy(&text()))
}
