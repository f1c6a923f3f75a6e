//! `tally repl`: a session in which inputs are evaluated one after the other. Where they come from, a
//! terminal or a pipe, is in `terminal` and `piped`; their evaluation is in `evaluator` and `commands`.

mod arguments;
mod browsing;
mod commands;
mod completion;
mod evaluator;
mod highlight;
mod piped;
mod saved;
mod terminal;

use std::io::{IsTerminal as _, stdin, stdout};

use tally_vm::Outcome;

pub(crate) use self::arguments::ReplArguments;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::program;
use evaluator::Evaluator;
use tally_workbench::ProgramOutput;
use tally_workbench::loading::som::refuse;

pub(crate) fn repl(arguments: ReplArguments) -> Result<Exit, Failure> {
    refuse(&arguments.files, "repl")?;
    if arguments.files.iter().any(|file| file == "-") {
        let why = "standard input holds the inputs, so - cannot be a file";
        return Err(Failure::new(Exit::Usage, why));
    }
    let mut program = program::load(
        &arguments.inside.files(&arguments.files)?,
        None,
        &arguments.arguments,
        &arguments.machine.settings(),
        ProgramOutput::Standard,
    )?;
    let outcome = program.run();
    program.ended(&outcome)?;
    if let Outcome::Exited(code) = outcome {
        return Ok(Exit::Chosen(code));
    }
    let evaluator = Evaluator::new(program, arguments.machine.max_sends)?;
    if stdin().is_terminal() && stdout().is_terminal() {
        terminal::run(evaluator, &arguments)
    } else {
        piped::run(evaluator)
    }
}
