//! Table 2 and the summary of its columns.

use super::measured::{Measured, Program, milliseconds, sends};
use crate::results::{ApplicationRow, Line, Summary};
use crate::statistics::{finite, mean, read_backwards, variation};

/// The rows of Table 2, the one with the most time first.
pub(super) fn rows(measured: &Measured<'_>, line: Option<&Line>) -> Vec<ApplicationRow> {
    let programs = measured.basket.iter();
    programs.map(|program| row(program, line)).collect()
}

fn row(program: &Program<'_>, line: Option<&Line>) -> ApplicationRow {
    let application = program.application;
    ApplicationRow {
        name: application.name.clone(),
        about: application.about.clone(),
        lines: application.lines,
        classes: application.classes,
        methods: application.methods,
        tests: application.tests,
        runs: program.runs.len() as u64,
        seconds: program.milliseconds / 1e3,
        sends: program.sends,
        time_variation: variation(&milliseconds(&program.runs)),
        sends_variation: variation(&sends(&program.runs)),
        rate: program.sends / program.milliseconds,
        cost: program.cost.cloned(),
        residual: line.and_then(|line| residual(program, line)),
    }
}

fn residual(program: &Program<'_>, line: &Line) -> Option<f64> {
    let (given, _) = read_backwards(line, program.sends);
    finite(100.0 * (program.milliseconds - given?) / program.milliseconds)
}

/// What the columns come to. Variations are averaged over the rows that have one.
pub(super) fn summary(rows: &[ApplicationRow]) -> Option<Summary> {
    let rates: Vec<f64> = rows.iter().map(|row| row.rate).collect();
    let known = |of: fn(&ApplicationRow) -> Option<f64>| rows.iter().filter_map(of).collect();
    let of_time: Vec<f64> = known(|row| row.time_variation);
    let of_sends: Vec<f64> = known(|row| row.sends_variation);
    let (time_variation, sends_variation) = (mean(&of_time), mean(&of_sends));
    let ratio = time_variation.zip(sends_variation);
    Some(Summary {
        time_variation,
        sends_variation,
        ratio: ratio.and_then(|(time, sends)| finite(time / sends)),
        lowest_rate: rates.iter().copied().reduce(f64::min)?,
        mean_rate: mean(&rates)?,
        highest_rate: rates.iter().copied().reduce(f64::max)?,
        rate_variation: variation(&rates),
    })
}
