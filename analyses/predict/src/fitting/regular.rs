//! 2-regular sequences: costs of algorithms that divide and conquer (Allouche, Shallit: *The ring of k-regular sequences*, 1992). The values at 2n and at 2n + 1 are sums of a
//! few sequences' values at n, with factors, and so are those of the few sequences.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use super::approximate::Approximation;
use super::linear;
use super::screen::{may_fit, residue};
use crate::error::PredictError;
use crate::pmf::{Rational, float};

/// The most sequences.
const MOST_SEQUENCES: usize = 4;
/// The parameters from which on the sums may hold.
const BEGINNINGS: &[usize] = &[1, 2, 4, 8];
/// How many more points than unknown numbers confirm each sum.
const CONFIRMING: usize = 4;

/// The logarithms of the sizes between which growth is described.
const GROWTH: (u32, u32) = (10, 26);

/// A 2-regular sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Regular {
    /// The factors for 2n, and those for 2n + 1: a row for each sequence.
    pub steps: [Vec<Vec<Rational>>; 2],
    /// From this parameter on they hold.
    pub beginning: usize,
    /// The values of all sequences from there up to twice the parameter.
    pub first: Vec<Vec<Rational>>,
}

/// A subsequence: the values at 2^log·n + rest.
#[derive(Clone, Copy)]
struct Part {
    log: u32,
    rest: usize,
}

impl Part {
    fn place(self, n: usize) -> usize {
        (n << self.log) + self.rest
    }

    /// The one at 2n + bit.
    fn of(self, bit: usize) -> Part {
        Part {
            log: self.log + 1,
            rest: (bit << self.log) + self.rest,
        }
    }
}

impl Regular {
    /// The sequence with these values at 0, 1, 2 and so on, if it is one. The value at 0 is not looked at.
    pub(super) fn of(values: &[Rational]) -> Option<Regular> {
        let residues: Option<Vec<u64>> = values.iter().map(residue).collect();
        let residues = residues?;
        let known = Known {
            values,
            residues: &residues,
        };
        let mut all = BEGINNINGS.iter().filter_map(|from| known.regular(*from));
        all.next()
    }

    /// How many numbers it has.
    pub(super) fn unknowns(&self) -> usize {
        let sequences = self.steps[0].len();
        2 * sequences * sequences + self.beginning * sequences
    }

    /// The value at a parameter.
    ///
    /// # Errors
    ///
    /// The parameter is before the first one, or has more than a thousand binary digits.
    pub fn value(&self, parameter: &BigInt) -> Result<Rational, PredictError> {
        if *parameter < BigInt::from(self.beginning) {
            let why = format!(
                "the function begins at {}, and {parameter} is before",
                self.beginning
            );
            return Err(PredictError::usage(why));
        }
        if parameter.bits() > 1_000 {
            return Err(PredictError::limit("the value is too far away"));
        }
        let (mut bits, mut n) = (Vec::new(), parameter.clone());
        while n >= BigInt::from(2 * self.beginning) {
            bits.push(n.bit(0));
            n >>= 1;
        }
        let place = n.to_usize().map_or(0, |n| n - self.beginning);
        let mut all = self.first[place].clone();
        for bit in bits.into_iter().rev() {
            let step = &self.steps[usize::from(bit)];
            let next = step.iter().map(|row| {
                let parts = row.iter().zip(&all).map(|(factor, value)| factor * value);
                parts.sum()
            });
            all = next.collect();
        }
        Ok(all.swap_remove(0))
    }

    /// It has no short formula, so an approximation of its own values says how it grows.
    pub fn text(&self, name: &str) -> String {
        let count = self.steps[0].len();
        let sizes = (GROWTH.0 * 4..GROWTH.1 * 4).map(|quarter| f64::from(quarter) / 4.0);
        let points = sizes.map(|log| {
            let n = BigInt::from(log.exp2() as u64);
            Some((n.to_f64()?, float(&self.value(&n).ok()?)))
        });
        let points: Option<Vec<_>> = points.collect();
        let near = points.and_then(|points| Approximation::of(&points));
        let near = near.map_or_else(String::new, |near| format!(", about {}", near.growth(name)));
        format!("2-regular({name}), of rank {count}{near}")
    }
}

/// Values at 0, 1, 2 and so on.
struct Known<'v> {
    values: &'v [Rational],
    residues: &'v [u64],
}

impl Known<'_> {
    fn regular(&self, beginning: usize) -> Option<Regular> {
        let mut parts = vec![Part { log: 0, rest: 0 }];
        let (mut steps, mut next) = ([Vec::new(), Vec::new()], 0);
        while next < parts.len() {
            for (bit, step) in steps.iter_mut().enumerate() {
                let part = parts[next].of(bit);
                let factors = self.combined(&parts, part, beginning)?;
                step.push(factors.unwrap_or_else(|| {
                    let mut own = vec![Rational::zero(); parts.len()];
                    own.push(Rational::one());
                    parts.push(part);
                    own
                }));
                if parts.len() > MOST_SEQUENCES {
                    return None;
                }
            }
            next += 1;
        }
        for row in steps.iter_mut().flatten() {
            row.resize(parts.len(), Rational::zero());
        }
        let first = (beginning..2 * beginning).map(|n| {
            let values = parts.iter().map(|part| self.values.get(part.place(n)));
            values.map(|value| value.cloned()).collect()
        });
        let found = Regular {
            steps,
            beginning,
            first: first.collect::<Option<_>>()?,
        };
        let fits = |n: usize| found.value(&n.into()).as_ref() == Ok(&self.values[n]);
        let is_founded = self.values.len() >= 2 * found.unknowns() + super::MORE_POINTS;
        (is_founded && (beginning..self.values.len()).all(fits)).then_some(found)
    }

    /// The factors with which the parts sum to this one: inside none, if there are no such factors; outside, if too few points are known to decide.
    #[allow(clippy::option_option)] // undecided, refuted, found
    fn combined(
        &self,
        parts: &[Part],
        wanted: Part,
        beginning: usize,
    ) -> Option<Option<Vec<Rational>>> {
        let is_known = |n: &usize| {
            parts
                .iter()
                .chain([&wanted])
                .all(|part| part.place(*n) < self.values.len())
        };
        let all: Vec<usize> = (beginning..).take_while(is_known).collect();
        if all.len() < parts.len() + CONFIRMING {
            return None;
        }
        let at = |part: Part| all.iter().map(move |n| self.residues[part.place(*n)]);
        let columns: Vec<Vec<u64>> = parts.iter().map(|part| at(*part).collect()).collect();
        let columns: Vec<&[u64]> = columns.iter().map(Vec::as_slice).collect();
        if !may_fit(&columns, &at(wanted).collect::<Vec<_>>()) {
            return Some(None);
        }
        let rows: Vec<_> = all
            .iter()
            .map(|n| {
                let row = parts.iter().map(|part| self.values[part.place(*n)].clone());
                (row.collect(), self.values[wanted.place(*n)].clone())
            })
            .collect();
        Some(linear::solved(&rows, parts.len()))
    }
}
