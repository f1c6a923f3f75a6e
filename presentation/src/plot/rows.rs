//! Plots with a row for each name: marks on an axis, or bars from the beginning of the axis.

use super::axis::Axis;
use super::canvas::{Canvas, Shape, text_width};
use super::scatter::WIDTH;
use crate::width::clipped;

/// Rows that are drawn at most; the first ones.
const MOST: usize = 60;
const TOP: f64 = 66.0;
const RIGHT: f64 = 606.0;
/// From one bar to the next.
const BAR: f64 = 12.0;
/// Characters of a name.
const NAME: usize = 26;

/// A plot with a row for each name.
#[derive(Clone, Debug)]
pub struct Rows {
    /// The title of the plot.
    pub title: String,
    /// What stands below the axis, and the axis.
    pub across: (&'static str, Axis),
    /// The meaning of each row's values.
    pub kinds: Vec<RowKind>,
    /// The rows.
    pub rows: Vec<RowOf>,
    /// Values that have a line down the picture, each with a label.
    pub down: Vec<(f64, String)>,
    /// Whether values are bars, and not marks.
    pub is_bars: bool,
}

/// One of the values that each row has.
#[derive(Clone, Debug)]
pub struct RowKind {
    /// The name in the key; a kind with an empty name has no place in the key.
    pub name: &'static str,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Its shape as a mark.
    pub shape: Shape,
}

/// A row: its values in the order of the kinds, each with its text.
#[derive(Clone, Debug)]
pub struct RowOf {
    /// The subject of the row.
    pub name: String,
    /// A value of each kind, where there is one.
    pub values: Vec<Option<(f64, String)>>,
}

impl Rows {
    pub(super) fn height(&self) -> f64 {
        self.bottom() + 56.0
    }

    /// The caption's sentence about rows that have no room; empty if all have.
    pub(super) fn left_out(&self) -> String {
        match self.rows.len() > MOST {
            true => format!(" The first {MOST} of {} are shown.", self.rows.len()),
            false => String::new(),
        }
    }

    fn shown(&self) -> &[RowOf] {
        &self.rows[..self.rows.len().min(MOST)]
    }

    fn row_height(&self) -> f64 {
        match self.is_bars {
            true => BAR * self.kinds.iter().map(|_| 1.0).sum::<f64>() + 8.0,
            false => 22.0,
        }
    }

    fn bottom(&self) -> f64 {
        TOP + self.row_height() * self.shown().iter().map(|_| 1.0).sum::<f64>()
    }

    fn left(&self) -> f64 {
        let widths = self
            .shown()
            .iter()
            .map(|row| text_width(&clipped(&row.name, NAME)));
        widths.fold(40.0, f64::max) + 30.0
    }

    fn x(&self, value: f64) -> Option<f64> {
        let left = self.left();
        self.across
            .1
            .part(value)
            .map(|part| left + (RIGHT - left) * part)
    }

    /// The elements of the picture.
    pub(super) fn draw(&self) -> String {
        let mut canvas = Canvas::default();
        canvas.text("title", (20.0, 26.0), "start", &clipped(&self.title, 76));
        self.key(&mut canvas);
        self.axis(&mut canvas);
        for (number, row) in self.shown().iter().enumerate() {
            let top = TOP + self.row_height() * f64::from(u32::try_from(number).unwrap_or(0));
            self.row(&mut canvas, row, top);
        }
        canvas.body
    }

    fn key(&self, canvas: &mut Canvas) {
        let mut x = 20.0;
        let y = 45.0;
        for kind in self.kinds.iter().filter(|kind| !kind.name.is_empty()) {
            match self.is_bars {
                true => canvas.bar(
                    &format!("{} bar", kind.class),
                    (x, y - 8.0),
                    (10.0, 8.0),
                    kind.name,
                ),
                false => canvas.mark(kind.class, kind.shape, (x + 5.0, y - 4.0), ""),
            }
            canvas.text("note", (x + 16.0, y), "start", kind.name);
            x += 34.0 + text_width(kind.name);
        }
        for (_, name) in &self.down {
            canvas.line("third dashed", (x, y - 4.0), (x + 22.0, y - 4.0));
            canvas.text("note", (x + 28.0, y), "start", name);
            x += 46.0 + text_width(name);
        }
    }

    fn axis(&self, canvas: &mut Canvas) {
        let bottom = self.bottom();
        for (value, label) in self.across.1.ticks() {
            let Some(x) = self.x(value) else { continue };
            canvas.line("grid", (x, TOP - 4.0), (x, bottom));
            canvas.text("axis", (x, bottom + 16.0), "middle", &label);
        }
        canvas.line("base", (self.left(), bottom), (RIGHT, bottom));
        let middle = (self.left() + RIGHT) / 2.0;
        canvas.text("note", (middle, bottom + 38.0), "middle", self.across.0);
        for (value, _) in &self.down {
            if let Some(x) = self.x(*value) {
                canvas.line("third dashed", (x, TOP - 4.0), (x, bottom));
            }
        }
    }

    fn row(&self, canvas: &mut Canvas, row: &RowOf, top: f64) {
        let middle = top + self.row_height() / 2.0;
        let name = clipped(&row.name, NAME);
        canvas.text("label", (self.left() - 10.0, middle + 4.0), "end", &name);
        match self.is_bars {
            true => self.bars(canvas, row, top + 5.0),
            false => self.marks(canvas, row, middle),
        }
    }

    fn marks(&self, canvas: &mut Canvas, row: &RowOf, y: f64) {
        let places: Vec<f64> = row
            .values
            .iter()
            .flatten()
            .filter_map(|(value, _)| self.x(*value))
            .collect();
        let least = places.iter().copied().min_by(f64::total_cmp);
        let most = places.iter().copied().max_by(f64::total_cmp);
        if let (Some(least), Some(most), true) = (least, most, places.len() > 1) {
            canvas.line("lead", (least, y), (most, y));
        }
        for (kind, value) in self.kinds.iter().zip(&row.values) {
            let Some((value, text)) = value else { continue };
            if let Some(x) = self.x(*value) {
                let title = format!("{}: {text}", row.name);
                canvas.mark(kind.class, kind.shape, (x, y), &title);
            }
        }
    }

    fn bars(&self, canvas: &mut Canvas, row: &RowOf, top: f64) {
        let start = self.left();
        let mut y = top;
        for (kind, value) in self.kinds.iter().zip(&row.values) {
            if let Some((value, text)) = value
                && let Some(x) = self.x(*value)
            {
                let title = format!("{}, {}: {text}", row.name, kind.name);
                let class = format!("{} bar", kind.class);
                canvas.bar(&class, (start, y), ((x - start).max(1.5), 8.0), &title);
                canvas.text("axis", (x.max(start) + 6.0, y + 8.0), "start", text);
            }
            y += BAR;
        }
    }
}

/// The width of the picture.
pub(super) const ROWS_WIDTH: f64 = WIDTH;
