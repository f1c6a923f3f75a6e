//! A table as CSV. An interval is two columns.

use super::{Column, Kind, Row, Table, Value};
use crate::csv::{Csv, text_field};

impl Table {
    /// The table as CSV: figures without grouping and rounding.
    pub fn csv(&self) -> String {
        let mut csv = Csv::new();
        csv.row(self.columns.iter().flat_map(headings));
        for row in &self.rows {
            csv.row(fields(self, row));
        }
        csv.finish()
    }
}

/// An interval is two columns.
fn headings(column: &Column) -> Vec<String> {
    let unit = match column.unit {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    match column.kind {
        Kind::Range(_) => ["low", "high"]
            .map(|end| text_field(&format!("{}, {end}{unit}", column.name)))
            .into(),
        _ => vec![text_field(&format!("{}{unit}", column.name))],
    }
}

fn fields(table: &Table, row: &Row) -> Vec<String> {
    let cells = row.cells.iter().zip(&table.columns);
    cells
        .flat_map(|(cell, column)| field(cell, column))
        .collect()
}

fn field(cell: &Value, column: &Column) -> Vec<String> {
    match (cell, column.kind) {
        (Value::Range(ends) | Value::StyledRange(ends, _), Kind::Range(_)) => {
            vec![number(ends.low), number(ends.high)]
        }
        (_, Kind::Range(_)) => vec![String::new(), String::new()],
        (Value::Range(ends) | Value::StyledRange(ends, _), _) => {
            vec![format!("{} to {}", number(ends.low), number(ends.high))]
        }
        (Value::Number(value) | Value::Styled(value, _), _) => vec![number(*value)],
        (Value::Text(text), _) => vec![text_field(text)],
        (Value::Absent | Value::Blank, _) => vec![String::new()],
    }
}

/// A number without rounding; a NaN or an infinity is an empty field.
fn number(value: f64) -> String {
    match value.is_finite() {
        true => value.to_string(),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_and_absent_ones_empty() {
        assert_eq!(
            [1234567.25, 0.1, f64::NAN].map(number),
            ["1234567.25", "0.1", ""]
        );
    }
}
