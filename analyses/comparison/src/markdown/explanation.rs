//! The rows of an explanation in a Markdown table.

use tally_presentation::escape::{markdown, markdown_code};
use tally_profiler::Unit;

use crate::explanation::{Cause, Explained, ExplainedPart, Way};
use crate::explanation::{how_text, trail_text, what_became};

/// A row for each part: its size, its causes, its ways.
pub(crate) fn markdown_rows(explained: &Explained, unit: &Unit) -> Vec<String> {
    explained.parts.iter().map(|part| row(part, unit)).collect()
}

fn row(part: &ExplainedPart, unit: &Unit) -> String {
    let cause = |cause: &Cause| {
        let what = markdown(&what_became(cause));
        match what.is_empty() {
            true => markdown_code(&cause.name),
            false => format!("{} ({what})", markdown_code(&cause.name)),
        }
    };
    let causes = part.causes.iter().map(cause).collect::<Vec<_>>();
    let causes = match causes.len() {
        0 => "unexplained: nothing that was loaded or read differs".to_string(),
        1 => causes.concat(),
        _ => format!("together: {}", causes.join(", ")),
    };
    let way = |way: &Way| {
        let amount = match part.ways.len() {
            1 => String::new(),
            _ => format!("{}: ", way.part),
        };
        let trail = markdown(&trail_text(&way.trail));
        match way.trail.len() {
            0 | 1 => format!("{amount}{}", how_text(way, part.causes.len() > 1, unit)),
            _ => format!(
                "{amount}{}: {trail}",
                how_text(way, part.causes.len() > 1, unit)
            ),
        }
    };
    let ways = part.ways.iter().map(way).collect::<Vec<_>>().join("<br>");
    let ways = match part.ways.is_empty() {
        true => "no difference".to_string(),
        false => ways,
    };
    let library = if part.is_library() {
        " *(library)*"
    } else {
        ""
    };
    format!("| {} | {causes}{library} | {ways} |", part.part)
}
