//! The `tally` command: joins compiler, library, machine and profiler, prints, and decides the exit
//! code. What a command does is in the module of its name; this one only dispatches, and turns a panic
//! into exit code 70.

mod annotate;
mod arguments;
mod bisect;
mod bounded;
mod calibrate;
mod check;
mod collector;
mod compare;
mod completions;
mod console;
mod convert;
mod dialect;
mod disassemble;
mod documentation;
mod exit;
mod explain;
mod explore;
mod export;
mod failure;
mod formats;
mod front;
mod gate;
mod grammar;
mod help;
mod hidden;
mod history;
mod inside;
mod listing;
mod man;
mod measure;
mod measured;
mod memory;
mod new;
mod output;
mod predict;
mod printed;
mod profile;
mod program;
mod progress;
mod quantity;
mod repl;
mod run;
mod sampled;
mod saved;
mod som;
mod state;
mod store;
mod study;
mod subject;
mod test;
mod timeline;
mod verify;
mod version;
mod view;

use std::panic::catch_unwind;
#[cfg(unix)]
use std::sync::Arc;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::grammar::Command;

/// Bytes of stack for the thread that does the work: deep nesting in a source text must end in a
/// diagnostic, not in a crash. Only what is used is ever touched.
const STACK_BYTES: usize = 256 << 20;

fn main() {
    let work = || catch_unwind(command_line);
    let worker = std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(work);
    let ended = worker.map(std::thread::JoinHandle::join);
    let exit = match ended {
        Ok(Ok(Ok(Ok(exit)))) => exit,
        Ok(Ok(Ok(Err(failure)))) => failure.report(),
        Ok(Ok(Err(_)) | Err(_)) => Exit::Internal,
        Err(error) => {
            let why = format!("the working thread cannot be started: {error}");
            Failure::new(Exit::Limit, why).report()
        }
    };
    std::process::exit(exit.code())
}

/// Runs the command. All work is done in the thread with the large stack: that of the first thread may be small.
fn command_line() -> Result<Exit, Failure> {
    memory::begin();
    let arguments = help::parsed(som::command_line(std::env::args_os()));
    console::set_color(arguments.color);
    std::panic::set_hook(Box::new(console::report_panic));
    ignore_large_files();
    command(arguments.command)
}

/// Lets a write fail that goes beyond a limit on the size of files, where it would end the process.
fn ignore_large_files() {
    // Where the signal cannot be caught it ends the process.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

fn command(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) => run::run(arguments),
        Command::Profile(arguments) => profile::profile(arguments),
        Command::Annotate(arguments) => annotate::annotate(&arguments),
        Command::Test(arguments) => test::test(arguments),
        Command::Gate(arguments) => gate::gate(arguments),
        Command::New(arguments) => new::new(&arguments),
        Command::Verify(arguments) => verify::verify(arguments),
        Command::Timeline(arguments) => timeline::timeline(&arguments),
        Command::Explore(arguments) => explore::explore(&arguments),
        Command::Predict(arguments) => predict::predict(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::History(arguments) => history::history(&arguments),
        Command::Bisect(arguments) => bisect::bisect(&arguments),
        Command::Study(arguments) => study::study(&arguments),
        Command::Calibrate(arguments) => calibrate::calibrate(&arguments),
        Command::Sample { request } => study::sample(&request),
        Command::Measure { request } => measure::measure(&request),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Store(arguments) => store::store(arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Export(arguments) => export::export(&arguments),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Disassemble(arguments) => disassemble::disassemble(arguments),
        Command::Repl(arguments) => repl::repl(arguments),
        Command::Doc(arguments) => documentation::doc(arguments),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { folder } => man::man(folder.as_deref()),
        Command::Help { command } => help::help(command.as_deref()),
    }
}
