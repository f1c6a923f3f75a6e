//! The search of `tally explore` beside SPIN on the same programs: rates, memory and threads. Each search is a process of its own, so
//! that processor time and peaks of memory are those of one search. The `explore` command prints the figures.

mod programs;
mod spin;

use std::time::Instant;

use tally_explore::{Delivery, Options, Space};

use crate::measure::{Command, median};
use crate::report::{Row, Verdict};
use crate::root;
use programs::Actors;
use spin::{Search, Searcher};

/// The option with which a command that calls [`beside_spin`] has to call [`search`] instead. The name of a program follows, then the
/// number of threads.
pub const SEARCH_OPTION: &str = "--search";

/// Headings of the rates. Transitions are in millions, and ratios are those of Tally to SPIN: of rates, and of bytes.
pub const RATE_COLUMNS: &[&str] = &[
    "states",
    "transitions",
    "states/s",
    "spin",
    "M transitions/s",
    "spin",
    "ratio",
    "limit",
];
/// Headings of the memory. SPIN's option `-DHC4` keeps four bytes of each state's hash, and not the state.
pub const MEMORY_COLUMNS: &[&str] = &[
    "bytes/state",
    "spin",
    "ratio",
    "limit",
    "spin -DHC4",
    "ratio",
    "peak MB",
    "spin",
];
/// Headings of [`peaks`].
pub const PEAK_COLUMNS: &[&str] = &["states", "bytes/state", "peak MB", "limit MB"];
/// Headings of [`threads`].
pub const THREAD_COLUMNS: &[&str] = &["threads", "1 thread s", "seconds", "ratio", "limit"];

/// The least ratio of rates.
const RATE: f64 = 1.0;
/// The largest ratio of bytes.
const BYTES: f64 = 1.5;
/// Megabytes for ten million states.
const TEN_MILLION: f64 = 400.0;
/// The threads of the target, and how much faster than one they have to be.
const THREADS: usize = 4;
const SPEED_UP: f64 = 2.5;

/// A program to search.
struct Searched {
    name: &'static str,
    actors: fn() -> Actors,
    delivery: Delivery,
    /// Bytes up to which whole states and transitions are kept.
    max_graph: usize,
}

impl Searched {
    /// A program whose states are kept as fingerprints alone.
    const fn new(name: &'static str, actors: fn() -> Actors, delivery: Delivery) -> Searched {
        Searched {
            name,
            actors,
            delivery,
            max_graph: 0,
        }
    }
}

/// A program with its twin.
struct Twin {
    searched: Searched,
    /// The file in `benches/twins`, and its sizes.
    file: &'static str,
    sizes: &'static [&'static str],
    /// The longest path of SPIN's search, which is depth first.
    depth: &'static str,
}

const TWINS: &[Twin] = &[
    Twin {
        searched: Searched::new(
            "13 receivers of 2",
            || programs::receivers(13, 2, Delivery::Fifo),
            Delivery::Fifo,
        ),
        file: "receivers",
        sizes: &["-DRECEIVERS=13", "-DMESSAGES=2"],
        depth: "-m10000",
    },
    Twin {
        searched: Searched::new(
            "13 receivers of 2, any order",
            || programs::receivers(13, 2, Delivery::Any),
            Delivery::Any,
        ),
        file: "receivers",
        sizes: &["-DRECEIVERS=13", "-DMESSAGES=2"],
        depth: "-m10000",
    },
    Twin {
        searched: Searched::new("election of 7", || programs::election(7), Delivery::Fifo),
        file: "election",
        sizes: &["-DMEMBERS=7"],
        depth: "-m10000",
    },
    Twin {
        searched: Searched::new("table of 6", || programs::table(6), Delivery::Fifo),
        file: "table",
        sizes: &["-DSEATS=6"],
        depth: "-m2000000",
    },
];

/// Searches of nearly ten million states.
const LARGE: &[Searched] = &[
    Searched::new(
        "10 receivers of 4",
        || programs::receivers(10, 4, Delivery::Fifo),
        Delivery::Fifo,
    ),
    Searched::new(
        "10 receivers of 4, any order",
        || programs::receivers(10, 4, Delivery::Any),
        Delivery::Any,
    ),
];

/// A search that keeps whole states and transitions, as `tally explore` does up to a limit.
const KEPT: &[Searched] = &[Searched {
    name: "13 receivers of 2, any order, states kept",
    actors: || programs::receivers(13, 2, Delivery::Any),
    delivery: Delivery::Any,
    max_graph: usize::MAX,
}];

