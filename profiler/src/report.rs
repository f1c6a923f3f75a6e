//! Reports for people: a profile's ranking, a comparison, a cost vector. They answer text; whoever
//! asked prints it. The same numbers for programs are in `json`.

use std::fmt::Write as _;

use crate::compare::{Change, Comparison};
use crate::profile::{CostVector, Ending, MethodProfile, Profile};
use crate::rank::{Order, ranked};
use crate::text::{Align, Layout, grouped, share, signed};

/// Characters of a full share bar.
const BAR: u64 = 10;

/// The ranking of a profile as a table: the first `limit` methods, or all of them.
pub fn profile_report(profile: &Profile, order: Order, limit: Option<usize>) -> String {
    let cost = &profile.cost;
    let methods = ranked(profile, order);
    let shown = limit.unwrap_or(methods.len()).min(methods.len());
    let mut text = format!("{}\n\n", headline(profile));
    let (column, whole) = match order {
        Order::Total => ("total", cost.sends),
        Order::Own => ("own", cost.sends),
        Order::Calls => ("calls", cost.activations),
    };
    let mut layout = Layout::new(&[
        Align::Left,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
    ]);
    layout.row([
        "method",
        "calls",
        "own",
        "total",
        "share",
        &format!("of {column}"),
    ]);
    for method in &methods[..shown] {
        let key = order.key(method);
        layout.row([
            method.name.clone(),
            grouped(method.calls),
            grouped(method.own),
            grouped(method.total),
            share(key, whole),
            bar(key, whole),
        ]);
    }
    text.push_str(&layout.render());
    text.push_str(&foot(profile, &methods[shown..]));
    text
}

fn headline(profile: &Profile) -> String {
    let cost = &profile.cost;
    let files = profile.files.join(", ");
    format!(
        "{files}: {} sends, {} activations, {} blocks, {} loop repetitions, {} objects ({} bytes)",
        grouped(cost.sends),
        grouped(cost.activations),
        grouped(cost.blocks),
        grouped(cost.loops),
        grouped(cost.allocations.objects),
        grouped(cost.allocations.bytes),
    )
}

fn foot(profile: &Profile, hidden: &[&MethodProfile]) -> String {
    let mut text = String::new();
    if !hidden.is_empty() {
        let own: u64 = hidden
            .iter()
            .fold(0, |sum, method| sum.saturating_add(method.own));
        let _ = writeln!(
            text,
            "… {} more methods with {} own sends",
            grouped(hidden.len() as u64),
            grouped(own)
        );
    }
    match profile.ending {
        Ending::Finished => {}
        Ending::Failed => text.push_str("\nThe run failed; the counts end there.\n"),
        Ending::Limit => text.push_str("\nThe run was stopped by a limit; the counts end there.\n"),
    }
    if !profile.reproducible {
        text.push_str(
            "\nThe run depends on a clock or on memory: another run may count otherwise.\n",
        );
    }
    text.push_str(
        "\ncalls: activations; own: sends in the method and its blocks; total: with all that they cause.\n\
         Sends are exact, and a proxy: work inside primitives, the collector and I/O is not in them.\n",
    );
    text
}

/// A bar as long as the share, in eighths of a character.
fn bar(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::new();
    }
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = u128::from(part) * u128::from(BAR * 8) / u128::from(whole);
    let full = usize::try_from(eighths / 8).unwrap_or(0).min(BAR as usize);
    format!("{}{}", "█".repeat(full), EIGHTHS[(eighths % 8) as usize])
}

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
