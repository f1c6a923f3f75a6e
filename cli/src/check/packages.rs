//! `tally check --packages`: what would be loaded, in which order, and where it is from. Nothing is checked and nothing runs.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tally_presentation::number::counted;
use tally_vm::printable;
use tally_workbench::Quiet;
use tally_workbench::loading::{packages_in, read_texts};
use tally_workbench::project::Project;
use tally_workbench::project::dependencies::{
    Dependencies, Loaded, Remark, Requirement, Resolved, Why,
};
use tally_workbench::project::settings::dependency::Place;

use super::CheckArguments;
use crate::arguments::Format;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;

/// Digits of a commit that people are shown.
const SHORT: usize = 12;

#[derive(Serialize)]
struct Report {
    schema: &'static str,
    packages: Vec<Package>,
    dependencies: Vec<Dependency>,
}

/// A package or a file that is loaded.
#[derive(Serialize)]
struct Package {
    name: String,
    folder: String,
    /// The dependency that it is of; none for the project's own.
    dependency: Option<String>,
    why: String,
    /// Whether `tally test` runs its tests.
    tests: bool,
}

#[derive(Serialize)]
struct Dependency {
    name: String,
    #[serde(flatten)]
    place: From,
    folder: String,
    baseline: Option<String>,
    groups: Vec<String>,
    missing: Vec<Requirement>,
    absent: Vec<String>,
    remarks: Vec<Remark>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum From {
    Path { path: String },
    Commit { git: String, commit: String },
}

/// Lists the packages.
pub(super) fn list(arguments: &CheckArguments) -> Result<Exit, Failure> {
    let project = Project::here(&*front())?;
    let dependencies = match arguments.inside.no_project {
        true => Dependencies::default(),
        false => project.find_dependencies(&*front())?,
    };
    let mut own = match arguments.inside.no_project {
        true => Vec::new(),
        false => project.own_files(),
    };
    own.extend(arguments.files.iter().cloned());
    let report = Report {
        schema: "tally.packages/1",
        packages: packages(&dependencies, &own)?,
        dependencies: dependencies.all.iter().map(dependency).collect(),
    };
    let text = match arguments.format {
        Format::Json => output::json(&report)?,
        Format::Human => text(&report),
    };
    output::write(&text, None)?;
    Ok(match report.packages.is_empty() {
        true => Exit::Nothing,
        false => Exit::Success,
    })
}

fn packages(dependencies: &Dependencies, own: &[String]) -> Result<Vec<Package>, Failure> {
    let mut packages = Vec::new();
    for one in &dependencies.all {
        packages.extend(one.packages.iter().map(|package| Package {
            name: package.name.clone(),
            folder: package.folder.clone(),
            dependency: Some(one.name.clone()),
            why: why(package),
            tests: package.why == Why::Named,
        }));
    }
    let order = order(dependencies, own);
    for name in own {
        if !Path::new(name).is_dir() {
            packages.push(of_project(name.clone(), name.clone()));
            continue;
        }
        let mut found = packages_in(Path::new(name))?;
        found.sort_by_key(|package| order.get(&package.folder).copied());
        packages.extend(
            found
                .into_iter()
                .map(|package| of_project(package.name, package.folder.display().to_string())),
        );
    }
    Ok(packages)
}

/// Packages of one folder come behind those that they need, which compiling shows. What does not compile keeps the order of names.
fn order(dependencies: &Dependencies, own: &[String]) -> HashMap<PathBuf, usize> {
    let mut files: Vec<String> = dependencies.files().map(str::to_owned).collect();
    files.extend(own.iter().cloned());
    let sources = read_texts(&files, &Quiet).unwrap_or_default();
    let mut order = HashMap::new();
    for (number, source) in sources.iter().enumerate() {
        if let Some(folder) = Path::new(&source.name).parent() {
            order.entry(folder.to_path_buf()).or_insert(number);
        }
    }
    order
}

fn of_project(name: String, folder: String) -> Package {
    Package {
        name,
        folder,
        dependency: None,
        why: "the project's own".to_owned(),
        tests: true,
    }
}

fn why(package: &Loaded) -> String {
    match &package.why {
        Why::Named => "named in tally.toml".to_owned(),
        Why::Group { group, baseline } => format!("group {group} of {baseline}"),
        Why::RequiredBy(other) => format!("required by {other}"),
        Why::All => "no package of tests".to_owned(),
    }
}

fn dependency(one: &Resolved) -> Dependency {
    Dependency {
        name: one.name.clone(),
        place: match &one.place {
            Place::Folder(path) => From::Path {
                path: path.display().to_string(),
            },
            Place::Commit { url, commit } => From::Commit {
                git: url.clone(),
                commit: commit.clone(),
            },
        },
        folder: one.folder.display().to_string(),
        baseline: one.baseline.clone(),
        groups: one.groups.clone(),
        missing: one.missing.clone(),
        absent: one.absent.clone(),
        remarks: one.remarks.clone(),
    }
}

fn text(report: &Report) -> String {
    let mut text = String::new();
    let mut number = 0;
    let mut lines = |text: &mut String, dependency: Option<&str>| {
        let of_it = |package: &&Package| package.dependency.as_deref() == dependency;
        for package in report.packages.iter().filter(of_it) {
            number += 1;
            let Package {
                name, folder, why, ..
            } = package;
            let why = match dependency {
                Some(_) => format!(", {why}"),
                None => String::new(),
            };
            let line = match name == folder {
                true => format!("{number:>4}  {name}{why}"),
                false => format!("{number:>4}  {name} ({folder}){why}"),
            };
            let _ = writeln!(text, "{}", printable(&line));
        }
    };
    for one in &report.dependencies {
        let _ = writeln!(text, "{}", printable(&head(one)));
        lines(&mut text, Some(&one.name));
        notes(&mut text, one);
    }
    if report.packages.iter().any(|one| one.dependency.is_none()) {
        text.push_str("this project\n");
        lines(&mut text, None);
    }
    let packages = counted(report.packages.len() as u64, "package", "packages");
    let _ = writeln!(text, "{packages}");
    text
}

fn head(one: &Dependency) -> String {
    let place = match &one.place {
        From::Path { path } => path.clone(),
        From::Commit { git, commit } => {
            let short = commit.get(..SHORT).unwrap_or(commit);
            format!("{git} at {short}")
        }
    };
    let baseline = match (&one.baseline, one.groups.as_slice()) {
        (None, _) => String::new(),
        (Some(baseline), []) => format!(", requirements of {baseline}"),
        (Some(baseline), [group]) => format!(", group {group} of {baseline}"),
        (Some(baseline), groups) => format!(", groups {} of {baseline}", groups.join(", ")),
    };
    format!("{} from {place}{baseline}", one.name)
}

/// What is missing, and what has no effect.
fn notes(text: &mut String, one: &Dependency) {
    let mut note = |line: String| {
        let _ = writeln!(text, "      {}", printable(&line));
    };
    for Requirement { name, repository } in &one.missing {
        let place = repository.as_ref();
        let place = place.map_or(String::new(), |place| format!(" ({place})"));
        note(format!(
            "missing: {name}{place}, which tally.toml does not name"
        ));
    }
    for name in &one.absent {
        note(format!(
            "missing: the package {name} is not in the repository"
        ));
    }
    for remark in &one.remarks {
        let Remark {
            file,
            line,
            column,
            message,
            ..
        } = remark;
        note(format!("{file}:{line}:{column}: {message}"));
    }
}
