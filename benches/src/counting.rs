//! What counting costs: machine instructions of a program in the loop that counts and in the same loop
//! without counting, as callgrind sees them. Instructions do not depend on what else the machine does.

use std::path::{Path, PathBuf};

use crate::awfy;
use crate::growth::counted_figures;
use crate::measure::{Command, is_installed};
use crate::report::{Row, Verdict};
use crate::root;

const VALGRIND: &str = "valgrind";

/// Machine instructions that counting may add to a send.
const LIMIT: f64 = 1.0;

/// Machine instructions that counting adds to a repetition of an inlined loop, which has a counter of its own beside
/// that of ticks; they are no part of what a send costs.
const A_REPETITION: u64 = 2;

/// Headings of the figures in the rows.
pub const COLUMNS: &[&str] = &["sends", "counted", "uncounted", "a send", "limit"];

/// Programs in which little but sends happens, small enough for a machine in slow motion: name, file,
/// arguments.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    ("fib", "benches/programs/fib.st", &["22"]),
    ("scheduler", "examples/scheduler.st", &["2000"]),
];

/// Measures every program with this `counted` command.
pub fn measure(counted: &Path) -> Vec<Row> {
    let is_there = is_installed(VALGRIND, "--version");
    let row = |&(name, file, arguments): &(&str, &str, &[&str])| {
        if !is_there {
            let why = format!("{VALGRIND} is not installed");
            return Row::without_figures(name, Verdict::Skipped(why));
        }
        measure_program(counted, name, file, arguments)
            .unwrap_or_else(|why| Row::without_figures(name, Verdict::Broken(why)))
    };
    PROGRAMS.iter().map(row).collect()
}

/// A program, as the `counted` command is told it.
type Subject = (&'static str, Vec<String>);

/// Fib, and Richards of a checkout of SOM.
fn subjects_of_profiling(som: Option<&Path>) -> Vec<Subject> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let mut subjects = vec![("fib", words(&["benches/programs/fib.st", "22"]))];
    if let Some(som) = som {
        let harness = som.join("Examples/AreWeFastYet/Harness.som");
        let class_path = awfy::class_path(som, false);
        let harness = harness.display().to_string();
        let richards = words(&["-cp", &class_path, &harness, "Richards", "1", "1"]);
        subjects.push(("Richards", richards));
    }
    subjects
}

/// Whether the possibility of a profile costs anything where there is none: machine instructions of runs without one,
/// of this `counted` command and of one that was built without the recorder.
pub fn measure_profiling_off(counted: &Path, without: &Path, som: Option<&Path>) -> Vec<Row> {
    let row = |(name, words): Subject| {
        let name = format!("profiling off, {name}");
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let figures = instructions(counted, "counted", &words)
            .and_then(|with| Ok((with, instructions(without, "counted", &words)?)));
        match figures {
            Ok(((with, sends, _), (without, ..))) => {
                let difference = with as f64 - without as f64;
                Row {
                    name,
                    figures: vec![
                        sends.to_string(),
                        with.to_string(),
                        without.to_string(),
                        format!("{:.3}", difference / sends.max(1) as f64),
                        "0.000".to_string(),
                    ],
                    verdict: Verdict::of((difference / sends.max(1) as f64).max(0.0), 0.0005),
                }
            }
            Err(why) => Row::without_figures(&name, Verdict::Broken(why)),
        }
    };
    subjects_of_profiling(som).into_iter().map(row).collect()
}

fn measure_program(
    counted: &Path,
    name: &str,
    file: &str,
    arguments: &[&str],
) -> Result<Row, String> {
    let words: Vec<&str> = [file]
        .into_iter()
        .chain(arguments.iter().copied())
        .collect();
    let (with, sends, loops) = instructions(counted, "counted", &words)?;
    let (without, ..) = instructions(counted, "uncounted", &words)?;
    if sends == 0 {
        return Err("the program sends nothing".to_string());
    }
    let of_loops = (loops * A_REPETITION) as f64;
    let added = (with as f64 - without as f64 - of_loops) / sends as f64;
    // A few instructions of starting and stopping are no part of a send.
    let added = (added * 1000.0).round() / 1000.0;
    let figures = vec![
        sends.to_string(),
        with.to_string(),
        without.to_string(),
        format!("{added:.3}"),
        format!("{LIMIT:.3}"),
    ];
    Ok(Row {
        name: name.to_string(),
        figures,
        verdict: Verdict::of(added, LIMIT),
    })
}

/// Machine instructions, sends and repetitions of loops of a run.
fn instructions(counted: &Path, mode: &str, words: &[&str]) -> Result<(u64, u64, u64), String> {
    let log = log_file(mode);
    let command = Command::new(Path::new(VALGRIND), &root())
        .with([
            "--tool=callgrind".to_string(),
            format!("--callgrind-out-file={}", log.display()),
        ])
        .with([counted.as_os_str()])
        .with([mode])
        .with(words.iter().copied());
    let output = command.output();
    let text = std::fs::read_to_string(&log);
    // The file is of no use any more; if it cannot be removed, that changes no figure.
    let _ = std::fs::remove_file(&log);
    let output = output?;
    let (sends, _) = counted_figures(&output)?;
    let loops = output.split_whitespace().nth(2);
    let loops = loops.and_then(|word| word.parse().ok()).unwrap_or(0);
    let text = text.map_err(|error| format!("no figures from {VALGRIND}: {error}"))?;
    let total = total(&text).ok_or_else(|| format!("no total in the figures of {VALGRIND}"))?;
    Ok((total, sends, loops))
}

fn log_file(mode: &str) -> PathBuf {
    std::env::temp_dir().join(format!("tally-{mode}-{}.callgrind", std::process::id()))
}

/// The sum that stands in callgrind's file, on a line of its own.
fn total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::total;

    #[test]
    fn the_total_is_read_from_its_line() {
        assert_eq!(
            total("events: Ir\nsummary: 12\n\ntotals: 345 6\n"),
            Some(345)
        );
        assert_eq!(total("events: Ir\n"), None);
    }
}
