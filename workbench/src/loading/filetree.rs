//! Packages in FileTree: which files of their folders are loaded. The compiler reads the files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tally_compiler::bounds;
use tally_compiler::filetree::{PROPERTIES, Part, place};

/// The file beside the properties of a class that holds its comment.
const COMMENT: &str = "README.md";

/// The files of a package whose folder has these folders, in the order of their paths. There are none if it is no
/// package in FileTree.
pub(super) fn files(folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for folder in folders {
        let properties = folder.join(PROPERTIES);
        if is_part(&properties) && properties.is_file() {
            files.push(properties);
        }
        for side in ["class", "classSide", "instance"] {
            let side = folder.join(side);
            if is_part(&side.join("any.st")) && side.is_dir() {
                files.extend(methods(&side)?);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn methods(side: &Path) -> io::Result<Vec<PathBuf>> {
    let mut methods = Vec::new();
    for entry in fs::read_dir(side)? {
        let path = entry?.path();
        let is_hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if is_part(&path) && !is_hidden && path.is_file() {
            methods.push(path);
        }
    }
    Ok(methods)
}

fn is_part(path: &Path) -> bool {
    place(&path.to_string_lossy()).is_some()
}

/// The comment of the class that a file defines, to stand behind its properties.
pub(super) fn comment_of(path: &Path) -> Option<String> {
    let place = place(path.to_str()?)?;
    if let Part::Method { .. } = place.part {
        return None;
    }
    let path = path.with_file_name(COMMENT);
    let is_readable = |data: fs::Metadata| data.is_file() && bounds::too_long(data.len()).is_none();
    match fs::metadata(&path).is_ok_and(is_readable) {
        true => fs::read_to_string(&path).ok(),
        false => None,
    }
}
