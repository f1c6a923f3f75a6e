//! `--methods`: what each call of a method sends, in the tests together, and where that is written.

use std::path::PathBuf;

use serde::Serialize;
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Column, Kind, Row, Table, Value};
use tally_vm::MODEL_VERSION;
use tally_workbench::testing::methods::{AllCalls, MethodCalls};

use crate::failure::Failure;
use crate::{console, output};

/// The endings of the files.
const ENDINGS: &[&str] = &["json", "md", "csv", "txt"];

/// The file of the report; its ending is its format.
#[derive(Clone, Debug)]
pub(crate) struct MethodsTo {
    file: PathBuf,
    ending: Option<&'static str>,
}

impl std::str::FromStr for MethodsTo {
    type Err = String;

    fn from_str(text: &str) -> Result<MethodsTo, String> {
        let file = PathBuf::from(text);
        let ending =
            output::ending(&file, ENDINGS).map_err(|failure| failure.message().to_string())?;
        Ok(MethodsTo { file, ending })
    }
}

#[derive(Serialize)]
struct Document<'c> {
    schema: &'static str,
    model: u32,
    methods: Vec<&'c MethodCalls>,
}

impl MethodsTo {
    /// Writes it.
    pub(super) fn write(&self, calls: &AllCalls) -> Result<(), Failure> {
        let rows = calls.rows();
        let text = match self.ending {
            None => format!("\n{}", human(&rows, console::results_page())),
            Some("json") => output::json(&Document {
                schema: "tally.methods/1",
                model: MODEL_VERSION,
                methods: rows,
            })?,
            Some("md") => {
                let mut text = String::new();
                table(&rows).push_markdown(&mut text);
                text
            }
            Some("csv") => table(&rows).csv(),
            Some(_) => human(&rows, Page::default()),
        };
        output::write(&text, Some(&self.file))
    }
}

fn human(rows: &[&MethodCalls], page: Page) -> String {
    let mut text = String::new();
    table(rows).push_text(page, &mut text);
    text
}

fn table(rows: &[&MethodCalls]) -> Table {
    let mut table = Table::new(
        "methods",
        "Sends of a call, by method",
        "With all that the call causes; in tests that passed, setUp and tearDown included.",
    );
    let column = |name: &str, kind| Column {
        name: name.to_string(),
        unit: "",
        kind,
    };
    table.columns = vec![
        column("method", Kind::Name),
        column("calls", Kind::Number(Style::Whole)),
        column("min", Kind::Number(Style::Whole)),
        column("mean", Kind::Number(Style::Fixed(1))),
        column("max", Kind::Number(Style::Whole)),
    ];
    table.rows = rows
        .iter()
        .map(|row| Row {
            cells: vec![
                Value::from(row.method.as_str()),
                Value::from(row.calls),
                Value::from(row.min),
                Value::from(row.mean()),
                Value::from(row.max),
            ],
            is_sum: false,
        })
        .collect();
    table
}
