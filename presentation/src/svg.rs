//! Constants that pictures with fixed coordinates share.

/// A number of hundredths of a point as a coordinate.
pub(crate) fn hundredths(number: u64) -> String {
    match number % 100 {
        0 => (number / 100).to_string(),
        rest => format!("{}.{rest:02}", number / 100),
    }
}
