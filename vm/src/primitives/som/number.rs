//! Numbers of SOM: integers of any size and doubles mixed, as its arithmetic takes them.

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{ToPrimitive, Zero};

use super::{Failed, Said, description};
use crate::primitives::Args;
use crate::primitives::integer::{MAX_BITS, nearest_to};
use crate::value::Value;
use crate::vm::Vm;

/// A number.
pub(super) enum Number {
    /// A small integer.
    Small(i64),
    /// Any other integer.
    Large(BigInt),
    /// A double.
    Double(f64),
}

impl Number {
    /// The number that a value is.
    pub(super) fn of(vm: &Vm, value: Value) -> Option<Number> {
        if let Some(small) = value.as_int() {
            return Some(Number::Small(small));
        }
        match vm.float_of(value) {
            Some(double) => Some(Number::Double(double)),
            None => vm.integer_of(value).map(Number::Large),
        }
    }

    /// The nearest double.
    pub(super) fn to_double(&self) -> f64 {
        match self {
            Number::Small(small) => *small as f64,
            Number::Large(large) => nearest_to(large),
            Number::Double(double) => *double,
        }
    }

    /// The integer, unless it is a double.
    pub(super) fn to_integer(&self) -> Option<BigInt> {
        match self {
            Number::Small(small) => Some(BigInt::from(*small)),
            Number::Large(large) => Some(large.clone()),
            Number::Double(_) => None,
        }
    }
}

/// The receiver, which a method of a number's class has as long as nobody plays tricks.
pub(super) fn receiver(vm: &Vm, args: Args) -> Result<Number, Failed> {
    number(vm, args.receiver(vm))
}

/// The first argument.
pub(super) fn argument(vm: &Vm, args: Args) -> Result<Number, Failed> {
    number(vm, args.at(vm, 0))
}

fn number(vm: &Vm, value: Value) -> Result<Number, Failed> {
    Number::of(vm, value)
        .ok_or_else(|| format!("expected a number, not {}", description(vm, value)).into())
}

/// An integer argument.
pub(super) fn integer_argument(vm: &Vm, args: Args) -> Result<BigInt, Failed> {
    let value = args.at(vm, 0);
    vm.integer_of(value)
        .ok_or_else(|| format!("expected an Integer, not {}", description(vm, value)).into())
}

/// The integer, if it is not beyond all bounds.
pub(super) fn make_integer(vm: &mut Vm, integer: &BigInt) -> Said {
    if integer.bits() > MAX_BITS {
        return Err("the integer is too large".into());
    }
    Ok(vm.make_integer(integer))
}

/// The integer that a double without a fraction is.
pub(super) fn make_integral(vm: &mut Vm, double: f64) -> Said {
    const SMALL: f64 = (1u64 << 61) as f64;
    if double > -SMALL && double < SMALL {
        return Ok(Value::int(double as i64));
    }
    match num_traits::FromPrimitive::from_f64(double) {
        Some(integer) => make_integer(vm, &integer),
        None => Err(format!("{double} has no integer").into()),
    }
}

/// An operation on two numbers: on doubles if one of them is.
pub(super) fn arithmetic(
    vm: &mut Vm,
    args: Args,
    small: fn(i128, i128) -> i128,
    large: fn(&BigInt, &BigInt) -> BigInt,
    double: fn(f64, f64) -> f64,
) -> Said {
    match (receiver(vm, args)?, argument(vm, args)?) {
        (Number::Small(a), Number::Small(b)) => {
            Ok(vm.make_integer_i128(small(i128::from(a), i128::from(b))))
        }
        (a, b) => match (a.to_integer(), b.to_integer()) {
            (Some(a), Some(b)) => {
                if a.bits().saturating_add(b.bits()) > MAX_BITS {
                    return Err("the integer is too large".into());
                }
                make_integer(vm, &large(&a, &b))
            }
            _ => Ok(vm.make_float(double(a.to_double(), b.to_double()))),
        },
    }
}

/// Receiver and argument, if both are small integers and the argument is not 0.
#[inline(always)]
fn small_operands(vm: &Vm, args: Args) -> Option<(i64, i64)> {
    let (a, b) = (args.receiver(vm).as_int()?, args.at(vm, 0).as_int()?);
    (b != 0).then_some((a, b))
}

/// `a / b`: the quotient without its fraction.
pub(super) fn quotient(vm: &mut Vm, args: Args) -> Said {
    if let Some((a, b)) = small_operands(vm, args) {
        return Ok(vm.make_integer_i128(i128::from(a / b)));
    }
    let (a, b) = (receiver(vm, args)?, argument(vm, args)?);
    match (a.to_integer(), b.to_integer()) {
        (Some(a), Some(b)) => {
            if b.is_zero() {
                return Err("division by zero".into());
            }
            make_integer(vm, &(a / b))
        }
        _ => make_integral(vm, libm::trunc(a.to_double() / b.to_double())),
    }
}

