//! The tables as CSV (RFC 4180), a file each: figures without grouping and rounding.

use tally_presentation::table::{Table, Value};

use super::{tables, targets};
use crate::results::{Point, Study};

/// A study's tables as CSV: what the file is called, without extension, and its text.
pub fn csv(study: &Study) -> Vec<(&'static str, String)> {
    let targets = targets::targets(study).filled();
    let tables = targets.into_iter().chain(tables::all(study));
    let mut files: Vec<(&'static str, String)> =
        tables.map(|table| (table.stem, table.csv())).collect();
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
    Some((table.stem, table.csv()))
}
