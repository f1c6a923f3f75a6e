//! Running a command in a copy of a project. What it prints goes to standard error: standard output is for the verdict.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::copy::Copy;
use super::{NESTED, Project};
use crate::exit::Exit;
use crate::failure::Failure;
use tally_workbench::workers::Interrupts;

/// Between two looks at whether the command has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// The time in which a command must end after a signal to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Code(i32),
    /// By a signal.
    Killed,
}

impl Ended {
    pub(super) fn is_success(self) -> bool {
        self == Ended::Code(0)
    }
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Ended {
        status.code().map_or(Ended::Killed, Ended::Code)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Code(code) => write!(f, "ends with exit code {code}"),
            Ended::Killed => write!(f, "is ended by a signal"),
        }
    }
}

/// A command and the project in whose copies it is run.
pub(super) struct Trial<'t> {
    pub(super) project: &'t Project,
    pub(super) command: &'t [String],
    pub(super) interrupts: &'t Interrupts,
}

impl Trial<'_> {
    /// Runs the command in a new copy that was changed in some way, and removes the copy.
    pub(super) fn run(
        &self,
        change: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<Ended, Failure> {
        let copy = Copy::of(&self.project.root, &|| self.interrupts.came())?;
        change(copy.path())?;
        self.run_in(&copy.path().join(&self.project.place))
    }

    fn run_in(&self, folder: &Path) -> Result<Ended, Failure> {
        let [program, arguments @ ..] = self.command else {
            return Err(Failure::new(Exit::Usage, "there is no command"));
        };
        let mut command = Command::new(program_in(folder, program));
        command
            .args(arguments)
            .current_dir(folder)
            .env("PWD", folder)
            .env_remove("OLDPWD")
            .env(NESTED, "1")
            .stdout(Stdio::from(std::io::stderr()));
        let child = started(&mut command);
        let child = child.map_err(|error| Failure::io("run", program, &error))?;
        self.wait(child, program)
    }

    fn wait(&self, mut child: Child, program: &str) -> Result<Ended, Failure> {
        let mut interrupted: Option<Instant> = None;
        loop {
            let ended = child.try_wait();
            let ended = ended.map_err(|error| Failure::io("run", program, &error))?;
            if interrupted.is_none() && self.interrupts.came() {
                interrupted = Some(Instant::now());
            }
            match (ended, interrupted) {
                (Some(_), Some(_)) => return Err(Failure::silent(Exit::Interrupted)),
                (Some(status), None) => return Ok(status.into()),
                (None, Some(since)) if since.elapsed() > PATIENCE => {
                    // It may end by itself meanwhile.
                    let _ = child.kill();
                }
                (None, _) => {}
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// A program that is named by its place in the project is that of the copy.
fn program_in(folder: &Path, program: &str) -> PathBuf {
    let path = Path::new(program);
    match path.components().count() > 1 || program.starts_with('.') {
        true => folder.join(path),
        false => path.to_path_buf(),
    }
}

/// Starts a command that was copied just now. A process that was made meanwhile may still have the copy open for writing, for
/// a moment; the system refuses to run it then.
fn started(command: &mut Command) -> io::Result<Child> {
    let mut tries = 0;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && tries < 100 => {
                tries += 1;
                std::thread::sleep(LOOK_EVERY);
            }
            started => return started,
        }
    }
}
