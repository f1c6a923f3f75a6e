//! Learning the functions of a service: which sizes are run, and what is made of the counts.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::contexts::Seen;
use super::function::{Function, Part};
use super::sizes::Sizes;
use crate::fitting::{Class, Predicted, Table, fit};
use crate::pmf::Rational;

/// The most sizes from the smallest on.
const MOST_NEIGHBOURS: i64 = 512;
/// How many times the effort a run may take that is one of many, one that checks a function, and all together.
const ONE_OF_MANY: u64 = 5;
const CHECKING: u64 = 30;
const IN_ALL: u64 = 600;
/// The most bytes of a run far above the sizes.
const FAR_BYTES: u64 = 32 << 20;
/// The most bytes of one of the first.
const MANY_BYTES: u64 = 256 << 20;
/// The largest size.
const LARGEST: u64 = 1 << 40;
/// The shares, in per cent, of sizes between those that are doubled.
const CROOKED: [i64; 3] = [77, 81, 73];
/// How often the sizes that check a function are doubled before it is believed.
const CHECKS: usize = 3;
/// How often they have to be doubled, so that a function is kept that is wrong above.
const KEEPING: usize = 6;
/// The most thresholds above the first sizes.
const MOST_THRESHOLDS: usize = 4;
/// How many sizes behind such a threshold are run.
const BEHIND_A_THRESHOLD: i64 = 40;

/// What was counted in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Observation {
    /// Sends and repetitions of the whole run.
    pub ticks: u64,
    /// The bytes of all objects that it made.
    pub bytes: u64,
    /// A number for each counter, by context.
    pub contexts: BTreeMap<String, Vec<u64>>,
}

/// How a run is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// It may take as many ticks; none for any number.
    pub most_ticks: Option<u64>,
    /// Whether it is an error if the program fails. Sizes that were not given need not be possible.
    pub is_needed: bool,
}

/// Runs the program at a size: none if it needs too many ticks, or fails where it need not come to its end.
pub type Run<'r, E> = dyn FnMut(&[i64], Wanted) -> Result<Option<Observation>, E> + 'r;

/// What was learnt.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learnt {
    /// The function of each counter.
    pub functions: Vec<Function>,
    /// The smallest size at which the program failed or took too long, if one was tried that was not needed.
    pub ended: Option<Vec<BigInt>>,
}

/// The functions of the counters of a program. It is run at the given sizes, or at those that are needed, and then at larger ones, which check what was found.
///
/// # Errors
///
/// Those of the runs. A run that needs too many ticks is no error, but ends the learning.
pub fn learn<E>(
    sizes: &Sizes,
    counters: &[&'static str],
    run: &mut Run<'_, E>,
) -> Result<Learnt, E> {
    let mut learning = Learning {
        seen: Seen::new(&sizes.names, counters),
        largest: sizes.largest(),
        effort: sizes.effort,
        ended: None,
        run,
    };
    let wanted = Wanted {
        most_ticks: sizes.may_grow.then_some(CHECKING * sizes.effort),
        is_needed: true,
    };
    let mut has_room = true;
    for point in &sizes.points {
        if !learning.observe_as(point, wanted, ONE_OF_MANY)? {
            has_room = false;
            learning.largest = learning.seen.last().unwrap_or(learning.largest);
            break;
        }
    }
    if learning.seen.last().is_none() {
        return Ok(Learnt::default());
    }
    let first = learning.largest.clone();
    let mut functions = learning.seen.functions(None);
    if sizes.may_grow && has_room {
        has_room = learning.grow(&mut functions)?;
    }
    for (counter, function) in functions.iter_mut().enumerate() {
        if function.is_exact() {
            learning.check(counter, function)?;
        }
    }
    if sizes.may_grow {
        learning.mend(&mut functions, &first)?;
        if has_room && !learning.are_sound(&functions) {
            learning.observe_far()?;
        }
    }
    for (counter, function) in functions.iter_mut().enumerate() {
        if !learning.is_sound(counter, function) {
            let refuted = function.refuted.take();
            *function = learning.seen.approximate(counter);
            function.refuted = refuted;
        }
        function.table = learning.seen.table(counter, None, |_| true);
    }
    Ok(Learnt {
        functions,
        ended: learning.ended.map(|point| whole(&point)),
    })
}

fn all_exact(functions: &[Function]) -> bool {
    functions.iter().all(Function::is_exact)
}

fn whole(point: &[i64]) -> Vec<BigInt> {
    point.iter().map(|one| BigInt::from(*one)).collect()
}

/// A program that is run at sizes.
struct Learning<'c, 'r, 'f, E> {
    seen: Seen<'c>,
    /// The largest inputs of which all smaller ones were run.
    largest: Vec<i64>,
    /// The ticks of a run far above.
    effort: u64,
    /// The smallest size that was not needed and did not come to its end.
    ended: Option<Vec<i64>>,
    run: &'r mut Run<'f, E>,
}

