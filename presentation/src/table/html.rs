//! A table in HTML.

use std::fmt::Write as _;

use super::{Row, Table, Value};
use crate::escape::written;

impl Table {
    /// Adds the table in HTML, with its title as a heading of that level. `badge` maps a word to its class; such words
    /// stand in a column without a name.
    pub fn push_html(
        &self,
        level: &str,
        badge: fn(&str) -> Option<&'static str>,
        page: &mut String,
    ) {
        let _ = write!(
            page,
            "<{level}>{}</{level}>\n<p class=\"hint\">{}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
            written(&self.title),
            written(&self.reading),
            written(&self.title)
        );
        for column in &self.columns {
            let class = if column.is_number() {
                " class=\"right\""
            } else {
                ""
            };
            let unit = match column.unit {
                "" => String::new(),
                unit => format!(" <span class=\"unit\">{}</span>", written(unit)),
            };
            let _ = write!(
                page,
                "<th scope=\"col\"{class}>{}{unit}</th>",
                written(&column.name)
            );
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            push_row(self, row, badge, page);
        }
        page.push_str("</tbody></table></div>\n");
        for note in &self.notes {
            let _ = writeln!(page, "<p class=\"beside\">{}</p>", written(note));
        }
    }
}

fn push_row(table: &Table, row: &Row, badge: fn(&str) -> Option<&'static str>, page: &mut String) {
    page.push_str(if row.is_sum {
        "<tr class=\"sum\">"
    } else {
        "<tr>"
    });
    for (number, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
        let text = written(&cell.shown(column.kind));
        let class = match (cell, column.name.as_str()) {
            (Value::Text(word), "") => badge(word),
            _ => None,
        };
        let text = class.map_or(text.clone(), |class| {
            format!("<span class=\"badge {class}\">{text}</span>")
        });
        let class = if column.is_number() {
            " class=\"right\""
        } else {
            ""
        };
        let _ = match number {
            0 => write!(page, "<th scope=\"row\"{class}>{text}</th>"),
            _ => write!(page, "<td{class}>{text}</td>"),
        };
    }
    page.push_str("</tr>\n");
}
