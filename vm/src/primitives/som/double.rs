//! Primitives of SOM's Double.

use std::cmp::Ordering;

use super::number::{
    arithmetic, chosen, compare, equal, magnitude, make_integral, modulo, not_equal, real_quotient,
    receiver,
};
use super::row::{Failed, Said, som_rows, text_argument};
use crate::base::Value;
use crate::machine::Vm;
use crate::primitives::float_print::digits;
use crate::run::{Args, Computed};

som_rows! {
    "som:Double>>+"(1) => |vm, args| arithmetic(vm, args, |a, b| a + b, Computed::add, |a, b| a + b),
        "A number: the sum.", FLOATS;
    "som:Double>>-"(1) => |vm, args| arithmetic(vm, args, |a, b| a - b, Computed::subtract, |a, b| a - b),
        "A number: the difference.", FLOATS;
    "som:Double>>*"(1) => |vm, args| arithmetic(vm, args, |a, b| a * b, Computed::multiply, |a, b| a * b),
        "A number: the product.", FLOATS;
    "som:Double>>/"(1) => real_quotient, "A number: the quotient.", FLOATS;
    "som:Double>>//"(1) => real_quotient, "A number: the quotient.", FLOATS;
    "som:Double>>%"(1) => modulo, "A number: the remainder with the dividend's sign.", FLOATS;
    "som:Double>>abs"(0) => magnitude, "The magnitude.", FUNCTION;
    "som:Double>>min:"(1) => |vm, args| chosen(vm, args, true), "A number: the lesser.", FUNCTION;
    "som:Double>>max:"(1) => |vm, args| chosen(vm, args, false), "A number: the greater.", FUNCTION;
    "som:Double>>sqrt"(0) => |vm, args| unary(vm, args, libm::sqrt), "The square root.", FUNCTION;
    "som:Double>>cos"(0) => |vm, args| unary(vm, args, libm::cos), "The cosine.", FUNCTION;
    "som:Double>>sin"(0) => |vm, args| unary(vm, args, libm::sin), "The sine.", FUNCTION;
    "som:Double>>round"(0) => |vm, args| whole(vm, args, libm::round),
        "A finite Double: the nearest Integer, halves away from 0.", FUNCTION;
    "som:Double>>asInteger"(0) => |vm, args| whole(vm, args, libm::trunc),
        "A finite Double: the Integer towards 0.", FUNCTION;
    "som:Double>>="(1) => equal, "Anything: whether it is the same number.", FLOATS;
    "som:Double>><>"(1) => not_equal, "Anything: whether it is not the same number.", FLOATS;
    "som:Double>><"(1) => |vm, args| compare(vm, args, Ordering::is_lt), "A number.", FLOATS;
    "som:Double>><="(1) => |vm, args| compare(vm, args, Ordering::is_le), "A number.", FLOATS;
    "som:Double>>>"(1) => |vm, args| compare(vm, args, Ordering::is_gt), "A number.", FLOATS;
    "som:Double>>>="(1) => |vm, args| compare(vm, args, Ordering::is_ge), "A number.", FLOATS;
    "som:Double>>asString"(0) => as_string, "The shortest digits that read back.", FLOAT_DIGITS;
    "som:Double class>>PositiveInfinity"(0) => infinity, "The infinity above all Doubles.";
    "som:Double class>>fromString:"(1) => from_string, "A number in decimal digits; anything else is NaN.";
}

fn unary(vm: &mut Vm, args: Args, function: fn(f64) -> f64) -> Said {
    let double = match vm.float_of(args.receiver(vm)) {
        Some(double) => double,
        None => receiver(vm, args)?,
    };
    Ok(vm.make_float(function(double)))
}

fn whole(vm: &mut Vm, args: Args, rounding: fn(f64) -> f64) -> Said {
    let double = receiver(vm, args)?;
    make_integral(vm, rounding(double))
}

fn as_string(vm: &mut Vm, args: Args) -> Said {
    let double = receiver(vm, args)?;
    let text = if double.is_nan() {
        "NaN".to_string()
    } else if double.is_infinite() {
        if double > 0.0 { "inf" } else { "-inf" }.to_string()
    } else {
        digits(double)
    };
    Ok(super::string::make_narrow(vm, text.as_bytes()))
}

fn infinity(vm: &mut Vm, _args: Args) -> Said {
    Ok::<Value, Failed>(vm.make_float(f64::INFINITY))
}

fn from_string(vm: &mut Vm, args: Args) -> Said {
    let text = text_argument(vm, args, 0)?;
    Ok(vm.make_float(text.trim().parse().unwrap_or(f64::NAN)))
}
