//! Points between two axes, lines through them, and their names.

use super::axis::Axis;
use super::canvas::{Canvas, Shape, text_width};
use super::labels::{Box, Room};
use crate::width::clipped;

/// Size of the picture, in points.
pub(super) const WIDTH: f64 = 640.0;
pub(super) const HEIGHT: f64 = 460.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 612.0;
const TOP: f64 = 62.0;
const BOTTOM: f64 = 404.0;
/// Points along a line that is drawn.
const STEPS: u32 = 96;
/// Points of a series that are drawn at most: the first ones, since more are one blot.
const MOST: usize = 20_000;
/// Characters of a name.
const NAME: usize = 34;

/// A scatter plot.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// The title of the plot.
    pub title: String,
    /// What stands below the axis from left to right, and the axis.
    pub across: (&'static str, Axis),
    /// The same for the axis from bottom to top.
    pub upwards: (&'static str, Axis),
    /// The points.
    pub series: Vec<Points>,
    /// The lines.
    pub lines: Vec<Straight>,
    /// Lines through points that are not marked.
    pub curves: Vec<Curve>,
    /// The most labels; the first points of each series are labelled first.
    pub names: usize,
}

/// Points of one kind.
#[derive(Clone, Debug)]
pub struct Points {
    /// The name in the key; a series with an empty name has no place in the key.
    pub name: String,
    /// Their class in the style sheet.
    pub class: &'static str,
    /// Their shape.
    pub shape: Shape,
    /// Their positions.
    pub dots: Vec<Dot>,
}

/// A point.
#[derive(Clone, Debug)]
pub struct Dot {
    /// What may be written beside it.
    pub name: String,
    /// The text that the browser shows when the pointer is on the line.
    pub title: String,
    /// From left to right.
    pub x: f64,
    /// From bottom to top.
    pub y: f64,
}

/// y = a + b x, which is no straight line where axes are logarithmic.
#[derive(Clone, Debug)]
pub struct Straight {
    /// The point's label.
    pub name: String,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// a
    pub intercept: f64,
    /// b
    pub slope: f64,
}

/// A line through points.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The name in the key.
    pub name: String,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// The points, from left to right and from bottom to top.
    pub points: Vec<(f64, f64)>,
}

impl Scatter {
    /// The elements of the picture.
    pub(super) fn draw(&self) -> String {
        let mut canvas = Canvas::default();
        canvas.text("title", (20.0, 26.0), "start", &clipped(&self.title, 76));
        self.key(&mut canvas);
        self.axes(&mut canvas);
        let mut lines = Vec::new();
        let straight = self.lines.iter();
        let straight = straight.map(|line| (line.class, self.along(line)));
        let curves = self.curves.iter();
        let curves = curves.map(|curve| (curve.class, self.through(&curve.points)));
        for (class, points) in straight.chain(curves) {
            if points.len() > 1 {
                canvas.path(class, &points);
            }
            lines.extend(points);
        }
        self.dots(&mut canvas, &lines);
        canvas.body
    }

    fn x(&self, value: f64) -> Option<f64> {
        let (_, axis) = self.across;
        axis.part(value).map(|part| LEFT + (RIGHT - LEFT) * part)
    }

    fn y(&self, value: f64) -> Option<f64> {
        let (_, axis) = self.upwards;
        axis.part(value).map(|part| BOTTOM - (BOTTOM - TOP) * part)
    }

    fn key(&self, canvas: &mut Canvas) {
        let mut x = 20.0;
        let y = 45.0;
        for series in self.series.iter().filter(|series| !series.name.is_empty()) {
            canvas.mark(series.class, series.shape, (x + 5.0, y - 4.0), "");
            canvas.text("note", (x + 14.0, y), "start", &series.name);
            x += 32.0 + text_width(&series.name);
        }
        let straight = self.lines.iter().map(|line| (line.class, &line.name));
        let curves = self.curves.iter().map(|curve| (curve.class, &curve.name));
        for (class, name) in straight.chain(curves) {
            canvas.line(class, (x, y - 4.0), (x + 22.0, y - 4.0));
            canvas.text("note", (x + 28.0, y), "start", name);
            x += 46.0 + text_width(name);
        }
    }

    fn axes(&self, canvas: &mut Canvas) {
        for (value, label) in self.upwards.1.ticks() {
            let Some(y) = self.y(value) else { continue };
            canvas.line("grid", (LEFT, y), (RIGHT, y));
            canvas.text("axis", (LEFT - 7.0, y + 4.0), "end", &label);
        }
        for (value, label) in self.across.1.ticks() {
            let Some(x) = self.x(value) else { continue };
            canvas.line("grid", (x, TOP), (x, BOTTOM));
            canvas.text("axis", (x, BOTTOM + 17.0), "middle", &label);
        }
        canvas.line("base", (LEFT, BOTTOM), (RIGHT, BOTTOM));
        canvas.line("base", (LEFT, TOP), (LEFT, BOTTOM));
        let middle = ((LEFT + RIGHT) / 2.0, (TOP + BOTTOM) / 2.0);
        canvas.text("note", (middle.0, BOTTOM + 40.0), "middle", self.across.0);
        canvas.upwards("note", (18.0, middle.1), self.upwards.0);
    }

    /// A line as points that are inside the picture.
    fn along(&self, line: &Straight) -> Vec<(f64, f64)> {
        let step = |step: u32| {
            let value = self.across.1.value(f64::from(step) / f64::from(STEPS));
            Some((self.x(value)?, self.y(line.intercept + line.slope * value)?))
        };
        (0..=STEPS).filter_map(step).collect()
    }

    /// The points that are inside the picture.
    fn through(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let place = |(x, y): &(f64, f64)| Some((self.x(*x)?, self.y(*y)?));
        points.iter().filter_map(place).collect()
    }

    fn dots(&self, canvas: &mut Canvas, lines: &[(f64, f64)]) {
        let mut placed = Vec::new();
        for series in &self.series {
            for dot in series.dots.iter().take(MOST) {
                if let (Some(x), Some(y)) = (self.x(dot.x), self.y(dot.y)) {
                    canvas.mark(series.class, series.shape, (x, y), &dot.title);
                    placed.push(((x, y), dot.name.as_str()));
                }
            }
        }
        let points: Vec<(f64, f64)> = placed.iter().map(|(point, _)| *point).collect();
        let area = Box {
            left: LEFT + 2.0,
            top: TOP - 6.0,
            right: RIGHT + 20.0,
            bottom: BOTTOM - 2.0,
        };
        let mut room = Room::new(area, &points, lines);
        let named = placed.iter().filter(|(_, name)| !name.is_empty());
        for (point, name) in named.take(self.names) {
            let name = clipped(name, NAME);
            let Some(place) = room.place(*point, &name) else {
                continue;
            };
            if let Some(lead) = place.lead {
                canvas.line("lead", *point, lead);
            }
            let middle = (place.taken.left + place.taken.right) / 2.0;
            canvas.text("label", (middle, place.taken.bottom - 2.5), "middle", &name);
        }
    }
}
