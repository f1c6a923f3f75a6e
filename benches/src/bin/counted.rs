//! Runs a program with or without counting, with a profile of its contexts, or with all counts. Prints the counted sends,
//! the processor seconds of the run, and the repetitions of loops. callgrind and the measurements of counting's cost use
//! it, because the `tally` command cannot stop counting.

use std::process::ExitCode;

use tally_benches::{Program, measure};
use tally_vm::{Detail, Outcome};

const USAGE: &str =
    "usage: counted counted|uncounted|profiled|detailed [-cp FOLDERS] FILE [ARGUMENT...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (stream, text, code): (&mut dyn std::io::Write, _, _) = match run(&arguments) {
        Ok(figures) => (&mut std::io::stdout(), figures, ExitCode::SUCCESS),
        Err(why) => (&mut std::io::stderr(), why, ExitCode::FAILURE),
    };
    match writeln!(stream, "{text}") {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(arguments: &[String]) -> Result<String, String> {
    let (mode, words) = arguments.split_first().ok_or(USAGE)?;
    let program = Program::new(words).ok_or(USAGE)?;
    let (mut vm, unit) = program.load()?;
    match mode.as_str() {
        "counted" => {}
        "uncounted" => vm.stop_counting(),
        "profiled" => vm.start_profile(Detail::default()),
        "detailed" => {
            vm.count_everything();
            vm.start_profile(Detail {
                sites: true,
                ..Detail::default()
            });
        }
        _ => return Err(USAGE.to_string()),
    }
    let before = measure::own_seconds()?;
    let outcome = vm.run_unit(unit);
    let seconds = measure::own_seconds()? - before;
    match outcome {
        Outcome::Finished | Outcome::Exited(0) => {
            Ok(format!("{} {seconds:.6} {}", vm.sends(), vm.loops()))
        }
        outcome => Err(format!("{}: {outcome:?}", words.join(" "))),
    }
}
