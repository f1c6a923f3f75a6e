//! The page of a difference of imported measurements: causes and functions. Counts that are not known have no column.

use tally_presentation::html::{ColumnKind, PageTable, TablesPage, clipped};

use crate::difference::{Difference, MethodDifference, headline};
use crate::explanation::{Explained, how_text, trail_text};

/// The page.
pub(super) fn page(difference: &Difference, explained: &Explained, sides: [&str; 2]) -> String {
    let [old, new] = sides.map(clipped);
    let notes = difference.notes.iter().map(|note| format!("Note: {note}."));
    let page = TablesPage {
        title: format!("{old} → {new}"),
        kind: "Tally comparison",
        paragraphs: std::iter::once(headline(difference)).chain(notes).collect(),
        tables: vec![causes(difference, explained), functions(difference)],
        foot: difference.unit.proxy().trim_end().to_string(),
    };
    page.html()
}

fn causes(difference: &Difference, explained: &Explained) -> PageTable {
    let mut rows = Vec::new();
    for part in &explained.parts {
        let names: Vec<&str> = part
            .causes
            .iter()
            .map(|cause| cause.name.as_str())
            .collect();
        for way in &part.ways {
            let how = how_text(way, names.len() > 1, &difference.unit);
            let how = match way.trail.len() {
                0 | 1 => how.to_string(),
                _ => format!("{how}: {}", trail_text(&way.trail)),
            };
            rows.push(vec![names.join(", "), how, way.part.to_string()]);
        }
    }
    PageTable {
        title: "Why".to_string(),
        columns: vec![
            ("function".to_string(), ColumnKind::Name),
            ("how".to_string(), ColumnKind::Detail),
            ("part".to_string(), ColumnKind::Text),
        ],
        rows,
        is_sorted: false,
    }
}

fn functions(difference: &Difference) -> PageTable {
    let unit = &difference.unit;
    let row = |method: &MethodDifference| {
        let (before, after) = (&method.before, &method.after);
        let mut row = vec![method.name.clone(), method.fate.word().to_string()];
        row.push(method.total_difference().to_string());
        row.push(method.own_difference().to_string());
        row.extend(
            [before.total, after.total, before.own, after.own].map(|count| count.to_string()),
        );
        if unit.calls {
            row.extend([before.calls, after.calls].map(|count| count.to_string()));
        }
        row
    };
    let name = &unit.name;
    let mut columns = vec![
        ("function".to_string(), ColumnKind::Name),
        ("change".to_string(), ColumnKind::Detail),
        (format!("total {name}"), ColumnKind::Difference),
        (format!("own {name}"), ColumnKind::Difference),
    ];
    let counts = ["total before", "total after", "own before", "own after"];
    let calls = ["calls before", "calls after"];
    let calls = calls.into_iter().filter(|_| unit.calls);
    let counts = counts.into_iter().chain(calls);
    columns.extend(counts.map(|title| (title.to_string(), ColumnKind::Count)));
    PageTable {
        title: "Functions".to_string(),
        columns,
        rows: difference.methods.iter().map(row).collect(),
        is_sorted: true,
    }
}
