//! Integers of any size for primitives: a sign and limbs, read in place from the heap. A result waits in the machine's
//! own buffer until an object is made of it. `limbs` does the arithmetic. The primitives decide which operands they
//! accept.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

use crate::base::{Known, Value};
use crate::heap::Heap;
use crate::limbs;

/// Limbs of vectors that are kept for the next operation; longer ones are given back.
const KEPT_LIMBS: usize = 1 << 12;

/// An integer, borrowed. Its limbs are trimmed, and 0 is not negative.
#[derive(Clone, Copy)]
pub(crate) struct Integer<'a> {
    pub(crate) negative: bool,
    pub(crate) limbs: &'a [u64],
}

/// The result of the last operation on integers, and vectors to compute in.
#[derive(Default)]
pub(crate) struct Computed {
    pub(crate) negative: bool,
    pub(crate) limbs: Vec<u64>,
    /// The second result of a division, which the caller did not request.
    other: Vec<u64>,
    work: Vec<u64>,
}

/// The two pairs of quotient and remainder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Division {
    FloorQuotient,
    FloorRemainder,
    Quotient,
    Remainder,
}

impl<'a> Integer<'a> {
    /// The integer that a value is. A small one puts its limb into `room`.
    #[inline(always)]
    pub(crate) fn of(heap: &'a Heap, value: Value, room: &'a mut u64) -> Option<Integer<'a>> {
        if let Some(small) = value.as_int() {
            return Some(Integer::small(small, room));
        }
        if !value.is_object() {
            return None;
        }
        let class = heap.class_of_object(value);
        let negative = class == Known::LargeNegativeInteger as u32;
        if !negative && class != Known::LargePositiveInteger as u32 {
            return None;
        }
        let limbs = heap.limbs(value);
        Some(Integer { negative, limbs })
    }

    #[inline(always)]
    fn small(small: i64, room: &'a mut u64) -> Integer<'a> {
        *room = small.unsigned_abs();
        let limbs: &[u64] = std::slice::from_ref(room);
        Integer {
            negative: small < 0,
            limbs: &limbs[..usize::from(small != 0)],
        }
    }

    pub(crate) fn bits(self) -> u64 {
        limbs::bits(self.limbs)
    }

    pub(crate) fn is_zero(self) -> bool {
        self.limbs.is_empty()
    }

    pub(crate) fn compare(self, other: Integer<'_>) -> Ordering {
        match (self.negative, other.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => limbs::compare(self.limbs, other.limbs),
            (true, true) => limbs::compare(other.limbs, self.limbs),
        }
    }

    pub(crate) fn negated(self) -> Integer<'a> {
        Integer {
            negative: !self.negative && !self.is_zero(),
            ..self
        }
    }

    /// The lowest 32 bits as two's complement.
    pub(crate) fn low_32_bits(self) -> u32 {
        let low = self.limbs.first().map_or(0, |&limb| limb as u32);
        match self.negative {
            true => low.wrapping_neg(),
            false => low,
        }
    }

    /// The same number as num-bigint has it.
    pub(crate) fn to_bigint(self) -> BigInt {
        let sign = if self.negative {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_biguint(sign, limbs::to_biguint(self.limbs))
    }

    /// The digits as ASCII, behind a sign if it is negative.
    pub(crate) fn digits(self, base: u32) -> Vec<u8> {
        let mut digits = limbs::digits(self.limbs, base);
        if self.negative {
            digits.insert(0, b'-');
        }
        digits
    }

    /// The nearest float, ties to even; an infinity when it is too large.
    pub(crate) fn nearest_float(self) -> f64 {
        let dropped = self.bits().saturating_sub(limbs::LIMB_BITS);
        let (top, inexact) = limbs::limb_from(self.limbs, dropped);
        // A float keeps 53 of the top 64 bits. Dropped bits below them only matter for a tie, and the lowest of the 64
        // bits can stand for all of them.
        let rounded = (top | u64::from(inexact)) as f64;
        let float = libm::scalbn(rounded, i32::try_from(dropped).unwrap_or(i32::MAX));
        if self.negative { -float } else { float }
    }
}

impl Computed {
    /// Leaves the sum of two integers.
    pub(crate) fn add(&mut self, a: Integer<'_>, b: Integer<'_>) {
        if a.negative == b.negative {
            self.negative = a.negative;
            limbs::add(a.limbs, b.limbs, &mut self.limbs);
        } else if limbs::compare(a.limbs, b.limbs).is_lt() {
            self.negative = b.negative;
            limbs::subtract(b.limbs, a.limbs, &mut self.limbs);
        } else {
            self.negative = a.negative;
            limbs::subtract(a.limbs, b.limbs, &mut self.limbs);
        }
    }

