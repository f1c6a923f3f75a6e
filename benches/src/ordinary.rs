//! The speed of Tally for ordinary programs, the programs of `ordinary`, beside Lua, Python and Node: the table of the
//! programs, and the table of claims about a part of one program. `contest` times the runs.

use std::path::{Path, PathBuf};
use std::process;
use std::time::Duration;

use crate::contest::{Contest, Entrant, Limit};
use crate::measure::{Command, is_installed};
use crate::report::{Row, Verdict};
use crate::root;
use crate::statistics::geometric_mean;

/// Headings of the figures in the rows.
pub const COLUMNS: &[&str] = &["tally ms", "peer ms", "ratio", "range", "limit"];

/// Headings of the figures in the rows of claims.
pub const CLAIM_COLUMNS: &[&str] = &["ms", "beside ms", "ratio", "range", "limit"];

/// The most that an ordinary program may take, as a multiple of any peer's time.
const PROGRAM: f64 = 2.0;
/// The most for programs that are little but hashed collections, beside Python.
const HASHED: f64 = 3.0;
/// The most for large integers, regular expressions, keys that are strings, and streams of characters, beside Python.
const LIBRARY: f64 = 1.3;
/// The most that the geometric mean over the programs may be, beside Lua.
const MEAN: f64 = 0.7;

/// Who runs a side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// The `tally` command.
    Tally,
    /// Lua 5.4.
    Lua,
    /// CPython.
    Python,
    /// Node.
    Node,
}

impl Runtime {
    /// Those beside which Tally is measured.
    pub const PEERS: [Runtime; 3] = [Runtime::Lua, Runtime::Python, Runtime::Node];

    /// Its name in a row.
    fn name(self) -> &'static str {
        match self {
            Runtime::Tally => "tally",
            Runtime::Lua => "lua",
            Runtime::Python => "python",
            Runtime::Node => "node",
        }
    }

    /// The command that must be installed.
    fn command(self) -> &'static str {
        match self {
            Runtime::Tally => "tally",
            Runtime::Lua => "lua5.4",
            Runtime::Python => "python3",
            Runtime::Node => "node",
        }
    }

    /// How the names of its programs end.
    pub fn extension(self) -> &'static str {
        match self {
            Runtime::Tally => "st",
            Runtime::Lua => "lua",
            Runtime::Python => "py",
            Runtime::Node => "js",
        }
    }

    /// The program to start, if it is installed.
    pub fn find(self) -> Option<PathBuf> {
        match self {
            Runtime::Tally => None,
            Runtime::Lua => is_installed("lua5.4", "-v").then(|| "lua5.4".into()),
            Runtime::Python => find_python(),
            Runtime::Node => is_installed("node", "--version").then(|| "node".into()),
        }
    }

    /// The command line that runs a file with this runtime, whose program is given.
    pub fn run(self, program: &Path, file: &str, arguments: &str) -> Command {
        let options: &[&str] = match self {
            Runtime::Tally => &["run"],
            // Packages of the site are no part of Python, and make its start slower on some machines.
            Runtime::Python => &["-S"],
            Runtime::Lua | Runtime::Node => &[],
        };
        let separator = (self == Runtime::Tally).then_some("--");
        Command::new(program, &root())
            .with(options)
            .with([format!("benches/ordinary/{file}.{}", self.extension())])
            .with(separator)
            .with(arguments.split_whitespace())
    }
}

/// The interpreter itself: `python3` may be a script that looks for one, and takes longer than many a program.
fn find_python() -> Option<PathBuf> {
    let mut process = process::Command::new("python3");
    process.args(["-S", "-c", "import sys; print(sys.executable)"]);
    let output = process.output().ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    (output.status.success() && !path.trim().is_empty()).then(|| path.trim().into())
}

/// What a program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Who makes Tally faster may look at it.
    Tuned,
    /// Kept for judgement: Tally is not changed for its sake.
    Aside,
}

/// A program that exists in Tally and in the languages of some peers.
#[derive(Debug)]
pub struct Ordinary {
    /// The file in `ordinary`, without its end.
    pub name: &'static str,
    /// The group of programs to which it belongs.
    pub group: Group,
    /// The arguments when it is timed. A well-behaved peer is busy for some tenths of a second.
    pub arguments: &'static str,
    /// The arguments when only its output matters.
    pub small: &'static str,
    /// The peers, and the limit for the ratio of Tally's time to the peer's.
    pub peers: &'static [(Runtime, f64)],
}

