//! Counts the opcodes and the pairs of opcodes that programs execute most, to choose super-instructions. The programs are
//! the examples, and those of "Are We Fast Yet?" if there is a checkout of SOM.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use tally_benches::{Program, awfy, root};
use tally_vm::Outcome;

/// Rank opcodes and pairs of opcodes by how often they are executed. Each program weighs the same.
#[derive(Debug, Parser)]
#[command(name = "opcodes")]
struct Arguments {
    /// A checkout of the SOM project [or: TALLY_SOM]
    #[arg(long, value_name = "FOLDER")]
    som: Option<PathBuf>,
    /// How many rows to print
    #[arg(long, value_name = "N", default_value_t = 40)]
    limit: usize,
    /// Print the ranking of each program too
    #[arg(long)]
    each: bool,
    /// Rank this program alone: [-cp FOLDERS] FILE [ARGUMENT...]
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    program: Vec<String>,
}

/// Examples and their arguments; those that read files are left out.
const EXAMPLES: &[(&str, &str)] = &[
    ("bank", "20"),
    ("bigint", "60"),
    ("constraints", ""),
    ("expressions", ""),
    ("life", ""),
    ("lu", ""),
    ("queens", ""),
    ("scheduler", "5000"),
];

/// Shares of executions, by opcode or pair.
type Shares = HashMap<String, f64>;

/// Of singles and of pairs.
#[derive(Default)]
struct Ranking {
    single: Shares,
    pairs: Shares,
    programs: usize,
}

fn main() -> ExitCode {
    match run(&Arguments::parse(), &mut io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            // When even that is closed, only the exit code is left to tell.
            let _ = writeln!(io::stderr(), "error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<(), String> {
    let written = |result: io::Result<()>| result.map_err(|error| error.to_string());
    let mut all = Ranking::default();
    for (name, words) in programs(arguments) {
        match ranking(&words) {
            Ok(one) => {
                if arguments.each {
                    written(print(out, &name, &one, arguments.limit))?;
                }
                all.add(&one);
            }
            Err(why) => written(writeln!(out, "{name} is left out: {why}"))?,
        }
    }
    let title = format!("{} programs", all.programs);
    written(print(out, &title, &all, arguments.limit))
}

/// The names and command lines of the programs.
fn programs(arguments: &Arguments) -> Vec<(String, Vec<String>)> {
    if !arguments.program.is_empty() {
        return vec![(arguments.program.join(" "), arguments.program.clone())];
    }
    let examples = EXAMPLES.iter().map(|(name, argument)| {
        let file = root().join("examples").join(format!("{name}.st"));
        let words = [file.display().to_string(), (*argument).to_string()];
        let words = words.into_iter().filter(|word| !word.is_empty());
        ((*name).to_string(), words.collect())
    });
    let som = arguments.som.clone();
    let som = som.or_else(|| std::env::var_os("TALLY_SOM").map(PathBuf::from));
    let peers = som.iter().flat_map(|som| {
        awfy::PROGRAMS.iter().map(|program| {
            let harness = som.join("Examples/AreWeFastYet/Harness.som");
            let inner = program.inner.to_string();
            let words = [
                "-cp",
                &awfy::class_path(som, false),
                &harness.display().to_string(),
                program.name,
                "1",
                &inner,
            ];
            let words: Vec<String> = words.map(str::to_string).into();
            (program.name.to_string(), words)
        })
    });
    examples.chain(peers).collect()
}

fn ranking(words: &[String]) -> Result<Ranking, String> {
    let program = Program::new(words).ok_or("there is no file to run")?;
    let (mut vm, unit) = program.load()?;
    vm.count_opcodes();
    match vm.run_unit(unit) {
        Outcome::Finished | Outcome::Exited(0) => {}
        outcome => return Err(format!("{outcome:?}")),
    }
    let single = vm.opcode_counts();
    let total: u64 = single.iter().map(|(_, count)| count).sum();
    let share = |count: u64| count as f64 / total as f64;
    let pairs = vm.opcode_pairs();
    Ok(Ranking {
        single: single
            .into_iter()
            .map(|(name, count)| (name.to_string(), share(count)))
            .collect(),
        pairs: pairs
            .into_iter()
            .map(|(first, second, count)| (format!("{first}, {second}"), share(count)))
            .collect(),
        programs: 1,
    })
}

impl Ranking {
    fn add(&mut self, other: &Ranking) {
        for (name, share) in &other.single {
            *self.single.entry(name.clone()).or_default() += share;
        }
        for (name, share) in &other.pairs {
            *self.pairs.entry(name.clone()).or_default() += share;
        }
        self.programs += 1;
    }
}

fn print(out: &mut dyn Write, title: &str, ranking: &Ranking, limit: usize) -> io::Result<()> {
    for (what, shares) in [("opcode", &ranking.single), ("pair", &ranking.pairs)] {
        writeln!(out, "{title}, by {what}: % of all executions, running sum")?;
        let mut sorted: Vec<(&String, &f64)> = shares.iter().collect();
        sorted.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        let mut sum = 0.0;
        for (name, share) in sorted.into_iter().take(limit) {
            let share = 100.0 * share / ranking.programs as f64;
            sum += share;
            writeln!(out, "{share:7.2} {sum:7.2}  {name}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
