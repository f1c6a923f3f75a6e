//! Compares every operation with num-bigint, over sizes up to where the algorithms of num-bigint take over. The
//! operands have limbs that cause carries and borrows.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Limbs near the borders that cause carries, and any others.
fn limb() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        Just(u64::MAX - 1),
        Just(1 << 63),
        Just((1 << 63) - 1),
        Just(1 << 32),
        any::<u64>(),
        any::<u64>(),
        any::<u64>(),
    ]
}

fn magnitude() -> impl Strategy<Value = Vec<u64>> {
    let sizes = prop_oneof![0_usize..4, 0_usize..20, 30_usize..50, 60_usize..200];
    sizes
        .prop_flat_map(|size| vec(limb(), size))
        .prop_map(|mut limbs| {
            trim(&mut limbs);
            limbs
        })
}

fn made(write: impl FnOnce(&mut Vec<u64>)) -> Vec<u64> {
    // Old contents of the vector must not matter.
    let mut limbs = vec![7; 5];
    write(&mut limbs);
    assert_ne!(limbs.last(), Some(&0));
    limbs
}

fn same(limbs: &[u64], expected: &BigUint) -> bool {
    to_biguint(limbs) == *expected
}

fn signed(negative: bool, limbs: &[u64]) -> BigInt {
    let sign = if negative { Sign::Minus } else { Sign::Plus };
    BigInt::from_biguint(sign, to_biguint(limbs))
}

proptest! {
    #[test]
    fn numbers_survive_the_way_to_num_bigint_and_back(a in magnitude()) {
        let big = BigUint::from_bytes_le(&a.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<_>>());
        prop_assert!(same(&a, &big));
        prop_assert_eq!(made(|limbs| copy_biguint(&big, limbs)), a.clone());
        prop_assert_eq!(bits(&a), big.bits());
    }

    #[test]
    fn sums_differences_and_orders(a in magnitude(), b in magnitude()) {
        let (x, y) = (to_biguint(&a), to_biguint(&b));
        prop_assert_eq!(compare(&a, &b), x.cmp(&y));
        prop_assert!(same(&made(|sum| add(&a, &b, sum)), &(&x + &y)));
        let (more, less) = if x < y { (&b, &a) } else { (&a, &b) };
        let difference = made(|limbs| subtract(more, less, limbs));
        prop_assert!(same(&difference, &(to_biguint(more) - to_biguint(less))));
        prop_assert_eq!(made(|limbs| subtract(&a, &a, limbs)), Vec::<u64>::new());
    }

    #[test]
    fn products(a in magnitude(), b in magnitude()) {
        let expected = to_biguint(&a) * to_biguint(&b);
        prop_assert!(same(&made(|product| multiply(&a, &b, product)), &expected));
    }

    #[test]
    fn quotients_and_remainders(a in magnitude(), b in magnitude(), c in magnitude()) {
        let check = |a: &[u64], b: &[u64]| {
            let (x, y) = (to_biguint(a), to_biguint(b));
            let (mut quotient, mut remainder, mut work) = (vec![7; 3], vec![7], vec![7]);
            divide(a, b, &mut quotient, &mut remainder, &mut work);
            assert_eq!((to_biguint(&quotient), to_biguint(&remainder)), x.div_rem(&y));
            assert!(quotient.last() != Some(&0) && remainder.last() != Some(&0));
        };
        if !b.is_empty() {
            check(&a, &b);
            // A product, and what stands right below it.
            let product = made(|product| multiply(&b, &c, product));
            check(&product, &b);
            if !product.is_empty() {
                check(&made(|limbs| subtract(&product, &[1], limbs)), &b);
            }
        }
    }

    #[test]
    fn greatest_common_divisors(a in magnitude(), b in magnitude(), c in magnitude()) {
        let (x, y) = (made(|n| multiply(&a, &c, n)), made(|n| multiply(&b, &c, n)));
        let expected = to_biguint(&x).gcd(&to_biguint(&y));
        prop_assert!(same(&made(|limbs| gcd(&x, &y, limbs)), &expected));
        let expected = to_biguint(&a).gcd(&to_biguint(&b));
        prop_assert!(same(&made(|limbs| gcd(&a, &b, limbs)), &expected));
    }

    #[test]
    fn shifts(a in magnitude(), distance in prop_oneof![0_u64..130, 0_u64..5000, Just(u64::MAX)]) {
        let x = to_biguint(&a);
        if distance < 5000 {
            prop_assert!(same(&made(|limbs| shift_left(&a, distance, limbs)), &(&x << distance)));
        }
        let mut shifted = vec![7; 9];
        let lost = shift_right(&a, distance, &mut shifted);
        let expected = if distance < 5000 { &x >> distance } else { BigUint::ZERO };
        prop_assert!(same(&shifted, &expected));
        let zeros = x.trailing_zeros().unwrap_or(u64::MAX);
        prop_assert_eq!(lost, zeros < distance);
    }

    #[test]
    fn bits_as_in_two_s_complement(a in magnitude(), b in magnitude(), m: bool, n: bool) {
        let (m, n) = (m && !a.is_empty(), n && !b.is_empty());
        let (x, y) = (signed(m, &a), signed(n, &b));
        type Case = (fn(u64, u64) -> u64, BigInt);
        let cases: [Case; 3] = [
            (|a, b| a & b, &x & &y),
            (|a, b| a | b, &x | &y),
            (|a, b| a ^ b, &x ^ &y),
        ];
        for (operation, expected) in cases {
            let mut result = vec![7; 2];
            let negative = bitwise((m, &a), (n, &b), operation, &mut result);
            prop_assert_ne!(result.last(), Some(&0));
            prop_assert_eq!(signed(negative, &result), expected);
        }
    }

    #[test]
    fn digits_in_every_base(a in magnitude(), base in 2_u32..37) {
        let expected = to_biguint(&a).to_str_radix(base).to_uppercase();
        let spelled = digits(&a, base);
        prop_assert_eq!(String::from_utf8_lossy(&spelled), expected);
        prop_assert_eq!(made(|limbs| from_digits(&spelled, base, limbs)), a.clone());
        let mut padded = vec![b'0'; 100];
        padded.extend(spelled.to_ascii_lowercase());
        prop_assert_eq!(made(|limbs| from_digits(&padded, base, limbs)), a);
    }
}

