//! A tree as a flame graph: one self-contained SVG file. Each frame's title holds the text for which its label has no
//! room. A script in the file zooms and searches; without it the picture is whole, but still. Positions are integers, hundredths of a point, so that the same tree gives the same bytes.

use std::fmt::Write as _;

use crate::escape::markup;
use crate::svg::hundredths;
use crate::width::clipped;

/// Width of the picture and of its margins, in points.
const WIDTH: u64 = 1200;
const MARGIN: u64 = 16;
/// Height of a row of frames, and of the texts above and below them.
const ROW: u64 = 18;
const HEAD: u64 = 64;
const FOOT: u64 = 44;
/// A character of the labels, in hundredths of a point.
const CHARACTER: u64 = 662;
/// Frames narrower than this are not seen before the graph is zoomed, in hundredths of a point.
const NARROWEST: u64 = 50;
/// Rows of frames that are drawn at most.
const ROWS: u32 = 400;

const STYLE: &str = include_str!("flame.css");
/// It takes names from titles and sets them as texts.
const SCRIPT: &str = include_str!("flame.js");

/// A flame graph.
#[derive(Debug)]
pub struct FlameGraph<'f> {
    /// The title of the picture.
    pub title: &'f str,
    /// The meaning of widths.
    pub note: &'f str,
    /// The text if there are no frames.
    pub empty: &'f str,
    /// The text below the graph.
    pub foot: &'f str,
    /// Two kinds of frames: their class in the style sheet and their name.
    pub key: [(&'f str, &'f str); 2],
    /// The frames, each before those that stand on it. The first one is as wide as the picture.
    pub frames: &'f [Frame],
}

/// A frame of a flame graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Frames below it.
    pub depth: u32,
    /// As wide is it.
    pub weight: u64,
    /// Its class in the style sheet.
    pub class: &'static str,
    /// The text on the frame, cut to its width.
    pub label: String,
    /// The text that the browser shows when the pointer is on the frame: its name, a colon and a blank, and its numbers, in
    /// which there is no further colon. The script finds the name by the last colon.
    pub title: String,
}

impl FlameGraph<'_> {
    /// The picture as a file.
    pub fn svg(&self) -> String {
        let frames = placed(self.frames);
        let rows = frames.iter().map(|placed| placed.frame.depth + 1).max();
        let bottom = HEAD + u64::from(rows.unwrap_or(1)) * ROW;
        let mut svg = self.head(bottom + FOOT);
        if self.frames.is_empty() {
            let y = HEAD + ROW;
            let _ = writeln!(
                svg,
                "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">{}</text>",
                markup(self.empty)
            );
        }
        for frame in &frames {
            draw(&mut svg, frame, bottom);
        }
        self.push_foot(&mut svg, &frames, bottom);
        let _ = writeln!(svg, "<script><![CDATA[\n{SCRIPT}]]></script>");
        svg.push_str("</svg>\n");
        svg
    }

    fn head(&self, height: u64) -> String {
        let title = markup(&clipped(self.title, 90));
        let note = markup(self.note);
        let inner = WIDTH - 2 * MARGIN;
        let character = hundredths(CHARACTER);
        let (field, button) = (WIDTH - MARGIN - 290, WIDTH - MARGIN - 300);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"Flame graph of {title}\" data-margin=\"{MARGIN}\" data-width=\"{inner}\" data-character=\"{character}\">\n\
             <style>\n{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
             <text class=\"title\" x=\"{MARGIN}\" y=\"28\">{title}</text>\n\
             <text class=\"note\" x=\"{MARGIN}\" y=\"48\">{note}</text>\n\
             <foreignObject id=\"search\" x=\"{field}\" y=\"12\" width=\"200\" height=\"30\"/>\n\
             <text class=\"note\" id=\"found\" x=\"{field}\" y=\"54\"/><text class=\"note\" id=\"zoomed\" x=\"{button}\" y=\"31\"/>\n",
        );
        let right = WIDTH - MARGIN;
        for ((class, name), top) in self.key.iter().zip([18, 38]) {
            let _ = writeln!(
                svg,
                "<g class=\"{class}\"><rect x=\"{}\" y=\"{top}\" width=\"12\" height=\"12\" rx=\"2\"/></g><text class=\"note\" x=\"{}\" y=\"{}\">{name}</text>",
                right - 66,
                right - 48,
                top + 10,
            );
        }
        svg
    }

    fn push_foot(&self, svg: &mut String, frames: &[Placed<'_>], bottom: u64) {
        let mut notes = vec![markup(self.foot)];
        if frames.iter().any(|placed| placed.is_cropped) {
            notes.push(format!(
                "Frames above row {ROWS} are not drawn; those that carry them are dashed."
            ));
        }
        for (line, note) in notes.iter().enumerate() {
            let y = bottom + 20 + 16 * line as u64;
            let _ = writeln!(
                svg,
                "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">{note}</text>"
            );
        }
    }
}

