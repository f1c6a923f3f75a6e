//! Measures how the cost of collections, strings and large integers grows with their size, prints the
//! fitted exponents beside the expected ones, and writes the plot that the documents show.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use tally_benches::growth::{self, WORKS, Work};
use tally_benches::report::{all_met, exit_code, print, print_markdown};
use tally_benches::{beside, measure, only_release, plot};

/// Measure growth at 1, 10 and 100 times the input. Exit code 1: something grows faster than it should;
/// 2: nothing could be measured.
#[derive(Debug, Parser)]
#[command(name = "growth")]
struct Arguments {
    /// How often each size is run
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Where to write the plot, an SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// How long a run may last on the clock on the wall
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    patience: u64,
    /// Only these subjects or kinds
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Print a table in Markdown
    #[arg(long)]
    markdown: bool,
}

fn main() -> ExitCode {
    exit_code(run(&Arguments::parse(), &mut io::stdout()))
}

fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<bool, String> {
    only_release()?;
    let counted = beside("counted")?;
    let is_wanted = |work: &Work| {
        let names = [work.subject, work.kind];
        arguments.only.is_empty()
            || arguments
                .only
                .iter()
                .any(|only| names.contains(&only.as_str()))
    };
    let works: Vec<&'static Work> = WORKS.iter().filter(|work| is_wanted(work)).collect();
    let circumstances = measure::settle();
    let patience = Duration::from_secs(arguments.patience);
    let (rows, growths) = growth::measure(&counted, &works, arguments.rounds, patience);
    let table = if arguments.markdown {
        print_markdown
    } else {
        print
    };
    writeln!(
        out,
        "{} rounds, medians; {circumstances}\n",
        arguments.rounds
    )
    .and_then(|()| table(out, "growth", growth::COLUMNS, &rows))
    .map_err(|error| error.to_string())?;
    if let Some(path) = &arguments.plot {
        let written = std::fs::write(path, plot::svg(&growths));
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(all_met(&rows, false))
}
