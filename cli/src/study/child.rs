//! Processes that run one program once: this command's hidden `sample`, or that of another build.

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use super::sample::{Answer, Request};
use super::way::Way;
use crate::child::{self, Death};
use crate::exit::{Exit, Failure};
use crate::interrupts::Interrupts;
use tally_workbench::files::temporary::TemporaryFolder;

/// What the names of the folders begin with in which requests and answers are.
const NAME: &str = "tally-study";
/// Between two looks at whether a process has ended. Looking takes processor time, which is the other process's too.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// What of a failed process's words is told: the message stands in front of the trace.
const WORDS: usize = 400;

/// Where processes are started that run programs.
pub(super) struct Children<'a> {
    desk: TemporaryFolder,
    /// The folder in which the programs' files are.
    folder: &'a Path,
    interrupts: &'a Interrupts,
}

impl<'a> Children<'a> {
    pub(super) fn new(
        folder: &'a Path,
        interrupts: &'a Interrupts,
    ) -> Result<Children<'a>, Failure> {
        Ok(Children {
            desk: temporary_folder()?,
            folder,
            interrupts,
        })
    }

    /// Asks a process for something and waits. `Err` within is why there is no answer.
    pub(super) fn ask(
        &self,
        way: &Way,
        request: &Request,
    ) -> Result<Result<Answer, Failure>, Failure> {
        let failed = |error: std::io::Error| Failure::io("use", "a temporary folder", &error);
        let place = |name: &str| self.desk.path().join(name);
        let asked = File::create(place("request"));
        let asked = asked.and_then(|mut file| child::write(&mut file, request));
        asked.map_err(failed)?;
        let streams = (File::create(place("answer")), File::create(place("said")));
        let (answer, said) = (streams.0.map_err(failed)?, streams.1.map_err(failed)?);
        let mut words = way.command.iter().map(OsString::from);
        let program = match words.next() {
            Some(program) => program,
            None => std::env::current_exe().map_err(failed)?.into_os_string(),
        };
        let started = Command::new(&program)
            .args(words)
            .args(["--color", "never", "sample"])
            .arg(place("request"))
            .current_dir(self.folder)
            .stdin(Stdio::null())
            .stdout(answer)
            .stderr(said)
            .spawn();
        let process = match started {
            Ok(process) => process,
            Err(error) => {
                let name = program.to_string_lossy();
                return Ok(Err(Failure::io("run", &name, &error)));
            }
        };
        let refused = refusal(self.interrupts.wait_for(process, LOOK_EVERY)?);
        let said = fs::read_to_string(place("said")).unwrap_or_default();
        if let Some(exit) = refused {
            return Ok(Err(Failure::printed(exit, first_words(&said))));
        }
        let text = fs::read(place("answer")).map_err(failed)?;
        Ok(child::read(&text).map_err(|error| {
            let why = format!("'{}' is no build of this version: {error}", way.name);
            Failure::new(Exit::Incomparable, why)
        }))
    }
}

/// What the exit code of a process means that failed.
fn refusal(status: ExitStatus) -> Option<Exit> {
    let exit = match Death::from(status) {
        Death::Code(code) => Exit::from_code(code).unwrap_or(Exit::Failed),
        death => death.exit(),
    };
    (!status.success()).then_some(exit)
}

/// A folder that goes away with its owner.
pub(super) fn temporary_folder() -> Result<TemporaryFolder, Failure> {
    TemporaryFolder::sweep(NAME);
    TemporaryFolder::new(NAME).map_err(|error| Failure::io("make", "a temporary folder", &error))
}

fn first_words(said: &str) -> String {
    let said = said.trim();
    let said = said.strip_prefix("error: ").unwrap_or(said);
    match said.char_indices().nth(WORDS) {
        _ if said.is_empty() => "it ended without a word".to_string(),
        Some((end, _)) => format!("{} …", &said[..end]),
        None => said.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{WORDS, first_words};

    #[test]
    fn the_beginning_of_what_was_said_is_told() {
        assert_eq!(first_words("error: it fails\n  here\n"), "it fails\n  here");
        assert_eq!(first_words(""), "it ended without a word");
        let long = first_words(&"ö".repeat(2 * WORDS));
        assert_eq!(long.chars().count(), WORDS + 2);
    }
}
