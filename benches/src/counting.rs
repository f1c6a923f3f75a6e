//! What counting costs: machine instructions of a program in the loop that counts and in the same loop
//! without counting, as callgrind sees them. Instructions do not depend on what else the machine does.

use std::path::{Path, PathBuf};

use crate::awfy;
use crate::growth::counted_figures;
use crate::measure::{Command, is_installed};
use crate::report::{Row, Verdict};
use crate::root;

pub(crate) const VALGRIND: &str = "valgrind";

/// Machine instructions that counting may add to a send.
const LIMIT: f64 = 1.0;

/// Machine instructions that counting adds to a repetition of an inlined loop. A repetition has a counter of its own
/// beside the ticks, so they are no part of a send's cost.
const A_REPETITION: u64 = 2;

/// Headings of the figures in the rows.
pub const COLUMNS: &[&str] = &["sends", "counted", "uncounted", "a send", "limit"];

/// Programs in which little but sends happens, small enough for a machine in slow motion: name, file,
/// arguments of two sizes.
const PROGRAMS: &[(&str, &str, [&str; 2])] = &[
    ("fib", "benches/programs/fib.st", ["20", "24"]),
    ("scheduler", "examples/scheduler.st", ["1000", "3000"]),
];

/// Measures every program with this `counted` command.
pub fn measure(counted: &Path) -> Vec<Row> {
    let is_there = is_installed(VALGRIND, "--version");
    let row = |&(name, file, ref arguments): &(&str, &str, [&str; 2])| {
        if !is_there {
            let why = format!("{VALGRIND} is not installed");
            return Row::without_figures(name, Verdict::Skipped(why));
        }
        measure_program(counted, name, file, arguments)
            .unwrap_or_else(|why| Row::without_figures(name, Verdict::Broken(why)))
    };
    PROGRAMS.iter().map(row).collect()
}

/// A program in two sizes, in the form of the `counted` command's arguments.
type Subject = (&'static str, [Vec<String>; 2]);

/// Fib, and Richards of a checkout of SOM.
fn subjects_of_profiling(som: Option<&Path>) -> Vec<Subject> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    let fib = ["20", "24"].map(|n| words(&["benches/programs/fib.st", n]));
    let mut subjects = vec![("fib", fib)];
    if let Some(som) = som {
        let harness = som.join("Examples/AreWeFastYet/Harness.som");
        let class_path = awfy::class_path(som, false);
        let harness = harness.display().to_string();
        let richards = |n| words(&["-cp", &class_path, &harness, "Richards", "1", n]);
        subjects.push(("Richards", ["1", "3"].map(richards)));
    }
    subjects
}

/// The difference between the larger and the smaller size of a program. It excludes the start, which both sizes have.
struct Growth {
    sends: u64,
    loops: u64,
    /// Machine instructions.
    instructions: i128,
}

fn growth(counted: &Path, mode: &str, sizes: &[Vec<String>; 2]) -> Result<Growth, String> {
    let of = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        instructions(counted, mode, &words)
    };
    let [small, large] = [of(&sizes[0])?, of(&sizes[1])?];
    Ok(Growth {
        sends: large.1.saturating_sub(small.1),
        loops: large.2.saturating_sub(small.2),
        instructions: i128::from(large.0) - i128::from(small.0),
    })
}

/// Whether the possibility of a profile costs anything where there is none: machine instructions of runs without one,
/// of this `counted` command and of one that was built without the recorder.
pub fn measure_profiling_off(counted: &Path, without: &Path, som: Option<&Path>) -> Vec<Row> {
    let measured = |(name, sizes): Subject| {
        let name = format!("profiling off, {name}");
        let with = growth(counted, "counted", &sizes);
        match with.and_then(|with| Ok((with, growth(without, "counted", &sizes)?))) {
            Ok((with, without)) => {
                let added = with.instructions - without.instructions;
                row(name, &with, &without, added, 0.0)
            }
            Err(why) => Row::without_figures(&name, Verdict::Broken(why)),
        }
    };
    subjects_of_profiling(som)
        .into_iter()
        .map(measured)
        .collect()
}

fn measure_program(
    counted: &Path,
    name: &str,
    file: &str,
    arguments: &[&str; 2],
) -> Result<Row, String> {
    let sizes = arguments.map(|argument| vec![file.to_string(), argument.to_string()]);
    let with = growth(counted, "counted", &sizes)?;
    let without = growth(counted, "uncounted", &sizes)?;
    if with.sends == 0 {
        return Err("the program sends nothing".to_string());
    }
    let of_loops = i128::from(with.loops * A_REPETITION);
    let added = with.instructions - without.instructions - of_loops;
    Ok(row(name.to_string(), &with, &without, added, LIMIT))
}

/// A row with machine instructions that were added, for each send. A few instructions of stopping, such as for
/// printing figures, are no part of a send.
fn row(name: String, with: &Growth, without: &Growth, added: i128, limit: f64) -> Row {
    let added = added as f64 / with.sends.max(1) as f64;
    let added = (added * 1000.0).round() / 1000.0;
    let figures = vec![
        with.sends.to_string(),
        with.instructions.to_string(),
        without.instructions.to_string(),
        format!("{added:.3}"),
        format!("{limit:.3}"),
    ];
    Row {
        name,
        figures,
        verdict: Verdict::of(added, limit),
    }
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
pub(crate) fn total(text: &str) -> Option<u64> {
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
