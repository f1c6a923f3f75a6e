//! Prints Floats. The standard library finds the shortest digits that read back. Point and exponent are placed as in
//! Pharo, and in programs of SOM as in SOM.

use std::ops::Range;

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::{Answer, Primitive, rows};
use crate::base::Value;
use crate::machine::Vm;
use crate::run::Args;

/// Powers of ten that are printed without an exponent.
const PLAIN: Range<i32> = -4..6;

/// The same in SOM.
const SOM_PLAIN: Range<i32> = -4..16;

rows! {
    "floatPrintString"(0) open allocates => print_string, "Any Float: the shortest digits that read back.", FLOAT_DIGITS;
    "floatPrintDecimals"(1) open allocates => print_decimals,
        "A finite Float and a SmallInteger from 0 to 100: with that many decimals, \
         halves away from 0.", FLOAT_DIGITS;
}

fn print_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let printed = printed(vm.float_of(args.receiver(vm))?);
    Some(vm.make_byte_string(printed.as_bytes()))
}

fn print_decimals(vm: &mut Vm, args: Args) -> Option<Value> {
    let float = vm
        .float_of(args.receiver(vm))
        .filter(|float| float.is_finite())?;
    let decimals = usize::try_from(args.at(vm, 0).as_int()?)
        .ok()
        .filter(|&n| n <= 100)?;
    Some(vm.make_byte_string(with_decimals(float, decimals)?.as_bytes()))
}

/// The digits of a finite float, rounded to `decimals` decimals from its exact value.
fn with_decimals(float: f64, decimals: usize) -> Option<String> {
    // All digits of the exact value, so that dropped digits can be seen.
    let exact = format!("{:.*}", 1080, libm::fabs(float));
    let (whole, fraction) = exact.split_once('.')?;
    let (kept, rest) = fraction.split_at_checked(decimals)?;
    let mut number: BigInt = format!("{whole}{kept}").parse().ok()?;
    if rest.as_bytes().first()? >= &b'5' {
        number += 1;
    }
    let sign = match float < 0.0 && number.to_u8() != Some(0) {
        true => "-",
        false => "",
    };
    let digits = format!("{number:0>width$}", width = decimals + 1);
    let (whole, kept) = digits.split_at_checked(digits.len() - decimals)?;
    let point = if decimals == 0 { "" } else { "." };
    Some(format!("{sign}{whole}{point}{kept}"))
}

/// The printed form of a float.
pub(super) fn printed(float: f64) -> String {
    if float.is_nan() {
        return "Float nan".to_string();
    }
    if float.is_infinite() {
        return if float > 0.0 {
            "Float infinity"
        } else {
            "Float infinity negated"
        }
        .to_string();
    }
    shortest(float, PLAIN)
}

/// The shortest digits that read back as the float, which is finite, as SOM prints them.
pub(super) fn digits(float: f64) -> String {
    shortest(float, SOM_PLAIN)
}

/// The shortest digits that read back as the float, with an exponent unless it is among the plain ones.
fn shortest(float: f64, plain: Range<i32>) -> String {
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if plain.contains(&exponent) {
        with_point(format!("{float}"))
    } else {
        format!("{}e{exponent}", with_point(mantissa.to_string()))
    }
}

fn with_point(digits: String) -> String {
    if digits.contains('.') {
        digits
    } else {
        digits + ".0"
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn floats_print_as_in_pharo() {
        for (float, expected) in [
            (1.5, "1.5"),
            (100.0, "100.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (123_456.0, "123456.0"),
            (123_456_789.0, "1.23456789e8"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1.0e-5"),
            (100_000.0, "100000.0"),
            (1_000_000.0, "1.0e6"),
            (1e16, "1.0e16"),
            (1.25e16, "1.25e16"),
            (1e100, "1.0e100"),
            (-1e-10, "-1.0e-10"),
            (5e-324, "5.0e-324"),
            (f64::MAX, "1.7976931348623157e308"),
            (f64::NAN, "Float nan"),
            (f64::INFINITY, "Float infinity"),
            (f64::NEG_INFINITY, "Float infinity negated"),
        ] {
            assert_eq!(printed(float), expected);
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(bits in any::<u64>()) {
            let float = f64::from_bits(bits);
            if float.is_finite() {
                let read: f64 = printed(float).parse().expect("a number");
                prop_assert_eq!(read.to_bits(), bits);
            }
        }
    }

    #[test]
    fn decimals_are_rounded_from_the_exact_value() {
        let mut vm = machine();
        for (float, decimals, expected) in [
            (2.5, 0, "3"),
            (3.5, 0, "4"),
            (0.5, 0, "1"),
            (0.125, 2, "0.13"),
            (0.375, 2, "0.38"),
            (9.996, 2, "10.00"),
            (0.0, 1, "0.0"),
            (-0.001, 2, "0.00"),
            (-0.005, 2, "-0.01"),
            (5e-324, 3, "0.000"),
            (1.005, 2, "1.00"),
            (-1.0, 3, "-1.000"),
            (1e22, 1, "10000000000000000000000.0"),
        ] {
            let value = vm.make_float(float);
            let made = run(
                &mut vm,
                "floatPrintDecimals",
                &[value, Value::int(decimals)],
            );
            assert_eq!(made.and_then(|s| vm.text_of(s)).as_deref(), Some(expected));
        }
    }
}
