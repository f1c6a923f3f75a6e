//! Numbers and columns for people. Deterministic: no colours, no terminal widths, no locale.

use std::fmt::Write as _;

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
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

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells that are written as aligned columns.
#[derive(Clone, Debug)]
pub struct Layout {
    columns: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Layout {
    /// An empty table with these columns; the first row that is added is the heading.
    pub fn new(columns: &[Align]) -> Layout {
        Layout {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The rows, two spaces between columns, nothing behind the last.
    pub fn render(&self) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), align) in row.iter().zip(&widths).zip(&self.columns) {
                let _ = match align {
                    Align::Left => write!(line, "{cell:<width$}  "),
                    Align::Right => write!(line, "{cell:>width$}  "),
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
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

    #[test]
    fn columns_are_aligned_and_lines_have_no_tail() {
        let mut layout = Layout::new(&[Align::Right, Align::Left]);
        layout.row(["n", "name"]);
        layout.row(["10", "a"]);
        assert_eq!(layout.render(), " n  name\n10  a\n");
    }
}
