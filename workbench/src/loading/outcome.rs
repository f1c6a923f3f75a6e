//! The meaning of a run's outcome.

use tally_presentation::grouped;
use tally_vm::{Limit, Outcome};

use crate::error::{Error, ErrorKind};

/// The note about a program's code that was executed silently, if any was.
pub fn note_of_silence(overhead: u64) -> Option<String> {
    let sends = match overhead {
        0 => return None,
        1 => "1 silent send is".to_string(),
        more => format!("{} silent sends are", grouped(more)),
    };
    Some(format!(
        "{sends} in no count: a method wrapper made them, or the library on the program's behalf"
    ))
}

/// What a run says that silent code has ended.
pub(crate) const SILENCE: &str = "silent code took more than its allowance of sends or work";

/// The meaning of a run's outcome: success, or a failure.
///
/// # Errors
/// Unless the run came to its end.
pub fn ended(outcome: &Outcome) -> Result<(), Error> {
    let (kind, message) = match outcome {
        Outcome::Finished | Outcome::Exited(0) => return Ok(()),
        // The script chose this code, so no message is needed.
        Outcome::Exited(code) => {
            return Err(Error::told(
                ErrorKind::Exited(*code),
                "the program ended itself",
            ));
        }
        // The machine has written message and trace.
        Outcome::Failed => return Err(Error::told(ErrorKind::Failed, "the program failed")),
        // So have the compiler's diagnostics.
        Outcome::NotCompiled => {
            return Err(Error::told(ErrorKind::Source, "a class does not compile"));
        }
        Outcome::Limit(Limit::Ticks) => (
            ErrorKind::Limit,
            "the limit on sends and loop repetitions was reached (--max-sends)",
        ),
        Outcome::Limit(Limit::Work) => (
            ErrorKind::Limit,
            "the limit on work was reached (--max-work)",
        ),
        Outcome::Limit(Limit::Silence) => (ErrorKind::Limit, SILENCE),
        Outcome::Limit(Limit::Memory) => (
            ErrorKind::Memory,
            "the limit on memory was reached (--max-memory)",
        ),
        Outcome::Limit(Limit::Depth) => (
            ErrorKind::Limit,
            "the limit on the depth of activations was reached (--max-depth)",
        ),
        Outcome::Limit(Limit::VirtualTime) => (ErrorKind::Limit, "virtual time came to its end"),
        Outcome::Limit(Limit::Serials) => (ErrorKind::Limit, "the numbers of frames are used up"),
        Outcome::Deadlock => (ErrorKind::Failed, "deadlock: no process can go on"),
        Outcome::Internal(why) => (ErrorKind::Internal, why.as_str()),
    };
    Err(Error::new(kind, message))
}
