//! Student's t: the number of standard deviations in an interval when the deviation itself is estimated.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::finite;

/// The probability below the upper end of a 95 % interval: half of the remainder lies above.
const BELOW_UPPER_END: f64 = 0.975;

/// Degrees of freedom above this bound count as the bound. They would change no printed digit, and their inverse is slow
/// to find.
const MOST_DEGREES: f64 = 10_000.0;

/// The factor of a two-sided 95 % interval with the given degrees of freedom, as a t table prints it: 2.145 for 14 (Bergel
/// 2011, §3.1). Without degrees of freedom there is none.
pub fn t95(degrees: f64) -> Option<f64> {
    let degrees = if degrees > MOST_DEGREES {
        MOST_DEGREES
    } else {
        degrees
    };
    let distribution = StudentsT::new(0.0, 1.0, degrees).ok()?;
    finite(distribution.inverse_cdf(BELOW_UPPER_END))
}
