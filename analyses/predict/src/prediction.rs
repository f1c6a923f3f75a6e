//! Predicts the time of a design: exactly if that is possible, and else on a grid.

use crate::design::Design;
use crate::error::{ErrorKind, PredictError};
use crate::pmf::{Exact, Grid, Pmf, Rational, float};
use crate::solving::{Scheduling, solve};
use crate::span::Span;

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

/// Predicts the time of the design.
///
/// # Errors
///
/// There is no CPU, or a limit of sizes is reached.
pub fn predict(design: &Design, options: &Options) -> Result<Pmf, PredictError> {
    if options.cpus == 0 {
        return Err(PredictError::usage("there is at least one CPU"));
    }
    let exact = match options.steps {
        None => exactly(design, options)?,
        Some(_) => None,
    };
    let time = match exact {
        Some(exact) => Pmf::Exact(exact),
        None => Pmf::Grid(on_grid(design, options)?),
    };
    let quantiles = options.quantiles.iter().map(|one| time.quantile(one));
    let mut numbers = quantiles.chain([time.mean(), time.variance()]);
    match numbers.all(f64::is_finite) {
        true => Ok(time),
        false => Err(PredictError::limit(
            "times are too large for floating point numbers",
        )),
    }
}

/// The exact solution, if the design is small.
fn exactly(design: &Design, options: &Options) -> Result<Option<Exact>, PredictError> {
    let parts = design.order().iter();
    let parts = parts.map(|number| design.expression(*number).parts());
    if parts.sum::<usize>() > MOST_EXACT_PARTS {
        return Ok(None);
    }
    match solve::<Exact>(design, &(), options.cpus, options.scheduling) {
        Ok(exact) => Ok(Some(exact)),
        Err(error) if error.kind == ErrorKind::Limit => Ok(None),
        Err(error) => Err(error),
    }
}

/// The solution on a grid that is fine enough.
fn on_grid(design: &Design, options: &Options) -> Result<Grid, PredictError> {
    let span = Span::of(design, options.cpus, options.scheduling);
    let solved = |steps: u32| {
        let zoom = span.zoom(steps)?;
        let grid = solve::<Grid>(design, &zoom, options.cpus, options.scheduling)?;
        let (mean, _) = grid.moments_of_points();
        let off = (mean - grid.mean()).abs();
        match off <= grid.shift() + 1e-6 * grid.mean() {
            true => Ok(grid),
            false => Err(PredictError::limit(
                "times differ too much in size for a grid",
            )),
        }
    };
    if let Some(steps) = options.steps {
        return solved(steps);
    }
    let mut steps = LEAST_STEPS;
    let mut grid = solved(steps)?;
    while steps < MOST_STEPS && !span.is_whole(steps) {
        steps *= 2;
        let finer = solved(steps)?;
        let is_faithful = finer.added_variance() <= MOST_ADDED * finer.variance()
            && finer.shift() <= MOST_MOVE * finer.mean();
        let has_settled = is_faithful
            && options.quantiles.iter().all(|quantile| {
                let quantile = float(quantile);
                let (one, other) = (grid.quantile(quantile), finer.quantile(quantile));
                (one - other).abs() <= MOST_MOVE * other.abs()
            });
        grid = finer;
        if has_settled {
            break;
        }
    }
    Ok(grid)
}
