//! The speed of Tally beside Lua: pairs of programs that do the same, message for method. Both sides of a pair run in
//! turns, so that other load on the machine affects both.

use std::path::Path;

use crate::measure::{Command, is_installed, median};
use crate::report::{Row, Verdict};
use crate::root;

/// A program that runs Lua, with its options.
type Lua = &'static [&'static str];

const LUA: Lua = &["lua5.4"];
const LUAJIT: Lua = &["luajit", "-joff"];

/// Headings of the figures in the rows.
pub const COLUMNS: &[&str] = &["tally ms", "lua ms", "ratio", "range", "limit"];

/// A program in both languages, and how much slower than Lua it may be.
struct Pair {
    name: &'static str,
    tally: &'static str,
    peer: Lua,
    lua: &'static str,
    arguments: &'static [&'static str],
    limit: f64,
    /// Runs to a sample.
    repeats: u32,
}

/// The arguments are such that Lua is busy for a tenth of a second or more, hello apart: there the
/// start is what counts.
const PAIRS: &[Pair] = &[
    Pair {
        name: "fib, real sends",
        tally: "benches/programs/fib.st",
        peer: LUA,
        lua: "benches/programs/fib.lua",
        arguments: &["32"],
        limit: 0.6,
        repeats: 1,
    },
    Pair {
        name: "fib, luajit -joff",
        tally: "benches/programs/fib.st",
        peer: LUAJIT,
        lua: "benches/programs/fib.lua",
        arguments: &["32"],
        limit: 0.5,
        repeats: 1,
    },
    Pair {
        name: "method calls, luajit -joff",
        tally: "benches/programs/loop.st",
        peer: LUAJIT,
        lua: "benches/programs/loop.lua",
        arguments: &["20000000"],
        limit: 0.5,
        repeats: 1,
    },
    Pair {
        name: "scheduler",
        tally: "examples/scheduler.st",
        peer: LUA,
        lua: "benches/programs/scheduler.lua",
        arguments: &["60000"],
        limit: 1.0,
        repeats: 1,
    },
    Pair {
        name: "json",
        tally: "examples/json.st",
        peer: LUA,
        lua: "benches/programs/json.lua",
        arguments: &["examples/data/catalogue.json", "6"],
        limit: 1.0,
        repeats: 1,
    },
    Pair {
        name: "bank, exceptions",
        tally: "examples/bank.st",
        peer: LUA,
        lua: "benches/programs/bank.lua",
        arguments: &["400"],
        limit: 1.0,
        repeats: 1,
    },
    Pair {
        name: "hello, start-up",
        tally: "examples/hello.st",
        peer: LUA,
        lua: "benches/programs/hello.lua",
        arguments: &[],
        limit: 4.0,
        repeats: 20,
    },
];

/// A pair's commands and what was measured so far.
struct Runner {
    pair: &'static Pair,
    tally: Command,
    lua: Command,
    /// Seconds of Tally and of Lua, one of each a round.
    samples: Vec<(f64, f64)>,
    broken: Option<String>,
}

impl Runner {
    fn new(pair: &'static Pair, tally: &Path) -> Runner {
        let root = root();
        let arguments = || pair.arguments.iter().copied();
        let options = ["run", "--allow-read=examples/data", pair.tally, "--"];
        let mut runner = Runner {
            pair,
            tally: Command::new(tally, &root).with(options).with(arguments()),
            lua: Command::new(Path::new(pair.peer[0]), &root)
                .with(pair.peer[1..].iter().copied())
                .with([pair.lua])
                .with(arguments()),
            samples: Vec::new(),
            broken: None,
        };
        // Also the run that warms up the file system.
        runner.broken = runner.check_outputs().err();
        runner
    }

    /// Programs that print different things do not do the same.
    fn check_outputs(&self) -> Result<(), String> {
        let (tally, lua) = (self.tally.output()?, self.lua.output()?);
        if tally.is_empty() {
            return Err("the program printed nothing".to_string());
        }
        if tally == lua {
            Ok(())
        } else {
            Err("the outputs differ".to_string())
        }
    }

    fn measure(&mut self, round: u32) {
        if self.broken.is_some() {
            return;
        }
        match self.sample(round) {
            Ok(sample) => self.samples.push(sample),
            Err(why) => self.broken = Some(why),
        }
    }

    /// Who goes first changes from round to round.
    fn sample(&self, round: u32) -> Result<(f64, f64), String> {
        let repeats = self.pair.repeats;
        if round.is_multiple_of(2) {
            let tally = self.tally.seconds(repeats)?;
            return Ok((tally, self.lua.seconds(repeats)?));
        }
        let lua = self.lua.seconds(repeats)?;
        Ok((self.tally.seconds(repeats)?, lua))
    }

    fn row(self) -> Row {
        if let Some(why) = self.broken {
            return Row::without_figures(self.pair.name, Verdict::Broken(why));
        }
        let (tally, lua): (Vec<f64>, Vec<f64>) = self.samples.iter().copied().unzip();
        let (tally, lua) = (median(&tally), median(&lua));
        let ratios: Vec<f64> = self
            .samples
            .iter()
            .map(|(tally, lua)| tally / lua)
            .collect();
        let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = ratios.iter().copied().fold(0.0, f64::max);
        let figures = vec![
            format!("{:.1}", tally * 1000.0),
            format!("{:.1}", lua * 1000.0),
            format!("{:.2}", tally / lua),
            format!("{lowest:.2}-{highest:.2}"),
            format!("{:.2}", self.pair.limit),
        ];
        let verdict = Verdict::of(tally / lua, self.pair.limit);
        Row {
            name: self.pair.name.to_string(),
            figures,
            verdict,
        }
    }
}

/// Measures every pair with this `tally` command. A ratio is that of the medians over all rounds.
pub fn measure(tally: &Path, rounds: u32) -> Vec<Row> {
    let missing: Vec<&str> = [LUA, LUAJIT]
        .map(|peer| peer[0])
        .into_iter()
        .filter(|program| !is_installed(program, "-v"))
        .collect();
    let is_missing = |pair: &Pair| missing.contains(&pair.peer[0]);
    let present = PAIRS.iter().filter(|pair| !is_missing(pair));
    let mut runners: Vec<Runner> = present.map(|pair| Runner::new(pair, tally)).collect();
    for round in 0..rounds {
        runners.iter_mut().for_each(|runner| runner.measure(round));
    }
    let skipped = PAIRS.iter().filter(|pair| is_missing(pair)).map(|pair| {
        let why = format!("{} is not installed", pair.peer[0]);
        Row::without_figures(pair.name, Verdict::Skipped(why))
    });
    runners
        .into_iter()
        .map(Runner::row)
        .chain(skipped)
        .collect()
}
