//! Distributions on a grid, with floating point numbers. All grids of one expression have the same step.
//!
//! A time between two grid points is split between them, so that the mean is kept. The variance grows by at most a quarter of the step's square each time. Mean
//! and variance are also kept in closed form, as long as operators have one.

use std::cell::RefCell;

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::{Exact, Rational, Times, float};
use crate::error::PredictError;
use crate::parallel::{last_of_list, running};

/// Below this product of sizes distributions are convolved point by point.
const DIRECT: usize = 1 << 14;
/// The most combinations of times at which CPUs are free that are looked at for all tasks together.
const MOST_LOOKS: usize = 2_000_000;
/// The most grid points of a distribution.
const MOST_POINTS: usize = 1 << 22;
/// Mass that is cut off at an end of a distribution.
const NEGLIGIBLE: f64 = 1e-15;
/// The largest number of a grid point.
const MOST_PLACE: f64 = (1_u64 << 52) as f64;
/// Distributions with at most this number of points are also kept exactly.
const MOST_SMALL: usize = 64;
/// The most repetitions that are tried exactly.
const MOST_SMALL_LOOP: u32 = 8;
/// How much smaller than a probability a sum may be that stands for it.
const TOLERANCE: f64 = 1e-12;

thread_local! {
    /// Plans of transforms, which take longer than most transforms.
    static PLANNER: RefCell<RealFftPlanner<f64>> = RefCell::new(RealFftPlanner::new());
}

/// How far grid points lie from each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// The step, in units of time.
    pub step: f64,
}

/// A distribution on a grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    step: f64,
    /// The number of the first grid point, from time 0 on.
    first: i64,
    mass: Vec<f64>,
    mean: f64,
    variance: f64,
    added: f64,
    corrected: f64,
    /// By how much the mean can be wrong.
    shift: f64,
    /// The same distribution, as long as it is small.
    exact: Option<Box<Exact>>,
}

impl Grid {
    /// Its mean, in closed form if there is one.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Its variance, in closed form if there is one.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// By how much the grid has made the variance larger.
    pub fn added_variance(&self) -> f64 {
        self.added
    }

    /// How much mass rounding has lost or added, and was restored.
    pub fn corrected_mass(&self) -> f64 {
        self.corrected
    }

    /// By how much the mean can be wrong: the longest of several times is longer if these were split between points of the grid.
    pub fn shift(&self) -> f64 {
        self.shift
    }

