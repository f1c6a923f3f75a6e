//! Reports for people: rankings, the calling-context tree, callers and callees, the heaviest path, sources with counts,
//! costs and comparisons. Each report is a function from plain data to text; the caller prints it. `json` has the same
//! numbers for programs.

mod annotate;
mod costs;
mod groups;
mod hot;
mod neighbours;
mod ranking;
mod tree;

use std::fmt;
use std::fmt::Write as _;

pub use annotate::{Annotated, annotate};
pub use costs::cost_report;
pub use groups::{Grouping, group_report};
pub use hot::hot_report;
pub use neighbours::{Direction, neighbour_report};
pub use ranking::{profile_report, ranking_report};
pub(crate) use tree::PRIMITIVES;
pub use tree::{TreeCut, tree_report};

use crate::profile::{Ending, MethodProfile, Profile};
use crate::tree::Measure;
use tally_presentation::{Cell, Tint, counted, grouped};

/// Characters of a full share bar.
const BAR: u64 = 10;
/// Files that are named at the head of a report.
const NAMED_FILES: usize = 4;
/// The mark of names from the library.
pub const LIBRARY: &str = "· ";

/// The limits of a count: a line for the foot of every report with counts.
pub const PROXY: &str =
    "Sends are exact, and a proxy: work inside primitives, the collector and I/O is not in them.\n";

/// The limits of work: a line for the foot of every report with work.
pub const WORK_PROXY: &str = "Work sees primitives, and not the collector, the caches or the operating system; 1 is 1/100 ns on the machine where the weights were set.\n";

/// The data that a report needs and a profile lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The calling-context tree.
    Tree,
    /// The calls between methods.
    Calls,
    /// The sends of each site.
    Sites,
    /// Which method allocated what.
    Allocations,
    /// How often each method was called.
    Activations,
    /// The work of each method.
    Work,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::Tree => "the profile holds no calling-context tree, only methods",
            Missing::Calls => {
                "the profile does not say who called whom, only what each method cost"
            }
            Missing::Sites => {
                "the profile holds no counts of single sends, only what each method cost"
            }
            Missing::Activations => "the profile does not say how often functions were called",
            Missing::Work => {
                "the profile does not say which methods did which work; it was taken without counting work"
            }
            Missing::Allocations => "the profile does not say which methods allocated objects",
        })
    }
}

/// The run and its cost, in a line.
fn headline(profile: &Profile) -> String {
    let (cost, unit) = (&profile.cost, &profile.unit);
    if !unit.is_tally() {
        let calls = match unit.calls {
            true => format!(", {}", counted(cost.activations, "call", "calls")),
            false => String::new(),
        };
        let count = grouped(cost.sends);
        return format!("{}: {count} {}{calls}", files(profile), unit.name);
    }
    format!(
        "{}: {} sends, {} activations, {} blocks, {} loop repetitions, {} objects ({} bytes)",
        files(profile),
        grouped(cost.sends),
        grouped(cost.activations),
        grouped(cost.blocks),
        grouped(cost.loops),
        grouped(cost.allocations.objects),
        grouped(cost.allocations.bytes),
    )
}

fn files(profile: &Profile) -> String {
    let names = profile.files.iter().take(NAMED_FILES);
    let mut text = names.map(String::as_str).collect::<Vec<_>>().join(", ");
    if profile.files.len() > NAMED_FILES {
        let more = profile.files.len() - NAMED_FILES;
        let _ = write!(text, " and {more} more files");
    }
    tally_presentation::printable(&text).into_owned()
}

/// The facts that limit the validity of the counts; empty if there are none.
fn reservations(profile: &Profile) -> String {
    let mut text = String::new();
    match profile.ending {
        Ending::Finished | Ending::Counted => {}
        Ending::Failed => text.push_str("\nThe run failed; the counts end there.\n"),
        Ending::Limit => text.push_str("\nThe run was stopped by a limit; the counts end there.\n"),
    }
    if !profile.reproducible {
        text.push_str(
            "\nThe run depends on a clock or on memory: another run may count otherwise.\n",
        );
    }
    if !profile.is_tree_complete {
        text.push_str(
            "\nThe calling-context tree had no room for everything: what did not fit stands in one place, and totals may be too low by as much.\n",
        );
    }
    text
}

/// A sentence about the mark of the library, if one was shown.
pub fn about_library(is_shown: bool) -> &'static str {
    if is_shown {
        "· marks methods of the library.\n"
    } else {
        ""
    }
}

/// The limits of the counts of a report, which shows work or does not.
pub(crate) fn proxy(profile: &Profile, shows_work: bool) -> String {
    let of_work = if shows_work { WORK_PROXY } else { "" };
    profile.unit.proxy() + of_work
}

/// The counts of a row of a ranking.
#[derive(Clone, Copy, Default)]
struct Sums {
    own: u64,
    total: u64,
    objects: u64,
    bytes: u64,
    work: u64,
    total_work: u64,
}

impl From<&MethodProfile> for Sums {
    fn from(method: &MethodProfile) -> Sums {
        Sums {
            own: method.own,
            total: method.total,
            objects: method.allocations.objects,
            bytes: method.allocations.bytes,
            work: method.own_work,
            total_work: method.total_work,
        }
    }
}

/// A column of a ranking: its heading and its count.
type Column = (&'static str, fn(&Sums) -> u64);

/// The columns of a ranking by this measure. Work stands beside sends if it was counted.
fn columns(profile: &Profile, measure: Measure) -> Vec<Column> {
    match measure {
        Measure::Sends if profile.has_work() => {
            vec![
                ("own", |s| s.own),
                ("total", |s| s.total),
                ("work", |s| s.work),
            ]
        }
        Measure::Sends => vec![("own", |s| s.own), ("total", |s| s.total)],
        Measure::Work => vec![("work", |s| s.work), ("total work", |s| s.total_work)],
        Measure::Objects | Measure::Bytes => {
            vec![("objects", |s| s.objects), ("bytes", |s| s.bytes)]
        }
    }
}

/// Activations as a cell, which is empty if they are not known.
fn calls_cell(profile: &Profile, calls: u64) -> Cell {
    match profile.unit.calls {
        true => grouped(calls).into(),
        false => Cell::default(),
    }
}

/// The heading of a column of activations.
fn calls_heading(profile: &Profile) -> &'static str {
    if profile.unit.calls { "calls" } else { "" }
}

/// The heading of a column of methods.
fn name_heading(profile: &Profile) -> &'static str {
    match profile.unit.is_tally() {
        true => "  method",
        false => "  function",
    }
}

/// A method's name as a cell; methods of the library are marked, and the other names are aligned with theirs.
fn name_cell(method: &MethodProfile) -> Cell {
    let (lead, tint) = match method.is_library {
        true => (LIBRARY, Tint::Dim),
        false => ("  ", Tint::Plain),
    };
    Cell {
        lead: lead.to_string(),
        tint,
        ..Cell::from(method.name.as_str())
    }
}

/// A bar as long as the share, in eighths of a character.
fn bar(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = u128::from(part) * u128::from(BAR * 8) / u128::from(whole);
    let eighths = eighths.min(u128::from(BAR * 8));
    let full = usize::try_from(eighths / 8).unwrap_or(0);
    format!("{}{}", "█".repeat(full), EIGHTHS[(eighths % 8) as usize])
}
