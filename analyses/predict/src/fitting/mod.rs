//! Functions that fit counts. A count has no noise: a function fits all points exactly, or it does not fit.

mod approximate;
mod jumps;
mod linear;
mod recurrence;
mod regular;
mod report;
mod screen;
mod search;
mod table;
mod terms;

pub use approximate::Approximation;
pub(crate) use approximate::{MOST_ERROR, TOP};
pub(crate) use jumps::jumps_of;
pub use recurrence::Recurrence;
pub use regular::Regular;
pub use table::Table;
pub use terms::{Formula, Term};

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use search::Search;

use crate::error::PredictError;
use crate::pmf::{Rational, float};

/// The largest degree of polynomials.
const MOST_DEGREE: u32 = 4;
/// The longest period of quasi-polynomials, and the most numbers of one. Sizes of objects are multiples of 8, so 24 is the period of a third.
const MOST_PERIOD: u32 = 24;
const SHORT_PERIOD: u32 = 12;
const MOST_NUMBERS: u32 = 60;
/// The longest stride of recurrences.
const MOST_STRIDE: usize = 12;
/// The most terms of a form with logarithms, roots and parts.
const MOST_TERMS: usize = 4;
/// The part of the points that may be left out at the beginning. A table that grows at most fourfold shows a second threshold behind it.
const LEAVING_OUT: usize = 4;
/// The most thresholds at the beginning that are not of the rule.
const MOST_IRREGULAR: usize = 2;
/// How many points more than twice the numbers confirm a class of many forms, of which one could fit by chance.
const MORE_POINTS: usize = 10;
/// The most values that are added in a recurrence whose values are not neighbours.
const MOST_STRIDDEN: usize = 4;
/// More points than these are not needed to find a function; all are checked.
const ENOUGH_POINTS: usize = 400;

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Class {
    /// A sum of terms fits all points exactly.
    Exact {
        /// What kind of formula it is, in words.
        kind: &'static str,
        /// The formula.
        formula: Formula,
    },
    /// A recurrence fits all points exactly.
    Recurrence(Recurrence),
    /// A 2-regular sequence fits all points exactly.
    Regular(Regular),
    /// A function fits nearly.
    Approximate(Approximation),
    /// No function is known: only the points of the table.
    Table,
}

/// A function of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// What was found.
    pub class: Class,
    /// How many numbers the function has.
    pub unknowns: usize,
    /// From this parameter on the function holds; those before are known by the table alone. None if it holds for all points.
    pub from: Option<BigInt>,
}

/// A predicted value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicted {
    /// Exactly, as far as the function goes on as it began.
    Exact(Rational),
    /// Nearly, with a relative error that was extrapolated.
    Approximate(f64, f64),
}

/// Points in ascending order of the parameters' sums, those of the largest size last.
type Points = Vec<(Vec<BigInt>, Rational)>;

/// The first class of functions that fits all points of the table exactly: polynomials, forms with logarithms, roots and parts, quasi-polynomials, jumps, recurrences, 2-regular
/// sequences. Functions of one parameter may leave out a quarter of the points, the smallest. Each class is tried only with at least twice as many points as it has unknown
/// numbers, and at least three more. The largest points are not used to find the numbers. If no class fits: an approximation, or the table alone.
pub fn fit(table: &Table) -> Fit {
    let mut points: Points = table
        .points
        .iter()
        .map(|(at, value)| (at.clone(), value.clone()))
        .collect();
    points.sort_by_key(|(at, _)| at.iter().sum::<BigInt>());
    let names = &table.names;
    let found = match names.len() {
        1 => exact_of_one(names, &points).or_else(|| approximate(&points)),
        _ => Search::new(names, &points, 0)
            .and_then(|search| search.polynomial())
            .map(|found| Fit::found(found, &points)),
    };
    found.unwrap_or(Fit::of(Class::Table, 0))
}

/// The approximation of a table of one parameter, or the table alone.
pub(crate) fn fit_nearly(table: &Table) -> Fit {
    let points: Points = table.points.clone().into_iter().collect();
    let found = (table.names.len() == 1).then(|| approximate(&points));
    found.flatten().unwrap_or(Fit::of(Class::Table, 0))
}

