//! Coverage as JSON, `tally.coverage/1`: all data, for other programs.

use serde::Serialize;

use super::{Coverage, Share, Shares, lines_of};

/// The schema's name.
pub const COVERAGE_SCHEMA: &str = "tally.coverage/1";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'c> {
    schema: &'static str,
    /// How many were added up: tests, as a rule.
    recordings: u64,
    total: Total,
    files: Vec<File<'c>>,
}

#[derive(Serialize)]
struct Total {
    methods: Part,
    blocks: Part,
    lines: Part,
    sites: Part,
}

#[derive(Serialize)]
struct Part {
    covered: u64,
    all: u64,
}

#[derive(Serialize)]
struct File<'c> {
    file: &'c str,
    total: Total,
    methods: Vec<Method<'c>>,
    lines: Vec<Row>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Method<'c> {
    name: &'c str,
    class: &'c str,
    line: usize,
    last_line: usize,
    /// Activations; of a method that needs none, recordings in which it was sent.
    count: u64,
    blocks: Vec<Block>,
    sites: Vec<Site<'c>>,
}

#[derive(Serialize)]
struct Block {
    line: usize,
    column: usize,
    count: u64,
}

#[derive(Serialize)]
struct Site<'c> {
    line: usize,
    column: usize,
    selector: &'c str,
    count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    line: usize,
    count: u64,
    /// Whether something on it never happened, though something did.
    is_partial: bool,
}

impl From<Share> for Part {
    fn from(Share { covered, all }: Share) -> Part {
        Part { covered, all }
    }
}

impl From<Shares> for Total {
    fn from(shares: Shares) -> Total {
        Total {
            methods: shares.methods.into(),
            blocks: shares.blocks.into(),
            lines: shares.lines.into(),
            sites: shares.sites.into(),
        }
    }
}

impl Coverage {
    /// The document, indented. Files without code to cover are left out.
    ///
    /// # Errors
    /// The data causes none; errors of the writer are passed on.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let files = 0..self.outline.files.len();
        let document = Document {
            schema: COVERAGE_SCHEMA,
            recordings: self.recordings,
            total: self.shares().into(),
            files: files.filter_map(|number| self.file(number)).collect(),
        };
        serde_json::to_string_pretty(&document)
    }

    fn file(&self, number: usize) -> Option<File<'_>> {
        let shares = self.shares_of(self.routines_of(number));
        let methods = self.routines_of(number).map(|(routine, counts)| Method {
            name: &routine.name,
            class: &routine.class,
            line: routine.line,
            last_line: routine.last_line,
            count: counts.of_method(routine),
            blocks: (routine.blocks.iter().zip(&counts.blocks))
                .map(|(block, &count)| Block {
                    line: block.line,
                    column: block.column,
                    count,
                })
                .collect(),
            sites: (routine.sites.iter().zip(&counts.sites))
                .map(|(site, &count)| Site {
                    line: site.line,
                    column: site.column,
                    selector: &site.selector,
                    count,
                })
                .collect(),
        });
        let lines = lines_of(self.routines_of(number)).into_iter();
        (shares != Shares::default()).then(|| File {
            file: &self.outline.files[number].name,
            total: shares.into(),
            methods: methods.collect(),
            lines: lines
                .map(|(line, row)| Row {
                    line,
                    count: row.count,
                    is_partial: row.is_partial(),
                })
                .collect(),
        })
    }
}
