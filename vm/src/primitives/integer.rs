//! Primitives of integers of any size. The loop short-cuts results among the SmallIntegers. So most operands that
//! arrive here overflow or are large. Small operands still take the short way through `i128`. The library does mixed
//! arithmetic.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive, Zero};

use super::charges::MODULO_BITS;
use super::text::hash_value;
use super::{Answer, Primitive, rows};
use crate::base::{Known, Mixer, Value, mix, mix_two};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::{Args, Computed, Division, Integer};

/// Bits that an integer may have. One message can request more memory than there is. This bound stops it at sizes where
/// arithmetic would take minutes.
pub(super) const MAX_BITS: u64 = 1 << 26;

rows! {
    "integerAdd"(1) open allocates => add, "Any two integers: their sum.", SUM;
    "integerSubtract"(1) open allocates => subtract, "Any two integers: their difference.", SUM;
    "integerMultiply"(1) open allocates => multiply, "Any two integers: their product.", PRODUCT;
    "integerDivide"(1) open allocates => divide,
        "Two integers of which the argument divides the receiver: the quotient.", QUOTIENT;
    "integerFloorDivide"(1) open allocates => floor_divide,
        "An integer and one other than 0: the quotient's floor.", QUOTIENT;
    "integerModulo"(1) open allocates => modulo,
        "An integer and one other than 0: the remainder of the floored quotient.", QUOTIENT;
    "integerQuotient"(1) open allocates => quotient, "An integer and one other than 0: the truncated quotient.", QUOTIENT;
    "integerRemainder"(1) open allocates => remainder,
        "An integer and one other than 0: the remainder of the truncated quotient.", QUOTIENT;
    "integerLess"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_lt), "Any two integers.", COMPARISON;
    "integerLessEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_le), "Any two integers.", COMPARISON;
    "integerGreater"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_gt), "Any two integers.", COMPARISON;
    "integerGreaterEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_ge), "Any two integers.", COMPARISON;
    "integerEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_eq), "Any two integers.", COMPARISON;
    "integerNotEqual"(1) open leaf => |vm, args| compare(vm, args, Ordering::is_ne), "Any two integers.", COMPARISON;
    "integerBitAnd"(1) open allocates => |vm, args| bitwise(vm, args, |a, b| a & b, |a, b| a & b),
        "Any two integers, as two's complement.", SUM;
    "integerBitOr"(1) open allocates => |vm, args| bitwise(vm, args, |a, b| a | b, |a, b| a | b),
        "Any two integers, as two's complement.", SUM;
    "integerBitXor"(1) open allocates => |vm, args| bitwise(vm, args, |a, b| a ^ b, |a, b| a ^ b),
        "Any two integers, as two's complement.", SUM;
    "integerBitShift"(1) open allocates => bit_shift,
        "An integer and a SmallInteger, when the answer is not too large: shifted left, or right with the \
         floor taken.", SUM;
    "integerHighBit"(0) open leaf => high_bit,
        "An integer from 0 on: the highest set bit's index, from 1 on; 0 for 0.", LIMBS;
    "integerGcd"(1) open allocates => gcd, "Any two integers: their greatest common divisor, never negative.", GCD;
    "integerSqrtFloor"(0) open allocates => sqrt_floor, "An integer from 0 on: the floor of its square root.", ROOT;
    "integerRaisedToModulo"(2) open allocates => raised_to_modulo,
        "An integer, an exponent from 0 on and a modulus other than 0, the latter two of at most \
         65536 bits: the remainder of the power, with the sign of the modulus.", MODULAR_POWER;
    "integerAsBytes"(0) open allocates => as_bytes,
        "Any integer: a ByteArray of its magnitude, the most significant byte first.", COPY_OF_PART;
    "integerAsFloat"(0) open allocates => as_float, "Any integer: the nearest Float, ties to even.", LIMBS;
    "integerPrintString"(0) open allocates => print_string, "Any integer: its decimal digits.", DIGITS;
    "integerPrintStringBase"(1) open allocates => print_string_base,
        "Any integer and a base from 2 to 36: its digits in that base.", DIGITS;
    "integerHash"(0) open leaf => hash, "Any integer: from its value.", LIMBS;
    "integerMixHash"(1) open leaf => mix_hash, "Two SmallIntegers: a hash of both, in this order.", ALWAYS_SIMPLE;
    "integerAsCharacter"(0) open leaf => as_character, "The code point of a character: the Character.";
}

