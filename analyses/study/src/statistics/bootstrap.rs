//! Bootstrap intervals: the observations are resampled with replacement.

use super::{Random, finite, median};
use crate::results::Interval;

/// Resamples from which an interval is read.
pub const RESAMPLES: usize = 2000;

/// Fewest rounds that say anything about how rounds differ.
const FEWEST: usize = 3;

/// 95 % interval of (median of the first) / (median of the second) over paired rounds: the 2.5th and 97.5th percentile of the
/// ratio over rounds drawn again with replacement (Efron and Tibshirani, "An Introduction to the Bootstrap", chapter 13). A
/// round's pair is drawn together, since what disturbs one of it may disturb the other. Absent with fewer than three rounds
/// or when the second can be 0.
pub fn ratio_of_medians(pairs: &[(f64, f64)]) -> Option<Interval> {
    if pairs.len() < FEWEST {
        return None;
    }
    let mut random = Random::new(pairs.len() as u64);
    let mut ratios = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        let drawn = (0..pairs.len()).map(|_| pairs[random.below(pairs.len())]);
        let (above, below): (Vec<f64>, Vec<f64>) = drawn.unzip();
        ratios.push(finite(median(&above)? / median(&below)?)?);
    }
    ratios.sort_by(f64::total_cmp);
    Some(Interval {
        low: ratios[RESAMPLES / 40],
        high: ratios[RESAMPLES - 1 - RESAMPLES / 40],
    })
}
