//! The inverse: the largest input that keeps a bound, and where one service becomes more expensive than another.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};

use super::{COUNTERS, Function, Service};
use crate::error::PredictError;
use crate::fitting::Predicted;
use crate::notation::number;
use crate::pmf::{Rational, float};

/// How often a size is doubled.
const MOST_DOUBLINGS: u32 = 64;

/// How many neighbouring sizes are compared, and the most crossings.
const MOST_NEIGHBOURS: usize = 2_000;
const MOST_CROSSINGS: usize = 100;

/// So much of a counter.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// How much.
    pub most: Rational,
    /// The name of the counter.
    pub of: String,
}

/// Where the larger of two costs changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// The first input of which this is said.
    pub from: BigInt,
    /// Whether the first costs less than the second from there on, as much, or more.
    pub order: std::cmp::Ordering,
}

impl Bound {
    /// The bound in a text like `10^9 sends` or `1e6 objects`.
    ///
    /// # Errors
    ///
    /// The text is none.
    pub fn read(text: &str) -> Result<Bound, PredictError> {
        let wrong = || {
            PredictError::usage(format!(
                "a bound is given like '10^9 sends', with one of {}; {text:?} is not",
                COUNTERS.join(", ")
            ))
        };
        let (most, of) = text.trim().rsplit_once(' ').ok_or_else(wrong)?;
        let most = most.replace('_', "");
        let most = match most.split_once('^') {
            Some((base, power)) => {
                let base: u32 = base.trim().parse().map_err(|_| wrong())?;
                let power: u32 = power.trim().parse().map_err(|_| wrong())?;
                let power = Some(power).filter(|power| *power <= 1_000);
                Rational::from_integer(BigInt::from(base).pow(power.ok_or_else(wrong)?))
            }
            None => number(most.trim()).map_err(|_| wrong())?,
        };
        match COUNTERS.contains(&of) {
            true => Ok(Bound {
                most,
                of: of.to_string(),
            }),
            false => Err(wrong()),
        }
    }
}

fn is_at_most(value: &Predicted, most: &Rational) -> bool {
    match value {
        Predicted::Exact(value) => value <= most,
        Predicted::Approximate(value, _) => *value <= float(most),
    }
}

/// The smallest input of the function for which the test fails, if it holds for the given one and does not fail before one for which it fails at last; none if it seems to hold for all.
fn first_failing(
    from: &BigInt,
    holds: &mut dyn FnMut(&BigInt) -> Result<bool, PredictError>,
) -> Result<Option<BigInt>, PredictError> {
    let (mut low, mut step) = (from.clone(), BigInt::one());
    for _ in 0..MOST_DOUBLINGS {
        let mut high = from + &step;
        if holds(&high)? {
            low = high;
            step *= 2;
            continue;
        }
        while &high - &low > BigInt::one() {
            let middle = (&low + &high) / 2;
            match holds(&middle)? {
                true => low = middle,
                false => high = middle,
            }
        }
        return Ok(Some(high));
    }
    Ok(None)
}

/// The largest input with which the service keeps the bound. It is sought above the largest that was counted and keeps it. None if no bound seems to be reached; outside, the value of the counter at the input is answered too.
///
/// # Errors
///
/// The service has several parameters, the counter is not known, its function is not, or no input that was counted keeps the bound.
pub fn largest_within(
    service: &Service,
    bound: &Bound,
) -> Result<Option<(BigInt, Predicted)>, PredictError> {
    let function = counted(service, &bound.of)?;
    let kept = function.table.points.iter().rev();
    let mut kept = kept.filter(|(_, value)| **value <= bound.most);
    let Some((at, _)) = kept.next() else {
        let why = format!("no size that was run stays below as many {}", bound.of);
        return Err(PredictError::incomparable(why));
    };
    let mut keeps = |n: &BigInt| {
        let value = function.value(std::slice::from_ref(n))?;
        Ok(is_at_most(&value, &bound.most))
    };
    // Where no function is known, the sizes that were run say it themselves.
    let found = match function.is_known() {
        false => Some(at[0].clone()),
        true => first_failing(&at[0], &mut keeps)?.map(|n| n - 1),
    };
    let with_value = |n: BigInt| {
        let value = function.value(std::slice::from_ref(&n))?;
        Ok((n, value))
    };
    found.map(with_value).transpose()
}

fn counted<'s>(service: &'s Service, of: &str) -> Result<&'s Function, PredictError> {
    if service.parameters.len() != 1 {
        let why = "services of one parameter can be bounded and compared";
        return Err(PredictError::usage(why));
    }
    let function = service.function(of);
    function.ok_or_else(|| {
        PredictError::incomparable(format!("{of} of {} were not counted", service.name))
    })
}

/// Where the costs of two services cross: the first entry says how they compare at the smallest common input.
///
/// # Errors
///
/// As for [`largest_within`].
pub fn crossings(
    first: &Service,
    second: &Service,
    of: &str,
) -> Result<Vec<Crossing>, PredictError> {
    let (one, other) = (counted(first, of)?, counted(second, of)?);
    let order = |n: &BigInt| -> Result<std::cmp::Ordering, PredictError> {
        let at = std::slice::from_ref(n);
        let value = |function: &Function| function.value(at);
        Ok(match (value(one)?, value(other)?) {
            (Predicted::Exact(one), Predicted::Exact(other)) => one.cmp(&other),
            (one, other) => nearly(&one).total_cmp(&nearly(&other)),
        })
    };
    let least = |function: &Function| function.table.points.keys().next().map(|at| at[0].clone());
    let most = |function: &Function| {
        let last = function.table.points.keys().next_back();
        last.and_then(|at| at[0].to_i64())
    };
    let begin = least(one).max(least(other)).unwrap_or_else(BigInt::one);
    let largest = most(one).max(most(other)).unwrap_or(1);
    let mut found = vec![Crossing {
        order: order(&begin)?,
        from: begin.clone(),
    }];
    let mut n = begin;
    // Among small inputs each is looked at, and above only some.
    for _ in 0..MOST_NEIGHBOURS {
        if n.to_i64().is_none_or(|n| n >= largest) {
            break;
        }
        n += 1;
        note(&mut found, &n, order(&n)?);
    }
    loop {
        let now = found.last().map(|one| one.order);
        let next = first_failing(&n, &mut |n| Ok(Some(order(n)?) == now))?;
        match next {
            Some(next) if found.len() < MOST_CROSSINGS => {
                note(&mut found, &next, order(&next)?);
                n = next;
            }
            _ => return Ok(found),
        }
    }
}

fn note(found: &mut Vec<Crossing>, from: &BigInt, order: std::cmp::Ordering) {
    if found.last().is_none_or(|last| last.order != order) {
        let from = from.clone();
        found.push(Crossing { from, order });
    }
}

fn nearly(value: &Predicted) -> f64 {
    match value {
        Predicted::Exact(value) => float(value),
        Predicted::Approximate(value, _) => *value,
    }
}
