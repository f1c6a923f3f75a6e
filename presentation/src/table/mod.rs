//! A table that is independent of any format: columns with their units, rows of figures, and a line that explains the
//! table. There is a writer for each format.

mod csv;
mod html;
mod markdown;
mod text;

use serde::{Deserialize, Serialize};

use crate::figure::{ABSENT, Style};

/// A number with an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A table.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The name of its file, without extension.
    pub stem: &'static str,
    /// Its title.
    pub title: String,
    /// How to read it, in a line.
    pub reading: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<Row>,
    /// The notes of the table.
    pub notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// What stands in it.
    pub name: String,
    /// In which unit; empty if there is none, or each row has its own.
    pub unit: &'static str,
    /// The kind of its cells.
    pub kind: Kind,
}

/// The kind of a column's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Names; one such column of a table at most, its middle may be left out.
    Name,
    /// Words.
    Words,
    /// Numbers, most of them in this style.
    Number(Style),
    /// Two ends, most of them in this style.
    Range(Style),
}

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its cells, one for each column.
    pub cells: Vec<Value>,
    /// Whether it sums up the rows above.
    pub is_sum: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, since there is no such figure.
    Absent,
    /// Nothing, since it has no place in this row.
    Blank,
    /// Words.
    Text(String),
    /// A number in the column's style.
    Number(f64),
    /// A number in a style of its own.
    Styled(f64, Style),
    /// Two ends in the column's style.
    Range(Interval),
    /// Two ends in a style of their own.
    StyledRange(Interval, Style),
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}

impl From<u64> for Value {
    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of a table are shown, not computed with"
    )]
    fn from(number: u64) -> Value {
        Value::Number(number as f64)
    }
}

impl From<Interval> for Value {
    fn from(ends: Interval) -> Value {
        Value::Range(ends)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Absent, Into::into)
    }
}

impl Value {
    /// `yes` or `no`.
    pub fn yes(is_so: Option<bool>) -> Value {
        Value::from(is_so.map(|is_so| if is_so { "yes" } else { "no" }))
    }

    /// A number in a style of its own.
    pub fn styled(number: impl Into<Option<f64>>, style: Style) -> Value {
        let number = number.into();
        number.map_or(Value::Absent, |number| Value::Styled(number, style))
    }

    /// As people read it.
    pub fn shown(&self, kind: Kind) -> String {
        let style = match kind {
            Kind::Number(style) | Kind::Range(style) => style,
            Kind::Name | Kind::Words => Style::Measure,
        };
        match self {
            Value::Absent => ABSENT.to_string(),
            Value::Blank => String::new(),
            Value::Text(text) => text.clone(),
            Value::Number(number) => style.show(*number),
            Value::Styled(number, style) => style.show(*number),
            Value::Range(ends) => range(*ends, style),
            Value::StyledRange(ends, style) => range(*ends, *style),
        }
    }
}

/// Both ends, as people read them.
pub fn range(ends: impl Into<Option<Interval>>, style: Style) -> String {
    let ends: Option<Interval> = ends.into();
    match ends.filter(|ends| ends.low.is_finite() && ends.high.is_finite()) {
        Some(Interval { low, high }) => format!("[{}, {}]", style.show(low), style.show(high)),
        None => ABSENT.to_string(),
    }
}

impl Column {
    /// Whether its cells are numbers.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number(_) | Kind::Range(_))
    }

    /// Its name and its unit.
    pub fn heading(&self) -> String {
        match self.unit {
            "" => self.name.clone(),
            unit => format!("{} {unit}", self.name),
        }
    }
}

impl Table {
    /// A table without columns and rows.
    pub fn new(stem: &'static str, title: &str, reading: &str) -> Table {
        Table {
            stem,
            title: title.to_string(),
            reading: reading.to_string(),
            ..Table::default()
        }
    }

    /// With a column more.
    pub fn column(mut self, name: &str, unit: &'static str, kind: Kind) -> Table {
        let name = name.to_string();
        self.columns.push(Column { name, unit, kind });
        self
    }

    /// With a column of names.
    pub fn name(self, name: &str) -> Table {
        self.column(name, "", Kind::Name)
    }

    /// With a column of words.
    pub fn words(self, name: &str) -> Table {
        self.column(name, "", Kind::Words)
    }

    /// With a column of numbers.
    pub fn number(self, name: &str, unit: &'static str, style: Style) -> Table {
        self.column(name, unit, Kind::Number(style))
    }

    /// With a column of intervals.
    pub fn range(self, name: &str, unit: &'static str, style: Style) -> Table {
        self.column(name, unit, Kind::Range(style))
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.push(cells, false);
    }

    /// Adds a row that sums up those above.
    pub fn sum(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.push(cells, true);
    }

    fn push(&mut self, cells: impl IntoIterator<Item = Value>, is_sum: bool) {
        let mut cells: Vec<Value> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Value::Blank);
        self.rows.push(Row { cells, is_sum });
    }

    /// With a note below it.
    pub fn note(mut self, note: impl Into<String>) -> Table {
        self.notes.push(note.into());
        self
    }

    /// The table, unless there is nothing in it.
    pub fn filled(self) -> Option<Table> {
        (!self.rows.is_empty()).then_some(self)
    }
}
