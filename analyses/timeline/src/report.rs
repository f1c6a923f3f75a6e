//! Views of a timeline in the terminal.

use std::cmp::Reverse;

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};
use tally_vm::Timeline;

use crate::features::Feature;
use crate::requests::{Measured, ticks_from};

/// What features are ranked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FeatureOrder {
    /// Their names.
    #[default]
    Name,
    /// Queue time.
    Queue,
    /// Synchronization time.
    Synchronization,
    /// Waiting time.
    Waiting,
}

/// The features with their metrics, as in the paper's Figure 6.
pub fn features_table(features: &[Feature], order: FeatureOrder) -> Table {
    let mut table = Table::new(
        "features",
        "Features",
        "Sums over the requests of each feature, in ticks. Tries: evaluations of the condition for each request.",
    )
    .name("feature")
    .number("requests", "", Style::Whole)
    .number("tries", "", Style::Fixed(1))
    .number("queue", "ticks", Style::Whole)
    .number("synchronization", "ticks", Style::Whole)
    .number("execution", "ticks", Style::Whole)
    .number("waiting", "ticks", Style::Whole)
    .number("useful", "%", Style::Fixed(1));
    let mut rows: Vec<&Feature> = features.iter().collect();
    match order {
        FeatureOrder::Name => {}
        FeatureOrder::Queue => rows.sort_by_key(|row| Reverse(row.queue.sum)),
        FeatureOrder::Synchronization => rows.sort_by_key(|row| Reverse(row.synchronization.sum)),
        FeatureOrder::Waiting => rows.sort_by_key(|row| Reverse(row.waiting.sum)),
    }
    for row in rows {
        table.row([
            Value::from(row.name.clone()),
            row.requests.into(),
            row.evaluations.mean().into(),
            row.queue.sum.into(),
            row.synchronization.sum.into(),
            row.execution.sum.into(),
            row.waiting.sum.into(),
            row.useful_share().into(),
        ]);
    }
    table
}

/// A few lines about the run from this moment on.
pub fn summary(timeline: &Timeline, requests: &[Measured], start: u64) -> String {
    let ticks = ticks_from(timeline, start);
    let started = requests
        .iter()
        .skip(1)
        .filter(|one| one.synchronizes.is_some());
    let waiting: u64 = requests.iter().map(|one| one.waiting).sum();
    let unfinished = requests.iter().filter(|one| one.returns.is_none()).count();
    let mut text = format!(
        "makespan {}, ticks {ticks}, processors {}, requests {}, waiting {waiting}\n",
        timeline.end.saturating_sub(start),
        timeline.processors.len(),
        started.count(),
    );
    if unfinished > 0 {
        text.push_str(&format!("{unfinished} requests did not end\n"));
    }
    text
}
