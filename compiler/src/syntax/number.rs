//! The spelling of a number to its value.
//!
//! The lexer settled where a number ends. This module checks and converts its digits, radix, exponent and scale.

use num_bigint::BigUint;
use tally_vm::limbs;

use crate::diagnostics::Diagnostic;
use crate::syntax::ast::{Literal, Span};

/// An exponent makes a number of at most this many digits; `1e1000000000` would fill the memory.
const MOST_DIGITS: usize = 100_000;

/// The same for exponents that make fractions, which have to be brought to lowest terms.
const MOST_FRACTION_DIGITS: usize = 2_000;

/// The parts of a number's spelling, underscores removed.
struct Parts<'s> {
    negative: bool,
    whole: String,
    /// What follows the `r`, as far as the point or the exponent, and how far from the start of the number.
    radix_digits: Option<(usize, &'s str)>,
    fraction: Option<String>,
    exponent: Option<&'s str>,
    scale: Option<&'s str>,
}

/// The value that `text`, a number as the lexer delimits them, has; or why it has none.
pub(crate) fn literal(text: &str, span: Span) -> Result<Literal, Box<Diagnostic>> {
    let parts = split(text);
    if let Some((offset, digits)) = parts.radix_digits {
        return radix_integer(&parts, offset, digits, span);
    }
    match (&parts.fraction, parts.scale) {
        (fraction, Some(scale)) => scaled(&parts, fraction.as_deref().unwrap_or(""), scale, span),
        (Some(fraction), None) => float(&parts, fraction, span),
        (None, None) => integer(&parts, span),
    }
}

fn split(text: &str) -> Parts<'_> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let whole_length = rest
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'_')
        .count();
    let (whole, mut rest) = rest.split_at(whole_length);
    let mut parts = Parts {
        negative,
        whole: plain(whole),
        radix_digits: None,
        fraction: None,
        exponent: None,
        scale: None,
    };
    if let Some(tail) = rest.strip_prefix('r') {
        let tail = match tail.strip_prefix('-') {
            Some(tail) => {
                parts.negative = !parts.negative;
                tail
            }
            None => tail,
        };
        let end = tail.find('.').or(exponent_in(tail)).unwrap_or(tail.len());
        let (digits, exponent_part) = tail.split_at(end);
        parts.radix_digits = Some((text.len() - tail.len(), digits));
        rest = exponent_part;
    }
    if let Some(tail) = rest.strip_prefix('.') {
        let has_radix = parts.radix_digits.is_some();
        let is_digit = |b: u8| b.is_ascii_digit() || has_radix && b.is_ascii_uppercase();
        let digits = tail.bytes();
        let length = digits.take_while(|b| is_digit(*b) || *b == b'_').count();
        parts.fraction = Some(plain(&tail[..length]));
        rest = &tail[length..];
    }
    if let Some(tail) = rest.strip_prefix(['e', 'd', 'q']) {
        let (exponent, tail) = tail.split_at(tail.find('s').unwrap_or(tail.len()));
        if exponent.is_empty() && !rest.starts_with('e') && parts.fraction.is_none() {
            // `1d` of GNU Smalltalk is a Float.
            parts.fraction = Some("0".to_string());
        }
        parts.exponent = Some(exponent).filter(|exponent| !exponent.is_empty());
        rest = tail;
    }
    parts.scale = rest.strip_prefix('s');
    parts
}

/// Where the exponent begins behind the `r` of a radix. It is a lower-case `e` and digits; anything else that is
/// lower-case is a wrong digit. Behind a digit that is a small letter the `e` is a digit, too.
fn exponent_in(tail: &str) -> Option<usize> {
    let at = tail.find('e')?;
    let (before, behind) = (&tail[..at], &tail[at + 1..]);
    let is_behind_digits = at > 0 && !before.bytes().any(|b| b.is_ascii_lowercase());
    let is_whole = behind.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (is_behind_digits && is_whole && !behind.is_empty()).then_some(at)
}

fn plain(digits: &str) -> String {
    digits.chars().filter(|digit| *digit != '_').collect()
}

fn signed(negative: bool, digits: &str) -> String {
    let digits = digits.trim_start_matches('0');
    match (digits.is_empty(), negative) {
        (true, _) => "0".to_string(),
        (false, true) => format!("-{digits}"),
        (false, false) => digits.to_string(),
    }
}

/// How many zeros an exponent appends, or takes away when it is negative.
fn zeros(exponent: &str, span: Span) -> Result<(bool, usize), Box<Diagnostic>> {
    let (negative, digits) = match exponent.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, exponent),
    };
    match plain(digits).parse::<usize>() {
        Ok(count) if count <= MOST_DIGITS => Ok((negative, count)),
        _ => Err(too_large(
            span,
            format!("an exponent is at most {MOST_DIGITS}"),
        )),
    }
}

