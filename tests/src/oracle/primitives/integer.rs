//! Integers of any size.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::answer::{Answer, Table};
use super::charge::{Bill, Charge, NONE, Simple, characters, is_large, number_bytes, words};
use crate::oracle::machine::Machine;
use crate::oracle::value::Value;

/// Limbs of operands and answer if one of them is large, and the bytes of the answer.
pub(super) const LIMBS: Charge = Charge::by(limbs);

/// Sums, bits and comparisons.
const SUM: Charge = LIMBS.simple(Simple::Numbers);

const PRODUCT: Charge = Charge::by(|m, a, answer| {
    let mut bill = limbs(m, a, answer);
    if any_is_large(m, &[a[0], a[1], answer]) {
        let (n, m) = sizes(m, a);
        bill.push(("products", m.div_ceil(n) * square(n)));
    }
    bill
})
.simple(Simple::Numbers);

/// A division is charged even if there is a remainder and the primitive declines.
const QUOTIENT: Charge = Charge {
    operands: |m, a| match two(m, a) {
        Some((x, y)) if any_is_large(m, a) && !y.is_zero() => {
            vec![("quotients", quotients(words(&x), words(&y)))]
        }
        _ => Bill::new(),
    },
    ..SUM
};

const GCD: Charge = Charge::by(|m, a, answer| {
    let mut bill = limbs(m, a, answer);
    if any_is_large(m, &[a[0], a[1], answer]) {
        let (n, m) = sizes(m, a);
        bill.push(("gcds", n * (m + 64)));
    }
    bill
});

const ROOT: Charge = Charge::by(|m, a, answer| {
    let mut bill = limbs(m, a, answer);
    bill.push(("roots", 2 * radix(m, a[0])));
    bill
});

const DIGITS: Charge = Charge::by(|m, a, answer| {
    vec![
        ("radix", radix(m, a[0])),
        ("converted", characters(m, answer)),
    ]
});

pub(super) const TABLE: Table = &[
    ("integerAdd", SUM, |m, a| compute(m, a, |x, y| Some(x + y))),
    ("integerSubtract", SUM, |m, a| {
        compute(m, a, |x, y| Some(x - y))
    }),
    ("integerMultiply", PRODUCT, |m, a| {
        compute(m, a, |x, y| Some(x * y))
    }),
    ("integerDivide", QUOTIENT, |m, a| {
        compute(m, a, |x, y| {
            (!y.is_zero() && (x % y).is_zero()).then(|| x / y)
        })
    }),
    ("integerFloorDivide", QUOTIENT, |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x.div_floor(y)))
    }),
    ("integerModulo", QUOTIENT, |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x.mod_floor(y)))
    }),
    ("integerQuotient", QUOTIENT, |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x / y))
    }),
    ("integerRemainder", QUOTIENT, |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x % y))
    }),
    ("integerLess", SUM, |m, a| compare(m, a, |x, y| x < y)),
    ("integerLessEqual", SUM, |m, a| compare(m, a, |x, y| x <= y)),
    ("integerGreater", SUM, |m, a| compare(m, a, |x, y| x > y)),
    ("integerGreaterEqual", SUM, |m, a| {
        compare(m, a, |x, y| x >= y)
    }),
    ("integerEqual", SUM, |m, a| compare(m, a, |x, y| x == y)),
    ("integerNotEqual", SUM, |m, a| compare(m, a, |x, y| x != y)),
    ("integerBitAnd", SUM, |m, a| {
        compute(m, a, |x, y| Some(x & y))
    }),
    ("integerBitOr", SUM, |m, a| {
        compute(m, a, |x, y| Some(x | y))
    }),
    ("integerBitXor", SUM, |m, a| {
        compute(m, a, |x, y| Some(x ^ y))
    }),
    ("integerBitShift", SUM, |m, a| bit_shift(m, a).into()),
    ("integerHighBit", LIMBS, |m, a| {
        let found = m.as_integer(a[0]).filter(|x| !x.is_negative());
        found.map(|x| Value::Small(x.bits() as i64)).into()
    }),
    ("integerGcd", GCD, |m, a| {
        compute(m, a, |x, y| Some(x.gcd(y)))
    }),
    ("integerSqrtFloor", ROOT, |m, a| {
        let found = m.as_integer(a[0]).filter(|x| !x.is_negative());
        found.map(|x| m.integer(x.sqrt())).into()
    }),
    ("integerAsFloat", LIMBS, |m, a| {
        let found = m.as_integer(a[0]).and_then(|x| x.to_f64());
        found.map(Value::float).into()
    }),
    ("integerPrintString", DIGITS, |m, a| {
        let digits = m.as_integer(a[0]).map(|x| x.to_string());
        digits.map(|digits| m.make_string(&digits)).into()
    }),
    ("integerPrintStringBase", DIGITS, |m, a| {
        print_base(m, a).into()
    }),
    ("integerAsCharacter", NONE, |m, a| {
        let code = m
            .as_integer(a[0])
            .and_then(|x| x.to_u32())
            .and_then(char::from_u32);
        code.map(|code| Value::Character(u32::from(code))).into()
    }),
];