/// `a % b`: with the sign of the divisor between integers, with that of the dividend between doubles.
pub(super) fn modulo(vm: &mut Vm, args: Args) -> Said {
    if let Some((a, b)) = small_operands(vm, args) {
        return Ok(Value::int(a.mod_floor(&b)));
    }
    let (a, b) = (receiver(vm, args)?, argument(vm, args)?);
    match (a.to_integer(), b.to_integer()) {
        (Some(_), Some(b)) if b.is_zero() => Err("division by zero".into()),
        (Some(a), Some(b)) => make_integer(vm, &a.mod_floor(&b)),
        _ => Ok(vm.make_float(libm::fmod(a.to_double(), b.to_double()))),
    }
}

/// `a rem: b`: with the sign of the dividend.
pub(super) fn remainder(vm: &mut Vm, args: Args) -> Said {
    if let Some((a, b)) = small_operands(vm, args) {
        return Ok(Value::int(a % b));
    }
    let (a, b) = (
        receiver(vm, args)?.to_integer(),
        integer_argument(vm, args)?,
    );
    match a {
        Some(_) if b.is_zero() => Err("division by zero".into()),
        Some(a) => make_integer(vm, &(a % b)),
        None => Err("expected an Integer".into()),
    }
}

/// The usual kinds of numbers as a double.
#[inline(always)]
fn small_or_double(vm: &Vm, value: Value) -> Option<f64> {
    vm.float_of(value)
        .or_else(|| value.as_int().map(|small| small as f64))
}

/// `a // b`: always a double.
pub(super) fn real_quotient(vm: &mut Vm, args: Args) -> Said {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if let (Some(a), Some(b)) = (small_or_double(vm, a), small_or_double(vm, b)) {
        return Ok(vm.make_float(a / b));
    }
    let (a, b) = (receiver(vm, args)?, argument(vm, args)?);
    Ok(vm.make_float(a.to_double() / b.to_double()))
}

/// How two numbers lie to each other; `None` for one that is none.
fn order(a: &Number, b: &Number) -> Option<std::cmp::Ordering> {
    match (a, b) {
        (Number::Small(a), Number::Small(b)) => Some(a.cmp(b)),
        _ => match (a.to_integer(), b.to_integer()) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => a.to_double().partial_cmp(&b.to_double()),
        },
    }
}

/// A comparison of two numbers.
pub(super) fn compare(vm: &mut Vm, args: Args, test: fn(std::cmp::Ordering) -> bool) -> Said {
    let order = order(&receiver(vm, args)?, &argument(vm, args)?);
    Ok(Value::bool(order.is_some_and(test)))
}

/// Equality with anything.
pub(super) fn equal(vm: &mut Vm, args: Args) -> Said {
    Ok(Value::bool(is_equal(vm, args)?))
}

/// The negation of [`equal`].
pub(super) fn not_equal(vm: &mut Vm, args: Args) -> Said {
    Ok(Value::bool(!is_equal(vm, args)?))
}

fn is_equal(vm: &Vm, args: Args) -> Result<bool, Failed> {
    let receiver = receiver(vm, args)?;
    let other = Number::of(vm, args.at(vm, 0));
    Ok(other.is_some_and(|other| order(&receiver, &other).is_some_and(std::cmp::Ordering::is_eq)))
}

/// The lesser or the greater of receiver and argument.
pub(super) fn chosen(vm: &mut Vm, args: Args, receiver_if_less: bool) -> Said {
    let order = order(&receiver(vm, args)?, &argument(vm, args)?);
    let is_less = order.is_some_and(std::cmp::Ordering::is_lt);
    Ok(if is_less == receiver_if_less {
        args.receiver(vm)
    } else {
        args.at(vm, 0)
    })
}

/// The number's magnitude.
pub(super) fn magnitude(vm: &mut Vm, args: Args) -> Said {
    match receiver(vm, args)? {
        Number::Small(small) => Ok(vm.make_integer_i128(i128::from(small).abs())),
        Number::Large(large) => make_integer(vm, &BigInt::from(large.magnitude().clone())),
        Number::Double(double) => Ok(vm.make_float(libm::fabs(double))),
    }
}

/// The lowest 32 bits of the integer, as a number from 0 on.
pub(super) fn low_32_bits(vm: &Vm, args: Args) -> Result<u32, Failed> {
    match receiver(vm, args)? {
        Number::Small(small) => Ok(small as u32),
        Number::Large(large) => Ok((large.mod_floor(&(BigInt::from(1) << 32u32)))
            .to_u32()
            .unwrap_or(0)),
        Number::Double(_) => Err("expected an Integer".into()),
    }
}