const fn tuned(
    name: &'static str,
    arguments: &'static str,
    small: &'static str,
    peers: &'static [(Runtime, f64)],
) -> Ordinary {
    Ordinary {
        name,
        group: Group::Tuned,
        arguments,
        small,
        peers,
    }
}

const fn aside(
    name: &'static str,
    arguments: &'static str,
    small: &'static str,
    peers: &'static [(Runtime, f64)],
) -> Ordinary {
    Ordinary {
        name,
        group: Group::Aside,
        arguments,
        small,
        peers,
    }
}

const LUA: &[(Runtime, f64)] = &[(Runtime::Lua, PROGRAM)];
const BOTH: &[(Runtime, f64)] = &[(Runtime::Lua, PROGRAM), (Runtime::Python, PROGRAM)];
const PYTHON: &[(Runtime, f64)] = &[(Runtime::Python, PROGRAM)];
const PYTHON_HASHED: &[(Runtime, f64)] = &[(Runtime::Python, HASHED)];
const BOTH_HASHED: &[(Runtime, f64)] = &[(Runtime::Lua, PROGRAM), (Runtime::Python, HASHED)];
const PYTHON_LIBRARY: &[(Runtime, f64)] = &[(Runtime::Python, LIBRARY)];
const BOTH_LIBRARY: &[(Runtime, f64)] = &[(Runtime::Lua, PROGRAM), (Runtime::Python, LIBRARY)];

/// All programs: those that show what was slow once, then ordinary work.
#[rustfmt::skip]
pub const PROGRAMS: &[Ordinary] = &[
    tuned("grid_set", "500", "12", PYTHON_HASHED),
    tuned("pair_set", "450", "12", PYTHON_HASHED),
    tuned("flood_fill", "300", "20", BOTH_HASHED),
    tuned("mixed_keys", "150000", "100", BOTH_HASHED),
    tuned("half_keys", "300000", "100", BOTH_HASHED),
    tuned("fraction_set", "250", "10", PYTHON_HASHED),
    tuned("association_set", "450", "12", PYTHON_HASHED),
    tuned("absent_integers", "600000", "100", BOTH_HASHED),
    tuned("live_heap", "300000 1 300000", "1000 1 500", &[(Runtime::Lua, PROGRAM), (Runtime::Node, PROGRAM)]),
    tuned("switches", "1000 300000", "50 100", LUA),
    tuned("fibonacci", "10000 100", "300 2", PYTHON_LIBRARY),
    tuned("pi_digits", "1500", "50", PYTHON_LIBRARY),
    tuned("factorials", "2000 50", "50 2", PYTHON_LIBRARY),
    tuned("regex_long", "50000", "50", PYTHON_LIBRARY),
    tuned("string_dictionary", "100000", "100", BOTH_LIBRARY),
    tuned("json_read", "8000 1", "20 2", BOTH),
    tuned("json_write", "10000 1", "20 2", BOTH),
    tuned("character_streams", "10000", "10", BOTH_LIBRARY),
    tuned("queens_booleans", "11", "6", BOTH),
    tuned("large_objects", "800 100000", "6 1000", PYTHON),
    tuned("redefinition", "with 30", "with 5", LUA),

    tuned("anagrams", "80000", "100", BOTH),
    aside("binary_tree", "50000", "100", LUA),
    tuned("bit_sets", "200000 12", "100 2", LUA),
    aside("collatz", "200000", "200", BOTH),
    tuned("csv_table", "30000", "20", BOTH),
    aside("dates", "100000", "100", PYTHON),
    tuned("determinant", "40", "5", PYTHON),
    aside("event_queue", "30000", "50", BOTH),
    aside("exceptions", "80000", "100", LUA),
    aside("generators", "150 200", "20 2", BOTH),
    tuned("huffman", "300000", "200", LUA),
    aside("inverted_index", "5000", "20", LUA),
    tuned("knapsack", "200 20000", "10 50", LUA),
    aside("levenshtein", "1200", "20", LUA),
    tuned("life_points", "300", "8", BOTH),
    aside("log_lines", "60000", "30", BOTH_LIBRARY),
    tuned("lru_cache", "1000 300000", "50 500", BOTH),
    aside("matrices", "180", "6", LUA),
    aside("memo_pairs", "900", "15", BOTH),
    aside("modular_power", "512 3", "40 2", PYTHON_LIBRARY),
    tuned("nbody", "60000", "20", LUA),
    aside("prime_sieve", "3000000", "200", LUA),
    tuned("run_length", "1000000", "300", LUA),
    aside("shapes", "10000 30", "20 2", LUA),
    tuned("shortest_path", "250", "8", BOTH),
    aside("sort_records", "40000", "50", BOTH),
    tuned("stack_machine", "80000", "20", LUA),
    aside("string_building", "60000", "20", BOTH),
    tuned("text_wrap", "5000", "3", LUA),
    aside("tokenizer", "10000", "10", LUA),
    tuned("topological_sort", "25000", "50", BOTH),
    aside("trie", "50000", "50", LUA),
    tuned("union_find", "200000", "100", LUA),
    aside("word_frequency", "30000", "20", BOTH),
];

