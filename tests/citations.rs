//! The documents for developers cite only paths and names of the code that exist.

use std::collections::BTreeSet;
use std::path::Path;

use libtest_mimic::Trial;
use tally_tests::{files_below, root};

use crate::checks::{Checked, none, trial};

const DOCUMENTS: &[&str] = &["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/SAFETY.md"];
/// Citations of these kinds are paths.
const ENDINGS: &[&str] = &[".rs", ".lalrpop"];

/// A test for each document.
pub(crate) fn trials() -> Vec<Trial> {
    let test =
        |&document: &&'static str| trial(format!("citations/{document}"), move || check(document));
    DOCUMENTS.iter().map(test).collect()
}

fn check(document: &str) -> Checked {
    let text = std::fs::read_to_string(root().join(document)).map_err(|e| e.to_string())?;
    let words = words_of_the_code().map_err(|error| error.to_string())?;
    let mut missing = Vec::new();
    for (number, line) in text.lines().enumerate() {
        // A file without a folder stands in that of the path before it.
        let mut folder = String::new();
        for cited in line.split('`').skip(1).step_by(2) {
            let exists = if is_path(cited) {
                let found = find(cited, &folder);
                if let Some((before, _)) = found
                    .as_deref()
                    .and_then(|path| path.trim_end_matches('/').rsplit_once('/'))
                {
                    folder = before.to_string();
                }
                found.is_some()
            } else if is_name(cited) {
                cited
                    .rsplit("::")
                    .next()
                    .is_some_and(|name| words.contains(name))
            } else {
                continue;
            };
            if !exists {
                missing.push(format!("{document}:{}: {cited} does not exist", number + 1));
            }
        }
    }
    none(&missing)
}

/// Whether a citation is that of a file or folder of the repository.
fn is_path(cited: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    let is_rooted = cited
        .split_once('/')
        .is_some_and(|(first, _)| first != "." && root().join(first).is_dir());
    cited.chars().all(is_plain) && (is_rooted || ENDINGS.iter().any(|end| cited.ends_with(end)))
}

/// Where a cited path leads, from the root on.
fn find(cited: &str, folder: &str) -> Option<String> {
    let beside = format!("{folder}/{cited}");
    let candidates = [cited.to_string(), beside];
    candidates
        .into_iter()
        .find(|path| root().join(path).exists())
}

/// Whether a citation is that of a name in the code, such as `Vm::run`.
fn is_name(cited: &str) -> bool {
    let is_identifier = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    cited.contains("::") && cited.split("::").all(is_identifier)
}

fn words_of_the_code() -> std::io::Result<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for path in files_below(&root(), "rs")? {
        if is_this(&path) {
            continue;
        }
        let text = std::fs::read_to_string(path)?;
        let all = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.extend(all.map(str::to_string));
    }
    Ok(words)
}

/// This file's own example is no definition.
fn is_this(path: &Path) -> bool {
    path.ends_with("tests/citations.rs")
}
