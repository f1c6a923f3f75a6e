//! The memory that Tally takes, the limit that it must keep, and the pauses of its collector. Memory is the peak of the
//! whole process as the system reports it, not Tally's own figure. The `memory` command prints the figures.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::awfy::class_path;
use crate::report::{Row, Verdict};
use crate::root;

/// Headings of [`peaks`] and [`limits`].
pub const COLUMNS: &[&str] = &["peak MB", "limit MB"];
/// Headings of [`full_collections`].
pub const FULL_COLUMNS: &[&str] = &["allocated MiB", "full", "limit"];
/// Headings of [`pauses`].
pub const PAUSE_COLUMNS: &[&str] = &["median ms", "limit ms", "longest ms", "limit ms"];

/// The option with which a command that calls [`peaks`] has to call [`report_peak`] instead.
pub const PEAK_OPTION: &str = "--peak-of";

/// By how much a process may exceed its limit.
const TOLERANCE: f64 = 1.1;
/// Limits that are tried, in MB.
const LIMITS: &[u32] = &[64, 200];
/// What `tally` answers when a limit was hit.
const LIMIT_EXIT: i32 = 6;
/// MiB of large objects for which there may be one full collection.
const MEBIBYTES_A_COLLECTION: f64 = 64.0;

/// A program, its arguments, and the megabytes that it may take.
struct Peak {
    name: &'static str,
    file: &'static str,
    arguments: &'static [&'static str],
    limit: f64,
}

const PEAKS: &[Peak] = &[
    Peak {
        name: "a graph of 10⁶ objects",
        file: "graph.st",
        arguments: &["100000"],
        limit: 150.0,
    },
    Peak {
        name: "trees built again and again",
        file: "trees.st",
        arguments: &["300"],
        limit: 12.0,
    },
    Peak {
        name: "100,000 suspended processes",
        file: "processes.st",
        arguments: &["100000", "0"],
        limit: 400.0,
    },
    Peak {
        name: "100,000 idle processors",
        file: "processors.st",
        arguments: &["100000", "idle"],
        limit: 40.0,
    },
    Peak {
        name: "… each with an open request",
        file: "processors.st",
        arguments: &["100000", "open"],
        limit: 400.0,
    },
];

/// Programs of "Are We Fast Yet?", with their arguments.
const SOM_PEAKS: &[Peak] = &[
    Peak {
        name: "Havlak",
        file: "Havlak",
        arguments: &["1", "1"],
        limit: 150.0,
    },
    Peak {
        name: "Storage",
        file: "Storage",
        arguments: &["10", "30"],
        limit: 12.0,
    },
];

/// Programs that fill whatever memory they get, each in its own way.
const GREEDY: &[(&str, &str)] = &[
    ("small objects", "small.st"),
    ("a chain of objects", "chain.st"),
    ("one growing string", "string.st"),
    ("deep recursion", "recursion.st"),
    ("many processes", "forks.st"),
    ("large integers", "integers.st"),
    ("a dictionary", "dictionary.st"),
    ("symbols", "symbols.st"),
];

/// A program with short collections of the nursery, and their limit in milliseconds.
struct Patient {
    name: &'static str,
    file: &'static str,
    arguments: &'static [&'static str],
    median: f64,
    longest: f64,
}

/// Programs whose stacks or large objects would be costly to look at again and again.
const PATIENT: &[Patient] = &[
    Patient {
        name: "recursion 100,000 deep",
        file: "deep.st",
        arguments: &["100000"],
        median: 1.0,
        longest: 2.0,
    },
    Patient {
        name: "10,000 suspended processes",
        file: "processes.st",
        arguments: &["10000", "3000000"],
        median: 1.0,
        longest: 2.0,
    },
    Patient {
        name: "10⁷ objects in one Array",
        file: "live.st",
        arguments: &["10000000", "3"],
        median: 1.0,
        longest: 5.0,
    },
];

/// Numbers and sizes of large Arrays that are made one after the other.
const LARGE: &[(&str, u32, u32)] = &[
    ("2,000 Arrays of 100,000 slots", 2000, 100_000),
    ("20,000 Arrays of 10,000 slots", 20_000, 10_000),
];

