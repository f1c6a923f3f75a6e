//! Pictures with a lane for each row: bars of several kinds over whole numbers, and lines from one lane to another.

use std::fmt::Write as _;

use super::canvas::{Canvas, at, text_width};
use crate::escape::markup;
use crate::number::grouped;
use crate::width::clipped;

/// Size and edges, in points.
pub(super) const WIDTH: f64 = 1200.0;
const RIGHT: f64 = 1176.0;
const EDGE: f64 = 20.0;
/// The height of a row, of its bars, and of thin ones.
const ROW: f64 = 20.0;
const BAR: f64 = 12.0;
const THIN: f64 = 1.0;
/// The height of a line of text.
const LINE: f64 = 18.0;
/// The most columns of a name.
const NAME: usize = 30;
/// Lines across the axis, about.
const STEPS: u64 = 8;

/// More links than these are drawn faintly.
const MANY: usize = 60;

/// Lines between lanes, which lie below the bars.
const STYLE: &str = "<style>
.plot .link { stroke: #1f1c18; stroke-opacity: 0.5; stroke-width: 1; }
.plot .faint { stroke-opacity: 0.2; }
.plot .end { fill: #1f1c18; stroke: none; }
@media (prefers-color-scheme: dark) {
  .plot .link { stroke: #ece9e3; }
  .plot .end { fill: #ece9e3; }
}
</style>\n";

/// A picture with a lane for each row.
#[derive(Clone, Debug)]
pub struct LaneChart {
    /// The title.
    pub title: String,
    /// The unit of the axis, its first and its last number.
    pub across: (&'static str, u64, u64),
    /// The meaning of the bars. Kinds without a bar are not in the key.
    pub kinds: Vec<LaneKind>,
    /// The lanes, from top to bottom.
    pub rows: Vec<LaneRow>,
    /// Lines between them.
    pub links: Vec<LaneLink>,
    /// Sentences below the axis.
    pub notes: Vec<String>,
}

/// A kind of bars.
#[derive(Clone, Debug)]
pub struct LaneKind {
    /// The name in the key.
    pub name: &'static str,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// Whether its bars are thin.
    pub is_thin: bool,
}

/// A lane.
#[derive(Clone, Debug)]
pub struct LaneRow {
    /// Its name.
    pub name: String,
    /// Its bars.
    pub bars: Vec<LaneBar>,
}

/// A bar.
#[derive(Clone, Copy, Debug)]
pub struct LaneBar {
    /// The number of its kind.
    pub kind: usize,
    /// Its first number on the axis.
    pub from: u64,
    /// Its last number.
    pub to: u64,
}

/// A line from a place in a lane to a place in another one.
#[derive(Clone, Debug)]
pub struct LaneLink {
    /// The lane, and the number on the axis.
    pub from: (usize, u64),
    /// The same for its end.
    pub to: (usize, u64),
    /// Shown when it is pointed at.
    pub title: String,
}

impl LaneChart {
    /// The kinds that have bars, in their order.
    fn used(&self) -> impl Iterator<Item = (usize, &LaneKind)> {
        let is_used = |number: &usize| {
            let mut bars = self.rows.iter().flat_map(|row| &row.bars);
            bars.any(|bar| bar.kind == *number)
        };
        self.kinds
            .iter()
            .enumerate()
            .filter(move |(number, _)| is_used(number))
    }

    fn left(&self) -> f64 {
        let names = self.rows.iter();
        let widths = names.map(|row| text_width(&clipped(&row.name, NAME)));
        EDGE + widths.fold(40.0, f64::max) + 10.0
    }

    /// Where the lanes begin and end.
    fn top() -> f64 {
        66.0
    }

    fn bottom(&self) -> f64 {
        LaneChart::top() + ROW * self.rows.len() as f64
    }

    pub(super) fn height(&self) -> f64 {
        self.bottom() + 50.0 + LINE * self.notes.len() as f64
    }

    fn x(&self, number: u64) -> f64 {
        let (_, from, to) = self.across;
        let part = number.clamp(from, to) - from;
        let left = self.left();
        left + (RIGHT - left) * part as f64 / (to - from).max(1) as f64
    }

    fn middle(row: usize) -> f64 {
        LaneChart::top() + ROW * (row as f64 + 0.5)
    }

    /// The elements of the picture.
    pub(super) fn draw(&self) -> String {
        let mut canvas = Canvas::default();
        canvas.body.push_str(STYLE);
        canvas.text("title", (EDGE, 26.0), "start", &clipped(&self.title, 120));
        self.key(&mut canvas);
        self.axis(&mut canvas);
        for link in &self.links {
            self.link(&mut canvas, link);
        }
        for (number, row) in self.rows.iter().enumerate() {
            let middle = LaneChart::middle(number);
            let name = clipped(&row.name, NAME);
            let place = (self.left() - 8.0, middle + 4.0);
            canvas.text("label", place, "end", &name);
            self.bars(&mut canvas, row, middle);
        }
        for (number, note) in self.notes.iter().enumerate() {
            let y = self.bottom() + 54.0 + LINE * number as f64;
            canvas.text("note", (EDGE, y), "start", &format!("{note}."));
        }
        canvas.body
    }

    fn key(&self, canvas: &mut Canvas) {
        let mut x = EDGE;
        let y = 46.0;
        for (_, kind) in self.used() {
            let class = format!("{} bar", kind.class);
            let height = if kind.is_thin { THIN } else { 8.0 };
            let corner = (x, y - 4.0 - height / 2.0);
            canvas.bar(&class, corner, (12.0, height), kind.name);
            canvas.text("note", (x + 17.0, y), "start", kind.name);
            x += 36.0 + text_width(kind.name);
        }
        if !self.links.is_empty() {
            canvas.line("link", (x, y - 4.0), (x + 18.0, y - 4.0));
            canvas.text("note", (x + 24.0, y), "start", "call");
        }
    }

    fn axis(&self, canvas: &mut Canvas) {
        let (unit, from, to) = self.across;
        let bottom = self.bottom();
        let step = round_step((to - from).div_ceil(STEPS));
        let mut number = from.div_ceil(step).saturating_mul(step);
        while number <= to {
            let x = self.x(number);
            canvas.line("grid", (x, LaneChart::top() - 4.0), (x, bottom));
            canvas.text("axis", (x, bottom + 16.0), "middle", &grouped(number));
            match number.checked_add(step) {
                Some(next) => number = next,
                None => break,
            }
        }
        canvas.line("base", (self.left(), bottom), (RIGHT, bottom));
        let middle = f64::midpoint(self.left(), RIGHT);
        canvas.text("note", (middle, bottom + 34.0), "middle", unit);
    }

    /// All bars of a kind are one element, which says how long they are together.
    fn bars(&self, canvas: &mut Canvas, row: &LaneRow, middle: f64) {
        for (number, kind) in self.kinds.iter().enumerate() {
            let mut way = String::new();
            let mut sum = 0_u64;
            let height = if kind.is_thin { THIN } else { BAR };
            for bar in row.bars.iter().filter(|bar| bar.kind == number) {
                let (left, right) = (self.x(bar.from), self.x(bar.to));
                sum = sum.saturating_add(bar.to.saturating_sub(bar.from));
                let _ = write!(
                    way,
                    "M{} {}h{}v{}H{}z",
                    at(left),
                    at(middle - height / 2.0),
                    at((right - left).max(0.5)),
                    at(height),
                    at(left)
                );
            }
            if !way.is_empty() {
                let (unit, ..) = self.across;
                let title = format!("{}, {}, {unit}: {}", row.name, kind.name, grouped(sum));
                let _ = writeln!(
                    canvas.body,
                    "<path class=\"{} bar\" d=\"{way}\"><title>{}</title></path>",
                    kind.class,
                    markup(&title)
                );
            }
        }
    }

    /// From the edge of one row's bars to that of another.
    fn link(&self, canvas: &mut Canvas, link: &LaneLink) {
        let ((one, called), (other, taken)) = (link.from, link.to);
        let reach = match one.cmp(&other) {
            std::cmp::Ordering::Less => BAR / 2.0,
            std::cmp::Ordering::Greater => -BAR / 2.0,
            std::cmp::Ordering::Equal => 0.0,
        };
        let (x, y) = (self.x(called), LaneChart::middle(one) + reach);
        let (to_x, to_y) = (self.x(taken), LaneChart::middle(other) - reach);
        let title = markup(&link.title);
        let [x, y, to_x, to_y] = [x, y, to_x, to_y].map(at);
        let class = match self.links.len() > MANY {
            true => "link faint",
            false => "link",
        };
        let _ = writeln!(
            canvas.body,
            "<g><title>{title}</title><line class=\"{class}\" x1=\"{x}\" y1=\"{y}\" x2=\"{to_x}\" y2=\"{to_y}\"/>\
             <circle class=\"end\" cx=\"{to_x}\" cy=\"{to_y}\" r=\"1.6\"/></g>"
        );
    }
}

/// The least of 1, 2, 5, 10, 20, … that is not below the number.
fn round_step(least: u64) -> u64 {
    let mut power: u64 = 1;
    loop {
        for factor in [1, 2, 5] {
            match power.checked_mul(factor) {
                Some(step) if step >= least => return step,
                Some(_) => {}
                None => return u64::MAX,
            }
        }
        match power.checked_mul(10) {
            Some(next) => power = next,
            None => return u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::Figure;

    #[test]
    fn steps_are_round() {
        let steps = [0, 1, 2, 3, 6, 49, 51, 900].map(round_step);
        assert_eq!(steps, [1, 1, 2, 5, 10, 50, 100, 1000]);
        assert_eq!(round_step(u64::MAX), u64::MAX);
    }

    fn kind(name: &'static str, class: &'static str) -> LaneKind {
        LaneKind {
            name,
            class,
            is_thin: false,
        }
    }

    fn row(name: &str, bars: &[(usize, u64, u64)]) -> LaneRow {
        let bars = bars
            .iter()
            .map(|&(kind, from, to)| LaneBar { kind, from, to });
        LaneRow {
            name: name.to_string(),
            bars: bars.collect(),
        }
    }

    #[test]
    fn lanes_have_bars_links_and_escaped_names() {
        let chart = LaneChart {
            title: "T & t".to_string(),
            across: ("ticks", 0, 10),
            kinds: vec![
                kind("running", "first"),
                kind("idle", "third"),
                kind("unused", "second"),
            ],
            rows: vec![row("<a>", &[(0, 0, 4), (0, 6, 9)]), row("b", &[(1, 0, 10)])],
            links: vec![LaneLink {
                from: (0, 4),
                to: (1, 6),
                title: "\"x\"".to_string(),
            }],
            notes: vec!["1 row is left out".to_string()],
        };
        let svg = Figure::of_lanes("lanes", &chart).svg();
        for part in [
            "&lt;a&gt;, running, ticks: 7",
            "<title>&quot;x&quot;</title>",
            ">1 row is left out.</text>",
            ">call</text>",
            ">10</text>",
        ] {
            assert!(svg.contains(part), "{part}\n{svg}");
        }
        assert!(!svg.contains("unused") && !svg.contains("<a>"), "{svg}");
    }
}
