//! Counts for people: digits in groups of three, differences, shares. All arithmetic is on integers. Measured figures
//! have [`figure`](crate::figure).

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    in_groups(&number.to_string())
}

/// Digits in groups of three, for numbers of any size.
pub fn in_groups(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 test`, `2 tests`.
pub fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { more })
}

/// A difference with its sign; `=` for none, so that a column of differences shows at a glance.
pub fn signed(difference: i128) -> String {
    let size = grouped(u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX));
    match difference.signum() {
        0 => "=".to_string(),
        1 => format!("+{size}"),
        _ => format!("-{size}"),
    }
}

/// A part of a whole in percent with one decimal, rounded half up, by integer arithmetic alone.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_string();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 2000 + whole) / (whole * 2);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// A difference in percent of the number before, with one decimal. Rounds halves away from zero, by integer arithmetic
/// alone. `None` if the number before is 0.
pub fn percent(before: u64, after: u64) -> Option<String> {
    if before == 0 {
        return None;
    }
    let difference = i128::from(after) - i128::from(before);
    let (size, whole) = (difference.unsigned_abs(), u128::from(before));
    let tenths = (size * 2000 + whole) / (whole * 2);
    let sign = match difference.signum() {
        0 => return Some("=".to_string()),
        1 => '+',
        _ => '-',
    };
    let whole = in_groups(&(tenths / 10).to_string());
    Some(format!("{sign}{whole}.{}%", tenths % 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 12, 999, 1000, 1_234_567, u64::MAX].map(grouped);
        assert_eq!(
            texts,
            [
                "0",
                "12",
                "999",
                "1,000",
                "1,234,567",
                "18,446,744,073,709,551,615"
            ]
        );
        assert_eq!([0, 1234, -5].map(signed), ["=", "+1,234", "-5"]);
    }

    #[test]
    fn shares_are_rounded_without_floats() {
        assert_eq!(share(1, 3), "33.3%");
        assert_eq!(share(2, 3), "66.7%");
        assert_eq!(share(u64::MAX, u64::MAX), "100.0%");
        assert_eq!(share(0, 0), "-");
    }
}
