//! The time that counting and profiling cost: pairs of runs that differ in nothing else, in turns. `counting` measures
//! the machine instructions that counting adds.

use std::path::Path;

use crate::awfy::{self, PROGRAMS};
use crate::growth::counted_figures;
use crate::measure::{Command, median};
use crate::report::{Row, Verdict};
use crate::root;
use crate::statistics::{Estimate, ratio_of_pairs};

/// Counting may make the programs this much slower, as the geometric mean over all.
const COUNTING_LIMIT: f64 = 1.01;
/// A profile of methods may make fib this much slower,
const FIB_LIMIT: f64 = 1.30;
/// and the programs of "Are We Fast Yet?" this much, as the median over all.
const PROFILING_LIMIT: f64 = 1.15;

/// A profile with sites, allocations and the whole cost vector may make them this much slower, as the median.
const DETAIL_LIMIT: f64 = 2.0;
/// Such a profile may make each of them this much slower.
const DETAIL_LIMIT_OF_EACH: f64 = 2.5;

/// Headings of the rows.
pub const COLUMNS: &[&str] = &["with ms", "without ms", "ratio", "95 % interval", "limit"];

/// A program, in the form of the `counted` command's arguments.
struct Subject {
    name: String,
    file: String,
    arguments: Vec<String>,
}

fn fib() -> Subject {
    Subject {
        name: "fib".to_string(),
        file: "benches/programs/fib.st".to_string(),
        arguments: vec!["34".to_string()],
    }
}

/// The programs of a checkout of SOM, as often in a row as in the comparison with others.
fn awfy_subjects(som: &Path) -> Vec<Subject> {
    let harness = som.join("Examples/AreWeFastYet/Harness.som");
    let file = harness.display().to_string();
    let subject = |program: &awfy::Program| Subject {
        name: program.name.to_string(),
        file: file.clone(),
        arguments: [program.name.to_string()]
            .into_iter()
            .chain([program.outer, program.inner].map(|number| number.to_string()))
            .collect(),
    };
    PROGRAMS.iter().map(subject).collect()
}

/// Pairs of seconds with and without the measured feature.
type Pairs = Vec<(f64, f64)>;

struct Measurement<'a> {
    counted: &'a Path,
    class_path: Option<String>,
    /// The mode of the first of a pair, and of the second.
    modes: [&'static str; 2],
}

impl Measurement<'_> {
    fn sample(&self, subject: &Subject, mode: &str) -> Result<f64, String> {
        let mut command = Command::new(self.counted, &root()).with([mode]);
        if let Some(path) = &self.class_path {
            command = command.with(["-cp", path]);
        }
        let command = command.with([&subject.file]).with(&subject.arguments);
        counted_figures(&command.output()?).map(|(_, seconds)| seconds)
    }

    /// Which of the two goes first changes from pair to pair.
    fn pair(&self, subject: &Subject, round: u32) -> Result<(f64, f64), String> {
        let [with, without] = self.modes;
        if round.is_multiple_of(2) {
            let first = self.sample(subject, with)?;
            return Ok((first, self.sample(subject, without)?));
        }
        let second = self.sample(subject, without)?;
        Ok((self.sample(subject, with)?, second))
    }

    /// All subjects once a round.
    fn pairs(&self, subjects: &[Subject], rounds: u32) -> Result<Vec<Pairs>, String> {
        let mut pairs = vec![Pairs::new(); subjects.len()];
        for round in 0..rounds {
            for (subject, pairs) in subjects.iter().zip(&mut pairs) {
                pairs.push(self.pair(subject, round)?);
            }
        }
        Ok(pairs)
    }
}

