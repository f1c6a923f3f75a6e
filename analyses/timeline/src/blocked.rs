//! What is shown of waits inside processors: for which semaphore, mutex, monitor or shared queue, where, and who ended them.

use std::cmp::Reverse;

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::names::FeatureId;
use crate::overview::{BlockedKey, Figures, WaitTotals};
use crate::report::{UNKNOWN, waits_by_ticks};

/// Lines of a summary about processes that wait at the end.
const MOST_STUCK: usize = 10;

/// All waits by their ticks, those inside processors with who ended them, and where.
pub(crate) fn whole_waits_table(figures: &Figures) -> Table {
    let mut table = Table::new(
        "waits",
        "Waits",
        "Semaphore, mutex, monitor, shared queue: a process until another one signals. Suspended: until it is resumed. Queue: a request until it is \
         taken up. Lock, condition: a scope. Answer: a client. Waits at the same time all count.",
    )
    .words("cause")
    .name("waiter")
    .words("for")
    .words("ended by")
    .words("place")
    .number("waits", "", Style::Whole)
    .number("ticks", "", Style::Whole)
    .number("longest", "", Style::Whole)
    .number("share", "%", Style::Fixed(1));
    let rows = all_by_ticks(figures);
    let all: u128 = rows.iter().map(|(_, row)| u128::from(row.ticks)).sum();
    for (key, row) in rows {
        let name = |id: Option<FeatureId>| {
            let name = id.map(|id| figures.names.full(id));
            Value::from(name.unwrap_or_else(|| UNKNOWN.to_string()))
        };
        let share = 100.0 * row.ticks as f64 / all as f64;
        table.row([
            Value::from(key.cause.word()),
            name(key.waiter),
            name(key.subject),
            name(key.ended_by),
            figures.place(&key).unwrap_or(UNKNOWN).into(),
            row.count.into(),
            row.ticks.into(),
            row.longest.into(),
            share.into(),
        ]);
    }
    table
}

/// Waits inside processors by their ticks, the greatest first; equal ones by their names.
pub(crate) fn blocked_by_ticks(figures: &Figures) -> Vec<(BlockedKey, WaitTotals)> {
    let rows = figures.blocked.iter().map(|(key, row)| (*key, *row));
    sorted(figures, rows.collect())
}

fn all_by_ticks(figures: &Figures) -> Vec<(BlockedKey, WaitTotals)> {
    let others = waits_by_ticks(figures).into_iter();
    let others = others.filter(|((cause, ..), _)| !cause.is_inside());
    let others = others.map(|((cause, waiter, subject), row)| {
        let key = BlockedKey {
            cause,
            waiter,
            subject,
            ended_by: None,
            place: None,
        };
        (key, row)
    });
    let rows = others.chain(blocked_by_ticks(figures));
    sorted(figures, rows.collect())
}

/// The numbers of features and places differ between segments, so equal rows stand by their texts.
fn sorted(
    figures: &Figures,
    mut rows: Vec<(BlockedKey, WaitTotals)>,
) -> Vec<(BlockedKey, WaitTotals)> {
    let name = |id: Option<FeatureId>| id.map(|id| figures.names.full(id));
    rows.sort_by_cached_key(|(key, row)| {
        let names = [key.waiter, key.subject, key.ended_by].map(name);
        let place = figures.place(key).map(str::to_string);
        (Reverse(row.ticks), key.cause, names, place)
    });
    rows
}

/// Adds which processes wait at the end, for what, and where.
pub(crate) fn push_stuck(figures: &Figures, text: &mut String) {
    for (processor, key) in figures.stuck.iter().take(MOST_STUCK) {
        text.push_str(&stuck_line(figures, *processor, key));
    }
    let more = figures.stuck.len().saturating_sub(MOST_STUCK);
    if more > 0 {
        text.push_str(&format!("  and {more} more wait\n"));
    }
}

fn stuck_line(figures: &Figures, processor: u32, key: &BlockedKey) -> String {
    let mut line = format!("  {}", figures.processor_name(processor));
    if let Some(waiter) = key.waiter.filter(|_| processor > 0) {
        line.push_str(&format!(" {}", figures.names.full(waiter)));
    }
    match key.subject {
        Some(subject) => line.push_str(&format!(" waits for {}", figures.names.full(subject))),
        None => line.push_str(" waits until it is resumed"),
    }
    if let Some(place) = figures.place(key) {
        line.push_str(&format!(" ({place})"));
    }
    line.push('\n');
    line
}
