//! How wide the distributions of a design are, and which unit their times have, before they are solved. This decides the step of a grid.

use num_traits::Zero;

use crate::design::{Design, Sre};
use crate::error::PredictError;
use crate::pmf::{Exact, Rational, Zoom, float, reach};
use crate::solving::{Scheduling, Solver};

/// Expressions with more parts are not solved exactly to learn how wide they are.
const MOST_SMALL_PARTS: usize = 50;

/// Of what size the distributions of a design are.
pub(crate) struct Span {
    /// The largest width of a distribution, but for a mass that does not count.
    widest: f64,
    /// The largest number of which all times of actions are multiples, if there is one.
    unit: Option<f64>,
}

/// What is known of a distribution before it is solved, in units of time.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    least: f64,
    most: f64,
    /// Between these lies the mean.
    mean: (f64, f64),
    /// If it is a sum of independent times, the sum of the squares of their widths.
    squares: f64,
}

impl Bounds {
    fn between(least: f64, most: f64, mean: (f64, f64)) -> Bounds {
        Bounds {
            least,
            most,
            mean,
            squares: (most - least).powi(2),
        }
    }

    fn of(exact: &Exact) -> Bounds {
        let (least, most) = exact.range();
        let mean = float(&exact.mean());
        Bounds::between(float(least), float(most), (mean, mean))
    }

    /// With ends where nearly all mass is.
    fn narrow(self) -> Bounds {
        let reach = reach(self.squares);
        Bounds {
            least: self.least.max(self.mean.0 - reach),
            most: self.most.min(self.mean.1 + reach),
            ..self
        }
    }

    fn then(self, other: Bounds) -> Bounds {
        Bounds {
            least: self.least + other.least,
            most: self.most + other.most,
            mean: (self.mean.0 + other.mean.0, self.mean.1 + other.mean.1),
            squares: self.squares + other.squares,
        }
    }

    fn repeated(self, counts: &Exact) -> Bounds {
        let (fewest, largest) = counts.range();
        let (fewest, largest) = (float(fewest), float(largest));
        let count = float(&counts.mean());
        let times = |count: f64| Bounds {
            least: count * self.least,
            most: count * self.most,
            mean: (count * self.mean.0, count * self.mean.1),
            squares: count * self.squares,
        };
        let longest = times(largest).narrow();
        if fewest >= largest {
            return longest;
        }
        let shortest = times(fewest).narrow();
        let mean = (count * self.mean.0, count * self.mean.1);
        let least = shortest.least.min(longest.least);
        Bounds::between(least, longest.most.max(shortest.most), mean)
    }
}

impl Span {
    /// Of the design on this number of CPUs.
    pub(crate) fn of(design: &Design, cpus: usize, scheduling: Scheduling) -> Span {
        let mut search = SpanSearch {
            exact: Solver::new(design, &(), cpus, scheduling),
            is_sequential: cpus == 1 && scheduling == Scheduling::List,
            known: vec![Bounds::default(); design.len()],
            widest: 0.0,
            unit: Some(Rational::zero()),
        };
        for &number in design.order() {
            let expression = design.expression(number);
            let bounds = search.bounds(expression);
            let exact = search.exactly(expression);
            search.exact.know(number, exact);
            search.known[number] = bounds;
        }
        let unit = search.unit.filter(|unit| !unit.is_zero());
        Span {
            widest: search.widest,
            unit: unit.map(|unit| float(&unit)),
        }
    }

    /// Whether that number of steps is enough for a grid on which all times lie.
    pub(crate) fn is_whole(&self, steps: u32) -> bool {
        self.unit
            .is_some_and(|unit| self.widest / unit <= f64::from(steps))
    }

