//! Distributions with rational times and rational probabilities.

use std::collections::BTreeMap;

use num_traits::{One, ToPrimitive, Zero};

use super::{Rational, Times};
use crate::error::PredictError;
use crate::parallel::{last_of_list, running};

/// The most points of a result.
const MOST_POINTS: usize = 4_096;
/// The most bits of the denominator of a probability.
const MOST_BITS: u64 = 256;
/// The most tasks for fewer CPUs, and the most combinations that are looked at for all of them together.
const MOST_TASKS: usize = 64;
const MOST_LOOKS: usize = 50_000;
/// The most pairs of points that one operation combines.
const MOST_PAIRS: usize = 1 << 13;

/// A distribution. Results of operators have at most 4,096 points. Times are at least 0 and ascending; probabilities are above 0 and sum to 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    points: Vec<(Rational, Rational)>,
}

fn too_many() -> PredictError {
    PredictError::limit(
        "an exact distribution has at most 4,096 points, and probabilities of 256 bits",
    )
}

impl Exact {
    /// A time that is always the same. It is at least 0.
    pub fn point(time: Rational) -> Exact {
        Exact {
            points: vec![(time, Rational::one())],
        }
    }

    /// A distribution of these times with their probabilities. A time may occur several times.
    ///
    /// # Errors
    ///
    /// A time or a probability is negative, or the probabilities do not sum to 1.
    pub fn new(
        points: impl IntoIterator<Item = (Rational, Rational)>,
    ) -> Result<Exact, PredictError> {
        let mut sums = BTreeMap::new();
        let mut total = Rational::zero();
        for (time, probability) in points {
            if time < Rational::zero() {
                let why = format!("a time is not negative, and {time} is");
                return Err(PredictError::usage(why));
            }
            if probability < Rational::zero() {
                let why = format!("a probability is not negative, and {probability} is");
                return Err(PredictError::usage(why));
            }
            total += &probability;
            *sums.entry(time).or_insert_with(Rational::zero) += probability;
        }
        if !total.is_one() {
            let why = format!("probabilities sum to 1, and these sum to {total}");
            return Err(PredictError::usage(why));
        }
        let points = sums.into_iter().filter(|(_, p)| !p.is_zero());
        Ok(Exact {
            points: points.collect(),
        })
    }

    fn of_sums(sums: BTreeMap<Rational, Rational>) -> Result<Exact, PredictError> {
        let points: Vec<(Rational, Rational)> =
            sums.into_iter().filter(|(_, p)| !p.is_zero()).collect();
        let is_long = |p: &Rational| p.denom().bits() > MOST_BITS;
        if points.len() > MOST_POINTS || points.iter().any(|(_, p)| is_long(p)) {
            return Err(too_many());
        }
        Ok(Exact { points })
    }

    /// Times with their probabilities.
    pub fn points(&self) -> &[(Rational, Rational)] {
        &self.points
    }

    /// Its mean.
    pub fn mean(&self) -> Rational {
        self.points.iter().map(|(time, p)| time * p).sum()
    }

    /// Its variance.
    pub fn variance(&self) -> Rational {
        let mean = self.mean();
        let squares = self.points.iter().map(|(time, p)| time * time * p);
        squares.sum::<Rational>() - &mean * &mean
    }

    /// The smallest time with at least this probability that none is longer.
    pub fn quantile(&self, probability: &Rational) -> &Rational {
        let mut sum = Rational::zero();
        let mut times = self.points.iter();
        let found = times.find(|(_, p)| {
            sum += p;
            sum >= *probability
        });
        let last = &self.points[self.points.len() - 1];
        &found.unwrap_or(last).0
    }

    /// The shortest and the longest time.
    pub fn range(&self) -> (&Rational, &Rational) {
        (&self.points[0].0, &self.points[self.points.len() - 1].0)
    }

    /// Its times as numbers of repetitions.
    ///
    /// # Errors
    ///
    /// One is no whole number, or larger than a million.
    pub(crate) fn counts(&self) -> Result<Vec<(u32, Rational)>, PredictError> {
        /// The most repetitions of a loop.
        const MOST: u32 = 1_000_000;
        let counts = self.points.iter().map(|(count, p)| {
            if !count.is_integer() {
                let why = format!("a number of repetitions is whole, and {count} is not");
                return Err(PredictError::usage(why));
            }
            let small = count.numer().to_u32().filter(|count| *count <= MOST);
            small.map(|count| (count, p.clone())).ok_or_else(|| {
                PredictError::limit(format!(
                    "a loop has at most 1,000,000 repetitions, not {count}"
                ))
            })
        });
        counts.collect()
    }
}

impl Times for Exact {
    type Scale = ();