fn too_large(span: Span, limit: String) -> Box<Diagnostic> {
    Box::new(Diagnostic::error("E0009", span, "the number is too large").labelled(limit))
}

/// The number that digits spell. Takes much less than the square of their number, as num-bigint's own way does not.
fn magnitude(digits: &str, radix: u32) -> BigUint {
    let mut limbs = Vec::new();
    limbs::from_digits(digits.as_bytes(), radix, &mut limbs);
    limbs::to_biguint(&limbs)
}

fn integer(parts: &Parts<'_>, span: Span) -> Result<Literal, Box<Diagnostic>> {
    let mut digits = parts.whole.clone();
    if let Some(exponent) = parts.exponent {
        let (negative, count) = zeros(exponent, span)?;
        if !negative {
            digits.extend(std::iter::repeat_n('0', count));
        } else if digits.ends_with(&"0".repeat(count)) {
            digits.truncate(digits.len() - count);
        } else if digits.bytes().any(|digit| digit != b'0') {
            return fraction(parts.negative, &digits, (10, count), span);
        }
    }
    Ok(Literal::Integer(signed(parts.negative, &digits)))
}

/// What an integer becomes that is divided by a power, a base and an exponent: `5e-3` is 1/200.
fn fraction(
    negative: bool,
    digits: &str,
    (base, exponent): (u32, usize),
    span: Span,
) -> Result<Literal, Box<Diagnostic>> {
    if exponent > MOST_FRACTION_DIGITS {
        let limit = format!("a negative exponent is at most {MOST_FRACTION_DIGITS}");
        return Err(too_large(span, limit));
    }
    let mut numerator = magnitude(digits, 10);
    let mut denominator = BigUint::from(base).pow(exponent as u32);
    // Every common factor is a factor of the base.
    for prime in (2..=base).filter(|prime| base % prime == 0) {
        let prime = BigUint::from(prime);
        let divides = |number: &BigUint| number % &prime == BigUint::ZERO;
        while divides(&numerator) && divides(&denominator) {
            numerator /= &prime;
            denominator /= &prime;
        }
    }
    let numerator = signed(negative, &numerator.to_string());
    Ok(if denominator == BigUint::from(1u8) || numerator == "0" {
        Literal::Integer(numerator)
    } else {
        Literal::Fraction(numerator, denominator.to_string())
    })
}

fn float(parts: &Parts<'_>, fraction: &str, span: Span) -> Result<Literal, Box<Diagnostic>> {
    let exponent = parts.exponent.map_or_else(|| "0".to_string(), plain);
    let spelled = format!("{}.{fraction}e{exponent}", parts.whole);
    match spelled.parse::<f64>() {
        Ok(value) if value.is_finite() => {
            Ok(Literal::Float(if parts.negative { -value } else { value }))
        }
        _ => Err(too_large(
            span,
            "no Float is greater than 1.7976931348623157e308".to_string(),
        )),
    }
}

fn scaled(
    parts: &Parts<'_>,
    fraction: &str,
    scale: &str,
    span: Span,
) -> Result<Literal, Box<Diagnostic>> {
    let (negative_exponent, shift) = zeros(parts.exponent.unwrap_or("0"), span)?;
    let mut numerator = format!("{}{fraction}", parts.whole);
    let mut denominator = format!("1{}", "0".repeat(fraction.len()));
    let shifted = if negative_exponent {
        &mut denominator
    } else {
        &mut numerator
    };
    shifted.extend(std::iter::repeat_n('0', shift));
    let places = match scale {
        "" => u32::try_from(fraction.len()).ok(),
        digits => plain(digits).parse::<u32>().ok(),
    };
    let Some(places) = places.filter(|places| *places as usize <= MOST_DIGITS) else {
        return Err(too_large(span, format!("a scale is at most {MOST_DIGITS}")));
    };
    Ok(Literal::ScaledDecimal(
        signed(parts.negative, &numerator),
        denominator,
        places,
    ))
}

