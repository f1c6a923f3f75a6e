//! Rules of the repository that the compiler does not check: every Rust file has a header, crates import along the arrows
//! of ARCHITECTURE.md only, and no file names a path of a developer's machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;

use libtest_mimic::Trial;
use tally_compiler::ast::Item;
use tally_compiler::parser;
use tally_tests::root;
use toml::de::DeTable;

use crate::checks::{Checked, Source, none, sources, trials_of};

/// A test for each rule.
pub(crate) fn trials() -> Vec<Trial> {
    trials_of(&[
        (
            "rules/every_rust_file_has_a_header",
            every_rust_file_has_a_header,
        ),
        (
            "rules/every_library_file_has_a_header",
            every_library_file_has_a_header,
        ),
        (
            "rules/each_class_of_the_library_has_one_file",
            each_class_of_the_library_has_one_file,
        ),
        (
            "rules/crates_import_along_the_arrows",
            crates_import_along_the_arrows,
        ),
        (
            "rules/one_rule_for_what_a_terminal_obeys",
            one_rule_for_what_a_terminal_obeys,
        ),
        (
            "rules/one_toolchain_builds_everything",
            one_toolchain_builds_everything,
        ),
        (
            "rules/nothing_refers_to_a_machine",
            nothing_refers_to_a_machine,
        ),
    ])
}

fn all_start_with(extension: &str, start: &str) -> Checked {
    let files = sources(extension)?;
    if files.is_empty() {
        return Err(format!("there are no .{extension} files"));
    }
    // Programs with mistakes are what a beginner wrote.
    let files = files
        .iter()
        .filter(|file| !file.name.starts_with("cli/tests/mistakes/"));
    let bare = files.filter(|file| !file.text.starts_with(start));
    let bare = bare.map(|file| format!("{} has no header", file.name));
    none(&bare.collect::<Vec<_>>())
}

fn every_rust_file_has_a_header() -> Checked {
    all_start_with("rs", "//! ")
}

fn every_library_file_has_a_header() -> Checked {
    all_start_with("st", "\"")
}

/// Two definitions of a class would merge silently.
fn each_class_of_the_library_has_one_file() -> Checked {
    let mut wrong = Vec::new();
    let mut defined: BTreeMap<String, String> = BTreeMap::new();
    for Source { name: file, text } in sources("st")? {
        if !file.starts_with("stdlib/") {
            continue;
        }
        let (tree, _) = parser::parse(&text);
        let classes = tree.items.iter().filter_map(|item| match item {
            Item::Class(class) => Some(class.name.text.as_str()),
            _ => None,
        });
        for class in classes {
            if Path::new(&file).file_stem() != Some(OsStr::new(class)) {
                wrong.push(format!("{file} defines {class}"));
            }
            if let Some(other) = defined.insert(class.to_string(), file.clone()) {
                wrong.push(format!("{file} defines {class}, as {other} does"));
            }
        }
    }
    match defined.is_empty() {
        true => Err("no class was found".to_string()),
        false => none(&wrong),
    }
}

/// Which crates of the workspace a crate's `[dependencies]` and `[build-dependencies]` may name.
const ARROWS: &[(&str, &[&str], &[&str])] = &[
    ("vm", &[], &[]),
    ("compiler", &["tally-vm"], &[]),
    ("presentation", &[], &[]),
    ("profiler", &["tally-presentation", "tally-vm"], &[]),
    ("stdlib", &["tally-vm"], &["tally-compiler", "tally-vm"]),
    (
        "analyses/comparison",
        &["tally-presentation", "tally-profiler", "tally-vm"],
        &[],
    ),
    ("analyses/explore", &["tally-presentation"], &[]),
    ("analyses/predict", &["tally-presentation"], &[]),
    (
        "analyses/study",
        &["tally-presentation", "tally-profiler"],
        &[],
    ),
    (
        "workbench",
        &[
            "tally-comparison",
            "tally-compiler",
            "tally-explore",
            "tally-predict",
            "tally-presentation",
            "tally-profiler",
            "tally-stdlib",
            "tally-timeline",
            "tally-vm",
        ],
        &[],
    ),
    (
        "tally-test",
        &[
            "tally-compiler",
            "tally-presentation",
            "tally-profiler",
            "tally-vm",
            "tally-workbench",
        ],
        &[],
    ),
];

