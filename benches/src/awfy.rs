//! The fourteen programs of "Are We Fast Yet?" on Tally and on its peers, side by side. The `awfy` command chooses the
//! figures and prints them. It also names the folders of the checkouts, because the programs are not part of this
//! repository.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::measure::{Command, is_installed, median};
use crate::report::{Row, Verdict};
use crate::statistics::geometric_mean;

/// The limits for the geometric means of Tally's times by those of SOM++: with Tally's library of SOM, and with the SOM
/// project's.
const MEANS: [(Peer, f64); 2] = [(Peer::Tally, 0.22), (Peer::TallySom, 0.25)];
/// No program may take more of SOM++'s time than this.
const PROGRAM_LIMIT: f64 = 0.8;
/// Programs that are held against lua5.4 too, and how much of its time they may take.
const LUA_PROGRAMS: &[&str] = &["Richards", "Json"];
const LUA_LIMIT: f64 = 0.6;

/// What a run says last when the results were right.
const END_OF_RUN: &str = "Total Runtime";

/// Folders of the SOM checkout that hold the programs. They stand before the core library on a class
/// path, since some bring classes of the same names.
const FOLDERS: &[&str] = &[
    "",
    "Core",
    "CD",
    "DeltaBlue",
    "Havlak",
    "Json",
    "NBody",
    "Richards",
];

/// One of the programs.
#[derive(Debug)]
pub struct Program {
    /// Its name on the command line.
    pub name: &'static str,
    /// The inner iterations, or the size, that make up one iteration.
    pub inner: u32,
    /// The outer iterations of a sample.
    pub outer: u32,
    /// The run whose time is taken off as start-up.
    pub start: Start,
}

/// A run of one outer iteration with as little work as possible.
#[derive(Debug)]
pub struct Start {
    name: &'static str,
    inner: u32,
    /// What part of an iteration of the program is done in it all the same.
    share: f64,
}

const fn short(name: &'static str, inner: u32) -> Program {
    let start = Start {
        name,
        inner: 1,
        share: 1.0 / inner as f64,
    };
    Program {
        name,
        inner,
        outer: 10,
        start,
    }
}

const fn long(name: &'static str, inner: u32, start: &'static str) -> Program {
    let start = Start {
        name: start,
        inner: 1,
        share: 0.0,
    };
    Program {
        name,
        inner,
        outer: 1,
        start,
    }
}

/// All programs, in the order of the usual table. Havlak does not come smaller than one iteration, so
/// that the start of another program stands in for its own. CD checks results for few sizes only, so
/// that its start is a whole iteration.
pub const PROGRAMS: &[Program] = &[
    short("Bounce", 50),
    short("List", 50),
    short("Permute", 30),
    short("Queens", 30),
    short("Sieve", 50),
    short("Storage", 30),
    short("Towers", 20),
    long("Mandelbrot", 500, "Mandelbrot"),
    long("NBody", 250_000, "NBody"),
    short("Richards", 2),
    short("DeltaBlue", 1200),
    short("Json", 5),
    long("Havlak", 1, "Sieve"),
    Program {
        name: "CD",
        inner: 10,
        outer: 10,
        start: Start {
            name: "CD",
            inner: 10,
            share: 1.0,
        },
    },
];

/// Where things are that this repository does not hold.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The `tally` command.
    pub tally: Option<PathBuf>,
    /// A checkout of the SOM project.
    pub som: Option<PathBuf>,
    /// The SOM++ command.
    pub sompp: Option<PathBuf>,
    /// A checkout of "Are We Fast Yet?", for the programs in Lua.
    pub awfy: Option<PathBuf>,
}

/// Something that runs the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Peer {
    /// Tally with its own core library.
    #[serde(rename = "tally")]
    Tally,
    /// Tally with the core library of the SOM project.
    #[serde(rename = "tally, SOM's library")]
    TallySom,
    /// SOM++, which everything is compared with.
    #[serde(rename = "SOM++")]
    Sompp,
    /// The reference interpreter of Lua 5.4.
    #[serde(rename = "lua5.4")]
    Lua,
    /// The interpreter of LuaJIT.
    #[serde(rename = "luajit -joff")]
    LuaJit,
}

