//! Processes that run one program once: this command's hidden `sample`, or that of another build.

use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use super::sample::{Answer, Request};
use super::way::Way;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::hidden;
use tally_workbench::ErrorKind;
use tally_workbench::files::temporary::TemporaryFolder;
use tally_workbench::workers::{self, Death, Desk, Interrupts, Process};

/// What the names of the folders begin with in which requests and answers are.
const NAME: &str = "tally-study";
/// The time between two looks at whether a process has ended. Looking takes processor time from the process that is timed.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Characters of the messages of a failed process that are shown: the message stands in front of the trace.
const WORDS: usize = 400;

/// Where processes are started that run programs.
pub(super) struct Children<'a> {
    desk: Desk,
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
            desk: Desk::new(NAME)?,
            folder,
            interrupts,
        })
    }

    /// Runs a program once. `Err` within is why there is no answer.
    pub(super) fn ask(
        &self,
        way: &Way,
        request: &Request,
    ) -> Result<Result<Answer, Failure>, Failure> {
        let process = Process {
            command: &hidden::words(&way.command, "sample", false)?,
            folder: self.folder,
            input: Stdio::null(),
            look_every: LOOK_EVERY,
        };
        let reply = match self.desk.ask(process, request, self.interrupts)? {
            Ok(reply) => reply,
            Err(error) => return Ok(Err(error.into())),
        };
        if let Some(exit) = refusal(reply.status) {
            return Ok(Err(Failure::printed(exit, beginning(&reply.messages))));
        }
        Ok(workers::read(&reply.answer).map_err(|error| {
            let why = format!("'{}' is no build of this version: {error}", way.name);
            Failure::new(Exit::Incomparable, why)
        }))
    }
}

/// What the exit code of a process means that failed.
fn refusal(status: ExitStatus) -> Option<Exit> {
    let kind = match Death::from(status) {
        Death::Code(code) => ErrorKind::of_exit_code(code).unwrap_or(ErrorKind::Failed),
        death => death.kind(),
    };
    (!status.success()).then_some(kind.into())
}

/// A folder that goes away with its owner.
pub(crate) fn temporary_folder() -> Result<TemporaryFolder, Failure> {
    TemporaryFolder::sweep(NAME);
    TemporaryFolder::new(NAME).map_err(|error| Failure::io("make", "a temporary folder", &error))
}

fn beginning(messages: &str) -> String {
    let text = messages.trim();
    let text = text.strip_prefix("error: ").unwrap_or(text);
    match text.char_indices().nth(WORDS) {
        _ if text.is_empty() => "it ended without a message".to_string(),
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{WORDS, beginning};

    #[test]
    fn the_beginning_of_the_messages_is_kept() {
        assert_eq!(beginning("error: it fails\n  here\n"), "it fails\n  here");
        assert_eq!(beginning(""), "it ended without a message");
        let long = beginning(&"ö".repeat(2 * WORDS));
        assert_eq!(long.chars().count(), WORDS + 2);
    }
}
