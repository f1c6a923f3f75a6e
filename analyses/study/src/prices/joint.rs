//! The joint fit: prices of counters that all code has, from all of their operations at once. An operation of such a counter has
//! other such counters, too, so that no order in which they are priced one by one is right.

use std::collections::BTreeMap;

use super::fit::unpriced;
use super::{Counts, Stage};
use crate::statistics::non_negative;

/// Rounds of reweighting. The prices do not change in the third digit after half as many.
const ROUNDS: usize = 40;

/// The least error, as a share of the cost, that has a weight of its own.
const SMALL: f64 = 0.02;

/// Prices of the counters of these stages, at least 0, that make the sum of the relative errors of all points least. They
/// are found by least squares in rounds: what erred by more in the last round counts less (iteratively reweighted least
/// squares; Holland and Welsch, "Robust regression using iteratively reweighted least-squares", 1977).
/// First the cost by the other prices is subtracted from each point. A point of which nothing remains is left out.
pub(super) fn jointly(stages: &[&Stage], others: &BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    let operations = stages.iter().flat_map(|stage| &stage.operations);
    let points = operations.flat_map(|operation| &operation.points);
    let costs = points.map(|point| (&point.counts, unpriced(point, others)));
    let rows: Vec<(&Counts, f64)> = costs.filter(|(_, cost)| *cost > 0.0).collect();
    let shares = |stage: &&Stage| -> Vec<f64> {
        let count = |counts: &Counts| counts.get(&stage.counter).copied().unwrap_or(0.0);
        rows.iter()
            .map(|(counts, cost)| count(counts) / cost)
            .collect()
    };
    let columns: Vec<Vec<f64>> = stages.iter().map(shares).collect();
    let names = stages.iter().map(|stage| stage.counter.clone());
    names.zip(least_errors(&columns, rows.len())).collect()
}

/// The coefficients by which the rows' sums err least from 1.
fn least_errors(columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
    let mut weights = vec![1.0; rows];
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let weighted: Vec<Vec<f64>> = columns
            .iter()
            .map(|column| product(column, &weights))
            .collect();
        found = non_negative(&weighted, &weights);
        for (row, weight) in weights.iter_mut().enumerate() {
            let terms = columns.iter().zip(&found);
            let sum: f64 = terms.map(|(column, price)| column[row] * price).sum();
            *weight = (sum - 1.0).abs().max(SMALL).sqrt().recip();
        }
    }
    found
}

fn product(column: &[f64], weights: &[f64]) -> Vec<f64> {
    let pairs = column.iter().zip(weights);
    pairs.map(|(share, weight)| share * weight).collect()
}
