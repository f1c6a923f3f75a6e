//! How far a number reaches.

use crate::notation::Notation;

/// The length of the number that a text starts with. Wrong digits for the radix are included, so that the diagnostic is
/// about the number and not about the next token.
pub(super) fn number_length(notation: Notation, text: &str) -> usize {
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let mut end = usize::from(at(0) == b'-');
    end += digits_length(&bytes[end..]);
    let is_gst = notation == Notation::Gst;
    let radix = text[..end].trim_start_matches('-').parse().unwrap_or(0);
    let has_radix = at(end) == b'r';
    if has_radix {
        end += 1;
        end += radix_digits_length(notation, radix, &bytes[end..]);
    }
    let is_digit = |b: u8| b.is_ascii_digit() || has_radix && b.is_ascii_uppercase();
    if at(end) == b'.' && at(end + 1).is_ascii_digit() {
        end += 1 + digits_length(&bytes[end + 1..]);
        end += bytes[end..].iter().take_while(|b| is_digit(**b)).count();
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if matches!(at(end), b'e' | b'd' | b'q') {
        let sign = usize::from(at(end + 1) == b'-');
        if at(end + 1 + sign).is_ascii_digit() {
            end += 1 + sign;
            end += digits_length(&bytes[end..]);
        } else if is_gst && !is_part(at(end + 1)) {
            end += 1;
        }
    }
    if at(end) == b's' {
        let scale = digits_length(&bytes[end + 1..]);
        if !is_part(at(end + 1 + scale)) {
            end += 1 + scale;
        }
    }
    end
}

/// The length of the digits behind the `r` of a radix.
fn radix_digits_length(notation: Notation, radix: u32, bytes: &[u8]) -> usize {
    let at = |index: usize| bytes.get(index).copied().unwrap_or(0);
    let is_gst = notation == Notation::Gst;
    // The sign of a number may stand behind its radix there.
    let mut end = usize::from(is_gst && at(0) == b'-' && is_radix_digit(at(1), radix));
    // An `e` before digits begins an exponent, unless other digits are small letters.
    let begins_exponent = |end: usize| {
        let sign = usize::from(at(end + 1) == b'-');
        at(end) == b'e' && at(end + 1 + sign).is_ascii_digit()
    };
    let mut has_small = false;
    loop {
        let byte = at(end);
        if is_radix_digit(byte, radix) && byte.is_ascii_lowercase() {
            if !has_small && begins_exponent(end) {
                break;
            }
            has_small = true;
        } else if !(byte.is_ascii_digit() || byte.is_ascii_uppercase() || is_gst && byte == b'_') {
            break;
        }
        end += 1;
    }
    if at(end).is_ascii_lowercase() && !begins_exponent(end) {
        let rest = bytes[end..].iter();
        end += rest.take_while(|b| b.is_ascii_alphanumeric()).count();
    }
    end
}

/// Whether the character is a digit in the base; letters of both cases are.
fn is_radix_digit(byte: u8, radix: u32) -> bool {
    (2..=36).contains(&radix) && char::from(byte).is_digit(radix)
}

/// The length of digits, underscores between them allowed.
fn digits_length(bytes: &[u8]) -> usize {
    let mut end = 0;
    loop {
        let next = bytes.get(end).copied().unwrap_or(0);
        let after = bytes.get(end + 1).copied().unwrap_or(0);
        if next.is_ascii_digit() {
            end += 1;
        } else if next == b'_' && end > 0 && after.is_ascii_digit() {
            end += 2;
        } else {
            return end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_their_notation_ends_them() {
        for (notation, text, length) in [
            (Notation::Tally, "16rfe56", 7),
            (Notation::Tally, "16r1e2", 6),
            (Notation::Tally, "16r-1F", 3),
            (Notation::Gst, "16r-1F", 6),
            (Notation::Gst, "16r3FFF_FFFF", 12),
            (Notation::Tally, "1e", 1),
            (Notation::Gst, "1e", 2),
            (Notation::Gst, "1e_3", 1),
            (Notation::Gst, "1d foo", 2),
            (Notation::Gst, "2.5q2", 5),
        ] {
            assert_eq!(number_length(notation, text), length, "{text}");
        }
    }
}