    /// The step of a grid with this number of steps.
    ///
    /// # Errors
    ///
    /// It is no number, or too small to be one.
    pub(crate) fn zoom(&self, steps: u32) -> Result<Zoom, PredictError> {
        if self.widest == 0.0 {
            return Ok(Zoom {
                step: self.unit.filter(|unit| *unit > 0.0).unwrap_or(1.0),
            });
        }
        let step = match self.unit.filter(|_| self.is_whole(steps)) {
            Some(unit) => unit,
            None => self.widest / f64::from(steps.max(1)),
        };
        match step.is_normal() {
            true => Ok(Zoom { step }),
            false => Err(PredictError::limit(
                "times are too large or too small for a grid",
            )),
        }
    }
}

struct SpanSearch<'d> {
    /// Knows the small definitions.
    exact: Solver<'d, Exact>,
    /// Whether tasks are executed one after the other.
    is_sequential: bool,
    /// Of definitions, by their numbers.
    known: Vec<Bounds>,
    widest: f64,
    /// The greatest common divisor of all times so far.
    unit: Option<Rational>,
}

impl SpanSearch<'_> {
    /// The distribution of a small expression.
    fn exactly(&self, expression: &Sre) -> Option<Exact> {
        let is_small = expression.parts() <= MOST_SMALL_PARTS;
        is_small
            .then(|| self.exact.value(expression).ok())
            .flatten()
    }

    fn bounds(&mut self, expression: &Sre) -> Bounds {
        let found = match expression {
            Sre::Time(exact) => {
                for (time, _) in exact.points() {
                    let unit = self.unit.take();
                    self.unit = unit.and_then(|unit| divisor(unit, time.clone()));
                }
                Bounds::of(exact)
            }
            Sre::Name(number) => self.known[*number],
            Sre::Sequence(parts) => self.sum(parts),
            Sre::Parallel(parts) if self.is_sequential => self.sum(parts),
            Sre::Parallel(parts) => {
                // The last task ends when the longest does, or later, and not behind the sum of all.
                let parts: Vec<Bounds> = parts.iter().map(|part| self.bounds(part)).collect();
                let longest = |of: fn(&Bounds) -> f64| parts.iter().map(of).fold(0.0, f64::max);
                let (least, mean) = (
                    longest(|part| part.narrow().least),
                    longest(|part| part.mean.0),
                );
                let all = parts.iter().copied().fold(Bounds::default(), Bounds::then);
                let known = self.exactly(expression);
                known.as_ref().map_or_else(
                    || Bounds::between(least, all.narrow().most, (mean, all.mean.1)),
                    Bounds::of,
                )
            }
            Sre::Alternatives(parts) => {
                let parts = parts.iter().map(|(weight, part)| {
                    let part = self.bounds(part).narrow();
                    (float(weight), part)
                });
                let start = Bounds {
                    least: f64::INFINITY,
                    ..Bounds::default()
                };
                let all = parts.fold(start, |all, (weight, part)| Bounds {
                    least: all.least.min(part.least),
                    most: all.most.max(part.most),
                    mean: (
                        all.mean.0 + weight * part.mean.0,
                        all.mean.1 + weight * part.mean.1,
                    ),
                    squares: 0.0,
                });
                Bounds::between(all.least, all.most, all.mean)
            }
            Sre::Loop(body, counts) => self.bounds(body).repeated(counts),
        };
        let narrow = found.narrow();
        self.widest = self.widest.max(narrow.most - narrow.least);
        found
    }

    fn sum(&mut self, parts: &[Sre]) -> Bounds {
        let parts = parts.iter().map(|part| self.bounds(part));
        parts.fold(Bounds::default(), Bounds::then)
    }
}

/// The greatest common divisor of two rational numbers; none if it is too small to be of use.
fn divisor(one: Rational, other: Rational) -> Option<Rational> {
    /// More steps of Euclid's algorithm than numbers of any use take.
    const MOST: u32 = 200;
    let (mut large, mut small) = (one, other);
    for _ in 0..MOST {
        if small.is_zero() {
            return Some(large);
        }
        let rest = &large % &small;
        (large, small) = (small, rest);
    }
    None
}
