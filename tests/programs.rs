//! Tries a law on every golden program and every example that compiles, unless its end depends on memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::Trial;
use tally_tests::expectation;
use tally_tests::observe::{Options, compile};
use tally_tests::{example_programs, files_below, root};
use tally_vm::bytecode::Unit;

use crate::checks::trial;

/// A law that holds for a program and the options of its runs.
pub(crate) type Law = fn(&Arc<Unit>, &Options) -> Result<(), String>;

/// A test for each program, named for an area.
pub(crate) fn trials(area: &str, law: Law) -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let mut trials = Vec::new();
    let golden = files_below(&root().join("tests/golden"), "st")?;
    for (folder, paths) in [("tests/golden", golden), ("examples", example_programs()?)] {
        trials.extend(trials_of(area, law, folder, paths)?);
    }
    Ok(trials)
}

/// A test for each of the programs, which are in this folder of the repository.
pub(crate) fn trials_of(
    area: &str,
    law: Law,
    folder: &str,
    paths: Vec<PathBuf>,
) -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let folder = root().join(folder);
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&folder)?.with_extension("");
        let name = format!("{area}/{}", name.to_string_lossy().replace('\\', "/"));
        Ok(trial(name, move || holds(law, &path)))
    };
    paths.into_iter().map(named).collect()
}

fn holds(law: Law, path: &Path) -> Result<(), String> {
    let source = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let source = source.replace("\r\n", "\n");
    let options = options(path, &source)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match compile(&name, &source)?.unit {
        Some(unit) if !options.by_memory => law(&Arc::new(unit), &options),
        _ => Ok(()),
    }
}

/// The options of a run of a program. An example has those by default.
pub(crate) fn options(path: &Path, source: &str) -> Result<Options, String> {
    match path.starts_with(root().join("examples")) {
        true => Ok(Options::default()),
        false => Ok(expectation::read(source)?.options),
    }
}
