//! The calling-context tree as a flame graph: one SVG file that needs nothing else and moves nothing. Widths are
//! sends; each frame's title tells the rest. Positions are integers, hundredths of a point, so that the same
//! profile gives the same bytes.

use std::fmt::Write as _;

use crate::context_tree::{ContextTree, Frame, What, cut};
use crate::profile::Profile;
use crate::text::{grouped, share};

/// Width of the picture and of its margins, in points.
const WIDTH: u64 = 1200;
const MARGIN: u64 = 16;
/// Height of a row of frames, and of what stands above and below them.
const ROW: u64 = 18;
const HEAD: u64 = 64;
const FOOT: u64 = 44;
/// A character of the labels, in hundredths of a point.
const CHARACTER: u64 = 662;
/// Frames narrower than this are not drawn, in hundredths of a point.
const NARROWEST: u64 = 50;
/// Contexts that are drawn at most, and rows of them.
const MOST: usize = 6_000;
const ROWS: u32 = 400;

const STYLE: &str = include_str!("svg.css");

/// A profile's calling-context tree as an SVG flame graph.
pub fn flame_svg(profile: &Profile) -> String {
    let tree = ContextTree::of(profile);
    let frames = placed(&cut(profile, &tree, MOST));
    let rows = frames.iter().map(|frame| frame.row + 1).max().unwrap_or(1);
    let height = HEAD + u64::from(rows) * ROW + FOOT;
    let mut svg = head(profile, height);
    if profile.contexts.is_empty() {
        let y = HEAD + ROW;
        let _ = writeln!(
            svg,
            "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">This profile has no calling-context tree.</text>"
        );
    }
    let bottom = HEAD + u64::from(rows) * ROW;
    for frame in &frames {
        draw(&mut svg, profile, frame, bottom);
    }
    svg.push_str(&foot(&frames, bottom));
    svg.push_str("</svg>\n");
    svg
}

/// A frame and where it stands.
struct Placed {
    frame: Frame,
    row: u32,
    /// Left edge and width, in hundredths of a point.
    left: u64,
    width: u64,
    /// The run's sends, which are as wide as the picture.
    whole: u64,
    /// Whether something that stands on it is too high up to be drawn.
    is_cropped: bool,
}

fn placed(frames: &[Frame]) -> Vec<Placed> {
    let whole = frames.first().map_or(0, |run| run.total);
    let scale = |sends: u128| {
        let hundredths = u128::from((WIDTH - 2 * MARGIN) * 100);
        let place = sends * hundredths / u128::from(whole.max(1));
        u64::try_from(place.min(hundredths)).unwrap_or(u64::MAX)
    };
    let mut placed: Vec<Placed> = Vec::new();
    // By depth: where the next frame begins, in sends.
    let mut next: Vec<u128> = vec![0];
    for frame in frames {
        let depth = frame.depth as usize;
        let start = next[depth];
        let end = start + u128::from(frame.total);
        next[depth] = end;
        next.truncate(depth + 1);
        next.push(start);
        let (left, right) = (scale(start), scale(end));
        if right - left < NARROWEST && frame.what != What::Run {
            continue;
        }
        if frame.depth >= ROWS {
            let below = placed.iter_mut().rev().find(|p| p.row == ROWS - 1);
            if let Some(below) = below {
                below.is_cropped = true;
            }
            continue;
        }
        placed.push(Placed {
            frame: *frame,
            row: frame.depth,
            left,
            width: right - left,
            whole,
            is_cropped: false,
        });
    }
    placed
}

fn head(profile: &Profile, height: u64) -> String {
    let files = match profile.files.as_slice() {
        [] => "a run".to_string(),
        [file] => file.clone(),
        [file, rest @ ..] => format!("{file} and {} more", rest.len()),
    };
    let files = escaped(&clipped(&files, 90));
    let sends = grouped(profile.cost.sends);
    let right = WIDTH - MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"Flame graph of {files}\">\n\
         <style>\n{STYLE}</style>\n\
         <rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"{MARGIN}\" y=\"28\">{files}</text>\n\
         <text class=\"note\" x=\"{MARGIN}\" y=\"48\">{sends} sends; as wide as a frame is, so many are in it and what stands on it</text>\n\
         <g class=\"program\"><rect x=\"{}\" y=\"18\" width=\"12\" height=\"12\" rx=\"2\"/></g><text class=\"note\" x=\"{}\" y=\"28\">program</text>\n\
         <g class=\"library\"><rect x=\"{}\" y=\"38\" width=\"12\" height=\"12\" rx=\"2\"/></g><text class=\"note\" x=\"{}\" y=\"48\">library</text>\n",
        right - 66,
        right - 48,
        right - 66,
        right - 48,
    )
}

