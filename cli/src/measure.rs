//! `tally measure`, which the command runs by itself, in the folder of a version: what the version costs, looked up where it is
//! kept, else measured and kept. The request says where the answer goes.

use std::path::Path;

use tally_comparison::Measurement;

use crate::child;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::front::front;
use crate::output;
use crate::program;
use crate::subject::SubjectArguments;
use crate::versions::{
    Answer, KeptRevision, Request, key_of_program, key_of_request, standard_input,
};
use tally_workbench::ProgramOutput;
use tally_workbench::embedder::warnings_to;
use tally_workbench::loading::Program;
use tally_workbench::measuring::{of_script, of_tests};
use tally_workbench::outside::inputs::Now;
use tally_workbench::project::Project;
use tally_workbench::project::workspace::Workspace;
use tally_workbench::store::{About, Found, Key, Store};

pub(crate) fn measure(request: &Path) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::io("read", "the request", &error);
    let text = std::fs::read(request).map_err(failed)?;
    let request: Request = child::read(&text)
        .map_err(|error| Failure::new(Exit::Usage, format!("this is no request: {error}")))?;
    let (bytes, ran) = request.answer()?;
    output::write_bytes(&bytes, Some(&request.answer))?;
    output::write(&output::json_line(&Answer { ran })?, None)?;
    Ok(Exit::Success)
}

impl Request {
    /// The measurement as bytes, and whether something was run for it.
    fn answer(&self) -> Result<(Vec<u8>, bool), Failure> {
        let subject = &self.subject;
        let project = Project::here(&*front())?;
        let program = load(subject, &project)?;
        let mut store = match &self.keeps_in {
            Some(folder) => Store::open(&Workspace::of(folder), warnings_to(&front())),
            None => Store::none(warnings_to(&front())),
        };
        let key = key_of_program(subject, &project, &program);
        if let Some(revision) = self.revision.as_ref().filter(|r| r.holds(&program)) {
            let library = program.vm.library_digest();
            let request = key_of_request(subject, &revision.place, library);
            store.set_tree(&revision.tree, request, key);
        }
        let commit = self
            .revision
            .as_ref()
            .map(|revision| revision.commit.clone());
        if let Some(found) = self.kept(&mut store, key)? {
            if let Some(commit) = &commit {
                store.note_commit(&found, commit);
            }
            return Ok((bytes_of(&found.measurement)?, false));
        }
        let measurement = match subject.is_tests() {
            true => {
                let machine = subject.machine.settings();
                of_tests(program, &project, &machine, &subject.filters, &front())?
            }
            false => of_script(program),
        };
        let subject = subject.summary();
        store.add(key, &measurement, &About { subject, commit });
        Ok((bytes_of(&measurement)?, true))
    }

    /// What is kept under a key, if all that was read is still the same.
    fn kept(&self, store: &mut Store, key: Key) -> Result<Option<Found>, Failure> {
        let permissions = self.subject.machine.permissions();
        let standard_input = standard_input(&self.subject)?;
        let here = std::env::current_dir();
        let here = here.map_err(|error| Failure::io("find", "the current folder", &error))?;
        let now = Now {
            folder: &here,
            permissions: &permissions,
            standard_input: &standard_input,
        };
        Ok(store.find(key, &mut |input| now.digest(input)))
    }
}

impl KeptRevision {
    /// Whether all sources of a program are a part of the revision: a link may lead out of it.
    fn holds(&self, program: &Program) -> bool {
        let Ok(root) = self.root.canonicalize() else {
            return false;
        };
        let mut names = program.texts().map(|(name, _)| Path::new(name));
        // A text without a file is the command's own.
        names.all(|name| {
            name.canonicalize()
                .map_or(true, |path| path.starts_with(&root))
        })
    }
}

fn bytes_of(measurement: &Measurement) -> Result<Vec<u8>, Failure> {
    let bytes = measurement.to_bytes();
    bytes.map_err(|error| Failure::new(Exit::Internal, error.to_string()))
}

/// Whether a file is not there; one that cannot be looked at may be there.
fn is_missing(file: &str) -> bool {
    matches!(Path::new(file).try_exists(), Ok(false))
}

/// The program, compiled, and the files that it was loaded from.
fn load(subject: &SubjectArguments, project: &Project) -> Result<Program, Failure> {
    let files = match subject.is_tests() {
        true => project.files(subject.tests.clone())?.0,
        false => subject.scripts.clone(),
    };
    // That a version lacks a file is no failure of the file system's.
    if let Some(missing) = files.iter().find(|file| is_missing(file)) {
        let why = format!("there is no {missing}");
        return Err(Failure::new(Exit::Incomparable, why));
    }
    program::load(
        &files,
        subject.evaluate.as_deref(),
        &subject.arguments,
        &subject.machine,
        ProgramOutput::Nowhere,
    )
}