/// A part of a program's run: what a run takes more than a shorter one, or all of it.
#[derive(Clone, Copy, Debug)]
struct Phase {
    runtime: Runtime,
    program: &'static str,
    arguments: &'static str,
    /// Of the run that is subtracted.
    less: Option<&'static str>,
}

/// Two phases, and how many times the second one's time the first may take.
#[derive(Debug)]
struct Claim {
    name: &'static str,
    above: Phase,
    below: Phase,
    /// `None`: the figure is only printed.
    limit: Option<f64>,
    /// Whether both print the same.
    same_output: bool,
}

const fn phase(
    runtime: Runtime,
    program: &'static str,
    arguments: &'static str,
    less: &'static str,
) -> Phase {
    Phase {
        runtime,
        program,
        arguments,
        less: Some(less),
    }
}

const fn whole(runtime: Runtime, program: &'static str, arguments: &'static str) -> Phase {
    Phase {
        runtime,
        program,
        arguments,
        less: None,
    }
}

/// The same phase beside a peer's.
const fn beside_peer(name: &'static str, tally: Phase, peer: Runtime, limit: Option<f64>) -> Claim {
    Claim {
        name,
        above: tally,
        below: Phase {
            runtime: peer,
            ..tally
        },
        limit,
        same_output: true,
    }
}

/// Two phases of Tally's own.
const fn between(name: &'static str, above: Phase, below: Phase, limit: f64, same: bool) -> Claim {
    Claim {
        name,
        above,
        below,
        limit: Some(limit),
        same_output: same,
    }
}

/// Of a JSON text of five megabytes.
const JSON_READ: Phase = phase(Runtime::Tally, "json_read", "26000 1", "26000 0");
const JSON_WRITTEN: Phase = phase(Runtime::Tally, "json_write", "26000 1", "26000 0");
const HEAP_FILLED: Phase = whole(Runtime::Tally, "live_heap", "10000000 0 10000000");
const HEAP_STORED: Phase = phase(
    Runtime::Tally,
    "live_heap",
    "10000000 3 10000000",
    "10000000 0 10000000",
);

/// The claims about parts of programs.
const CLAIMS: &[Claim] = &[
    beside_peer("5 MB of JSON read, lua", JSON_READ, Runtime::Lua, Some(1.0)),
    beside_peer(
        "5 MB of JSON read, pure python",
        JSON_READ,
        Runtime::Python,
        Some(0.8),
    ),
    beside_peer(
        "5 MB of JSON written, lua",
        JSON_WRITTEN,
        Runtime::Lua,
        Some(1.0),
    ),
    between(
        "switches, depth 10000 beside depth 1",
        phase(Runtime::Tally, "switches", "10000 200000", "10000 0"),
        phase(Runtime::Tally, "switches", "1 200000", "1 0"),
        1.2,
        true,
    ),
    between(
        "10⁷ live objects, stores, large beside small array",
        HEAP_STORED,
        phase(
            Runtime::Tally,
            "live_heap",
            "10000000 3 1000",
            "10000000 0 1000",
        ),
        1.3,
        false,
    ),
    beside_peer(
        "10⁷ live objects, filling, node",
        HEAP_FILLED,
        Runtime::Node,
        Some(1.5),
    ),
    beside_peer(
        "10⁷ live objects, whole, node",
        whole(Runtime::Tally, "live_heap", "10000000 3 10000000"),
        Runtime::Node,
        None,
    ),
    between(
        "redefinition, short-cut beside other method",
        whole(Runtime::Tally, "redefinition", "with 34"),
        whole(Runtime::Tally, "redefinition", "without 34"),
        1.1,
        true,
    ),
];