fn crates_import_along_the_arrows() -> Checked {
    let mut wrong = Vec::new();
    for (name, normal, building) in ARROWS {
        let path = root().join(name).join("Cargo.toml");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
        let manifest = DeTable::parse(&text).map_err(|error| format!("{name}: {error}"))?;
        for (section, allowed) in [("dependencies", normal), ("build-dependencies", building)] {
            let found = own_crates_in(manifest.get_ref(), section);
            let unknown = found.iter().filter(|one| !allowed.contains(&one.as_str()));
            wrong.extend(unknown.map(|one| format!("{name} may not import {one} ({section})")));
        }
    }
    none(&wrong)
}

/// The machine imports no crate and has the rule for its traces; everything else that is shown has that of `presentation`.
fn one_rule_for_what_a_terminal_obeys() -> Checked {
    let differs = |c: &char| {
        let mut text = [0; 4];
        let text = c.encode_utf8(&mut text);
        tally_vm::is_obeyed(*c) != tally_presentation::escape::is_obeyed(*c)
            || tally_vm::printable(text) != tally_presentation::printable(text)
    };
    match ('\0'..=char::MAX).find(differs) {
        None => Ok(()),
        Some(c) => Err(format!(
            "{c:?} is obeyed in one place and shown in the other"
        )),
    }
}

/// The workspace's own crates in a section of a manifest, for all platforms and for single ones.
fn own_crates_in(manifest: &DeTable<'_>, section: &str) -> BTreeSet<String> {
    let mut tables = vec![manifest];
    if let Some(platforms) = table_in(manifest, "target") {
        tables.extend(
            platforms
                .values()
                .filter_map(|one| one.get_ref().as_table()),
        );
    }
    let dependencies = tables.iter().filter_map(|table| table_in(table, section));
    let named = dependencies.flatten().map(|(key, facts)| {
        // A dependency may have another name in the crate than it has.
        let package = facts.get_ref().get("package");
        let package = package.and_then(|package| package.get_ref().as_str());
        package.unwrap_or(key.get_ref()).to_string()
    });
    named.filter(|name| name.starts_with("tally")).collect()
}

fn table_in<'t, 's>(table: &'t DeTable<'s>, name: &str) -> Option<&'t DeTable<'s>> {
    table.get(name)?.get_ref().as_table()
}

/// The image of the Dockerfile has the toolchain already, so that its build fetches no other one.
fn one_toolchain_builds_everything() -> Checked {
    let line_of = |file: &str, start: &str, end: &str| {
        let text =
            std::fs::read_to_string(root().join(file)).map_err(|e| format!("{file}: {e}"))?;
        let mut found = text.lines().filter_map(|line| line.strip_prefix(start));
        let rest = found.next().and_then(|rest| rest.split(end).next());
        rest.map(str::to_string)
            .ok_or(format!("{file} has no line that begins with {start}"))
    };
    let wanted = line_of("rust-toolchain.toml", "channel = \"", "\"")?;
    let least = line_of("Cargo.toml", "rust-version = \"", "\"")?;
    let image = line_of("Dockerfile", "FROM rust:", "-")?;
    let is_it = |short: &str| wanted == short || wanted.strip_suffix(".0") == Some(short);
    match is_it(&least) && is_it(&image) {
        true => Ok(()),
        false => Err(format!(
            "rust-toolchain.toml has {wanted}, Cargo.toml {least}, Dockerfile {image}"
        )),
    }
}

/// Paths of the machines that this was written on; in pieces, so that this file does not hold them.
const PRIVATE: &[(&str, &str)] = &[
    ("/wo", "rk/"),
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/Us", "ers/"),
];

fn nothing_refers_to_a_machine() -> Checked {
    let mut found = Vec::new();
    for extension in ["rs", "st", "md", "toml", "yml", "lalrpop", "lua", "json"] {
        for file in sources(extension)? {
            for (number, line) in file.text.lines().enumerate() {
                let is_private =
                    |(start, end): &(&str, &str)| line.contains(&format!("{start}{end}"));
                if PRIVATE.iter().any(is_private) {
                    found.push(format!("{}:{}: {line}", file.name, number + 1));
                }
            }
        }
    }
    none(&found)
}
