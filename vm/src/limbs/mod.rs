//! Magnitudes of integers: slices of 64-bit limbs, the lowest first. Every operation reads slices and writes into a
//! vector that the caller keeps. Small operands take the direct way. For large operands num-bigint does the work, where
//! its algorithms are faster. This module knows neither signs nor objects.

mod divide;
mod gcd;
mod multiply;
mod radix;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;

use num_bigint::BigUint;

pub use divide::divide;
pub use gcd::gcd;
pub use multiply::multiply;
pub use radix::{digits, from_digits};

/// Bits of a limb.
pub const LIMB_BITS: u64 = 64;

/// The limbs without zeros at the top.
pub fn trimmed(limbs: &[u64]) -> &[u64] {
    let length = limbs.iter().rposition(|&limb| limb != 0);
    &limbs[..length.map_or(0, |top| top + 1)]
}

/// Removes zeros at the top.
pub fn trim(limbs: &mut Vec<u64>) {
    while limbs.last() == Some(&0) {
        limbs.pop();
    }
}

/// How many bits a trimmed magnitude has; 0 for 0.
pub fn bits(limbs: &[u64]) -> u64 {
    match limbs.last() {
        Some(top) => limbs.len() as u64 * LIMB_BITS - u64::from(top.leading_zeros()),
        None => 0,
    }
}

/// The order of two trimmed magnitudes.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let lengths = a.len().cmp(&b.len());
    lengths.then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// Leaves `a + b` in `sum`, trimmed if both are.
pub fn add(a: &[u64], b: &[u64], sum: &mut Vec<u64>) {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    sum.clear();
    sum.reserve(long.len() + 1);
    sum.extend_from_slice(long);
    if add_in_place(sum, short) && increment(&mut sum[short.len()..]) {
        sum.push(1);
    }
}

/// Adds to the lowest limbs of a sum that has at least as many, and answers their carry.
fn add_in_place(sum: &mut [u64], limbs: &[u64]) -> bool {
    // Four at a time, so that the carry stays in its flag.
    let (fours, others) = limbs.as_chunks::<4>();
    let (low, high) = sum.split_at_mut(limbs.len() - others.len());
    let mut carry = false;
    for (places, four) in low.as_chunks_mut::<4>().0.iter_mut().zip(fours) {
        (places[0], carry) = places[0].carrying_add(four[0], carry);
        (places[1], carry) = places[1].carrying_add(four[1], carry);
        (places[2], carry) = places[2].carrying_add(four[2], carry);
        (places[3], carry) = places[3].carrying_add(four[3], carry);
    }
    for (place, &limb) in high.iter_mut().zip(others) {
        (*place, carry) = place.carrying_add(limb, carry);
    }
    carry
}

/// Subtracts from the lowest limbs of a difference that has as many, and answers the borrow.
fn subtract_in_place(difference: &mut [u64], limbs: &[u64]) -> bool {
    let (fours, others) = limbs.as_chunks::<4>();
    let (low, high) = difference.split_at_mut(limbs.len() - others.len());
    let mut borrow = false;
    for (places, four) in low.as_chunks_mut::<4>().0.iter_mut().zip(fours) {
        (places[0], borrow) = places[0].borrowing_sub(four[0], borrow);
        (places[1], borrow) = places[1].borrowing_sub(four[1], borrow);
        (places[2], borrow) = places[2].borrowing_sub(four[2], borrow);
        (places[3], borrow) = places[3].borrowing_sub(four[3], borrow);
    }
    for (place, &limb) in high.iter_mut().zip(others) {
        (*place, borrow) = place.borrowing_sub(limb, borrow);
    }
    borrow
}

/// Leaves `a - b` in `difference`, trimmed. `a` must not be less than `b`.
pub fn subtract(a: &[u64], b: &[u64], difference: &mut Vec<u64>) {
    debug_assert!(compare(trimmed(a), trimmed(b)).is_ge());
    let b = &b[..b.len().min(a.len())];
    difference.clear();
    difference.extend_from_slice(a);
    if subtract_in_place(difference, b) {
        decrement(&mut difference[b.len()..]);
    }
    trim(difference);
}

/// Adds 1; whether that overflowed.
pub fn increment(limbs: &mut [u64]) -> bool {
    for limb in limbs {
        *limb = limb.wrapping_add(1);
        if *limb != 0 {
            return false;
        }
    }
    true
}

/// Subtracts 1.
fn decrement(limbs: &mut [u64]) {
    for limb in limbs {
        *limb = limb.wrapping_sub(1);
        if *limb != u64::MAX {
            return;
        }
    }
}