/// Measures programs, and claims about parts of them, with a `tally` command.
#[derive(Debug)]
pub struct Measuring<'a> {
    tally: &'a Path,
    rounds: u32,
    patience: Duration,
    only: &'a [String],
    peers: Vec<(Runtime, PathBuf)>,
}

impl<'a> Measuring<'a> {
    /// With this command, that often, the named programs only; all, if none is named. A run that lasts longer than
    /// `patience` is given up.
    ///
    /// # Errors
    /// A sentence, if there is no program of a name.
    pub fn new(
        tally: &'a Path,
        rounds: u32,
        patience: Duration,
        only: &'a [String],
    ) -> Result<Measuring<'a>, String> {
        let is_known = |name: &&String| PROGRAMS.iter().any(|program| program.name == *name);
        if let Some(name) = only.iter().find(|name| !is_known(name)) {
            return Err(format!("there is no ordinary program {name}"));
        }
        let found = Runtime::PEERS.into_iter();
        let found = found.filter_map(|peer| Some((peer, peer.find()?)));
        Ok(Measuring {
            tally,
            rounds,
            patience,
            only,
            peers: found.collect(),
        })
    }

    /// A row for each program and peer, and the geometric means of the ratios.
    pub fn programs(&self) -> Vec<Row> {
        let wanted = PROGRAMS
            .iter()
            .filter(|program| self.is_wanted(program.name));
        let mut rows = Vec::new();
        let mut ratios: Vec<Ratio> = Vec::new();
        for program in wanted {
            let mut contest = self.contest(program);
            contest.run(self.rounds);
            for (number, &(peer, limit)) in program.peers.iter().enumerate() {
                let name = match program.group {
                    Group::Tuned => format!("{}, {}", program.name, peer.name()),
                    Group::Aside => format!("{}, {} (aside)", program.name, peer.name()),
                };
                rows.push(contest.row(&name, number + 1, Limit::Most(limit)));
                if self.peers.iter().any(|(found, _)| *found == peer) {
                    ratios.push(Ratio {
                        peer,
                        group: program.group,
                        figure: contest.ratio(number + 1),
                    });
                }
            }
        }
        rows.extend(means(&ratios));
        rows
    }

    /// A row for each claim.
    pub fn claims(&self) -> Vec<Row> {
        let wanted = CLAIMS
            .iter()
            .filter(|claim| self.is_wanted(claim.above.program));
        wanted
            .map(|claim| {
                let entrants = [claim.above, claim.below].map(|phase| self.entrant(phase));
                let mut contest = Contest::new(entrants.into(), claim.same_output);
                contest.run(self.rounds);
                let limit = claim.limit.map_or(Limit::None, Limit::Most);
                contest.row(claim.name, 1, limit)
            })
            .collect()
    }

    fn is_wanted(&self, program: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == program)
    }

    fn contest(&self, program: &Ordinary) -> Contest {
        let runtimes = program.peers.iter().map(|(peer, _)| *peer);
        let runtimes = std::iter::once(Runtime::Tally).chain(runtimes);
        let entrant = |runtime| self.entrant(whole(runtime, program.name, program.arguments));
        Contest::new(runtimes.map(entrant).collect(), true)
    }

    fn entrant(&self, phase: Phase) -> Entrant {
        let found = match phase.runtime {
            Runtime::Tally => Some(self.tally),
            peer => {
                let found = self.peers.iter().find(|(found, _)| *found == peer);
                found.map(|(_, path)| path.as_path())
            }
        };
        let Some(found) = found else {
            let why = format!("{} is not installed", phase.runtime.command());
            return Entrant::missing(why);
        };
        let command = |arguments| phase.runtime.run(found, phase.program, arguments);
        Entrant::new(
            command(phase.arguments),
            phase.less.map(command),
            self.patience,
        )
    }
}

