//! Primitives that convert a whole string: to another case, to numbers, to bytes, to its printed form.

use num_bigint::BigInt;
use num_traits::Pow;

use super::character::{is_separator, lowercase, uppercase};
use super::charges::most_bits_read;
use super::integer::MAX_BITS;
use super::text::{Letters, Text, copy_of_part, text};
use super::{Answer, Primitive, rows};
use crate::base::{Known, Value};
use crate::heap::Contents;
use crate::machine::Vm;
use crate::run::Args;

rows! {
    "stringAsUppercase"(0) open allocates => |vm, args| mapped(vm, args, uppercase, <[u8]>::make_ascii_uppercase),
        "Any string: a String, or a Symbol for a Symbol, in upper case.", CASE;
    "stringAsLowercase"(0) open allocates => |vm, args| mapped(vm, args, lowercase, <[u8]>::make_ascii_lowercase),
        "Any string: a String, or a Symbol for a Symbol, in lower case.", CASE;
    "stringAsInteger"(1) open allocates => as_integer,
        "A string of an optional sign and digits in the base, which is from 2 to 36: the \
         integer.", READ_NUMBER;
    "stringAsNumber"(0) open allocates => as_number,
        "A string that is an integer's or a Float's literal, separators around it aside: the \
         number.", READ_NUMBER;
    "stringUtf8Encoded"(0) open allocates => utf8_encoded, "Any string: a ByteArray.", CONVERTED;
    "bytesUtf8Decoded"(0) open allocates => utf8_decoded, "A ByteArray that is UTF-8: a String.", CONVERTED;
    "stringPrintString"(0) open allocates => print_string, "Any string: in quotes, quotes doubled.", CONVERTED;
    "stringAsString"(0) open allocates => as_string, "Any string: itself, or a new String for a Symbol.", COPY_OF_SYMBOL;
}

/// A number that a string spells.
#[derive(Debug, PartialEq)]
enum Number {
    Integer(BigInt),
    Float(f64),
    /// An integer of more bits than were allowed.
    TooLarge,
}

/// Maps each character; all at once where they are ASCII.
fn mapped(vm: &mut Vm, args: Args, mapping: fn(u32) -> u32, ascii: fn(&mut [u8])) -> Option<Value> {
    let receiver = args.receiver(vm);
    let source = text(vm, receiver)?;
    if receiver.is_object() && source.narrow().is_some_and(<[u8]>::is_ascii) {
        let length = source.len();
        let mapped = copy_of_part(vm, args, 0..length)?;
        ascii(vm.heap.bytes_mut(mapped));
        return Some(mapped);
    }
    let codes = Letters::Codes(source.codes().map(mapping).collect());
    if receiver.as_symbol().is_some() {
        return Some(vm.symbol(&codes.to_text()));
    }
    codes.make(vm)
}

fn as_integer(vm: &mut Vm, args: Args) -> Option<Value> {
    let base = u32::try_from(args.at(vm, 0).as_int()?)
        .ok()
        .filter(|b| (2..=36).contains(b))?;
    let source = text(vm, args.receiver(vm))?;
    if let (10, Some(number)) = (base, source.narrow().and_then(small_decimal)) {
        return Some(Value::int(number));
    }
    let spelled = source.to_text();
    let (negative, digits) = match spelled.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, spelled.strip_prefix('+').unwrap_or(&spelled)),
    };
    if !are_digits(digits, base) {
        return None;
    }
    if least_bits(digits, base) > most_bits_read(vm) {
        return vm.refuse_work();
    }
    vm.run.computed.read(negative, digits.as_bytes(), base);
    Some(vm.make_computed())
}

/// Whether there are digits only, and not too many for an integer.
fn are_digits(digits: &str, base: u32) -> bool {
    let valid = !digits.is_empty() && digits.chars().all(|c| c.is_digit(base));
    // Each digit takes at least one bit and at most six.
    valid && (digits.len() as u64) <= MAX_BITS / 6
}

/// Bits that the integer has at least.
fn least_bits(digits: &str, base: u32) -> u64 {
    let behind_first = digits.trim_start_matches('0').len().saturating_sub(1);
    behind_first as u64 * u64::from(base.ilog2())
}