/// Searches the states of a program and prints their number, the transitions, the bytes of all states and the peak of the process. The
/// arguments are those after [`SEARCH_OPTION`].
///
/// # Errors
///
/// A sentence, if there is no such program.
pub fn search(mut line: impl Iterator<Item = String>) -> Result<String, String> {
    let name = line.next().unwrap_or_default();
    let threads = line.next().and_then(|threads| threads.parse().ok());
    let mut all = TWINS
        .iter()
        .map(|twin| &twin.searched)
        .chain(LARGE)
        .chain(KEPT);
    let searched = all.find(|searched| searched.name == name);
    let searched = searched.ok_or_else(|| format!("there is no program {name}"))?;
    let mut program = (searched.actors)();
    let options = Options {
        delivery: searched.delivery,
        max_graph: searched.max_graph,
        threads: threads.unwrap_or(1),
        ..Options::default()
    };
    let start = program.start();
    let space = match Space::explore(&mut program, &start, &options, &mut |_| true) {
        Ok(space) => space,
        Err(never) => match never {},
    };
    let (states, transitions) = (space.states(), space.transitions());
    Ok(format!(
        "{states} {transitions} {} {}",
        space.bytes(),
        peak().unwrap_or(f64::NAN)
    ))
}

/// The peak of this process in bytes, where the system has it in a file.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes = line.trim().strip_suffix("kB")?.trim();
    kibibytes
        .parse()
        .ok()
        .map(|kibibytes: f64| kibibytes * 1024.0)
}

/// Runs a search in a process of its own. Answers processor seconds and what was found.
fn own(searched: &Searched, threads: usize) -> Result<(f64, Search), String> {
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let command = Command::new(&here, &root()).with([SEARCH_OPTION, searched.name]);
    let (seconds, text) = command.with([threads.to_string()]).timed_output()?;
    let figures: Option<Vec<f64>> = text
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    match figures.as_deref() {
        Some(&[states, transitions, bytes, peak]) => {
            let search = Search {
                states,
                transitions,
                bytes,
                peak,
            };
            Ok((seconds, search))
        }
        _ => Err(format!("a search printed: {text}")),
    }
}

/// A twin's measurements.
struct Pair {
    tally: (f64, Search),
    spin: (f64, Search),
    /// SPIN's search with `-DHC4`. It may miss states.
    compact: Search,
}

/// Rates and memory of all programs beside SPIN, by medians of some rounds.
pub fn beside_spin(rounds: u32) -> (Vec<Row>, Vec<Row>) {
    let missing = spin::missing();
    let measured = TWINS.iter().map(|twin| {
        let pair = match &missing {
            None => pair(twin, rounds.max(1)),
            Some(_) => own(&twin.searched, 1).map(|tally| Pair {
                tally,
                spin: (f64::NAN, NOTHING),
                compact: NOTHING,
            }),
        };
        match pair {
            Ok(pair) => {
                let [mut rate, mut memory] = rows(twin, &pair);
                if let Some(why) = &missing {
                    for row in [&mut rate, &mut memory] {
                        row.verdict = Verdict::Skipped(why.clone());
                        let unknown = row.figures.iter_mut().filter(|text| *text == "NaN");
                        unknown.for_each(|text| *text = "–".to_string());
                    }
                }
                (rate, memory)
            }
            Err(why) => {
                let row = Row::without_figures(twin.searched.name, Verdict::Broken(why));
                (row.clone(), row)
            }
        }
    });
    measured.unzip()
}

const NOTHING: Search = Search {
    states: f64::NAN,
    transitions: f64::NAN,
    bytes: f64::NAN,
    peak: f64::NAN,
};

/// Both sides of a twin, in turns.
fn pair(twin: &Twin, rounds: u32) -> Result<Pair, String> {
    let searcher = Searcher::new(twin.file, twin.sizes, &[])?;
    let hashes = Searcher::new(twin.file, twin.sizes, &["-DHC4"])?;
    let (mut tally, mut spin) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        tally.push(own(&twin.searched, 1)?);
        spin.push(searcher.run(twin.depth)?);
    }
    let middle = |runs: &[(f64, Search)]| {
        let seconds: Vec<f64> = runs.iter().map(|run| run.0).collect();
        (median(&seconds), runs[0].1)
    };
    let (tally, spin) = (middle(&tally), middle(&spin));
    // A state before the start has sent the messages, with a transition for that and for the end of `init`.
    let (states, transitions) = (tally.1.states + 1.0, tally.1.transitions + 2.0);
    if (states, transitions) != (spin.1.states, spin.1.transitions) {
        return Err(format!("the programs differ: {:?}, {:?}", tally.1, spin.1));
    }
    let compact = hashes.run(twin.depth)?.1;
    Ok(Pair {
        tally,
        spin,
        compact,
    })
}