fn any_is_large(m: &Machine, integers: &[Value]) -> bool {
    integers.iter().any(|&one| is_large(m, one))
}

fn limbs(m: &Machine, a: &[Value], answer: Value) -> Bill {
    let mut bill = number_bytes(m, answer);
    let all = [a, &[answer]].concat();
    if any_is_large(m, &all) {
        let integers = all.iter().filter_map(|&one| m.as_integer(one));
        bill.push(("limbs", integers.map(|one| words(&one)).sum()));
    }
    bill
}

/// The sizes of receiver and argument, the smaller one first.
fn sizes(m: &Machine, a: &[Value]) -> (u64, u64) {
    let (x, y) = two(m, a).unwrap_or_default();
    let (x, y) = (words(&x), words(&y));
    (x.min(y), x.max(y))
}

/// k(n).
fn square(n: u64) -> u64 {
    match n {
        0..=32 => n * n,
        _ => 3 * square(n.div_ceil(2)) + 8 * n,
    }
}

fn quotients(dividend: u64, divisor: u64) -> u64 {
    (dividend + 1).saturating_sub(divisor).max(1) * (divisor + 16)
}

/// The digits of a LargeInteger; 0 of any other value.
pub(super) fn radix(m: &Machine, value: Value) -> u64 {
    let large = m.as_integer(value).filter(|_| is_large(m, value));
    large.map_or(0, |integer| words(&integer) * (words(&integer) + 16))
}

fn two(m: &Machine, a: &[Value]) -> Option<(BigInt, BigInt)> {
    Some((m.as_integer(a[0])?, m.as_integer(a[1])?))
}

fn compute(m: &mut Machine, a: &[Value], with: fn(&BigInt, &BigInt) -> Option<BigInt>) -> Answer {
    let answer = two(m, a).and_then(|(x, y)| with(&x, &y));
    answer.map(|integer| m.integer(integer)).into()
}

fn compare(m: &mut Machine, a: &[Value], with: fn(&BigInt, &BigInt) -> bool) -> Answer {
    two(m, a).map(|(x, y)| with(&x, &y)).into()
}

/// Bits that an integer has at most.
const MOST_BITS: u64 = 1 << 26;

fn bit_shift(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let integer = m.as_integer(a[0])?;
    let distance = a[1].as_small()?;
    let shifted = match distance < 0 {
        true => integer >> distance.unsigned_abs(),
        false if integer.is_zero() => integer,
        false if integer.bits() + distance.unsigned_abs() > MOST_BITS => return None,
        false => integer << distance.unsigned_abs(),
    };
    Some(m.integer(shifted))
}

fn print_base(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let base = a[1].as_size().filter(|base| (2..=36).contains(base))?;
    let digits = m.as_integer(a[0])?.to_str_radix(base as u32);
    Some(m.make_string(&digits.to_ascii_uppercase()))
}