/// What one run came to.
struct Run {
    exit: i32,
    megabytes: f64,
    errors: String,
}

/// Runs a command by way of a process of its own, whose only child it is, because the system reports the peak of the
/// largest child only.
fn run(command: &Path, arguments: &[&str], folder: &Path) -> Result<Run, String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(here)
        .arg(PEAK_OPTION)
        .arg(command)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = told.split_whitespace();
    let (exit, bytes) = (words.next(), words.next());
    match (
        exit.and_then(|word| word.parse().ok()),
        bytes.and_then(|word| word.parse::<f64>().ok()),
    ) {
        (Some(exit), Some(bytes)) => Ok(Run {
            exit,
            megabytes: bytes / f64::from(1 << 20),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }),
        _ => Err("the peak of a process is not to be had here".to_string()),
    }
}

/// Runs a command line to its end and prints its exit code and the bytes that it took at most.
///
/// # Errors
/// A sentence, when it cannot be run or the system does not tell.
pub fn report_peak(mut line: impl Iterator<Item = String>) -> Result<String, String> {
    let program = line.next().ok_or("no command")?;
    let status = Command::new(program)
        .args(line)
        .stdout(Stdio::null())
        .status()
        .map_err(|error| error.to_string())?;
    Ok(format!("{} {}", status.code().unwrap_or(-1), peak_bytes()?))
}

#[cfg(unix)]
fn peak_bytes() -> Result<u64, String> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| error.to_string())?;
    // Apple's systems count bytes, the others kibibytes.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    u64::try_from(usage.max_rss() * unit).map_err(|error| error.to_string())
}

#[cfg(not(unix))]
fn peak_bytes() -> Result<u64, String> {
    Err("this system does not tell".to_string())
}

fn program(file: &str) -> String {
    format!("benches/programs/memory/{file}")
}

/// The peak memory of programs, those of "Are We Fast Yet?" included if there is a checkout of SOM.
pub fn peaks(tally: &Path, som: Option<&Path>) -> Vec<Row> {
    let own = PEAKS.iter().map(|peak| {
        let file = program(peak.file);
        let options = ["run", &file, "--"];
        let line = [&options, peak.arguments].concat();
        peak_row(peak, run(tally, &line, &root()))
    });
    let programs = SOM_PEAKS.iter().map(|peak| match som {
        None => {
            let why = "nothing says where SOM is (--som or TALLY_SOM)".to_string();
            Row::without_figures(peak.name, Verdict::Skipped(why))
        }
        Some(som) => {
            let path = class_path(som, false);
            let options = ["run", "-cp", &path, "Harness.som", peak.file];
            let line = [&options, peak.arguments].concat();
            peak_row(peak, run(tally, &line, &som.join("Examples/AreWeFastYet")))
        }
    });
    own.chain(programs).collect()
}

fn peak_row(peak: &Peak, measured: Result<Run, String>) -> Row {
    match measured {
        Ok(run) if run.exit == 0 => row(peak.name, run.megabytes, peak.limit, peak.limit),
        Ok(run) => Row::without_figures(peak.name, Verdict::Broken(run.errors)),
        Err(why) => Row::without_figures(peak.name, Verdict::Broken(why)),
    }
}

fn row(name: &str, megabytes: f64, shown: f64, limit: f64) -> Row {
    Row {
        name: name.to_string(),
        figures: vec![format!("{megabytes:.1}"), format!("{shown:.0}")],
        verdict: Verdict::of(megabytes, limit),
    }
}

/// What programs take that stop at a limit only.
pub fn limits(tally: &Path) -> Vec<Row> {
    let pairs = LIMITS
        .iter()
        .flat_map(|limit| GREEDY.iter().map(move |program| (*limit, *program)));
    pairs
        .map(|(limit, (name, file))| {
            let (file, size) = (program(file), format!("{limit}M"));
            let options = [
                "run",
                "--max-memory",
                &size,
                "--max-depth",
                "1000000000",
                &file,
            ];
            match run(tally, &options, &root()) {
                Ok(run) if run.exit == LIMIT_EXIT => {
                    let limit = f64::from(limit);
                    row(name, run.megabytes, limit, limit * TOLERANCE)
                }
                Ok(run) => {
                    let why = format!("exit code {}: {}", run.exit, run.errors);
                    Row::without_figures(name, Verdict::Broken(why))
                }
                Err(why) => Row::without_figures(name, Verdict::Broken(why)),
            }
        })
        .collect()
}

