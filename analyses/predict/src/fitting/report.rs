//! Functions as text and as a document.

use num_bigint::BigInt;
use serde::Serialize;
use tally_presentation::{Align, Layout, Page, counted, printable};

use super::{Class, Fit, Predicted, Table, ranges};
use crate::error::PredictError;
use crate::report::{float_text, rational_text};

/// A value that is to be shown: its parameters, and what was predicted.
type Shown = (Vec<BigInt>, Predicted);

impl Fit {
    /// The values at these parameters.
    ///
    /// # Errors
    ///
    /// Those of [`Fit::value`].
    pub fn values(&self, table: &Table, at: &[Vec<BigInt>]) -> Result<Vec<Shown>, PredictError> {
        let values = at.iter().map(|at| Ok((at.clone(), self.value(table, at)?)));
        values.collect()
    }

    /// The report, with values at other parameters.
    pub fn report(&self, table: &Table, values: &[Shown], page: Page) -> String {
        let (of, names) = (&table.of, table.names.join(", "));
        let head = match self.text(table) {
            Some(formula) => format!("{of}({names}) = {formula}"),
            None => format!("{of}({names}): no function fits"),
        };
        let mut text = format!("{}\n", printable(&head));
        text.push_str(&page.wrapped(&self.standing(table)));
        if !values.is_empty() {
            text.push('\n');
            text.push_str(&self.value_table(table, values, page));
        }
        text
    }

    /// How far the function can be relied on.
    fn standing(&self, table: &Table) -> String {
        let names = table.names.iter().zip(ranges(table));
        let parts = names
            .map(|(name, (least, most))| format!("{} from {least} to {most}", printable(name)));
        let (points, range) = (table.points.len(), parts.collect::<Vec<_>>().join(", "));
        let confirming = points.saturating_sub(self.unknowns);
        let fitting = match &self.from {
            None => format!("fits all {points} points, {range}"),
            Some(from) => format!("fits the points from {from} on, of {points} points, {range}"),
        };
        let exact = |kind: &str| {
            format!(
                "Exact: {kind} {fitting}. It has {}, so {confirming} points confirm it. What begins above is not seen.\n",
                counted(self.unknowns as u64, "number", "numbers")
            )
        };
        match &self.class {
            Class::Exact { kind, .. } => exact(kind),
            Class::Recurrence(_) => exact("a recurrence"),
            Class::Regular(_) => exact("a 2-regular sequence"),
            Class::Approximate(found) => format!(
                "Approximate: no exact function fits the {points} points, {range}. Found below half of the largest size, it errs by up to {:.2} % above. Errors elsewhere are estimates, and no bounds.\n",
                100.0 * found.error
            ),
            Class::Table => format!("Only the {points} points are known, {range}.\n"),
        }
    }

    fn value_table(&self, table: &Table, values: &[Shown], page: Page) -> String {
        let mut layout = Layout::new(&vec![Align::Right; table.names.len() + 2]);
        let head = table.names.iter().map(String::as_str);
        layout.row(head.chain([table.of.as_str(), ""]).collect::<Vec<_>>());
        for (at, predicted) in values {
            let mut cells: Vec<String> = at.iter().map(BigInt::to_string).collect();
            let (value, error) = match predicted {
                Predicted::Exact(value) => (rational_text(value), String::new()),
                Predicted::Approximate(value, error) => (
                    format!("≈{}", float_text(*value)),
                    format!("± {:.2} %", 100.0 * error),
                ),
            };
            cells.extend([value, error]);
            layout.row(cells);
        }
        layout.render_on(page)
    }

    /// What is to be written as JSON: `tally.fit/1`.
    pub fn document(&self, table: &Table, values: &[Shown]) -> impl Serialize {
        let (class, kind) = match &self.class {
            Class::Exact { kind, .. } => ("exact", Some(*kind)),
            Class::Recurrence(_) => ("exact", Some("a recurrence")),
            Class::Regular(_) => ("exact", Some("a 2-regular sequence")),
            Class::Approximate(_) => ("approximate", None),
            Class::Table => ("table", None),
        };
        let ranges = table.names.iter().zip(ranges(table));
        let values = values.iter().map(|(at, predicted)| {
            let (value, error) = match predicted {
                Predicted::Exact(value) => (value.to_string(), None),
                Predicted::Approximate(value, error) => (value.to_string(), Some(*error)),
            };
            ValueDocument {
                at: at.iter().map(BigInt::to_string).collect(),
                value,
                error,
            }
        });
        Document {
            schema: "tally.fit/1",
            of: table.of.clone(),
            class,
            kind,
            formula: self.text(table),
            points: table.points.len(),
            numbers: self.unknowns,
            from: self.from.as_ref().map(BigInt::to_string),
            parameters: ranges
                .map(|(name, (least, most))| ParameterDocument {
                    name: name.clone(),
                    least: least.to_string(),
                    most: most.to_string(),
                })
                .collect(),
            values: values.collect(),
        }
    }
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    of: String,
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<String>,
    points: usize,
    numbers: usize,
    /// From this parameter on it holds, if not for all points.
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    parameters: Vec<ParameterDocument>,
    values: Vec<ValueDocument>,
}

#[derive(Serialize)]
struct ParameterDocument {
    name: String,
    least: String,
    most: String,
}

#[derive(Serialize)]
struct ValueDocument {
    at: Vec<String>,
    /// A number, or a fraction.
    value: String,
    /// The relative error, if it is approximate.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
}