/// A frame and where it stands.
struct Placed<'f> {
    frame: &'f Frame,
    /// Left edge and width, in hundredths of a point.
    left: u64,
    width: u64,
    /// Where it begins, in weights.
    start: u128,
    /// Whether something that stands on it is too high up to be drawn.
    is_cropped: bool,
}

fn placed(frames: &[Frame]) -> Vec<Placed<'_>> {
    let whole = frames.first().map_or(0, |first| first.weight);
    let scale = |weight: u128| {
        let hundredths = u128::from((WIDTH - 2 * MARGIN) * 100);
        let place = weight * hundredths / u128::from(whole.max(1));
        u64::try_from(place.min(hundredths)).unwrap_or(u64::MAX)
    };
    let mut placed: Vec<Placed<'_>> = Vec::new();
    // By depth: where the next frame begins, in weights.
    let mut next: Vec<u128> = vec![0];
    for (index, frame) in frames.iter().enumerate() {
        let depth = frame.depth as usize;
        let start = next.get(depth).copied().unwrap_or(0);
        let end = start + u128::from(frame.weight);
        next.resize(depth + 1, 0);
        next[depth] = end;
        next.push(start);
        let (left, right) = (scale(start), scale(end));
        if frame.weight == 0 && index > 0 {
            continue;
        }
        if frame.depth >= ROWS {
            let mut below = placed.iter_mut().rev();
            if let Some(below) = below.find(|placed| placed.frame.depth == ROWS - 1) {
                below.is_cropped = true;
            }
            continue;
        }
        placed.push(Placed {
            frame,
            left,
            width: right - left,
            start,
            is_cropped: false,
        });
    }
    placed
}

fn draw(svg: &mut String, placed: &Placed<'_>, bottom: u64) {
    let frame = placed.frame;
    let (left, width) = (MARGIN * 100 + placed.left, placed.width);
    let y = bottom - u64::from(frame.depth + 1) * ROW;
    let cropped = if placed.is_cropped { " cropped" } else { "" };
    // A gap between neighbours, where there is room for one.
    let drawn = if width > 200 { width - 50 } else { width };
    let room = (width.saturating_sub(800) / CHARACTER) as usize;
    // A frame that is too narrow here is seen when the graph is zoomed.
    let display = match width < NARROWEST && frame.depth > 0 {
        true => " display=\"none\"",
        false => "",
    };
    let _ = write!(
        svg,
        "<g class=\"frame {}{cropped}\" data-at=\"{} {} {}\"{display}><title>{}</title><rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"1\"/>",
        frame.class,
        frame.depth,
        placed.start,
        frame.weight,
        markup(&frame.title),
        hundredths(left),
        hundredths(drawn),
        ROW - 1,
    );
    if room >= 3 {
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            hundredths(left + 400),
            y + 12,
            markup(&clipped(&frame.label, room)),
        );
    }
    svg.push_str("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(depth: u32, weight: u64, label: &str) -> Frame {
        Frame {
            depth,
            weight,
            class: "rest",
            label: label.to_string(),
            title: format!("{label}: {weight}"),
        }
    }

    #[test]
    fn frames_stand_on_each_other_and_names_are_text() {
        let frames = [
            frame(0, 100, "run"),
            frame(1, 60, "<a>"),
            frame(2, 60, "b"),
            frame(1, 40, "c"),
            frame(2, 0, "narrow"),
        ];
        let graph = FlameGraph {
            title: "&\u{1b}",
            note: "",
            empty: "nothing",
            foot: "",
            key: [("program", "program"), ("library", "library")],
            frames: &frames,
        };
        let svg = graph.svg();
        assert!(
            svg.contains("<title>&lt;a&gt;: 60</title><rect x=\"16\" y=\"82\" width=\"700.30\"")
        );
        assert!(svg.contains("<g class=\"frame rest\" data-at=\"1 0 60\"><title>&lt;a&gt;"));
        assert!(svg.contains("<title>c: 40</title><rect x=\"716.80\" y=\"82\""));
        assert!(!svg.contains("narrow: 0") && !svg.contains(">nothing<"));
        assert!(svg.contains(">&amp;\u{fffd}</text>"));
    }
}
