//! A page of paragraphs and tables, for results that need nothing else. The script sorts and searches the tables.

use serde::Serialize;
use serde_json::{Value, json};

use super::{
    BASE_STYLE, Budget, ELEMENTS, ScriptedPage, TABLE, TABLE_STYLE, TEXT, THEME, clipped, text_size,
};

/// Bytes of all rows; with the page's own text it stays below 5 MB.
const ALL: usize = 4_600_000;

/// The kind of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ColumnKind {
    /// Names; the first column alone.
    Name,
    /// Texts that stand below the names.
    Detail,
    /// Short texts beside them.
    Text,
    /// Counts.
    Count,
    /// Differences of counts, with their signs.
    Difference,
}

/// A table: its columns, and rows with a cell for each column. The first column has the names.
#[derive(Clone, Debug)]
pub struct PageTable {
    /// The title of the table.
    pub title: String,
    /// Titles and kinds of the columns.
    pub columns: Vec<(String, ColumnKind)>,
    /// Cells as texts; counts in decimal digits.
    pub rows: Vec<Vec<String>>,
    /// Whether the rows can be sorted.
    pub is_sorted: bool,
}

/// A page of paragraphs and tables.
#[derive(Clone, Debug)]
pub struct TablesPage {
    /// The heading; any text.
    pub title: String,
    /// The kind of the page, which the title of the window names after the heading.
    pub kind: &'static str,
    /// Paragraphs above the tables.
    pub paragraphs: Vec<String>,
    /// The tables.
    pub tables: Vec<PageTable>,
    /// The text at the foot.
    pub foot: String,
}

impl TablesPage {
    /// The page, of at most 5 MB. Rows without room are counted.
    pub fn html(&self) -> String {
        let share = ALL / self.tables.len().max(1);
        let tables: Vec<Value> = self.tables.iter().map(|table| data(table, share)).collect();
        let paragraphs: Vec<String> = self.paragraphs.iter().map(|text| clipped(text)).collect();
        let title = clipped(&self.title);
        let document = json!({ "title": title, "paragraphs": paragraphs, "tables": tables });
        let page = ScriptedPage {
            title: &format!("{title} · {}", self.kind),
            foot: &self.foot,
            json: &document.to_string(),
            styles: &[BASE_STYLE, TABLE_STYLE],
            scripts: &[TEXT, THEME, ELEMENTS, TABLE, include_str!("page/tables.js")],
        };
        page.html()
    }
}

fn data(table: &PageTable, bytes: usize) -> Value {
    let mut budget = Budget::new(bytes);
    let rows = table
        .rows
        .iter()
        .map(|row| -> Vec<String> { row.iter().map(|cell| clipped(cell)).collect() });
    let size = |row: &Vec<String>| row.iter().map(|cell| text_size(cell)).sum::<usize>() + 3;
    let rows: Vec<Vec<String>> = rows.take_while(|row| budget.take(size(row))).collect();
    json!({
        "title": clipped(&table.title),
        "columns": table.columns.iter().map(|(title, kind)| json!({ "title": title, "kind": kind })).collect::<Vec<_>>(),
        "leftOut": table.rows.len() - rows.len(),
        "rows": rows,
        "isSorted": table.is_sorted,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rows: usize) -> String {
        let row = |number: usize| vec!["<b>\u{1b}".repeat(50), number.to_string()];
        let table = PageTable {
            title: "t".to_string(),
            columns: vec![
                ("name".to_string(), ColumnKind::Name),
                ("n".to_string(), ColumnKind::Count),
            ],
            rows: (0..rows).map(row).collect(),
            is_sorted: true,
        };
        let page = TablesPage {
            title: "<t>".to_string(),
            kind: "Tally page",
            paragraphs: vec!["</script><p>".to_string()],
            tables: vec![table],
            foot: "f".to_string(),
        };
        page.html()
    }

    #[test]
    fn no_text_is_markup_and_a_page_has_a_bound() {
        let text = page(3);
        assert!(!text.contains("<b>") && !text.contains("</script><p>"));
        assert!(text.contains("\"leftOut\":0"), "{text}");
        let long = page(20_000);
        assert!(long.len() < 5_000_000);
        assert!(!long.contains("\"leftOut\":0"));
    }
}
