//! Runs the programs of "Are We Fast Yet?" on Tally, SOM++, lua5.4 and LuaJIT's interpreter, round by round. Prints
//! times, ratios and whether the targets are met. The library measures.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use tally_benches::awfy::{self, Comparison, PROGRAMS, Peer, Places, Program, Runner};
use tally_benches::report::{all_met, exit_code, print, print_markdown};
use tally_benches::{beside, measure, only_release};

/// Measure the programs of "Are We Fast Yet?" beside SOM++ and Lua. Exit code 1: a target was missed;
/// 2: nothing could be measured.
#[derive(Debug, Parser)]
#[command(name = "awfy")]
struct Arguments {
    /// How often each program is run on each peer
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// A checkout of the SOM project [or: TALLY_SOM]
    #[arg(long, value_name = "FOLDER")]
    som: Option<PathBuf>,
    /// The SOM++ command [or: TALLY_SOMPP]
    #[arg(long, value_name = "FILE")]
    sompp: Option<PathBuf>,
    /// A checkout of "Are We Fast Yet?" [or: TALLY_AWFY]
    #[arg(long, value_name = "FOLDER")]
    awfy: Option<PathBuf>,
    /// The tally command; otherwise the one beside this command
    #[arg(long, value_name = "FILE")]
    tally: Option<PathBuf>,
    /// Only these programs
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    programs: Vec<String>,
    /// Only these peers
    #[arg(long, value_enum, value_name = "PEER", value_delimiter = ',',
          default_values_t = [Choice::Tally, Choice::Sompp, Choice::Lua, Choice::Luajit])]
    peers: Vec<Choice>,
    /// How to print the figures
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    format: Format,
    /// Let targets count as met that could not be measured
    #[arg(long)]
    allow_missing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// Tally with its own core library
    Tally,
    /// Tally with the core library of the SOM project
    TallySom,
    /// SOM++, tagged integers, generational collector, 16 MB of heap
    Sompp,
    /// lua5.4
    Lua,
    /// luajit -joff
    Luajit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for reading
    Text,
    /// Tables for a document
    Markdown,
    /// Everything, each sample included
    Json,
}

impl Choice {
    fn peer(self) -> Peer {
        match self {
            Choice::Tally => Peer::Tally,
            Choice::TallySom => Peer::TallySom,
            Choice::Sompp => Peer::Sompp,
            Choice::Lua => Peer::Lua,
            Choice::Luajit => Peer::LuaJit,
        }
    }
}

fn main() -> ExitCode {
    exit_code(run(
        &Arguments::parse(),
        &mut io::stdout(),
        &mut io::stderr(),
    ))
}

/// Answers whether every target was met.
fn run(arguments: &Arguments, out: &mut dyn Write, notes: &mut dyn Write) -> Result<bool, String> {
    only_release()?;
    let programs = chosen_programs(&arguments.programs)?;
    let circumstances = format!(
        "{} rounds, medians; {}",
        arguments.rounds,
        measure::settle()
    );
    let mut left_out = Vec::new();
    let runners = runners(arguments, &mut left_out);
    for word in &left_out {
        // Notes are a courtesy; nothing depends on their being read.
        let _ = writeln!(notes, "{word}");
    }
    if runners.is_empty() {
        return Err("no runner is left to be measured".to_string());
    }
    let peers: Vec<Peer> = runners.iter().map(|(peer, _)| *peer).collect();
    let runners: Vec<Runner> = runners.into_iter().map(|(_, runner)| runner).collect();
    let results = awfy::measure(&programs, &runners, arguments.rounds, &mut |round| {
        let _ = writeln!(notes, "round {round} of {}", arguments.rounds);
    });
    let report = Report {
        circumstances,
        left_out,
        peers,
        results,
    };
    report
        .write(arguments.format, out)
        .map_err(|error| error.to_string())?;
    let rows = report.all_rows();
    Ok(all_met(&rows, arguments.allow_missing))
}

fn chosen_programs(names: &[String]) -> Result<Vec<&'static Program>, String> {
    if names.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    let find = |name: &String| {
        let found = PROGRAMS.iter().find(|program| program.name == *name);
        found.ok_or_else(|| format!("there is no program {name}"))
    };
    names.iter().map(find).collect()
}

/// Those peers that can take part; the others leave a sentence.
fn runners(arguments: &Arguments, left_out: &mut Vec<String>) -> Vec<(Peer, Runner)> {
    let path = |option: &Option<PathBuf>, variable: &str| {
        let from_environment = || std::env::var_os(variable).map(PathBuf::from);
        option.clone().or_else(from_environment)
    };
    let places = Places {
        tally: arguments.tally.clone().or_else(|| beside("tally").ok()),
        som: path(&arguments.som, "TALLY_SOM"),
        sompp: path(&arguments.sompp, "TALLY_SOMPP"),
        awfy: path(&arguments.awfy, "TALLY_AWFY"),
    };
    let peers = arguments.peers.iter().map(|choice| choice.peer());
    peers
        .filter_map(|peer| match Runner::new(peer, &places) {
            Ok(runner) => Some((peer, runner)),
            Err(why) => {
                left_out.push(format!("{} is left out: {why}", peer.name()));
                None
            }
        })
        .collect()
}

#[derive(serde::Serialize)]
struct Report {
    circumstances: String,
    left_out: Vec<String>,
    peers: Vec<Peer>,
    results: Vec<Comparison>,
}

impl Report {
    fn all_rows(&self) -> Vec<tally_benches::report::Row> {
        let mut rows = awfy::rows(&self.results, &self.peers);
        rows.extend(awfy::targets(&self.results));
        rows
    }

    fn write(&self, format: Format, out: &mut dyn Write) -> io::Result<()> {
        if format == Format::Json {
            serde_json::to_writer_pretty(&mut *out, self)?;
            return writeln!(out);
        }
        let table = match format {
            Format::Markdown => print_markdown,
            _ => print,
        };
        writeln!(out, "{}\n", self.circumstances)?;
        let columns = awfy::columns(&self.peers);
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let mut rows = awfy::rows(&self.results, &self.peers);
        rows.push(awfy::mean_row(&self.results, &self.peers));
        table(out, "program", &columns, &rows)?;
        let targets = awfy::targets(&self.results);
        table(out, "target", awfy::TARGET_COLUMNS, &targets)
    }
}
