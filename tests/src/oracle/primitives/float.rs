//! Floats, as far as generated programs use them.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};

use super::answer::{Answer, Table};
use super::charge::{Charge, NONE, Simple, number_bytes};
use super::hash::float_hash;
use crate::oracle::machine::Machine;
use crate::oracle::value::Value;

/// Functions.
const FUNCTION: Charge = Charge::by(|m, _, answer| number_bytes(m, answer));

/// Arithmetic and comparison.
const ARITHMETIC: Charge = FUNCTION.simple(Simple::Numbers);

const PRINTED: Charge = Charge::by(|_, _, _| vec![("floatsPrinted", 1)]);

pub(super) const TABLE: Table = &[
    ("floatAdd", ARITHMETIC, |m, a| {
        compute(m, a, |x, y| Some(x + y))
    }),
    ("floatSubtract", ARITHMETIC, |m, a| {
        compute(m, a, |x, y| Some(x - y))
    }),
    ("floatMultiply", ARITHMETIC, |m, a| {
        compute(m, a, |x, y| Some(x * y))
    }),
    ("floatDivide", ARITHMETIC, |m, a| {
        compute(m, a, |x, y| (y != 0.0).then_some(x / y))
    }),
    ("floatFloorDivide", ARITHMETIC, |m, a| {
        floor_divide(m, a).into()
    }),
    ("floatModulo", ARITHMETIC, |m, a| compute(m, a, modulo)),
    ("floatLess", ARITHMETIC, |m, a| {
        compare(m, a, |o| o == Some(Ordering::Less))
    }),
    ("floatLessEqual", ARITHMETIC, |m, a| {
        compare(m, a, |o| o.is_some_and(Ordering::is_le))
    }),
    ("floatGreater", ARITHMETIC, |m, a| {
        compare(m, a, |o| o == Some(Ordering::Greater))
    }),
    ("floatGreaterEqual", ARITHMETIC, |m, a| {
        compare(m, a, |o| o.is_some_and(Ordering::is_ge))
    }),
    ("floatEqual", ARITHMETIC, |m, a| {
        compare(m, a, |o| o == Some(Ordering::Equal))
    }),
    ("floatNotEqual", ARITHMETIC, |m, a| {
        compare(m, a, |o| o != Some(Ordering::Equal))
    }),
    ("floatTruncated", FUNCTION, |m, a| whole(m, a, f64::trunc)),
    ("floatFloor", FUNCTION, |m, a| whole(m, a, f64::floor)),
    ("floatCeiling", FUNCTION, |m, a| whole(m, a, f64::ceil)),
    ("floatRounded", FUNCTION, |m, a| whole(m, a, f64::round)),
    ("floatIsInfinite", NONE, |_, a| {
        a[0].as_float().map(f64::is_infinite).into()
    }),
    ("floatSqrt", FUNCTION, |_, a| {
        let root = a[0].as_float().filter(|x| *x >= 0.0 || x.is_nan());
        root.map(|x| Value::float(x.sqrt())).into()
    }),
    ("floatSignificand", FUNCTION, |_, a| {
        parts(a[0])
            .map(|(significand, _)| Value::Small(significand))
            .into()
    }),
    ("floatBinaryExponent", NONE, |_, a| {
        parts(a[0])
            .map(|(_, exponent)| Value::Small(exponent))
            .into()
    }),
    ("floatFractionPart", FUNCTION, |_, a| {
        let finite = a[0].as_float().filter(|x| x.is_finite());
        finite
            .map(|x| Value::float((x - x.trunc()).copysign(x)))
            .into()
    }),
    ("floatHash", NONE, |_, a| float_hash(a[0]).into()),
    ("floatPrintString", PRINTED, |m, a| {
        let text = a[0].as_float().map(printed);
        text.map(|text| m.make_string(&text)).into()
    }),
];

/// An odd number, or 0, and the power of two that it is to be multiplied by to give the finite float.
fn parts(float: Value) -> Option<(i64, i64)> {
    let bits = float.as_float().filter(|x| x.is_finite())?.to_bits();
    let fraction = i64::try_from(bits & ((1 << 52) - 1)).ok()?;
    let (significand, exponent) = match i64::try_from((bits >> 52) & 0x7FF).ok()? {
        0 => (fraction, -1074),
        power => (fraction | 1 << 52, power - 1075),
    };
    if significand == 0 {
        return Some((0, 0));
    }
    let even = i64::from(significand.trailing_zeros());
    let sign = if bits >> 63 == 1 { -1 } else { 1 };
    Some((sign * (significand >> even), exponent + even))
}

fn argument(m: &Machine, value: Value) -> Option<f64> {
    value.as_float().or_else(|| m.as_integer(value)?.to_f64())
}

fn compute(m: &mut Machine, a: &[Value], with: fn(f64, f64) -> Option<f64>) -> Answer {
    let operands = a[0].as_float().zip(argument(m, a[1]));
    operands
        .and_then(|(x, y)| with(x, y))
        .map(Value::float)
        .into()
}

fn floor_divide(m: &mut Machine, a: &[Value]) -> Option<Value> {
    let (dividend, divisor) = a[0].as_float().zip(argument(m, a[1]))?;
    let quotient = dividend / divisor;
    if divisor == 0.0 || !quotient.is_finite() {
        return None;
    }
    let integer = BigInt::from_f64(quotient.floor())?;
    Some(m.integer(integer))
}

/// The remainder with the divisor's sign.
fn modulo(dividend: f64, divisor: f64) -> Option<f64> {
    if divisor == 0.0 || !divisor.is_finite() || !dividend.is_finite() {
        return None;
    }
    let remainder = dividend % divisor;
    Some(match remainder {
        0.0 => 0.0_f64.copysign(divisor),
        _ if (remainder < 0.0) == (divisor < 0.0) => remainder,
        _ => remainder + divisor,
    })
}

/// Compares without rounding.
fn compare(m: &mut Machine, a: &[Value], test: fn(Option<Ordering>) -> bool) -> Answer {
    let Some(float) = a[0].as_float() else {
        return Answer::Declined;
    };
    let order = match (a[1].as_float(), m.as_integer(a[1])) {
        (Some(other), _) => float.partial_cmp(&other),
        (None, Some(integer)) if float.is_finite() => {
            let order = BigInt::from_f64(float.floor())
                .unwrap_or_default()
                .cmp(&integer);
            let fraction = if float > float.floor() {
                Ordering::Greater
            } else {
                Ordering::Equal
            };
            Some(order.then(fraction))
        }
        (None, Some(_)) => float.partial_cmp(&0.0),
        (None, None) => return Answer::Declined,
    };
    Some(test(order)).into()
}

fn whole(m: &mut Machine, a: &[Value], with: fn(f64) -> f64) -> Answer {
    let integer = a[0].as_float().and_then(|x| BigInt::from_f64(with(x)));
    integer.map(|integer| m.integer(integer)).into()
}

/// The shortest digits that read back, with an exponent below 1e-4 and from 1e6 on.
fn printed(float: f64) -> String {
    if !float.is_finite() {
        let text = if float.is_nan() {
            "Float nan"
        } else if float > 0.0 {
            "Float infinity"
        } else {
            "Float infinity negated"
        };
        return text.to_string();
    }
    let scientific = format!("{float:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let point = |text: String| {
        if text.contains('.') {
            text
        } else {
            text + ".0"
        }
    };
    if (-4..6).contains(&exponent.parse().unwrap_or(0)) {
        point(float.to_string())
    } else {
        format!("{}e{exponent}", point(digits.to_string()))
    }
}
