//! Predicts the time of a design: exactly if that is possible, and else on a grid.

use num_traits::Zero;

use crate::design::{Design, Sre};
use crate::error::{ErrorKind, PredictError};
use crate::pmf::{Exact, Grid, Pmf, Rational, Zoom, float, reach};
use crate::solving::{Scheduling, solve};

/// The fewest and the most steps of the widest distribution of a grid.
const LEAST_STEPS: u32 = 1 << 12;
const MOST_STEPS: u32 = 1 << 16;
/// Grids are fine enough when no quantile moves by more than this share.
const MOST_MOVE: f64 = 0.005;
/// And when they do not make the variance larger by more than this share.
const MOST_ADDED: f64 = 0.01;
/// Designs with more parts are not solved exactly.
const MOST_EXACT_PARTS: usize = 1_000;

/// How to predict.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of equal CPUs, at least 1.
    pub cpus: usize,
    /// Who executes parallel tasks.
    pub scheduling: Scheduling,
    /// The quantiles that decide how fine the grid is.
    pub quantiles: Vec<Rational>,
    /// The number of steps of a grid, if it is given: then nothing is solved exactly.
    pub steps: Option<u32>,
}

impl Default for Options {
    /// One CPU, and the quantiles 1/2, 95/100 and 99/100.
    fn default() -> Options {
        let share = |part: i32| Rational::new(part.into(), 100.into());
        Options {
            cpus: 1,
            scheduling: Scheduling::List,
            quantiles: vec![share(50), share(95), share(99)],
            steps: None,
        }
    }
}

/// What a design takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The distribution of its time.
    pub time: Pmf,
}

impl Prediction {
    /// The mean of its time.
    pub fn mean(&self) -> f64 {
        self.time.mean()
    }
}

/// Predicts the time of the design.
///
/// # Errors
///
/// There is no CPU, or a limit of sizes is reached.
pub fn predict(design: &Design, options: &Options) -> Result<Prediction, PredictError> {
    if options.cpus == 0 {
        return Err(PredictError::usage("there is at least one CPU"));
    }
    let (cpus, scheduling) = (options.cpus, options.scheduling);
    let parts = design.order().iter();
    let parts = parts.map(|number| count(design.expression(*number)));
    if options.steps.is_none() && parts.sum::<usize>() <= MOST_EXACT_PARTS {
        match solve::<Exact>(design, &(), cpus, scheduling) {
            Ok(exact) => {
                return Ok(Prediction {
                    time: Pmf::Exact(exact),
                });
            }
            Err(error) if error.kind != ErrorKind::Limit => return Err(error),
            Err(_) => {}
        }
    }
    let span = Span::of(design);
    let on_grid = |steps: u32| solve::<Grid>(design, &span.zoom(steps), cpus, scheduling);
    if let Some(steps) = options.steps {
        return Ok(Prediction {
            time: Pmf::Grid(on_grid(steps)?),
        });
    }
    let mut steps = LEAST_STEPS;
    let mut grid = on_grid(steps)?;
    while steps < MOST_STEPS && !span.is_whole(steps) {
        steps *= 2;
        let finer = on_grid(steps)?;
        let is_faithful = finer.added_variance() <= MOST_ADDED * finer.variance();
        let has_settled = is_faithful
            && options.quantiles.iter().all(|quantile| {
                let (one, other) = (
                    grid.quantile(float(quantile)),
                    finer.quantile(float(quantile)),
                );
                (one - other).abs() <= MOST_MOVE * other.abs()
            });
        grid = finer;
        if has_settled {
            break;
        }
    }
    Ok(Prediction {
        time: Pmf::Grid(grid),
    })
}

/// The parts of an expression.
fn count(expression: &Sre) -> usize {
    1 + match expression {
        Sre::Time(_) | Sre::Name(_) => 0,
        Sre::Sequence(parts) | Sre::Parallel(parts) => parts.iter().map(count).sum(),
        Sre::Alternatives(parts) => parts.iter().map(|(_, part)| count(part)).sum(),
        Sre::Loop(body, _) => count(body),
    }
}

/// Of what size the distributions of a design are.
struct Span {
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
    fn of(design: &Design) -> Span {
        let mut search = SpanSearch {
            known: Vec::new(),
            widest: 0.0,
            unit: Some(Rational::zero()),
        };
        for &number in design.order() {
            let bounds = search.bounds(design.expression(number));
            if search.known.len() <= number {
                search.known.resize(number + 1, Bounds::default());
            }
            search.known[number] = bounds;
        }
        let unit = search.unit.filter(|unit| !unit.is_zero());
        Span {
            widest: search.widest,
            unit: unit.map(|unit| float(&unit)),
        }
    }

    /// Whether that number of steps is enough for a grid on which all times lie.
    fn is_whole(&self, steps: u32) -> bool {
        self.unit
            .is_some_and(|unit| self.widest / unit <= f64::from(steps))
    }

    fn zoom(&self, steps: u32) -> Zoom {
        let step = match self.unit.filter(|_| self.is_whole(steps)) {
            Some(unit) => unit,
            None => self.widest / f64::from(steps.max(1)),
        };
        Zoom {
            step: if step > 0.0 { step } else { 1.0 },
        }
    }
}

struct SpanSearch {
    /// Of definitions, by their numbers.
    known: Vec<Bounds>,
    widest: f64,
    /// The greatest common divisor of all times so far.
    unit: Option<Rational>,
}

impl SpanSearch {
    fn bounds(&mut self, expression: &Sre) -> Bounds {
        let found = match expression {
            Sre::Time(exact) => {
                for (time, _) in exact.points() {
                    let unit = self.unit.take();
                    self.unit = unit.and_then(|unit| divisor(unit, time.clone()));
                }
                let (least, most) = exact.range();
                let mean = float(&exact.mean());
                Bounds::between(float(least), float(most), (mean, mean))
            }
            Sre::Name(number) => self.known.get(*number).copied().unwrap_or_default(),
            Sre::Sequence(parts) => self.sum(parts),
            Sre::Parallel(parts) => {
                // The last task ends when the longest does, or later, and not behind the sum of all.
                let parts: Vec<Bounds> = parts.iter().map(|part| self.bounds(part)).collect();
                let longest = |of: fn(&Bounds) -> f64| parts.iter().map(of).fold(0.0, f64::max);
                let (least, mean) = (
                    longest(|part| part.narrow().least),
                    longest(|part| part.mean.0),
                );
                let all = parts.iter().copied().fold(Bounds::default(), Bounds::then);
                Bounds::between(least, all.narrow().most, (mean, all.mean.1))
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