impl Peer {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Peer::Tally => "tally",
            Peer::TallySom => "tally, SOM's library",
            Peer::Sompp => "SOM++",
            Peer::Lua => "lua5.4",
            Peer::LuaJit => "luajit -joff",
        }
    }

    /// The command without the arguments of the harness.
    fn command(self, places: &Places) -> Result<Command, String> {
        match self {
            Peer::Tally => tally_command(places, false),
            Peer::TallySom => tally_command(places, true),
            Peer::Sompp => {
                let program = given(places.sompp.as_ref(), "SOM++ (--sompp or TALLY_SOMPP)")?;
                let som = given(places.som.as_ref(), "SOM (--som or TALLY_SOM)")?;
                let path = class_path(som, true);
                Ok(Command::new(program, &programs_folder(som))
                    .with(["-H16MB", "-cp", &path])
                    .with([programs_folder(som).join("Harness.som")]))
            }
            Peer::Lua => lua_command("lua5.4", &[], places),
            Peer::LuaJit => lua_command("luajit", &["-joff"], places),
        }
    }
}

fn given<'a>(path: Option<&'a PathBuf>, what: &str) -> Result<&'a Path, String> {
    let path = path.ok_or_else(|| format!("nothing says where {what} is"))?;
    if path.exists() {
        Ok(path)
    } else {
        Err(format!("there is no {}", path.display()))
    }
}

fn programs_folder(som: &Path) -> PathBuf {
    som.join("Examples").join("AreWeFastYet")
}

/// The class path of the programs, with SOM's own core library or without.
pub fn class_path(som: &Path, with_library: bool) -> String {
    let folder = programs_folder(som);
    let mut folders: Vec<PathBuf> = FOLDERS.iter().map(|name| folder.join(name)).collect();
    if with_library {
        folders.push(som.join("Smalltalk"));
    }
    let texts: Vec<String> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    texts.join(":")
}

fn tally_command(places: &Places, with_library: bool) -> Result<Command, String> {
    let tally = given(places.tally.as_ref(), "tally (--tally)")?;
    let som = given(places.som.as_ref(), "SOM (--som or TALLY_SOM)")?;
    let path = class_path(som, with_library);
    Ok(Command::new(tally, &programs_folder(som))
        .with(["run", "-cp", &path])
        .with([programs_folder(som).join("Harness.som")]))
}

fn lua_command(program: &str, options: &[&str], places: &Places) -> Result<Command, String> {
    let awfy = given(places.awfy.as_ref(), "AWFY (--awfy or TALLY_AWFY)")?;
    if !is_installed(program, "-v") {
        return Err(format!("{program} is not installed"));
    }
    let folder = awfy.join("benchmarks").join("Lua");
    Ok(Command::new(Path::new(program), &folder)
        .with(options.iter().copied())
        .with(["harness.lua"]))
}

/// A peer that started, with its command line.
pub struct Runner {
    peer: Peer,
    command: Command,
}

impl Runner {
    /// Tries the smallest program.
    ///
    /// # Errors
    /// A sentence saying why this peer cannot take part.
    pub fn new(peer: Peer, places: &Places) -> Result<Runner, String> {
        let command = peer.command(places)?;
        let runner = Runner { peer, command };
        runner.run("Sieve", 1, 1).map(|_| runner)
    }

    /// Processor seconds of a run; one with wrong results is none.
    fn run(&self, name: &str, outer: u32, inner: u32) -> Result<f64, String> {
        let arguments = [name.to_string(), outer.to_string(), inner.to_string()];
        let (seconds, output) = self.command.clone().with(arguments).timed_output()?;
        if output.contains(END_OF_RUN) {
            return Ok(seconds);
        }
        let last = output.lines().last().unwrap_or("nothing printed");
        Err(format!("{} {name}: {last}", self.peer.name()))
    }

    /// Processor seconds of one iteration, start-up taken off.
    pub fn sample(&self, program: &Program) -> Result<f64, String> {
        let start = &program.start;
        let least = self.run(start.name, 1, start.inner)?;
        let whole = self.run(program.name, program.outer, program.inner)?;
        Ok((whole - least) / (f64::from(program.outer) - start.share))
    }
}

/// The times of a peer in one program.
#[derive(Clone, Debug, Serialize)]
pub struct Times {
    /// Whose they are.
    pub peer: Peer,
    /// The median, in milliseconds of processor time.
    pub median_ms: f64,
    /// The median by that of SOM++.
    pub to_sompp: Option<f64>,
    /// All samples, in milliseconds and in order.
    pub samples_ms: Vec<f64>,
    /// Why there is no figure, if there is none.
    pub error: Option<String>,
}

/// What was measured of one program.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The program's name.
    pub program: String,
    /// Its inner iterations.
    pub inner: u32,
    /// A peer each, in the order in which they were given.
    pub times: Vec<Times>,
}

