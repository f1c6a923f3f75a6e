//! What a run cost, as a list, and what two runs differ in, as tables.

use std::fmt::Write as _;

use crate::compare::{Change, Comparison};
use crate::profile::CostVector;
use crate::text::{Align, Layout, grouped, signed};

/// A cost vector, one count a line.
pub fn cost_report(cost: &CostVector) -> String {
    let mut layout = Layout::new(&[Align::Left, Align::Right]);
    for (name, count) in rows(cost) {
        layout.row([name.to_string(), grouped(count)]);
    }
    layout.render()
}

fn rows(cost: &CostVector) -> [(&'static str, u64); 8] {
    [
        ("sends", cost.sends),
        ("loop repetitions", cost.loops),
        ("activations", cost.activations),
        ("blocks", cost.blocks),
        ("primitives", cost.primitive_count()),
        ("objects allocated", cost.allocations.objects),
        ("bytes allocated", cost.allocations.bytes),
        ("instructions", cost.instructions),
    ]
}

/// A comparison: the runs' costs, then the first `limit` methods that differ, or all of them.
pub fn comparison_report(comparison: &Comparison, limit: Option<usize>) -> String {
    let mut text = String::new();
    for reason in &comparison.incomparable {
        let _ = writeln!(text, "Not comparable, strictly speaking: {reason}.");
    }
    for note in &comparison.notes {
        let _ = writeln!(text, "Note: {note}.");
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&cost_table(comparison));
    if comparison.methods.is_empty() {
        let _ = writeln!(
            text,
            "\nNo method differs ({} compared).",
            comparison.unchanged
        );
    } else {
        text.push('\n');
        text.push_str(&method_table(comparison, limit));
    }
    for opposed in comparison.opposed() {
        let _ = writeln!(text, "\nCareful: {opposed}.");
    }
    text
}

fn cost_table(comparison: &Comparison) -> String {
    let mut layout = Layout::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
    layout.row(["", "before", "after", "difference"]);
    for ((name, old), (_, new)) in rows(&comparison.before)
        .into_iter()
        .zip(rows(&comparison.after))
    {
        let difference = i128::from(new) - i128::from(old);
        layout.row([
            name.to_string(),
            grouped(old),
            grouped(new),
            signed(difference),
        ]);
    }
    layout.render()
}

fn method_table(comparison: &Comparison, limit: Option<usize>) -> String {
    use Align::{Left, Right};
    let mut layout = Layout::new(&[Left, Left, Right, Right, Right, Right, Right]);
    layout.row([
        "method",
        "",
        "calls",
        "own",
        "difference",
        "total",
        "difference",
    ]);
    let shown = limit.unwrap_or(usize::MAX).min(comparison.methods.len());
    for method in &comparison.methods[..shown] {
        let what = match method.change {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Edited => "edited",
            Change::Counts => "",
        };
        layout.row([
            method.name.clone(),
            what.to_string(),
            both(method.before.calls, method.after.calls),
            both(method.before.own, method.after.own),
            signed(method.own_difference()),
            both(method.before.total, method.after.total),
            signed(method.total_difference()),
        ]);
    }
    let mut text = layout.render();
    let hidden = comparison.methods.len() - shown;
    if hidden > 0 {
        let _ = writeln!(text, "… {hidden} more methods that differ");
    }
    let _ = writeln!(
        text,
        "{} methods are the same on both sides.",
        comparison.unchanged
    );
    text
}

/// A count of both sides in one cell.
fn both(before: u64, after: u64) -> String {
    if before == after {
        return grouped(before);
    }
    format!("{} → {}", grouped(before), grouped(after))
}
