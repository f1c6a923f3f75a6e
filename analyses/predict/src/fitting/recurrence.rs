//! Linear recurrences of sequences.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::linear;
use super::terms::sum_text;
use crate::error::PredictError;
use crate::pmf::Rational;

/// The largest order.
const MOST_ORDER: usize = 8;
/// The most terms that are computed, and the most bits of one.
const MOST_TERMS: u64 = 1_000_000;
const MOST_BITS: u64 = 1 << 17;

/// Each value is a sum of some of those before it, with factors.
#[derive(Clone, Debug, PartialEq)]
pub struct Recurrence {
    /// How far the values of the sum are apart.
    pub stride: usize,
    /// The factors of the value one stride before, of the one two strides before, and so on.
    pub factors: Vec<Rational>,
    /// The parameter of the first value, and as many values as the first sum needs.
    pub first: (BigInt, Vec<Rational>),
}

impl Recurrence {
    /// The shortest recurrence of the values, of which the first belongs to this parameter; none if its order is more than 8 (Massey, *Shift-Register Synthesis and BCH
    /// Decoding*, 1969).
    pub(super) fn of(first: &BigInt, values: &[Rational]) -> Option<Recurrence> {
        let (mut now, mut before) = (vec![Rational::one()], vec![Rational::one()]);
        let (mut order, mut since, mut last) = (0, 1, Rational::one());
        for (place, _) in values.iter().enumerate() {
            let known = now
                .iter()
                .take(order + 1)
                .zip(values[..=place].iter().rev());
            let difference: Rational = known.map(|(factor, value)| factor * value).sum();
            if difference.is_zero() {
                since += 1;
                continue;
            }
            let factor = &difference / &last;
            let mut next = now.clone();
            next.resize(next.len().max(before.len() + since), Rational::zero());
            for (part, one) in next[since..].iter_mut().zip(&before) {
                *part -= &factor * one;
            }
            if 2 * order <= place {
                (before, last) = (std::mem::replace(&mut now, next), difference);
                order = place + 1 - order;
                since = 1;
            } else {
                now = next;
                since += 1;
            }
            if order > MOST_ORDER {
                return None;
            }
        }
        now.resize(order + 1, Rational::zero());
        let factors = now.into_iter().skip(1).map(|factor| -factor);
        Some(Recurrence {
            stride: 1,
            factors: factors.collect(),
            first: (first.clone(), values.iter().take(order).cloned().collect()),
        })
    }

    /// The recurrence with this stride and number of factors that fits these values.
    pub(super) fn with_stride(
        first: &BigInt,
        values: &[Rational],
        (stride, order): (usize, usize),
    ) -> Option<Recurrence> {
        let reach = stride * order;
        let rows = (reach..values.len()).map(|place| {
            let before = (1..=order).map(|back| values[place - back * stride].clone());
            (before.collect(), values[place].clone())
        });
        let rows: Vec<(Vec<Rational>, Rational)> = rows.collect();
        Some(Recurrence {
            stride,
            factors: linear::solved(&rows, order)?,
            first: (first.clone(), values.iter().take(reach).cloned().collect()),
        })
    }

    /// How many numbers it has: factors and first values.
    pub(super) fn unknowns(&self) -> usize {
        self.factors.len() + self.first.1.len()
    }

    /// The value behind these, by the factors.
    fn next(&self, values: &[Rational]) -> Rational {
        let parts = (1..).zip(&self.factors);
        let parts = parts.map(|(back, factor)| factor * &values[values.len() - back * self.stride]);
        parts.sum()
    }

    /// Whether all values are those that it says.
    pub(super) fn fits(&self, values: &[Rational]) -> bool {
        let reach = self.first.1.len();
        reach > 0 && (reach..values.len()).all(|place| self.next(&values[..place]) == values[place])
    }

    /// The value at the parameter.
    ///
    /// # Errors
    ///
    /// The parameter is before the first one, or too far behind it.
    pub fn value(&self, parameter: &BigInt) -> Result<Rational, PredictError> {
        let place = (parameter - &self.first.0).to_u64();
        let place = place.filter(|place| *place <= MOST_TERMS).ok_or_else(|| {
            PredictError::limit(format!(
                "a recurrence is followed for {MOST_TERMS} values from its first one on"
            ))
        })?;
        let mut values = self.first.1.clone();
        while values.len() as u64 <= place {
            let next = self.next(&values);
            if next.numer().bits() > MOST_BITS {
                let why = "a value of the recurrence has more than 131,072 bits";
                return Err(PredictError::limit(why));
            }
            values.push(next);
            // Only the last ones are needed.
            let old = values.len() - self.first.1.len();
            if let Some(value) = old.checked_sub(1).and_then(|place| values.get_mut(place)) {
                *value = Rational::zero();
            }
        }
        Ok(values.swap_remove(place as usize))
    }

    /// The recurrence as a formula.
    pub fn text(&self, of: &str, name: &str) -> String {
        let parts = (1..).zip(&self.factors);
        let parts = parts.filter(|(_, factor)| !factor.is_zero());
        let parts = parts.map(|(count, factor)| {
            let back = count * self.stride;
            (factor, format!("{of}({name} - {back})"))
        });
        let sum = sum_text(parts);
        let (first, values) = &self.first;
        let values = values.iter().map(Rational::to_string).collect::<Vec<_>>();
        format!("{sum}, from {of}({first}) on {}", values.join(", "))
    }
}
