//! The error of a session: a kind, and a text that holds all that is known.

use std::fmt;

use tally_vm::{Failure, Limit, Outcome};
use tally_workbench::ErrorKind;

use crate::heard::Heard;

/// The most characters of an expression that a message repeats.
const MOST_SHOWN: usize = 200;

/// Why there is no session, no value or no count.
///
/// The text of a mistake in Smalltalk has the line of source with a caret below the place. `Debug` writes the same text as
/// `Display`, because `unwrap` and a test that answers `Err` print an error by `Debug`.
///
/// ```
/// use tally_test::{ErrorKind, Session};
///
/// let error = Session::new()?.eval("3 + ").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Source);
/// assert!(error.to_string().contains("1 | 3 +"));
/// # Ok::<(), tally_test::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    text: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Error {
        Error {
            kind,
            text: text.into(),
        }
    }

    /// An error of the workbench, with the messages before it. They may hold its own sentence already.
    pub(crate) fn of(error: &tally_workbench::Error, heard: &Heard) -> Error {
        let before = heard.take();
        let text = match error.is_told() && !before.is_empty() {
            true => before,
            false => format!("{before}{}", error.message()),
        };
        Error::new(error.kind(), text)
    }

    /// The error of a run that did not come to its end.
    pub(crate) fn of_run(what: &str, outcome: &Outcome, failure: Option<&Failure>) -> Error {
        let (kind, why) = match outcome {
            Outcome::Finished | Outcome::Failed => {
                (ErrorKind::Failed, "ended by an error".to_string())
            }
            Outcome::Exited(code) => (
                ErrorKind::Exited(*code),
                format!("ended the program, with exit code {code}"),
            ),
            Outcome::NotCompiled => (
                ErrorKind::Source,
                "needs a class that does not compile".to_string(),
            ),
            Outcome::Deadlock => (
                ErrorKind::Failed,
                "did not end: no process can go on".to_string(),
            ),
            Outcome::Limit(limit) => (ErrorKind::Limit, limit_text(*limit).to_string()),
            Outcome::Internal(why) => {
                (ErrorKind::Internal, format!("met an internal error: {why}"))
            }
        };
        let details = failure.map_or_else(String::new, |failure| failure.text(false, false));
        Error::new(kind, format!("[{}] {why}\n{details}", shortened(what)))
    }

    /// The same error with a remedy.
    pub(crate) fn with_help(self, help: &str) -> Error {
        Error::new(self.kind, format!("{}\nhelp: {help}", self.text.trim_end()))
    }

    /// What went wrong: `Source` for a text that does not compile, `Failed` for an error in a program, `Limit` for a limit.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// The limit that a run reached, and the function that sets it.
fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Ticks => {
            "did not end within the limit on sends and loop repetitions (Builder::max_sends)"
        }
        Limit::Work => "did not end within the limit on work",
        Limit::Silence => "did not end within what a silent activation may take",
        Limit::Memory => "did not end within the limit on memory (Builder::max_memory)",
        Limit::Depth => {
            "did not end within the limit on the depth of activations (Builder::max_depth)"
        }
        Limit::VirtualTime => "did not end before the end of virtual time",
        Limit::Serials => "did not end before the numbers of frames were used up",
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_string(),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text.trim_end())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}
