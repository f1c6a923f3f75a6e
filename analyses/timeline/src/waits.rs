//! Waits by their causes: who waited, for what, and what ended the waits.

use std::cmp::Reverse;

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::endings::Ender;
use crate::names::FeatureId;
use crate::overview::{EndedKey, Figures, WaitKey, WaitTotals};
use crate::states::Cause;

/// What stands for a feature that is not known.
const UNKNOWN: &str = "–";

/// The words for what ended a wait.
pub(crate) fn ender_in_words(figures: &Figures, by: Ender) -> String {
    match by {
        Ender::Feature(id) => figures.names.full(id),
        Ender::Travel => "arrival".to_string(),
        Ender::Cpu => "CPU".to_string(),
        Ender::Scheduler => "scheduler".to_string(),
    }
}

/// The same with its verb. What gave a lock back was only its last holder, so it need not be the cause of the wait.
pub(crate) fn ending_in_words(figures: &Figures, cause: Cause, by: Ender) -> String {
    let how = match (cause, by) {
        (Cause::Lock, Ender::Feature(_)) => "last held by",
        _ => "ended by",
    };
    format!("{how} {}", ender_in_words(figures, by))
}

/// Waits by their ticks, the greatest first; equal ones by their names, since the numbers of features differ between segments.
pub(crate) fn waits_by_ticks(figures: &Figures) -> Vec<(WaitKey, WaitTotals)> {
    let rows = figures.waits.iter();
    let mut rows: Vec<_> = rows.map(|(key, row)| (*key, *row)).collect();
    let name = |id: Option<FeatureId>| id.map(|id| figures.names.full(id));
    rows.sort_by_cached_key(|((cause, waiter, subject), row)| {
        (Reverse(row.ticks), *cause, name(*waiter), name(*subject))
    });
    rows
}

/// Waits with what ended them, and where.
pub(crate) type EndedRow<'f> = (WaitKey, Option<Ender>, Option<&'f str>, WaitTotals);

/// Waits by what ended them and by their places: the greatest first; equal ones by their texts.
pub(crate) fn ended_by_ticks(figures: &Figures) -> Vec<EndedRow<'_>> {
    let rows = figures.ended.iter();
    let named = rows.map(|(ended, row)| {
        let EndedKey { key, by, .. } = *ended;
        (key, by, figures.place(ended), *row)
    });
    let mut rows: Vec<EndedRow<'_>> = named.collect();
    let name = |id: Option<FeatureId>| id.map(|id| figures.names.full(id));
    rows.sort_by_cached_key(|((cause, waiter, subject), by, place, row)| {
        let by = by.map(|by| ender_in_words(figures, by));
        let names = (name(*waiter), name(*subject), by);
        (Reverse(row.ticks), *cause, names, *place)
    });
    rows
}

const READING: &str = "Queue: a request until its supplier takes it up. Lock, condition: a scope. Answer: a client. Ended by: what happened at the end of the wait. Of a lock that is its last holder, which need not have held it longest. Waits at the same time all count: a wait for an answer and the wait of the same request in the queue both count.";
/// Before the reading, if a process has waited inside its processor.
const READING_INSIDE: &str = "Semaphore, mutex, monitor, shared queue: a process until another one signals. Suspended: until it is resumed. ";

pub(crate) fn waits_table(figures: &Figures) -> Table {
    let rows = ended_by_ticks(figures);
    let is_inside = rows.iter().any(|((cause, ..), ..)| cause.is_inside());
    let mut reading = READING.to_string();
    if is_inside {
        reading.insert_str(0, READING_INSIDE);
    }
    let mut table = Table::new("waits", "Waits", &reading)
        .words("cause")
        .name("waiter")
        .words("for")
        .words("ended by");
    if is_inside {
        table = table.words("place");
    }
    let mut table = table
        .number("waits", "", Style::Whole)
        .number("ticks", "", Style::Whole)
        .number("longest", "", Style::Whole)
        .number("share", "%", Style::Fixed(1))
        .number("overtaken", "", Style::Whole);
    let all: u128 = rows.iter().map(|(.., row)| u128::from(row.ticks)).sum();
    for ((cause, waiter, subject), by, place, row) in rows {
        let name = |id| match id {
            Some(id) => figures.names.full(id),
            None => UNKNOWN.to_string(),
        };
        let share = 100.0 * row.ticks as f64 / all as f64;
        let mut cells = vec![
            Value::from(cause.word()),
            name(waiter).into(),
            name(subject).into(),
            by.map_or(UNKNOWN.to_string(), |by| ender_in_words(figures, by))
                .into(),
        ];
        if is_inside {
            cells.push(place.unwrap_or(UNKNOWN).into());
        }
        cells.extend([
            row.count.into(),
            row.ticks.into(),
            row.longest.into(),
            share.into(),
            match cause {
                Cause::Lock | Cause::Condition => overtaken(figures, waiter).into(),
                _ => Value::Blank,
            },
        ]);
        table.row(cells);
    }
    table
}

/// The most later requests that got a lock of one of the feature's scopes first.
fn overtaken(figures: &Figures, feature: Option<FeatureId>) -> Option<u64> {
    let name = figures.names.full(feature?);
    let found = figures
        .features
        .binary_search_by(|row| row.name.as_str().cmp(&name));
    found.ok().map(|at| figures.features[at].overtaken)
}

/// The table for people: without the last column if no scope was overtaken.
pub(crate) fn shown_waits_table(figures: &Figures) -> Table {
    let mut table = waits_table(figures);
    if figures.features.iter().all(|row| row.overtaken == 0) {
        table.columns.pop();
        for row in &mut table.rows {
            row.cells.pop();
        }
        return table;
    }
    table.note("Overtaken: the most later requests that got a lock of a scope of the waiter first.")
}

/// The same with cause and waiter in one column, for pages on which each row has lines of its own.
pub(crate) fn narrow_waits_table(figures: &Figures) -> Table {
    let mut table = shown_waits_table(figures);
    table.columns.remove(0);
    for row in &mut table.rows {
        let cause = row.cells.remove(0);
        if let (Value::Text(cause), Some(Value::Text(waiter))) = (cause, row.cells.first_mut()) {
            *waiter = format!("{cause}: {waiter}");
        }
    }
    table
}

/// The longest waits as sentences, at most this number.
pub(crate) fn longest_in_words(figures: &Figures, most: usize) -> String {
    let mut text = String::new();
    for ((cause, waiter, subject), by, place, row) in ended_by_ticks(figures).into_iter().take(most)
    {
        let name = |id: FeatureId| figures.names.full(id);
        let is_subject = |by: &Ender| match by {
            Ender::Feature(id) => subject.map(name) == Some(name(*id)),
            _ => false,
        };
        let mut words = format!("  {} {}:", cause.word(), row.ticks);
        if let Some(waiter) = waiter {
            words.push_str(&format!(" {}", name(waiter)));
        }
        if let Some(subject) = subject {
            words.push_str(&format!(" for {}", name(subject)));
        }
        if let Some(by) = by.filter(|by| !is_subject(by)) {
            words.push_str(&format!(", {}", ending_in_words(figures, cause, by)));
        }
        if let Some(place) = place {
            words.push_str(&format!(" ({place})"));
        }
        if row.count > 1 {
            words.push_str(&format!(", {} times", row.count));
        }
        text.push_str(&words);
        text.push('\n');
    }
    text
}
