//! Measures the search of `tally explore` beside SPIN. Prints the figures; the exit code holds the verdict. The library measures.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tally_benches::explore::{self, SEARCH_OPTION};
use tally_benches::report::{Row, all_met, part_or_whole, print, print_markdown};
use tally_benches::{measure, only_release};

/// Measure how fast all states of programs of actors are found, and in how much memory. Exit code 1: a target was missed; 2: nothing could
/// be measured.
#[derive(Debug, Parser)]
#[command(name = "explore")]
struct Arguments {
    /// How often each search is run; medians count
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: u32,
    /// Print tables in Markdown
    #[arg(long)]
    markdown: bool,
    /// Let targets count as met that could not be measured
    #[arg(long)]
    allow_missing: bool,
}

fn main() -> ExitCode {
    part_or_whole(
        SEARCH_OPTION,
        |words| explore::search(words),
        || run(&Arguments::parse(), &mut io::stdout()),
    )
}

/// Answers whether every target was met.
fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<bool, String> {
    only_release()?;
    // Before this process is pinned to one processor.
    let threads = explore::threads(arguments.rounds);
    let circumstances = measure::settle();
    let (rates, memory) = explore::beside_spin(arguments.rounds);
    let tables: [(&str, &[&str], Vec<Row>); 4] = [
        ("rate", explore::RATE_COLUMNS, rates),
        ("memory", explore::MEMORY_COLUMNS, memory),
        ("memory in all", explore::PEAK_COLUMNS, explore::peaks()),
        ("threads, on the wall", explore::THREAD_COLUMNS, threads),
    ];
    let table = if arguments.markdown {
        print_markdown
    } else {
        print
    };
    let head = format!("{} rounds, medians; {circumstances}\n", arguments.rounds);
    writeln!(out, "{head}").map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for (title, columns, measured) in tables {
        table(out, title, columns, &measured).map_err(|error| error.to_string())?;
        rows.extend(measured);
    }
    Ok(all_met(&rows, arguments.allow_missing))
}
