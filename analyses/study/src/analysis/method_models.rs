//! The errors of models for the methods of an application: own time from own counts. A method has counts of sends,
//! activations, activations of blocks, objects and bytes. These models miss all other work, such as work inside
//! primitives.

use std::collections::BTreeSet;

use super::fitting::{Observation, errors, left_out};
use super::measured::Measured;
use super::methods::{LEAST_SAMPLES, sampled_times};
use crate::data::{Application, Form, MethodRow, NORMAL};
use crate::results::MethodModelRow;
use crate::statistics::pearson;

/// Fewest methods that a row says anything about.
const FEWEST: usize = 3;

/// A row for each program of the basket with enough methods whose own time is known well enough, in the order of Table 2.
pub(super) fn rows(measured: &Measured<'_>) -> Vec<MethodModelRow> {
    let programs = measured.basket.iter();
    programs
        .filter_map(|program| row(measured, program.application))
        .collect()
}

fn row(measured: &Measured<'_>, application: &Application) -> Option<MethodModelRow> {
    let methods = observations(measured, application)?;
    if methods.len() < FEWEST {
        return None;
    }
    let sends: Vec<Observation> = methods.iter().map(by_sends_alone).collect();
    let predicted = left_out(&methods);
    let predicted_by_sends = left_out(&sends);
    Some(MethodModelRow {
        application: application.name.clone(),
        methods: methods.len() as u64,
        by_sends: correlation(&sends, &predicted_by_sends),
        by_vector: correlation(&methods, &predicted),
        error_by_sends: errors(&sends, &predicted_by_sends).median,
        error_by_vector: errors(&methods, &predicted).median,
    })
}

/// Pearson's r of times and what the others predict.
fn correlation(methods: &[Observation], predicted: &[f64]) -> Option<f64> {
    let pairs = methods.iter().zip(predicted);
    let pairs: Vec<(f64, f64)> = pairs.map(|(of, given)| (*given, of.milliseconds)).collect();
    pearson(&pairs)
}

/// The methods that are known well enough, with their counts; absent if the application was not sampled or its cost vector is
/// not known.
fn observations(measured: &Measured<'_>, application: &Application) -> Option<Vec<Observation>> {
    let times = sampled_times(measured, application)?;
    let vectors = measured.data.samples(application, NORMAL, Form::Vector);
    let counted = vectors.iter().find_map(|run| run.methods.as_ref())?;
    let mut seen = BTreeSet::new();
    let rows = counted
        .listed
        .iter()
        .filter(|row| seen.insert(row.name.as_str()));
    let observations = rows.filter_map(|row| {
        let time = times.get(row.name.as_str())?.own;
        (time.samples >= LEAST_SAMPLES).then(|| Observation {
            name: row.name.clone(),
            milliseconds: time.milliseconds,
            amounts: amounts(row),
        })
    });
    Some(observations.collect())
}

fn amounts(row: &MethodRow) -> Vec<f64> {
    let counts = [row.own, row.calls, row.block_calls, row.objects, row.bytes];
    counts.map(|count| count as f64).to_vec()
}

fn by_sends_alone(method: &Observation) -> Observation {
    Observation {
        amounts: method.amounts[..1].to_vec(),
        ..method.clone()
    }
}
