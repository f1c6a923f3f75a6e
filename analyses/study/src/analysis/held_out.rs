//! Predictions of programs that were not used to fit the model (§3.1, the paper's GitFS).

use super::measured::{Measured, Program, milliseconds, sent};
use super::{by_sends, by_vector};
use crate::data::Role;
use crate::results::{HeldOut, Line, ModelRow};
use crate::statistics::{deviation, read_backwards};

/// The held-out programs, in the order in which they came.
pub(super) fn rows(
    measured: &Measured<'_>,
    line: Option<&Line>,
    models: &[ModelRow],
) -> Vec<HeldOut> {
    let programs = measured.programs(Role::HeldOut);
    let rows = programs.iter().map(|program| row(program, line, models));
    rows.collect()
}

fn row(program: &Program<'_>, line: Option<&Line>, models: &[ModelRow]) -> HeldOut {
    let (predicted, interval) =
        line.map_or((None, None), |line| read_backwards(line, program.sends));
    let is_inside = interval.map(|interval| {
        interval.low <= program.milliseconds && program.milliseconds <= interval.high
    });
    let sent = sent(program);
    let vector = by_vector(models).zip(program.cost);
    HeldOut {
        name: program.application.name.clone(),
        sends: program.sends,
        milliseconds: program.milliseconds,
        deviation: deviation(&milliseconds(&program.runs)),
        predicted,
        interval,
        is_inside,
        by_sends: by_sends(models).and_then(|row| row.model.estimate(&sent)),
        by_vector: vector.and_then(|(row, cost)| row.model.estimate(cost)),
    }
}
