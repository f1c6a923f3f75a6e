//! §3.3: the message rate in each context.

use super::measured::{Measured, Program, milliseconds, sends};
use crate::data::{Context, Role, Sample};
use crate::results::RateRow;
use crate::statistics::{mean, pearson, through_origin, variation};

/// A row for each context in which a program of the basket was timed, the normal one first.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<RateRow> {
    let contexts = measured.data.contexts().into_iter();
    contexts
        .filter_map(|context| row(measured, context))
        .collect()
}

fn row(measured: &Measured<'_>, context: &Context) -> Option<RateRow> {
    let applications = measured.applications(Role::Basket);
    let programs: Vec<Program<'_>> = applications
        .filter_map(|application| measured.program(application, &context.name))
        .collect();
    let points: Vec<(f64, f64)> = programs
        .iter()
        .map(|program| (program.milliseconds, program.sends))
        .collect();
    let line = through_origin(&points);
    let (time, count) = points.first()?;
    Some(RateRow {
        context: context.name.clone(),
        about: context.about.clone(),
        applications: programs.len() as u64,
        // The line through the origin and one point is the rate of that point.
        rate: line.as_ref().map_or(count / time, |line| line.slope),
        interval: line.as_ref().map(|line| line.slope_interval),
        time_variation: mean_variation(&programs, milliseconds),
        sends_variation: mean_variation(&programs, sends),
        correlation: pearson(&points),
    })
}

/// Mean over the programs of the variation of their runs.
fn mean_variation(programs: &[Program<'_>], of: fn(&[&Sample]) -> Vec<f64>) -> Option<f64> {
    let known = programs
        .iter()
        .filter_map(|program| variation(&of(&program.runs)));
    mean(&known.collect::<Vec<_>>())
}
