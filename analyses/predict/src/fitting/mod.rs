//! Functions that fit counts. A count has no noise: a function fits all points exactly, or it does not fit.

mod approximate;
mod jumps;
mod linear;
mod recurrence;
mod report;
mod table;
mod terms;

pub use approximate::Approximation;
pub use recurrence::Recurrence;
pub use table::Table;
pub use terms::{Formula, Term};

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use crate::error::PredictError;
use crate::pmf::{Rational, float};

/// The largest degree of polynomials.
const MOST_DEGREE: u32 = 4;
/// The longest period of quasi-polynomials.
const MOST_PERIOD: u32 = 12;
/// The most terms of a form with logarithms, roots and parts.
const MOST_TERMS: usize = 4;
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

/// The first class of functions that fits all points of the table exactly: polynomials, forms with logarithms, roots and parts, quasi-polynomials, jumps, recurrences. Each is tried only
/// with at least twice as many points as it has unknown numbers, and at least three more. The largest points are not used to find the numbers. If no class fits: an
/// approximation, or the table alone.
pub fn fit(table: &Table) -> Fit {
    let mut points: Points = table
        .points
        .iter()
        .map(|(at, value)| (at.clone(), value.clone()))
        .collect();
    points.sort_by_key(|(at, _)| at.iter().sum::<BigInt>());
    let names = &table.names;
    for degree in 0..=MOST_DEGREE {
        let terms = monomials(names.len(), degree);
        if let Some(formula) = with_terms(names, &terms, &points) {
            return Fit::exact("a polynomial", formula, terms.len());
        }
    }
    let of_one = match names.len() {
        1 => of_one(names, &points),
        _ => None,
    };
    of_one.unwrap_or(Fit {
        class: Class::Table,
        unknowns: 0,
    })
}

/// Functions of one parameter that are no polynomials.
fn of_one(names: &[String], points: &Points) -> Option<Fit> {
    let gaps = points.windows(2).map(|pair| &pair[1].0[0] - &pair[0].0[0]);
    let neighbours = gaps.filter(One::is_one).count();
    // Between powers of two ⌊log₂ n⌋ and ⌈log₂ n⌉ differ, and on them they do not.
    if 2 * neighbours >= points.len() - 1
        && let Some((formula, unknowns)) = irregular(names, points)
    {
        let kind = "a form with logarithms, roots or parts";
        return Some(Fit::exact(kind, formula, unknowns));
    }
    if let Some((formula, unknowns)) = periodic(names, points) {
        return Some(Fit::exact("a quasi-polynomial", formula, unknowns));
    }
    if neighbours == points.len() - 1 {
        if let Some(formula) = jumps::found(names, points) {
            return Some(Fit::exact("a line with jumps", formula, jumps::NUMBERS));
        }
        if let Some(recurrence) = recurrence_of(points) {
            return Some(Fit {
                unknowns: recurrence.unknowns(),
                class: Class::Recurrence(recurrence),
            });
        }
    }
    let floats = points
        .iter()
        .map(|(at, value)| Some((at[0].to_f64()?, float(value))));
    let floats: Vec<(f64, f64)> = floats.collect::<Option<_>>()?;
    Some(Fit {
        class: Class::Approximate(Approximation::of(&floats)?),
        unknowns: 4,
    })
}

/// A polynomial for each rest of the parameter.
fn periodic(names: &[String], points: &Points) -> Option<(Formula, usize)> {
    let shapes =
        (2..=MOST_PERIOD).flat_map(|period| (0..=MOST_DEGREE).map(move |most| (period, most)));
    let mut found = shapes.filter_map(|(period, most)| {
        let rests = (0..period).flat_map(|rest| {
            let powers = (0..=most).rev();
            powers.map(move |power| Term::Rest {
                period,
                rest,
                power,
            })
        });
        let terms: Vec<Term> = rests.collect();
        if points.len() < 2 * terms.len() + MORE_POINTS {
            return None;
        }
        with_terms(names, &terms, points).map(|formula| (formula, terms.len()))
    });
    found.next()
}

