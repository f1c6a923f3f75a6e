//! The canvas of plots: elements of SVG. Coordinates are rounded to a tenth of a point, so that the same figures give the
//! same bytes. Every text is escaped.

use std::fmt::Write as _;

use crate::escape::markup;
use crate::width::width;

/// A character of a label and of an axis, in points, about.
const CHARACTER: f64 = 6.3;
/// Coordinates stay within this.
const FAR: f64 = 1e5;

/// How a mark is shaped, so that its colour need not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// ●
    Circle,
    /// ◆
    Diamond,
    /// ▲
    Triangle,
}

/// Elements that were drawn.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    /// Their text.
    pub(super) body: String,
}

/// A coordinate as it is written.
pub(super) fn at(coordinate: f64) -> String {
    let kept = if coordinate.is_nan() {
        0.0
    } else {
        coordinate.clamp(-FAR, FAR)
    };
    let text = format!("{kept:.1}");
    match text.as_str() {
        "-0.0" => "0.0".to_string(),
        _ => text,
    }
}

/// Points that a text takes, about.
pub(super) fn text_width(text: &str) -> f64 {
    let columns = u32::try_from(width(text)).unwrap_or(u32::MAX);
    f64::from(columns) * CHARACTER
}

impl Canvas {
    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            at(from.0),
            at(from.1),
            at(to.0),
            at(to.1)
        );
    }

    /// A line through points.
    pub(super) fn path(&mut self, class: &str, points: &[(f64, f64)]) {
        let mut way = String::new();
        for (number, (x, y)) in points.iter().enumerate() {
            let _ = write!(
                way,
                "{}{} {}",
                if number == 0 { 'M' } else { 'L' },
                at(*x),
                at(*y)
            );
        }
        let _ = writeln!(self.body, "<path class=\"{class}\" d=\"{way}\"/>");
    }

    /// A rectangle.
    pub(super) fn bar(&mut self, class: &str, corner: (f64, f64), size: (f64, f64), title: &str) {
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><title>{}</title></rect>",
            at(corner.0),
            at(corner.1),
            at(size.0.max(0.0)),
            at(size.1.max(0.0)),
            markup(title)
        );
    }

    /// A text; `anchor` is `start`, `middle` or `end`.
    pub(super) fn text(&mut self, class: &str, place: (f64, f64), anchor: &str, text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            at(place.0),
            at(place.1),
            markup(text)
        );
    }

    /// A text that runs upwards, centred at the place.
    pub(super) fn upwards(&mut self, class: &str, place: (f64, f64), text: &str) {
        let (x, y) = (at(place.0), at(place.1));
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            markup(text)
        );
    }

    /// A mark, with a title that shows when it is pointed at.
    pub(super) fn mark(&mut self, class: &str, shape: Shape, place: (f64, f64), title: &str) {
        let (x, y) = place;
        let element = match shape {
            Shape::Circle => format!(
                "<circle class=\"{class} mark\" cx=\"{}\" cy=\"{}\" r=\"4.2\">",
                at(x),
                at(y)
            ),
            Shape::Diamond => polygon(
                class,
                &[(x, y - 5.4), (x + 5.4, y), (x, y + 5.4), (x - 5.4, y)],
            ),
            Shape::Triangle => polygon(
                class,
                &[(x, y - 5.0), (x + 5.0, y + 3.8), (x - 5.0, y + 3.8)],
            ),
        };
        let end = match shape {
            Shape::Circle => "</circle>",
            Shape::Diamond | Shape::Triangle => "</path>",
        };
        let title = match title {
            "" => String::new(),
            title => format!("<title>{}</title>", markup(title)),
        };
        let _ = writeln!(self.body, "{element}{title}{end}");
    }
}

fn polygon(class: &str, corners: &[(f64, f64)]) -> String {
    let corners: Vec<String> = corners
        .iter()
        .map(|(x, y)| format!("{} {}", at(*x), at(*y)))
        .collect();
    format!(
        "<path class=\"{class} mark\" d=\"M{}Z\">",
        corners.join("L")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_always_numbers() {
        assert_eq!(
            [1.25, -0.01, f64::NAN, f64::INFINITY].map(at),
            ["1.2", "0.0", "0.0", "100000.0"]
        );
    }

    #[test]
    fn texts_are_escaped() {
        let mut canvas = Canvas::default();
        canvas.text("label", (1.0, 2.0), "end", "<b>&");
        canvas.mark("first", Shape::Diamond, (3.0, 4.0), "</title>");
        assert!(
            canvas.body.contains(">&lt;b&gt;&amp;</text>"),
            "{}",
            canvas.body
        );
        assert!(
            canvas.body.contains("<title>&lt;/title&gt;</title></path>"),
            "{}",
            canvas.body
        );
    }
}
