//! The shared parts of this folder's tests: an outside world in memory, the modes in which every program must behave
//! alike, and the expectations in test programs. No test is here.

pub mod examples;
pub mod expectation;
pub mod host;
pub mod hostile;
pub mod modes;
pub mod observe;
pub mod oracle;
pub mod readers;
pub mod structure;

use std::io;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// All files below a folder whose name ends with `.extension`, sorted by path. Folders that hold no sources of the
/// repository are left out.
///
/// # Errors
/// What the file system says.
pub fn files_below(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(folder, extension, &mut found)?;
    found.sort();
    Ok(found)
}

/// The examples that are programs by themselves, sorted by path. The applications of the basket only define classes until
/// their tests are run.
///
/// # Errors
/// An error of the file system.
pub fn example_programs() -> io::Result<Vec<PathBuf>> {
    let folder = root().join("examples");
    let mut found = files_below(&folder, "st")?;
    found.retain(|path| path.parent() == Some(folder.as_path()));
    Ok(found)
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                collect(&path, extension, found)?;
            }
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// Whether generated files are to be rewritten instead of compared.
pub fn updating() -> bool {
    std::env::var_os("TALLY_UPDATE").is_some_and(|value| value == "1")
}

/// Compares a generated text with the file that holds it, or rewrites the file if `TALLY_UPDATE=1`.
///
/// # Errors
/// A sentence that names the file and the first line that differs.
pub fn compare_with_file(path: &Path, generated: &str) -> Result<(), String> {
    if updating() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        }
        return std::fs::write(path, generated).map_err(|error| error.to_string());
    }
    let found = std::fs::read_to_string(path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    if found == generated {
        return Ok(());
    }
    let pairs = found.lines().map(Some).chain(std::iter::repeat(None));
    let wanted = generated.lines().map(Some).chain(std::iter::repeat(None));
    let differs = pairs
        .zip(wanted)
        .enumerate()
        .find(|(_, (a, b))| a != b || a.is_none());
    let (line, found, wanted) = match differs {
        Some((number, (found, wanted))) => (number + 1, found, wanted),
        None => (0, None, None),
    };
    Err(format!(
        "{} is out of date at line {line}:\n  it says  {found:?}\n  should be {wanted:?}\n\
         run the test with TALLY_UPDATE=1 to rewrite it, and look at the difference",
        path.display()
    ))
}