impl Comparison {
    fn times(&self, peer: Peer) -> Option<&Times> {
        self.times
            .iter()
            .find(|times| times.peer == peer && times.error.is_none())
    }

    /// One peer's median by another's.
    pub fn ratio(&self, above: Peer, below: Peer) -> Option<f64> {
        Some(self.times(above)?.median_ms / self.times(below)?.median_ms)
    }
}

/// Runs every program on every peer once a round, peers in turns; a round starts with another peer
/// than the one before. `progress` hears the number of each round.
pub fn measure(
    programs: &[&Program],
    runners: &[Runner],
    rounds: u32,
    progress: &mut dyn FnMut(u32),
) -> Vec<Comparison> {
    let mut samples = vec![vec![Ok(Vec::new()); runners.len()]; programs.len()];
    for round in 0..rounds {
        progress(round + 1);
        for (row, program) in samples.iter_mut().zip(programs) {
            for turn in 0..runners.len() {
                let number = (turn + round as usize) % runners.len();
                take(&mut row[number], &runners[number], program);
            }
        }
    }
    let results = programs.iter().zip(samples);
    results
        .map(|(program, samples)| result(program, runners, samples))
        .collect()
}

type Samples = Result<Vec<f64>, String>;

/// A program that failed once is not tried again.
fn take(samples: &mut Samples, runner: &Runner, program: &Program) {
    if let Ok(list) = samples {
        match runner.sample(program) {
            Ok(seconds) => list.push(seconds * 1000.0),
            Err(why) => *samples = Err(why),
        }
    }
}

