//! Digits in a base from 2 to 36, and the way back.

use super::divide::Divisor;
use super::gcd::window;
use super::multiply::multiply_in_place;
use super::{add, bits, multiply, to_biguint, trim};

/// From this number of limbs on num-bigint's way to the digits pays: it divides into halves.
const MANY: usize = 40;
/// From this number of digits on it pays to convert halves.
pub(super) const MANY_DIGITS: usize = 5000;

const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// The digits of a trimmed magnitude as ASCII, the highest first; capital letters above 9.
pub fn digits(limbs: &[u64], base: u32) -> Vec<u8> {
    debug_assert!((2..=36).contains(&base));
    if limbs.is_empty() {
        return vec![b'0'];
    }
    if base.is_power_of_two() {
        return digits_of_bits(limbs, base.trailing_zeros());
    }
    if limbs.len() >= MANY {
        let mut digits = to_biguint(limbs).to_str_radix(base).into_bytes();
        digits.make_ascii_uppercase();
        return digits;
    }
    let (power, count) = chunk(base);
    let divisor = Divisor::new(power);
    let mut left = limbs.to_vec();
    let mut digits = Vec::with_capacity(limbs.len() * 64 / base.ilog2() as usize + 1);
    while !left.is_empty() {
        let rest = divisor.divide_in_place(&mut left);
        trim(&mut left);
        let least = if left.is_empty() { 1 } else { count };
        match base {
            // A base that the compiler knows is multiplied with instead of divided by.
            10 => push_digits(rest, 10, least, &mut digits),
            _ => push_digits(rest, u64::from(base), least, &mut digits),
        }
    }
    digits.reverse();
    digits
}

/// Appends the digits of a number, the lowest first, padded with zeros.
#[inline(always)]
fn push_digits(mut number: u64, base: u64, least: usize, digits: &mut Vec<u8>) {
    let end = digits.len() + least;
    while number != 0 || digits.len() < end {
        digits.push(DIGITS[(number % base) as usize % DIGITS.len()]);
        number /= base;
    }
}

/// Digits of a fixed width in bits.
fn digits_of_bits(limbs: &[u64], width: u32) -> Vec<u8> {
    let count = bits(limbs).div_ceil(u64::from(width));
    let mask = (1 << width) - 1;
    let digit = |index: u64| window(limbs, index * u64::from(width)) & mask;
    let digits = (0..count).rev().map(digit);
    digits.map(|digit| DIGITS[digit as usize]).collect()
}

/// The greatest power of a base that fits into a limb, and its exponent.
fn chunk(base: u32) -> (u64, usize) {
    let base = u64::from(base);
    let (mut power, mut exponent) = (base, 1);
    while let Some(next) = power.checked_mul(base) {
        (power, exponent) = (next, exponent + 1);
    }
    (power, exponent)
}

/// Writes the number that ASCII digits spell to `number`, trimmed. A byte that is no digit counts as 0.
pub fn from_digits(digits: &[u8], base: u32, number: &mut Vec<u64>) {
    debug_assert!((2..=36).contains(&base));
    number.clear();
    if base.is_power_of_two() {
        from_digits_of_bits(digits, base.trailing_zeros(), number);
        return;
    }
    let (power, count) = chunk(base);
    // Squares of the power, so that each half has as many digits as one of them has zeros.
    let (mut powers, mut length) = (vec![vec![power]], count);
    while length * 2 < digits.len() && digits.len() >= MANY_DIGITS {
        let last = &powers[powers.len() - 1];
        let mut square = Vec::new();
        multiply(last, last, &mut square);
        powers.push(square);
        length *= 2;
    }
    join(digits, base, (power, count), &powers, length, number);
}

/// Converts the lowest `length` digits and the digits above them separately. The last of `powers` is the base raised to
/// `length`.
fn join(
    digits: &[u8],
    base: u32,
    chunk: (u64, usize),
    powers: &[Vec<u64>],
    length: usize,
    number: &mut Vec<u64>,
) {
    number.clear();
    let Some((power, lower)) = powers.split_last().filter(|_| digits.len() >= MANY_DIGITS) else {
        push_digit_by_digit(digits, base, chunk, number);
        return;
    };
    if digits.len() <= length {
        join(digits, base, chunk, lower, length / 2, number);
        return;
    }
    let (high, low) = digits.split_at(digits.len() - length);
    let (mut above, mut below, mut product) = (Vec::new(), Vec::new(), Vec::new());
    join(high, base, chunk, lower, length / 2, &mut above);
    join(low, base, chunk, lower, length / 2, &mut below);
    multiply(&above, power, &mut product);
    add(&product, &below, number);
}

fn push_digit_by_digit(digits: &[u8], base: u32, chunk: (u64, usize), number: &mut Vec<u64>) {
    let (power, count) = chunk;
    let (first, others) = digits.split_at(digits.len() % count);
    let value = |digits: &[u8]| {
        let digits = digits.iter().map(|&digit| value_of(digit, base));
        digits.fold(0, |number, digit| number * u64::from(base) + digit)
    };
    number.push(value(first));
    for part in others.chunks_exact(count) {
        let carry = multiply_in_place(number, power, value(part));
        if carry != 0 {
            number.push(carry);
        }
    }
    trim(number);
}

fn value_of(digit: u8, base: u32) -> u64 {
    u64::from(char::from(digit).to_digit(base).unwrap_or(0))
}

fn from_digits_of_bits(digits: &[u8], width: u32, number: &mut Vec<u64>) {
    let (mut limb, mut filled) = (0_u128, 0);
    for &digit in digits.iter().rev() {
        limb |= u128::from(value_of(digit, 1 << width)) << filled;
        filled += width;
        if filled >= 64 {
            number.push(limb as u64);
            limb >>= 64;
            filled -= 64;
        }
    }
    number.push(limb as u64);
    trim(number);
}