fn small_operands(vm: &Vm, args: Args) -> Option<(i64, i64)> {
    Some((args.receiver(vm).as_int()?, args.at(vm, 0).as_int()?))
}

/// Computes with receiver and argument, if both are integers.
fn computed<R>(
    vm: &mut Vm,
    args: Args,
    compute: impl FnOnce(Integer<'_>, Integer<'_>, &mut Computed) -> R,
) -> Option<R> {
    let (a, b) = (args.receiver(vm), args.at(vm, 0));
    vm.with_integers(a, b, compute)
}

/// Computes with the receiver, if it is an integer.
fn computed_alone<R>(
    vm: &mut Vm,
    args: Args,
    compute: impl FnOnce(Integer<'_>, &mut Computed) -> R,
) -> Option<R> {
    let integer = args.receiver(vm);
    vm.with_integer(integer, compute)
}

/// The integer that was computed.
fn make(vm: &mut Vm) -> Option<Value> {
    let bits = vm.run.computed.bits();
    has_room(vm, bits).then(|| vm.make_computed())
}

/// Whether there is room for an integer of that many bits, and for what computing it takes beside it.
fn has_room(vm: &mut Vm, bits: u64) -> bool {
    bits <= MAX_BITS && vm.has_room_for(Contents::Bytes(bits as usize))
}

fn add(vm: &mut Vm, args: Args) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        return Some(vm.make_integer_i128(i128::from(a) + i128::from(b)));
    }
    computed(vm, args, |a, b, computed| computed.add(a, b))?;
    make(vm)
}

fn subtract(vm: &mut Vm, args: Args) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        return Some(vm.make_integer_i128(i128::from(a) - i128::from(b)));
    }
    computed(vm, args, |a, b, computed| computed.subtract(a, b))?;
    make(vm)
}

fn multiply(vm: &mut Vm, args: Args) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        return Some(vm.make_integer_i128(i128::from(a) * i128::from(b)));
    }
    let bits = computed(vm, args, |a, b, _| a.bits() + b.bits())?;
    if !has_room(vm, bits) {
        return None;
    }
    computed(vm, args, |a, b, computed| computed.multiply(a, b))?;
    make(vm)
}

/// Divides by a divisor that is not 0, and answers whether that leaves a remainder.
fn divide_large(vm: &mut Vm, args: Args, wanted: Division) -> Option<bool> {
    computed(vm, args, |a, b, computed| {
        (!b.is_zero()).then(|| computed.divide(a, b, wanted))
    })?
}

/// Applies one of the four divisions, with a divisor that is not 0.
fn divided(
    vm: &mut Vm,
    args: Args,
    small: fn(i128, i128) -> i128,
    large: Division,
) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        let answer = (b != 0).then(|| small(i128::from(a), i128::from(b)))?;
        return Some(vm.make_integer_i128(answer));
    }
    divide_large(vm, args, large)?;
    make(vm)
}

fn divide(vm: &mut Vm, args: Args) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        let quotient = (b != 0 && a % b == 0).then(|| i128::from(a) / i128::from(b))?;
        return Some(vm.make_integer_i128(quotient));
    }
    let leaves_remainder = divide_large(vm, args, Division::Quotient)?;
    (!leaves_remainder).then(|| vm.make_computed())
}

fn floor_divide(vm: &mut Vm, args: Args) -> Option<Value> {
    let small = |a, b| num_integer::Integer::div_floor(&a, &b);
    divided(vm, args, small, Division::FloorQuotient)
}

fn modulo(vm: &mut Vm, args: Args) -> Option<Value> {
    let small = |a, b| num_integer::Integer::mod_floor(&a, &b);
    divided(vm, args, small, Division::FloorRemainder)
}

fn quotient(vm: &mut Vm, args: Args) -> Option<Value> {
    divided(vm, args, |a, b| a / b, Division::Quotient)
}

fn remainder(vm: &mut Vm, args: Args) -> Option<Value> {
    divided(vm, args, |a, b| a % b, Division::Remainder)
}

fn compare(vm: &mut Vm, args: Args, test: fn(Ordering) -> bool) -> Option<Value> {
    let order = match small_operands(vm, args) {
        Some((a, b)) => a.cmp(&b),
        None => computed(vm, args, |a, b, _| a.compare(b))?,
    };
    Some(Value::bool(test(order)))
}