fn foot(frames: &[Placed], bottom: u64) -> String {
    let mut notes = vec![
        "Sends are exact, and a proxy: work inside primitives, the collector and I/O is not in them."
            .to_string(),
    ];
    if frames.iter().any(|placed| placed.is_cropped) {
        notes.push(format!(
            "Frames above row {ROWS} are not drawn; those that carry them are dashed."
        ));
    }
    let mut text = String::new();
    for (line, note) in notes.iter().enumerate() {
        let y = bottom + 20 + 16 * line as u64;
        let _ = writeln!(
            text,
            "<text class=\"note\" x=\"{MARGIN}\" y=\"{y}\">{note}</text>"
        );
    }
    text
}

fn draw(svg: &mut String, profile: &Profile, placed: &Placed, bottom: u64) {
    let frame = &placed.frame;
    let label = label(profile, frame.what);
    let (left, width) = (MARGIN * 100 + placed.left, placed.width);
    let y = bottom - u64::from(placed.row + 1) * ROW;
    let kind = kind(profile, frame.what);
    let cropped = if placed.is_cropped { " cropped" } else { "" };
    // A gap between neighbours, where there is room for one.
    let drawn = if width > 200 { width - 50 } else { width };
    let _ = write!(
        svg,
        "<g class=\"{kind}{cropped}\"><title>{}</title><rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"1\"/>",
        escaped(&title(&label, placed)),
        hundredths(left),
        hundredths(drawn),
        ROW - 1,
    );
    let room = (width.saturating_sub(800) / CHARACTER) as usize;
    if room >= 3 {
        let _ = write!(
            svg,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            hundredths(left + 400),
            y + 12,
            escaped(&clipped(&label, room)),
        );
    }
    svg.push_str("</g>\n");
}

fn title(label: &str, placed: &Placed) -> String {
    let frame = &placed.frame;
    let label = clipped(label, 300);
    let total = grouped(frame.total);
    let share = share(frame.total, placed.whole);
    match frame.what {
        What::Smaller(_) | What::Run | What::Other => format!("{label}: {total} sends, {share}"),
        What::Method(_) | What::Block(..) => format!(
            "{label}: {total} sends, {share}; {} of them its own; {} calls",
            grouped(frame.own),
            grouped(frame.calls),
        ),
    }
}

fn label(profile: &Profile, what: What) -> String {
    let name = |method: u32| {
        let method = profile.methods.get(method as usize);
        method.map_or("?", |method| &method.name)
    };
    match what {
        What::Run => "run".to_string(),
        What::Method(method) => name(method).to_string(),
        What::Block(method, _) => format!("[] in {}", name(method)),
        What::Other => "(no room in the tree)".to_string(),
        What::Smaller(contexts) => format!("… ({} smaller)", grouped(contexts)),
    }
}

fn kind(profile: &Profile, what: What) -> &'static str {
    match what {
        What::Run | What::Other | What::Smaller(_) => "rest",
        What::Method(method) | What::Block(method, _) => {
            let method = profile.methods.get(method as usize);
            match method.is_some_and(|method| method.is_library) {
                true => "library",
                false => "program",
            }
        }
    }
}

/// The first `room` characters of a text, the last of them an ellipsis if there are more.
pub(crate) fn clipped(text: &str, room: usize) -> String {
    match text.char_indices().nth(room) {
        None => text.to_string(),
        Some(_) => {
            let kept = text.chars().take(room.saturating_sub(1));
            kept.chain(['…']).collect()
        }
    }
}

pub(crate) fn hundredths(number: u64) -> String {
    match number % 100 {
        0 => (number / 100).to_string(),
        rest => format!("{}.{rest:02}", number / 100),
    }
}

/// Text as XML takes it: markup escaped, characters that no XML document may hold replaced.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}
