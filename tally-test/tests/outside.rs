//! A crate outside the workspace that uses this one by the page of its documentation alone. The test makes the crate of the
//! page's first two blocks and runs its tests. It compiles all of Tally anew, so `.ci/nightly outside` runs it, not the gate.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has nothing better to do"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The blocks of the page whose fence begins with this text.
fn blocks(fence: &str) -> Vec<String> {
    let source = include_str!("../src/lib.rs");
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines: Vec<&str> = lines
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .collect();
    let mut blocks = Vec::new();
    let mut rest = lines.as_slice();
    while let Some(start) = rest.iter().position(|line| line.starts_with("```")) {
        let behind = &rest[start + 1..];
        let end = behind.iter().position(|line| *line == "```").unwrap();
        if rest[start].starts_with(fence) {
            blocks.push(behind[..end].join("\n") + "\n");
        }
        rest = &behind[end + 1..];
    }
    blocks
}

#[test]
fn the_page_holds_a_manifest_and_a_file_of_tests() {
    let [manifest] = &blocks("```toml")[..] else {
        panic!("the page has one manifest");
    };
    assert!(manifest.contains("\ntally-test = { path = "), "{manifest}");
    let [tests] = &blocks("```rust,test_harness")[..] else {
        panic!("the page has one file of tests");
    };
    assert!(tests.matches("#[test]\n").count() >= 4, "{tests}");
    assert!(
        !tests.lines().any(|line| line.starts_with("# ")),
        "hidden lines"
    );
}

#[test]
#[ignore = "it compiles all of Tally anew"]
fn a_crate_of_the_page_passes_its_tests() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let temporary = std::env::temp_dir().join(format!("tally-outside-{}", std::process::id()));
    let folder = temporary.join("bank");
    fs::create_dir_all(folder.join("tests")).unwrap();
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = blocks("```toml").concat();
    let path = format!("{:?}", here.display().to_string());
    let manifest = manifest.replace("\"../tally/tally-test\"", &path);
    assert!(manifest.contains(&path), "{manifest}");
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    fs::write(folder.join("src/lib.rs"), "").unwrap();
    fs::write(
        folder.join("tests/bank.rs"),
        blocks("```rust,test_harness").concat(),
    )
    .unwrap();
    // The registry's crates in the versions that the repository has tested, and that are on this machine already.
    fs::copy(here.join("../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("outside");
    let output = Command::new(env!("CARGO"))
        .args(["test", "--offline", "--test", "bank"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    let _ = fs::remove_dir_all(&temporary);
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{out}\n{error}");
    assert!(out.contains("test result: ok. 4 passed"), "{out}\n{error}");
}
