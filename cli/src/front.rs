//! The command as the workbench knows it: its messages go to standard error, its programs print on the process's own streams.

use std::io::{self, Write};
use std::sync::Arc;

use tally_workbench::{Embedder, Error, Front, ProgramOutput};

use crate::failure::Failure;
use crate::printed::Printed;
use crate::{console, memory};

/// The command line's side of the workbench.
struct CommandLine;

/// The command, for whatever the workbench makes.
pub(crate) fn front() -> Front {
    Arc::new(CommandLine)
}

impl Embedder for CommandLine {
    fn in_color(&self) -> bool {
        console::in_color()
    }

    fn show(&self, text: &str) {
        console::write(text);
    }

    fn warn(&self, message: &str) {
        console::warning(message);
    }

    fn complain(&self, error: &Error) {
        Failure::from(error.clone()).report();
    }

    fn output(&self, to: ProgramOutput) -> Box<dyn Write + Send> {
        match to {
            ProgramOutput::Standard => Box::new(Printed::Out),
            ProgramOutput::Error => Box::new(Printed::Error),
            ProgramOutput::Nowhere => Box::new(io::sink()),
        }
    }

    fn error_output(&self) -> Box<dyn Write + Send> {
        Box::new(io::stderr())
    }

    fn limit_memory(&self, bytes: usize) {
        memory::keep_to(bytes);
    }
}
