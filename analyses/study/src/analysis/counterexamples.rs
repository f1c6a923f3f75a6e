//! Programs whose count is a bad stand-in for time, and the errors of the basket's models for them.

use super::measured::{Measured, Program, sent};
use super::{by_sends, by_vector};
use crate::data::Role;
use crate::results::{CounterexampleRow, ModelRow};
use crate::statistics::finite;

/// The counter-examples, in the order in which they came. Their time is the median over rounds, as that of the models.
pub(super) fn rows(measured: &Measured<'_>, models: &[ModelRow]) -> Vec<CounterexampleRow> {
    let programs = measured.programs(Role::Counterexample);
    programs
        .iter()
        .map(|program| row(program, models))
        .collect()
}

fn row(program: &Program<'_>, models: &[ModelRow]) -> CounterexampleRow {
    let sent = sent(program);
    let factor = |predicted: f64| finite(program.median / predicted);
    let by_sends = by_sends(models).map(|row| row.model.milliseconds(&sent));
    let vector = by_vector(models).zip(program.cost);
    let by_vector = vector.map(|(row, cost)| row.model.milliseconds(cost));
    CounterexampleRow {
        name: program.application.name.clone(),
        about: program.application.about.clone(),
        sends: program.sends,
        milliseconds: program.median,
        rate: program.sends / program.median,
        cost: program.cost.cloned(),
        by_sends,
        factor_by_sends: by_sends.and_then(factor),
        by_vector,
        factor_by_vector: by_vector.and_then(factor),
    }
}
