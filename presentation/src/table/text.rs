//! A table as text for people.

use super::{Column, Kind, Row, Table, Value};
use crate::columns::{Align, Cell, Layout};
use crate::escape::printable;
use crate::page::{Page, Tint, push_strong, push_title};
use crate::width::width;

impl Table {
    /// Adds the table as text: columns, or records where columns have no room.
    pub fn push_text(&self, page: Page, text: &mut String) {
        push_title(&self.title, page, text);
        let reading = page.wrapped(&printable(&self.reading));
        for line in reading.lines() {
            text.push_str(&page.tinted(line, Tint::Dim));
            text.push('\n');
        }
        text.push('\n');
        match self.is_within(page) {
            true => text.push_str(&layout(self).render_on(page)),
            false => push_records(self, page, text),
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for note in &self.notes {
            text.push_str(&page.wrapped(&printable(note)));
            text.push('\n');
        }
    }

    /// Whether the columns have room beside each other.
    pub fn is_within(&self, page: Page) -> bool {
        let plain = Page {
            color: false,
            ..page
        };
        let fits = |most| widest(&layout(self).render_on(plain)) <= most;
        page.width.is_none_or(fits)
    }
}

fn widest(text: &str) -> usize {
    text.lines().map(width).max().unwrap_or(0)
}

fn layout(table: &Table) -> Layout {
    let aligns: Vec<Align> = table.columns.iter().map(align).collect();
    let mut layout = Layout::new(&aligns);
    layout.row(table.columns.iter().map(Column::heading));
    for row in &table.rows {
        let tint = if row.is_sum {
            Tint::Strong
        } else {
            Tint::Plain
        };
        let cells = shown(table, row).into_iter();
        layout.row(cells.map(|text| Cell::from(text).tinted(tint)));
    }
    layout
}

fn align(column: &Column) -> Align {
    match column.kind {
        Kind::Name => Align::Flexible,
        Kind::Words => Align::Left,
        Kind::Number(_) | Kind::Range(_) => Align::Right,
    }
}

fn shown(table: &Table, row: &Row) -> Vec<String> {
    let cells = row.cells.iter().zip(&table.columns);
    cells
        .map(|(cell, column)| cell.shown(column.kind))
        .collect()
}

/// Rows whose columns do not fit beside each other: a name, and the other cells below it.
fn push_records(table: &Table, page: Page, text: &mut String) {
    for row in &table.rows {
        let cells = shown(table, row);
        let mut cells = cells.iter().zip(&table.columns).zip(&row.cells);
        let Some(((first, _), _)) = cells.next() else {
            continue;
        };
        push_strong(first, page, text);
        let known =
            cells.filter(|((text, _), cell)| !matches!(cell, Value::Blank) && !text.is_empty());
        let parts: Vec<String> = known
            .map(|((text, column), _)| match column.heading().as_str() {
                "" => text.clone(),
                heading => format!("{heading}: {text}"),
            })
            .collect();
        let narrower = Page {
            width: page.width.map(|width| width.saturating_sub(2)),
            ..page
        };
        for line in narrower.wrapped(&printable(&parts.join("; "))).lines() {
            text.push_str("  ");
            text.push_str(line);
            text.push('\n');
        }
    }
}
