//! A table before anybody has decided how it is written: columns with their units, rows of figures, a line that says how to read
//! it, and what the paper has there.

use crate::results::Interval;
use tally_presentation::figure::{ABSENT, Style};

/// A table of the report.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// What a file of it is called, without extension.
    pub(super) stem: &'static str,
    /// Its title.
    pub(super) title: String,
    /// How to read it, in a line.
    pub(super) reading: String,
    /// Its columns.
    pub(super) columns: Vec<Column>,
    /// Its rows.
    pub(super) rows: Vec<Row>,
    /// What the paper's figures are, and what else has to be known.
    pub(super) notes: Vec<String>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    /// What stands in it.
    pub(super) name: String,
    /// In which unit; empty if there is none, or each row has its own.
    pub(super) unit: &'static str,
    /// What its cells are.
    pub(super) kind: Kind,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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
pub(super) struct Row {
    /// Its cells, one for each column.
    pub(super) cells: Vec<Value>,
    /// Whether it sums up the rows above.
    pub(super) is_sum: bool,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
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
    fn from(interval: Interval) -> Value {
        Value::Range(interval)
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Absent, Into::into)
    }
}

impl Value {
    /// `yes` or `no`.
    pub(super) fn yes(is_so: Option<bool>) -> Value {
        Value::from(is_so.map(|is_so| if is_so { "yes" } else { "no" }))
    }

    /// A number in a style of its own.
    pub(super) fn styled(number: impl Into<Option<f64>>, style: Style) -> Value {
        let number = number.into();
        number.map_or(Value::Absent, |number| Value::Styled(number, style))
    }

    /// As people read it.
    pub(super) fn shown(&self, kind: Kind) -> String {
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
            Value::Range(interval) => range(*interval, style),
            Value::StyledRange(interval, style) => range(*interval, *style),
        }
    }
}

/// Both ends of an interval.
pub(super) fn range(interval: impl Into<Option<Interval>>, style: Style) -> String {
    let interval: Option<Interval> = interval.into();
    match interval.filter(|ends| ends.low.is_finite() && ends.high.is_finite()) {
        Some(Interval { low, high }) => format!("[{}, {}]", style.show(low), style.show(high)),
        None => ABSENT.to_string(),
    }
}

impl Column {
    /// Whether its cells are numbers.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number(_) | Kind::Range(_))
    }

    /// Its name and its unit.
    pub(super) fn heading(&self) -> String {
        match self.unit {
            "" => self.name.clone(),
            unit => format!("{} {unit}", self.name),
        }
    }
}

impl Table {
    /// A table without columns and rows.
    pub(super) fn new(stem: &'static str, title: &str, reading: &str) -> Table {
        Table {
            stem,
            title: title.to_string(),
            reading: reading.to_string(),
            ..Table::default()
        }
    }

    /// With a column more.
    pub(super) fn column(mut self, name: &str, unit: &'static str, kind: Kind) -> Table {
        let name = name.to_string();
        self.columns.push(Column { name, unit, kind });
        self
    }

    /// With a column of names.
    pub(super) fn name(self, name: &str) -> Table {
        self.column(name, "", Kind::Name)
    }

    /// With a column of words.
    pub(super) fn words(self, name: &str) -> Table {
        self.column(name, "", Kind::Words)
    }

    /// With a column of numbers.
    pub(super) fn number(self, name: &str, unit: &'static str, style: Style) -> Table {
        self.column(name, unit, Kind::Number(style))
    }

    /// With a column of intervals.
    pub(super) fn range(self, name: &str, unit: &'static str, style: Style) -> Table {
        self.column(name, unit, Kind::Range(style))
    }

    /// Adds a row.
    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.push(cells, false);
    }

    /// Adds a row that sums up those above.
    pub(super) fn sum(&mut self, cells: impl IntoIterator<Item = Value>) {
        self.push(cells, true);
    }

    fn push(&mut self, cells: impl IntoIterator<Item = Value>, is_sum: bool) {
        let mut cells: Vec<Value> = cells.into_iter().collect();
        cells.resize(self.columns.len(), Value::Blank);
        self.rows.push(Row { cells, is_sum });
    }

    /// With a note below it.
    pub(super) fn note(mut self, note: impl Into<String>) -> Table {
        self.notes.push(note.into());
        self
    }

    /// The table, unless there is nothing in it.
    pub(super) fn filled(self) -> Option<Table> {
        (!self.rows.is_empty()).then_some(self)
    }
}