/// The recurrence of points that follow each other. A third of them is not used to find it.
fn recurrence_of(points: &Points) -> Option<Recurrence> {
    let first = &points[0].0[0];
    let values: Vec<Rational> = points.iter().map(|(_, value)| value.clone()).collect();
    let used = &values[..values.len() - values.len() / 3];
    let used = &used[..used.len().min(ENOUGH_POINTS)];
    let orders = 1..=MOST_STRIDDEN;
    let strides =
        orders.flat_map(|order| (2..=MOST_PERIOD as usize).map(move |stride| (stride, order)));
    let with_stride = strides.filter_map(|shape| Recurrence::with_stride(first, used, shape));
    let mut all = Recurrence::of(first, used).into_iter().chain(with_stride);
    all.find(|one| values.len() >= 2 * one.unknowns() + MORE_POINTS && one.fits(&values))
}

/// The monomials of this total degree at most, the largest first.
fn monomials(parameters: usize, degree: u32) -> Vec<Term> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..parameters {
        let longer = all.iter().flat_map(|powers| {
            let left = degree - powers.iter().sum::<u32>();
            (0..=left).rev().map(move |power| {
                let mut powers = powers.clone();
                powers.push(power);
                powers
            })
        });
        all = longer.collect();
    }
    all.sort_by_key(|powers| std::cmp::Reverse((powers.iter().sum::<u32>(), powers.clone())));
    all.into_iter().map(Term::Powers).collect()
}

/// The sum of some of these terms that fits, with the fewest terms.
fn irregular(names: &[String], points: &Points) -> Option<(Formula, usize)> {
    let power = |power: u32| Term::Powers(vec![power]);
    let basis = [
        power(0),
        power(1),
        Term::Log(0),
        Term::TimesLog,
        Term::PowerBelow,
        Term::Log(1),
        Term::Log(-1),
        Term::Ones,
        Term::Root,
        Term::Part(2),
        Term::Part(3),
        Term::Part(4),
    ];
    for count in 1..=MOST_TERMS {
        if points.len() < 2 * count + MORE_POINTS {
            return None;
        }
        let mut chosen: Vec<usize> = (0..count).collect();
        loop {
            let mut terms: Vec<Term> = chosen.iter().map(|place| basis[*place].clone()).collect();
            terms.reverse();
            if let Some(formula) = with_terms(names, &terms, points) {
                return Some((formula, count));
            }
            // The next combination.
            let last = (0..count)
                .rev()
                .find(|place| chosen[*place] < basis.len() - count + place);
            let Some(last) = last else { break };
            chosen[last] += 1;
            for place in last + 1..count {
                chosen[place] = chosen[place - 1] + 1;
            }
        }
    }
    None
}

/// The sum of the terms that fits all points exactly, if there is one.
fn with_terms(names: &[String], terms: &[Term], points: &Points) -> Option<Formula> {
    let held_out = terms.len().max(3);
    let used = points
        .len()
        .checked_sub(held_out)
        .filter(|used| *used >= terms.len())?;
    let row = |(at, value): &(Vec<BigInt>, Rational)| {
        let columns = terms.iter().map(|term| term.value(at));
        (columns.collect::<Vec<_>>(), value.clone())
    };
    let rows: Vec<(Vec<Rational>, Rational)> =
        points[..used.min(ENOUGH_POINTS)].iter().map(row).collect();
    let factors = linear::solved(&rows, terms.len())?;
    let formula = Formula::of(names, factors.into_iter().zip(terms.iter().cloned()));
    let fits = |(at, value): &(Vec<BigInt>, Rational)| formula.value(at) == *value;
    points.iter().rev().all(fits).then_some(formula)
}

impl Fit {
    fn exact(kind: &'static str, formula: Formula, unknowns: usize) -> Fit {
        Fit {
            class: Class::Exact { kind, formula },
            unknowns,
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
        match &self.class {
            Class::Exact { formula, .. } => Ok(Predicted::Exact(formula.value(at))),
            Class::Recurrence(recurrence) => recurrence.value(&at[0]).map(Predicted::Exact),
            Class::Approximate(found) => {
                let n = at[0].to_f64().filter(|n| *n >= 1.0);
                let n = n.ok_or_else(|| {
                    PredictError::usage("an approximation is for sizes from 1 on")
                })?;
                let largest = table.points.keys().map(|at| &at[0]).max();
                let largest = largest.and_then(BigInt::to_f64).unwrap_or(1.0);
                let error = found.error * (n / largest).max(1.0);
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
            Class::Approximate(found) => Some(found.text(name)),
            Class::Table => None,
        }
    }
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
