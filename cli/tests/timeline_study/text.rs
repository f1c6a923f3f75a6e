//! Tables and texts of the document.

use std::fmt::Write as _;

/// A table in Markdown. Its first columns have names, and its other columns have figures.
pub(crate) struct Table {
    columns: usize,
    text: String,
}

impl Table {
    /// A table with this number of columns of names.
    pub(crate) fn new(names: usize, columns: &[&str]) -> Table {
        let mut table = Table {
            columns: columns.len(),
            text: String::new(),
        };
        table.row(columns);
        table.text.push_str(&"| --- ".repeat(names));
        table
            .text
            .push_str(&"| ---: ".repeat(columns.len() - names));
        table.text.push_str("|\n");
        table
    }

    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        assert_eq!(cells.len(), self.columns);
        for cell in cells {
            let _ = write!(self.text, "| {} ", cell.as_ref());
        }
        self.text.push_str("|\n");
    }

    pub(crate) fn text(self) -> String {
        self.text
    }
}

/// As code.
pub(crate) fn code(text: &str) -> String {
    format!("`{text}`")
}

/// The text with another part in place of a part that it has once.
pub(crate) fn replaced(text: &str, part: &str, by: &str) -> String {
    assert_eq!(text.matches(part).count(), 1, "{part}");
    text.replace(part, by)
}
