//! Rows of cells as aligned columns of text, on a page that may limit the width of its lines.

use crate::escape::printable;
use crate::page::{Page, Tint};
use crate::width::{shortened, width};

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
    /// Text whose middle may be left out where lines have an end; one column of a table at most.
    Flexible,
}

/// What stands in a column of a row: a text that may be shortened and tinted, with something before and behind it
/// that is neither.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// Before the text.
    pub lead: String,
    /// The text.
    pub text: String,
    /// Behind the text.
    pub tail: String,
    /// How the text stands out.
    pub tint: Tint,
}

impl<S: Into<String>> From<S> for Cell {
    fn from(text: S) -> Cell {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }
}

impl Cell {
    /// The same in that tint.
    pub fn tinted(self, tint: Tint) -> Cell {
        Cell { tint, ..self }
    }

    fn width(&self) -> usize {
        width(&self.lead) + width(&printable(&self.text)) + width(&self.tail)
    }

    /// The cell in at most `most` columns if its text can be made short enough, and how many it takes.
    fn shown(&self, most: usize, page: Page) -> (String, usize) {
        let printed = printable(&self.text);
        let around = width(&self.lead) + width(&self.tail);
        let text = shortened(&printed, most.saturating_sub(around).max(LEAST_NAME));
        let shown = format!(
            "{}{}{}",
            page.tinted(&self.lead, Tint::Dim),
            page.tinted(&text, self.tint),
            page.tinted(&self.tail, Tint::Dim)
        );
        (shown, around + width(&text))
    }
}

/// The least width of a name, on the narrowest terminal.
const LEAST_NAME: usize = 12;
/// Spaces between columns.
const GAP: usize = 2;

/// Rows of cells that are written as aligned columns.
#[derive(Clone, Debug)]
pub struct Layout {
    columns: Vec<Align>,
    rows: Vec<Vec<Cell>>,
}

impl Layout {
    /// An empty table with these columns; the first row that is added is the heading.
    pub fn new(columns: &[Align]) -> Layout {
        Layout {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The rows, two spaces between columns, nothing behind the last; lines as long as they need to be.
    pub fn render(&self) -> String {
        self.render_on(Page::default())
    }

    /// As [`Layout::render`], for a page.
    pub fn render_on(&self, page: Page) -> String {
        let widths = self.widths(page);
        let mut text = String::new();
        for row in &self.rows {
            self.render_row(row, &widths, page, &mut text);
        }
        text
    }

    fn render_row(&self, row: &[Cell], widths: &[usize], page: Page, text: &mut String) {
        // Spaces are owed until something follows them.
        let mut owed = 0;
        for ((cell, &column), align) in row.iter().zip(widths).zip(&self.columns) {
            let most = match align {
                Align::Flexible => column,
                Align::Left | Align::Right => usize::MAX,
            };
            let (shown, taken) = cell.shown(most, page);
            let free = column.saturating_sub(taken);
            if *align == Align::Right {
                owed += free;
            }
            if taken > 0 {
                text.extend(std::iter::repeat_n(' ', owed));
                text.push_str(&shown);
                owed = 0;
            }
            owed += GAP;
            if *align != Align::Right {
                owed += free;
            }
        }
        text.push('\n');
    }

    /// The width of each column; the flexible one gets the remainder.
    fn widths(&self, page: Page) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(Cell::width).max().unwrap_or(0)
        };
        let mut widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let flexible = self.columns.iter().position(|c| *c == Align::Flexible);
        if let (Some(flexible), Some(most)) = (flexible, page.width) {
            let others: usize = widths.iter().sum::<usize>() - widths[flexible];
            let gaps = GAP * (widths.len() - 1);
            let left = most.saturating_sub(others + gaps).max(LEAST_NAME);
            widths[flexible] = widths[flexible].min(left);
        }
        widths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_tail() {
        let mut layout = Layout::new(&[Align::Right, Align::Left]);
        layout.row(["n", "name"]);
        layout.row(["10", "a"]);
        assert_eq!(layout.render(), " n  name\n10  a\n");
    }

    #[test]
    fn names_give_way_where_lines_end() {
        let mut layout = Layout::new(&[Align::Right, Align::Flexible, Align::Left]);
        layout.row(["n", "name", "bar"]);
        layout.row(["1", "OrderedCollection>>inject:into:", "█"]);
        let page = Page {
            width: Some(30),
            color: false,
        };
        let text = layout.render_on(page);
        assert_eq!(
            text,
            "n  name                    bar\n1  OrderedColl…ject:into:  █\n"
        );
        assert!(text.lines().all(|line| width(line) <= 30), "{text}");
    }

    #[test]
    fn wide_names_are_aligned_and_colour_takes_no_room() {
        let mut layout = Layout::new(&[Align::Left, Align::Right]);
        layout.row([Cell::from("数").tinted(Tint::Dim), Cell::from("1")]);
        layout.row(["abc", "22"]);
        assert_eq!(layout.render(), "数    1\nabc  22\n");
        let page = Page {
            width: None,
            color: true,
        };
        assert_eq!(layout.render_on(page), "\x1b[2m数\x1b[0m    1\nabc  22\n");
    }

    #[test]
    fn empty_cells_keep_their_room() {
        let mut layout = Layout::new(&[Align::Right, Align::Right, Align::Left]);
        layout.row(["1", "22", "a"]);
        layout.row(["", "3", "b"]);
        layout.row(["4", "", "c"]);
        layout.row(["5", "", ""]);
        assert_eq!(layout.render(), "1  22  a\n    3  b\n4      c\n5\n");
    }
}