fn bitwise(
    vm: &mut Vm,
    args: Args,
    small: fn(i64, i64) -> i64,
    large: fn(u64, u64) -> u64,
) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        return Value::try_int(small(a, b));
    }
    computed(vm, args, |a, b, computed| computed.bitwise(a, b, large))?;
    make(vm)
}

fn bit_shift(vm: &mut Vm, args: Args) -> Option<Value> {
    let distance = args.at(vm, 0).as_int()?;
    let bits = computed_alone(vm, args, |integer, _| integer.bits())?;
    let magnitude = distance.unsigned_abs();
    if distance <= 0 {
        computed_alone(vm, args, |integer, computed| {
            computed.shift_right(integer, magnitude);
        })?;
        return make(vm);
    }
    if bits == 0 {
        return Some(Value::int(0));
    }
    if !has_room(vm, bits + magnitude) {
        return None;
    }
    computed_alone(vm, args, |integer, computed| {
        computed.shift_left(integer, magnitude);
    })?;
    Some(vm.make_computed())
}

fn high_bit(vm: &mut Vm, args: Args) -> Option<Value> {
    let bits = computed_alone(vm, args, |integer, _| {
        (!integer.negative).then(|| integer.bits())
    })??;
    i64::try_from(bits).ok().and_then(Value::try_int)
}

fn gcd(vm: &mut Vm, args: Args) -> Option<Value> {
    if let Some((a, b)) = small_operands(vm, args) {
        let divisor = num_integer::gcd(a, b);
        return Some(vm.make_integer_i128(i128::from(divisor)));
    }
    computed(vm, args, |a, b, computed| computed.gcd(a, b))?;
    make(vm)
}

fn receiver(vm: &Vm, args: Args) -> Option<BigInt> {
    vm.integer_of(args.receiver(vm))
}

fn sqrt_floor(vm: &mut Vm, args: Args) -> Option<Value> {
    let integer = receiver(vm, args)?;
    (!integer.is_negative()).then(|| vm.make_integer(&integer.sqrt()))
}

fn raised_to_modulo(vm: &mut Vm, args: Args) -> Option<Value> {
    let base = receiver(vm, args)?;
    let exponent = vm.integer_of(args.at(vm, 0))?;
    let modulus = vm.integer_of(args.at(vm, 1))?;
    let is_small = exponent.bits() <= MODULO_BITS && modulus.bits() <= MODULO_BITS;
    if exponent.is_negative() || modulus.is_zero() || !is_small {
        return None;
    }
    Some(vm.make_integer(&base.modpow(&exponent, &modulus)))
}

fn as_bytes(vm: &mut Vm, args: Args) -> Option<Value> {
    let (_, bytes) = receiver(vm, args)?.to_bytes_be();
    let has_room = vm.has_room_for(Contents::Bytes(bytes.len()));
    has_room.then(|| vm.make_bytes(Known::ByteArray.into(), &bytes))
}

fn as_float(vm: &mut Vm, args: Args) -> Option<Value> {
    let float = nearest_float(vm, args.receiver(vm))?;
    Some(vm.make_float(float))
}

/// The float nearest to an integer.
pub(super) fn nearest_float(vm: &Vm, value: Value) -> Option<f64> {
    match value.as_int() {
        Some(small) => Some(small as f64),
        None => Integer::of(&vm.heap, value, &mut 0).map(Integer::nearest_float),
    }
}

fn print_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let digits = match args.receiver(vm).as_int() {
        Some(small) => small.to_string().into_bytes(),
        None => digits(vm, args, 10)?,
    };
    Some(vm.make_byte_string(&digits))
}

fn print_string_base(vm: &mut Vm, args: Args) -> Option<Value> {
    let base = u32::try_from(args.at(vm, 0).as_int()?)
        .ok()
        .filter(|b| (2..=36).contains(b))?;
    let digits = digits(vm, args, base)?;
    Some(vm.make_byte_string(&digits))
}

/// The receiver's digits, with its sign.
fn digits(vm: &mut Vm, args: Args, base: u32) -> Option<Vec<u8>> {
    computed_alone(vm, args, |integer, _| integer.digits(base))
}

fn hash(vm: &mut Vm, args: Args) -> Option<Value> {
    Some(hash_value(match args.receiver(vm).as_int() {
        Some(small) => mix(small as u64),
        None => hash_of_integer(&receiver(vm, args)?),
    }))
}