/// Leaves `a << distance` in `shifted`, trimmed if `a` is.
pub fn shift_left(a: &[u64], distance: u64, shifted: &mut Vec<u64>) {
    shifted.clear();
    if a.is_empty() {
        return;
    }
    let (whole, part) = (
        (distance / LIMB_BITS) as usize,
        (distance % LIMB_BITS) as u32,
    );
    shifted.reserve(whole + a.len() + 1);
    shifted.resize(whole, 0);
    let top = push_shifted_left(a, part, shifted);
    if top != 0 {
        shifted.push(top);
    }
}

/// Appends `a` shifted by less than a limb and answers the bits that leave at the top.
fn push_shifted_left(a: &[u64], distance: u32, out: &mut Vec<u64>) -> u64 {
    if distance == 0 {
        out.extend_from_slice(a);
        return 0;
    }
    let mut low = 0;
    out.extend(a.iter().map(|&limb| {
        let joined = limb << distance | low;
        low = limb >> (64 - distance);
        joined
    }));
    low
}

/// Leaves `a >> distance` in `shifted`, trimmed if `a` is, and answers whether a set bit was
/// shifted out.
pub fn shift_right(a: &[u64], distance: u64, shifted: &mut Vec<u64>) -> bool {
    shifted.clear();
    let (whole, part) = (distance / LIMB_BITS, (distance % LIMB_BITS) as u32);
    let Some(whole) = usize::try_from(whole).ok().filter(|&n| n < a.len()) else {
        return a.iter().any(|&limb| limb != 0);
    };
    let (dropped, kept) = a.split_at(whole);
    shifted.extend_from_slice(kept);
    let below = shift_right_in_place(shifted, part);
    trim(shifted);
    below != 0 || dropped.iter().any(|&limb| limb != 0)
}

/// The lowest limb of `a >> distance`, and whether a set bit was shifted out.
pub fn limb_from(a: &[u64], distance: u64) -> (u64, bool) {
    let (whole, part) = ((distance / LIMB_BITS) as usize, distance % LIMB_BITS);
    let below = a.iter().take(whole).any(|&limb| limb != 0);
    let cut = a.get(whole).copied().unwrap_or(0) & ((1 << part) - 1);
    (gcd::window(a, distance), below || cut != 0)
}

/// Shifts by less than a limb and answers the bits that are shifted out, at the top of a limb.
fn shift_right_in_place(limbs: &mut [u64], distance: u32) -> u64 {
    if distance == 0 {
        return 0;
    }
    let mut high = 0;
    for limb in limbs.iter_mut().rev() {
        let joined = *limb >> distance | high;
        high = *limb << (64 - distance);
        *limb = joined;
    }
    high
}

/// The limbs of an integer's two's complement, one by one, without end.
fn two_s_complement(negative: bool, limbs: &[u64]) -> impl Iterator<Item = u64> + '_ {
    let mut carry = negative;
    let extended = limbs.iter().copied().chain(std::iter::repeat(0));
    extended.map(move |limb| {
        if !negative {
            return limb;
        }
        let (limb, over) = (!limb).overflowing_add(u64::from(carry));
        carry = over;
        limb
    })
}

/// Leaves the magnitude of a bitwise operation on two integers in `result`, trimmed, and answers
/// whether the integer is negative. `operation` must treat all bits alike.
pub fn bitwise(
    (a_negative, a): (bool, &[u64]),
    (b_negative, b): (bool, &[u64]),
    operation: fn(u64, u64) -> u64,
    result: &mut Vec<u64>,
) -> bool {
    let sign = |negative: bool| if negative { u64::MAX } else { 0 };
    let is_negative = operation(sign(a_negative), sign(b_negative)) != 0;
    let length = a.len().max(b.len()) + 1;
    let pairs = two_s_complement(a_negative, a).zip(two_s_complement(b_negative, b));
    result.clear();
    result.extend(pairs.take(length).map(|(x, y)| operation(x, y)));
    if is_negative {
        for limb in result.iter_mut() {
            *limb = !*limb;
        }
        increment(result);
    }
    trim(result);
    is_negative
}

/// The same number as num-bigint has it.
pub fn to_biguint(limbs: &[u64]) -> BigUint {
    let mut halves = vec![0; 2 * limbs.len()];
    for (pair, &limb) in halves.as_chunks_mut::<2>().0.iter_mut().zip(limbs) {
        *pair = [limb as u32, (limb >> 32) as u32];
    }
    BigUint::new(halves)
}

/// Leaves a number of num-bigint in `limbs`.
pub fn copy_biguint(integer: &BigUint, limbs: &mut Vec<u64>) {
    limbs.clear();
    limbs.extend(integer.iter_u64_digits());
}
