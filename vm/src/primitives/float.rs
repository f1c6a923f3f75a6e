//! Primitives of Floats: arithmetic, comparison, rounding and functions. The functions come from `libm` alone, so that
//! results do not depend on the host. `float_print` prints Floats.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::integer::{hash_of_integer, nearest_float};
use super::text::hash_value;
use super::{Answer, Primitive, rows};
use crate::base::{Value, mix};
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "floatAdd"(1) open allocates => |vm, args| binary(vm, args, |a, b| Some(a + b)),
        "A Float and a Float or integer: their sum.", FLOATS;
    "floatSubtract"(1) open allocates => |vm, args| binary(vm, args, |a, b| Some(a - b)),
        "A Float and a Float or integer: their difference.", FLOATS;
    "floatMultiply"(1) open allocates => |vm, args| binary(vm, args, |a, b| Some(a * b)),
        "A Float and a Float or integer: their product.", FLOATS;
    "floatDivide"(1) open allocates => |vm, args| binary(vm, args, |a, b| (b != 0.0).then_some(a / b)),
        "A Float and a Float or integer other than 0: their quotient.", FLOATS;
    "floatFloorDivide"(1) open allocates => floor_divide,
        "A Float and a Float or integer other than 0, the quotient finite: its floor, an \
         integer.", FLOATS;
    "floatModulo"(1) open allocates => |vm, args| binary(vm, args, modulo),
        "A finite Float and a finite number other than 0: the remainder with the divisor's sign.", FLOATS;
    "floatLess"(1) open leaf => |vm, args| compare(vm, args, |o| o.is_some_and(Ordering::is_lt)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatLessEqual"(1) open leaf => |vm, args| compare(vm, args, |o| o.is_some_and(Ordering::is_le)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatGreater"(1) open leaf => |vm, args| compare(vm, args, |o| o.is_some_and(Ordering::is_gt)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatGreaterEqual"(1) open leaf => |vm, args| compare(vm, args, |o| o.is_some_and(Ordering::is_ge)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatEqual"(1) open leaf => |vm, args| compare(vm, args, |o| o.is_some_and(Ordering::is_eq)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatNotEqual"(1) open leaf => |vm, args| compare(vm, args, |o| !o.is_some_and(Ordering::is_eq)),
        "A Float and a Float or integer, compared exactly.", FLOATS;
    "floatTruncated"(0) open allocates => |vm, args| rounded(vm, args, libm::trunc),
        "A finite Float: the integer towards 0.", FUNCTION;
    "floatFloor"(0) open allocates => |vm, args| rounded(vm, args, libm::floor),
        "A finite Float: the greatest integer not above it.", FUNCTION;
    "floatCeiling"(0) open allocates => |vm, args| rounded(vm, args, libm::ceil),
        "A finite Float: the least integer not below it.", FUNCTION;
    "floatRounded"(0) open allocates => |vm, args| rounded(vm, args, libm::round),
        "A finite Float: the nearest integer, halves away from 0.", FUNCTION;
    "floatFractionPart"(0) open allocates => |vm, args| unary(vm, args, fraction_part),
        "A finite Float: what truncation takes away, with the Float's sign.", FUNCTION;
    "floatSignificand"(0) open allocates => significand,
        "A finite Float: m, odd or 0, where the Float is m * 2^floatBinaryExponent.", FUNCTION;
    "floatBinaryExponent"(0) open leaf => binary_exponent,
        "A finite Float: the exponent that goes with floatSignificand; 0 for 0.";
    "floatExponent"(0) open leaf => exponent,
        "A finite Float other than 0: the floor of its magnitude's binary logarithm.";
    "floatTimesTwoPower"(1) open allocates => times_two_power,
        "A Float and a SmallInteger: the Float times 2 to that power.", FUNCTION;
    "floatIsInfinite"(0) open leaf => is_infinite, "Any Float.";
    "floatSqrt"(0) open allocates => |vm, args| unary(vm, args, sqrt),
        "A Float that is not negative: its square root.", FUNCTION;
    "floatSin"(0) open allocates => |vm, args| unary(vm, args, |a| Some(libm::sin(a))), "Any Float.", FUNCTION;
    "floatCos"(0) open allocates => |vm, args| unary(vm, args, |a| Some(libm::cos(a))), "Any Float.", FUNCTION;
    "floatTan"(0) open allocates => |vm, args| unary(vm, args, |a| Some(libm::tan(a))), "Any Float.", FUNCTION;
    "floatArctan"(0) open allocates => |vm, args| unary(vm, args, |a| Some(libm::atan(a))), "Any Float.", FUNCTION;
    "floatExp"(0) open allocates => |vm, args| unary(vm, args, |a| Some(libm::exp(a))), "Any Float.", FUNCTION;
    "floatArcsin"(0) open allocates => |vm, args| unary(vm, args, |a| in_unit(a).map(libm::asin)),
        "A Float from -1 to 1.", FUNCTION;
    "floatArccos"(0) open allocates => |vm, args| unary(vm, args, |a| in_unit(a).map(libm::acos)),
        "A Float from -1 to 1.", FUNCTION;
    "floatArctan2"(1) open allocates => |vm, args| binary(vm, args, |y, x| Some(libm::atan2(y, x))),
        "A Float y and a Float or integer x: the angle of the point.", FUNCTION;
    "floatLn"(0) open allocates => |vm, args| unary(vm, args, |a| positive(a).map(libm::log)), "A Float above 0.", FUNCTION;
    "floatLog10"(0) open allocates => |vm, args| unary(vm, args, |a| positive(a).map(libm::log10)),
        "A Float above 0.", FUNCTION;
    "floatLog2"(0) open allocates => |vm, args| unary(vm, args, |a| positive(a).map(libm::log2)),
        "A Float above 0.", FUNCTION;
    "floatRaisedTo"(1) open allocates => |vm, args| binary(vm, args, raised_to),
        "A Float from 0 on and a number, or any Float and a number without a fraction, not 0 and \
         a negative number: the power.", FUNCTION;
    "floatHash"(0) open leaf => hash, "Any Float: the hash of the integer that it equals, if there is one.";
    "floatAsBits"(0) open allocates => as_bits, "Any Float: its 64 bits as an integer.", FUNCTION;
    "floatFromBits"(1) open allocates => from_bits,
        "The class and an integer from 0 to 2^64 - 1: the Float with these bits.", FUNCTION;
}

fn receiver(vm: &Vm, args: Args) -> Option<f64> {
    vm.float_of(args.receiver(vm))
}

fn finite(vm: &Vm, args: Args) -> Option<f64> {
    receiver(vm, args).filter(|float| float.is_finite())
}

fn unary(vm: &mut Vm, args: Args, function: fn(f64) -> Option<f64>) -> Option<Value> {
    let answer = function(receiver(vm, args)?)?;
    Some(vm.make_float(answer))
}

fn argument(vm: &Vm, args: Args) -> Option<f64> {
    let argument = args.at(vm, 0);
    vm.float_of(argument)
        .or_else(|| nearest_float(vm, argument))
}

fn binary(vm: &mut Vm, args: Args, function: fn(f64, f64) -> Option<f64>) -> Option<Value> {
    let answer = function(receiver(vm, args)?, argument(vm, args)?)?;
    Some(vm.make_float(answer))
}

fn floor_divide(vm: &mut Vm, args: Args) -> Option<Value> {
    let (dividend, divisor) = (receiver(vm, args)?, argument(vm, args)?);
    let quotient = dividend / divisor;
    if divisor == 0.0 || !quotient.is_finite() {
        return None;
    }
    Some(make_integral(vm, libm::floor(quotient)))
}

fn modulo(dividend: f64, divisor: f64) -> Option<f64> {
    if divisor == 0.0 || !divisor.is_finite() || !dividend.is_finite() {
        return None;
    }
    let remainder = libm::fmod(dividend, divisor);
    if remainder == 0.0 {
        return Some(libm::copysign(0.0, divisor));
    }
    let agrees = (remainder < 0.0) == (divisor < 0.0);
    Some(if agrees {
        remainder
    } else {
        remainder + divisor
    })
}

fn compare(vm: &mut Vm, args: Args, test: fn(Option<Ordering>) -> bool) -> Option<Value> {
    let float = receiver(vm, args)?;
    let argument = args.at(vm, 0);
    let order = match vm.float_of(argument) {
        Some(other) => float.partial_cmp(&other),
        None => compare_exactly(float, &vm.integer_of(argument)?),
    };
    Some(Value::bool(test(order)))
}

/// How a float lies to an integer, without rounding either.
fn compare_exactly(float: f64, integer: &BigInt) -> Option<Ordering> {
    if !float.is_finite() {
        return float.partial_cmp(&0.0);
    }
    let whole = libm::floor(float);
    let order = integral(whole).cmp(integer);
    let fraction = if float > whole {
        Ordering::Greater
    } else {
        Ordering::Equal
    };
    Some(order.then(fraction))
}

/// The integer that a finite float without a fraction equals.
fn integral(float: f64) -> BigInt {
    let (significand, exponent) = decode(float);
    let magnitude = match u32::try_from(exponent) {
        Ok(left) => BigInt::from(significand) << left,
        Err(_) => BigInt::from(significand) >> exponent.unsigned_abs(),
    };
    if float < 0.0 { -magnitude } else { magnitude }
}

/// Odd significand and exponent of a finite float's magnitude; both 0 for 0.
fn decode(float: f64) -> (u64, i32) {
    let bits = float.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let (significand, exponent) = match (bits >> 52 & 0x7FF) as i32 {
        0 => (fraction, -1074),
        biased => (fraction | 1 << 52, biased - 1075),
    };
    if significand == 0 {
        return (0, 0);
    }
    let zeros = significand.trailing_zeros();
    (significand >> zeros, exponent + zeros as i32)
}

/// An integer from a finite float without a fraction.
fn make_integral(vm: &mut Vm, float: f64) -> Value {
    if libm::fabs(float) < 1e18 {
        return Value::int(float as i64);
    }
    vm.make_integer(&integral(float))
}

fn rounded(vm: &mut Vm, args: Args, rounding: fn(f64) -> f64) -> Option<Value> {
    let float = finite(vm, args)?;
    Some(make_integral(vm, rounding(float)))
}

fn fraction_part(float: f64) -> Option<f64> {
    float
        .is_finite()
        .then(|| libm::copysign(float - libm::trunc(float), float))
}

fn significand(vm: &mut Vm, args: Args) -> Option<Value> {
    let float = finite(vm, args)?;
    let (significand, _) = decode(float);
    let magnitude = i64::try_from(significand).ok()?;
    Value::try_int(if float < 0.0 { -magnitude } else { magnitude })
}

fn binary_exponent(vm: &mut Vm, args: Args) -> Option<Value> {
    let (_, exponent) = decode(finite(vm, args)?);
    Some(Value::int(i64::from(exponent)))
}

fn exponent(vm: &mut Vm, args: Args) -> Option<Value> {
    let (significand, exponent) = decode(finite(vm, args)?);
    let highest = i64::from(significand.checked_ilog2()?);
    Some(Value::int(highest + i64::from(exponent)))
}

fn times_two_power(vm: &mut Vm, args: Args) -> Option<Value> {
    let float = receiver(vm, args)?;
    // Beyond these powers every float is an infinity or 0.
    let power = args.at(vm, 0).as_int()?.clamp(-3000, 3000) as i32;
    Some(vm.make_float(libm::scalbn(float, power)))
}

fn is_infinite(vm: &mut Vm, args: Args) -> Option<Value> {
    receiver(vm, args).map(|float| Value::bool(float.is_infinite()))
}

fn sqrt(float: f64) -> Option<f64> {
    (float >= 0.0 || float.is_nan()).then(|| libm::sqrt(float))
}

fn in_unit(float: f64) -> Option<f64> {
    (-1.0..=1.0).contains(&float).then_some(float)
}

fn positive(float: f64) -> Option<f64> {
    (float > 0.0).then_some(float)
}

fn raised_to(base: f64, power: f64) -> Option<f64> {
    let whole = power.is_finite() && libm::trunc(power) == power;
    let divides_by_zero = base == 0.0 && power < 0.0;
    (!divides_by_zero && (base >= 0.0 || whole)).then(|| libm::pow(base, power))
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    Some(hash_value(hash_of_float(receiver(vm, args)?)))
}

/// The hash of a Float: that of the integer that it equals, if there is one, else of its bits.
pub(super) fn hash_of_float(float: f64) -> u32 {
    /// Below it, a Float without a fraction is a SmallInteger.
    const SMALL: f64 = (1_u64 << 60) as f64;
    if float.abs() < SMALL {
        let cut = float as i64;
        return match cut as f64 == float {
            true => mix(cut as u64),
            false => mix(float.to_bits()),
        };
    }
    match float.is_finite() {
        true => hash_of_integer(&integral(float)),
        false => mix(float.to_bits()),
    }
}

fn as_bits(vm: &mut Vm, args: Args) -> Option<Value> {
    let bits = receiver(vm, args)?.to_bits();
    Some(vm.make_integer_i128(i128::from(bits)))
}

fn from_bits(vm: &mut Vm, args: Args) -> Option<Value> {
    let integer = vm.integer_of(args.at(vm, 0))?;
    let bits = (!integer.is_negative())
        .then(|| integer.to_u64())
        .flatten()?;
    Some(vm.make_float(f64::from_bits(bits)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    fn float(vm: &mut Vm, name: &str, values: &[f64]) -> Option<f64> {
        let values: Vec<Value> = values.iter().map(|&f| vm.make_float(f)).collect();
        let answer = run(vm, name, &values)?;
        vm.float_of(answer)
    }

    fn integer(vm: &mut Vm, name: &str, value: f64) -> Option<BigInt> {
        let value = vm.make_float(value);
        let answer = run(vm, name, &[value])?;
        vm.integer_of(answer)
    }

    #[test]
    fn integers_are_compared_without_rounding() {
        let large = BigInt::from(1u64 << 53) + 1;
        let float = 9_007_199_254_740_992.0;
        assert_eq!(compare_exactly(float, &large), Some(Ordering::Less));
        assert_eq!(compare_exactly(float, &(large - 1)), Some(Ordering::Equal));
        assert_eq!(
            compare_exactly(-0.5, &BigInt::from(-1)),
            Some(Ordering::Greater)
        );
        assert_eq!(
            compare_exactly(-0.5, &BigInt::from(0)),
            Some(Ordering::Less)
        );
        assert_eq!(
            compare_exactly(-0.0, &BigInt::from(0)),
            Some(Ordering::Equal)
        );
        let huge = BigInt::from(1) << 2000u32;
        assert_eq!(
            compare_exactly(f64::INFINITY, &huge),
            Some(Ordering::Greater)
        );
        assert_eq!(
            compare_exactly(f64::NEG_INFINITY, &-huge),
            Some(Ordering::Less)
        );
        assert_eq!(compare_exactly(f64::NAN, &BigInt::from(0)), None);
    }

    #[test]
    fn rounding_gives_integers_of_any_size() {
        let mut vm = machine();
        for (name, value, expected) in [
            ("floatTruncated", -2.5, -2),
            ("floatFloor", -2.5, -3),
            ("floatCeiling", -2.5, -2),
            ("floatRounded", -2.5, -3),
            ("floatRounded", 2.5, 3),
            ("floatRounded", 0.499_999_999_999_999_94, 0),
        ] {
            assert_eq!(
                integer(&mut vm, name, value),
                Some(expected.into()),
                "{name} {value}"
            );
        }
        assert_eq!(
            integer(&mut vm, "floatFloor", -1e300),
            Some(-integral(1e300))
        );
        assert_eq!(integral(1e22), BigInt::from(10).pow(22));
        assert_eq!(integer(&mut vm, "floatFloor", f64::NAN), None);
        assert_eq!(integer(&mut vm, "floatFloor", f64::INFINITY), None);
    }

    #[test]
    fn the_modulus_takes_the_divisors_sign() {
        let mut vm = machine();
        assert_eq!(float(&mut vm, "floatModulo", &[5.5, -2.0]), Some(-0.5));
        assert_eq!(float(&mut vm, "floatModulo", &[-5.5, 2.0]), Some(0.5));
        assert_eq!(float(&mut vm, "floatModulo", &[5.5, 0.0]), None);
    }

    #[test]
    fn parts_put_together_give_the_float_again() {
        for value in [1.0, -0.1, 1.5e-310, 5e-324, f64::MAX, 3.0, 1e22] {
            let (significand, exponent) = decode(value);
            assert_eq!(significand % 2, 1);
            assert_eq!(
                libm::scalbn(significand as f64, exponent),
                libm::fabs(value)
            );
        }
        assert_eq!(decode(-0.0), (0, 0));
        let mut vm = machine();
        assert_eq!(
            integer(&mut vm, "floatExponent", 5e-324),
            Some((-1074).into())
        );
        assert_eq!(integer(&mut vm, "floatExponent", 0.75), Some((-1).into()));
        assert_eq!(integer(&mut vm, "floatExponent", 0.0), None);
    }

    #[test]
    fn equal_numbers_have_equal_hashes() {
        let mut vm = machine();
        for value in [0.0, -0.0, 7.0, -3.0, 1e18, 1e19, -1e40] {
            let hashed = vm.make_float(value);
            let hash = run(&mut vm, "floatHash", &[hashed]);
            let expected = hash_value(hash_of_integer(&integral(value)));
            assert_eq!(hash, Some(expected));
        }
    }

    #[test]
    fn bits_go_both_ways() {
        let mut vm = machine();
        for value in [-1.5, 0.0, f64::MIN_POSITIVE] {
            let made = vm.make_float(value);
            let bits = run(&mut vm, "floatAsBits", &[made]).expect("bits");
            let back = run(&mut vm, "floatFromBits", &[Value::NIL, bits]).expect("a float");
            assert_eq!(vm.float_of(back), Some(value));
        }
        assert_eq!(
            run(&mut vm, "floatFromBits", &[Value::NIL, Value::int(-1)]),
            None
        );
    }
}
