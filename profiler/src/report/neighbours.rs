//! The callers and the callees of a method, with sends and calls for each pair.

use std::fmt::Write as _;

use tally_presentation::{Align, Cell, Layout, Page, Tint, counted, grouped, share};

use super::{
    LIBRARY, Missing, about_library, bar, calls_cell, calls_heading, headline, proxy, reservations,
};
use crate::profile::{Call, MethodProfile, Profile};

/// On which side of a method one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Those that call it.
    Callers,
    /// Those that it calls.
    Callees,
}

/// For each of these methods, known by their indices, its callers or callees, the `limit` most expensive or all.
pub fn neighbour_report(
    profile: &Profile,
    direction: Direction,
    methods: &[usize],
    limit: Option<usize>,
    page: Page,
) -> Result<String, Missing> {
    if profile.calls.is_empty() {
        return Err(Missing::Calls);
    }
    let edges = Edges::new(profile, direction);
    let mut has_library = false;
    let mut text = page.wrapped(&headline(profile)) + "\n";
    for &method in methods {
        let Some(row) = profile.methods.get(method) else {
            continue;
        };
        has_library |= row.is_library;
        let _ = writeln!(text, "\n{}", title(profile, row, page));
        let calls = edges.of(method);
        has_library |= calls
            .iter()
            .any(|call| other(profile, direction, call).is_some_and(|method| method.is_library));
        text.push_str(&section(profile, direction, row, &calls, limit, page));
    }
    let mut foot = reservations(profile);
    foot.push_str(&legend(profile, direction));
    foot.push_str(about_library(has_library));
    foot.push_str(&proxy(profile, profile.has_work()));
    Ok(text + &page.wrapped(&foot))
}

fn legend(profile: &Profile, direction: Direction) -> String {
    let unit = &profile.unit;
    if !unit.is_tally() {
        let name = &unit.name;
        let of = match direction {
            Direction::Callers => "the function's total",
            Direction::Callees => "the total of the one above",
        };
        return format!("\ntotal: {name} below these calls; share: of {of}.\n");
    }
    let text = match direction {
        Direction::Callers => {
            "\ncalls, blocks: activations of the method and of its blocks by this caller; total: sends that they caused; share: of the method's total.\n"
        }
        Direction::Callees => {
            "\ncalls, blocks: activations of this method and of its blocks by the one above; total: sends that they caused; share: of the total of the one above.\n"
        }
    };
    match profile.has_work() {
        true => format!("{text}work: below the same activations.\n"),
        false => text.to_string(),
    }
}

/// Calls by the method that they are looked up for.
struct Edges<'p> {
    calls: Vec<(usize, &'p Call)>,
}

impl<'p> Edges<'p> {
    fn new(profile: &'p Profile, direction: Direction) -> Edges<'p> {
        let key = |call: &'p Call| {
            let method = match direction {
                Direction::Callers => Some(call.callee),
                Direction::Callees => call.caller,
            };
            method.map(|method| (method as usize, call))
        };
        let mut calls: Vec<(usize, &Call)> = profile.calls.iter().filter_map(key).collect();
        let weight = |call: &Call| (call.total, call.calls, call.block_calls);
        // The sort is stable, so what weighs the same stays in the profile's order.
        calls.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| weight(b.1).cmp(&weight(a.1))));
        Edges { calls }
    }

    fn of(&self, method: usize) -> Vec<&'p Call> {
        let first = self.calls.partition_point(|(m, _)| *m < method);
        let end = self.calls.partition_point(|(m, _)| *m <= method);
        self.calls[first..end]
            .iter()
            .map(|(_, call)| *call)
            .collect()
    }
}

/// The method at the other end of a call; none if the machine called.
fn other<'p>(profile: &'p Profile, direction: Direction, call: &Call) -> Option<&'p MethodProfile> {
    let index = match direction {
        Direction::Callers => call.caller?,
        Direction::Callees => call.callee,
    };
    profile.methods.get(index as usize)
}

fn title(profile: &Profile, method: &MethodProfile, page: Page) -> String {
    let mark = if method.is_library { LIBRARY } else { "" };
    let name = tally_presentation::printable(&method.name);
    let calls = counted(method.calls, "call", "calls");
    let calls = match (profile.unit.is_tally(), profile.unit.calls) {
        (true, _) => {
            let blocks = counted(method.block_calls, "block call", "block calls");
            format!(" ({calls}, {blocks})")
        }
        (false, true) => format!(" ({calls})"),
        (false, false) => String::new(),
    };
    format!(
        "{mark}{}{calls}: {} {} of its own, {} in total ({})",
        page.tinted(&name, Tint::Strong),
        grouped(method.own),
        profile.unit.name,
        grouped(method.total),
        share(method.total, profile.cost.sends),
    )
}

