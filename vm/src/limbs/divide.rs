//! Quotients and remainders. A quotient's limb is found with the reciprocal of the divisor's top limbs, because two
//! multiplications cost less than a division (Möller and Granlund, "Improved Division by Invariant Integers", 2011).

use num_integer::Integer;

use super::multiply::subtract_product;
use super::{
    add_in_place, compare, copy_biguint, push_shifted_left, shift_right_in_place, to_biguint, trim,
};

/// From this number of limbs in divisor and quotient on, num-bigint's algorithm pays.
const MANY: usize = 64;

/// Leaves quotient and remainder of `a / b`, trimmed. Both must be trimmed, and `b` not be 0.
/// `work` is any vector; keeping it saves allocating one.
pub fn divide(
    a: &[u64],
    b: &[u64],
    quotient: &mut Vec<u64>,
    remainder: &mut Vec<u64>,
    work: &mut Vec<u64>,
) {
    quotient.clear();
    remainder.clear();
    if compare(a, b).is_lt() {
        remainder.extend_from_slice(a);
        return;
    }
    match b {
        [] => debug_assert!(false, "a divisor of 0"),
        &[divisor] => {
            quotient.extend_from_slice(a);
            remainder.push(Divisor::new(divisor).divide_in_place(quotient));
            trim(quotient);
        }
        _ if b.len() >= MANY && a.len() - b.len() >= MANY => {
            let (whole, rest) = to_biguint(a).div_rem(&to_biguint(b));
            copy_biguint(&whole, quotient);
            copy_biguint(&rest, remainder);
        }
        _ => divide_by_many(a, b, quotient, remainder, work),
    }
    trim(remainder);
}

/// Knuth's algorithm D, for a divisor of two limbs or more.
fn divide_by_many(
    a: &[u64],
    b: &[u64],
    quotient: &mut Vec<u64>,
    remainder: &mut Vec<u64>,
    shifted: &mut Vec<u64>,
) {
    let shift = b[b.len() - 1].leading_zeros();
    shifted.clear();
    push_shifted_left(b, shift, shifted);
    let b = shifted.as_slice();
    remainder.reserve(a.len() + 1);
    let top = push_shifted_left(a, shift, remainder);
    remainder.push(top);
    let (high, low) = (b[b.len() - 1], b[b.len() - 2]);
    let inverse = reciprocal_of_two(high, low);
    quotient.resize(a.len() + 1 - b.len(), 0);
    for (index, place) in quotient.iter_mut().enumerate().rev() {
        let part = &mut remainder[index..=index + b.len()];
        let &mut [.., next, middle, top] = part else {
            debug_assert!(false, "a remainder shorter than its divisor");
            return;
        };
        let mut limb = if (top, middle) >= (high, low) {
            u64::MAX
        } else {
            divide_three_by_two(top, middle, next, high, low, inverse)
        };
        let last = b.len();
        let borrow = subtract_product(&mut part[..last], b, limb);
        let (rest, mut under) = part[last].overflowing_sub(borrow);
        part[last] = rest;
        // The estimate uses three limbs and two, so it is at most 1 or 2 too large.
        while under {
            limb -= 1;
            let carry = add_in_place(&mut part[..last], b);
            let (rest, over) = part[last].overflowing_add(u64::from(carry));
            part[last] = rest;
            under = !over;
        }
        *place = limb;
    }
    trim(quotient);
    trim(remainder);
    shift_right_in_place(remainder, shift);
}

/// A divisor of one limb, made ready.
pub(super) struct Divisor {
    shift: u32,
    normalised: u64,
    reciprocal: u64,
}

impl Divisor {
    /// The divisor must not be 0.
    pub(super) fn new(divisor: u64) -> Divisor {
        let shift = divisor.leading_zeros();
        let normalised = divisor << shift;
        Divisor {
            shift,
            normalised,
            reciprocal: reciprocal(normalised),
        }
    }

    /// Leaves the quotient in the dividend's place and answers the remainder.
    pub(super) fn divide_in_place(&self, limbs: &mut [u64]) -> u64 {
        let Some(&top) = limbs.last() else {
            return 0;
        };
        // Shifted by 64 there would be nothing left, but Rust shifts by 0 then.
        let above = |limb: u64| (limb >> 1) >> (63 - self.shift);
        let mut remainder = above(top);
        for index in (0..limbs.len()).rev() {
            let below = if index == 0 { 0 } else { limbs[index - 1] };
            let next = limbs[index] << self.shift | above(below);
            (limbs[index], remainder) =
                divide_two_by_one(remainder, next, self.normalised, self.reciprocal);
        }
        remainder >> self.shift
    }
}

/// `(2^128 - 1) / divisor - 2^64` for a divisor with its highest bit set.
fn reciprocal(divisor: u64) -> u64 {
    let dividend = u128::from(!divisor) << 64 | u128::from(u64::MAX);
    (dividend / u128::from(divisor)) as u64
}

fn halves(word: u128) -> (u64, u64) {
    ((word >> 64) as u64, word as u64)
}

fn joined(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Quotient and remainder, for a divisor with its highest bit set that is greater than `high`.
fn divide_two_by_one(high: u64, low: u64, divisor: u64, reciprocal: u64) -> (u64, u64) {
    debug_assert!(high < divisor);
    let estimate = u128::from(reciprocal) * u128::from(high);
    let (quotient, fraction) = halves(estimate.wrapping_add(joined(high, low)));
    let mut quotient = quotient.wrapping_add(1);
    let mut remainder = low.wrapping_sub(quotient.wrapping_mul(divisor));
    if remainder > fraction {
        quotient = quotient.wrapping_sub(1);
        remainder = remainder.wrapping_add(divisor);
    }
    if remainder >= divisor {
        quotient = quotient.wrapping_add(1);
        remainder -= divisor;
    }
    (quotient, remainder)
}

/// `(2^192 - 1) / divisor - 2^64` for a divisor of two limbs with its highest bit set.
fn reciprocal_of_two(high: u64, low: u64) -> u64 {
    let mut inverse = reciprocal(high);
    let mut rest = high.wrapping_mul(inverse).wrapping_add(low);
    if rest < low {
        inverse = inverse.wrapping_sub(1);
        if rest >= high {
            inverse = inverse.wrapping_sub(1);
            rest -= high;
        }
        rest = rest.wrapping_sub(high);
    }
    let (top, bottom) = halves(u128::from(inverse) * u128::from(low));
    let (sum, over) = rest.overflowing_add(top);
    if over {
        inverse = inverse.wrapping_sub(1);
        if joined(sum, bottom) >= joined(high, low) {
            inverse = inverse.wrapping_sub(1);
        }
    }
    inverse
}

/// The quotient of three limbs and two, when it is less than 2^64.
fn divide_three_by_two(top: u64, middle: u64, low: u64, d1: u64, d0: u64, inverse: u64) -> u64 {
    let estimate = u128::from(inverse) * u128::from(top);
    let (quotient, fraction) = halves(estimate.wrapping_add(joined(top, middle)));
    let rest = middle.wrapping_sub(d1.wrapping_mul(quotient));
    let divisor = joined(d1, d0);
    let mut rest = joined(rest, low)
        .wrapping_sub(u128::from(d0) * u128::from(quotient))
        .wrapping_sub(divisor);
    let mut quotient = quotient.wrapping_add(1);
    if (rest >> 64) as u64 >= fraction {
        quotient = quotient.wrapping_sub(1);
        rest = rest.wrapping_add(divisor);
    }
    if rest >= divisor {
        quotient = quotient.wrapping_add(1);
    }
    quotient
}
