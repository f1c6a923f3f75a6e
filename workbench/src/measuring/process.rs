//! The process that measures a version: its request, its start, the meaning of its answer and of its end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tally_comparison::Measurement;

use super::task::{Measured, Task};
use crate::embedder::Front;
use crate::error::{Error, ErrorKind};
use crate::revisions::Version;
use crate::workers::{self, CommandWords, Death, Desk, Interrupts, Process, Reply};

/// What the names of the folders begin with in which requests and answers are.
const NAME: &str = "tally-measure";
/// Between two looks at whether the process has ended.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Who measures a version. A program that may read or write files has to run in the folder of its version, so it needs a process.
#[derive(Debug)]
pub enum Worker {
    /// This process does it itself.
    ThisProcess,
    /// A process for each version, which answers a [`Request`].
    Process {
        /// What is started. The path of the request is its last word.
        command: CommandWords,
        /// They end the process.
        interrupts: Interrupts,
    },
}

/// The request to a process that measures a version.
#[derive(Debug, Serialize, Deserialize)]
pub struct Request {
    /// What is measured.
    task: Task,
    /// Where the measurement is to be written.
    answer: PathBuf,
}

/// What the process answers on its standard output.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    /// Whether something was run.
    ran: bool,
}

/// The answer to a request, for the process to write.
#[derive(Debug)]
pub struct Written {
    /// The file for the measurement.
    pub file: PathBuf,
    /// The measurement.
    pub bytes: Vec<u8>,
    /// What the process writes to its standard output after that.
    pub answer: Vec<u8>,
}

impl Request {
    /// The request in a file.
    ///
    /// # Errors
    /// If the file cannot be read, or holds none.
    pub fn read(file: &Path) -> Result<Request, Error> {
        let failed = |error: std::io::Error| Error::io("read", "the request", &error);
        let text = fs::read(file).map_err(failed)?;
        workers::read(&text)
            .map_err(|error| Error::new(ErrorKind::Usage, format!("this is no request: {error}")))
    }

    /// Does what is requested, in the current folder.
    ///
    /// # Errors
    /// If the version cannot be measured.
    pub fn answer(self, front: &Front) -> Result<Written, Error> {
        let internal = |error: String| Error::new(ErrorKind::Internal, error);
        let Measured { measurement, ran } = self.task.measure(Path::new(""), front)?;
        let bytes = measurement.to_bytes();
        let mut answer = Vec::new();
        let written = workers::write(&mut answer, &Answer { ran });
        written.map_err(|error| internal(error.to_string()))?;
        Ok(Written {
            file: self.answer,
            bytes: bytes.map_err(|error| internal(error.to_string()))?,
            answer,
        })
    }
}

/// Where a version is measured, and from which folder the names of files are.
pub(super) struct Folders<'f> {
    /// The folder of the version.
    pub(super) version: &'f Path,
    /// The user's folder.
    pub(super) here: &'f Path,
}

/// Has a version measured by a process. Answers also the process's messages.
pub(super) fn measure(
    mut task: Task,
    folders: &Folders<'_>,
    version: &Version,
    command: &CommandWords,
    interrupts: &Interrupts,
) -> Result<(Measured, String), Error> {
    let desk = Desk::new(NAME)?;
    let mut standard_input = Stdio::null();
    if let Some(input) = &mut task.subject.input {
        let failed = |error| Error::io("read", input, &error);
        let whole = fs::canonicalize(folders.here.join(&input)).map_err(failed)?;
        standard_input = Stdio::from(File::open(&whole).map_err(failed)?);
        *input = whole.to_string_lossy().into_owned();
    }
    let request = Request {
        task,
        answer: desk.file("measurement"),
    };
    let process = Process {
        command,
        folder: folders.version,
        input: standard_input,
        look_every: LOOK_EVERY,
    };
    let reply = desk.ask(process, &request, interrupts)??;
    if !reply.status.success() {
        return Err(refusal(version, &reply));
    }
    let internal = |error: String| Error::new(ErrorKind::Internal, error);
    let answer: Answer =
        workers::read(&reply.answer).map_err(|error| internal(error.to_string()))?;
    let failed = |error: std::io::Error| Error::io("read", "a measurement", &error);
    let bytes = fs::read(&request.answer).map_err(failed)?;
    let measurement =
        Measurement::from_bytes(&bytes).map_err(|error| internal(error.to_string()))?;
    let measured = Measured {
        measurement,
        ran: answer.ran,
    };
    Ok((measured, reply.messages))
}

/// Why a version could not be measured, with all messages of its process.
fn refusal(version: &Version, reply: &Reply) -> Error {
    let name = version.name();
    let messages = reply.messages.trim_end();
    let messages = messages.strip_prefix("error: ").unwrap_or(messages);
    match reply.status.code().and_then(ErrorKind::of_exit_code) {
        Some(kind) if !messages.is_empty() => {
            Error::printed(kind, format!("in {name}: {messages}"))
        }
        Some(kind) => Error::new(kind, format!("{name} could not be measured")),
        None => {
            let death = Death::from(reply.status);
            let why = format!("the process that measures {name} {death}\n{messages}");
            Error::new(death.kind(), why.trim_end())
        }
    }
}
