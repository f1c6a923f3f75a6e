//! Plain statistics over slices of numbers, independent of programs and messages. Each function names the source of its
//! formula. An undetermined result is absent; no function returns an infinity or a NaN.

mod bootstrap;
mod correlation;
mod line;
mod moments;
mod non_negative;
mod random;
mod ranking;
mod student;
#[cfg(test)]
mod tests;

pub use bootstrap::{RESAMPLES, percentiles, ratio_of_medians, resampled};
pub use correlation::{correlation, log_pearson, pearson, spearman};
pub use line::{read_backwards, theil_sen, through_origin, with_intercept};
pub use moments::{all_equal, deviation, geometric_mean, mean, median, variation};
pub use non_negative::non_negative;
pub use random::Random;
pub use ranking::{MOST_RANDOM, instability, random_instability};
pub use student::t95;

/// The number, if it is one and finite.
pub fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}
