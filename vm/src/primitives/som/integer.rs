//! Primitives of SOM's Integer, of any size.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::number::{
    arithmetic, chosen, compare, computed, equal, integer_argument, low_32_bits, magnitude,
    make_computed, make_integer, modulo, not_equal, quotient, real_quotient, receiver,
    receiver_integer, remainder,
};
use super::row::{Failed, Said, som_rows, text_argument};
use crate::base::Value;
use crate::machine::Vm;
use crate::primitives::integer::MAX_BITS;
use crate::run::{Args, Computed};

som_rows! {
    "som:Integer>>+"(1) => |vm, args| arithmetic(vm, args, |a, b| a + b, Computed::add, |a, b| a + b),
        "A number: the sum.", SUM;
    "som:Integer>>-"(1) => |vm, args| arithmetic(vm, args, |a, b| a - b, Computed::subtract, |a, b| a - b),
        "A number: the difference.", SUM;
    "som:Integer>>*"(1) => |vm, args| arithmetic(vm, args, |a, b| a * b, Computed::multiply, |a, b| a * b),
        "A number: the product.", PRODUCT;
    "som:Integer>>/"(1) => quotient, "A number other than 0: the quotient without its fraction.", QUOTIENT;
    "som:Integer>>//"(1) => real_quotient, "A number: the quotient, a Double.", FLOATS;
    "som:Integer>>%"(1) => modulo,
        "A number other than 0: the remainder, with the divisor's sign between Integers.", QUOTIENT;
    "som:Integer>>rem:"(1) => remainder,
        "An Integer other than 0: the remainder with the dividend's sign.", QUOTIENT;
    "som:Integer>>&"(1) => |vm, args| bitwise(vm, args, |a, b| a & b, |a, b| a & b),
        "An Integer: the common bits, as two's complement.", SUM;
    "som:Integer>>bitXor:"(1) => |vm, args| bitwise(vm, args, |a, b| a ^ b, |a, b| a ^ b),
        "An Integer: the bits that differ, as two's complement.", SUM;
    "som:Integer>><<"(1) => shift_left, "An Integer from 0 on: shifted left.", SUM;
    "som:Integer>>>>>"(1) => shift_right,
        "An Integer from 0 to 63: shifted right without regard to the sign of 64 bits.";
    "som:Integer>>sqrt"(0) => sqrt, "An Integer if the root is one, else a Double.", ROOT;
    "som:Integer>>abs"(0) => magnitude, "The magnitude.", LIMBS;
    "som:Integer>>min:"(1) => |vm, args| chosen(vm, args, true), "A number: the lesser.", LIMBS;
    "som:Integer>>max:"(1) => |vm, args| chosen(vm, args, false), "A number: the greater.", LIMBS;
    "som:Integer>>atRandom"(0) => at_random, "An Integer from 0 to below the receiver.";
    "som:Integer>>="(1) => equal, "Anything: whether it is the same number.", COMPARISON;
    "som:Integer>>=="(1) => |vm, args| same(vm, args, true),
        "Anything: whether it is the same Integer.", ALWAYS_SIMPLE;
    "som:Integer>>~="(1) => |vm, args| same(vm, args, false),
        "Anything: whether it is not the same Integer.", ALWAYS_SIMPLE;
    "som:Integer>><>"(1) => not_equal, "Anything: whether it is not the same number.", COMPARISON;
    "som:Integer>><"(1) => |vm, args| compare(vm, args, Ordering::is_lt), "A number.", COMPARISON;
    "som:Integer>><="(1) => |vm, args| compare(vm, args, Ordering::is_le), "A number.", COMPARISON;
    "som:Integer>>>"(1) => |vm, args| compare(vm, args, Ordering::is_gt), "A number.", COMPARISON;
    "som:Integer>>>="(1) => |vm, args| compare(vm, args, Ordering::is_ge), "A number.", COMPARISON;
    "som:Integer>>asString"(0) => as_string, "The decimal digits.", DIGITS;
    "som:Integer>>asDouble"(0) => as_double, "The nearest Double.", LIMBS;
    "som:Integer>>as32BitSignedValue"(0) =>
        |vm, args| Ok::<Value, Failed>(Value::int(i64::from(low_32_bits(vm, args)? as i32))),
        "The lowest 32 bits as two's complement.";
    "som:Integer>>as32BitUnsignedValue"(0) =>
        |vm, args| Ok::<Value, Failed>(Value::int(i64::from(low_32_bits(vm, args)?))),
        "The lowest 32 bits.";
    "som:Integer class>>fromString:"(1) => from_string, "Decimal digits with an optional sign.";
}