/// Measures both with this `counted` command, over the programs of this checkout of SOM and over fib.
pub fn measure(counted: &Path, som: Option<&Path>, rounds: u32) -> Vec<Row> {
    let mut rows = Vec::new();
    let class_path = som.map(|som| awfy::class_path(som, false));
    for (what, modes) in [
        ("counting", ["counted", "uncounted"]),
        ("profiling", ["profiled", "counted"]),
        ("profiling in detail", ["detailed", "counted"]),
    ] {
        let on_fib = Measurement {
            counted,
            class_path: None,
            modes,
        };
        let limit = (what == "profiling").then_some(FIB_LIMIT);
        rows.extend(single_rows(what, &[fib()], &on_fib, rounds, limit).0);
        let Some(som) = som else {
            let why = "nothing says where SOM is (--som or TALLY_SOM)".to_string();
            rows.push(Row::without_figures(
                &format!("{what}, all of AWFY"),
                Verdict::Skipped(why),
            ));
            continue;
        };
        let on_awfy = Measurement {
            class_path: class_path.clone(),
            ..on_fib
        };
        let limit = (what == "profiling in detail").then_some(DETAIL_LIMIT_OF_EACH);
        let (single, pairs) = single_rows(what, &awfy_subjects(som), &on_awfy, rounds, limit);
        rows.extend(single);
        if let Some(pairs) = pairs {
            rows.push(match what {
                "counting" => mean_row(&pairs),
                "profiling" => median_row(what, &pairs, PROFILING_LIMIT),
                _ => median_row(what, &pairs, DETAIL_LIMIT),
            });
        }
    }
    rows
}

/// A row for each subject, and the pairs if all went well.
fn single_rows(
    what: &str,
    subjects: &[Subject],
    measurement: &Measurement<'_>,
    rounds: u32,
    limit: Option<f64>,
) -> (Vec<Row>, Option<Vec<Pairs>>) {
    match measurement.pairs(subjects, rounds) {
        Ok(pairs) => {
            let rows = subjects.iter().zip(&pairs).map(|(subject, pairs)| {
                let name = format!("{what}, {}", subject.name);
                row(name, std::slice::from_ref(pairs), limit)
            });
            (rows.collect(), Some(pairs))
        }
        Err(why) => {
            let row = Row::without_figures(what, Verdict::Broken(why));
            (vec![row], None)
        }
    }
}

/// One program's medians and their ratio.
pub(crate) fn row(name: String, pairs: &[Pairs], limit: Option<f64>) -> Row {
    let (with, without): (Vec<f64>, Vec<f64>) = pairs.iter().flatten().copied().unzip();
    let estimate = ratio_of_pairs(pairs);
    let times = [median(&with), median(&without)];
    finished(name, Some(times), estimate, limit)
}

fn mean_row(pairs: &[Pairs]) -> Row {
    let estimate = ratio_of_pairs(pairs);
    let name = "counting, geometric mean of AWFY".to_string();
    finished(name, None, estimate, Some(COUNTING_LIMIT))
}

fn median_row(what: &str, pairs: &[Pairs], limit: f64) -> Row {
    let ratios: Vec<f64> = pairs
        .iter()
        .map(|pairs| ratio_of_pairs(std::slice::from_ref(pairs)).figure)
        .collect();
    let figure = median(&ratios);
    Row {
        name: format!("{what}, median of AWFY"),
        figures: vec![
            String::new(),
            String::new(),
            format!("{figure:.3}"),
            String::new(),
            format!("{limit:.3}"),
        ],
        verdict: Verdict::of(figure, limit),
    }
}

fn finished(name: String, times: Option<[f64; 2]>, estimate: Estimate, limit: Option<f64>) -> Row {
    let shown =
        |number: usize| times.map_or(String::new(), |t| format!("{:.1}", t[number] * 1000.0));
    let verdict = limit.map_or(Verdict::None, |limit| Verdict::of(estimate.figure, limit));
    Row {
        name,
        figures: vec![
            shown(0),
            shown(1),
            format!("{:.3}", estimate.figure),
            format!("{:.3}-{:.3}", estimate.low, estimate.high),
            limit.map_or(String::new(), |limit| format!("{limit:.3}")),
        ],
        verdict,
    }
}