/// The exact function of one parameter.
fn exact_of_one(names: &[String], points: &Points) -> Option<Fit> {
    let gaps = points.windows(2).map(|pair| &pair[1].0[0] - &pair[0].0[0]);
    let neighbours = gaps.filter(One::is_one).count();
    // Between powers of two ⌊log₂ n⌋ and ⌈log₂ n⌉ differ, and on them they do not.
    let are_close = 2 * neighbours >= points.len().saturating_sub(1);
    let of = |skipped: usize| {
        let search = Search::new(names, points, skipped)?;
        let irregular = || are_close.then(|| search.irregular()).flatten();
        let found = search.polynomial().or_else(irregular);
        found.or_else(|| search.periodic(2..=SHORT_PERIOD))
    };
    let few = points.len() / LEAVING_OUT;
    let found = of(0).or_else(|| (few > 0).then(|| of(few)).flatten());
    if let Some(found) = found {
        return Some(Fit::found(found, points));
    }
    if neighbours + 1 != points.len() {
        return None;
    }
    let of_long_period = |skipped: usize| {
        let search = Search::new(names, points, skipped)?;
        search.periodic(SHORT_PERIOD + 1..=MOST_PERIOD)
    };
    jumps_in(names, points)
        .or_else(|| {
            let found = of_long_period(0).or_else(|| of_long_period(few))?;
            Some(Fit::found(found, points))
        })
        .or_else(|| {
            let found = recurrence_of(points)?;
            let unknowns = found.unknowns();
            Some(Fit::of(Class::Recurrence(found), unknowns))
        })
        .or_else(|| regular_of(points))
}

/// A line with jumps, of which the first ones may be at other thresholds.
fn jumps_in(names: &[String], points: &Points) -> Option<Fit> {
    let jumps = jumps::places(points)?.into_iter().take(MOST_IRREGULAR);
    let mut beginnings = [0].into_iter().chain(jumps);
    beginnings.find_map(|beginning| {
        let formula = jumps::found(names, &points[beginning..])?;
        Some(Fit {
            class: Class::Exact {
                kind: "a line with jumps",
                formula,
            },
            unknowns: jumps::NUMBERS + beginning,
            from: (beginning > 0).then(|| points[beginning].0[0].clone()),
        })
    })
}

/// A 2-regular sequence of points that follow each other from 0 or 1 on.
fn regular_of(points: &Points) -> Option<Fit> {
    let first = &points[0].0[0];
    let mut values: Vec<Rational> = points.iter().map(|(_, value)| value.clone()).collect();
    if first.is_one() {
        values.insert(0, Rational::zero());
    } else if !first.is_zero() {
        return None;
    }
    let found = Regular::of(&values)?;
    let beginning = BigInt::from(found.beginning);
    Some(Fit {
        unknowns: found.unknowns(),
        from: (beginning > *first).then_some(beginning),
        class: Class::Regular(found),
    })
}

fn approximate(points: &Points) -> Option<Fit> {
    let floats = points
        .iter()
        .map(|(at, value)| Some((at[0].to_f64()?, float(value))));
    let floats: Vec<(f64, f64)> = floats.collect::<Option<_>>()?;
    Some(Fit::of(Class::Approximate(Approximation::of(&floats)?), 4))
}

/// The recurrence of points that follow each other. A third of them is not used to find it.
fn recurrence_of(points: &Points) -> Option<Recurrence> {
    let first = &points[0].0[0];
    let values: Vec<Rational> = points.iter().map(|(_, value)| value.clone()).collect();
    let used = &values[..values.len() - values.len() / 3];
    let used = &used[..used.len().min(ENOUGH_POINTS)];
    let orders = 1..=MOST_STRIDDEN;
    let strides = orders.flat_map(|order| (2..=MOST_STRIDE).map(move |stride| (stride, order)));
    let with_stride = strides.filter_map(|shape| Recurrence::with_stride(first, used, shape));
    let mut all = Recurrence::of(first, used).into_iter().chain(with_stride);
    all.find(|one| values.len() >= 2 * one.unknowns() + MORE_POINTS && one.fits(&values))
}

impl Fit {
    fn of(class: Class, unknowns: usize) -> Fit {
        Fit {
            class,
            unknowns,
            from: None,
        }
    }

    fn found(found: search::Found, points: &Points) -> Fit {
        let from = (found.left_out > 0).then(|| points[found.left_out].0[0].clone());
        Fit {
            class: Class::Exact {
                kind: found.kind,
                formula: found.formula,
            },
            unknowns: found.unknowns,
            from,
        }
    }

    /// The value at parameters, also where nothing was measured.
    ///
    /// # Errors
    ///
    /// There is no function, and the table has no such point; or a recurrence is followed too far.
    pub fn value(&self, table: &Table, at: &[BigInt]) -> Result<Predicted, PredictError> {
        if let Some(known) = table.points.get(at) {
            return Ok(Predicted::Exact(known.clone()));
        }
        let largest = table.points.keys().map(|at| &at[0]).max();
        let found = self.elsewhere(at, largest.and_then(BigInt::to_f64).unwrap_or(1.0))?;
        Ok(between_neighbours(table, at, found))
    }

