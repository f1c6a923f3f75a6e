//! Intervals of prices: operations and runs are drawn again with replacement.

use std::collections::BTreeMap;

use super::fit::by_counter;
use super::{Measured, Operation, Point, Price, Stage};
use crate::results::Interval;
use crate::statistics::{Random, percentiles};

/// Draws from which the intervals are read.
const DRAWS: usize = 400;

/// Prices with their intervals: the 2.5th and 97.5th percentile over draws (Efron and Tibshirani, "An Introduction to the
/// Bootstrap", chapter 13). Operations are drawn, because another choice of operations gives other prices; runs of
/// a point are drawn, because another day gives other times.
pub fn prices(measured: &Measured) -> Vec<Price> {
    let stages = &measured.stages;
    let mut random = Random::new(stages.len() as u64);
    let mut drawn: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for _ in 0..DRAWS {
        for (counter, price) in by_counter(&draw(measured, &mut random)) {
            drawn.entry(counter).or_default().push(price);
        }
    }
    let found = by_counter(measured);
    let price = |stage: &Stage| {
        let counter = &stage.counter;
        let each = found.get(counter).copied().unwrap_or(0.0);
        let draws = drawn.remove(counter).unwrap_or_default();
        Price {
            counter: counter.clone(),
            each,
            interval: interval(draws, each),
            operations: stage.operations.len() as u64,
        }
    };
    stages.iter().map(price).collect()
}

fn draw(measured: &Measured, random: &mut Random) -> Measured {
    let stages = measured.stages.iter().map(|stage| Stage {
        counter: stage.counter.clone(),
        is_common: stage.is_common,
        is_mixed: stage.is_mixed,
        operations: drawn(&stage.operations, random),
    });
    Measured {
        stages: stages.collect(),
        mixed: drawn(&measured.mixed, random),
    }
}

fn drawn(operations: &[Operation], random: &mut Random) -> Vec<Operation> {
    let operations = again(operations, random).into_iter();
    operations
        .map(|operation| with_runs(operation, random))
        .collect()
}

fn with_runs(operation: &Operation, random: &mut Random) -> Operation {
    let points = operation.points.iter().map(|point| Point {
        runs: again(&point.runs, random).into_iter().copied().collect(),
        ..point.clone()
    });
    Operation {
        name: operation.name.clone(),
        points: points.collect(),
    }
}

/// As many things, drawn with replacement.
fn again<'t, T>(things: &'t [T], random: &mut Random) -> Vec<&'t T> {
    let places = (0..things.len()).map(|_| random.below(things.len()));
    places.map(|place| &things[place]).collect()
}

/// Both percentiles, widened to what was found.
fn interval(draws: Vec<f64>, found: f64) -> Interval {
    let Interval { low, high } = percentiles(draws).unwrap_or(Interval {
        low: found,
        high: found,
    });
    Interval {
        low: low.min(found),
        high: high.max(found),
    }
}
