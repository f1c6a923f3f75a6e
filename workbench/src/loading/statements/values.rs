//! The text of a statement's value, as GNU Smalltalk's machine prints it: no message is sent.

use tally_vm::bytecode::Kind;
use tally_vm::{Value, Vm};

/// The instance variable in which collections of the library keep their elements.
const ELEMENTS: &str = "array";

/// The text of a value.
pub(super) fn shown(vm: &Vm, value: Value) -> String {
    if value.is_nil() {
        return "nil".to_string();
    }
    if let Some(boolean) = value.as_bool() {
        return boolean.to_string();
    }
    if let Some(code) = value.as_character() {
        return character(code);
    }
    if let Some(symbol) = value.as_symbol() {
        return format!("#{}", symbol_text(vm.symbol_text(symbol)));
    }
    if let Some(small) = value.as_int() {
        return small.to_string();
    }
    if !value.is_object() {
        return format!("{} new", vm.class(vm.class_of(value)).display_name());
    }
    if let Some(integer) = vm.integer_of(value) {
        return integer.to_string();
    }
    if let Some(number) = vm.float_of(value) {
        return float(number);
    }
    if let Some(text) = vm.text_of(value) {
        return format!("'{text}'");
    }
    if let Some(class) = vm.class_of_class_object(value) {
        return vm.class(class).display_name();
    }
    let class = vm.class(vm.class_of(value));
    let name = class.display_name();
    match elements(vm, value) {
        Some(size) => format!("{name} new: {size} \"<0>\""),
        None => format!("{name} new \"<0>\""),
    }
}

/// How many elements an object has room for, if it has elements. A collection may hold them in an Array.
fn elements(vm: &Vm, value: Value) -> Option<usize> {
    own_elements(vm, value).or_else(|| {
        let class = vm.class(vm.class_of(value));
        let slot = class.ivars.iter().position(|name| name == ELEMENTS)?;
        let held = *vm.heap.slots(value).get(slot)?;
        held.is_object().then(|| own_elements(vm, held)).flatten()
    })
}

/// The number of an object's indexed slots, if its class has such.
fn own_elements(vm: &Vm, value: Value) -> Option<usize> {
    let class = vm.class(vm.class_of(value));
    match class.kind {
        Kind::Fixed => None,
        Kind::Bytes => Some(vm.heap.bytes(value).len()),
        _ => Some(vm.heap.slots(value).len().saturating_sub(class.ivars.len())),
    }
}

fn character(code: u32) -> String {
    match char::from_u32(code) {
        Some(character) if (32..127).contains(&code) => format!("${character}"),
        _ if code < 128 => format!("Character value: {code}"),
        _ => format!("$<16r{code:04X}>"),
    }
}

/// A symbol's text, in quotes if it is no selector.
fn symbol_text(text: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
    let is_word = !text.is_empty() && text.chars().all(is_part);
    let is_operator = !text.is_empty() && text.bytes().all(|c| b"+-*/\\~<>=@%&?,!|".contains(&c));
    match is_word || is_operator {
        true => text.to_string(),
        false => format!("'{text}'"),
    }
}

/// The digits that a value is shown with.
const DIGITS: i32 = 6;

/// A number with six digits, as C's `%#g` writes it, with `d` before the exponent.
fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let exponent = match number {
        0.0 => 0,
        _ => number.abs().log10().floor() as i32,
    };
    if (-4..DIGITS).contains(&exponent) {
        let places = (DIGITS - 1 - exponent) as usize;
        return format!("{number:.places$}");
    }
    let places = (DIGITS - 1) as usize;
    let scientific = format!("{number:.places$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}d{sign}{digits:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_have_six_digits() {
        for (number, text) in [
            (3.1, "3.10000"),
            (34500.0, "34500.0"),
            (0.0, "0.00000"),
            (-0.0, "-0.00000"),
            (1e16, "1.00000d+16"),
            (-1.2345e-9, "-1.23450d-09"),
            (0.12345, "0.123450"),
            (1e101, "1.00000d+101"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(float(number), text);
        }
    }

    #[test]
    fn symbols_that_are_no_words_have_quotes() {
        for (symbol, text) in [
            ("at:put:", "at:put:"),
            ("+", "+"),
            ("a b", "'a b'"),
            ("", "''"),
        ] {
            assert_eq!(symbol_text(symbol), text);
        }
    }
}