    /// The distance of grid points, in units of time.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Times with their probabilities, ascending.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> {
        let times = (self.first..).map(|place| place as f64 * self.step);
        times.zip(self.mass.iter().copied())
    }

    /// Mean and variance of the points.
    pub fn moments_of_points(&self) -> (f64, f64) {
        let mean: f64 = self.points().map(|(time, p)| time * p).sum();
        let squares = self.points().map(|(time, p)| (time - mean).powi(2) * p);
        (mean, squares.sum())
    }

    /// The smallest time with at least this probability that none is longer.
    pub fn quantile(&self, probability: f64) -> f64 {
        let mut sum = 0.0;
        let found = self.mass.iter().position(|p| {
            sum += p;
            sum >= probability - TOLERANCE
        });
        let place = found.unwrap_or(self.mass.len().saturating_sub(1));
        (self.first + place as i64) as f64 * self.step
    }

    /// The first and the last grid point that repetitions come to, but for a mass that does not count.
    ///
    /// # Errors
    ///
    /// Its number is too large.
    fn window(&self, counts: &[(u32, Rational)]) -> Result<(i64, i64), PredictError> {
        let largest = counts.iter().map(|(count, _)| *count).max().unwrap_or(0);
        let end = self.first as f64 + self.mass.len() as f64;
        checked(end * f64::from(largest))?;
        let width = self.mass.len() as i64 - 1;
        let mean = self.moments_of_points().0 / self.step;
        let of_count = |count: u32| {
            let times = i64::from(count);
            let (least, most) = (times * self.first, times * (self.first + width));
            let reach = reach(f64::from(count) * (width * width) as f64);
            let center = f64::from(count) * mean;
            let from = (center - reach).floor() as i64;
            let to = (center + reach).ceil() as i64;
            (least.max(from), most.min(to))
        };
        let windows = counts.iter().map(|(count, _)| of_count(*count));
        let all = windows.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
        Ok(all.unwrap_or_default())
    }

    /// With this mass. It is cleaned: no probability is negative, they sum to 1, and ends without a mass that counts are cut off.
    fn with_mass(&self, first: i64, mut mass: Vec<f64>) -> Grid {
        mass.iter_mut().for_each(|p| *p = p.max(0.0));
        let begin = negligible(mass.iter());
        let end = negligible(mass[begin..].iter().rev());
        mass.truncate(mass.len() - end);
        mass.drain(..begin);
        let sum: f64 = mass.iter().sum();
        mass.iter_mut().for_each(|p| *p /= sum);
        let mut grid = Grid {
            first: first + begin as i64,
            mass,
            corrected: self.corrected + (sum - 1.0).abs(),
            ..self.clone_without_mass()
        };
        (grid.mean, grid.variance) = grid.moments_of_points();
        grid
    }

    fn clone_without_mass(&self) -> Grid {
        Grid {
            mass: Vec::new(),
            exact: None,
            ..*self
        }
    }

    /// The result of an exact operation on small distributions, if it is small, too.
    fn small(
        &self,
        result: Option<Result<Exact, PredictError>>,
    ) -> Option<Result<Grid, PredictError>> {
        let exact = result?
            .ok()
            .filter(|exact| exact.points().len() <= MOST_SMALL)?;
        Some(Grid::of(&exact, &Zoom { step: self.step }))
    }

    /// How far the split times of these are from the times themselves, at most on average. A latest end moves by no more than they do together.
    fn blur(all: &[Grid]) -> f64 {
        let each = all.iter().map(|one| one.shift + one.added.sqrt());
        each.sum()
    }
}

/// The number of a grid point, if a float holds it exactly.
fn checked(place: f64) -> Result<i64, PredictError> {
    match place.abs() < MOST_PLACE {
        true => Ok(place as i64),
        false => Err(PredictError::limit(
            "times differ too much in size for a grid",
        )),
    }
}

/// How many points come before their mass counts.
fn negligible<'p>(points: impl Iterator<Item = &'p f64>) -> usize {
    let mut sum = 0.0;
    let points = points.take_while(|p| {
        sum += **p;
        sum <= NEGLIGIBLE
    });
    points.count()
}

/// How far a sum of independent times is from its mean at most, but for a probability of 10^-18. The squares of their widths have this sum (Hoeffding, *Probability
/// Inequalities for Sums of Bounded Random Variables*, 1963, theorem 2).
pub(crate) fn reach(squares: f64) -> f64 {
    (squares * (2e18_f64.ln() / 2.0)).sqrt()
}

fn too_many() -> PredictError {
    PredictError::limit("a grid has at most 4,194,304 points")
}

/// The smallest size that is at least this one and has no prime factors but 2, 3 and 5.
fn transform_size(least: usize) -> usize {
    let mut best = least.next_power_of_two();
    for threes in [1, 3, 9] {
        for fives in [1, 5] {
            let odd: usize = threes * fives;
            let size = odd * least.div_ceil(odd).next_power_of_two();
            best = best.min(size);
        }
    }
    best
}

/// The transform of the mass, padded with zeros.
fn transformed(mass: &[f64], size: usize) -> Vec<Complex<f64>> {
    let forward = PLANNER.with_borrow_mut(|planner| planner.plan_fft_forward(size));
    let mut padded = forward.make_input_vec();
    padded[..mass.len()].copy_from_slice(mass);
    let mut spectrum = forward.make_output_vec();
    // Sizes are those that the plan has made.
    let _ = forward.process(&mut padded, &mut spectrum);
    spectrum
}

