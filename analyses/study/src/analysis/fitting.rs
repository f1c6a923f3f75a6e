//! Models of time fitted to observations, and their errors for observations that were left out.
//!
//! The fit minimises Σ((tᵢ − Σⱼ cⱼ xᵢⱼ) / tᵢ)², the squares of relative errors, with cⱼ ≥ 0. Sizes span three decades.
//! Least squares of times themselves would fit the one or two longest programs, and a user's program is as likely to be
//! short. A counted event takes time or takes none, so no coefficient may be negative. Without that bound, counts that
//! grow together would get large coefficients of opposite signs that hold for these programs alone.
//!
//! A prediction can be too high by any percentage, but too low by a hundred at most. So a program unlike all others,
//! which takes many times the time that its counts predict, hardly moves the model; that is intended. The price: where
//! rates differ much, predictions are too low on the whole. With one regressor, the bias is the square of the rates'
//! coefficient of variation. A symmetric loss, which weighs a factor and its reciprocal alike, would avoid the bias, but
//! one such program would dominate it. Spreads are taken about 0 and over all programs, so the intervals include both
//! effects.

use crate::results::{LeaveOneOut, NamedError};
use crate::statistics::{finite, median, non_negative};

/// Something whose time is known, with the counts that are to explain it.
#[derive(Clone, Debug)]
pub(super) struct Observation {
    /// The name of the program or method.
    pub(super) name: String,
    /// The measured time in milliseconds, above 0.
    pub(super) milliseconds: f64,
    /// The counts, a number for each regressor.
    pub(super) amounts: Vec<f64>,
}

impl Observation {
    /// The time that coefficients give it, in milliseconds.
    pub(super) fn predicted(&self, coefficients: &[f64]) -> f64 {
        let terms = self.amounts.iter().zip(coefficients);
        terms.map(|(amount, each)| amount * each).sum()
    }
}

/// Milliseconds for one of each regressor.
pub(super) fn fit(observations: &[&Observation]) -> Vec<f64> {
    let regressors = observations.first().map_or(0, |first| first.amounts.len());
    let shares = |j: usize| {
        let observations = observations.iter();
        observations.map(move |of| of.amounts[j] / of.milliseconds)
    };
    let columns: Vec<Vec<f64>> = (0..regressors).map(|j| shares(j).collect()).collect();
    non_negative(&columns, &vec![1.0; observations.len()])
}

/// Each observation's time in milliseconds as all the others predict it; empty with fewer than two.
pub(super) fn left_out(observations: &[Observation]) -> Vec<f64> {
    if observations.len() < 2 {
        return Vec::new();
    }
    let without = |out: usize| {
        let others = observations.iter().enumerate();
        let others: Vec<&Observation> = others
            .filter(|(index, _)| *index != out)
            .map(|(_, other)| other)
            .collect();
        observations[out].predicted(&fit(&others))
    };
    (0..observations.len()).map(without).collect()
}

/// The errors of such predictions.
pub(super) fn errors(observations: &[Observation], predicted: &[f64]) -> LeaveOneOut {
    let pairs = observations.iter().zip(predicted);
    let errors: Vec<NamedError> = pairs
        .map(|(observation, predicted)| NamedError {
            name: observation.name.clone(),
            error: 100.0 * (predicted / observation.milliseconds - 1.0),
        })
        .collect();
    worst_and_median(errors)
}

/// Errors with their median without signs, and the worst.
pub(super) fn worst_and_median(errors: Vec<NamedError>) -> LeaveOneOut {
    let sizes: Vec<f64> = errors.iter().map(|error| error.error.abs()).collect();
    let worst = errors.iter().reduce(|worst, error| {
        if error.error.abs() > worst.error.abs() {
            error
        } else {
            worst
        }
    });
    LeaveOneOut {
        median: median(&sizes),
        worst: worst.cloned(),
        errors,
    }
}

/// By how much log(measured / predicted) varies: its standard deviation about 0, √(Σ log² / n). Absent without predictions,
/// and when one of them is 0.
pub(super) fn spread(observations: &[Observation], predicted: &[f64]) -> Option<f64> {
    let pairs = observations.iter().zip(predicted);
    let squares: f64 = pairs
        .map(|(observation, predicted)| (observation.milliseconds / predicted).ln().powi(2))
        .sum();
    finite((squares / predicted.len() as f64).sqrt())
}
