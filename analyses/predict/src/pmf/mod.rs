//! Probability mass functions of times: exact ones with rational numbers, and those on a grid.

mod exact;
mod grid;

pub use exact::Exact;
pub(crate) use grid::reach;
pub use grid::{Grid, Zoom};

use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::ToPrimitive;

use crate::error::PredictError;

/// A rational number.
pub type Rational = Ratio<BigInt>;

/// The number that is nearest, as far as floating point has one.
pub(crate) fn float(value: &Rational) -> f64 {
    let (above, below) = (value.numer(), value.denom());
    // The quotient of whole numbers has 64 bits or one more, which is more than a float has.
    let shift = 64 + below.bits() as i64 - above.bits() as i64;
    let quotient: BigInt = match shift >= 0 {
        true => (above << shift.unsigned_abs()) / below,
        false => above / (below << shift.unsigned_abs()),
    };
    let quotient = quotient.to_f64().unwrap_or(f64::NAN);
    // In two steps, because a power of two can be out of range where the result is not.
    let half = (shift / 2).clamp(-2_000, 2_000) as i32;
    let rest = (shift - shift / 2).clamp(-2_000, 2_000) as i32;
    quotient * 2.0_f64.powi(-half) * 2.0_f64.powi(-rest)
}

/// A distribution of times that expressions combine. All of them are independent.
pub trait Times: Clone {
    /// What all distributions of one expression share.
    type Scale;

    /// The distribution of an action.
    ///
    /// # Errors
    ///
    /// Its times have no place on the scale.
    fn of(exact: &Exact, scale: &Self::Scale) -> Result<Self, PredictError>;

    /// The time of one after the other.
    ///
    /// # Errors
    ///
    /// It has too many points.
    fn then(&self, other: &Self) -> Result<Self, PredictError>;

    /// The time of one of them, each with its probability. The probabilities sum to 1.
    ///
    /// # Errors
    ///
    /// It has too many points.
    fn mixture(parts: &[(Rational, Self)]) -> Result<Self, PredictError>;

    /// The time of repetitions, whose number has this distribution of whole numbers from 0 on.
    ///
    /// # Errors
    ///
    /// It has too many points.
    fn repeated(&self, counts: &Exact) -> Result<Self, PredictError>;

    /// The times in their order: the longest of all, the second longest and so on, each as a distribution of its own. Document 003 has the formula, in which
    /// we mend `X < t` to `X <= t`.
    ///
    /// # Errors
    ///
    /// One has too many points.
    fn sorted(all: &[Self]) -> Result<Vec<Self>, PredictError>;

    /// The time at which the last of these tasks is done, if CPUs take them in this order, the first that is free the next one.
    ///
    /// # Errors
    ///
    /// There are too many combinations of times at which CPUs are free.
    fn listed(tasks: &[Self], cpus: usize) -> Result<Self, PredictError>;

    /// The longest of the times.
    ///
    /// # Errors
    ///
    /// It has too many points.
    fn longest(all: &[Self]) -> Result<Self, PredictError>;
}

/// A distribution of times.
#[derive(Clone, Debug, PartialEq)]
pub enum Pmf {
    /// With rational numbers.
    Exact(Exact),
    /// On a grid, with floating point numbers.
    Grid(Grid),
}

impl Pmf {
    /// Its mean.
    pub fn mean(&self) -> f64 {
        match self {
            Pmf::Exact(exact) => float(&exact.mean()),
            Pmf::Grid(grid) => grid.mean(),
        }
    }

    /// Its variance.
    pub fn variance(&self) -> f64 {
        match self {
            Pmf::Exact(exact) => float(&exact.variance()),
            Pmf::Grid(grid) => grid.variance(),
        }
    }

    /// The smallest time with at least this probability that none is longer.
    pub fn quantile(&self, probability: &Rational) -> f64 {
        match self {
            Pmf::Exact(exact) => float(exact.quantile(probability)),
            Pmf::Grid(grid) => grid.quantile(float(probability)),
        }
    }
}