fn rows(twin: &Twin, pair: &Pair) -> [Row; 2] {
    let ((seconds, tally), (spin_seconds, spin)) = (pair.tally, pair.spin);
    let ratio = spin_seconds / seconds;
    let millions = |transitions: f64, seconds: f64| format!("{:.2}", transitions / seconds / 1e6);
    let rate = Row {
        name: twin.searched.name.to_string(),
        figures: vec![
            format!("{}", tally.states),
            format!("{}", tally.transitions),
            format!("{:.0}", tally.states / seconds),
            format!("{:.0}", spin.states / spin_seconds),
            millions(tally.transitions, seconds),
            millions(spin.transitions, spin_seconds),
            format!("{ratio:.2}"),
            format!("{RATE:.1}"),
        ],
        verdict: Verdict::of(RATE, ratio),
    };
    let of_state = |search: Search| search.bytes / search.states;
    let ratio = of_state(tally) / of_state(spin);
    let megabytes = |bytes: f64| format!("{:.0}", bytes / 1e6);
    let memory = Row {
        name: twin.searched.name.to_string(),
        figures: vec![
            format!("{:.1}", of_state(tally)),
            format!("{:.1}", of_state(spin)),
            format!("{ratio:.2}"),
            format!("{BYTES:.1}"),
            format!("{:.1}", of_state(pair.compact)),
            format!("{:.2}", of_state(tally) / of_state(pair.compact)),
            megabytes(tally.peak),
            megabytes(spin.peak),
        ],
        verdict: Verdict::of(ratio, BYTES),
    };
    [rate, memory]
}

/// The memory for nearly ten million states, and for fewer ones that are kept whole, without a target.
pub fn peaks() -> Vec<Row> {
    let measure = |searched: &Searched| match own(searched, 1) {
        Ok((_, search)) => {
            let megabytes = search.peak / 1e6;
            Row {
                name: searched.name.to_string(),
                figures: vec![
                    format!("{}", search.states),
                    format!("{:.1}", search.bytes / search.states),
                    format!("{megabytes:.0}"),
                    format!("{TEN_MILLION:.0}"),
                ],
                verdict: match searched.max_graph {
                    0 => Verdict::of(megabytes, TEN_MILLION),
                    _ => Verdict::None,
                },
            }
        }
        Err(why) => Row::without_figures(searched.name, Verdict::Broken(why)),
    };
    LARGE.iter().chain(KEPT).map(measure).collect()
}

/// How much faster several threads are than one, by the clock on the wall. The fastest runs count, because other work on the machine
/// lengthens a run and nothing shortens it. The target is for four processors. With fewer there is no verdict. This process must not be
/// pinned to one processor.
pub fn threads(rounds: u32) -> Vec<Row> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let many = processors.min(THREADS);
    let on_the_wall = |twin: &Twin, threads: usize| {
        let begun = Instant::now();
        own(&twin.searched, threads).map(|_| begun.elapsed().as_secs_f64())
    };
    let measure = |twin: &Twin| {
        let rounds = 0..rounds.max(1);
        let pairs = rounds.map(|_| Ok((on_the_wall(twin, 1)?, on_the_wall(twin, many)?)));
        let pairs: Result<Vec<(f64, f64)>, String> = pairs.collect();
        match pairs {
            Ok(pairs) => {
                let (one, several): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
                let fastest = |all: &[f64]| all.iter().copied().fold(f64::INFINITY, f64::min);
                let (one, several) = (fastest(&one), fastest(&several));
                let ratio = one / several;
                let why = format!("{processors} processors, and the target is for {THREADS}");
                Row {
                    name: twin.searched.name.to_string(),
                    figures: vec![
                        format!("{many}"),
                        format!("{one:.2}"),
                        format!("{several:.2}"),
                        format!("{ratio:.2}"),
                        format!("{SPEED_UP:.1}"),
                    ],
                    verdict: match many < THREADS {
                        true => Verdict::Skipped(why),
                        false => Verdict::of(SPEED_UP, ratio),
                    },
                }
            }
            Err(why) => Row::without_figures(twin.searched.name, Verdict::Broken(why)),
        }
    };
    TWINS.iter().map(measure).collect()
}
