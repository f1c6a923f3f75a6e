//! Correlation of two quantities.

use statrs::statistics::{Data, OrderStatistics, RankTieBreaker, Statistics};

use super::{all_equal, deviation, finite};
use crate::results::Correlation;

/// Pearson's r, covariance to the product of the standard deviations; absent with fewer than two points or when one side does
/// not vary.
pub fn pearson(points: &[(f64, f64)]) -> Option<f64> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    if all_equal(&xs) || all_equal(&ys) {
        return None;
    }
    let r = xs.as_slice().covariance(ys.as_slice()) / (deviation(&xs)? * deviation(&ys)?);
    finite(r).map(|r| r.clamp(-1.0, 1.0))
}

/// Spearman's rank correlation: Pearson's r of the ranks, equal values having the mean of theirs (Spearman 1904).
pub fn spearman(points: &[(f64, f64)]) -> Option<f64> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    pearson(&ranks(xs).into_iter().zip(ranks(ys)).collect::<Vec<_>>())
}

/// Pearson's r of the logarithms, so that long programs do not dominate; points with a side at 0 or below are left out.
pub fn log_pearson(points: &[(f64, f64)]) -> Option<f64> {
    let positive = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0);
    pearson(&positive.map(|(x, y)| (x.ln(), y.ln())).collect::<Vec<_>>())
}

/// All three.
pub fn correlation(points: &[(f64, f64)]) -> Correlation {
    Correlation {
        pearson: pearson(points),
        rank: spearman(points),
        logarithms: log_pearson(points),
    }
}

fn ranks(numbers: Vec<f64>) -> Vec<f64> {
    Data::new(numbers).ranks(RankTieBreaker::Average)
}