    /// The value at parameters that are not in the table, of which this is the largest size.
    ///
    /// # Errors
    ///
    /// As [`Fit::value`].
    pub fn elsewhere(&self, at: &[BigInt], largest: f64) -> Result<Predicted, PredictError> {
        if let Some(from) = self.from.as_ref().filter(|from| at[0] < **from) {
            return Err(PredictError::incomparable(format!(
                "the function holds from {from} on, and nothing was counted at {}",
                at[0]
            )));
        }
        match &self.class {
            Class::Exact { formula, .. } => Ok(Predicted::Exact(formula.value(at))),
            Class::Recurrence(found) => found.value(&at[0]).map(Predicted::Exact),
            Class::Regular(found) => found.value(&at[0]).map(Predicted::Exact),
            Class::Approximate(found) => {
                let n = at[0].to_f64().filter(|n| *n >= 1.0);
                let n = n.ok_or_else(|| {
                    PredictError::usage("an approximation is for sizes from 1 on")
                })?;
                let away = (n / largest).max(largest / TOP / n).max(1.0);
                let error = found.error * away;
                match found.value(n) {
                    value if value.is_finite() => Ok(Predicted::Approximate(value, error)),
                    _ => Err(PredictError::limit("the value is too large")),
                }
            }
            Class::Table => Err(PredictError::incomparable(
                "no function fits the table, and it has no such row",
            )),
        }
    }

    /// The function as a formula; none if there is no function.
    pub fn text(&self, table: &Table) -> Option<String> {
        let name = table.names.first().map_or("n", String::as_str);
        match &self.class {
            Class::Exact { formula, .. } => Some(formula.to_string()),
            Class::Recurrence(recurrence) => Some(recurrence.text(&table.of, name)),
            Class::Regular(found) => Some(found.text(name)),
            Class::Approximate(found) => Some(found.text(name)),
            Class::Table => None,
        }
    }
}

/// An approximate value between those at the next smaller and the next larger size that were counted, if there are such sizes.
pub(crate) fn between_neighbours(table: &Table, at: &[BigInt], found: Predicted) -> Predicted {
    let Predicted::Approximate(value, error) = found else {
        return found;
    };
    let below = table.points.range(..at.to_vec()).next_back();
    let above = table.points.range(at.to_vec()..).next();
    let Some(((_, one), (_, other))) = below.zip(above).filter(|_| at.len() == 1) else {
        return found;
    };
    let (one, other) = (float(one), float(other));
    let (least, most) = (one.min(other), one.max(other));
    let value = value.clamp(least, most);
    let width = (value - least).max(most - value) / value.abs().max(f64::MIN_POSITIVE);
    Predicted::Approximate(value, error.min(width))
}

/// Parameters in the order of a table, of a text like `n=1000,k=3`.
///
/// # Errors
///
/// A parameter is missing, unknown or no whole number.
pub fn parameters(table: &Table, text: &str) -> Result<Vec<BigInt>, PredictError> {
    let mut given = std::collections::BTreeMap::new();
    for part in text.split(',') {
        let (name, number) = part.split_once('=').unwrap_or((&table.names[0], part));
        let (name, number) = (name.trim(), number.trim().replace('_', ""));
        if !table.names.iter().any(|one| one == name) {
            let names = table.names.join(", ");
            return Err(PredictError::usage(format!(
                "there is no parameter {name}; there is {names}"
            )));
        }
        let whole = table::signed(&number).filter(Rational::is_integer);
        let number = whole.ok_or_else(|| {
            PredictError::usage(format!("{name} is a whole number, and {number} is not"))
        })?;
        let number = number.to_integer();
        if number.bits() > 256 {
            return Err(PredictError::limit(format!("{name} has at most 77 digits")));
        }
        if given.insert(name.to_string(), number).is_some() {
            return Err(PredictError::usage(format!("{name} is given twice")));
        }
    }
    let all = table.names.iter().map(|name| {
        given
            .get(name)
            .cloned()
            .ok_or_else(|| PredictError::usage(format!("the value of {name} is missing")))
    });
    all.collect()
}

/// The smallest and the largest value of each parameter.
pub fn ranges(table: &Table) -> Vec<(BigInt, BigInt)> {
    let column = |place: usize| {
        let all = table.points.keys().map(move |at| at[place].clone());
        let (least, most) = (all.clone().min(), all.max());
        (
            least.unwrap_or(BigInt::one()),
            most.unwrap_or(BigInt::one()),
        )
    };
    (0..table.names.len()).map(column).collect()
}
