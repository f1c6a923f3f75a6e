//! Integers of any size.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::answer::{Answer, Table};
use crate::oracle::machine::Machine;
use crate::oracle::value::Value;

pub(super) const TABLE: Table = &[
    ("integerAdd", |m, a| compute(m, a, |x, y| Some(x + y))),
    ("integerSubtract", |m, a| compute(m, a, |x, y| Some(x - y))),
    ("integerMultiply", |m, a| compute(m, a, |x, y| Some(x * y))),
    ("integerDivide", |m, a| {
        compute(m, a, |x, y| {
            (!y.is_zero() && (x % y).is_zero()).then(|| x / y)
        })
    }),
    ("integerFloorDivide", |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x.div_floor(y)))
    }),
    ("integerModulo", |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x.mod_floor(y)))
    }),
    ("integerQuotient", |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x / y))
    }),
    ("integerRemainder", |m, a| {
        compute(m, a, |x, y| (!y.is_zero()).then(|| x % y))
    }),
    ("integerLess", |m, a| compare(m, a, |x, y| x < y)),
    ("integerLessEqual", |m, a| compare(m, a, |x, y| x <= y)),
    ("integerGreater", |m, a| compare(m, a, |x, y| x > y)),
    ("integerGreaterEqual", |m, a| compare(m, a, |x, y| x >= y)),
    ("integerEqual", |m, a| compare(m, a, |x, y| x == y)),
    ("integerNotEqual", |m, a| compare(m, a, |x, y| x != y)),
    ("integerBitAnd", |m, a| compute(m, a, |x, y| Some(x & y))),
    ("integerBitOr", |m, a| compute(m, a, |x, y| Some(x | y))),
    ("integerBitXor", |m, a| compute(m, a, |x, y| Some(x ^ y))),
    ("integerBitShift", |m, a| bit_shift(m, a).into()),
    ("integerHighBit", |m, a| {
        let found = m.as_integer(a[0]).filter(|x| !x.is_negative());
        found.map(|x| Value::Small(x.bits() as i64)).into()
    }),
    ("integerGcd", |m, a| compute(m, a, |x, y| Some(x.gcd(y)))),
    ("integerSqrtFloor", |m, a| {
        let found = m.as_integer(a[0]).filter(|x| !x.is_negative());
        found.map(|x| m.integer(x.sqrt())).into()
    }),
    ("integerAsFloat", |m, a| {
        let found = m.as_integer(a[0]).and_then(|x| x.to_f64());
        found.map(Value::float).into()
    }),
    ("integerPrintString", |m, a| {
        let digits = m.as_integer(a[0]).map(|x| x.to_string());
        digits.map(|digits| m.make_string(&digits)).into()
    }),
    ("integerPrintStringBase", |m, a| print_base(m, a).into()),
    ("integerAsCharacter", |m, a| {
        let code = m
            .as_integer(a[0])
            .and_then(|x| x.to_u32())
            .and_then(char::from_u32);
        code.map(|code| Value::Character(u32::from(code))).into()
    }),
];

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