/// How long collections of the nursery take. Of several runs the one with the shortest longest pause
/// counts: another process that the system ran meanwhile lengthens a pause, nothing shortens it.
pub fn pauses(tally: &Path, rounds: u32) -> Vec<Row> {
    let measure = |patient: &Patient| {
        let file = program(patient.file);
        let options = ["run", "--gc-stats", &file, "--"];
        let line = [&options, patient.arguments].concat();
        let runs = (0..rounds.max(1)).map(|_| {
            let run = run(tally, &line, &root())?;
            nursery_pauses(&run.errors).ok_or(run.errors)
        });
        match runs.collect::<Result<Vec<_>, String>>() {
            Ok(all) => {
                let quietest = all.into_iter().min_by(|a, b| a.1.total_cmp(&b.1));
                let (median, longest) = quietest.unwrap_or((f64::NAN, f64::NAN));
                let shares = [median / patient.median, longest / patient.longest];
                Row {
                    name: patient.name.to_string(),
                    figures: [median, patient.median, longest, patient.longest]
                        .map(|milliseconds| format!("{milliseconds:.3}"))
                        .to_vec(),
                    verdict: Verdict::of(shares[0].max(shares[1]), 1.0),
                }
            }
            Err(why) => Row::without_figures(patient.name, Verdict::Broken(why)),
        }
    };
    PATIENT.iter().map(measure).collect()
}

/// How often programs collect everything that make large objects and soon drop them.
pub fn full_collections(tally: &Path) -> Vec<Row> {
    let measure = |&(name, count, slots): &(&str, u32, u32)| {
        let arguments = [count, slots].map(|number| number.to_string());
        let file = program("arrays.st");
        let [count_text, slots_text] = &arguments;
        let line = ["run", "--gc-stats", &file, "--", count_text, slots_text];
        let collections =
            run(tally, &line, &root()).and_then(|run| full_pauses(&run.errors).ok_or(run.errors));
        match collections {
            Ok(collections) => {
                let mebibytes = f64::from(count) * f64::from(slots) * 8.0 / f64::from(1 << 20);
                let limit = (mebibytes / MEBIBYTES_A_COLLECTION).floor();
                Row {
                    name: name.to_string(),
                    figures: [mebibytes, collections, limit]
                        .map(|number| format!("{number:.0}"))
                        .to_vec(),
                    verdict: Verdict::of(collections, limit),
                }
            }
            Err(why) => Row::without_figures(name, Verdict::Broken(why)),
        }
    };
    LARGE.iter().map(measure).collect()
}

/// The number of full collections in the report of `--gc-stats`.
fn full_pauses(report: &str) -> Option<f64> {
    let line = report
        .lines()
        .find_map(|line| line.trim_start().strip_prefix("full"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Median and longest pause, in milliseconds, in the report of `--gc-stats`.
fn nursery_pauses(report: &str) -> Option<(f64, f64)> {
    let line = report
        .lines()
        .find(|line| line.trim_start().starts_with("nursery"))?;
    let after = |word: &str| {
        let (_, rest) = line.split_once(word)?;
        rest.split_whitespace().next()?.parse().ok()
    };
    Some((after("median ")?, after("longest ")?))
}

#[cfg(test)]
mod tests {
    use super::{full_pauses, nursery_pauses};

    #[test]
    fn pauses_are_found_in_the_report() {
        let report = "garbage collection\n  nursery    116 pauses, median 0.001 ms, longest 1.515 ms, total 3.574 ms\n";
        assert_eq!(nursery_pauses(report), Some((0.001, 1.515)));
        assert_eq!(full_pauses("  full   12 pauses, median 1 ms"), Some(12.0));
        assert_eq!(nursery_pauses("error: no such file"), None);
    }
}
