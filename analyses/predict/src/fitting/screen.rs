//! Equations modulo a prime. They refute in a few machine instructions what rational numbers would refute slowly.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::pmf::Rational;

/// 2^61 - 1.
const PRIME: u64 = (1 << 61) - 1;

/// 2^61 is 1 modulo the prime, so the upper half of a product is added to the lower one.
fn times(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn minus(one: u64, other: u64) -> u64 {
    let above = if one < other { PRIME } else { 0 };
    one + above - other
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_modulo_the_prime() {
        let slow =
            |one: u64, other: u64| (u128::from(one) * u128::from(other) % u128::from(PRIME)) as u64;
        let numbers = [0, 1, 2, 12_345, 1 << 60, PRIME - 2, PRIME - 1];
        for one in numbers {
            for other in numbers {
                assert_eq!(times(one, other), slow(one, other), "{one} {other}");
                assert_eq!(minus(one, other), (one + PRIME - other) % PRIME);
            }
            assert!(one == 0 || times(one, inverse(one)) == 1, "{one}");
        }
    }

    #[test]
    fn what_cannot_fit_is_refuted() {
        let (ones, squares) = (vec![1; 6], vec![1, 4, 9, 16, 25, 36]);
        let values: Vec<u64> = squares.iter().map(|one| 3 * one + 7).collect();
        assert!(may_fit(&[&ones, &squares], &values));
        assert!(!may_fit(&[&ones], &values));
        assert!(!may_fit(&[&squares], &values));
        assert!(!may_fit(&[&ones, &squares], &[1, 2, 3, 4, 5, 6]));
    }
}