fn result(program: &Program, runners: &[Runner], samples: Vec<Samples>) -> Comparison {
    let times = runners.iter().zip(samples).map(|(runner, samples)| {
        let (samples_ms, error) = match samples {
            Ok(list) => (list, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Times {
            peer: runner.peer,
            median_ms: median(&samples_ms),
            to_sompp: None,
            samples_ms,
            error,
        }
    });
    let mut result = Comparison {
        program: program.name.to_string(),
        inner: program.inner,
        times: times.collect(),
    };
    let base = result.times(Peer::Sompp).map(|times| times.median_ms);
    for times in result
        .times
        .iter_mut()
        .filter(|times| times.error.is_none())
    {
        times.to_sompp = base.map(|base| times.median_ms / base);
    }
    result
}

/// Headings of the table of programs: SOM++'s time, everybody else's, and their ratios.
pub fn columns(peers: &[Peer]) -> Vec<String> {
    let times = peers.iter().map(|peer| format!("{} ms", peer.name()));
    let others = peers.iter().filter(|&&peer| peer != Peer::Sompp);
    let ratios = others.map(|peer| peer.name().to_string());
    ["inner".to_string()]
        .into_iter()
        .chain(times)
        .chain(ratios)
        .collect()
}

/// The table of programs: milliseconds of each peer, then the ratios of the other peers to SOM++.
pub fn rows(results: &[Comparison], peers: &[Peer]) -> Vec<Row> {
    results.iter().map(|result| row(result, peers)).collect()
}

fn row(result: &Comparison, peers: &[Peer]) -> Row {
    let shown = |figure: Option<f64>, digits: usize| match figure {
        Some(figure) => format!("{figure:.digits$}"),
        None => "-".to_string(),
    };
    let times = peers.iter().map(|&peer| {
        let times = result.times(peer);
        shown(times.map(|times| times.median_ms), 1)
    });
    let others = peers.iter().filter(|&&peer| peer != Peer::Sompp);
    let ratios = others.map(|&peer| shown(result.ratio(peer, Peer::Sompp), 2));
    let failed = result.times.iter().find_map(|times| times.error.clone());
    let verdict = match (failed, result.ratio(Peer::Tally, Peer::Sompp)) {
        (Some(why), _) => Verdict::Broken(why),
        (None, Some(ratio)) => Verdict::of(ratio, PROGRAM_LIMIT),
        (None, None) => Verdict::Skipped("not to be compared".to_string()),
    };
    Row {
        name: result.program.clone(),
        figures: [result.inner.to_string()]
            .into_iter()
            .chain(times)
            .chain(ratios)
            .collect(),
        verdict,
    }
}

/// The last row of the table of programs: geometric means of the ratios.
pub fn mean_row(results: &[Comparison], peers: &[Peer]) -> Row {
    let blanks = std::iter::repeat_n(String::new(), 1 + peers.len());
    let others = peers.iter().filter(|&&peer| peer != Peer::Sompp);
    let means = others.map(|&peer| format!("{:.2}", mean(results, peer)));
    Row {
        name: "geometric mean".to_string(),
        figures: blanks.chain(means).collect(),
        verdict: Verdict::None,
    }
}

/// Geometric means of a peer's ratios to SOM++, over the programs that both ran.
pub fn mean(results: &[Comparison], peer: Peer) -> f64 {
    geometric_mean(&ratios_to_sompp(results, peer))
}

fn ratios_to_sompp(results: &[Comparison], peer: Peer) -> Vec<f64> {
    let ratios = results.iter();
    ratios
        .filter_map(|result| result.ratio(peer, Peer::Sompp))
        .collect()
}

/// Headings of the table of targets.
pub const TARGET_COLUMNS: &[&str] = &["figure", "limit"];

/// The targets over all programs, and those beside Lua.
pub fn targets(results: &[Comparison]) -> Vec<Row> {
    let mut rows: Vec<Row> = MEANS
        .iter()
        .map(|&(peer, limit)| {
            let ratios = ratios_to_sompp(results, peer);
            let name = format!("geometric mean of {} to SOM++", peer.name());
            target(&name, complete(&ratios).map(geometric_mean), limit)
        })
        .collect();
    let ratios = ratios_to_sompp(results, Peer::Tally);
    rows.push(target(
        "slowest to SOM++",
        complete(&ratios).map(|ratios| ratios.iter().copied().fold(0.0, f64::max)),
        PROGRAM_LIMIT,
    ));
    for name in LUA_PROGRAMS {
        let result = results.iter().find(|result| result.program == *name);
        let ratio = result.and_then(|result| result.ratio(Peer::Tally, Peer::Lua));
        rows.push(target(&format!("{name} to lua5.4"), ratio, LUA_LIMIT));
    }
    rows
}

/// A mean over some of the programs says nothing about the target.
fn complete(ratios: &[f64]) -> Result<&[f64], String> {
    let (have, want) = (ratios.len(), PROGRAMS.len());
    if have == want {
        Ok(ratios)
    } else {
        Err(format!("{have} of {want} programs compared"))
    }
}

fn target(name: &str, figure: impl IntoFigure, limit: f64) -> Row {
    match figure.into_figure() {
        Ok(figure) => Row {
            name: name.to_string(),
            figures: vec![format!("{figure:.3}"), format!("{limit:.3}")],
            verdict: Verdict::of(figure, limit),
        },
        Err(why) => Row::without_figures(name, Verdict::Skipped(why)),
    }
}

/// What a target's figure may come as.
trait IntoFigure {
    fn into_figure(self) -> Result<f64, String>;
}

impl IntoFigure for Result<f64, String> {
    fn into_figure(self) -> Result<f64, String> {
        self
    }
}

impl IntoFigure for Option<f64> {
    fn into_figure(self) -> Result<f64, String> {
        self.ok_or_else(|| "not measured".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, PROGRAMS, Peer, Times, mean, targets};
    use crate::report::Verdict;

    fn result(program: &str, tally: f64, sompp: f64) -> Comparison {
        let times = |peer, median_ms| Times {
            peer,
            median_ms,
            to_sompp: None,
            samples_ms: Vec::new(),
            error: None,
        };
        Comparison {
            program: program.to_string(),
            inner: 1,
            times: vec![times(Peer::Tally, tally), times(Peer::Sompp, sompp)],
        }
    }

    #[test]
    fn a_mean_over_a_part_of_the_programs_meets_no_target() {
        let rows = targets(&[result("Bounce", 1.0, 10.0)]);
        assert!(matches!(rows[0].verdict, Verdict::Skipped(_)));
    }

    #[test]
    fn the_mean_over_all_programs_is_held_against_the_limit() {
        let results: Vec<Comparison> = PROGRAMS.iter().map(|p| result(p.name, 1.0, 5.0)).collect();
        assert!((mean(&results, Peer::Tally) - 0.2).abs() < 1e-12);
        assert_eq!(targets(&results)[0].verdict, Verdict::Pass);
        let results: Vec<Comparison> = PROGRAMS.iter().map(|p| result(p.name, 1.0, 4.0)).collect();
        assert_eq!(targets(&results)[0].verdict, Verdict::Fail);
        assert!(matches!(targets(&results)[1].verdict, Verdict::Skipped(_)));
    }
}
