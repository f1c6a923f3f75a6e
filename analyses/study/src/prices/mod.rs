//! Prices of the counters of the cost vector: what a unit of each costs on a machine, from measurements of single operations. No
//! program that the prices are judged by has a share in them.

mod calibration;
mod fit;
mod intervals;
mod joint;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use calibration::{Calibration, CalibrationError};
pub use fit::{by_counter, level};
pub use intervals::prices;

use crate::results::Interval;

/// How much of each counter something cost, by the counter's name. Counters that are 0 may be absent.
pub type Counts = BTreeMap<String, f64>;

/// All that prices are computed from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// The counters with their operations, in the order in which they are priced.
    pub stages: Vec<Stage>,
    /// Operations that mix messages of many kinds, as programs do.
    pub mixed: Vec<Operation>,
}

/// Operations that price a counter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stage {
    /// The counter that it prices.
    pub counter: String,
    /// Whether all code has the counter. All such counters are priced jointly.
    pub is_common: bool,
    /// Whether mixed operations decide on the level of the price. A processor foresees a loop over one message, so that what
    /// the message calls costs less there than among others.
    pub is_mixed: bool,
    /// The operations whose costs decide on the price.
    pub operations: Vec<Operation>,
}

/// An operation, measured at one or more sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its costs, by size.
    pub points: Vec<Point>,
}

/// What an operation cost at one size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Point {
    /// The size; 1 for an operation that has none.
    pub size: u64,
    /// How much of each counter one repetition costs.
    pub counts: Counts,
    /// How often the operation is repeated in a run.
    pub repetitions: f64,
    /// What runs with the repetitions took, and as many runs without.
    pub runs: Vec<[f64; 2]>,
}

impl Point {
    /// What one repetition takes: the difference of the least of both kinds of runs, because a disturbance only ever adds.
    pub fn cost(&self) -> f64 {
        let least = |kind: usize| {
            let runs = self.runs.iter().map(|run| run[kind]);
            runs.fold(f64::INFINITY, f64::min)
        };
        (least(0) - least(1)) / self.repetitions
    }
}

/// The price of a counter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// The counter's name.
    pub counter: String,
    /// What a unit costs.
    pub each: f64,
    /// The 95 % interval.
    pub interval: Interval,
    /// The operations that decided on it.
    pub operations: u64,
}

/// What counts cost together, and the interval of the sum when all prices are at the same ends of theirs.
pub fn total(prices: &[Price], counts: &Counts) -> Price {
    let mut total = Price::default();
    for price in prices {
        let count = counts.get(&price.counter).copied().unwrap_or(0.0);
        total.each += count * price.each;
        total.interval.low += count * price.interval.low;
        total.interval.high += count * price.interval.high;
    }
    total
}

/// What an operation costs, beside its price.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperationCost {
    /// The counter that it prices.
    pub counter: String,
    /// The operation's name.
    pub operation: String,
    /// Its sizes.
    pub sizes: Vec<u64>,
    /// What a unit of the counter costs in it.
    pub unit: Option<f64>,
    /// What a unit costs between each two neighbouring sizes.
    pub by_size: Vec<Option<f64>>,
    /// The errors of the costs that the prices give the operation at its sizes, in per cent.
    pub errors: Vec<Option<f64>>,
}

/// The costs of all operations that price one counter, held against the prices by these operations alone.
pub fn costs(stages: &[Stage]) -> Vec<OperationCost> {
    let prices = fit::by_stage(stages);
    let of_stage = |stage: &Stage| -> Vec<OperationCost> {
        let operations = stage.operations.iter();
        operations
            .map(|operation| fit::cost(&stage.counter, operation, &prices))
            .collect()
    };
    stages.iter().flat_map(of_stage).collect()
}