#[test]
fn many_digits_are_read_by_halves() {
    let many = radix::MANY_DIGITS;
    for count in [many - 1, many, many * 2 + 1, many * 9] {
        let spelled: Vec<u8> = (0..count).map(|n| b"90017"[n * n % 5]).collect();
        let text = String::from_utf8_lossy(&spelled);
        for base in [10, 11, 36] {
            let expected = BigUint::parse_bytes(text.as_bytes(), base);
            let read = made(|limbs| from_digits(&spelled, base, limbs));
            assert_eq!(Some(to_biguint(&read)), expected, "{count} in base {base}");
            let again = digits(&read, base);
            assert_eq!(
                String::from_utf8_lossy(&again),
                text.trim_start_matches('0')
            );
        }
    }
}

#[test]
fn quotients_whose_estimate_is_too_large() {
    // Knuth's own case for adding back, and one whose first limbs agree.
    let cases: [(&[u64], &[u64]); 3] = [
        (&[0, 0, 1 << 63, (1 << 63) - 1], &[1, 0, 1 << 63]),
        (&[0, 0, 0, 1 << 63], &[u64::MAX, 0, 1 << 63]),
        (&[0, u64::MAX - 1, u64::MAX], &[u64::MAX, u64::MAX]),
    ];
    for (a, b) in cases {
        let (mut quotient, mut remainder, mut work) = (Vec::new(), Vec::new(), Vec::new());
        divide(a, b, &mut quotient, &mut remainder, &mut work);
        let expected = to_biguint(a).div_rem(&to_biguint(b));
        assert_eq!((to_biguint(&quotient), to_biguint(&remainder)), expected);
    }
}
