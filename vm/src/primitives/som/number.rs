//! Numbers of SOM: arithmetic on integers of any size and doubles, mixed.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer as _;

use super::row::{Failed, Said, description};
use crate::base::Value;
use crate::machine::Vm;
use crate::primitives::integer::{MAX_BITS, nearest_float};
use crate::run::{Args, Computed, Division, Integer};

/// The receiver as a double. Only a contrived program has a receiver here that is no number.
pub(super) fn receiver(vm: &Vm, args: Args) -> Result<f64, Failed> {
    number(vm, args.receiver(vm))
}

/// The first argument as a double.
fn argument(vm: &Vm, args: Args) -> Result<f64, Failed> {
    number(vm, args.at(vm, 0))
}

fn number(vm: &Vm, value: Value) -> Result<f64, Failed> {
    double_of(vm, value)
        .ok_or_else(|| format!("expected a number, not {}", description(vm, value)).into())
}

/// The double nearest to a number.
fn double_of(vm: &Vm, value: Value) -> Option<f64> {
    vm.float_of(value).or_else(|| nearest_float(vm, value))
}

/// An integer receiver.
pub(super) fn receiver_integer(vm: &Vm, args: Args) -> Result<BigInt, Failed> {
    receiver(vm, args)?;
    vm.integer_of(args.receiver(vm))
        .ok_or_else(|| "expected an Integer".into())
}

/// An integer argument.
pub(super) fn integer_argument(vm: &Vm, args: Args) -> Result<BigInt, Failed> {
    let value = args.at(vm, 0);
    vm.integer_of(value)
        .ok_or_else(|| format!("expected an Integer, not {}", description(vm, value)).into())
}

/// Computes with receiver and argument, if both are integers.
pub(super) fn computed<R>(
    vm: &mut Vm,
    args: Args,
    compute: impl FnOnce(Integer<'_>, Integer<'_>, &mut Computed) -> R,
) -> Option<R> {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    vm.with_integers(a, b, compute)
}

/// The integer that was computed, if it is not beyond all bounds.
pub(super) fn make_computed(vm: &mut Vm) -> Said {
    if vm.run.computed.bits() > MAX_BITS {
        return Err("the integer is too large".into());
    }
    Ok(vm.make_computed())
}

/// The integer, if it is not beyond all bounds.
pub(super) fn make_integer(vm: &mut Vm, integer: &BigInt) -> Said {
    vm.run.computed.copy(integer);
    make_computed(vm)
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

/// An operation on two integers that leaves its result.
pub(super) type Large = fn(&mut Computed, Integer<'_>, Integer<'_>);

/// An operation on two numbers: on doubles if one of them is.
pub(super) fn arithmetic(
    vm: &mut Vm,
    args: Args,
    small: fn(i128, i128) -> i128,
    large: Large,
    double: fn(f64, f64) -> f64,
) -> Said {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Ok(vm.make_integer_i128(small(i128::from(a), i128::from(b))));
    }
    let fits = vm.with_integers(a, b, |a, b, computed| {
        let fits = a.bits().saturating_add(b.bits()) <= MAX_BITS;
        if fits {
            large(computed, a, b);
        }
        fits
    });
    match fits {
        Some(true) => make_computed(vm),
        Some(false) => Err("the integer is too large".into()),
        None => {
            let result = double(receiver(vm, args)?, argument(vm, args)?);
            Ok(vm.make_float(result))
        }
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
    match divided(vm, args, Division::Quotient) {
        Some(answer) => answer,
        None => {
            let (a, b) = (receiver(vm, args)?, argument(vm, args)?);
            make_integral(vm, libm::trunc(a / b))
        }
    }
}

/// The requested result of a division of integers; `None` if an operand is a double.
fn divided(vm: &mut Vm, args: Args, wanted: Division) -> Option<Said> {
    let is_possible = computed(vm, args, |a, b, computed| {
        let is_possible = !b.is_zero();
        if is_possible {
            computed.divide(a, b, wanted);
        }
        is_possible
    })?;
    Some(match is_possible {
        true => make_computed(vm),
        false => Err("division by zero".into()),
    })
}

/// `a % b`: with the sign of the divisor between integers, with that of the dividend between doubles.
pub(super) fn modulo(vm: &mut Vm, args: Args) -> Said {
    if let Some((a, b)) = small_operands(vm, args) {
        return Ok(Value::int(a.mod_floor(&b)));
    }
    match divided(vm, args, Division::FloorRemainder) {
        Some(answer) => answer,
        None => {
            let (a, b) = (receiver(vm, args)?, argument(vm, args)?);
            Ok(vm.make_float(libm::fmod(a, b)))
        }
    }
}

/// `a rem: b`: with the sign of the dividend.
pub(super) fn remainder(vm: &mut Vm, args: Args) -> Said {
    if let Some((a, b)) = small_operands(vm, args) {
        return Ok(Value::int(a % b));
    }
    match divided(vm, args, Division::Remainder) {
        Some(answer) => answer,
        None => {
            receiver(vm, args)?;
            integer_argument(vm, args)?;
            Err("expected an Integer".into())
        }
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
    Ok(vm.make_float(a / b))
}

/// The order of receiver and argument; `None` if one is NaN.
fn order(vm: &mut Vm, args: Args) -> Result<Option<Ordering>, Failed> {
    match computed(vm, args, |a, b, _| a.compare(b)) {
        Some(order) => Ok(Some(order)),
        None => Ok(receiver(vm, args)?.partial_cmp(&argument(vm, args)?)),
    }
}

/// A comparison of two numbers.
pub(super) fn compare(vm: &mut Vm, args: Args, test: fn(Ordering) -> bool) -> Said {
    let order = order(vm, args)?;
    Ok(Value::bool(order.is_some_and(test)))
}

/// Equality with anything.
pub(super) fn equal(vm: &mut Vm, args: Args) -> Said {
    Ok(Value::bool(is_equal(vm, args)?))
}

pub(super) fn not_equal(vm: &mut Vm, args: Args) -> Said {
    Ok(Value::bool(!is_equal(vm, args)?))
}

fn is_equal(vm: &mut Vm, args: Args) -> Result<bool, Failed> {
    receiver(vm, args)?;
    match double_of(vm, args.at(vm, 0)) {
        Some(_) => Ok(order(vm, args)?.is_some_and(Ordering::is_eq)),
        None => Ok(false),
    }
}

/// The lesser or the greater of receiver and argument.
pub(super) fn chosen(vm: &mut Vm, args: Args, receiver_if_less: bool) -> Said {
    let is_less = order(vm, args)?.is_some_and(Ordering::is_lt);
    Ok(if is_less == receiver_if_less {
        args.receiver(vm)
    } else {
        args.at(vm, 0)
    })
}

pub(super) fn magnitude(vm: &mut Vm, args: Args) -> Said {
    let value = args.receiver(vm);
    if let Some(double) = vm.float_of(value) {
        return Ok(vm.make_float(libm::fabs(double)));
    }
    receiver(vm, args)?;
    vm.with_integer(value, |integer, computed| computed.copy_magnitude(integer));
    make_computed(vm)
}

/// The lowest 32 bits of the integer, as a number from 0 on.
pub(super) fn low_32_bits(vm: &mut Vm, args: Args) -> Result<u32, Failed> {
    receiver(vm, args)?;
    let value = args.receiver(vm);
    vm.with_integer(value, |integer, _| integer.low_32_bits())
        .ok_or_else(|| "expected an Integer".into())
}