/// The mass of a transform.
fn restored(mut spectrum: Vec<Complex<f64>>, size: usize, length: usize) -> Vec<f64> {
    let inverse = PLANNER.with_borrow_mut(|planner| planner.plan_fft_inverse(size));
    // These are real, but for rounding.
    if let Some(first) = spectrum.first_mut() {
        first.im = 0.0;
    }
    if let Some(last) = spectrum.last_mut().filter(|_| size.is_multiple_of(2)) {
        last.im = 0.0;
    }
    let mut mass = inverse.make_output_vec();
    let _ = inverse.process(&mut spectrum, &mut mass);
    mass.truncate(length);
    mass.iter_mut().for_each(|p| *p /= size as f64);
    mass
}

/// The mass of the sum of two independent times.
fn convolved(one: &[f64], other: &[f64]) -> Vec<f64> {
    let length = one.len() + other.len() - 1;
    if one.len().saturating_mul(other.len()) < DIRECT {
        let mut sums = vec![0.0; length];
        for (place, p) in one.iter().enumerate() {
            for (more, q) in other.iter().enumerate() {
                sums[place + more] += p * q;
            }
        }
        return sums;
    }
    let size = transform_size(length);
    let mut spectrum = transformed(one, size);
    for (value, factor) in spectrum.iter_mut().zip(transformed(other, size)) {
        *value *= factor;
    }
    restored(spectrum, size, length)
}

impl Times for Grid {
    type Scale = Zoom;

    fn of(exact: &Exact, zoom: &Zoom) -> Result<Grid, PredictError> {
        let step = zoom.step;
        let place = |time: &Rational| float(time) / step;
        let (least, most) = exact.range();
        let first = checked(place(least).floor())?;
        let length = (checked(place(most).ceil())? - first).max(0) as usize + 2;
        if length > MOST_POINTS {
            return Err(too_many());
        }
        let mut mass = vec![0.0; length];
        let mut added = 0.0;
        for (time, p) in exact.points() {
            let at = place(time) - first as f64;
            let below = at.floor();
            let p = float(p);
            let share = match at - below {
                share if share < 1e-9 => 0.0,
                share if share > 1.0 - 1e-9 => 1.0,
                share => share,
            };
            mass[below as usize] += p * (1.0 - share);
            mass[below as usize + 1] += p * share;
            added += p * share * (1.0 - share) * step * step;
        }
        let plain = Grid {
            step,
            first,
            mass: Vec::new(),
            mean: 0.0,
            variance: 0.0,
            added,
            corrected: 0.0,
            shift: 0.0,
            exact: None,
        };
        let is_small = exact.points().len() <= MOST_SMALL;
        Ok(Grid {
            mean: float(&exact.mean()),
            variance: float(&exact.variance()),
            exact: is_small.then(|| Box::new(exact.clone())),
            ..plain.with_mass(first, mass)
        })
    }

    fn then(&self, other: &Grid) -> Result<Grid, PredictError> {
        let both = self.exact.as_ref().zip(other.exact.as_ref());
        let both =
            both.filter(|(one, more)| one.points().len() * more.points().len() <= MOST_SMALL);
        if let Some(small) = self.small(both.map(|(one, more)| one.then(more))) {
            return small;
        }
        if self.mass.len() + other.mass.len() > MOST_POINTS {
            return Err(too_many());
        }
        checked((self.first + other.first) as f64)?;
        let sum = Grid {
            added: self.added + other.added,
            corrected: self.corrected + other.corrected,
            shift: self.shift + other.shift,
            ..self.clone_without_mass()
        };
        let mass = convolved(&self.mass, &other.mass);
        Ok(Grid {
            mean: self.mean + other.mean,
            variance: self.variance + other.variance,
            ..sum.with_mass(self.first + other.first, mass)
        })
    }

