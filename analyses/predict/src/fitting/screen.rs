//! Equations modulo a prime. They refute in a few machine instructions what rational numbers would refute slowly.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::pmf::Rational;

/// 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

fn times(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other) % u128::from(PRIME);
    product as u64
}

fn minus(one: u64, other: u64) -> u64 {
    (one + PRIME - other) % PRIME
}

/// By Fermat's little theorem.
fn inverse(one: u64) -> u64 {
    let (mut result, mut power, mut left) = (1, one, PRIME - 2);
    while left > 0 {
        if left % 2 == 1 {
            result = times(result, power);
        }
        power = times(power, power);
        left /= 2;
    }
    result
}

fn rest(number: &BigInt) -> u64 {
    let prime = BigInt::from(PRIME);
    let rest = num_integer::Integer::mod_floor(number, &prime);
    rest.to_u64().unwrap_or(0)
}

/// A number modulo the prime. None if the prime divides its denominator.
pub(super) fn residue(number: &Rational) -> Option<u64> {
    let over = rest(number.denom());
    (over != 0).then(|| times(rest(number.numer()), inverse(over)))
}

/// Whether factors of the columns may exist with which each row sums to its value. If not, none exist. `columns` and `values` have a number for each row.
pub(super) fn may_fit(columns: &[&[u64]], values: &[u64]) -> bool {
    // Each with a one in its own column.
    let mut reduced: Vec<Option<Vec<u64>>> = vec![None; columns.len()];
    for (place, value) in values.iter().enumerate() {
        let mut row: Vec<u64> = columns.iter().map(|column| column[place]).collect();
        row.push(*value);
        for (own, other) in reduced.iter().enumerate() {
            if let Some(other) = other
                && row[own] != 0
            {
                let factor = row[own];
                for (one, part) in row.iter_mut().zip(other).skip(own) {
                    *one = minus(*one, times(factor, *part));
                }
            }
        }
        match row[..columns.len()].iter().position(|one| *one != 0) {
            None if row[columns.len()] != 0 => return false,
            None => {}
            Some(own) => {
                let factor = inverse(row[own]);
                row.iter_mut().for_each(|one| *one = times(*one, factor));
                reduced[own] = Some(row);
            }
        }
    }
    true
}
