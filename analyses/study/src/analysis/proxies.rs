//! Beyond the paper: how well one number alone stands for time. A factor turns the number into a time. The factor comes from other
//! programs. A user who estimates the time of one program from the time of another relies on this.

use super::fitting::worst_and_median;
use super::measured::Measured;
use crate::data::Role;
use crate::paper;
use crate::results::{NamedError, ProxyRow};
use crate::statistics::{deviation, geometric_mean, median, pearson, resampled};

/// A program with a number that is to stand for its time.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The program's name.
    pub name: String,
    /// The number, above 0.
    pub amount: f64,
    /// Its time in any unit, above 0.
    pub time: f64,
}

/// What all programs are called together.
pub const ALL: &str = "all";

/// The name of the number that the targets are about.
pub(crate) const WORK: &str = "work";

/// Sends and work over each group of programs, over all of them, and the paper's own figures.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<ProxyRow> {
    let numbers: [(&str, Number); 2] = [("sends", |sends, _| sends), (WORK, |_, work| work)];
    let mut rows = Vec::new();
    let mut all = [Vec::new(), Vec::new()];
    for role in Role::JUDGED {
        for ((number, of), all) in numbers.iter().zip(&mut all) {
            let programs = judged(measured, role, *of);
            rows.extend(judge(role.group(), number, &programs));
            all.extend(programs);
        }
    }
    for ((number, _), all) in numbers.iter().zip(&all) {
        rows.extend(judge(ALL, number, all));
    }
    let paper = paper::ROWS.map(|row| Judged {
        name: row.name.to_owned(),
        amount: row.sends,
        time: row.milliseconds,
    });
    if !rows.is_empty() {
        rows.extend(judge("the paper's applications", "sends", &paper));
    }
    rows
}

/// A number of a program, of its sends and its work.
type Number = fn(f64, f64) -> f64;

/// The programs of a role whose work is known.
fn judged(measured: &Measured<'_>, role: Role, of: Number) -> Vec<Judged> {
    let programs = measured.programs(role);
    let judged = programs.iter().filter_map(|program| {
        let work = program.cost.map_or(0, |cost| cost.work);
        let judged = Judged {
            name: program.application.name.clone(),
            amount: of(program.sends, work as f64),
            time: program.median,
        };
        (work > 0 && judged.amount > 0.0).then_some(judged)
    });
    judged.collect()
}

/// How well the numbers stand for the times of these programs. Nothing with fewer than three.
///
/// A program's error is that of amount × g, where g is the geometric mean of time / amount over the other programs. Intervals
/// are over programs that are drawn again: other programs would have given other figures.
pub fn judge(group: &str, number: &str, programs: &[Judged]) -> Option<ProxyRow> {
    if programs.len() < 3 {
        return None;
    }
    let rates: Vec<f64> = programs.iter().map(|of| of.time / of.amount).collect();
    let all: Vec<usize> = (0..programs.len()).collect();
    let mut errors = Vec::new();
    for (out, program) in programs.iter().enumerate() {
        errors.push(NamedError {
            name: program.name.clone(),
            error: left_out(out, &all, &rates)?,
        });
    }
    let logarithms: Vec<f64> = rates.iter().map(|rate| rate.ln()).collect();
    let points: Vec<(f64, f64)> = programs.iter().map(|of| (of.amount, of.time)).collect();
    Some(ProxyRow {
        group: group.to_owned(),
        number: number.to_owned(),
        programs: programs.len() as u64,
        correlation: pearson(&points),
        factor: geometric_mean(&rates),
        leave_one_out: worst_and_median(errors),
        median_interval: resampled(&all, |drawn| median_left_out(drawn, &all, &rates)),
        spread: deviation(&logarithms),
        spread_interval: resampled(&logarithms, deviation),
    })
}

/// The error of one program in %, with the factor of the others among those that were drawn. All copies of it are left out.
fn left_out(out: usize, drawn: &[usize], rates: &[f64]) -> Option<f64> {
    let others = drawn.iter().filter(|index| **index != out);
    let others: Vec<f64> = others.map(|index| rates[*index]).collect();
    Some(100.0 * (geometric_mean(&others)? / rates[out] - 1.0))
}

/// The median size of the errors of the programs that were drawn. A draw of one program alone has no others. Then the factor
/// comes from all.
fn median_left_out(drawn: &[usize], all: &[usize], rates: &[f64]) -> Option<f64> {
    let alone = drawn.iter().all(|index| *index == drawn[0]);
    let from = if alone { all } else { drawn };
    let errors = drawn.iter().map(|out| left_out(*out, from, rates));
    let sizes: Option<Vec<f64>> = errors.map(|error| error.map(f64::abs)).collect();
    median(&sizes?)
}