fn bitwise(
    vm: &mut Vm,
    args: Args,
    small: fn(i64, i64) -> i64,
    large: fn(u64, u64) -> u64,
) -> Said {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    if let (Some(a), Some(b)) = (a.as_int(), b.as_int()) {
        return Ok(vm.make_integer_i128(i128::from(small(a, b))));
    }
    if computed(vm, args, |a, b, computed| computed.bitwise(a, b, large)).is_none() {
        receiver_integer(vm, args)?;
        integer_argument(vm, args)?;
    }
    make_computed(vm)
}

fn shift_left(vm: &mut Vm, args: Args) -> Said {
    let integer = receiver_integer(vm, args)?;
    let distance = integer_argument(vm, args)?.to_u64();
    match distance {
        _ if integer.is_zero() => Ok(Value::int(0)),
        Some(distance) if integer.bits().saturating_add(distance) <= MAX_BITS => {
            make_integer(vm, &(integer << distance))
        }
        _ => Err("shift too big".into()),
    }
}

fn shift_right(vm: &mut Vm, args: Args) -> Said {
    let integer = receiver_integer(vm, args)?;
    let distance = integer_argument(vm, args)?.to_u64();
    let Some(distance) = distance.filter(|&distance| distance <= MAX_BITS) else {
        return Err("shift too big".into());
    };
    if integer.is_negative() && distance > 0 {
        // The sign is a bit like the others, the one with number 63.
        let Some(bits) = integer.to_i64() else {
            return Err("a large negative Integer has no highest bit to shift".into());
        };
        let shifted = u32::try_from(distance)
            .ok()
            .and_then(|d| (bits as u64).checked_shr(d));
        return make_integer(vm, &BigInt::from(shifted.unwrap_or(0)));
    }
    make_integer(vm, &(integer >> distance))
}

fn sqrt(vm: &mut Vm, args: Args) -> Said {
    let root = libm::sqrt(receiver(vm, args)?);
    if root.is_finite() && libm::trunc(root) == root {
        return super::number::make_integral(vm, root);
    }
    Ok(vm.make_float(root))
}

fn at_random(vm: &mut Vm, args: Args) -> Said {
    let seed = BigInt::from(vm.next_seed() - 1);
    let integer = receiver_integer(vm, args)?;
    if integer.is_zero() {
        return Ok(Value::int(0));
    }
    make_integer(vm, &(seed % integer))
}

fn same(vm: &mut Vm, args: Args, wanted: bool) -> Said {
    let (receiver, other) = (args.receiver(vm), args.at(vm, 0));
    let is_same = receiver == other || super::object::same_number(vm, receiver, other);
    Ok(Value::bool(is_same == wanted))
}

fn as_string(vm: &mut Vm, args: Args) -> Said {
    let value = args.receiver(vm);
    let digits = vm.with_integer(value, |integer, _| integer.digits(10));
    let Some(digits) = digits else {
        receiver(vm, args)?;
        return Err("expected an Integer".into());
    };
    Ok(super::string::make_narrow(vm, &digits))
}

fn as_double(vm: &mut Vm, args: Args) -> Said {
    let double = receiver(vm, args)?;
    Ok(vm.make_float(double))
}

fn from_string(vm: &mut Vm, args: Args) -> Said {
    let text = text_argument(vm, args, 0)?;
    match text.trim().parse::<BigInt>() {
        Ok(integer) => make_integer(vm, &integer),
        Err(_) => Err(format!("'{text}' cannot be converted to an Integer").into()),
    }
}
