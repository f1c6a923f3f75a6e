//! What is shown of processors that wait at the end for a semaphore, a mutex, a monitor or a shared queue.

use crate::overview::{EndedKey, Figures};

/// Lines of a summary about processes that wait at the end.
const MOST_STUCK: usize = 10;

/// Adds which processes wait at the end, for what, and where.
pub(crate) fn push_stuck(figures: &Figures, text: &mut String) {
    for (processor, wait) in figures.stuck.iter().take(MOST_STUCK) {
        text.push_str(&stuck_line(figures, *processor, wait));
    }
    let more = figures.stuck.len().saturating_sub(MOST_STUCK);
    if more > 0 {
        text.push_str(&format!("  and {more} more wait\n"));
    }
}

fn stuck_line(figures: &Figures, processor: u32, wait: &EndedKey) -> String {
    let (_, waiter, subject) = wait.key;
    let mut line = format!("  {}", figures.processor_name(processor));
    if let Some(waiter) = waiter.filter(|_| processor > 0) {
        line.push_str(&format!(" {}", figures.names.full(waiter)));
    }
    match subject {
        Some(subject) => line.push_str(&format!(" waits for {}", figures.names.full(subject))),
        None => line.push_str(" waits until it is resumed"),
    }
    if let Some(place) = figures.place(wait) {
        line.push_str(&format!(" ({place})"));
    }
    line.push('\n');
    line
}
