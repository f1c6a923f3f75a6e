//! Parallel tasks: how many of them still run, and CPUs that take them in the order of a list.

use std::collections::BTreeMap;
use std::ops::{Add, AddAssign, Mul, Sub};

use num_traits::{One, Zero};

use crate::error::PredictError;

/// The most combinations of times at which CPUs are free.
const MOST_COMBINATIONS: usize = 100_000;

fn too_many() -> PredictError {
    PredictError::limit("the times at which CPUs are free have too many combinations")
}

/// The time at which the last of the tasks is done. The first CPU that is free takes the next task of the list. The times at which CPUs are free are
/// kept together, in ascending order (Kiefer and Wolfowitz), because they depend on each other.
///
/// # Errors
///
/// There are more than 100,000 combinations of these times, or more looks at one than this number.
pub(crate) fn last_of_list<T, P>(
    tasks: impl IntoIterator<Item = Vec<(T, P)>>,
    cpus: usize,
    most_looks: usize,
) -> Result<BTreeMap<T, P>, PredictError>
where
    T: Clone + Ord + Zero + for<'a> Add<&'a T, Output = T>,
    P: Clone + Zero + One + AddAssign + for<'a> Mul<&'a P, Output = P>,
{
    let mut free: BTreeMap<Vec<T>, P> = BTreeMap::new();
    free.insert(vec![T::zero(); cpus.max(1)], P::one());
    let mut looks = 0_usize;
    for task in tasks {
        looks = looks.saturating_add(free.len().saturating_mul(task.len()));
        if looks > most_looks {
            return Err(too_many());
        }
        let mut next: BTreeMap<Vec<T>, P> = BTreeMap::new();
        for (times, p) in free {
            for (time, q) in &task {
                let mut times = times.clone();
                times[0] = times[0].clone() + time;
                times.sort_unstable();
                *next.entry(times).or_insert_with(P::zero) += p.clone() * q;
            }
            if next.len() > MOST_COMBINATIONS {
                return Err(too_many());
            }
        }
        free = next;
    }
    let mut last = BTreeMap::new();
    for (mut times, p) in free {
        if let Some(time) = times.pop() {
            *last.entry(time).or_insert_with(P::zero) += p;
        }
    }
    Ok(last)
}

/// The probabilities that exactly 0, 1, 2 … of the tasks still run, where each is done with this probability. The table has one row for each task (Poisson
/// binomial), so it takes the square of their number.
pub(crate) fn running<P>(done: &[P]) -> Vec<P>
where
    P: Clone + Zero + One + Sub<Output = P>,
    for<'a> &'a P: Mul<&'a P, Output = P>,
{
    let mut table = vec![P::one()];
    for p in done {
        let not = P::one() - p.clone();
        table.push(P::zero());
        for count in (0..table.len()).rev() {
            let stay = &table[count] * p;
            table[count] = match count {
                0 => stay,
                _ => stay + &table[count - 1] * &not,
            };
        }
    }
    table
}
