//! Views of a timeline in the terminal, and their tables.

use std::cmp::Reverse;

use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::blocked::{push_stuck, whole_waits_table};
use crate::features::{Feature, Spread};
use crate::hotspots::hotspots_table;
use crate::lanes::push_picture;
use crate::names::FeatureId;
use crate::overview::{Figures, WaitKey, WaitTotals, waits_in_words};
use crate::states::State;

/// What is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// A few lines, and the features
    #[default]
    Summary,
    /// A row for each processor, over time.
    Processors,
    /// The features with means and deviations.
    Features,
    /// The worst features.
    Hotspots,
    /// Waits by cause, and for what.
    Waits,
}

/// Lines of a summary, if its features have room in that.
const SUMMARY_LINES: usize = 30;
/// The most and the fewest features in a summary.
const SUMMARY_ROWS: (usize, usize) = (20, 3);
/// What stands for a feature that is not known.
pub(crate) const UNKNOWN: &str = "–";

/// The view as text. Tables have at most `limit` rows.
pub fn text(figures: &Figures, view: View, limit: Option<usize>, page: Page) -> String {
    let mut text = String::new();
    match view {
        View::Summary => {
            let (mut rows, fewest) = SUMMARY_ROWS;
            loop {
                text = summary(figures);
                summary_table(figures, rows).push_text(page, &mut text);
                if rows <= fewest || text.lines().count() <= SUMMARY_LINES {
                    break;
                }
                rows -= 1;
            }
        }
        View::Processors => push_picture(figures, page, &mut text),
        View::Features => {
            for table in metric_tables(figures) {
                cut(table, limit).push_text(page, &mut text);
            }
        }
        View::Hotspots | View::Waits => {
            cut(table(figures, view), limit).push_text(page, &mut text);
        }
    }
    text
}

/// The view as one table.
pub fn table(figures: &Figures, view: View) -> Table {
    match view {
        View::Summary => features_table(figures.features.iter()),
        View::Processors => processors_table(figures),
        View::Features => whole_features_table(figures),
        View::Hotspots => hotspots_table(figures),
        View::Waits if !figures.blocked.is_empty() => whole_waits_table(figures),
        View::Waits => waits_table(figures),
    }
}

fn cut(mut table: Table, limit: Option<usize>) -> Table {
    let more = table.rows.len().saturating_sub(limit.unwrap_or(usize::MAX));
    if more == 0 {
        return table;
    }
    table.rows.truncate(table.rows.len() - more);
    table.note(format!(
        "{more} more rows; --limit N shows N of them, 0 all."
    ))
}

/// A few lines about the run or the segment.
pub fn summary(figures: &Figures) -> String {
    let mut text = format!(
        "makespan {}, ticks {}, processors {}, requests {}, waiting {}\n",
        figures.extent.makespan(),
        figures.ticks,
        figures.processors.len(),
        figures.requests,
        figures.waiting,
    );
    let waits = waits_in_words(figures);
    if !waits.is_empty() {
        text.push_str(&format!("waits: {waits}\n"));
    }
    if figures.unfinished > 0 {
        let requests = match figures.unfinished {
            1 => "1 request".to_string(),
            count => format!("{count} requests"),
        };
        text.push_str(&format!("{requests} did not end\n"));
    }
    push_stuck(figures, &mut text);
    text
}

/// The features by name; if there are too many, those that waited longest.
fn summary_table(figures: &Figures, most: usize) -> Table {
    let mut rows: Vec<&Feature> = figures.features.iter().collect();
    let more = rows.len().saturating_sub(most);
    if more > 0 {
        rows.sort_by_key(|row| Reverse(weight(row)));
        rows.truncate(most);
        rows.sort_by(|one, other| one.name.cmp(&other.name));
    }
    let table = features_table(rows.into_iter());
    match more {
        0 => table,
        more => table.note(format!(
            "{more} features that waited less are left out; --view features shows all."
        )),
    }
}

fn weight(feature: &Feature) -> u64 {
    let sums = [&feature.queue, &feature.synchronization, &feature.waiting];
    sums.iter().fold(0, |sum, one| sum.saturating_add(one.sum))
}

