//! A table in Markdown.

use std::fmt::Write as _;

use super::{Column, Table};
use crate::escape::markdown;

impl Table {
    /// Adds the table in Markdown, without its title.
    pub fn push_markdown(&self, text: &mut String) {
        let _ = write!(text, "{}\n\n", markdown(&self.reading));
        let headings: Vec<String> = self
            .columns
            .iter()
            .map(|column| markdown(&column.heading()))
            .collect();
        push_row(&headings, text);
        let aligns: Vec<String> = self.columns.iter().map(align).collect();
        push_row(&aligns, text);
        for row in &self.rows {
            let cells = row.cells.iter().zip(&self.columns);
            let cells: Vec<String> = cells
                .map(|(cell, column)| markdown(&cell.shown(column.kind)))
                .map(|cell| match row.is_sum && !cell.is_empty() {
                    true => format!("**{cell}**"),
                    false => cell,
                })
                .collect();
            push_row(&cells, text);
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            let _ = writeln!(text, "{}", markdown(note));
        }
    }
}

fn push_row(cells: &[String], text: &mut String) {
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

fn align(column: &Column) -> String {
    if column.is_number() { "---:" } else { "---" }.to_string()
}