fn no_calls(profile: &Profile, direction: Direction) -> String {
    match (direction, profile.unit.is_tally()) {
        (Direction::Callers, _) => format!("  no {} called it.\n", profile.unit.subject()),
        (Direction::Callees, false) => "  it called no function.\n".to_string(),
        (Direction::Callees, true) => {
            "  it called no method: primitives and quick methods at most.\n".to_string()
        }
    }
}

fn section(
    profile: &Profile,
    direction: Direction,
    method: &MethodProfile,
    calls: &[&Call],
    limit: Option<usize>,
    page: Page,
) -> String {
    let heading = match direction {
        Direction::Callers => "  called by",
        Direction::Callees => "  calls",
    };
    if calls.is_empty() {
        return no_calls(profile, direction);
    }
    use Align::{Flexible, Left, Right};
    let has_work = profile.has_work();
    let mut aligned = vec![Flexible, Right, Right, Right, Right];
    aligned.extend(has_work.then_some(Right));
    aligned.push(Left);
    let mut layout = Layout::new(&aligned);
    let blocks = if profile.unit.is_tally() {
        "blocks"
    } else {
        ""
    };
    let mut heads = vec![heading, calls_heading(profile), blocks, "total"];
    heads.extend(has_work.then_some("work"));
    heads.extend(["share", ""]);
    layout.row(heads);
    let shown = limit.unwrap_or(calls.len()).min(calls.len());
    let (shown, hidden) = calls.split_at(shown);
    for call in shown {
        let mut cells = vec![
            name_cell(other(profile, direction, call)),
            calls_cell(profile, call.calls),
            match profile.unit.is_tally() {
                true => Cell::from(grouped(call.block_calls)),
                false => Cell::default(),
            },
            Cell::from(grouped(call.total)),
        ];
        cells.extend(has_work.then(|| grouped(call.total_work).into()));
        cells.push(share(call.total, method.total).into());
        cells.push(bar(call.total, method.total).into());
        layout.row(cells);
    }
    let mut text = layout.render_on(page);
    if !hidden.is_empty() {
        let total = hidden
            .iter()
            .fold(0u64, |sum, call| sum.saturating_add(call.total));
        let count = grouped(hidden.len() as u64);
        let _ = writeln!(
            text,
            "  … {count} more with {} {}",
            grouped(total),
            profile.unit.name
        );
    }
    text
}

fn name_cell(method: Option<&MethodProfile>) -> Cell {
    match method {
        Some(method) => {
            let cell = super::name_cell(method);
            Cell {
                lead: format!("  {}", cell.lead),
                ..cell
            }
        }
        None => Cell {
            lead: "    ".to_string(),
            ..Cell::from("(the start of a process)").tinted(Tint::Dim)
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{flat, words};

    fn report(direction: Direction, methods: &[usize]) -> String {
        neighbour_report(&words(), direction, methods, None, Page::default()).unwrap()
    }

    #[test]
    fn callers_and_callees_are_told_with_their_shares() {
        let text = report(Direction::Callers, &[1]);
        assert!(text.contains("WordCounter>>occurrencesOf: (8 calls, 200 block calls): 266 sends of its own, 666 in total (66.6%)"), "{text}");
        let rows: Vec<&str> = text.lines().skip(3).take(3).collect();
        let expected = [
            "  called by                          calls  blocks  total   share",
            "    report.st                            8       0    666  100.0%  ██████████",
            "  · OrderedCollection>>inject:into:      0     200    250   37.5%  ███▊",
        ];
        assert_eq!(rows, expected, "{text}");
        let text = report(Direction::Callees, &[1]);
        assert!(
            text.contains(">>inject:into:      8       0    650  97.6%"),
            "{text}"
        );
    }

    #[test]
    fn work_stands_beside_sends_if_it_was_counted() {
        let profile = crate::json::tests::example();
        let page = Page::default();
        let text = neighbour_report(&profile, Direction::Callers, &[1], None, page).unwrap();
        assert!(
            text.contains("calls  blocks  total   work   share"),
            "{text}"
        );
        assert!(
            text.contains("a.st         1       0      6  1,000  100.0%"),
            "{text}"
        );
    }

    #[test]
    fn sums_over_callers_are_the_methods_calls() {
        let profile = words();
        let edges = Edges::new(&profile, Direction::Callers);
        for (index, method) in profile.methods.iter().enumerate() {
            let calls = edges.of(index);
            assert_eq!(calls.iter().map(|c| c.calls).sum::<u64>(), method.calls);
            assert_eq!(
                calls.iter().map(|c| c.block_calls).sum::<u64>(),
                method.block_calls
            );
        }
    }

    #[test]
    fn what_starts_a_process_has_no_caller() {
        let text = report(Direction::Callers, &[4]);
        assert!(text.contains("(the start of a process)"), "{text}");
        let page = Page::default();
        let none = neighbour_report(&flat(), Direction::Callers, &[0], None, page);
        assert_eq!(none, Err(Missing::Calls));
    }
}
