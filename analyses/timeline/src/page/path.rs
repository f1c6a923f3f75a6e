//! The critical path in the page: its shares, and its parts in their order.

use serde::Serialize;
use tally_presentation::html::Count;

use super::packed::Packed;
use super::rows::Texts;
use crate::findings::Findings;
use crate::graph::Passes;
use crate::graph::path::PathPart;
use crate::measured::Window;

/// How time passes, in the order of the numbers in the page.
pub(super) const PASSES: [Passes; 6] = [
    Passes::Running,
    Passes::Overhead,
    Passes::Asleep,
    Passes::Travel,
    Passes::Approval,
    Passes::Unknown,
];

/// A row of the table of shares.
#[derive(Serialize)]
pub(super) struct Share {
    how: &'static str,
    feature: Option<u32>,
    share: Count,
    gained: Option<Count>,
    slack: Option<Count>,
    blame: Count,
}

/// The rows, the greatest shares first.
pub(super) fn shares(findings: &Findings, texts: &mut impl Texts) -> Vec<Share> {
    let rows = findings.rows().into_iter();
    let on_path = rows.filter(|row| row.share > 0 || row.blame > 0);
    on_path
        .map(|row| Share {
            how: row.how,
            feature: row.feature.map(|feature| texts.text(&feature)),
            share: Count(row.share),
            gained: row.gained.map(Count),
            slack: row.slack.map(Count),
            blame: Count(row.blame),
        })
        .collect()
}

/// Parts in their order: columns of the ticks since the part before, lengths, how time passes, features and processors.
pub(super) fn pack_parts(
    findings: &Findings,
    parts: &[PathPart],
    window: Window,
    texts: &mut impl Texts,
) -> Packed {
    let mut packed = Packed::default();
    packed.number(parts.len() as u64);
    let mut before = window.from;
    for part in parts {
        packed.number(part.from.saturating_sub(before));
        before = part.to;
    }
    for part in parts {
        packed.number(part.to - part.from);
    }
    for part in parts {
        let how = PASSES.iter().position(|one| *one == part.passing.0);
        packed.number(how.unwrap_or(0) as u64);
    }
    for part in parts {
        packed.optional(findings.name(part.passing).map(|name| texts.text(&name)));
    }
    for part in parts {
        packed.number(part.processor.into());
    }
    packed
}
