//! Tables of numbers: what was counted for which parameters.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::error::PredictError;
use crate::notation::number;
use crate::pmf::Rational;

/// The most parameters of a function.
const MOST_PARAMETERS: usize = 3;
/// The most rows.
const MOST_ROWS: usize = 100_000;

/// Values of a function at some parameters, which are whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The names of the parameters, one to three.
    pub names: Vec<String>,
    /// The name of the values.
    pub of: String,
    /// The values.
    pub points: BTreeMap<Vec<BigInt>, Rational>,
}

fn at(row: usize, why: impl std::fmt::Display) -> PredictError {
    PredictError::usage(format!("row {row}: {why}"))
}

/// A number with a sign.
pub(super) fn signed(text: &str) -> Option<Rational> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits
            .chars()
            .all(|c| c.is_ascii_digit() || ".eE+-".contains(c));
    let value = number(digits).ok().filter(|_| is_number)?;
    Some(if is_negative { -value } else { value })
}

/// The names of the parameters, and of the values.
fn columns(mut names: Vec<String>) -> Result<(Vec<String>, String), PredictError> {
    let of = names.pop().filter(|_| !names.is_empty());
    let Some(of) = of.filter(|_| names.len() <= MOST_PARAMETERS) else {
        let why = format!(
            "a table has one to {MOST_PARAMETERS} columns of parameters, and a last one with the values; the first row has their names"
        );
        return Err(PredictError::usage(why));
    };
    let mut all: Vec<&String> = names.iter().chain([&of]).collect();
    if let Some(number) = all
        .iter()
        .find(|name| name.is_empty() || signed(name).is_some())
    {
        let why = format!("the first row has the names of the columns, and {number:?} is no name");
        return Err(PredictError::usage(why));
    }
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(PredictError::usage(format!(
            "two columns are named {}",
            pair[0]
        ))),
        None => Ok((names, of)),
    }
}

impl Table {
    /// The table in a text with commas between the columns. The first row has their names. The last column has the values, and the others the parameters.
    ///
    /// # Errors
    ///
    /// A row is broken, a parameter is no whole number, or two rows have other values for the same parameters.
    pub fn read(text: &str) -> Result<Table, PredictError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
        let broken = |error: csv::Error| PredictError::usage(error.to_string());
        let names = reader.headers().map_err(broken)?.iter();
        let (names, of) = columns(names.map(str::to_string).collect())?;
        let mut points = BTreeMap::new();
        for (row, record) in (2..).zip(reader.records()) {
            let record = record.map_err(broken)?;
            let mut cells = Vec::new();
            for cell in &record {
                cells.push(signed(cell).ok_or_else(|| at(row, format!("{cell:?} is no number")))?);
            }
            let Some(value) = cells.pop() else { continue };
            if let Some(part) = cells.iter().find(|cell| !cell.is_integer()) {
                return Err(at(
                    row,
                    format!("a parameter is a whole number, and {part} is not"),
                ));
            }
            let key: Vec<BigInt> = cells.iter().map(Rational::to_integer).collect();
            let other = points
                .insert(key, value.clone())
                .filter(|other| *other != value);
            if let Some(other) = other {
                return Err(at(
                    row,
                    format!(
                        "an earlier row has {other} for the same parameters: this is no function of them"
                    ),
                ));
            }
            if points.len() > MOST_ROWS {
                return Err(PredictError::limit(format!(
                    "a table has at most {MOST_ROWS} rows"
                )));
            }
        }
        match points.is_empty() {
            true => Err(PredictError::usage("the table has no row")),
            false => Ok(Table { names, of, points }),
        }
    }
}