/// The features with their metrics, as in the paper's Figure 6.
fn features_table<'f>(features: impl Iterator<Item = &'f Feature>) -> Table {
    let mut table = Table::new(
        "features",
        "Features",
        "Sums over the requests of each feature, in ticks. Tries: evaluations of the condition for each request.",
    )
    .name("feature")
    .number("requests", "", Style::Whole)
    .number("tries", "", Style::Fixed(1))
    .number("queue", "", Style::Whole)
    .number("synchronization", "", Style::Whole)
    .number("execution", "", Style::Whole)
    .number("waiting", "", Style::Whole)
    .number("useful", "%", Style::Fixed(1));
    for row in features {
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

/// A metric of features: its name and its place.
type Metric = (&'static str, fn(&Feature) -> &Spread);

const METRICS: [Metric; 6] = [
    ("evaluations", |row| &row.evaluations),
    ("queue", |row| &row.queue),
    ("synchronization", |row| &row.synchronization),
    ("execution", |row| &row.execution),
    ("waiting", |row| &row.waiting),
    ("useful", |row| &row.useful),
];

/// The metrics before a feature begins, and those while it executes.
fn metric_tables(figures: &Figures) -> [Table; 2] {
    let (before, during) = METRICS.split_at(3);
    [
        metrics_table(figures, "Features until they begin", before),
        metrics_table(figures, "Features while they execute", during),
    ]
}

fn metrics_table(figures: &Figures, title: &str, metrics: &[Metric]) -> Table {
    let reading = "Sum, mean and standard deviation of the population over the requests of each feature, in ticks.";
    let mut table = Table::new("features", title, reading)
        .name("feature")
        .number("requests", "", Style::Whole);
    for (name, _) in metrics {
        table = table
            .number(name, "", Style::Whole)
            .number("mean", "", Style::Fixed(1))
            .number("deviation", "", Style::Fixed(1));
    }
    let has_useful = metrics.iter().any(|(name, _)| *name == "useful");
    if has_useful {
        table = table.number("useful", "%", Style::Fixed(1));
    }
    for feature in &figures.features {
        let mut cells = vec![Value::from(feature.name.clone()), feature.requests.into()];
        for (_, spread) in metrics {
            let spread = spread(feature);
            cells.extend([
                spread.sum.into(),
                spread.mean().into(),
                spread.deviation().into(),
            ]);
        }
        if has_useful {
            cells.push(feature.useful_share().into());
        }
        table.row(cells);
    }
    table
}

/// All metrics of the features, for programs.
fn whole_features_table(figures: &Figures) -> Table {
    let mut table = metrics_table(figures, "Features", &METRICS);
    let mut metric = "";
    for column in table.columns.iter_mut().skip(2) {
        match column.name.as_str() {
            "mean" | "deviation" => column.name = format!("{metric}, {}", column.name),
            name => {
                let known = METRICS.iter().find(|(known, _)| *known == name);
                metric = known.map_or("", |(name, _)| name);
            }
        }
    }
    table
}

/// What each processor did.
fn processors_table(figures: &Figures) -> Table {
    let mut table = Table::new(
        "processors",
        "Processors",
        "What each processor did between its creation and the end, in ticks.",
    )
    .name("processor")
    .words("class")
    .number("requests", "", Style::Whole);
    for (name, _) in SHOWN_STATES {
        table = table.number(name, "", Style::Whole);
    }
    for (number, row) in figures.processors.iter().enumerate() {
        let number = number as u32;
        let mut cells = vec![
            Value::from(figures.processor_name(number)),
            figures.processor_class(number).into(),
            row.requests.into(),
        ];
        cells.extend(
            SHOWN_STATES
                .iter()
                .map(|(_, state)| row.in_state(*state).into()),
        );
        table.row(cells);
    }
    table
}

/// The states in the order in which they are shown, with their words.
pub(crate) const SHOWN_STATES: [(&str, State); 9] = [
    ("running", State::Running),
    ("ready", State::Ready),
    ("answer", State::Answer),
    ("lock", State::Lock),
    ("condition", State::Condition),
    ("asleep", State::Asleep),
    ("overhead", State::Overhead),
    ("idle", State::Idle),
    ("blocked", State::Blocked),
];

/// Waits by their ticks, the greatest first; equal ones by their names, since the numbers of features differ between segments.
pub(crate) fn waits_by_ticks(figures: &Figures) -> Vec<(WaitKey, WaitTotals)> {
    let mut rows: Vec<_> = figures
        .waits
        .iter()
        .map(|(key, row)| (*key, *row))
        .collect();
    let name = |id: Option<FeatureId>| id.map(|id| figures.names.full(id));
    rows.sort_by_cached_key(|((cause, waiter, subject), row)| {
        (Reverse(row.ticks), *cause, name(*waiter), name(*subject))
    });
    rows
}

fn waits_table(figures: &Figures) -> Table {
    let mut table = Table::new(
        "waits",
        "Waits",
        "Queue: a request until its supplier takes it up. Lock, condition: a scope. Answer: a client. Waits at the same time all count.",
    )
    .words("cause")
    .name("waiter")
    .words("for")
    .number("waits", "", Style::Whole)
    .number("ticks", "", Style::Whole)
    .number("longest", "", Style::Whole)
    .number("share", "%", Style::Fixed(1));
    let rows = waits_by_ticks(figures);
    let all: u128 = rows.iter().map(|(_, row)| u128::from(row.ticks)).sum();
    for ((cause, waiter, subject), row) in rows {
        let name = |id| match id {
            Some(id) => figures.names.full(id),
            None => UNKNOWN.to_string(),
        };
        let share = 100.0 * row.ticks as f64 / all as f64;
        table.row([
            Value::from(cause.word()),
            name(waiter).into(),
            name(subject).into(),
            row.count.into(),
            row.ticks.into(),
            row.longest.into(),
            share.into(),
        ]);
    }
    table
}
