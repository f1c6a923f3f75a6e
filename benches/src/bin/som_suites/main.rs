//! `som_suites`: runs the programs of the SOM project on this machine: its test suite, its integration tests, its
//! benchmarks and *Are We Fast Yet*. Each runs with SOM's own core library and with ours. The counts of the modes
//! are compared. The files of the project are not part of this
//! repository: the path of a checkout is an argument.

#![allow(clippy::print_stdout)] // its report

mod catalogue;
mod integration;
mod modes;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Runs the SOM project's own suites
#[derive(Parser)]
struct Arguments {
    /// A checkout of the SOM project, SOM-st/SOM
    checkout: PathBuf,
    /// A machine of SOM that runs the benchmarks too: what it cannot run need not run here
    #[arg(long, value_name = "PROGRAM")]
    peer: Option<PathBuf>,
    /// Leave out the comparison of the modes' counts
    #[arg(long)]
    no_modes: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut is_good = true;
    for library in [world::Library::Ours, world::Library::Theirs] {
        println!("== with {library}");
        is_good &= suite(
            &arguments,
            library,
            &catalogue::test_suite(&arguments.checkout),
        );
        is_good &= suite(
            &arguments,
            library,
            &catalogue::som_in_som(&arguments.checkout),
        );
        is_good &= integration::report(&arguments.checkout, library);
        is_good &= programs(
            &arguments,
            library,
            "Are We Fast Yet",
            &catalogue::awfy(&arguments.checkout),
        );
        let benchmarks = catalogue::benchmarks(&arguments.checkout);
        is_good &= programs(&arguments, library, "benchmarks", &benchmarks);
    }
    if !arguments.no_modes {
        println!("== counts of the modes");
        is_good &= modes::report(&arguments.checkout);
    }
    println!("{}", if is_good { "all well" } else { "NOT all well" });
    ExitCode::from(u8::from(!is_good))
}

/// Runs a program that reports its own tests.
fn suite(arguments: &Arguments, library: world::Library, suite: &world::Invocation) -> bool {
    let ended = world::run(suite, library, &arguments.checkout, world::config());
    let passed = ended.exit_code() == 0;
    for line in ended.out.lines() {
        println!("   {line}");
    }
    let verdict = if passed { "passes" } else { "FAILS" };
    println!("{}: {verdict}", suite.name);
    passed
}

/// Runs programs that verify their own results.
fn programs(
    arguments: &Arguments,
    library: world::Library,
    title: &str,
    programs: &[world::Invocation],
) -> bool {
    let mut failed = Vec::new();
    let mut excused = 0;
    for program in programs {
        let ended = world::run(program, library, &arguments.checkout, world::config());
        if ended.exit_code() == 0 {
            continue;
        }
        let runs_there = arguments
            .peer
            .as_ref()
            .is_none_or(|peer| world::runs_on_peer(peer, program, &arguments.checkout));
        if runs_there {
            println!("   {} fails: {}", program.name, ended.last_line());
            failed.push(program.name.clone());
        } else {
            println!(
                "   {} fails there as well: {}",
                program.name,
                ended.last_line()
            );
            excused += 1;
        }
    }
    let good = programs.len() - failed.len() - excused;
    println!(
        "{title}: {good} of {} verify, {excused} fail on the peer too",
        programs.len()
    );
    failed.is_empty()
}
