//! Tables that grow: a straight line that jumps at thresholds, each of which is a multiple of the one before and a number.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::MORE_POINTS;
use super::terms::{Formula, Term};
use crate::pmf::Rational;

/// A parameter, and by how much the line jumps there.
pub(crate) type Jump = (BigInt, Rational);

/// The fewest thresholds that must have been seen.
const LEAST_THRESHOLDS: usize = 4;

/// How many numbers the formula has: slope and start, three for the thresholds, two for the jumps.
pub(super) const NUMBERS: usize = 7;

/// The slope of the line, and the parameters at which it jumps, with the sizes of the jumps.
fn line_and_jumps(points: &[(Vec<BigInt>, Rational)]) -> Option<(Rational, Vec<Jump>)> {
    let steps: Vec<(&BigInt, Rational)> = points
        .windows(2)
        .map(|pair| (&pair[1].0[0], &pair[1].1 - &pair[0].1))
        .collect();
    let slope = most_frequent(&steps)?;
    let jumps = steps.iter().filter(|(_, step)| *step != slope);
    let jumps = jumps.map(|(at, step)| ((*at).clone(), step - &slope));
    let jumps = jumps.collect();
    Some((slope, jumps))
}

/// The places of the points at which the line jumps.
pub(super) fn places(points: &[(Vec<BigInt>, Rational)]) -> Option<Vec<usize>> {
    let (_, jumps) = line_and_jumps(points)?;
    let place = |(at, _): &Jump| points.iter().position(|(one, _)| one[0] == *at);
    jumps.iter().map(place).collect()
}

/// The formula of values at parameters that follow each other.
pub(super) fn found(names: &[String], points: &[(Vec<BigInt>, Rational)]) -> Option<Formula> {
    let (slope, jumps) = line_and_jumps(points)?;
    if points.len() < 2 * NUMBERS + MORE_POINTS {
        return None;
    }
    let mut formula = jumps_of(names, &jumps)?;
    let (first, value) = points.first()?;
    let start = value - &slope * whole(&first[0]);
    let line = [
        (slope, Term::Powers(vec![1])),
        (start, Term::Powers(vec![0])),
    ];
    formula.add(&Formula::of(names, line));
    let fits = |(parameters, value): &(Vec<BigInt>, Rational)| formula.value(parameters) == *value;
    points.iter().all(fits).then_some(formula)
}

fn whole(number: &BigInt) -> Rational {
    Rational::from_integer(number.clone())
}

/// The sum of these jumps, if their thresholds follow a rule, and their sizes are a straight line of the thresholds. At least four are needed.
pub(crate) fn jumps_of(names: &[String], jumps: &[Jump]) -> Option<Formula> {
    if jumps.len() < LEAST_THRESHOLDS {
        return None;
    }
    let (factor, more) = line(&jumps[0].0, &jumps[1].0, &jumps[1].0, &jumps[2].0)?;
    if !factor.is_positive() || !factor.is_integer() || !more.is_integer() {
        return None;
    }
    let per_threshold = (&jumps[1].1 - &jumps[0].1) / whole(&(&jumps[1].0 - &jumps[0].0));
    let each = &jumps[0].1 - &per_threshold * whole(&jumps[0].0);
    let follows = |pair: &[Jump]| whole(&pair[1].0) == &factor * whole(&pair[0].0) + &more;
    let has_size = |(at, size): &Jump| *size == &each + &per_threshold * whole(at);
    if !jumps.windows(2).all(follows) || !jumps.iter().all(has_size) {
        return None;
    }
    let term = |sums: bool| Term::Jumps {
        first: jumps[0].0.clone(),
        factor: factor.to_integer(),
        more: more.to_integer(),
        sums,
    };
    let terms = [(each, term(false)), (per_threshold, term(true))];
    Some(Formula::of(names, terms))
}

/// The most frequent step, if more than half are this one.
fn most_frequent(steps: &[(&BigInt, Rational)]) -> Option<Rational> {
    let mut sorted: Vec<&Rational> = steps.iter().map(|(_, step)| step).collect();
    sorted.sort_unstable();
    let middle = sorted.get(sorted.len() / 2).copied()?;
    let count = sorted.iter().filter(|step| **step == middle).count();
    (2 * count > sorted.len()).then(|| middle.clone())
}

/// Factor and addend of the straight line through these two points.
fn line(x: &BigInt, y: &BigInt, next_x: &BigInt, next_y: &BigInt) -> Option<(Rational, Rational)> {
    let width = next_x - x;
    if width.is_zero() {
        return None;
    }
    let factor = Rational::new(next_y - y, width);
    let more =
        Rational::from_integer(y.clone()) - &factor * Rational::new(x.clone(), BigInt::one());
    Some((factor, more))
}
