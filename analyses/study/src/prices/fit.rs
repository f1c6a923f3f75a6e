//! The fit: a counter's price is the median over its operations of what a unit costs in each. What earlier stages have priced is
//! subtracted before. The counters that all code has are priced jointly; mixed operations then set the level of what is called.

use std::collections::BTreeMap;

use super::joint::jointly;
use super::{Measured, Operation, OperationCost, Point, Stage};
use crate::statistics::{finite, median, theil_sen};

/// The prices by these measurements.
pub fn by_counter(measured: &Measured) -> BTreeMap<String, f64> {
    let mut prices = by_stage(&measured.stages);
    let level = level_by(measured, &prices);
    for stage in measured.stages.iter().filter(|stage| stage.is_mixed) {
        if let Some(price) = prices.get_mut(&stage.counter) {
            *price *= level;
        }
    }
    prices
}

/// By what factor the counters of mixed code cost more in mixed operations than in operations of their own: the median.
pub fn level(measured: &Measured) -> f64 {
    level_by(measured, &by_stage(&measured.stages))
}

fn level_by(measured: &Measured, prices: &BTreeMap<String, f64>) -> f64 {
    let mut others = prices.clone();
    for stage in measured.stages.iter().filter(|stage| stage.is_mixed) {
        others.remove(&stage.counter);
    }
    let points = measured.mixed.iter().flat_map(|o| &o.points);
    let factors: Vec<f64> = points
        .filter_map(|point| {
            let own = unpriced(point, &others) - unpriced(point, prices);
            finite(unpriced(point, &others) / own)
        })
        .collect();
    median(&factors).unwrap_or(1.0).max(0.0)
}

/// The prices by these stages alone, in their order. Where the first one stands of those that all code has, all of these
/// are priced.
pub(super) fn by_stage(stages: &[Stage]) -> BTreeMap<String, f64> {
    let mut prices = BTreeMap::new();
    for stage in stages {
        if prices.contains_key(&stage.counter) {
            continue;
        }
        if stage.is_common {
            let common: Vec<&Stage> = stages.iter().filter(|stage| stage.is_common).collect();
            let found = jointly(&common, &prices);
            prices.extend(found);
        } else {
            let price = alone(stage, &prices);
            prices.insert(stage.counter.clone(), price);
        }
    }
    prices
}

/// The price of a stage's counter by its operations alone. No event takes negative time.
fn alone(stage: &Stage, prices: &BTreeMap<String, f64>) -> f64 {
    let units = stage.operations.iter();
    let units: Vec<f64> = units
        .filter_map(|operation| unit(&stage.counter, &operation.points, prices))
        .collect();
    median(&units).unwrap_or(0.0).max(0.0)
}

/// What a point costs beyond what is priced.
pub(super) fn unpriced(point: &Point, prices: &BTreeMap<String, f64>) -> f64 {
    let priced = point.counts.iter().map(|(counter, count)| {
        let price = prices.get(counter).copied().unwrap_or(0.0);
        price * count
    });
    point.cost() - priced.sum::<f64>()
}

/// What a unit of the counter costs by these points: the slope over sizes, of a single point its share.
fn unit(counter: &str, points: &[Point], prices: &BTreeMap<String, f64>) -> Option<f64> {
    let pair = |point: &Point| {
        let count = point.counts.get(counter).copied().unwrap_or(0.0);
        (count, unpriced(point, prices))
    };
    let pairs: Vec<(f64, f64)> = points.iter().map(pair).collect();
    match pairs.as_slice() {
        [(count, cost)] => finite(cost / count),
        pairs => theil_sen(pairs),
    }
}

/// An operation's costs beside the prices: those of its own counter, and those of all before it.
pub(super) fn cost(
    counter: &str,
    operation: &Operation,
    prices: &BTreeMap<String, f64>,
) -> OperationCost {
    let mut others = prices.clone();
    others.remove(counter);
    let neighbours = operation.points.windows(2);
    let error = |point: &Point| finite(-100.0 * unpriced(point, prices) / point.cost());
    OperationCost {
        counter: counter.to_owned(),
        operation: operation.name.clone(),
        sizes: operation.points.iter().map(|point| point.size).collect(),
        unit: unit(counter, &operation.points, &others),
        by_size: neighbours
            .map(|pair| unit(counter, pair, &others))
            .collect(),
        errors: operation.points.iter().map(error).collect(),
    }
}
