//! The shared parts of the suite's modules: tests whose verdict is a text, and the files that the rules read.

use libtest_mimic::{Failed, Trial};
use tally_tests::{files_below, root};

/// What a check finds.
pub(crate) type Checked = Result<(), String>;

/// A test that carries out a check.
pub(crate) fn trial(
    name: impl Into<String>,
    check: impl FnOnce() -> Checked + Send + 'static,
) -> Trial {
    Trial::test(name, move || check().map_err(Failed::from))
}

/// The name of a test, and its check.
type Test = (&'static str, fn() -> Checked);

/// A test for each name and check.
pub(crate) fn trials_of(tests: &[Test]) -> Vec<Trial> {
    tests
        .iter()
        .map(|&(name, test)| trial(name, test))
        .collect()
}

/// Fails with these lines, if there are any.
pub(crate) fn none(wrong: &[String]) -> Checked {
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

/// A file of the repository.
pub(crate) struct Source {
    /// Its path from the root.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// The files of the repository whose names have this ending. What is no UTF-8 is replaced.
pub(crate) fn sources(extension: &str) -> Result<Vec<Source>, String> {
    let root = root();
    let paths = files_below(&root, extension).map_err(|error| error.to_string())?;
    let read = |path: std::path::PathBuf| {
        let text = std::fs::read(&path).map_err(|error| error.to_string())?;
        let name = path.strip_prefix(&root).unwrap_or(&path);
        Ok(Source {
            name: name.display().to_string(),
            text: String::from_utf8_lossy(&text).into_owned(),
        })
    };
    paths.into_iter().map(read).collect()
}