/// The integer that decimal digits spell, behind a sign if there is one, when it is small for certain.
fn small_decimal(spelled: &[u8]) -> Option<i64> {
    /// A SmallInteger holds that many digits, whichever they are.
    const DIGITS: usize = 18;
    let (sign, digits) = match spelled {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    if digits.is_empty() || digits.len() > DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = (digits.iter()).fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    Some(sign * magnitude)
}

/// The integer that digits alone spell.
fn digits_in_base(digits: &str, base: u32, most_bits: u64) -> Option<Number> {
    if !are_digits(digits, base) {
        return None;
    }
    if least_bits(digits, base) > most_bits {
        return Some(Number::TooLarge);
    }
    let mut limbs = Vec::new();
    crate::limbs::from_digits(digits.as_bytes(), base, &mut limbs);
    Some(Number::Integer(crate::limbs::to_biguint(&limbs).into()))
}

fn as_number(vm: &mut Vm, args: Args) -> Option<Value> {
    let spelled = text(vm, args.receiver(vm))?.to_text();
    let spelled = spelled.trim_matches(|c| is_separator(u32::from(c)));
    match number(spelled, most_bits_read(vm))? {
        Number::Integer(integer) => Some(vm.make_integer(&integer)),
        Number::Float(float) => Some(vm.make_float(float)),
        Number::TooLarge => vm.refuse_work(),
    }
}

/// The number that a literal spells: an integer, also with radix or exponent, or a Float.
fn number(spelled: &str, most_bits: u64) -> Option<Number> {
    let (negative, unsigned) = match spelled.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, spelled),
    };
    Some(match magnitude(unsigned, most_bits)? {
        Number::Integer(integer) if negative => Number::Integer(-integer),
        Number::Float(float) if negative => Number::Float(-float),
        number => number,
    })
}

fn magnitude(spelled: &str, most_bits: u64) -> Option<Number> {
    if let Some((radix, digits)) = spelled.split_once('r') {
        let radix = decimal(radix).filter(|radix| (2..=36).contains(radix))?;
        return digits_in_base(digits, radix, most_bits);
    }
    let (mantissa, exponent) = match spelled.split_once(['e', 'd', 'q']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (spelled, None),
    };
    match mantissa.split_once('.') {
        Some((whole, fraction)) => float_magnitude(spelled, whole, fraction, exponent),
        None => scaled_integer(mantissa, exponent, most_bits),
    }
}

fn decimal(digits: &str) -> Option<u32> {
    digits
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| digits.parse().ok())
        .flatten()
}

fn float_magnitude(
    spelled: &str,
    whole: &str,
    fraction: &str,
    exponent: Option<&str>,
) -> Option<Number> {
    let is_digits = |s: &str| !s.is_empty() && s.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_digits = exponent.map(|e| e.strip_prefix('-').unwrap_or(e));
    if !is_digits(whole) || !is_digits(fraction) || exponent_digits.is_some_and(|e| !is_digits(e)) {
        return None;
    }
    let float = match exponent {
        // As it stands, which takes no copy.
        None => spelled.parse(),
        Some(exponent) => format!("{whole}.{fraction}e{exponent}").parse(),
    };
    float.ok().map(Number::Float)
}

fn scaled_integer(digits: &str, exponent: Option<&str>, most_bits: u64) -> Option<Number> {
    let power = match exponent {
        Some(exponent) => decimal(exponent)?,
        None => 0,
    };
    let Number::Integer(integer) = digits_in_base(digits, 10, most_bits)? else {
        return Some(Number::TooLarge);
    };
    let digits = u64::from(power);
    // Four bits hold a decimal digit, and three bits do not.
    if integer.bits() + 4 * digits > MAX_BITS {
        return None;
    }
    Some(match integer.bits() {
        0 => Number::Integer(integer),
        bits if bits + 3 * digits > most_bits.max(bits) => Number::TooLarge,
        _ => Number::Integer(integer * BigInt::from(10).pow(power)),
    })
}

fn utf8_encoded(vm: &mut Vm, args: Args) -> Option<Value> {
    let encoded = text(vm, args.receiver(vm))?.to_text();
    if !vm.has_room_for(Contents::Bytes(encoded.len())) {
        return None;
    }
    Some(vm.make_bytes(Known::ByteArray.into(), encoded.as_bytes()))
}

fn utf8_decoded(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    if !vm.inherits(vm.class_of(receiver), Known::ByteArray.into()) {
        return None;
    }
    let decoded = std::str::from_utf8(vm.heap.bytes(receiver)).ok()?;
    let letters = match decoded.is_ascii() {
        true => Letters::Narrow(decoded.as_bytes().to_vec()),
        false => Letters::Codes(decoded.chars().map(u32::from).collect()),
    };
    letters.make(vm)
}

fn print_string(vm: &mut Vm, args: Args) -> Option<Value> {
    quoted(&text(vm, args.receiver(vm))?, &[]).make(vm)
}

