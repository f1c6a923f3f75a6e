//! Pictures of trees and of time dependencies, as SVG and DOT.

mod diagram;
mod dot;
mod tree;

use std::fmt::Write as _;

use tally_presentation::escape::markup;
use tally_presentation::width;

/// The width of a character in points, about.
const LETTER: f64 = 6.4;

const STYLE: &str = include_str!("style.css");

/// A picture with a title.
struct Picture {
    text: String,
}

impl Picture {
    /// A picture of a size in points. Its title is its first line.
    fn new(title: &str, (across, down): (f64, f64)) -> Picture {
        let across = across.max(text_width(title) * 1.2 + 40.0);
        let mut text = String::new();
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{across:.0}\" height=\"{down:.0}\" viewBox=\"0 0 {across:.0} {down:.0}\" role=\"img\">"
        );
        let title = markup(title);
        let _ = writeln!(text, "<title>{title}</title>\n<style>\n{STYLE}</style>");
        text.push_str("<defs>");
        for head in ["head", "heavy"] {
            let _ = write!(
                text,
                "<marker id=\"{head}\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"{head}\" d=\"M0 0 8 4 0 8z\"/></marker>"
            );
        }
        text.push_str("</defs>\n");
        let _ = writeln!(
            text,
            "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>"
        );
        let mut picture = Picture { text };
        picture.words("title", (20.0, 26.0), &title);
        picture
    }

    /// Words at a place. They are markup already.
    fn words(&mut self, class: &str, (x, y): (f64, f64), words: &str) {
        let _ = writeln!(
            self.text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>"
        );
    }

    /// A line of that shape.
    fn path(&mut self, class: &str, shape: &str, title: &str) {
        let title = titled(title);
        let _ = writeln!(
            self.text,
            "<path class=\"{class}\" d=\"{shape}\">{title}</path>"
        );
    }

    /// A line of that shape with a head at its end.
    fn arrow(&mut self, class: &str, shape: &str, title: &str) {
        let title = titled(title);
        let is_heavy = class.ends_with("critical");
        let head = if is_heavy { "heavy" } else { "head" };
        let _ = writeln!(
            self.text,
            "<path class=\"{class}\" marker-end=\"url(#{head})\" d=\"{shape}\">{title}</path>"
        );
    }

    fn circle(&mut self, class: &str, (x, y): (f64, f64), title: &str) {
        let title = titled(title);
        let _ = writeln!(
            self.text,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\">{title}</circle>"
        );
    }

    fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

fn titled(title: &str) -> String {
    match title.is_empty() {
        true => String::new(),
        false => format!("<title>{}</title>", markup(title)),
    }
}

/// The width of a text in points, about.
fn text_width(text: &str) -> f64 {
    width(text) as f64 * LETTER
}
