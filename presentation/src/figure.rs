//! Measured figures for people: a number of decimals, digits in groups of three. NaN and infinities are shown as absent.

use crate::number::in_groups;

/// Stands for a figure that is not there.
pub const ABSENT: &str = "–";
/// From here on numbers are written with an exponent.
const HUGE: f64 = 1e15;

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without decimals.
    Whole,
    /// With the given number of decimals.
    Fixed(usize),
    /// Three digits that count, or all those before the point.
    Measure,
    /// A coefficient of variation: 0 is 0 and nothing else is.
    Variation,
    /// An error or an overhead: with its sign and one decimal.
    Signed,
    /// A difference of counts: with its sign and without decimals; `=` if there is none.
    Difference,
}

impl Style {
    /// The number in this style.
    pub fn show(self, number: impl Into<Option<f64>>) -> String {
        let number = number.into();
        match self {
            Style::Whole => fixed(number, 0),
            Style::Fixed(decimals) => fixed(number, decimals),
            Style::Measure => measure(number),
            Style::Variation => variation(number),
            Style::Signed => signed(number),
            Style::Difference => difference(number),
        }
    }
}

/// The number, if it is there and one.
fn known(number: impl Into<Option<f64>>) -> Option<f64> {
    number.into().filter(|number| number.is_finite())
}

/// With the given number of decimals, and the digits before them in groups of three.
pub fn fixed(number: impl Into<Option<f64>>, decimals: usize) -> String {
    let Some(number) = known(number) else {
        return ABSENT.to_string();
    };
    if number.abs() >= HUGE {
        return format!("{number:.3e}");
    }
    let digits = format!("{:.decimals$}", number.abs());
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let point = if fraction.is_empty() { "" } else { "." };
    let is_zero = digits.bytes().all(|digit| matches!(digit, b'0' | b'.'));
    let sign = if number < 0.0 && !is_zero { "-" } else { "" };
    let whole = in_groups(whole);
    format!("{sign}{whole}{point}{fraction}")
}

/// With three digits that count, or all those before the point.
pub fn measure(number: impl Into<Option<f64>>) -> String {
    let Some(number) = known(number) else {
        return ABSENT.to_string();
    };
    let decimals = match number.abs() {
        size if size >= 99.95 || size == 0.0 => 0,
        size if size >= 9.995 => 1,
        size if size >= 0.9995 => 2,
        size if size >= 0.099_95 => 3,
        size if size >= 0.009_995 => 4,
        _ => 5,
    };
    fixed(number, decimals)
}

/// A variation, in per cent: `0` if it is exactly that, so that the smallest one shows.
pub fn variation(number: impl Into<Option<f64>>) -> String {
    match known(number) {
        Some(0.0) => "0".to_string(),
        Some(number) if number > 0.0 && number < 0.005 => "<0.01".to_string(),
        number => fixed(number, 2),
    }
}

/// With its sign and without decimals; `=` if there is none.
pub fn difference(number: impl Into<Option<f64>>) -> String {
    let number = known(number);
    match number {
        Some(0.0) => "=".to_string(),
        Some(number) if number > 0.0 => format!("+{}", fixed(number, 0)),
        number => fixed(number, 0),
    }
}

/// With its sign and one decimal.
pub fn signed(number: impl Into<Option<f64>>) -> String {
    let number = known(number);
    let text = fixed(number, 1);
    match number > Some(0.0) && text != "0.0" {
        true => format!("+{text}"),
        false => text,
    }
}

/// A factor: how many times as much.
pub fn times(factor: impl Into<Option<f64>>) -> String {
    let factor = known(factor);
    let decimals = match factor {
        Some(factor) if factor >= 99.95 => 0,
        Some(factor) if factor >= 9.995 => 1,
        _ => 2,
    };
    fixed(factor, decimals)
}

/// A number in as few characters as an axis has room for: `1.5 M`.
pub fn compact(number: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e12, " T"), (1e9, " G"), (1e6, " M")];
    let size = number.abs();
    if !number.is_finite() {
        return ABSENT.to_string();
    }
    let unit = UNITS.iter().find(|(least, _)| size >= *least);
    match unit {
        Some((least, name)) => format!("{}{name}", trimmed(&fixed(number / least, 2))),
        None => trimmed(&fixed(number, if size >= 1.0 { 2 } else { 6 })),
    }
}

/// Without zeros at the end that say nothing.
fn trimmed(text: &str) -> String {
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!(fixed(1_234_567.891, 2), "1,234,567.89");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-1234.5, 1), "-1,234.5");
        assert_eq!(fixed(1e300, 2), "1.000e300");
        let measured = [0.0, 0.012_34, 0.5, 1.0, 99.94, 99.96, 12_345.6].map(measure);
        assert_eq!(
            measured,
            ["0", "0.0123", "0.500", "1.00", "99.9", "100", "12,346"]
        );
    }

    #[test]
    fn differences_have_signs() {
        let shown = [-1234.0, 0.0, 1234.0].map(difference);
        assert_eq!(shown, ["-1,234", "=", "+1,234"]);
    }

    #[test]
    fn what_is_no_number_is_absent() {
        for style in [
            Style::Whole,
            Style::Fixed(2),
            Style::Measure,
            Style::Variation,
            Style::Signed,
            Style::Difference,
        ] {
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                assert_eq!(style.show(number), ABSENT);
            }
        }
        assert_eq!(times(f64::NAN), ABSENT);
        assert_eq!(compact(f64::INFINITY), ABSENT);
    }

    #[test]
    fn only_no_variation_is_zero() {
        let texts = [0.0, 1e-12, 0.004, 0.006, 2.466].map(variation);
        assert_eq!(texts, ["0", "<0.01", "<0.01", "0.01", "2.47"]);
    }

    #[test]
    fn errors_have_signs() {
        assert_eq!(
            [0.04, 0.06, -12.34, 1500.0].map(signed),
            ["0.0", "+0.1", "-12.3", "+1,500.0"]
        );
    }

    #[test]
    fn axes_have_little_room() {
        let texts = [0.0, 0.001, 0.5, 5.0, 2500.0, 250_000.0, 1_500_000.0, 3e9].map(compact);
        assert_eq!(
            texts,
            ["0", "0.001", "0.5", "5", "2,500", "250,000", "1.5 M", "3 G"]
        );
    }
}
