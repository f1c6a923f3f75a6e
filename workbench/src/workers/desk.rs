//! One request to one process. The request, the answer and the messages are files in a temporary folder.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::Serialize;

use super::interrupts::Interrupts;
use crate::error::Error;
use crate::files::temporary::TemporaryFolder;

/// The folder of one request after the other.
pub struct Desk(TemporaryFolder);

/// The words of a command that answers a request. The path of the request is its last word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandWords {
    /// The program.
    pub program: OsString,
    /// Its arguments before the path of the request.
    pub arguments: Vec<OsString>,
}

/// How to start a process that answers a request.
pub struct Process<'p> {
    /// What is started.
    pub command: &'p CommandWords,
    /// Its current folder.
    pub folder: &'p Path,
    /// Its standard input.
    pub input: Stdio,
    /// The time between two looks at whether the process has ended. Looking takes processor time.
    pub look_every: Duration,
}

/// The end of a process that was started.
pub struct Reply {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to standard error.
    pub messages: String,
    /// What it wrote to standard output.
    pub answer: Vec<u8>,
}

impl Desk {
    /// Makes the folder, and removes those that killed processes have left.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn new(name: &str) -> Result<Desk, Error> {
        TemporaryFolder::sweep(name);
        let folder = TemporaryFolder::new(name);
        let folder = folder.map_err(|error| Error::io("make", "a temporary folder", &error))?;
        Ok(Desk(folder))
    }

    /// The path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Starts a process and waits for its end. `Err` within is why it could not be started.
    ///
    /// # Errors
    /// If the folder cannot be used, or the user ended the process.
    pub fn ask(
        &self,
        process: Process<'_>,
        request: &impl Serialize,
        interrupts: &Interrupts,
    ) -> Result<Result<Reply, Error>, Error> {
        let failed = |error: io::Error| Error::io("use", "a temporary folder", &error);
        let create = |name| File::create(self.file(name)).map_err(failed);
        super::write(&mut create("request")?, request).map_err(failed)?;
        let CommandWords { program, arguments } = process.command;
        let started = Command::new(program)
            .args(arguments)
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
                return Ok(Err(Error::io("run", &name, &error)));
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