    fn mixture(parts: &[(Rational, Grid)]) -> Result<Grid, PredictError> {
        let exact = parts.iter().map(|(weight, part)| {
            let exact = part.exact.as_deref()?;
            Some((weight.clone(), exact.clone()))
        });
        let exact: Option<Vec<(Rational, Exact)>> = exact.collect();
        if let Some((_, one)) = parts.first()
            && let Some(small) = one.small(exact.map(|parts| Exact::mixture(&parts)))
        {
            return small;
        }
        let first = parts.iter().map(|(_, part)| part.first).min().unwrap_or(0);
        let end = |part: &Grid| part.first + part.mass.len() as i64;
        let end = parts.iter().map(|(_, part)| end(part)).max().unwrap_or(0);
        let length = (end - first).max(0) as usize;
        if length > MOST_POINTS || parts.is_empty() {
            return Err(too_many());
        }
        let mut mass = vec![0.0; length];
        let (mut mean, mut variance) = (0.0, 0.0);
        let mut mixed = Grid {
            added: 0.0,
            corrected: 0.0,
            shift: 0.0,
            ..parts[0].1.clone_without_mass()
        };
        for (weight, part) in parts {
            let weight = float(weight);
            let place = (part.first - first) as usize;
            for (sum, p) in mass[place..].iter_mut().zip(&part.mass) {
                *sum += weight * p;
            }
            mean += weight * part.mean;
            mixed.added += weight * part.added;
            mixed.corrected += weight * part.corrected;
            mixed.shift += weight * part.shift;
        }
        for (weight, part) in parts {
            variance += float(weight) * (part.variance + (part.mean - mean).powi(2));
        }
        Ok(Grid {
            mean,
            variance,
            ..mixed.with_mass(first, mass)
        })
    }

    /// All powers in one transform: at each frequency the sum of the powers of its value.
    fn repeated(&self, counts: &Exact) -> Result<Grid, PredictError> {
        let all = counts.counts()?;
        let exact = self.exact.as_deref().filter(|exact| {
            let largest = all.last().map_or(0, |(count, _)| *count);
            exact.points().len() == 1 || largest <= MOST_SMALL_LOOP
        });
        if let Some(small) = self.small(exact.map(|exact| exact.repeated(counts))) {
            return small;
        }
        let (first, end) = self.window(&all)?;
        let length =
            usize::try_from(end - first).map_or(usize::MAX, |steps| steps.saturating_add(1));
        if length > MOST_POINTS {
            return Err(too_many());
        }
        let size = transform_size(length.max(self.mass.len()));
        let turn = |frequency: usize, places: i64| {
            let steps = i128::from(places) * frequency as i128;
            let angle = steps.rem_euclid(size as i128) as f64 / size as f64;
            Complex::from_polar(1.0, -angle * std::f64::consts::TAU)
        };
        let weights: Vec<(u32, f64)> = all.iter().map(|(count, p)| (*count, float(p))).collect();
        let mut spectrum = transformed(&self.mass, size);
        for (frequency, value) in spectrum.iter_mut().enumerate() {
            let own = *value * turn(frequency, self.first);
            let (mut power, mut done) = (Complex::new(1.0, 0.0), 0);
            let mut sum = Complex::new(0.0, 0.0);
            for (count, p) in &weights {
                power *= own.powu(count - done);
                done = *count;
                sum += power * p;
            }
            *value = sum * turn(frequency, -first);
        }
        let (mean, variance) = (float(&counts.mean()), float(&counts.variance()));
        let repeated = Grid {
            added: mean * self.added,
            corrected: mean * self.corrected,
            shift: mean * self.shift,
            ..self.clone_without_mass()
        };
        Ok(Grid {
            mean: mean * self.mean,
            variance: mean * self.variance + variance * self.mean * self.mean,
            ..repeated.with_mass(first, restored(spectrum, size, length))
        })
    }

