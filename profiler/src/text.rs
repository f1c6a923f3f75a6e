//! Numbers and columns for people. Deterministic: no locale; colours and the width of a terminal only where whoever
//! asks for a text says so.

use std::borrow::Cow;

use crate::width::{printable, shortened, width};

/// Where a text is shown. The default is nowhere in particular: lines as long as they need to be, without colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Columns that a line has, if there is an end to it.
    pub width: Option<usize>,
    /// Whether there are colours.
    pub color: bool,
}

impl Page {
    /// Sentences with their lines broken between words where they would not fit.
    pub fn wrapped(self, text: &str) -> String {
        let Some(most) = self.width else {
            return text.to_string();
        };
        let mut wrapped = String::with_capacity(text.len());
        for line in text.split_inclusive('\n') {
            let mut used = 0;
            for word in line.split_inclusive(' ') {
                let taken = width(word.trim_end());
                if used > 0 && used + taken > most {
                    wrapped.truncate(wrapped.trim_end_matches(' ').len());
                    wrapped.push('\n');
                    used = 0;
                }
                wrapped.push_str(word);
                used += width(word.trim_end_matches('\n'));
            }
        }
        wrapped
    }

    /// The text as it looks in that tint.
    pub fn tinted<'t>(self, text: &'t str, tint: Tint) -> Cow<'t, str> {
        let code = match tint {
            _ if !self.color || text.is_empty() => return Cow::Borrowed(text),
            Tint::Plain => return Cow::Borrowed(text),
            Tint::Dim => "2",
            Tint::Strong => "1",
            Tint::Hot => "1;33",
        };
        Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m"))
    }
}

/// How a part of a text stands out. What it says is never in the tint alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tint {
    /// As everything else.
    #[default]
    Plain,
    /// What one looks at last.
    Dim,
    /// What one looks at first.
    Strong,
    /// What costs much.
    Hot,
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A difference with its sign; `=` for none, so that a column of differences shows at a glance.
pub fn signed(difference: i128) -> String {
    let size = grouped(u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX));
    match difference.signum() {
        0 => "=".to_string(),
        1 => format!("+{size}"),
        _ => format!("-{size}"),
    }
}

/// A part of a whole in percent with one decimal, rounded half up, by integer arithmetic alone.
pub fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_string();
    }
    let (part, whole) = (u128::from(part), u128::from(whole));
    let tenths = (part * 2000 + whole) / (whole * 2);
    format!("{}.{}%", tenths / 10, tenths % 10)
}

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

    /// The cell in at most so many columns if its text can be made short enough, and how many it takes.
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

/// What is left of a name on the narrowest terminal.
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

    /// Columns that each column takes; the flexible one gets what the others leave it.
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
    fn numbers_are_grouped() {
        let texts = [0, 12, 999, 1000, 1_234_567, u64::MAX].map(grouped);
        assert_eq!(
            texts,
            [
                "0",
                "12",
                "999",
                "1,000",
                "1,234,567",
                "18,446,744,073,709,551,615"
            ]
        );
        assert_eq!([0, 1234, -5].map(signed), ["=", "+1,234", "-5"]);
    }

    #[test]
    fn shares_are_rounded_without_floats() {
        assert_eq!(share(1, 3), "33.3%");
        assert_eq!(share(2, 3), "66.7%");
        assert_eq!(share(u64::MAX, u64::MAX), "100.0%");
        assert_eq!(share(0, 0), "-");
    }

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
    fn sentences_are_broken_between_words() {
        let page = Page {
            width: Some(10),
            color: false,
        };
        let text = "one two three\n\nfour averyverylongword x\n";
        let wrapped = "one two\nthree\n\nfour\naveryverylongword\nx\n";
        assert_eq!(page.wrapped(text), wrapped);
        assert_eq!(Page::default().wrapped(text), text);
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