/// The result of a program beside a peer.
struct Ratio {
    peer: Runtime,
    group: Group,
    /// `None` if it could not be measured.
    figure: Option<f64>,
}

/// The means of each group, and of all programs, beside Lua; the limit is on these. Means beside Python are only printed.
fn means(ratios: &[Ratio]) -> Vec<Row> {
    let groups = [
        ("tuned", Some(Group::Tuned)),
        ("aside", Some(Group::Aside)),
        ("all", None),
    ];
    let peers = [
        (Runtime::Lua, Limit::Most(MEAN)),
        (Runtime::Python, Limit::None),
    ];
    let kinds = peers
        .into_iter()
        .flat_map(|peer| groups.map(|group| (peer, group)));
    kinds
        .filter_map(|((peer, limit), (name, group))| {
            let chosen = ratios.iter().filter(|ratio| {
                ratio.peer == peer && group.is_none_or(|group| ratio.group == group)
            });
            let figures: Vec<Option<f64>> = chosen.map(|ratio| ratio.figure).collect();
            let name = format!("geometric mean, {}, {name}", peer.name());
            (!figures.is_empty()).then(|| mean(name, &figures, limit))
        })
        .collect()
}

/// A mean that leaves programs out does not meet a limit, whatever it is.
fn mean(name: String, figures: &[Option<f64>], limit: Limit) -> Row {
    let known: Vec<f64> = figures.iter().flatten().copied().collect();
    let left_out = figures.len() - known.len();
    let mean = geometric_mean(&known);
    let ratio = format!("{mean:.2}");
    let (limit_text, verdict) = match limit {
        Limit::Most(limit) if left_out > 0 => {
            let why = format!("{left_out} of {} have no figure", figures.len());
            (format!("{limit:.2}"), Verdict::Broken(why))
        }
        Limit::Most(limit) => (format!("{limit:.2}"), Verdict::of(mean, limit)),
        Limit::None => (String::new(), Verdict::None),
    };
    Row {
        name,
        figures: vec![
            String::new(),
            String::new(),
            ratio,
            String::new(),
            limit_text,
        ],
        verdict,
    }
}

#[cfg(test)]
mod tests {
    use super::{CLAIMS, Group, Limit, PROGRAMS, Runtime, mean};
    use crate::report::Verdict;
    use crate::root;

    #[test]
    fn every_program_and_every_twin_exists() {
        let exists = |name: &str, runtime: Runtime| {
            let file = format!("benches/ordinary/{name}.{}", runtime.extension());
            assert!(root().join(&file).is_file(), "there is no {file}");
        };
        for program in PROGRAMS {
            exists(program.name, Runtime::Tally);
            assert!(!program.peers.is_empty(), "{} has no twin", program.name);
            for (peer, _) in program.peers {
                exists(program.name, *peer);
            }
        }
        for phase in CLAIMS.iter().flat_map(|claim| [claim.above, claim.below]) {
            exists(phase.program, phase.runtime);
        }
    }

    #[test]
    fn a_third_of_the_programs_is_kept_aside() {
        let aside = PROGRAMS
            .iter()
            .filter(|program| program.group == Group::Aside);
        assert!(aside.count() * 3 >= PROGRAMS.len());
    }

    #[test]
    fn the_programs_kept_aside_are_told() -> std::io::Result<()> {
        let text = std::fs::read_to_string(root().join("docs/PERFORMANCE.md"))?;
        let aside = PROGRAMS
            .iter()
            .filter(|program| program.group == Group::Aside);
        for name in aside.map(|program| program.name) {
            assert!(
                text.contains(name),
                "docs/PERFORMANCE.md does not say that {name} is kept aside"
            );
        }
        Ok(())
    }

    #[test]
    fn a_mean_without_some_program_meets_no_limit() {
        let limit = || Limit::Most(0.7);
        let met = mean("all".to_string(), &[Some(0.2), Some(0.3)], limit());
        assert_eq!(met.verdict, Verdict::Pass);
        let partial = mean("all".to_string(), &[Some(0.2), None], limit());
        assert!(matches!(partial.verdict, Verdict::Broken(_)));
    }
}
