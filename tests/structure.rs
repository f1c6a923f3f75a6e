//! Checks the structure that ARCHITECTURE.md describes: no circle between the folders of a crate, and no large one
//! between files.

use libtest_mimic::Trial;
use tally_tests::root;
use tally_tests::structure::Structure;

use crate::checks::{Checked, none, trial};

/// What a crate may have at most.
struct Bounds {
    sources: &'static str,
    /// Files in one circle.
    files: usize,
    /// Circles between folders.
    folders: usize,
}

/// The house as it stands. A figure may fall; one above 8 or 0 is a debt.
const CRATES: &[Bounds] = &[
    bounds("analyses/comparison/src", 8, 0),
    bounds("analyses/study/src", 8, 0),
    bounds("benches/src", 8, 0),
    bounds("cli/src", 4, 0),
    bounds("compiler/src", 8, 0),
    bounds("presentation/src", 8, 0),
    bounds("profiler/src", 8, 0),
    bounds("workbench/src", 8, 0),
    bounds("stdlib/src", 8, 0),
    bounds("tally-test/src", 8, 0),
    bounds("tests/src", 0, 0),
    bounds("vm/src", 12, 0),
];

const fn bounds(sources: &'static str, files: usize, folders: usize) -> Bounds {
    Bounds {
        sources,
        files,
        folders,
    }
}

/// A test for each crate.
pub(crate) fn trials() -> Vec<Trial> {
    let test = |bounds: &'static Bounds| {
        trial(format!("structure/{}", bounds.sources), move || {
            check(bounds)
        })
    };
    CRATES.iter().map(test).collect()
}

fn check(bounds: &Bounds) -> Checked {
    let sources = root().join(bounds.sources);
    let structure = Structure::read(&sources).map_err(|error| error.to_string())?;
    let mut wrong = Vec::new();
    for circle in structure.circles() {
        if circle.len() > bounds.files {
            let arrows = structure.arrows_among(&circle).join("\n  ");
            wrong.push(format!("a circle of {} files:\n  {arrows}", circle.len()));
        }
    }
    let folders = structure.circles_of_folders();
    if folders.len() > bounds.folders {
        for circle in folders {
            let arrows = structure.arrows_between(&circle).join("\n  ");
            let folders = circle.join(", ");
            wrong.push(format!("a circle of folders: {folders}\n  {arrows}"));
        }
    }
    none(&wrong)
}
