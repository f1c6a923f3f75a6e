//! Models of time: the regressors of a cost, the predicted time, and its uncertainty.

use crate::data::Cost;
use crate::results::{Estimate, Interval, Model, Regressor};
use crate::statistics::{finite, t95};

/// Nanoseconds in a millisecond.
const NANOSECONDS: f64 = 1e6;

impl Regressor {
    /// All of them: the whole cost vector.
    pub const ALL: [Regressor; 8] = [
        Regressor::Sends,
        Regressor::Loops,
        Regressor::Activations,
        Regressor::Blocks,
        Regressor::Objects,
        Regressor::Bytes,
        Regressor::Steps,
        Regressor::Primitives,
    ];

    /// How much of it is in a cost.
    pub fn of(self, cost: &Cost) -> u64 {
        match self {
            Regressor::Sends => cost.sends,
            Regressor::Loops => cost.loops,
            Regressor::Activations => cost.activations,
            Regressor::Blocks => cost.blocks,
            Regressor::Objects => cost.objects,
            Regressor::Bytes => cost.bytes,
            Regressor::Steps => cost.steps,
            Regressor::Primitives => cost.primitives,
        }
    }
}

impl Model {
    /// The model that costs the given milliseconds for one of each regressor, without those that cost nothing.
    pub(crate) fn of(
        regressors: &[Regressor],
        milliseconds: &[f64],
        programs: usize,
        spread: Option<f64>,
    ) -> Model {
        let each = regressors.iter().zip(milliseconds);
        Model {
            nanoseconds: each
                .filter(|(_, milliseconds)| **milliseconds > 0.0)
                .map(|(regressor, milliseconds)| (*regressor, milliseconds * NANOSECONDS))
                .collect(),
            programs: programs as u64,
            spread,
        }
    }

    /// The time that a cost takes, in milliseconds.
    pub fn milliseconds(&self, cost: &Cost) -> f64 {
        let terms = self.nanoseconds.iter();
        let nanoseconds: f64 = terms
            .map(|(regressor, each)| each * regressor.of(cost) as f64)
            .sum();
        nanoseconds / NANOSECONDS
    }

    /// The time that a cost takes, with its 95 % interval: m · exp(± t s √(1 + 1/n)), where s is the spread and n the
    /// programs that the model was worked out from. Times are never below 0 and vary by factors, so their logarithms are
    /// taken to be normally distributed. t has n degrees of freedom less one for each regressor that costs something, at
    /// least one. This is the prediction interval of regression (NIST/SEMATECH e-Handbook 4.5.1.2), with the leverage of a
    /// mean. Absent if the spread is unknown.
    pub fn estimate(&self, cost: &Cost) -> Option<Estimate> {
        let milliseconds = finite(self.milliseconds(cost))?;
        let programs = self.programs as f64;
        let degrees = (programs - self.nanoseconds.len() as f64).max(1.0);
        let reach = t95(degrees)? * self.spread? * (1.0 + 1.0 / programs.max(1.0)).sqrt();
        Some(Estimate {
            milliseconds,
            interval: Interval {
                low: finite(milliseconds * (-reach).exp())?,
                high: finite(milliseconds * finite(reach.exp())?)?,
            },
        })
    }
}
