//! What is studied: programs with names, and what their sources say.

use std::collections::BTreeSet;
use std::path::Path;

use tally_profiler::{DefinitionKind, WrittenMessages, definitions, fnv1a};
use tally_study::data::{Application, Messages, Role};
use tally_vm::bytecode::{ClassDefinition, Definition, MethodDefinition, Unit};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use tally_workbench::loading::read_counting_inlined;

/// A program that is studied.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) role: Role,
    pub(super) variant_of: Option<String>,
    pub(super) about: String,
    /// Its files and folders, in the order in which they are loaded.
    pub(super) files: Vec<String>,
}

/// The programs that a user names: each argument is one, of one file or folder or of several with commas between them.
pub(super) fn named(arguments: &[String]) -> Result<Vec<Subject>, Failure> {
    let mut names = BTreeSet::new();
    let mut subjects = Vec::new();
    for (number, argument) in arguments.iter().enumerate() {
        if arguments[..number].contains(argument) {
            let why = format!("{argument} is named twice");
            return Err(Failure::new(Exit::Usage, why));
        }
        let files = files(argument)?;
        let mut name = name_of(files.last().unwrap_or(argument));
        if !names.insert(name.clone()) {
            name.clone_from(argument);
            names.insert(name.clone());
        }
        subjects.push(Subject {
            name,
            role: Role::Basket,
            variant_of: None,
            about: String::new(),
            files,
        });
    }
    Ok(subjects)
}

fn files(argument: &str) -> Result<Vec<String>, Failure> {
    // A name that has a comma in it is no list.
    if Path::new(argument).exists() {
        return Ok(vec![argument.to_string()]);
    }
    let files: Vec<String> = argument.split(',').map(str::to_string).collect();
    match files.iter().find(|file| !Path::new(file).exists()) {
        Some(missing) => Err(Failure::new(Exit::Io, format!("there is no {missing}"))),
        None => Ok(files),
    }
}

/// The name of a file without its ending, or of a folder.
fn name_of(path: &str) -> String {
    let whole = std::fs::canonicalize(path);
    let whole = whole.as_deref().unwrap_or(Path::new(path));
    let stem = whole.file_stem().map(|stem| stem.to_string_lossy());
    stem.map_or_else(|| path.to_string(), |stem| stem.into_owned())
}

impl Subject {
    /// The facts in its sources. Only a run gives the number of its tests. `folder` is where its files are.
    pub(super) fn application(&self, folder: &Path) -> Result<Application, Failure> {
        let files: Vec<String> = self.files.iter().map(|file| place(folder, file)).collect();
        let (sources, units) = read_counting_inlined(&files, &*front())?;
        let mut messages = WrittenMessages::default();
        units.iter().for_each(|unit| messages.add(unit));
        let texts = || sources.iter().map(|source| source.text.as_str());
        let defined = definitions(&units);
        let number = |kind| defined.iter().filter(|d| d.kind == kind).count() as u64;
        let classes = || units.iter().flat_map(|unit| classes_of(unit));
        let package = classes().map(|class| class.category.as_str()).next();
        let package = package.unwrap_or_default();
        let in_package = classes().filter(|class| class.category == package);
        Ok(Application {
            name: self.name.clone(),
            role: self.role,
            variant_of: self.variant_of.clone(),
            about: self.about.clone(),
            program: format!("{:016x}", fnv1a(texts())),
            lines: texts().map(|text| text.lines().count() as u64).sum(),
            classes: number(DefinitionKind::Class),
            methods: number(DefinitionKind::Method),
            tests: 0,
            package: package.to_string(),
            package_methods: in_package.map(|class| class.methods.len() as u64).sum(),
            messages: written(messages),
        })
    }
}

/// A file as this process names it.
fn place(folder: &Path, file: &str) -> String {
    folder.join(file).to_string_lossy().into_owned()
}

fn classes_of(unit: &Unit) -> impl Iterator<Item = &ClassDefinition> {
    unit.definitions
        .iter()
        .filter_map(|definition| match definition {
            Definition::Class(class) => Some(class),
            _ => None,
        })
}

/// Messages of source text as a study has them.
pub(super) fn written(messages: WrittenMessages) -> Messages {
    let inlined: u64 = messages.inlined.values().sum();
    Messages {
        written: messages.sent + inlined,
        inlined: messages.inlined,
    }
}

/// Whether units define a test: a method without arguments whose selector begins with `test`, in a class below TestCase.
pub(super) fn has_tests<'u>(units: impl Iterator<Item = &'u Unit> + Clone) -> bool {
    let classes = || units.clone().flat_map(classes_of);
    let is_test = |method: &MethodDefinition| {
        let selector = &method.code.selector;
        selector.starts_with("test") && !selector.contains(':') && !method.class_side
    };
    // The library's classes for tests are named so.
    let is_case = |name: &String, cases: &BTreeSet<String>| {
        name.ends_with("TestCase") || cases.contains(name)
    };
    let mut cases = BTreeSet::new();
    loop {
        let below: Vec<&ClassDefinition> = classes()
            .filter(|class| !cases.contains(&class.name))
            .filter(|class| {
                class
                    .superclass
                    .as_ref()
                    .is_some_and(|s| is_case(s, &cases))
            })
            .collect();
        if below.is_empty() {
            break;
        }
        cases.extend(below.iter().map(|class| class.name.clone()));
    }
    classes().any(|class| cases.contains(&class.name) && class.methods.iter().any(is_test))
}
