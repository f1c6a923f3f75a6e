//! The search for a sum of terms that fits.

use std::ops::RangeInclusive;

use num_bigint::BigInt;
use num_traits::Zero;

use super::screen::{may_fit, residue};
use super::terms::{Formula, Term};
use super::{ENOUGH_POINTS, MORE_POINTS, MOST_DEGREE, MOST_NUMBERS, MOST_TERMS, linear};
use crate::pmf::Rational;

/// How many times as large as the first size the last one has to be where logarithms are sought.
const WIDTH: u32 = 16;

/// A formula, how many numbers it has, and how many points at the beginning it does not fit.
pub(super) struct Found {
    pub(super) kind: &'static str,
    pub(super) formula: Formula,
    pub(super) unknowns: usize,
    pub(super) left_out: usize,
}

/// Points in ascending order, and what is known of them.
pub(super) struct Search<'p> {
    names: &'p [String],
    points: &'p [(Vec<BigInt>, Rational)],
    /// The points from this one on have to fit.
    skipped: usize,
    /// The values of the points that have to fit, modulo the prime.
    values: Vec<u64>,
}

/// A term with its values modulo the prime.
struct Column {
    term: Term,
    values: Vec<u64>,
}

impl<'p> Search<'p> {
    /// None if the prime of the equations cannot judge the values.
    pub(super) fn new(
        names: &'p [String],
        points: &'p [(Vec<BigInt>, Rational)],
        skipped: usize,
    ) -> Option<Search<'p>> {
        let values = points[skipped..].iter().map(|(_, value)| residue(value));
        Some(Search {
            names,
            points,
            skipped,
            values: values.collect::<Option<_>>()?,
        })
    }

    /// The term with its values at the first points, at most this number of them.
    fn column(&self, term: Term, most: usize) -> Column {
        let points = self.points[self.skipped..].iter().take(most);
        let values = points.map(|(at, _)| residue(&term.value(at)).unwrap_or(0));
        Column {
            values: values.collect(),
            term,
        }
    }

    /// The sum of these terms that fits all points from the skipped ones on, and those before as far as possible.
    fn with_terms(&self, kind: &'static str, columns: &[&Column], more: usize) -> Option<Found> {
        let (count, needed) = (columns.len(), &self.points[self.skipped..]);
        if needed.len() < 2 * count + more {
            return None;
        }
        let residues: Vec<&[u64]> = columns.iter().map(|one| one.values.as_slice()).collect();
        let known = residues.first().map_or(0, |column| column.len());
        if !may_fit(&residues, &self.values[..known]) {
            return None;
        }
        let used = needed.len().checked_sub(count.max(3));
        let used = used.filter(|used| *used >= count)?;
        let row = |(at, value): &(Vec<BigInt>, Rational)| {
            let values = columns.iter().map(|one| one.term.value(at));
            (values.collect::<Vec<_>>(), value.clone())
        };
        let rows: Vec<_> = needed[..used.min(ENOUGH_POINTS)].iter().map(row).collect();
        let factors = linear::solved(&rows, count)?;
        let terms = columns.iter().map(|one| one.term.clone());
        let formula = Formula::of(self.names, factors.into_iter().zip(terms));
        let fits = |(at, value): &&(Vec<BigInt>, Rational)| formula.value(at) == *value;
        let fitting = self.points.iter().rev().take_while(fits).count();
        let left_out = self.points.len() - fitting;
        (left_out <= self.skipped).then_some(Found {
            kind,
            unknowns: count + left_out,
            formula,
            left_out,
        })
    }

    /// A polynomial of the lowest degree.
    pub(super) fn polynomial(&self) -> Option<Found> {
        // Where the first points are left out, a polynomial is one of many forms.
        let more = if self.skipped > 0 { MORE_POINTS } else { 0 };
        (0..=MOST_DEGREE).find_map(|degree| {
            let terms = monomials(self.names.len(), degree).into_iter();
            let columns: Vec<Column> = terms.map(|term| self.column(term, usize::MAX)).collect();
            self.with_terms("a polynomial", &columns.iter().collect::<Vec<_>>(), more)
        })
    }

    /// The sum of some terms with logarithms, roots and parts, with the fewest terms.
    pub(super) fn irregular(&self) -> Option<Found> {
        let kind = "a form with logarithms, roots or parts";
        let power = |power: u32| Term::Powers(vec![power]);
        let basis = [
            power(0),
            power(1),
            Term::Log(0),
            Term::TimesLog(0),
            Term::PowerBelow(0),
            Term::Log(1),
            Term::Log(-1),
            Term::TimesLog(-1),
            Term::PowerBelow(-1),
            Term::PowerBelow(1),
            Term::Ones,
            Term::Root,
            Term::Part(2, 0),
            Term::Part(3, 0),
            Term::Part(4, 0),
            Term::Part(8, 7),
        ];
        let basis = basis.map(|term| self.column(term, usize::MAX));
        (1..=MOST_TERMS).find_map(|count| {
            let mut chosen: Vec<usize> = (0..count).collect();
            loop {
                let columns: Vec<&Column> =
                    chosen.iter().rev().map(|place| &basis[*place]).collect();
                let found = self.with_terms(kind, &columns, MORE_POINTS);
                if let Some(found) = found.filter(|found| self.is_wide(found.left_out)) {
                    return Some(found);
                }
                // The next combination.
                let last = (0..count)
                    .rev()
                    .find(|place| chosen[*place] < basis.len() - count + place)?;
                chosen[last] += 1;
                for place in last + 1..count {
                    chosen[place] = chosen[place - 1] + 1;
                }
            }
        })
    }

    /// Whether the points from this one on are wide enough for logarithms to take several values.
    fn is_wide(&self, first: usize) -> bool {
        let ends = self.points.get(first).zip(self.points.last());
        ends.is_some_and(|((first, _), (last, _))| last[0] >= &first[0] * WIDTH)
    }

    /// A polynomial for each rest of the parameter.
    pub(super) fn periodic(&self, periods: RangeInclusive<u32>) -> Option<Found> {
        let shapes = periods.flat_map(|period| (0..=MOST_DEGREE).map(move |most| (period, most)));
        let mut found = shapes.filter_map(|(period, most_power)| {
            let numbers = period * (most_power + 1);
            if numbers > MOST_NUMBERS || self.values.len() < 2 * numbers as usize + MORE_POINTS {
                return None;
            }
            let rests = (0..period).flat_map(|rest| {
                let powers = (0..=most_power).rev();
                powers.map(move |power| Term::Rest {
                    period,
                    rest,
                    power,
                })
            });
            // That many points are enough to refute nearly all.
            let most = 2 * numbers as usize + MORE_POINTS;
            let columns: Vec<Column> = rests.map(|term| self.column(term, most)).collect();
            let columns: Vec<&Column> = columns.iter().collect();
            let found = self.with_terms("a quasi-polynomial", &columns, MORE_POINTS)?;
            let formula = without_equal_rests(found.formula, period, most_power);
            Some(Found { formula, ..found })
        });
        found.next()
    }
}

/// Where the factors of a power are the same for all rests, the power stands alone.
fn without_equal_rests(formula: Formula, period: u32, most: u32) -> Formula {
    let mut kept = Formula::zero(&formula.names);
    for exponent in (0..=most).rev() {
        let of_rest = |wanted: u32| {
            let mut terms = formula.terms.iter();
            terms.find(|(_, term)| {
                matches!(term, Term::Rest { rest, power, .. } if (*rest, *power) == (wanted, exponent))
            })
        };
        let all: Vec<_> = (0..period).map(of_rest).collect();
        let factors: Vec<Rational> = all
            .iter()
            .map(|found| found.map_or_else(Rational::zero, |(factor, _)| factor.clone()))
            .collect();
        if factors.iter().all(|one| *one == factors[0]) {
            let power = Term::Powers(vec![exponent]);
            kept.add(&Formula::of(&formula.names, [(factors[0].clone(), power)]));
        } else {
            let terms = all.into_iter().flatten().cloned();
            kept.add(&Formula::of(&formula.names, terms));
        }
    }
    kept
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
