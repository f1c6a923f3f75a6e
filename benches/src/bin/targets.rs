//! Measures whether Tally meets its targets for speed and for the price of counting. Prints the figures; the exit code
//! holds the verdict. It measures the commands beside it and builds none.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use tally_benches::report::{Row, all_met, exit_code, print};
use tally_benches::{
    beside, counting, measure, only_release, ordinary, overhead, processors, speed, versions,
};

/// Measure Tally against its targets. Exit code 1: one was missed; 2: nothing could be measured.
#[derive(Debug, Parser)]
#[command(name = "targets")]
struct Arguments {
    /// How often each pair of programs is run
    #[arg(long, value_name = "N", default_value_t = 11,
          value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Measure one kind of target only
    #[arg(long, value_enum, value_name = "KIND")]
    only: Option<Kind>,
    /// Of the ordinary programs, measure these only
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    programs: Vec<String>,
    /// How long a run of an ordinary program may last on the clock on the wall
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    patience: u64,
    /// The tally command to measure; otherwise the one beside this command
    #[arg(long, value_name = "FILE")]
    tally: Option<PathBuf>,
    /// How often each program is run with and without counting, and with and without a profile
    #[arg(long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// A checkout of the SOM project, whose programs are measured [or: TALLY_SOM]
    #[arg(long, value_name = "FOLDER")]
    som: Option<PathBuf>,
    /// The `counted` command of a build with TALLY_PROFILING=none, to see what profiling costs while it is off
    #[arg(long, value_name = "FILE")]
    without_profiling: Option<PathBuf>,
    /// Let targets count as met whose tool is not installed
    #[arg(long)]
    allow_missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Processor time beside Lua
    Speed,
    /// Processor time of ordinary programs beside Lua, Python and Node
    Ordinary,
    /// Machine instructions that counting adds, by callgrind
    Counting,
    /// Processor time that counting and profiling add
    Overhead,
    /// Time on the wall that comparing revisions takes
    Versions,
    /// Processor time of requests between processors beside that of sends
    Processors,
}

fn main() -> ExitCode {
    exit_code(run(&Arguments::parse(), &mut io::stdout()))
}

/// Answers whether every target was met.
fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<bool, String> {
    only_release()?;
    let is_wanted = |kind| arguments.only.is_none_or(|only| only == kind);
    let tally = || match &arguments.tally {
        Some(path) => path.canonicalize().map_err(|error| error.to_string()),
        None => beside("tally"),
    };
    let mut rows = Vec::new();
    let written = |result: io::Result<()>| result.map_err(|error| error.to_string());
    // First, since what follows keeps to one processor.
    if is_wanted(Kind::Versions) {
        let measured = versions::measure(&tally()?, arguments.rounds);
        written(print(out, "versions", versions::COLUMNS, &measured))?;
        rows.extend(measured);
    }
    if is_wanted(Kind::Speed) {
        let tally = tally()?;
        let rounds = arguments.rounds;
        written(writeln!(
            out,
            "{rounds} rounds, medians; {}\n",
            measure::settle()
        ))?;
        let measured = speed::measure(&tally, rounds);
        written(print(out, "time", speed::COLUMNS, &measured))?;
        rows.extend(measured);
    }
    if is_wanted(Kind::Ordinary) {
        let tally = tally()?;
        let rounds = arguments.rounds;
        let patience = Duration::from_secs(arguments.patience);
        let only = &arguments.programs;
        let measuring = ordinary::Measuring::new(&tally, rounds, patience, only)?;
        written(writeln!(
            out,
            "{rounds} rounds, medians; {}\n",
            measure::settle()
        ))?;
        let measured = measuring.programs();
        written(print(
            out,
            "ordinary programs",
            ordinary::COLUMNS,
            &measured,
        ))?;
        rows.extend(measured);
        let measured = measuring.claims();
        written(print(
            out,
            "parts of them",
            ordinary::CLAIM_COLUMNS,
            &measured,
        ))?;
        rows.extend(measured);
    }
    if is_wanted(Kind::Counting) {
        let counted = beside("counted")?;
        let mut measured = counting::measure(&counted);
        if let Some(without) = &arguments.without_profiling {
            let som = arguments.som.as_deref();
            measured.extend(counting::measure_profiling_off(&counted, without, som));
        }
        written(print(
            out,
            "machine instructions",
            counting::COLUMNS,
            &measured,
        ))?;
        rows.extend(measured);
    }
    if is_wanted(Kind::Overhead) {
        let som = arguments.som.clone();
        let som = som.or_else(|| std::env::var_os("TALLY_SOM").map(PathBuf::from));
        let pairs = arguments.pairs;
        written(writeln!(
            out,
            "{pairs} pairs, medians; {}\n",
            measure::settle()
        ))?;
        let measured = overhead::measure(&beside("counted")?, som.as_deref(), pairs);
        written(print(out, "overhead", overhead::COLUMNS, &measured))?;
        rows.extend(measured);
    }
    if is_wanted(Kind::Processors) {
        rows.extend(processors(arguments.rounds, &tally()?, out)?);
    }
    Ok(all_met(&rows, arguments.allow_missing))
}

fn processors(rounds: u32, tally: &Path, out: &mut dyn Write) -> Result<Vec<Row>, String> {
    let settled = measure::settle();
    let requests = processors::measure(tally, rounds);
    let events = processors::events(tally);
    let recording = processors::recording(tally, rounds);
    writeln!(out, "{rounds} rounds, medians; {settled}\n")
        .and_then(|()| print(out, "requests", processors::COLUMNS, &requests))
        .and_then(|()| print(out, "events", processors::EVENT_COLUMNS, &events))
        .and_then(|()| print(out, "recording", overhead::COLUMNS, &recording))
        .map_err(|error| error.to_string())?;
    Ok([requests, events, recording].concat())
}
