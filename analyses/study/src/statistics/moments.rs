//! Means, medians and measures of dispersion.

use statrs::statistics::{Data, Median, Statistics};

use super::finite;

/// The arithmetic mean; of no numbers none.
pub fn mean(numbers: &[f64]) -> Option<f64> {
    match numbers {
        [] => None,
        [first, ..] if all_equal(numbers) => finite(*first),
        _ => finite(numbers.mean()),
    }
}

/// The sample standard deviation, √(Σ(x − x̄)² / (n − 1)) (Bergel 2011, Appendix A; NIST/SEMATECH e-Handbook 1.3.5.6); of
/// fewer than two numbers none. Equal numbers have exactly 0, whatever rounding does to their sum.
pub fn deviation(numbers: &[f64]) -> Option<f64> {
    if numbers.len() < 2 {
        return None;
    }
    if all_equal(numbers) {
        return Some(0.0);
    }
    finite(numbers.std_dev())
}

/// The coefficient of variation in per cent: standard deviation to mean (Bergel 2011, §3.2). Equal numbers have 0, even zeros.
pub fn variation(numbers: &[f64]) -> Option<f64> {
    let deviation = deviation(numbers)?;
    if deviation == 0.0 {
        return Some(0.0);
    }
    finite(100.0 * deviation / mean(numbers)?)
}

/// The median, of an even number the mean of the two in the middle; of no numbers none.
pub fn median(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| Data::new(numbers.to_vec()).median())
}

/// The geometric mean, exp(mean of logarithms), of numbers above 0; of no numbers none.
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() {
        return None;
    }
    finite(numbers.geometric_mean())
}

/// Whether no two of the numbers differ.
pub fn all_equal(numbers: &[f64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] == pair[1])
}
