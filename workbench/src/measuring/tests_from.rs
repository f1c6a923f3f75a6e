//! The tests of one side on both. A side's files are copied, and those that define tests replaced by the
//! other side's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use tally_vm::bytecode::{Definition, Unit};

use super::subject::Subject;
use crate::embedder::{Front, ProgramOutput};
use crate::error::{Error, ErrorKind};
use crate::loading::{Program, Sources};
use crate::project::Project;
use crate::project::dependencies::Origin;
use crate::revisions::Checkout;

/// Where all classes of tests come from.
const ROOT_OF_TESTS: &str = "TestCase";

/// Gives a copy of one side the tests of another.
pub(super) fn give_tests(
    from: &Checkout,
    to: &Checkout,
    subject: &Subject,
    project: &Path,
    front: &Front,
) -> Result<(), Error> {
    for file in files_with_tests(to, subject, project, front)? {
        let place = to.root().join(&file);
        fs::remove_file(&place).map_err(|error| io("remove", &place, &error))?;
    }
    for file in files_with_tests(from, subject, project, front)? {
        let (source, place) = (from.root().join(&file), to.root().join(&file));
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|error| io("make", folder, &error))?;
        }
        fs::copy(&source, &place).map_err(|error| io("copy", &source, &error))?;
    }
    Ok(())
}

fn io(doing: &str, path: &Path, error: &std::io::Error) -> Error {
    Error::io(doing, &path.display().to_string(), error)
}

/// The files of a side that define tests, as paths from the repository's top. A file that defines other things too belongs to no
/// side alone. `project` is the folder of the user's project.
fn files_with_tests(
    side: &Checkout,
    subject: &Subject,
    project: &Path,
    front: &Front,
) -> Result<Vec<PathBuf>, Error> {
    let origin = Origin::of(side, project);
    let project = Project::of(side.folder(), &**front)?.of_version(Some(origin));
    let named = subject.tests.iter();
    let named = named.map(|file| side.folder().join(file).display().to_string());
    let (mut files, _) = project.files(named.collect(), &**front)?;
    // A side need not have what the other has.
    files.retain(|file| Path::new(file).exists());
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let what = Sources {
        folder: Path::new(""),
        files: &files,
        expression: None,
        arguments: &subject.arguments,
    };
    let program = Program::load(&what, &subject.machine, ProgramOutput::Nowhere, front)?;
    let sources = program.texts().map(|(name, _)| name.to_string());
    let units: Vec<(String, &Unit)> = sources
        .zip(program.units.iter().map(AsRef::as_ref))
        .collect();
    let tests = classes_of_tests(units.iter().map(|(_, unit)| *unit));
    let dependencies = project.dependencies(&**front)?;
    let mut found = Vec::new();
    for (name, unit) in &units {
        // The tests of another project stay where they are, and its files are never written.
        if dependencies.hold(Path::new(name)) {
            continue;
        }
        let (own, others): (Vec<&str>, Vec<&str>) = unit
            .definitions
            .iter()
            .map(class_of)
            .partition(|class| tests.contains(class));
        if own.is_empty() {
            continue;
        }
        let path = Path::new(name);
        let inner = path.strip_prefix(side.root()).unwrap_or(path);
        if let Some(other) = others.first() {
            let why = format!(
                "{} defines tests and {other}, so its tests cannot be taken without it (--tests-from)",
                inner.display()
            );
            return Err(Error::new(ErrorKind::Usage, why));
        }
        found.push(inner.to_path_buf());
    }
    Ok(found)
}

/// The class whose definition it is, or whose extension.
fn class_of(definition: &Definition) -> &str {
    match definition {
        Definition::Class(class) => &class.name,
        Definition::Extension { class, .. } => class,
        Definition::Evaluation { class, .. } => class.as_deref().unwrap_or("statements"),
    }
}

/// The classes below TestCase.
fn classes_of_tests<'u>(units: impl Iterator<Item = &'u Unit>) -> BTreeSet<&'u str> {
    let mut above: BTreeMap<&str, &str> = BTreeMap::new();
    for definition in units.flat_map(|unit| &unit.definitions) {
        if let Definition::Class(class) = definition
            && let Some(superclass) = &class.superclass
        {
            above.insert(&class.name, superclass);
        }
    }
    let is_test = |class: &&str| {
        let line = std::iter::successors(Some(*class), |class| above.get(class).copied());
        // As many steps as there are classes: a circle has no end.
        line.take(above.len() + 1)
            .any(|class| class == ROOT_OF_TESTS)
    };
    above.keys().copied().filter(is_test).collect()
}