fn radix_integer(
    parts: &Parts<'_>,
    offset: usize,
    digits: &str,
    span: Span,
) -> Result<Literal, Box<Diagnostic>> {
    let radix = match parts.whole.parse::<u32>() {
        Ok(radix) if (2..=36).contains(&radix) => radix,
        _ => {
            return Err(Box::new(
                Diagnostic::error("E0005", span, format!("no radix {}", parts.whole))
                    .labelled("a radix is from 2 to 36"),
            ));
        }
    };
    check_digits(offset, digits, radix, span)?;
    if let Some(fraction) = &parts.fraction {
        check_digits(offset + digits.len() + 1, fraction, radix, span)?;
        if parts.scale.is_some() {
            return Err(Box::new(
                Diagnostic::error("E0012", span, "a ScaledDecimal has no radix")
                    .labelled("a scale counts digits in base 10")
                    .helping("write the number in base 10, or without its scale"),
            ));
        }
        return radix_float(parts, &plain(digits), fraction, radix, span);
    }
    let mut value = magnitude(&plain(digits), radix);
    if let Some(exponent) = parts.exponent {
        let (negative, count) = zeros(exponent, span)?;
        if negative {
            return fraction(parts.negative, &value.to_string(), (radix, count), span);
        }
        let Ok(count) = u32::try_from(count) else {
            return Err(too_large(
                span,
                format!("an exponent is at most {MOST_DIGITS}"),
            ));
        };
        value *= BigUint::from(radix).pow(count);
    }
    Ok(Literal::Integer(signed(parts.negative, &value.to_string())))
}

/// The Float that digits of any base spell. Its exponent is one of the base, as that of an integer is.
fn radix_float(
    parts: &Parts<'_>,
    whole: &str,
    fraction: &str,
    radix: u32,
    span: Span,
) -> Result<Literal, Box<Diagnostic>> {
    let (negative, count) = zeros(parts.exponent.unwrap_or("0"), span)?;
    let power = |count: usize| BigUint::from(radix).pow(u32::try_from(count).unwrap_or(u32::MAX));
    let mut numerator = magnitude(&format!("{whole}{fraction}"), radix);
    let mut denominator = power(fraction.len());
    *(if negative {
        &mut denominator
    } else {
        &mut numerator
    }) *= power(count);
    match nearest_float(&numerator, &denominator) {
        Some(value) => Ok(Literal::Float(if parts.negative { -value } else { value })),
        None => Err(too_large(
            span,
            "no Float is greater than 1.7976931348623157e308".to_string(),
        )),
    }
}

/// The Float nearest to a quotient, the even one of two; `None` if it is too large.
fn nearest_float(numerator: &BigUint, denominator: &BigUint) -> Option<f64> {
    if *numerator == BigUint::ZERO {
        return Some(0.0);
    }
    let bits = |number: &BigUint| i64::try_from(number.bits()).unwrap_or(i64::MAX);
    let estimate = bits(numerator) - bits(denominator);
    // The quotient is at least 2 to the power of `low`.
    let is_less = match u64::try_from(estimate) {
        Ok(shift) => *numerator < denominator << shift,
        Err(_) => numerator << estimate.unsigned_abs() < *denominator,
    };
    let low = estimate - i64::from(is_less);
    // A normal Float has 53 bits. The last bit of a subnormal one is worth 2 to the power of -1074.
    let shift = (52 - low).min(1074);
    let (numerator, denominator) = match u64::try_from(shift) {
        Ok(shift) => (numerator << shift, denominator.clone()),
        Err(_) => (numerator.clone(), denominator << shift.unsigned_abs()),
    };
    let mut mantissa = u64::try_from(&numerator / &denominator).ok()?;
    let twice = (&numerator % &denominator) << 1u8;
    if twice > denominator || twice == denominator && mantissa % 2 == 1 {
        mantissa += 1;
    }
    let value = scaled_float(mantissa as f64, -shift);
    value.is_finite().then_some(value)
}

/// A Float times a power of 2; the product is a Float or too large.
fn scaled_float(mut value: f64, mut exponent: i64) -> f64 {
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    while exponent > 1000 && value.is_finite() {
        value *= power(1000);
        exponent -= 1000;
    }
    while exponent < -1000 && value != 0.0 {
        value *= power(-1000);
        exponent += 1000;
    }
    value * power(exponent.clamp(-1000, 1000))
}

fn check_digits(
    offset: usize,
    digits: &str,
    radix: u32,
    span: Span,
) -> Result<(), Box<Diagnostic>> {
    if digits.bytes().all(|digit| digit == b'_') {
        return Err(Box::new(
            Diagnostic::error("E0004", span, "digits are missing behind the radix")
                .labelled(format!("expected digits in base {radix}"))
                .helping("write for example `16r1F`"),
        ));
    }
    let wrong = |digit: char| digit != '_' && !digit.is_digit(radix);
    let Some((position, digit)) = digits.char_indices().find(|(_, digit)| wrong(*digit)) else {
        return Ok(());
    };
    let start = span.start + (offset + position) as u32;
    let at = Span {
        start,
        end: start + 1,
    };
    Err(Box::new(Diagnostic::error(
        "E0003",
        at,
        format!("`{digit}` is no digit in base {radix}"),
    )))
}