    fn longest(all: &[Grid]) -> Result<Grid, PredictError> {
        let Some(one) = all.first() else {
            return Err(PredictError::usage("there is no task"));
        };
        if let Some(small) = one.small(exact_of(all).map(|all| Exact::longest(&all))) {
            return small;
        }
        // The longest is at least as long as the shortest time of each.
        let first = all.iter().map(|one| one.first).max().unwrap_or(0);
        let end = all.iter().map(|one| one.first + one.mass.len() as i64);
        let length = (end.max().unwrap_or(0) - first).max(0) as usize;
        if length > MOST_POINTS {
            return Err(too_many());
        }
        let mut done: Vec<f64> = vec![0.0; all.len()];
        let mut before = 0.0;
        let mut mass = Vec::with_capacity(length);
        for place in first..first + length as i64 {
            for (probability, one) in done.iter_mut().zip(all) {
                let from = if place == first { one.first } else { place };
                let own = |place: i64| usize::try_from(place - one.first).unwrap_or(0);
                let range = own(from).min(one.mass.len())..(own(place) + 1).min(one.mass.len());
                *probability += one.mass[range].iter().sum::<f64>();
            }
            let at_most: f64 = done.iter().product();
            mass.push(at_most - before);
            before = at_most;
        }
        Ok(together(all).with_mass(first, mass))
    }

    fn sorted(all: &[Grid]) -> Result<Vec<Grid>, PredictError> {
        if let Some(one) = all.first()
            && let Some(Ok(sorted)) = exact_of(all).map(|all| Exact::sorted(&all))
        {
            let zoom = Zoom { step: one.step };
            return sorted.iter().map(|one| Grid::of(one, &zoom)).collect();
        }
        let first = all.iter().map(|one| one.first).min().unwrap_or(0);
        let end = all
            .iter()
            .map(|one| one.first + one.mass.len() as i64)
            .max();
        let length = (end.unwrap_or(0) - first).max(0) as usize;
        if length.saturating_mul(all.len()) > MOST_POINTS {
            return Err(too_many());
        }
        let mut done = vec![0.0; all.len()];
        let mut masses = vec![Vec::with_capacity(length); all.len()];
        let mut before = vec![0.0; all.len()];
        for place in first..first + length as i64 {
            for (probability, one) in done.iter_mut().zip(all) {
                let own = usize::try_from(place - one.first);
                let p = own.ok().and_then(|own| one.mass.get(own));
                *probability += p.copied().unwrap_or(0.0);
            }
            let mut at_most = 0.0;
            for (nth, p) in running(&done).into_iter().take(all.len()).enumerate() {
                at_most += p;
                masses[nth].push(at_most - before[nth]);
                before[nth] = at_most;
            }
        }
        let masses = masses.into_iter();
        let sorted = masses.map(|mass| together(all).with_mass(first, mass));
        Ok(sorted.collect())
    }

    fn listed(tasks: &[Grid], cpus: usize) -> Result<Grid, PredictError> {
        if let Some(one) = tasks.first()
            && let Some(small) = one.small(exact_of(tasks).map(|all| Exact::listed(&all, cpus)))
        {
            return small;
        }
        let all = tasks.iter().map(|task| {
            let places = (task.first..).zip(&task.mass);
            let likely = places.filter(|(_, p)| **p > 0.0);
            likely.map(|(place, p)| (place, *p)).collect()
        });
        let last = last_of_list::<i64, f64>(all, cpus, MOST_LOOKS)?;
        let first = last.keys().next().copied().unwrap_or(0);
        let end = last.keys().last().copied().unwrap_or(0);
        let length = (end - first) as usize + 1;
        if length > MOST_POINTS {
            return Err(too_many());
        }
        let mut mass = vec![0.0; length];
        for (place, p) in last {
            mass[(place - first) as usize] += p;
        }
        Ok(together(tasks).with_mass(first, mass))
    }
}

/// What tasks have together, without a mass.
fn together(all: &[Grid]) -> Grid {
    let sum = |of: fn(&Grid) -> f64| all.iter().map(of).sum();
    Grid {
        added: sum(|one| one.added),
        corrected: sum(|one| one.corrected),
        shift: Grid::blur(all),
        ..all[0].clone_without_mass()
    }
}

/// The same distributions exactly, if all are small.
fn exact_of(all: &[Grid]) -> Option<Vec<Exact>> {
    let few = all.iter().take(MOST_SMALL + 1);
    let exact = few.map(|one| one.exact.as_deref().cloned());
    let exact: Option<Vec<Exact>> = exact.collect();
    exact.filter(|exact| exact.len() <= MOST_SMALL)
}
