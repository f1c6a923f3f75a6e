//! A list of traces: what was run, from when to when, and how it ended. Nothing is replayed: the heads of blocks say it.

use std::collections::BTreeMap;

use serde::Serialize;
use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::trace::{Cut, Ending, Head};

/// A trace of a list.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The name of the file.
    pub name: String,
    /// What was run, and under which rules.
    pub head: Head,
    /// The first moment of an event, if there is one, in ticks.
    pub first: Option<u64>,
    /// The last moment, in ticks.
    pub last: u64,
    /// How the run ended.
    pub ending: Ending,
    /// How many records its blocks of events have.
    pub records: u64,
    /// Where it ends, if its end is missing.
    pub cut: Option<Cut>,
    /// Whether another process is still writing it.
    pub is_growing: bool,
}

/// Traces, in the order in which they were named.
#[derive(Clone, Debug)]
pub struct Listing(pub Vec<Listed>);

/// A trace for programs.
#[derive(Debug, Serialize)]
struct ListedRow {
    trace: String,
    first: Option<u64>,
    last: u64,
    model: u32,
    program: String,
    files: Vec<String>,
    cpus: Option<u64>,
    costs: BTreeMap<String, u64>,
    settings: BTreeMap<String, String>,
    ending: &'static str,
    records: u64,
    /// Bytes up to which it was read, if its end is missing.
    #[serde(rename = "readTo")]
    read_to: Option<u64>,
}

/// The list for programs.
#[derive(Debug, Serialize)]
pub struct ListDocument {
    schema: &'static str,
    traces: Vec<ListedRow>,
}

const READING: &str = "Times are in ticks, or in units of work. Records: events, and the names and requests that they mention.";

impl Listed {
    /// How the run ended, in a word.
    fn ending(&self) -> &'static str {
        match self.is_growing {
            true => "running",
            false => self.ending.word(),
        }
    }

    fn row(&self) -> ListedRow {
        ListedRow {
            trace: self.name.clone(),
            first: self.first,
            last: self.last,
            model: self.head.model,
            program: format!("{:016x}", self.head.program),
            files: self.head.files.clone(),
            cpus: self.head.cpus,
            costs: self.head.costs.iter().cloned().collect(),
            settings: self.head.settings.iter().cloned().collect(),
            ending: self.ending(),
            records: self.records,
            read_to: self.cut.map(|cut| cut.bytes),
        }
    }
}

impl Listing {
    /// A row for each trace.
    pub fn table(&self) -> Table {
        let mut table = Table::new("traces", "Traces", READING)
            .name("trace")
            .words("program")
            .number("first", "", Style::Whole)
            .number("last", "", Style::Whole)
            .words("cpus")
            .words("ending")
            .number("records", "", Style::Whole);
        for one in &self.0 {
            let cpus = one.head.cpus;
            let cpus = cpus.map_or("max".to_string(), |cpus| cpus.to_string());
            table.row([
                Value::from(one.name.clone()),
                one.head.files.join(" ").into(),
                one.first.into(),
                one.last.into(),
                cpus.into(),
                one.ending().into(),
                one.records.into(),
            ]);
        }
        table
    }

    /// The list as text.
    pub fn text(&self, page: Page) -> String {
        let mut text = String::new();
        self.table().push_text(page, &mut text);
        text
    }

    /// For programs: `tally.timeline.list/1`.
    pub fn document(&self) -> ListDocument {
        ListDocument {
            schema: "tally.timeline.list/1",
            traces: self.0.iter().map(Listed::row).collect(),
        }
    }
}
