//! Linear recurrences of sequences.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::linear;
use super::terms::sum_text;
use crate::error::PredictError;
use crate::pmf::Rational;

/// The largest order.
const MOST_ORDER: usize = 8;
/// The most values that are computed, the most bits of one, and of all together.
const MOST_TERMS: usize = 1_000_000;
const MOST_BITS: u64 = 1 << 17;
const MOST_WORK: u64 = 1 << 33;
/// Bits of fractions count as more, because their common divisor is found in each step.
const SLOWER: u64 = 16;

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
        // Else the first values would be free, as many as a stride has.
        let factors = linear::solved(&rows, order);
        let factors = factors.filter(|all| all.last().is_some_and(|last| !last.is_zero()))?;
        Some(Recurrence {
            stride,
            factors,
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
        let (first, given) = &self.first;
        if parameter < first {
            let why = format!("the recurrence begins at {first}, and {parameter} is before");
            return Err(PredictError::usage(why));
        }
        let place = (parameter - first).to_usize();
        let place = place.filter(|place| *place <= MOST_TERMS);
        let place = place.ok_or_else(|| too_far("it is followed for a million values"))?;
        // Whole numbers are much faster than fractions.
        let whole = |all: &[Rational]| -> Option<Vec<BigInt>> {
            let all = all.iter();
            all.map(|one| one.is_integer().then(|| one.to_integer()))
                .collect()
        };
        match (whole(&self.factors), whole(given)) {
            (Some(factors), Some(given)) => {
                let value = followed(&factors, self.stride, given, place, BigInt::bits)?;
                Ok(Rational::from_integer(value))
            }
            _ => {
                let bits = |one: &Rational| SLOWER * one.numer().bits().max(one.denom().bits());
                followed(&self.factors, self.stride, given.clone(), place, bits)
            }
        }
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

fn too_far(why: &str) -> PredictError {
    PredictError::limit(format!(
        "the value of the recurrence is too far away: {why}"
    ))
}

/// The value at this place behind the first one.
fn followed<T>(
    factors: &[T],
    stride: usize,
    mut values: Vec<T>,
    place: usize,
    bits: impl Fn(&T) -> u64,
) -> Result<T, PredictError>
where
    T: Clone + Zero,
    for<'a> &'a T: std::ops::Mul<&'a T, Output = T>,
{
    let needed = values.len();
    let mut work = 0_u64;
    while values.len() <= place {
        let before = (1..).map(|back| &values[values.len() - back * stride]);
        let parts = factors
            .iter()
            .zip(before)
            .map(|(factor, value)| factor * value);
        let next = parts.fold(T::zero(), |sum, part| sum + part);
        work = work.saturating_add(bits(&next));
        if bits(&next) > MOST_BITS || work > MOST_WORK {
            return Err(too_far("it has too many digits"));
        }
        values.push(next);
        // Only the last ones are needed.
        if let Some(old) = values.len().checked_sub(needed + 1) {
            values[old] = T::zero();
        }
    }
    Ok(values.swap_remove(place))
}
