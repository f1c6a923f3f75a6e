//! Predictions as text and as a document.

use num_bigint::BigInt;
use num_traits::Signed;
use serde::Serialize;
use tally_presentation::{Align, Layout, Page, counted, printable};

use crate::design::Design;
use crate::pmf::{Grid, Pmf, Rational, float};
use crate::solving::Scheduling;

/// Distributions with more points are shown by their quantiles only.
const MOST_SHOWN: usize = 40;

/// A prediction for a number of CPUs.
#[derive(Clone, Debug)]
pub struct Row {
    /// The CPUs.
    pub cpus: usize,
    /// What it takes.
    pub time: Pmf,
}

/// A rational number in text: whole, in at most six decimals, as a short fraction, or with six digits behind a sign for that.
pub fn rational_text(value: &Rational) -> String {
    /// The most characters of a fraction, and of a number that is whole or has decimals.
    const MOST: usize = 9;
    const MOST_DIGITS: usize = 40;
    let scaled = value * Rational::from_integer(1_000_000.into());
    let text = if scaled.is_integer() {
        let is_negative = value.is_negative();
        let digits = format!("{:07}", scaled.to_integer().magnitude());
        let (whole, part) = digits.split_at(digits.len() - 6);
        let sign = if is_negative { "-" } else { "" };
        let text = format!("{sign}{whole}.{part}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        value.to_string()
    };
    let most = if scaled.is_integer() {
        MOST_DIGITS
    } else {
        MOST
    };
    match text.len() <= most {
        true => text,
        false => format!("≈{}", rounded_text(value)),
    }
}

/// The number with six digits, also where floating point has none.
fn rounded_text(value: &Rational) -> String {
    let rounded = float(value);
    if rounded.is_finite() && rounded.abs() > f64::MIN_POSITIVE {
        return float_text(rounded);
    }
    // The point is moved so that 17 or 18 digits stand in front of it.
    let bits = value.numer().bits() as i64 - value.denom().bits() as i64;
    let moved = bits * 30_103 / 100_000 - 17;
    let power = Rational::from_integer(BigInt::from(10).pow(moved.unsigned_abs() as u32));
    let digits = if moved < 0 {
        value * power
    } else {
        value / power
    };
    let digits = digits.to_integer();
    let exponent = moved + digits.magnitude().to_string().len() as i64 - 1;
    let mantissa = float(&Rational::from_integer(digits)) / 10_f64.powi((exponent - moved) as i32);
    format!("{mantissa:.5}e{exponent}")
}

/// A number in text, with six digits.
pub(crate) fn float_text(value: f64) -> String {
    let size = value.abs();
    if size >= 1e15 || (size > 0.0 && size < 1e-4) {
        return format!("{value:.5e}");
    }
    let digits = match size {
        size if size >= 1.0 => 5_usize.saturating_sub(size.log10() as usize),
        _ => 6,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

fn mean_text(time: &Pmf) -> [String; 2] {
    match time {
        Pmf::Exact(exact) => [&exact.mean(), &exact.variance()].map(rational_text),
        Pmf::Grid(grid) => [grid.mean(), grid.variance()].map(float_text),
    }
}

fn quantile_text(time: &Pmf, quantile: &Rational) -> String {
    match time {
        Pmf::Exact(exact) => rational_text(exact.quantile(quantile)),
        Pmf::Grid(_) => float_text(time.quantile(quantile)),
    }
}

/// The name of a quantile: p95.
fn quantile_name(quantile: &Rational) -> String {
    format!(
        "p{}",
        rational_text(&(quantile * Rational::from_integer(100.into())))
    )
}

/// The report: a table of CPUs, and the distributions if they are small.
pub fn report(
    design: &Design,
    rows: &[Row],
    quantiles: &[Rational],
    scheduling: Scheduling,
    page: Page,
) -> String {
    let mut text = String::new();
    let names: Vec<String> = quantiles.iter().map(quantile_name).collect();
    let mut layout = Layout::new(&vec![Align::Right; 4 + names.len()]);
    let head = ["cpus", "mean", "variance"].into_iter();
    let head = head
        .chain(names.iter().map(String::as_str))
        .chain(["numbers"]);
    layout.row(head.collect::<Vec<_>>());
    for Row { cpus, time } in rows {
        let mut cells = vec![cpus.to_string()];
        cells.extend(mean_text(time));
        cells.extend(quantiles.iter().map(|one| quantile_text(time, one)));
        cells.push(match time {
            Pmf::Exact(_) => "exact".to_string(),
            Pmf::Grid(grid) => format!("steps of {}", float_text(grid.step())),
        });
        layout.row(cells);
    }
    text.push_str(&page.wrapped(&format!("The time of {}\n\n", printable(design.name()))));
    text.push_str(&layout.render_on(page));
    for Row { cpus, time } in rows {
        push_points(*cpus, time, page, &mut text);
    }
    let grids = rows.iter().filter_map(|row| grid(&row.time));
    let most = |of: fn(&Grid) -> f64| grids.clone().map(of).fold(0.0, f64::max);
    let (added, shift) = (most(Grid::added_variance), most(Grid::shift));
    let mut line = String::new();
    if added > 0.0 {
        line.push_str(&format!(
            "Quantiles are those of a grid, whose variance is larger by {}. ",
            float_text(added)
        ));
    }
    if shift > 0.0 {
        line.push_str(&format!(
            "The mean is off by at most {}. ",
            float_text(shift)
        ));
    }
    if !line.is_empty() {
        text.push_str(&page.wrapped(&format!("\n{}\n", line.trim_end())));
    }
    text.push('\n');
    text.push_str(&page.wrapped(caveat(scheduling)));
    text
}

/// What the numbers take for granted.
fn caveat(scheduling: Scheduling) -> &'static str {
    match scheduling {
        Scheduling::List => {
            "All actions are taken to be independent. CPUs take parallel tasks in their order, and a task stays on its CPU. Memory, caches and switches cost nothing.\n"
        }
        Scheduling::Paper => {
            "All actions are taken to be independent. Parallel tasks are merged as in the paper (docs/PREDICT.md), which takes dependent times for independent ones: for comparison only.\n"
        }
    }
}

fn push_points(cpus: usize, time: &Pmf, page: Page, text: &mut String) {
    let Pmf::Exact(exact) = time else { return };
    if exact.points().len() > MOST_SHOWN {
        return;
    }
    text.push_str(&format!("\n{}\n", counted(cpus as u64, "CPU", "CPUs")));
    let mut layout = Layout::new(&[Align::Right, Align::Right, Align::Right]);
    layout.row(["time", "probability", "at most"]);
    let mut sum = Rational::default();
    for (time, p) in exact.points() {
        sum += p;
        layout.row([time, p, &sum].map(rational_text));
    }
    text.push_str(&layout.render_on(page));
}

/// The document `tally.prediction/1`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'d> {
    schema: &'static str,
    of: &'d str,
    scheduling: &'static str,
    rows: Vec<RowDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowDocument {
    cpus: usize,
    mean: f64,
    variance: f64,
    quantiles: Vec<QuantileDocument>,
    /// Absent if numbers are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    grid: Option<GridDocument>,
    points: Vec<PointDocument>,
}

#[derive(Serialize)]
struct QuantileDocument {
    share: f64,
    time: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GridDocument {
    step: f64,
    shift: f64,
    added_variance: f64,
    corrected_mass: f64,
}

#[derive(Serialize)]
struct PointDocument {
    time: f64,
    probability: f64,
    /// The same two numbers as fractions.
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<[String; 2]>,
}

impl RowDocument {
    fn of(row: &Row, quantiles: &[Rational]) -> RowDocument {
        let time = &row.time;
        let quantiles = quantiles.iter().map(|share| QuantileDocument {
            share: float(share),
            time: time.quantile(share),
        });
        let points = match time {
            Pmf::Grid(grid) => {
                let points = grid.points().filter(|(_, p)| *p > 0.0);
                let points = points.map(|(time, probability)| PointDocument {
                    time,
                    probability,
                    exact: None,
                });
                points.collect()
            }
            Pmf::Exact(exact) => {
                let points = exact.points().iter();
                let points = points.map(|(time, p)| PointDocument {
                    time: float(time),
                    probability: float(p),
                    exact: Some([time, p].map(Rational::to_string)),
                });
                points.collect()
            }
        };
        RowDocument {
            cpus: row.cpus,
            mean: time.mean(),
            variance: time.variance(),
            quantiles: quantiles.collect(),
            grid: grid(time).map(|grid| GridDocument {
                step: grid.step(),
                shift: grid.shift(),
                added_variance: grid.added_variance(),
                corrected_mass: grid.corrected_mass(),
            }),
            points,
        }
    }
}

fn grid(time: &Pmf) -> Option<&Grid> {
    match time {
        Pmf::Grid(grid) => Some(grid),
        Pmf::Exact(_) => None,
    }
}

/// The predictions as a document that is to be written as JSON.
pub fn document(
    design: &Design,
    rows: &[Row],
    quantiles: &[Rational],
    scheduling: Scheduling,
) -> impl Serialize {
    Document {
        schema: "tally.prediction/1",
        of: design.name(),
        scheduling: match scheduling {
            Scheduling::List => "list",
            Scheduling::Paper => "paper",
        },
        rows: rows
            .iter()
            .map(|row| RowDocument::of(row, quantiles))
            .collect(),
    }
}
