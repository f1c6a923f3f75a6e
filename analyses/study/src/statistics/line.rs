//! Straight lines by least squares, with their standard errors and intervals.

use super::{all_equal, finite, mean, median, t95};
use crate::results::{Interval, Line};

/// The line y = a + b x with the least squares of its errors: b = SSxy / SSxx, a = ȳ − b x̄, s_e = √((SSyy − b SSxy) / (n − 2)),
/// s_b = s_e / √SSxx (Bergel 2011, Appendix A, after Mann, "Introductory Statistics"). The sums are of deviations from the means
/// and of errors themselves, which is the same and loses fewer digits. Points are (x, y); absent with fewer than three of them or
/// when all x are equal.
pub fn with_intercept(points: &[(f64, f64)]) -> Option<Line> {
    let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    if points.len() < 3 || all_equal(&xs) {
        return None;
    }
    let (x, y) = (mean(&xs)?, mean(&ys)?);
    let xx = sum(points, |(px, _)| (px - x).powi(2));
    let xy = sum(points, |(px, py)| (px - x) * (py - y));
    let slope = finite(xy / xx)?;
    let intercept = y - slope * x;
    complete(Line {
        intercept,
        slope,
        error: error(points, intercept, slope, 2),
        slope_error: error(points, intercept, slope, 2) / xx.sqrt(),
        degrees: (points.len() - 2) as f64,
        ..Line::default()
    })
}

/// The line y = b x with the least squares of its errors: b = Σxy / Σx², s_e = √(Σ(y − b x)² / (n − 1)), s_b = s_e / √Σx²
/// (NIST/SEMATECH e-Handbook of Statistical Methods 2.3.6, "no-intercept model"; n − 1, since only one number is estimated).
/// Points are (x, y); absent with fewer than two of them or when all x are 0.
pub fn through_origin(points: &[(f64, f64)]) -> Option<Line> {
    let xx = sum(points, |(x, _)| x * x);
    if points.len() < 2 || xx == 0.0 {
        return None;
    }
    let slope = finite(sum(points, |(x, y)| x * y) / xx)?;
    complete(Line {
        slope,
        through_origin: true,
        error: error(points, 0.0, slope, 1),
        slope_error: error(points, 0.0, slope, 1) / xx.sqrt(),
        degrees: (points.len() - 1) as f64,
        ..Line::default()
    })
}

/// Where a line reaches y, x = (y − a) / b, and the interval that both ends of the slope's interval give (Bergel 2011, §3.1:
/// "2 965" and "[2 743, 3 225]"). It knows nothing of how far single points lie from the line, so it is narrower than a
/// prediction interval. Where the slope could be 0 there is no interval, and where it is 0 no x.
pub fn read_backwards(line: &Line, y: f64) -> (Option<f64>, Option<Interval>) {
    let at = |slope: f64| finite((y - line.intercept) / slope);
    let Interval { low, high } = line.slope_interval;
    let ends = at(low).zip(at(high)).filter(|_| low * high > 0.0);
    let interval = ends.map(|(one, other)| Interval {
        low: one.min(other),
        high: one.max(other),
    });
    (at(line.slope), interval)
}

/// The median of the slopes of the lines through two points each, in any order of them (Theil, "A rank-invariant method of linear
/// and polynomial regression analysis", 1950; Sen, "Estimates of the regression coefficient based on Kendall's tau", 1968). Points
/// are (x, y); absent if all x are equal.
pub fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let pairs = points.iter().enumerate();
    let slopes: Vec<f64> = pairs
        .flat_map(|(index, one)| points[..index].iter().map(move |other| (one, other)))
        .filter_map(|(one, other)| finite((one.1 - other.1) / (one.0 - other.0)))
        .collect();
    median(&slopes)
}

/// Standard deviation of errors about a line that `estimated` numbers were worked out for.
fn error(points: &[(f64, f64)], intercept: f64, slope: f64, estimated: usize) -> f64 {
    let squares = sum(points, |(x, y)| (y - intercept - slope * x).powi(2));
    (squares / (points.len() - estimated) as f64).sqrt()
}

/// The line with the 95 % interval of its slope, b ± t s_b.
fn complete(line: Line) -> Option<Line> {
    let reach = finite(t95(line.degrees)? * line.slope_error)?;
    finite(line.error)?;
    Some(Line {
        slope_interval: Interval {
            low: line.slope - reach,
            high: line.slope + reach,
        },
        ..line
    })
}

fn sum(points: &[(f64, f64)], term: impl Fn((f64, f64)) -> f64) -> f64 {
    points.iter().copied().map(term).sum()
}
