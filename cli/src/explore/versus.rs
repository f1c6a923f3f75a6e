//! Two programs beside each other: what the paper made its costs for.

use tally_explore::Bounds;
use tally_presentation::columns::Layout;
use tally_presentation::{Align, grouped};

use super::Explored;
use super::options::ExploreArguments;
use crate::console;

/// A table of both.
pub(super) fn text(arguments: &ExploreArguments, both: [&Explored; 2]) -> String {
    let page = console::results_page();
    let names = [
        arguments.files.last().map_or("", String::as_str),
        arguments.with.as_deref().unwrap_or(""),
    ];
    let mut layout = Layout::new(&[Align::Left, Align::Right, Align::Right]);
    layout.row(["", names[0], names[1]]);
    let mut row = |name: &str, value: &dyn Fn(&Explored) -> String| {
        layout.row([name.to_string(), value(both[0]), value(both[1])]);
    };
    row("states", &|one| grouped(one.space.states()));
    row("transitions", &|one| grouped(one.space.transitions()));
    row("computations", &|one| {
        let count = one.findings.computations;
        count.map_or("not counted".to_string(), grouped)
    });
    row(
        "results",
        &|one| grouped(one.findings.outcomes.len() as u64),
    );
    row("failures", &|one| {
        grouped(one.findings.failures.len() as u64)
    });
    row("Work", &|one| {
        range(one, |bounds| (bounds.least.work, bounds.largest.work))
    });
    row("Depth", &|one| {
        range(one, |bounds| (bounds.least.depth, bounds.largest.depth))
    });
    row("Work / Depth", &|one| parallelism(one));
    let mut text = layout.render_on(page);
    let forms = |one: &Explored| one.prices.depth.as_ref().map(ToString::to_string);
    if let [Some(first), Some(second)] = both.map(forms) {
        text.push_str(&page.wrapped(&format!("\nDepth of {}: {first}\n", names[0])));
        text.push_str(&page.wrapped(&format!("Depth of {}: {second}\n", names[1])));
    }
    text
}

fn range(explored: &Explored, of: impl Fn(&Bounds) -> (u64, u64)) -> String {
    let Some(bounds) = &explored.prices.bounds else {
        return "not known".to_string();
    };
    let bound = if bounds.is_exact { "" } else { "≤ " };
    match of(bounds) {
        (least, largest) if least == largest => format!("{bound}{}", grouped(least)),
        (least, largest) => format!("{} to {bound}{}", grouped(least), grouped(largest)),
    }
}

/// How many processors the program could use on average, at its largest Depth.
fn parallelism(explored: &Explored) -> String {
    let bounds = explored
        .prices
        .bounds
        .filter(|bounds| bounds.largest.depth > 0);
    bounds.map_or("not known".to_string(), |bounds| {
        let share = bounds.largest.work as f64 / bounds.largest.depth as f64;
        format!("{share:.2}")
    })
}
