//! How Floats print. Digits come from the standard library, which finds the shortest ones that read
//! back; where the point and the exponent go is Pharo's way.

use super::{Answer, Args, Primitive, rows};
use crate::value::Value;
use crate::vm::Vm;

/// Powers of ten from which, and below which, an exponent is printed.
const LARGE_EXPONENT: i32 = 16;
const SMALL_EXPONENT: i32 = -4;

rows! {
    "floatPrintString"(0) => print_string, "Any Float: the shortest digits that read back.";
    "floatPrintDecimals"(1) => print_decimals,
        "A finite Float and a SmallInteger from 0 to 100: with that many decimals, ties to even.";
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
    let printed = format!("{float:.decimals$}");
    Some(vm.make_byte_string(printed.as_bytes()))
}

/// The text that stands for a float.
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
    digits(float)
}

/// The shortest digits that read back as the float, which is finite.
pub(super) fn digits(float: f64) -> String {
    let scientific = format!("{float:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (SMALL_EXPONENT..LARGE_EXPONENT).contains(&exponent) {
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
            (123_456_789.0, "123456789.0"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1.0e-5"),
            (1e15, "1000000000000000.0"),
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
            (2.5, 0, "2"),
            (3.5, 0, "4"),
            (0.5, 0, "0"),
            (0.125, 2, "0.12"),
            (0.375, 2, "0.38"),
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