    fn of(exact: &Exact, (): &()) -> Result<Exact, PredictError> {
        Ok(exact.clone())
    }

    fn longest(all: &[Exact]) -> Result<Exact, PredictError> {
        let mut longest: Option<Exact> = None;
        for one in all {
            longest = Some(match longest {
                Some(before) => before.longer(one)?,
                None => one.clone(),
            });
        }
        longest.ok_or_else(|| PredictError::usage("there is no task"))
    }

    fn then(&self, other: &Exact) -> Result<Exact, PredictError> {
        if self.points.len() * other.points.len() > MOST_PAIRS {
            return Err(too_many());
        }
        let mut sums = BTreeMap::new();
        for (time, p) in &self.points {
            for (more, q) in &other.points {
                *sums.entry(time + more).or_insert_with(Rational::zero) += p * q;
            }
        }
        Exact::of_sums(sums)
    }

    fn mixture(parts: &[(Rational, Exact)]) -> Result<Exact, PredictError> {
        let mut sums = BTreeMap::new();
        for (weight, part) in parts {
            for (time, p) in &part.points {
                *sums.entry(time.clone()).or_insert_with(Rational::zero) += weight * p;
            }
        }
        Exact::of_sums(sums)
    }

    fn repeated(&self, counts: &Exact) -> Result<Exact, PredictError> {
        let mut power = Exact::point(Rational::zero());
        let mut done = 0;
        let mut parts = Vec::new();
        for (count, p) in counts.counts()? {
            power = power.then(&self.power(count - done)?)?;
            done = count;
            parts.push((p, power.clone()));
        }
        Exact::mixture(&parts)
    }

    fn sorted(all: &[Exact]) -> Result<Vec<Exact>, PredictError> {
        let mut times: Vec<&Rational> = all
            .iter()
            .flat_map(|one| one.points.iter().map(|(time, _)| time))
            .collect();
        times.sort_unstable();
        times.dedup();
        if times.len() * all.len() * all.len() > MOST_PAIRS {
            return Err(too_many());
        }
        let rests = all.iter().map(|one| one.points.iter().peekable());
        let mut done: Vec<_> = rests.map(|rest| (Rational::zero(), rest)).collect();
        let mut before = vec![Rational::zero(); all.len()];
        let mut sums = vec![BTreeMap::new(); all.len()];
        for time in times {
            for (probability, rest) in &mut done {
                while let Some((_, p)) = rest.next_if(|point| point.0 <= *time) {
                    *probability += p;
                }
            }
            let chances: Vec<Rational> = done.iter().map(|(one, _)| one.clone()).collect();
            // The n-th longest is done if fewer than n are not.
            let mut at_most = Rational::zero();
            for (nth, p) in running(&chances).into_iter().enumerate() {
                if nth < all.len() {
                    at_most += p;
                    sums[nth].insert(time.clone(), &at_most - &before[nth]);
                    before[nth] = at_most.clone();
                }
            }
        }
        sums.into_iter().map(Exact::of_sums).collect()
    }

    fn listed(tasks: &[Exact], cpus: usize) -> Result<Exact, PredictError> {
        if tasks.len() > MOST_TASKS {
            return Err(too_many());
        }
        let tasks = tasks.iter().map(|task| task.points.clone());
        Exact::of_sums(last_of_list(tasks, cpus, MOST_LOOKS)?)
    }
}

impl Exact {
    /// The longer one of two independent times: the product of their distribution functions.
    fn longer(&self, other: &Exact) -> Result<Exact, PredictError> {
        let mut times: Vec<&Rational> = self
            .points
            .iter()
            .chain(&other.points)
            .map(|(time, _)| time)
            .collect();
        times.sort_unstable();
        times.dedup();
        let mut sums = BTreeMap::new();
        let mut rests = [self, other].map(|one| (Rational::zero(), one.points.iter().peekable()));
        let mut before = Rational::zero();
        for time in times {
            for (probability, rest) in &mut rests {
                while let Some((_, p)) = rest.next_if(|point| point.0 <= *time) {
                    *probability += p;
                }
            }
            let at_most = &rests[0].0 * &rests[1].0;
            sums.insert(time.clone(), &at_most - &before);
            before = at_most;
        }
        Exact::of_sums(sums)
    }

    /// The time of this number of repetitions.
    fn power(&self, mut count: u32) -> Result<Exact, PredictError> {
        let (mut power, mut square) = (Exact::point(Rational::zero()), self.clone());
        while count > 0 {
            if count % 2 == 1 {
                power = power.then(&square)?;
            }
            count /= 2;
            if count > 0 {
                square = square.then(&square)?;
            }
        }
        Ok(power)
    }
}
