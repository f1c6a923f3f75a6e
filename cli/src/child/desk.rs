//! One request to one process. The request, the answer and the messages are files in a temporary folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::Serialize;
use tally_workbench::files::temporary::TemporaryFolder;

use crate::failure::Failure;
use crate::interrupts::Interrupts;

/// The folder of one request after the other.
pub(crate) struct Desk(TemporaryFolder);

/// How to start a process that answers a request.
pub(crate) struct Process<'p> {
    /// The program and its first arguments. This command if there is none.
    pub(crate) command: &'p [String],
    /// The hidden command that answers.
    pub(crate) subcommand: &'static str,
    pub(crate) in_color: bool,
    pub(crate) folder: &'p Path,
    pub(crate) input: Stdio,
    /// The time between two looks at whether the process has ended. Looking takes processor time.
    pub(crate) look_every: Duration,
}

/// The end of a process that was started.
pub(crate) struct Reply {
    pub(crate) status: ExitStatus,
    /// What it wrote to standard error.
    pub(crate) messages: String,
    /// What it wrote to standard output.
    pub(crate) answer: Vec<u8>,
}

impl Desk {
    /// Makes the folder, and removes those that killed processes have left.
    pub(crate) fn new(name: &str) -> Result<Desk, Failure> {
        TemporaryFolder::sweep(name);
        let folder = TemporaryFolder::new(name);
        let folder = folder.map_err(|error| Failure::io("make", "a temporary folder", &error))?;
        Ok(Desk(folder))
    }

    /// The path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Starts a process and waits for its end. `Err` within is why it could not be started.
    pub(crate) fn ask(
        &self,
        process: Process<'_>,
        request: &impl Serialize,
        interrupts: &Interrupts,
    ) -> Result<Result<Reply, Failure>, Failure> {
        let failed = |error: io::Error| Failure::io("use", "a temporary folder", &error);
        let create = |name| File::create(self.file(name)).map_err(failed);
        super::write(&mut create("request")?, request).map_err(failed)?;
        let (program, first) = words(process.command)?;
        let started = Command::new(&program)
            .args(first)
            .args(["--color", if process.in_color { "always" } else { "never" }])
            .arg(process.subcommand)
            .arg(self.file("request"))
            .current_dir(process.folder)
            .stdin(process.input)
            .stdout(create("answer")?)
            .stderr(create("messages")?)
            .spawn();
        let child = match started {
            Ok(child) => child,
            Err(error) => {
                let name = program.to_string_lossy();
                return Ok(Err(Failure::io("run", &name, &error)));
            }
        };
        let status = interrupts.wait_for(child, process.look_every)?;
        let messages = fs::read(self.file("messages")).unwrap_or_default();
        Ok(Ok(Reply {
            status,
            messages: String::from_utf8_lossy(&messages).into_owned(),
            answer: fs::read(self.file("answer")).map_err(failed)?,
        }))
    }
}

/// The program of a command and its first arguments.
fn words(command: &[String]) -> Result<(OsString, &[String]), Failure> {
    match command.split_first() {
        Some((program, first)) => Ok((program.into(), first)),
        None => {
            let own = std::env::current_exe();
            let own = own.map_err(|error| Failure::io("find", "this command", &error))?;
            Ok((own.into_os_string(), &[]))
        }
    }
}
