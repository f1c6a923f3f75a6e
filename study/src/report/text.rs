//! The report as a text for people: what was found, then the tables.

use tally_presentation::{Align, Cell, Layout, Page, Tint, printable, width};
use tally_profiler::PROXY;

use super::table::{Column, Kind, Row, Table, Value};
use super::{answers, findings, tables, targets, trust};
use crate::results::Study;

/// A study as a text for people.
pub fn text(study: &Study, page: Page) -> String {
    let mut text = String::new();
    push_findings(study, page, &mut text);
    let answers = answers::answers(study);
    if !answers.is_empty() {
        push_title("The paper's questions", page, &mut text);
    }
    for answer in answers {
        push_item(&answer, page, &mut text);
    }
    let targets = targets::targets(study).filled();
    for table in targets.into_iter().chain(tables::all(study)) {
        push_table(&table, page, &mut text);
    }
    push_title("When not to trust a count", page, &mut text);
    for advice in trust::advice(study) {
        push_item(&advice, page, &mut text);
    }
    text.push('\n');
    text.push_str(&page.wrapped(PROXY));
    text
}

fn push_title(title: &str, page: Page, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    push_strong(title, page, text);
}

fn push_strong(words: &str, page: Page, text: &mut String) {
    for line in page.wrapped(&printable(words)).lines() {
        text.push_str(&page.tinted(line, Tint::Strong));
        text.push('\n');
    }
}

fn push_findings(study: &Study, page: Page, text: &mut String) {
    push_title("What was found", page, text);
    let findings = findings::findings(study);
    if findings.is_empty() {
        text.push_str(
            &page.wrapped("No application was measured often enough to tell anything.\n"),
        );
    }
    for finding in findings {
        push_item(&finding, page, text);
    }
}

/// A sentence of a list; its further lines stand in line with the first.
fn push_item(sentence: &str, page: Page, text: &mut String) {
    let narrower = Page {
        width: page.width.map(|width| width.saturating_sub(2)),
        ..page
    };
    let wrapped = narrower.wrapped(&printable(sentence));
    for (number, line) in wrapped.lines().enumerate() {
        text.push_str(if number == 0 { "- " } else { "  " });
        text.push_str(line);
        text.push('\n');
    }
}

fn push_table(table: &Table, page: Page, text: &mut String) {
    push_title(&table.title, page, text);
    let reading = page.wrapped(&printable(&table.reading));
    for line in reading.lines() {
        text.push_str(&page.tinted(line, Tint::Dim));
        text.push('\n');
    }
    text.push('\n');
    let columns = layout(table).render_on(page);
    match page.width {
        Some(most)
            if widest(&layout(table).render_on(Page {
                color: false,
                ..page
            })) > most =>
        {
            push_records(table, page, text);
        }
        _ => text.push_str(&columns),
    }
    if !table.notes.is_empty() {
        text.push('\n');
    }
    for note in &table.notes {
        text.push_str(&page.wrapped(&printable(note)));
        text.push('\n');
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

/// Rows where columns have no room beside each other: a name, and below it what is known of it.
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
