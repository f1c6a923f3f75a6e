//! Runs a program with or without counting and prints how many sends were counted. For callgrind to
//! look at; the `tally` command has no way to stop counting, and none is wanted.

use std::process::ExitCode;

use tally_vm::Outcome;

const USAGE: &str = "usage: counted FILE counted|uncounted [ARGUMENT...]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (stream, text, code): (&mut dyn std::io::Write, _, _) = match run(&arguments) {
        Ok(sends) => (&mut std::io::stdout(), sends.to_string(), ExitCode::SUCCESS),
        Err(why) => (&mut std::io::stderr(), why, ExitCode::FAILURE),
    };
    match writeln!(stream, "{text}") {
        Ok(()) => code,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(arguments: &[String]) -> Result<u64, String> {
    let [file, mode, rest @ ..] = arguments else {
        return Err(USAGE.to_string());
    };
    let source = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut vm = tally_benches::machine()?;
    vm.set_arguments(rest.to_vec());
    let unit = tally_benches::compile(&vm, file, &source)?;
    match mode.as_str() {
        "counted" => {}
        "uncounted" => vm.stop_counting(),
        _ => return Err(USAGE.to_string()),
    }
    match vm.run_unit(unit) {
        Outcome::Finished => Ok(vm.sends()),
        outcome => Err(format!("{file}: {outcome:?}")),
    }
}
