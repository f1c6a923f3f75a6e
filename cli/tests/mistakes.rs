//! Mistakes that beginners make, and the answer of the command to each. A mistake is a program in `mistakes/`. The file
//! beside it holds the exit code and all that the program and the command wrote. `TALLY_UPDATE=1` rewrites these files.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::Sandbox;

/// The audit found 45 mistakes. Thirty or more were added.
const FEWEST: usize = 75;

#[test]
fn each_mistake_gets_the_answer_on_record() {
    let sandbox = Sandbox::new("mistakes");
    let programs = programs();
    assert!(programs.len() >= FEWEST, "only {} left", programs.len());
    let is_updating = std::env::var_os("TALLY_UPDATE").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    for program in programs {
        let record = program.with_extension("txt");
        let answer = answer(&sandbox, &program);
        if is_updating {
            fs::write(&record, answer).unwrap();
        } else if fs::read_to_string(&record).unwrap_or_default() != answer {
            wrong.push(format!("--- {}\n{answer}", record.display()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} answers differ; TALLY_UPDATE=1 rewrites the records\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "st"));
    paths.sort();
    paths
}

/// What the command writes when it runs the program.
fn answer(sandbox: &Sandbox, program: &Path) -> String {
    let name = program.file_name().unwrap().to_string_lossy();
    sandbox.write(&name, fs::read(program).unwrap());
    let ran = sandbox.tally(&["run", &name]);
    let code = ran.code().unwrap();
    format!(
        "exit {code}\n--- standard output\n{}--- standard error\n{}",
        ran.output(),
        ran.error()
    )
}
