//! Measures how well work stands for time and for instructions of the processor, over all programs of the examples that are
//! measured, and prints the tables of docs/WORK.md.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tally_benches::report::exit_code;
use tally_benches::work::{Measured, measure, programs, rows};
use tally_benches::{beside, measure as commands, only_release};
use tally_study::ALL;
use tally_study::results::{Interval, ProxyRow};

/// Hold work against time, and against instructions of the processor. Exit code 2: something could not be measured.
#[derive(Debug, Parser)]
#[command(name = "work")]
struct Arguments {
    /// How often each program is timed
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Count instructions, too, by valgrind
    #[arg(long)]
    instructions: bool,
}

fn main() -> ExitCode {
    exit_code(run(&Arguments::parse(), &mut io::stdout()).map(|()| true))
}

fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), String> {
    only_release()?;
    let tally = beside("tally")?;
    let circumstances = commands::settle();
    let mut measured = Vec::new();
    for (role, file) in programs()? {
        let with = arguments.instructions;
        measured.push(measure(&tally, role, &file, arguments.rounds, with)?);
    }
    let rows = rows(&measured);
    print(out, &circumstances, &rows, &measured).map_err(|error| error.to_string())
}

fn print(
    out: &mut dyn Write,
    circumstances: &str,
    rows: &[ProxyRow],
    measured: &[Measured],
) -> io::Result<()> {
    writeln!(out, "{circumstances}\n")?;
    let head = [
        "over",
        "programs",
        "against",
        "for 1 ns of work",
        "r",
        "left out, median error %",
        "interval",
        "spread",
        "interval",
        "worst",
    ];
    print_head(out, &head)?;
    for row in rows {
        print_cells(out, &cells_of_row(row))?;
    }
    writeln!(out)?;
    let head = [
        "program",
        "of",
        "work ms",
        "time ms",
        "error %",
        "time again ms",
        "million instructions",
        "error %",
    ];
    print_head(out, &head)?;
    for program in measured {
        print_cells(out, &cells_of_program(program, rows))?;
    }
    Ok(())
}

fn print_head(out: &mut dyn Write, names: &[&str]) -> io::Result<()> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
    print_cells(out, &names)?;
    print_cells(out, &vec!["---".to_string(); names.len()])
}

fn print_cells(out: &mut dyn Write, cells: &[String]) -> io::Result<()> {
    writeln!(out, "| {} |", cells.join(" | "))
}

fn cells_of_row(row: &ProxyRow) -> [String; 10] {
    let worst = row.leave_one_out.worst.as_ref();
    [
        row.group.clone(),
        row.programs.to_string(),
        row.number.clone(),
        // Milliseconds or millions of instructions, for a hundredth of a nanosecond.
        figure(row.factor.map(|factor| 1e8 * factor), 2),
        figure(row.correlation, 3),
        figure(row.leave_one_out.median, 1),
        interval(row.median_interval, 1),
        figure(row.spread, 2),
        interval(row.spread_interval, 2),
        worst.map_or(String::new(), |of| {
            format!("{} {:+.0} %", of.name, of.error)
        }),
    ]
}

/// A program's figures, and its errors among all programs.
fn cells_of_program(program: &Measured, rows: &[ProxyRow]) -> [String; 8] {
    let [by_time, by_instructions] = ["time", "instructions"].map(|number| {
        let mut of_all = rows.iter().filter(|row| row.group == ALL);
        let errors = of_all
            .find(|row| row.number == number)
            .map(|row| &row.leave_one_out.errors);
        let error = errors
            .into_iter()
            .flatten()
            .find(|error| error.name == program.name);
        error.map_or(String::new(), |error| format!("{:+.0}", error.error))
    });
    [
        program.name.clone(),
        program.role.group().to_string(),
        figure(Some(program.work / 1e8), 1),
        figure(Some(program.milliseconds), 1),
        by_time,
        figure(program.again, 1),
        figure(program.instructions, 0),
        by_instructions,
    ]
}

fn figure(figure: Option<f64>, decimals: usize) -> String {
    figure.map_or(String::new(), |figure| format!("{figure:.decimals$}"))
}

fn interval(interval: Option<Interval>, decimals: usize) -> String {
    interval.map_or(String::new(), |of| {
        format!("{:.decimals$} to {:.decimals$}", of.low, of.high)
    })
}
