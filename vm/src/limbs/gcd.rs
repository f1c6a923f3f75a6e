//! Greatest common divisors by Lehmer's algorithm: the highest bits of both numbers give several steps of Euclid's
//! algorithm, which are then done at once.

use super::{bits, compare, divide, trim};

/// The effect of several steps on `x` and `y`: `a x - b y` and `d y - c x`. If the number of steps is odd, the results
/// are the negations of both.
struct Steps {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
    are_odd: bool,
}

/// Leaves the greatest common divisor of two trimmed magnitudes in `divisor`, trimmed.
pub fn gcd(a: &[u64], b: &[u64], divisor: &mut Vec<u64>) {
    let (mut large, mut small) = match compare(a, b).is_lt() {
        true => (b.to_vec(), a.to_vec()),
        false => (a.to_vec(), b.to_vec()),
    };
    let (mut quotient, mut rest, mut work) = (Vec::new(), Vec::new(), Vec::new());
    while small.len() > 1 {
        match steps(&large, &small) {
            Some(steps) => steps.apply(&mut large, &mut small),
            None => {
                divide(&large, &small, &mut quotient, &mut rest, &mut work);
                std::mem::swap(&mut large, &mut small);
                std::mem::swap(&mut small, &mut rest);
            }
        }
    }
    divisor.clear();
    match small.first() {
        None => divisor.extend_from_slice(&large),
        Some(&limb) => {
            divide(&large, &small, &mut quotient, &mut rest, &mut work);
            let rest = rest.first().copied().unwrap_or(0);
            divisor.push(num_integer::gcd(limb, rest));
        }
    }
}

/// The steps that the highest 64 bits decide on; `None` if there are none. `large` must not be
/// less than `small`.
fn steps(large: &[u64], small: &[u64]) -> Option<Steps> {
    if large.len() > small.len() + 1 {
        return None;
    }
    let lowest = bits(large) - 64;
    let (mut x, mut y) = (window(large, lowest), window(small, lowest));
    let (mut a, mut b, mut c, mut d) = (1_u64, 0_u64, 0_u64, 1_u64);
    let mut are_odd = false;
    // Collins's condition: as long as it holds, the quotient is that of the whole numbers.
    while y != 0 {
        let quotient = x / y;
        let rest = x - quotient * y;
        let (Some(next_c), Some(next_d)) = (
            quotient.checked_mul(c).and_then(|n| n.checked_add(a)),
            quotient.checked_mul(d).and_then(|n| n.checked_add(b)),
        ) else {
            break;
        };
        if next_d >> 32 != 0 || rest < next_d || y - rest < next_d + d {
            break;
        }
        (x, y) = (y, rest);
        (a, c) = (c, next_c);
        (b, d) = (d, next_d);
        are_odd = !are_odd;
    }
    (b != 0).then_some(Steps {
        a,
        b,
        c,
        d,
        are_odd,
    })
}

/// The 64 bits of a magnitude from a position on.
pub(super) fn window(limbs: &[u64], position: u64) -> u64 {
    let (index, shift) = ((position / 64) as usize, (position % 64) as u32);
    let limb = |index: usize| limbs.get(index).copied().unwrap_or(0);
    let low = limb(index) >> shift;
    match shift {
        0 => low,
        _ => low | limb(index + 1) << (64 - shift),
    }
}

impl Steps {
    /// Does the steps, and trims the results.
    fn apply(&self, large: &mut Vec<u64>, small: &mut Vec<u64>) {
        small.resize(large.len(), 0);
        let (mut a, mut b, mut c, mut d) = (self.a, self.b, self.c, self.d);
        if self.are_odd {
            // The negations are the same formulas with everything exchanged.
            std::mem::swap(large, small);
            std::mem::swap(&mut a, &mut b);
            std::mem::swap(&mut c, &mut d);
        }
        let product = |factor: u64, limb: u64| (u128::from(factor) * u128::from(limb)) as i128;
        let (mut carry_x, mut carry_y) = (0_i128, 0_i128);
        for (x, y) in large.iter_mut().zip(small.iter_mut()) {
            // Factors have at most 32 bits, so that no sum leaves 128 bits.
            let sum_x = product(a, *x) - product(b, *y) + carry_x;
            let sum_y = product(d, *y) - product(c, *x) + carry_y;
            (*x, carry_x) = (sum_x as u64, sum_x >> 64);
            (*y, carry_y) = (sum_y as u64, sum_y >> 64);
        }
        debug_assert_eq!((carry_x, carry_y), (0, 0));
        trim(large);
        trim(small);
    }
}