/// The characters in quotes, quotes doubled, with something in front.
pub(super) fn quoted(source: &Text<'_>, prefix: &[u8]) -> Letters {
    const QUOTE: u32 = b'\'' as u32;
    let mut codes: Vec<u32> = prefix.iter().map(|&byte| u32::from(byte)).collect();
    codes.push(QUOTE);
    for code in source.codes() {
        codes.extend(std::iter::repeat_n(code, 1 + usize::from(code == QUOTE)));
    }
    codes.push(QUOTE);
    Letters::Codes(codes)
}

fn as_string(vm: &mut Vm, args: Args) -> Option<Value> {
    let receiver = args.receiver(vm);
    let source = text(vm, receiver)?;
    match receiver.as_symbol() {
        Some(_) => source.to_letters().make(vm),
        None => Some(receiver),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{machine, run};
    use super::*;

    #[test]
    fn literals_spell_numbers() {
        let integer = |n: i64| Some(Number::Integer(n.into()));
        for (spelled, expected) in [
            ("42", integer(42)),
            ("-42", integer(-42)),
            ("2r101", integer(5)),
            ("-16r1F", integer(-31)),
            ("2e10", integer(20_000_000_000)),
            ("1.5", Some(Number::Float(1.5))),
            ("-1.5e-3", Some(Number::Float(-0.0015))),
            ("1.5e400", Some(Number::Float(f64::INFINITY))),
            ("", None),
            ("-", None),
            ("+5", None),
            ("1.", None),
            (".5", None),
            ("1e", None),
            ("1e-2", None),
            ("1e+2", None),
            ("1.5e--3", None),
            ("2r102", None),
            ("37r1", None),
            ("r1", None),
            ("1e99999999999", None),
            ("1e4000000000", None),
            ("nan", None),
            ("1.5s2", None),
            ("--1", None),
        ] {
            assert_eq!(number(spelled, MAX_BITS), expected, "{spelled}");
        }
        for spelled in [
            "1e40",
            "16r1FFFFFFFFFFFFFFFFF",
            "-123456789012345678901234567890",
        ] {
            assert_eq!(number(spelled, 64), Some(Number::TooLarge), "{spelled}");
        }
        for spelled in [
            "0e40",
            "00000000000000000000000000000",
            "1e5",
            "16r1FFFFFFFFFFFFFF",
        ] {
            assert_eq!(number(spelled, 64), number(spelled, MAX_BITS), "{spelled}");
        }
    }

    #[test]
    fn digits_are_read_in_any_base() {
        let mut vm = machine();
        for (spelled, base, expected) in [
            ("ff", 16, Some(255)),
            ("-FF", 16, Some(-255)),
            ("+7", 8, Some(7)),
            ("8", 8, None),
            ("1_0", 10, None),
            ("", 10, None),
            ("1", 1, None),
        ] {
            let args = [vm.make_string(spelled), Value::int(base)];
            assert_eq!(
                run(&mut vm, "stringAsInteger", &args),
                expected.map(Value::int)
            );
        }
    }

    #[test]
    fn utf8_goes_both_ways() {
        let mut vm = machine();
        for content in ["", "abc", "naïve", "\u{1F600}"] {
            let string = vm.make_string(content);
            let bytes = run(&mut vm, "stringUtf8Encoded", &[string]).expect("bytes");
            assert_eq!(vm.heap.bytes(bytes), content.as_bytes());
            let back = run(&mut vm, "bytesUtf8Decoded", &[bytes]).expect("a string");
            assert_eq!(vm.text_of(back).as_deref(), Some(content));
        }
        let bytes = vm.make_bytes(Known::ByteArray.into(), &[0xFF]);
        assert_eq!(run(&mut vm, "bytesUtf8Decoded", &[bytes]), None);
    }

    #[test]
    fn case_mapping_widens_and_keeps_symbols() {
        let mut vm = machine();
        let string = vm.make_string("aÿß");
        let upper = run(&mut vm, "stringAsUppercase", &[string]).expect("a string");
        assert_eq!(vm.text_of(upper).as_deref(), Some("AŸß"));
        let symbol = vm.symbol("Foo");
        let lower = vm.symbol("foo");
        assert_eq!(run(&mut vm, "stringAsLowercase", &[symbol]), Some(lower));
    }

    #[test]
    fn quotes_are_doubled() {
        let mut vm = machine();
        let string = vm.make_string("it's");
        let printed = run(&mut vm, "stringPrintString", &[string]).expect("a string");
        assert_eq!(vm.text_of(printed).as_deref(), Some("'it''s'"));
    }
}
