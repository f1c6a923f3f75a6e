//! The tables as CSV (RFC 4180), a file each: figures as they are, without grouping and rounding.

use tally_presentation::csv::{Csv, text_field};

use super::table::{Column, Kind, Row, Table, Value};
use super::{tables, targets};
use crate::results::{Point, Study};

/// A study's tables as CSV: what the file is called, without extension, and its text.
pub fn csv(study: &Study) -> Vec<(&'static str, String)> {
    let targets = targets::targets(study).filled();
    let tables = targets.into_iter().chain(tables::all(study));
    let mut files: Vec<(&'static str, String)> = tables
        .map(|table| (table.stem, table_csv(&table)))
        .collect();
    if let Some(points) = points(study) {
        files.push(points);
    }
    files
}

/// The points of all scatter plots over methods.
fn points(study: &Study) -> Option<(&'static str, String)> {
    let mut table = Table::new("method-points", "", "")
        .words("application")
        .words("method")
        .number("time", "ms", tally_presentation::figure::Style::Measure)
        .number("sends", "", tally_presentation::figure::Style::Whole);
    for methods in &study.over_methods {
        for Point {
            name,
            milliseconds,
            sends,
        } in &methods.points
        {
            table.row([
                Value::from(methods.application.as_str()),
                Value::from(name.as_str()),
                Value::from(*milliseconds),
                Value::from(*sends),
            ]);
        }
    }
    let table = table.filled()?;
    Some((table.stem, table_csv(&table)))
}

fn table_csv(table: &Table) -> String {
    let mut csv = Csv::new();
    csv.row(table.columns.iter().flat_map(headings));
    for row in &table.rows {
        csv.row(fields(table, row));
    }
    csv.finish()
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

/// A number as it is; what is none is an empty field.
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
