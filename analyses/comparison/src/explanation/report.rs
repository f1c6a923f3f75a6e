//! An explanation as a text for people: the program's own changes first, then the library's. Each change has its part,
//! its way and the place with most of the part.

use std::fmt::Write as _;

use tally_presentation::{Align, Cell, Layout, Page, Tint, signed};

use super::{Cause, CauseKind, Explained, ExplainedPart, How, Ratio, Way};
use crate::difference::fate_text;
use crate::matching::Fate;
use tally_profiler::Unit;

/// Changed methods without a part that are named.
const IDLE: usize = 5;
/// Names of a trail that are shown.
const TRAIL: usize = 5;
/// Causes of one part that are named.
const TOGETHER: usize = 8;

/// A report of one explanation, with at most `limit` parts.
pub fn explanation_report(
    explained: &Explained,
    unit: &Unit,
    limit: Option<usize>,
    page: Page,
) -> String {
    let of = match explained.name.as_str() {
        "" => String::new(),
        name => format!(" of {name}"),
    };
    let mut text = format!(
        "Why{of} ({} {}):\n",
        signed(explained.difference),
        unit.name
    );
    if explained.parts.is_empty() {
        text.push_str("  Nothing that ran differs.\n");
        return text;
    }
    let (mut own, mut library, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for part in &explained.parts {
        match (part.is_unexplained(), part.is_library()) {
            (true, _) => open.push(part),
            (_, true) => library.push(part),
            _ => own.push(part),
        }
    }
    let tells_apart = !library.is_empty();
    for (parts, title) in [(own, "In the program"), (library, "In the library")] {
        if parts.is_empty() {
            continue;
        }
        if tells_apart {
            let sum = parts
                .iter()
                .fold(Ratio::default(), |sum, part| sum.plus(&part.part));
            let _ = writeln!(text, "{title} ({sum}):");
        }
        text.push_str(&part_table(&parts, unit, limit, page));
    }
    for part in open {
        let sentence = format!(
            "  {}  unexplained: nothing that was loaded or read differs, and this count does\n",
            part.part
        );
        text.push_str(&page.wrapped(&sentence));
    }
    text
}

fn part_table(parts: &[&ExplainedPart], unit: &Unit, limit: Option<usize>, page: Page) -> String {
    let limit = limit.unwrap_or(usize::MAX);
    let mut layout = Layout::new(&[Align::Right, Align::Flexible]);
    let (at_work, idle): (Vec<&ExplainedPart>, Vec<&ExplainedPart>) =
        parts.iter().partition(|part| !part.ways.is_empty());
    for part in at_work.iter().take(limit) {
        let tint = match part.part.is_negative() {
            true => Tint::Strong,
            false => Tint::Hot,
        };
        let sum = Cell {
            lead: "  ".to_string(),
            ..Cell::from(part.part.to_string()).tinted(tint)
        };
        let (title, below) = title(part);
        layout.row([sum, Cell::from(title)]);
        for line in below
            .into_iter()
            .chain(part.ways.iter().map(|way| way_text(way, part, unit)))
        {
            layout.row([Cell::default(), Cell::from(format!("  {line}"))]);
        }
    }
    for part in idle.iter().take(IDLE.min(limit)) {
        let nothing = Cell {
            lead: "  ".to_string(),
            ..Cell::from("=")
        };
        layout.row([nothing, Cell::from(title(part).0).tinted(Tint::Dim)]);
    }
    let mut text = layout.render_on(page);
    let hidden = at_work.iter().skip(limit);
    let (count, sum) = hidden.fold((0, Ratio::default()), |(count, sum), part| {
        (count + 1, sum.plus(&part.part))
    });
    if count > 0 {
        let _ = writeln!(text, "  … {count} more: {sum}");
    }
    let unnamed = idle.len().saturating_sub(IDLE.min(limit));
    if unnamed > 0 {
        let _ = writeln!(
            text,
            "  … {unnamed} more that changed and make no difference"
        );
    }
    text
}

/// The title of a part, and further lines if the part has several causes together.
fn title(part: &ExplainedPart) -> (String, Vec<String>) {
    match part.causes.as_slice() {
        [one] => {
            let idle = if part.ways.is_empty() {
                ", no difference"
            } else {
                ""
            };
            (cause_text(one, idle), Vec::new())
        }
        several => {
            let title = format!(
                "{} changes together; measuring revisions between them separates them:",
                several.len()
            );
            let shown = several.iter().take(TOGETHER);
            let mut lines: Vec<String> = shown.map(|cause| cause_text(cause, "")).collect();
            if several.len() > TOGETHER {
                lines.push(format!("… {} more", several.len() - TOGETHER));
            }
            (title, lines)
        }
    }
}

/// A cause: its name, its location and its fate.
pub(crate) fn cause_text(cause: &Cause, more: &str) -> String {
    let what = what_became(cause);
    let place = match (cause.file.as_str(), cause.kind) {
        ("", _) => String::new(),
        // The name says it.
        (_, CauseKind::Script) => String::new(),
        (file, _) if cause.line == 0 => format!("  {file}"),
        (file, _) => format!("  {file}:{}", cause.line),
    };
    match what.is_empty() {
        true => format!("{}{place}", cause.name),
        false => format!("{}{place}  ({what}{more})", cause.name),
    }
}

pub(crate) fn what_became(cause: &Cause) -> String {
    match (cause.kind, cause.fate) {
        (CauseKind::Method | CauseKind::Script, fate) => fate_text(fate, cause.old_name.as_deref()),
        (CauseKind::Class, Fate::Edited) => "another shape".to_string(),
        (CauseKind::Class, fate) => format!("{} class", fate.word()),
        (CauseKind::Surroundings, _) => "not the same from run to run".to_string(),
        (CauseKind::Unrecorded, _) => "only what ran alone is recorded".to_string(),
        (
            CauseKind::Input
            | CauseKind::Arguments
            | CauseKind::Seed
            | CauseKind::Limits
            | CauseKind::Library
            | CauseKind::Model,
            _,
        ) => "other than before".to_string(),
    }
}

/// How a part comes about, how much of it, and where most of that is.
fn way_text(way: &Way, part: &ExplainedPart, unit: &Unit) -> String {
    let amount = match part.ways.len() {
        1 => String::new(),
        _ => format!("{}: ", way.part),
    };
    let mut text = format!("{amount}{}", how_text(way, part.causes.len() > 1, unit));
    let trail = trail_text(&way.trail);
    if way.trail.len() > 1 {
        let _ = write!(text, ": {trail}");
    } else if way.how == How::Values {
        let _ = write!(text, ", mostly in {trail}");
    }
    text
}

/// How a part comes about, of one cause or of several.
pub(crate) fn how_text(way: &Way, is_several: bool, unit: &Unit) -> &'static str {
    if !unit.is_tally() {
        return how_text_of_imports(way, unit);
    }
    match (way.how, way.part.is_negative()) {
        (How::Itself, false) if unit.is_work() => "works more itself, each time",
        (How::Itself, true) if unit.is_work() => "works less itself, each time",
        (How::Found, false) if unit.is_work() => {
            "another method is found by a message, which works more"
        }
        (How::Found, true) if unit.is_work() => {
            "another method is found by a message, which works less"
        }
        (How::Itself, false) => "sends more itself, each time",
        (How::Itself, true) => "sends less itself, each time",
        (How::Calls, false) => "calls more, each time",
        (How::Calls, true) => "calls less, each time",
        (How::Found, false) => "another method is found by a message, which sends more",
        (How::Found, true) => "another method is found by a message, which sends less",
        (How::Values, false) if is_several => {
            "others do more because of what these answer or leave behind"
        }
        (How::Values, true) if is_several => {
            "others do less because of what these answer or leave behind"
        }
        (How::Values, false) => "others do more because of what it answers or leaves behind",
        (How::Values, true) => "others do less because of what it answers or leaves behind",
        (How::Below, false) => "costs more with all that it calls",
        (How::Below, true) => "costs less with all that it calls",
    }
}

/// The same where the bodies of functions are not known, and perhaps their calls neither.
fn how_text_of_imports(way: &Way, unit: &Unit) -> &'static str {
    match (way.how, unit.calls, way.part.is_negative()) {
        (How::Itself, true, false) => "costs more itself, each time",
        (How::Itself, true, true) => "costs less itself, each time",
        (How::Itself, false, false) => "costs more itself",
        (How::Itself, false, true) => "costs less itself",
        (How::Calls, _, false) => "calls more, each time",
        (How::Calls, _, true) => "calls less, each time",
        (How::Below | How::Found | How::Values, _, false) => "costs more with all that it calls",
        (How::Below | How::Found | How::Values, _, true) => "costs less with all that it calls",
    }
}

/// Names with arrows between; of many the first and the last.
pub(crate) fn trail_text(names: &[String]) -> String {
    if names.len() <= TRAIL {
        return names.join(" → ");
    }
    let (first, last) = (&names[..2], &names[names.len() - (TRAIL - 2)..]);
    format!("{} → … → {}", first.join(" → "), last.join(" → "))
}
