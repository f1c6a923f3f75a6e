//! Loads the files and folders that its arguments name, runs their tests in threads, and prints what each test sent.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this program prints; the workbench does not"
)]

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use tally_workbench::loading::{MachineSettings, Program, Sources};
use tally_workbench::project::Project;
use tally_workbench::testing::discovery::discover;
use tally_workbench::testing::pool::{Arrived, Work};
use tally_workbench::testing::running::Running;
use tally_workbench::{Embedder, Error, Front, ProgramOutput};

/// This program, which shows what the compiler says.
struct Example;

impl Embedder for Example {
    fn show(&self, text: &str) {
        eprint!("{text}");
    }
}

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    match run_tests(&files) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether all tests of the files are well.
fn run_tests(files: &[String]) -> Result<bool, Error> {
    let front: Front = Arc::new(Example);
    let machine = MachineSettings::default();
    let what = Sources {
        folder: Path::new(""),
        files,
        expression: None,
        arguments: &[],
    };
    let mut program = Program::load(&what, &machine, ProgramOutput::Nowhere, &front)?;
    let outcome = program.run();
    program.ended(&outcome)?;
    let tests = discover(&mut program.vm, &*front)?;
    let running = Running::of(&Project::here(&*front)?, &machine, None);
    let order: Vec<usize> = (0..tests.len()).collect();
    let work = Work {
        tests: &tests,
        order: &order,
        running: &running,
        resets: true,
    };
    let mut is_well = true;
    let tell = |Arrived { ended, .. }| {
        let report = ended.report;
        let sends = report.sends.unwrap_or_default();
        println!("{} {} {sends} sends", report.name, report.verdict.word());
        is_well &= !report.verdict.is_bad();
        Ok::<bool, Error>(true)
    };
    for reset in work.run(&mut program.vm, tell)? {
        is_well &= reset.show(&*front);
    }
    Ok(is_well)
}
