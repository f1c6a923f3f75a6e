//! Axes: the positions of values, and the values that are labelled.

use crate::figure::compact;

/// Lines across, about.
const LINES: f64 = 5.0;
/// Decades of a logarithmic axis that each have a line.
const DECADES: i32 = 8;
/// Exponents stay within this.
const EXPONENT: f64 = 300.0;

/// An axis from one value to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Axis {
    /// Equal steps.
    Linear {
        /// The least value.
        low: f64,
        /// The greatest value.
        high: f64,
        /// From one line to the next.
        step: f64,
    },
    /// Equal factors; the powers of ten at its ends.
    Logarithmic {
        /// The least power of ten.
        low: i32,
        /// The greatest power of ten.
        high: i32,
    },
}

impl Axis {
    /// An axis with 0 on it, and room for all the values.
    pub fn linear(values: Vec<f64>) -> Axis {
        let values: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite())
            .collect();
        let low = values.iter().copied().fold(0.0, f64::min);
        let high = values.iter().copied().fold(0.0, f64::max);
        let range = high - low;
        let step = match range > 0.0 && range.is_finite() {
            true => round_step(range / LINES),
            false => 1.0,
        };
        let low = (low / step).floor() * step;
        let high = ((high / step).ceil() * step).max(low + step);
        Axis::Linear { low, high, step }
    }

    /// A logarithmic axis with room for all the values above 0.
    pub fn logarithmic(values: Vec<f64>) -> Axis {
        let powers: Vec<f64> = values
            .into_iter()
            .filter(|value| value.is_finite() && *value > 0.0)
            .map(f64::log10)
            .collect();
        let least = powers.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0);
        let most = powers.iter().copied().max_by(f64::total_cmp).unwrap_or(0.0);
        let low = whole(least.floor());
        Axis::Logarithmic {
            low,
            high: whole(most.ceil()).max(low + 1),
        }
    }

    /// Where a value stands between the ends, from 0 to 1; nowhere if the axis has no place for it.
    pub fn part(self, value: f64) -> Option<f64> {
        let part = match self {
            Axis::Linear { low, high, .. } => (value - low) / (high - low),
            Axis::Logarithmic { .. } if value <= 0.0 => return None,
            Axis::Logarithmic { low, high } => {
                (value.log10() - f64::from(low)) / f64::from(high - low)
            }
        };
        (part.is_finite() && (-1e-9..=1.0 + 1e-9).contains(&part)).then_some(part)
    }

    /// The value at that part of the way.
    pub fn value(self, part: f64) -> f64 {
        match self {
            Axis::Linear { low, high, .. } => low + (high - low) * part,
            Axis::Logarithmic { low, high } => {
                10f64.powf(f64::from(low) + f64::from(high - low) * part)
            }
        }
    }

    /// The values that are written beside the axis.
    pub fn ticks(self) -> Vec<(f64, String)> {
        let values: Vec<f64> = match self {
            Axis::Linear { low, high, step } => {
                let lines = whole(((high - low) / step).round());
                (0..=lines.clamp(1, 40))
                    .map(|line| low + step * f64::from(line))
                    .collect()
            }
            Axis::Logarithmic { low, high } => decades(low, high),
        };
        values
            .into_iter()
            .map(|value| (value, compact(value)))
            .collect()
    }
}

fn decades(low: i32, high: i32) -> Vec<f64> {
    let range = high - low;
    let stride = (range + DECADES - 1) / DECADES;
    let factors: &[f64] = match range {
        1 => &[1.0, 2.0, 5.0],
        2 => &[1.0, 3.0],
        _ => &[1.0],
    };
    let powers = (low..=high).filter(|power| (power - low) % stride.max(1) == 0);
    let values =
        powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    values
        .filter(|value| *value <= 10f64.powi(high) * 1.000_001)
        .collect()
}

/// A whole number, within what an axis may have.
#[expect(clippy::cast_possible_truncation, reason = "it is clamped first")]
fn whole(number: f64) -> i32 {
    number.clamp(-EXPONENT, EXPONENT) as i32
}

/// The next larger of …, 0.1, 0.2, 0.5, 1, 2, 5, …
fn round_step(least: f64) -> f64 {
    let power = 10f64.powi(whole(least.log10().floor()));
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    let found = steps.into_iter().find(|step| *step >= least * 0.999_999);
    let step = found.unwrap_or(power * 10.0);
    if step > 0.0 && step.is_finite() {
        step
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels(axis: Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn lines_stand_at_round_values() {
        assert_eq!(
            labels(Axis::linear(vec![3.0, 87.0])),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(Axis::linear(vec![-3.0, 7.0])),
            ["-4", "-2", "0", "2", "4", "6", "8"]
        );
        assert_eq!(
            labels(Axis::logarithmic(vec![3.0, 870.0])),
            ["1", "10", "100", "1,000"]
        );
        assert_eq!(
            labels(Axis::logarithmic(vec![3.0, 7.0])),
            ["1", "2", "5", "10"]
        );
    }

    #[test]
    fn without_values_there_is_an_axis() {
        assert_eq!(labels(Axis::linear(vec![])), ["0", "1"]);
        assert_eq!(
            labels(Axis::logarithmic(vec![0.0, -1.0, f64::NAN])),
            ["1", "2", "5", "10"]
        );
    }

    proptest! {
        #[test]
        fn every_value_has_a_place_and_lines_are_few(values in prop::collection::vec(-1e300f64..1e300, 1..20)) {
            for axis in [Axis::linear(values.clone()), Axis::logarithmic(values.clone())] {
                prop_assert!(axis.ticks().len() <= 41);
                for value in &values {
                    let part = axis.part(*value);
                    prop_assert!(part.is_some() || (*value <= 0.0 && matches!(axis, Axis::Logarithmic { .. })), "{axis:?} {value}");
                }
            }
        }
    }
}
