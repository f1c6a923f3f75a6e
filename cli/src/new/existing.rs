//! Adds Tally to a folder that holds something already: settings that name the sources there, and the files of the template that
//! the folder lacks. A folder without sources gets the class and the tests of the template too.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::name::ProjectName;
use super::{PROGRAM, README, SETTINGS, files, make, push_files, push_next, push_repository};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

/// The depth to which sources are looked for.
const DEPTH: usize = 8;
/// The most files beside the folders that the settings name.
const MOST_FILES: usize = 50;
/// Where the budgets of the template's settings begin: they are for the template's class.
const BUDGETS: &str = "# A budget is";

/// The settings of a project with sources of its own, behind its paths.
const BUDGET_EXAMPLE: &str = "\
# A budget is a bound that only you move. A number is a maximum; { exact = N } is to be met, and
# { ratchet = N } is a maximum that `tally test --counts update` lowers when it can.
# [[budget]]
# test = \"SomeTest>>test*\"
# sends = 10_000
";

pub(super) fn add_to(folder: &Path) -> Result<Exit, Failure> {
    if folder.join(SETTINGS).exists() {
        let why = format!("{SETTINGS} is there already; nothing was written");
        return Err(Failure::new(Exit::Usage, why));
    }
    let name = ProjectName::of_folder(folder)?;
    let sources = sources(folder)?;
    let is_missing = |path: &str| !folder.join(path).exists();
    let of_template = [PROGRAM[0], PROGRAM[1], README];
    let of_template = of_template.map(|path| path.replace(super::CLASS, &name.class));
    let mut added = Vec::new();
    for (path, text) in files(&name) {
        let text = match (path == SETTINGS, sources.is_empty()) {
            (true, false) => settings(&text, &sources),
            _ => text,
        };
        let is_wanted = sources.is_empty() || !of_template.contains(&path);
        if is_wanted && is_missing(&path) {
            added.push((path, text));
        }
    }
    make(folder, &added)?;
    let mut text = "added:\n".to_string();
    push_files(&added, &mut text);
    push_repository(folder, ".", &mut text);
    text.push_str("next:\n");
    push_next(&mut text);
    output::write(&text, None)?;
    Ok(Exit::Success)
}

/// The template's settings with other paths, and without budgets for its class.
fn settings(template: &str, sources: &[String]) -> String {
    let names: Vec<String> = sources
        .iter()
        // Strings of JSON are strings of TOML.
        .map(|path| serde_json::Value::from(path.as_str()).to_string())
        .collect();
    let head = template
        .find(BUDGETS)
        .map_or(template, |at| &template[..at]);
    let lines = head.lines().map(|line| match line.starts_with("paths") {
        true => format!("paths = [{}]\n", names.join(", ")),
        false => format!("{line}\n"),
    });
    lines.collect::<String>() + BUDGET_EXAMPLE
}

/// The folders and files with sources in a folder, tests last: what the settings are to name.
fn sources(folder: &Path) -> Result<Vec<String>, Failure> {
    let failed = |error| Failure::io("look into", &folder.display().to_string(), &error);
    let (mut folders, mut scripts) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let path = entry.path();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let name = name.to_string_lossy().into_owned();
        if path.is_dir() {
            if has_sources(&path, true, DEPTH) {
                folders.push(name);
            }
        } else if is_source(&path) {
            scripts.push(name);
        }
    }
    scripts.sort();
    scripts.truncate(MOST_FILES);
    if scripts.iter().any(|name| is_package_file(Path::new(name))) {
        return Ok(vec![super::HERE.to_string()]);
    }
    let mut all = folders;
    all.extend(scripts);
    all.sort_by_key(|name| (name.to_lowercase().contains("test"), name.clone()));
    Ok(all)
}

/// Whether a folder holds scripts, or anywhere below packages, as loading it finds them.
fn has_sources(folder: &Path, is_argument: bool, depth: usize) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut inner = Vec::new();
    for entry in entries {
        let path = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if path.is_dir() {
            inner.push(path);
        } else if is_source(&path) && (is_argument || is_package_file(&path)) {
            return true;
        }
    }
    depth > 0 && inner.iter().any(|path| has_sources(path, false, depth - 1))
}

fn is_source(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("st"))
}

/// Whether a file is named as the files of Tonel packages are.
fn is_package_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let endings = [".class.st", ".extension.st", ".trait.st"];
    name == "package.st" || endings.iter().any(|ending| name.ends_with(ending))
}
