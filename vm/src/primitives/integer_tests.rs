//! Compares the primitives of integers with num-bigint, for operands of all sizes and signs.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use proptest::prelude::*;

use super::integer::hash_of_integer;
use super::testing::{machine, run};
use super::text::hash_value;
use crate::base::{Known, Value as Word};
use crate::machine::Vm;

/// Integers of a few limbs, mostly near where something changes: the borders of the small integers,
/// of a limb, of two.
fn integer() -> impl Strategy<Value = BigInt> {
    let near = (
        prop_oneof![Just(0_u32), Just(61), Just(62), 60_u32..200],
        -2_i64..3,
    )
        .prop_map(|(bit, more)| (BigInt::from(1) << bit) + more);
    let other = proptest::collection::vec(any::<u32>(), 0..24)
        .prop_map(|limbs| BigInt::from_biguint(Sign::Plus, BigUint::new(limbs)));
    (prop_oneof![near, other], any::<bool>())
        .prop_map(|(n, negative)| if negative { -n } else { n })
}

/// Runs a primitive and checks that an integer answer has the form for its size.
fn answer(vm: &mut Vm, name: &str, receiver: &BigInt, argument: &BigInt) -> Option<BigInt> {
    let values = [vm.make_integer(receiver), vm.make_integer(argument)];
    let answer = run(vm, name, &values)?;
    let integer = vm.integer_of(answer)?;
    let small = integer.to_i64().and_then(Word::try_int);
    if let Some(small) = small {
        assert_eq!(answer, small, "{name}");
    } else {
        let known = match integer.is_negative() {
            true => Known::LargeNegativeInteger,
            false => Known::LargePositiveInteger,
        };
        assert!(vm.is_a(answer, known), "{name}");
        assert_ne!(vm.heap.limbs(answer).last(), Some(&0), "{name}");
    }
    Some(integer)
}

type Expected = fn(&BigInt, &BigInt) -> Option<BigInt>;

fn unless_zero(b: &BigInt, divide: impl FnOnce() -> BigInt) -> Option<BigInt> {
    (!b.is_zero()).then(divide)
}

const WITH_INTEGERS: &[(&str, Expected)] = &[
    ("integerAdd", |a, b| Some(a + b)),
    ("integerSubtract", |a, b| Some(a - b)),
    ("integerMultiply", |a, b| Some(a * b)),
    ("integerFloorDivide", |a, b| {
        unless_zero(b, || a.div_floor(b))
    }),
    ("integerModulo", |a, b| unless_zero(b, || a.mod_floor(b))),
    ("integerQuotient", |a, b| unless_zero(b, || a / b)),
    ("integerRemainder", |a, b| unless_zero(b, || a % b)),
    ("integerDivide", |a, b| {
        unless_zero(b, || a / b).filter(|quotient| quotient * b == *a)
    }),
    ("integerBitAnd", |a, b| Some(a & b)),
    ("integerBitOr", |a, b| Some(a | b)),
    ("integerBitXor", |a, b| Some(a ^ b)),
    ("integerGcd", |a, b| Some(a.gcd(b))),
];

type Compared = fn(&BigInt, &BigInt) -> bool;

const COMPARISONS: &[(&str, Compared)] = &[
    ("integerLess", |a, b| a < b),
    ("integerLessEqual", |a, b| a <= b),
    ("integerGreater", |a, b| a > b),
    ("integerGreaterEqual", |a, b| a >= b),
    ("integerEqual", |a, b| a == b),
    ("integerNotEqual", |a, b| a != b),
];

fn same_in_all(a: &BigInt, b: &BigInt) {
    let mut vm = machine();
    for (name, expected) in WITH_INTEGERS {
        let found = answer(&mut vm, name, a, b);
        assert_eq!(found, expected(a, b), "{a} {name} {b}");
    }
    for (name, expected) in COMPARISONS {
        let values = [vm.make_integer(a), vm.make_integer(b)];
        let found = run(&mut vm, name, &values).and_then(Word::as_bool);
        assert_eq!(found, Some(expected(a, b)), "{a} {name} {b}");
    }
}

proptest! {
    #[test]
    fn operations_on_two_integers(a in integer(), b in integer()) {
        same_in_all(&a, &b);
        same_in_all(&a, &a);
        same_in_all(&(&a * &b), &b);
    }

    #[test]
    fn shifts_round_down(a in integer(), distance in -200_i64..200) {
        let mut vm = machine();
        let expected = match u64::try_from(distance) {
            Ok(left) => &a << left,
            Err(_) => &a >> distance.unsigned_abs(),
        };
        let found = answer(&mut vm, "integerBitShift", &a, &distance.into());
        prop_assert_eq!(found, Some(expected));
    }

    #[test]
    fn what_is_said_of_one_integer(a in integer(), base in 2_i64..37) {
        let mut vm = machine();
        let value = vm.make_integer(&a);
        let printed = run(&mut vm, "integerPrintString", &[value]).expect("a string");
        prop_assert_eq!(vm.text_of(printed), Some(a.to_string()));
        let printed = run(&mut vm, "integerPrintStringBase", &[value, Word::int(base)]);
        let printed = printed.expect("a string");
        let digits = a.to_str_radix(base as u32).to_uppercase();
        prop_assert_eq!(vm.text_of(printed), Some(digits));
        let read = run(&mut vm, "stringAsInteger", &[printed, Word::int(base)]);
        prop_assert_eq!(read.and_then(|read| vm.integer_of(read)), Some(a.clone()));
        let bytes = run(&mut vm, "integerAsBytes", &[value]).expect("bytes");
        prop_assert_eq!(vm.heap.bytes(bytes), a.magnitude().to_bytes_be());
        let hash = run(&mut vm, "integerHash", &[value]);
        prop_assert_eq!(hash, Some(hash_value(hash_of_integer(&a))));
        let bits = run(&mut vm, "integerHighBit", &[value]).and_then(Word::as_int);
        prop_assert_eq!(bits, (!a.is_negative()).then_some(a.bits() as i64));
        let float = run(&mut vm, "integerAsFloat", &[value]).and_then(|n| vm.float_of(n));
        // Rust reads digits correctly rounded.
        prop_assert_eq!(float, a.to_string().parse().ok());
    }
}
