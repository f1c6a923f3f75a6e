//! What the repository says of itself by measurements: the counts of the study's programs, and docs/STUDY.md from the data
//! beside it.

#[allow(dead_code)] // each test binary uses its own part
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use support::Sandbox;

/// Names and texts of the applications in a folder of the examples.
fn applications(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "st"));
    files.sort();
    files
}

#[test]
fn the_basket_counts_what_it_counted() {
    let sandbox = Sandbox::new("basket");
    let mut counted = String::new();
    for folder in ["basket", "counterexamples"] {
        for path in applications(folder) {
            let file = path.to_str().expect("a name");
            let ran = sandbox.tally(&["test", "--format", "json", file]);
            ran.exits(0);
            let (mut tests, mut sends) = (0, 0);
            for line in ran.output().lines() {
                let test: Value = serde_json::from_str(line).expect("JSON");
                if let Some(number) = test["cost"]["sends"].as_u64() {
                    (tests, sends) = (tests + 1, sends + number);
                }
            }
            let name = path.file_stem().expect("a name").to_string_lossy();
            counted.push_str(&format!("{folder}/{name}: {tests} tests, {sends} sends\n"));
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/basket/sends.txt");
    if std::env::var_os("TALLY_UPDATE").is_some() {
        std::fs::write(&golden, &counted).expect("the file");
    }
    let expected = std::fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(counted, expected, "TALLY_UPDATE=1 writes the counts anew");
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

/// Names and contents of the files in a folder.
fn files_in(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    files
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read_to_string(path).expect("the file"))
        })
        .collect()
}

#[test]
fn the_study_in_the_documents_is_what_its_measurements_say() {
    let sandbox = Sandbox::new("documents");
    let data = docs().join("study.jsonl");
    let data = data.to_str().expect("a name");
    sandbox
        .tally(&["study", "--from", data, "-o", "STUDY.md"])
        .exits(0);
    let text = sandbox.read("STUDY.md");
    let figures = files_in(&sandbox.path("STUDY"));
    if std::env::var_os("TALLY_UPDATE").is_some() {
        std::fs::write(docs().join("STUDY.md"), &text).expect("the file");
        std::fs::create_dir_all(docs().join("STUDY")).expect("the folder");
        for (name, figure) in &figures {
            std::fs::write(docs().join("STUDY").join(name), figure).expect("the file");
        }
    }
    let committed = std::fs::read_to_string(docs().join("STUDY.md")).expect("docs/STUDY.md");
    assert!(
        text == committed,
        "TALLY_UPDATE=1 writes docs/STUDY.md anew"
    );
    assert_eq!(figures, files_in(&docs().join("STUDY")));
}