    /// Leaves the difference of two integers.
    pub(crate) fn subtract(&mut self, a: Integer<'_>, b: Integer<'_>) {
        self.add(a, b.negated());
    }

    /// Leaves the product of two integers.
    pub(crate) fn multiply(&mut self, a: Integer<'_>, b: Integer<'_>) {
        self.negative = a.negative != b.negative;
        limbs::multiply(a.limbs, b.limbs, &mut self.limbs);
    }

    /// Leaves a quotient or a remainder, and answers whether the division leaves a remainder. The
    /// divisor must not be 0.
    pub(crate) fn divide(&mut self, a: Integer<'_>, b: Integer<'_>, wanted: Division) -> bool {
        use Division::{FloorQuotient, FloorRemainder, Quotient};
        let is_quotient = matches!(wanted, FloorQuotient | Quotient);
        let (quotient, remainder) = match is_quotient {
            true => (&mut self.limbs, &mut self.other),
            false => (&mut self.other, &mut self.limbs),
        };
        limbs::divide(a.limbs, b.limbs, quotient, remainder, &mut self.work);
        let leaves_remainder = !remainder.is_empty();
        let is_between = leaves_remainder && a.negative != b.negative;
        self.negative = match is_quotient {
            true => a.negative != b.negative,
            false => a.negative,
        };
        if is_between && wanted == FloorQuotient && limbs::increment(quotient) {
            quotient.push(1);
        }
        if is_between && wanted == FloorRemainder {
            std::mem::swap(&mut self.limbs, &mut self.other);
            limbs::subtract(b.limbs, &self.other, &mut self.limbs);
            self.negative = b.negative;
        }
        leaves_remainder
    }

    /// Leaves the greatest common divisor of two integers.
    pub(crate) fn gcd(&mut self, a: Integer<'_>, b: Integer<'_>) {
        self.negative = false;
        limbs::gcd(a.limbs, b.limbs, &mut self.limbs);
    }

    /// Leaves the result of an operation on the bits of two integers as two's complement. The operation must treat all
    /// bits alike.
    pub(crate) fn bitwise(
        &mut self,
        a: Integer<'_>,
        b: Integer<'_>,
        operation: fn(u64, u64) -> u64,
    ) {
        let (a, b) = ((a.negative, a.limbs), (b.negative, b.limbs));
        self.negative = limbs::bitwise(a, b, operation, &mut self.limbs);
    }

    pub(crate) fn shift_left(&mut self, a: Integer<'_>, distance: u64) {
        self.negative = a.negative;
        limbs::shift_left(a.limbs, distance, &mut self.limbs);
    }

    /// Leaves the floor of an integer shifted right.
    pub(crate) fn shift_right(&mut self, a: Integer<'_>, distance: u64) {
        self.negative = a.negative;
        let lost = limbs::shift_right(a.limbs, distance, &mut self.limbs);
        if lost && a.negative && limbs::increment(&mut self.limbs) {
            self.limbs.push(1);
        }
    }

    /// Leaves an integer's magnitude.
    pub(crate) fn copy_magnitude(&mut self, a: Integer<'_>) {
        self.negative = false;
        self.limbs.clear();
        self.limbs.extend_from_slice(a.limbs);
    }

    /// Leaves an integer that num-bigint computed.
    pub(crate) fn copy(&mut self, integer: &BigInt) {
        self.negative = integer.sign() == Sign::Minus;
        limbs::copy_biguint(integer.magnitude(), &mut self.limbs);
    }

    /// Leaves the integer that ASCII digits spell.
    pub(crate) fn read(&mut self, negative: bool, digits: &[u8], base: u32) {
        self.negative = negative;
        limbs::from_digits(digits, base, &mut self.limbs);
    }

    /// How many bits the result has.
    pub(crate) fn bits(&self) -> u64 {
        limbs::bits(&self.limbs)
    }

    /// The result, if it is a small integer.
    pub(crate) fn small(&self) -> Option<Value> {
        let magnitude = match self.limbs.as_slice() {
            [] => 0,
            &[limb] => i64::try_from(limb).ok()?,
            _ => return None,
        };
        Value::try_int(if self.negative { -magnitude } else { magnitude })
    }

    /// Gives back the memory of an unusually large result.
    pub(crate) fn shrink(&mut self) {
        for limbs in [&mut self.limbs, &mut self.other, &mut self.work] {
            if limbs.capacity() > KEPT_LIMBS {
                *limbs = Vec::new();
            }
        }
    }
}
