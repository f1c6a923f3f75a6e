//! Several traces, or those of a folder, as a list.

use std::path::{Path, PathBuf};

use tally_timeline::Listing;

use super::source::{Source, TRACE, is_trace};
use crate::console;
use crate::failure::Failure;

/// The most files of a folder that are listed.
const MOST_FILES: usize = 10_000;

/// The traces that are to be listed, if the arguments name nothing but traces and folders of traces, and not one trace alone.
pub(super) fn traces(files: &[String]) -> Option<Vec<String>> {
    let mut traces = Vec::new();
    let mut folders = 0;
    for file in files {
        match traces_in(Path::new(file)) {
            Some(found) => {
                folders += 1;
                traces.extend(found);
            }
            None if is_trace(file) => traces.push(file.clone()),
            None => return None,
        }
    }
    (folders > 0 || traces.len() > 1).then_some(traces)
}

/// The traces in a folder that holds some, and neither source files nor folders that may hold them.
fn traces_in(folder: &Path) -> Option<Vec<String>> {
    let entries = std::fs::read_dir(folder).ok()?;
    let paths = entries.flatten().map(|entry| entry.path());
    let paths: Vec<PathBuf> = paths.take(MOST_FILES).collect();
    let is_source = |path: &PathBuf| ends_in(path, "st") || ends_in(path, "som") || path.is_dir();
    let has_sources = paths.iter().any(is_source);
    let traces = paths.iter().filter(|path| is_named_as_trace(path));
    let mut names: Vec<String> = traces.map(|path| path.display().to_string()).collect();
    names.sort();
    (!has_sources && !names.is_empty()).then_some(names)
}

/// Whether a file's name is that of a trace, or of one that is still being written.
fn is_named_as_trace(path: &Path) -> bool {
    let is_growing = ends_in(path, "partial");
    let whole = if is_growing {
        path.with_extension("")
    } else {
        path.to_path_buf()
    };
    path.is_file() && ends_in(&whole, TRACE)
}

fn ends_in(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|one| one == ending)
}

/// Lists traces. The last failure is that of a trace that cannot be read; those before it are reported.
pub(super) fn listing(traces: &[String]) -> (Listing, Option<Failure>) {
    let mut listed = Vec::new();
    let mut failed: Option<Failure> = None;
    for file in traces {
        match Source::of_any_model(file) {
            Ok(source) => {
                source.warn_of_cut();
                listed.push(source.listed());
            }
            Err(failure) => {
                if let Some(before) = failed.replace(failure) {
                    console::error(before.message());
                }
            }
        }
    }
    (Listing(listed), failed)
}