/// The hash of an integer: of its word if it is small, else of the words of its magnitude and of its sign.
pub(super) fn hash_of_integer(integer: &BigInt) -> u32 {
    if let Some(small) = integer
        .to_i64()
        .filter(|&small| Value::try_int(small).is_some())
    {
        return mix(small as u64);
    }
    let mut mixer = Mixer::default();
    integer.iter_u64_digits().for_each(|word| mixer.word(word));
    mixer.finish(usize::from(integer.is_negative()))
}

/// The hash of an integer that is not small.
pub(super) fn hash_of_large(vm: &Vm, value: Value) -> Option<u32> {
    let integer = vm.integer_of(value)?;
    Some(hash_of_integer(&integer))
}

fn mix_hash(vm: &mut Vm, args: Args) -> Option<Value> {
    let (first, second) = (args.receiver(vm).as_int()?, args.at(vm, 0).as_int()?);
    Some(hash_value(mix_two(first as u64, second as u64)))
}

fn as_character(vm: &mut Vm, args: Args) -> Option<Value> {
    character(args.receiver(vm))
}

/// The character with this code point, which may be half of a surrogate pair.
pub(super) fn character(value: Value) -> Option<Value> {
    let code = u32::try_from(value.as_int()?).ok()?;
    (code <= u32::from(char::MAX)).then(|| Value::character(code))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    fn int(vm: &mut Vm, name: &str, a: i64, b: i64) -> Option<BigInt> {
        let answer = run(vm, name, &[Value::int(a), Value::int(b)])?;
        vm.integer_of(answer)
    }

    #[test]
    fn floor_and_truncation_differ_by_sign() {
        let mut vm = machine();
        let expected = [
            (7, 2, 3, 1, 3, 1),
            (-7, 2, -4, 1, -3, -1),
            (7, -2, -4, -1, -3, 1),
        ];
        for (a, b, floor, modulo, quotient, remainder) in expected {
            assert_eq!(int(&mut vm, "integerFloorDivide", a, b), Some(floor.into()));
            assert_eq!(int(&mut vm, "integerModulo", a, b), Some(modulo.into()));
            assert_eq!(int(&mut vm, "integerQuotient", a, b), Some(quotient.into()));
            assert_eq!(
                int(&mut vm, "integerRemainder", a, b),
                Some(remainder.into())
            );
        }
        assert_eq!(int(&mut vm, "integerFloorDivide", 1, 0), None);
    }

    #[test]
    fn large_operands_follow_the_same_rules() {
        let mut vm = machine();
        let large = -(BigInt::from(1) << 100u32) - 1;
        let value = vm.make_integer(&large);
        for (name, expected) in [
            ("integerFloorDivide", -(BigInt::from(1) << 99u32) - 1),
            ("integerModulo", BigInt::from(1)),
            ("integerQuotient", -(BigInt::from(1) << 99u32)),
            ("integerRemainder", BigInt::from(-1)),
            ("integerBitAnd", BigInt::from(2)),
        ] {
            let answer = run(&mut vm, name, &[value, Value::int(2)]).expect(name);
            assert_eq!(vm.integer_of(answer), Some(expected), "{name}");
        }
        let answer = run(&mut vm, "integerBitShift", &[value, Value::int(-100)]);
        assert_eq!(answer, Some(Value::int(-2)));
    }

    #[test]
    fn overflow_goes_to_large_integers_and_back() {
        let mut vm = machine();
        let max = Value::int(Value::MAX_INT);
        let large = run(&mut vm, "integerAdd", &[max, Value::int(1)]).expect("large");
        assert!(large.is_object());
        assert_eq!(
            run(&mut vm, "integerSubtract", &[large, Value::int(1)]),
            Some(max)
        );
        let min = Value::int(Value::MIN_INT);
        let answer = int(&mut vm, "integerDivide", Value::MIN_INT, -1);
        assert_eq!(answer, vm.integer_of(min).map(|n| -n));
        let answer = run(&mut vm, "integerMultiply", &[min, Value::int(2)]).expect("large");
        assert_eq!(
            vm.integer_of(answer),
            Some(BigInt::from(Value::MIN_INT) * 2)
        );
    }

    #[test]
    fn divisors_of_very_different_numbers_are_found() {
        let mut vm = machine();
        let large = BigInt::from(10).pow(100_000);
        for (small, expected) in [(15, 5), (-24, 8), (7, 1)] {
            let values = [vm.make_integer(&large), Value::int(small)];
            let answer = run(&mut vm, "integerGcd", &values);
            assert_eq!(answer, Some(Value::int(expected)));
            let values = [values[1], values[0]];
            let answer = run(&mut vm, "integerGcd", &values);
            assert_eq!(answer, Some(Value::int(expected)));
        }
        let value = vm.make_integer(&large);
        let answer = run(&mut vm, "integerGcd", &[value, Value::int(0)]).expect("itself");
        assert_eq!(vm.integer_of(answer), Some(large));
    }

    #[test]
    fn powers_leave_remainders_with_the_sign_of_the_modulus() {
        let mut vm = machine();
        for base in [-7, -1, 0, 1, 5, 12] {
            for exponent in 0..6 {
                for modulus in [-5, -1, 1, 2, 13] {
                    let args = [base, i64::from(exponent), modulus].map(Value::int);
                    let answer = run(&mut vm, "integerRaisedToModulo", &args);
                    let expected = num_integer::Integer::mod_floor(&base.pow(exponent), &modulus);
                    assert_eq!(answer, Some(Value::int(expected)));
                }
            }
        }
        for (exponent, modulus) in [(-1, 7), (2, 0)] {
            let args = [2, exponent, modulus].map(Value::int);
            assert_eq!(run(&mut vm, "integerRaisedToModulo", &args), None);
        }
    }

    #[test]
    fn shifts_beyond_the_limit_are_declined() {
        let mut vm = machine();
        for distance in [1 << 26, 1 << 31, (1 << 31) + 1, Value::MAX_INT] {
            let args = [Value::int(1), Value::int(distance)];
            assert_eq!(run(&mut vm, "integerBitShift", &args), None);
        }
        for (integer, distance, shifted) in [
            (-1, -(1 << 31), -1),
            (-1, Value::MIN_INT, -1),
            (7, Value::MIN_INT, 0),
            (0, 1 << 31, 0),
            (0, Value::MAX_INT, 0),
        ] {
            let args = [integer, distance].map(Value::int);
            assert_eq!(
                run(&mut vm, "integerBitShift", &args),
                Some(Value::int(shifted))
            );
        }
    }

    #[test]
    fn the_nearest_float_is_found_exactly() {
        let two_to = |n: u32| BigInt::from(1) << n;
        let mut vm = machine();
        let mut nearest_to = |integer: &BigInt| {
            let value = vm.make_integer(integer);
            nearest_float(&vm, value).expect("an integer")
        };
        for exponent in [60, 64, 65, 100, 900] {
            // Half an ulp above a power of two is a tie, which goes to the even side.
            let power = libm::scalbn(1.0, exponent as i32);
            let ulp = libm::scalbn(1.0, exponent as i32 - 52);
            let half: BigInt = two_to(exponent) + two_to(exponent - 53);
            assert_eq!(nearest_to(&half), power);
            assert_eq!(nearest_to(&(half.clone() + 1)), power + ulp);
            let above: BigInt = half + 1;
            assert_eq!(nearest_to(&-above), -power - ulp);
        }
        assert_eq!(nearest_to(&two_to(1024)), f64::INFINITY);
        assert_eq!(nearest_to(&(two_to(1024) - two_to(970))), f64::INFINITY);
        assert_eq!(nearest_to(&(two_to(1024) - two_to(970) - 1)), f64::MAX);
        assert_eq!(nearest_to(&BigInt::from(0)), 0.0);
    }

    #[test]
    fn bases_and_signs_print() {
        let mut vm = machine();
        let args = [Value::int(-255), Value::int(16)];
        let printed = run(&mut vm, "integerPrintStringBase", &args).expect("a string");
        assert_eq!(vm.text_of(printed).as_deref(), Some("-FF"));
        assert_eq!(
            run(
                &mut vm,
                "integerPrintStringBase",
                &[Value::int(1), Value::int(37)]
            ),
            None
        );
    }

    #[test]
    fn all_code_points_are_characters() {
        assert_eq!(
            character(Value::int(0xD800)),
            Some(Value::character(0xD800))
        );
        assert_eq!(character(Value::int(0x110000)), None);
        assert_eq!(character(Value::int(-1)), None);
        assert_eq!(
            character(Value::int(0x10FFFF)),
            Some(Value::character(0x10FFFF))
        );
    }
}
