//! Bootstrap intervals: the observations are resampled with replacement.

use super::{Random, finite, median};
use crate::results::Interval;

/// Resamples from which an interval is read.
pub const RESAMPLES: usize = 2000;

/// Fewest observations that say anything about how they differ.
const FEWEST: usize = 3;

/// 95 % interval of (median of the first) / (median of the second) over paired rounds: the 2.5th and 97.5th percentile of the
/// ratio over rounds drawn again with replacement (Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13). A
/// round's pair is drawn together, since what disturbs one of it may disturb the other. Absent with fewer than three rounds
/// or when the second can be 0.
pub fn ratio_of_medians(pairs: &[(f64, f64)]) -> Option<Interval> {
    resampled(pairs, |drawn| {
        let (above, below): (Vec<f64>, Vec<f64>) = drawn.iter().copied().unzip();
        finite(median(&above)? / median(&below)?)
    })
}

/// 95 % interval of a statistic over observations that are drawn again with replacement: the 2.5th and 97.5th percentile.
/// Absent with fewer than three observations, or where a draw has no such statistic.
pub fn resampled<T: Copy>(
    observations: &[T],
    statistic: impl Fn(&[T]) -> Option<f64>,
) -> Option<Interval> {
    if observations.len() < FEWEST {
        return None;
    }
    let mut random = Random::new(observations.len() as u64);
    let mut found = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let drawn = observations
            .iter()
            .map(|_| observations[random.below(observations.len())]);
        let drawn: Vec<T> = drawn.collect();
        found.push(statistic(&drawn)?);
    }
    percentiles(found)
}

/// The 2.5th and the 97.5th percentile of what was drawn; of nothing none.
pub fn percentiles(mut drawn: Vec<f64>) -> Option<Interval> {
    drawn.sort_by(f64::total_cmp);
    let outside = drawn.len() / 40;
    let high = drawn.len().checked_sub(1 + outside)?;
    Some(Interval {
        low: *drawn.get(outside)?,
        high: *drawn.get(high)?,
    })
}