impl<E> Learning<'_, '_, '_, E> {
    /// Runs the program at a size, unless it was run there. Answers whether there is room for a larger size, if a run may take the effort as often as `times`.
    fn observe(&mut self, point: &[i64], times: u64) -> Result<bool, E> {
        let wanted = Wanted {
            most_ticks: Some(CHECKING * self.effort),
            is_needed: false,
        };
        self.observe_as(point, wanted, times)
    }

    fn observe_as(&mut self, point: &[i64], wanted: Wanted, times: u64) -> Result<bool, E> {
        if self.seen.ticks_at(point).is_some() {
            return Ok(true);
        }
        let Some(observation) = (self.run)(point, wanted)? else {
            if self
                .ended
                .as_ref()
                .is_none_or(|ended| point < ended.as_slice())
            {
                self.ended = Some(point.to_vec());
            }
            return Ok(false);
        };
        let (ticks, bytes) = (observation.ticks, observation.bytes);
        self.seen.add(point, observation);
        let most_bytes = if times > 1 { MANY_BYTES } else { FAR_BYTES };
        let is_small = ticks <= times * self.effort && bytes <= most_bytes;
        let has_room = is_small && self.seen.ticks <= IN_ALL * self.effort;
        Ok(wanted.most_ticks.is_none() || has_room)
    }

    /// Doubles the sizes until all functions are exact and right at larger sizes. Answers whether there is room for more.
    fn grow(&mut self, functions: &mut Vec<Function>) -> Result<bool, E> {
        let mut has_room = true;
        while has_room && 2 * self.largest[0] <= MOST_NEIGHBOURS {
            if all_exact(functions) && self.are_right(functions)? {
                break;
            }
            for n in self.largest[0] + 1..=2 * self.largest[0] {
                has_room = has_room && self.observe(&[n], ONE_OF_MANY)?;
            }
            self.largest[0] *= if has_room { 2 } else { 1 };
            *functions = self.seen.functions(Some(&self.largest));
        }
        Ok(has_room)
    }

    /// Seeks thresholds among the larger sizes for functions that are exact at the first ones, up to the given largest.
    fn mend(&mut self, functions: &mut [Function], first: &[i64]) -> Result<(), E> {
        self.largest = first.to_vec();
        for (counter, function) in functions.iter_mut().enumerate() {
            if self.is_sound(counter, function) {
                continue;
            }
            let mut other = self.seen.function(counter, Some(first));
            if other.is_exact() {
                self.check(counter, &mut other)?;
            }
            if self.is_sound(counter, &other) {
                *function = other;
            }
        }
        Ok(())
    }

    /// Runs sizes of which eight stand between one and its double, for approximations.
    fn observe_far(&mut self) -> Result<(), E> {
        let mut n = self.largest[0];
        loop {
            n += (n / 8).max(1);
            if n.unsigned_abs() > LARGEST || !self.observe(&[n], 1)? {
                return Ok(());
            }
        }
    }

    /// The largest inputs times 2, 4, 8 and so on.
    fn doubled(&self, times: usize) -> Option<Vec<i64>> {
        let factor = 1_i64.checked_shl(times as u32)?;
        let all = self.largest.iter().map(|n| n.checked_mul(factor));
        let all: Option<Vec<i64>> = all.collect();
        all.filter(|all| all.iter().all(|n| n.unsigned_abs() <= LARGEST))
    }

    /// Sizes between these and the ones that are half as large, and odd: sizes that are doubled have the same divisors.
    fn crooked(point: &[i64]) -> Vec<i64> {
        let crooked = point.iter().zip(CROOKED);
        crooked.map(|(n, share)| (n * share / 100) | 1).collect()
    }

    /// Whether the functions are those of the next larger sizes.
    fn are_right(&mut self, functions: &[Function]) -> Result<bool, E> {
        for times in 1..=CHECKS {
            for point in self.affordable(times)? {
                let mut all = functions.iter().enumerate();
                if !all.all(|(counter, function)| self.is_right(counter, function, &point)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Runs the program at the largest inputs, so often doubled, and between, if that is likely to end in time. Answers these inputs, the smaller ones first.
    fn affordable(&mut self, times: usize) -> Result<Vec<Vec<i64>>, E> {
        let Some(point) = self.doubled(times) else {
            return Ok(Vec::new());
        };
        let both = vec![Self::crooked(&point), point.clone()];
        if both.iter().all(|one| self.seen.ticks_at(one).is_some()) {
            return Ok(both);
        }
        let half = self.doubled(times - 1);
        let is_large = |at: &Vec<i64>| self.seen.bytes_at(at) > FAR_BYTES;
        if half.as_ref().is_some_and(is_large) {
            return Ok(Vec::new());
        }
        let half = half.and_then(|at| self.seen.ticks_at(&at));
        let quarter: Vec<i64> = point.iter().map(|n| n / 4).collect();
        let most = if times <= CHECKS { CHECKING } else { 1 } * self.effort;
        let expected = match (half, self.seen.ticks_at(&quarter)) {
            (Some(half), Some(quarter)) => {
                half as f64 * (half as f64 / quarter.max(1) as f64).max(1.0)
            }
            _ => 0.0,
        };
        if expected > most as f64 || self.seen.ticks > IN_ALL * self.effort {
            return Ok(Vec::new());
        }
        let mut ran = Vec::new();
        for one in both {
            self.observe(&one, CHECKING)?;
            if self.seen.ticks_at(&one).is_none() {
                break;
            }
            ran.push(one);
        }
        Ok(ran)
    }

    /// Whether the function has what was counted.
    fn is_right(&self, counter: usize, function: &Function, point: &[i64]) -> bool {
        let counted = self.seen.counted(counter, point);
        function.elsewhere(&whole(point)).ok() == counted.map(Predicted::Exact)
    }

    /// Whether the function is exact and has what was counted at all sizes, or at those up to where it holds.
    fn is_sound(&self, counter: usize, function: &Function) -> bool {
        let table = self.seen.table(counter, None, |_| true);
        let holds = |at: &[BigInt]| {
            let is_above = function.until.as_ref().is_some_and(|until| at[0] > *until);
            let is_below = function.from().is_some_and(|from| at[0] < *from);
            !is_above && !is_below
        };
        let mut points = table.points.iter().filter(|(at, _)| holds(at));
        let is_refuted = function.refuted.is_some() && function.until.is_none();
        function.is_exact()
            && !is_refuted
            && points.all(|(at, counted)| {
                function.elsewhere(at).ok().as_ref() == Some(&Predicted::Exact(counted.clone()))
            })
    }

    fn are_sound(&self, functions: &[Function]) -> bool {
        let mut all = functions.iter().enumerate();
        all.all(|(counter, function)| self.is_sound(counter, function))
    }

    /// Compares an exact function with larger and larger runs. Where it is wrong, the threshold is sought from which on it is, and what has to be added there.
    fn check(&mut self, counter: usize, function: &mut Function) -> Result<(), E> {
        let mut right = self.largest.clone();
        for times in 1.. {
            let points = self.affordable(times)?;
            if points.is_empty() {
                return Ok(());
            }
            for point in points {
                for _ in 0..MOST_THRESHOLDS {
                    let is_right = self.is_right(counter, function, &point) || right.len() > 1;
                    if is_right || !self.add_threshold(counter, function, right[0], point[0])? {
                        break;
                    }
                }
                function.checked.push(whole(&point));
                if !self.is_right(counter, function, &point) {
                    function.refuted = Some(whole(&point));
                    // What was right so often is no chance, and is kept.
                    if times > KEEPING && right.len() == 1 {
                        function.until = Some(right[0].into());
                    }
                    return Ok(());
                }
                right = point;
            }
        }
        Ok(())
    }

    /// Finds the threshold between a size at which the function is right and one at which it is not, and the function that has to be added from there on. Answers whether it
    /// was found.
    fn add_threshold(
        &mut self,
        counter: usize,
        function: &mut Function,
        mut right: i64,
        mut wrong: i64,
    ) -> Result<bool, E> {
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            self.observe(&[middle], CHECKING)?;
            if self.seen.ticks_at(&[middle]).is_none() {
                return Ok(false);
            }
            match self.is_right(counter, function, &[middle]) {
                true => right = middle,
                false => wrong = middle,
            }
        }
        if function
            .parts
            .iter()
            .any(|part| part.begins == Some(wrong.into()))
        {
            return Ok(false);
        }
        let mut table = Table {
            points: BTreeMap::new(),
            ..function.table.clone()
        };
        for n in wrong..wrong + BEHIND_A_THRESHOLD {
            self.observe(&[n], CHECKING)?;
            let at = whole(&[n]);
            let known = self
                .seen
                .counted(counter, &[n])
                .zip(function.elsewhere(&at).ok());
            let Some((counted, Predicted::Exact(predicted))) = known else {
                return Ok(false);
            };
            table.points.insert(at, counted - predicted);
        }
        let fit = fit(&table);
        if !matches!(fit.class, Class::Exact { .. }) || fit.from.is_some() {
            return Ok(false);
        }
        function.parts.push(Part {
            contexts: Vec::new(),
            begins: Some(wrong.into()),
            fit,
        });
        function.join_thresholds();
        Ok(true)
    }
}

/// A number as a float.
pub(super) fn near(value: &BigInt) -> f64 {
    value.to_f64().unwrap_or(f64::INFINITY)
}

/// The number of a count.
pub(super) fn number(count: u128) -> Rational {
    Rational::from_integer(count.into())
}
