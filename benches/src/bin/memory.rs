//! Measures whether Tally meets its targets for memory and for pauses of the collector. Prints the figures; the exit code
//! holds the verdict. The library measures.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tally_benches::memory::{self, PEAK_OPTION};
use tally_benches::report::{all_met, part_or_whole, print};
use tally_benches::{beside, only_release};

/// Measure the memory that Tally takes. Exit code 1: a target was missed; 2: nothing could be measured.
#[derive(Debug, Parser)]
#[command(name = "memory")]
struct Arguments {
    /// How often pauses are measured; the quietest run counts
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: u32,
    /// A checkout of the SOM project [or: TALLY_SOM]
    #[arg(long, value_name = "FOLDER")]
    som: Option<PathBuf>,
    /// The tally command; otherwise the one beside this command
    #[arg(long, value_name = "FILE")]
    tally: Option<PathBuf>,
    /// Let targets count as met that could not be measured
    #[arg(long)]
    allow_missing: bool,
}

fn main() -> ExitCode {
    part_or_whole(
        PEAK_OPTION,
        |words| memory::report_peak(words),
        || run(&Arguments::parse(), &mut io::stdout()),
    )
}

/// Answers whether every target was met.
fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<bool, String> {
    only_release()?;
    let tally = match &arguments.tally {
        Some(path) => path.canonicalize().map_err(|error| error.to_string())?,
        None => beside("tally")?,
    };
    let som = arguments.som.clone();
    let som = som.or_else(|| std::env::var_os("TALLY_SOM").map(PathBuf::from));
    let mut rows = Vec::new();
    let mut show = |title: &str, columns: &[&str], measured: Vec<_>| {
        let written = print(out, title, columns, &measured);
        rows.extend(measured);
        written.map_err(|error| error.to_string())
    };
    let measured = memory::peaks(&tally, som.as_deref());
    show("memory", memory::COLUMNS, measured)?;
    let measured = memory::limits(&tally);
    show("memory, limited", memory::COLUMNS, measured)?;
    let measured = memory::pauses(&tally, arguments.rounds);
    show("pauses for the nursery", memory::PAUSE_COLUMNS, measured)?;
    let measured = memory::full_collections(&tally);
    show("full collections", memory::FULL_COLUMNS, measured)?;
    Ok(all_met(&rows, arguments.allow_missing))
}
