//! What a session loads, and what its code may do.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tally_workbench::loading::{MachineSettings, Program, Sources, som};
use tally_workbench::project::Project;
use tally_workbench::testing::budgets;
use tally_workbench::{ErrorKind, Front, ProgramOutput};

use crate::error::Error;
use crate::heard::Heard;
use crate::session::Session;
use crate::thread::on_a_large_stack;

/// Sends and loop repetitions that an evaluation may have unless the builder says otherwise.
pub(crate) const MOST_SENDS: u64 = 100_000_000;

/// Bytes that a session may have unless the builder says otherwise.
const MOST_MEMORY: usize = 1 << 30;

/// Something that is loaded.
enum Step {
    /// A file or folder.
    File(String),
    /// A text with its name.
    Text(String, String),
}

/// Makes a [`Session`].
///
/// Files are loaded in the order in which they are given, behind the files of the project. Relative paths begin in the current
/// folder; in `cargo test` that is the folder of the package.
///
/// ```
/// use tally_test::Session;
///
/// let mut session = Session::builder()
///     .text("counter.st", "Object subclass: Counter [ | n | next [ ^n := (n ifNil: [0]) + 1 ] ]")
///     .max_sends(10_000)
///     .build()?;
/// assert_eq!(session.eval("Counter new next; next")?.value, 2);
/// # Ok::<(), tally_test::Error>(())
/// ```
#[derive(Default)]
#[must_use = "`build` makes the session"]
pub struct Builder {
    project: Option<PathBuf>,
    steps: Vec<Step>,
    settings: MachineSettings,
}

impl Builder {
    /// Loads a file, or the packages of a folder.
    pub fn file(mut self, path: impl AsRef<Path>) -> Builder {
        let path = path.as_ref().display().to_string();
        self.steps.push(Step::File(path));
        self
    }

    /// Loads a text, for instance one that `include_str!` reads. Messages show it under its name.
    pub fn text(mut self, name: &str, source: &str) -> Builder {
        self.steps.push(Step::Text(name.into(), source.into()));
        self
    }

    /// Loads the project that a folder belongs to: the files that its `tally.toml` lists, the budgets with names, and the limit on
    /// sends.
    pub fn project(mut self, folder: impl AsRef<Path>) -> Builder {
        self.project = Some(folder.as_ref().to_path_buf());
        self
    }

    /// Limits the sends and loop repetitions of each evaluation, and of each file while it is loaded. Without this, the limit of
    /// the project holds, or else 100 million. An assertion that fails spends some thousands on its explanation.
    pub fn max_sends(mut self, sends: u64) -> Builder {
        self.settings.max_sends = Some(sends);
        self
    }

    /// Limits the bytes of the session's objects and stacks. Without this, 1 GiB is the limit.
    pub fn max_memory(mut self, bytes: usize) -> Builder {
        self.settings.max_memory = Some(bytes);
        self
    }

    /// Limits the activations on one stack. Without this, 250,000 is the limit.
    pub fn max_depth(mut self, activations: u64) -> Builder {
        self.settings.max_depth = Some(activations);
        self
    }

    /// Lets the code read what is at and below a path. Without this, it reads no file.
    pub fn allow_read(mut self, path: impl AsRef<Path>) -> Builder {
        let path = path.as_ref().display().to_string();
        self.settings.allow_read.push(path);
        self
    }

    /// Lets the code write at and below a path. Without this, it writes no file.
    pub fn allow_write(mut self, path: impl AsRef<Path>) -> Builder {
        let path = path.as_ref().display().to_string();
        self.settings.allow_write.push(path);
        self
    }

    /// Lets the code read a variable of the environment. Without this, it reads none.
    pub fn allow_env(mut self, name: &str) -> Builder {
        self.settings.allow_env.push(name.to_string());
        self
    }

    /// The seed of `Random new`. Without this, it is 1, so every run draws the same numbers.
    pub fn seed(mut self, seed: i64) -> Builder {
        self.settings.seed = seed;
        self
    }

    /// Loads everything.
    ///
    /// # Errors
    /// A file cannot be read, a text does not compile, or its script does not finish.
    pub fn build(self) -> Result<Session, Error> {
        on_a_large_stack(move || self.built())?
    }

    fn built(mut self) -> Result<Session, Error> {
        let heard = Arc::<Heard>::default();
        let project = self.project.as_deref().map(|folder| opened(folder, &heard));
        let project = project.transpose()?;
        let settings = project.as_ref().map(|project| &project.settings);
        let own_limit = settings.and_then(|settings| settings.max_sends);
        let most_sends = self.settings.max_sends.or(own_limit);
        self.settings.max_sends = None;
        let mut session = self.empty(most_sends.unwrap_or(MOST_SENDS), &heard)?;
        if let Some(project) = project {
            budgets::make_known(&project, session.machine())
                .map_err(|error| Error::of(&error, &heard))?;
            let dependencies = project.dependencies(&*heard);
            let dependencies = dependencies.map_err(|error| Error::of(&error, &heard))?;
            session.leave_tests_of(dependencies.clone());
            let files = project.default_files(&*heard);
            session.load_files(&files.map_err(|error| Error::of(&error, &heard))?)?;
        }
        let mut files = Vec::new();
        for step in self.steps {
            match step {
                Step::File(path) => files.push(path),
                Step::Text(name, source) => {
                    session.load_files(&std::mem::take(&mut files))?;
                    session.loaded(&name, &source)?;
                }
            }
        }
        session.load_files(&files)?;
        Ok(session)
    }

    /// A session with the library alone.
    fn empty(&self, most_sends: u64, heard: &Arc<Heard>) -> Result<Session, Error> {
        let what = Sources {
            folder: Path::new(""),
            files: &[],
            expression: None,
            arguments: &[],
        };
        let front: Front = Arc::clone(heard) as Front;
        let program = Program::load(&what, &self.settings, ProgramOutput::Standard, &front);
        let mut program = program.map_err(|error| Error::of(&error, heard))?;
        let most_memory = self.settings.max_memory.unwrap_or(MOST_MEMORY);
        program.vm.limit_memory(Some(most_memory));
        let permissions = self.settings.permissions();
        Ok(Session::of(program, permissions, most_sends, heard))
    }
}

/// The project of a folder.
fn opened(folder: &Path, heard: &Heard) -> Result<Project, Error> {
    let project = Project::of(folder, heard).map_err(|error| Error::of(&error, heard))?;
    if project.has_settings {
        return Ok(project);
    }
    let why = format!("there is no tally.toml in {} or above it", folder.display());
    Err(Error::new(ErrorKind::Usage, why))
}

/// Programs of SOM have no counted assertions.
pub(crate) fn refuse_som(files: &[String]) -> Result<(), Error> {
    match files.iter().find(|file| som::is_program(file)) {
        None => Ok(()),
        Some(file) => {
            let why = format!("{file} is a program of SOM, which a session does not load");
            Err(Error::new(ErrorKind::Usage, why))
        }
    }
}
