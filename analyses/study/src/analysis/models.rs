//! Beyond the paper: how well different counts predict time, over applications. Times are medians over rounds. A model is
//! to predict an undisturbed run, and one disturbed run of ten moves a mean but not a median.
//!
//! The cost vector's model has all eight counts as regressors, because each count stands for work of its own. A send
//! stands for passing arguments and finding the method, an activation for its frame, a block for its frame and its
//! captured variables. A repetition of a loop stands for its test and poll point, an object for its header and its
//! collection, a byte for being cleared and moved. A primitive stands for its inner work, a step for itself.
//! Many counts grow together (each send is a step), and sixteen programs cannot separate eight coefficients.
//! Since no coefficient may be negative, three or four of them stay above 0. Leaving out each program in turn shows
//! whether the model fits more than these programs.

use super::fitting::{Observation, errors, fit, left_out, spread};
use super::measured::{Measured, Program};
use crate::results::{Model, ModelRow, Regressor};
use crate::statistics::pearson;

/// What each row may go by.
const ROWS: [(&str, &[Regressor]); 4] = [
    ("sends alone", &[Regressor::Sends]),
    ("steps alone", &[Regressor::Steps]),
    (
        "sends, allocations and primitives",
        &[
            Regressor::Sends,
            Regressor::Objects,
            Regressor::Bytes,
            Regressor::Primitives,
        ],
    ),
    ("the cost vector", &Regressor::ALL),
];

/// The rows, sends alone first. A row uses the programs whose counts of its regressors are known; a row without programs
/// is left out.
pub(crate) fn rows(measured: &Measured<'_>) -> Vec<ModelRow> {
    let rows = ROWS
        .iter()
        .map(|(name, regressors)| row(measured, name, regressors));
    rows.filter(|row| row.model.programs > 0).collect()
}

fn row(measured: &Measured<'_>, name: &str, regressors: &[Regressor]) -> ModelRow {
    let programs = measured.basket.iter();
    let observations: Vec<Observation> = programs
        .filter_map(|program| observation(program, regressors))
        .collect();
    let coefficients = fit(&observations.iter().collect::<Vec<_>>());
    let predicted = left_out(&observations);
    let spread = spread(&observations, &predicted);
    let both: Vec<(f64, f64)> = observations
        .iter()
        .zip(&predicted)
        .map(|(program, predicted)| (*predicted, program.milliseconds))
        .collect();
    ModelRow {
        name: name.to_owned(),
        regressors: regressors.to_vec(),
        model: Model::of(regressors, &coefficients, observations.len(), spread),
        correlation: pearson(&both),
        leave_one_out: errors(&observations, &predicted),
    }
}

/// A program as an observation, if what the regressors ask for is known. Sends are known of every run.
fn observation(program: &Program<'_>, regressors: &[Regressor]) -> Option<Observation> {
    let amount = |regressor: &Regressor| match regressor {
        Regressor::Sends => Some(program.sends),
        other => Some(other.of(program.cost?) as f64),
    };
    Some(Observation {
        name: program.application.name.clone(),
        milliseconds: program.median,
        amounts: regressors.iter().map(amount).collect::<Option<_>>()?,
    })
}

/// The row of sends alone.
pub(crate) fn by_sends(models: &[ModelRow]) -> Option<&ModelRow> {
    models
        .iter()
        .find(|row| row.regressors == [Regressor::Sends])
}

/// The row of the whole cost vector.
pub(crate) fn by_vector(models: &[ModelRow]) -> Option<&ModelRow> {
    models.iter().find(|row| row.regressors == Regressor::ALL)
}
