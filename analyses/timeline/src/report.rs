//! Views of a timeline in the terminal, and their tables.

use std::cmp::Reverse;

use tally_presentation::Page;
use tally_presentation::figure::Style;
use tally_presentation::table::{Kind, Table, Value};

use crate::features::{Feature, Spread};
use crate::findings::Findings;
use crate::hotspots::{Mark, hotspots, hotspots_table, marks};
use crate::lanes::push_picture;
use crate::matrix::{grid, matrix_table};
use crate::overview::{Figures, waits_in_words};
use crate::states::State;
use crate::stuck::push_stuck;
use crate::waits::{longest_in_words, narrow_waits_table, shown_waits_table, waits_table};

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
    /// The critical path, and who made others wait.
    Path,
    /// Requests and waits between classes of processors.
    Matrix,
    /// The same between processors.
    ProcessorMatrix,
}

/// How to read a summary, and where to look next.
const SUMMARY_READING: &str = "In ticks: a tick is a message sent or a loop repetition. Queue: until the processor took the request up. Sync: until it had its locks and its condition held. Execution: from there to the end. Waiting: the part of the execution in which it waited. Tries: evaluations of the condition for each request.";
const SUMMARY_NOTE: &str = "--view path shows what the time is made of; hotspots, waits, processors, matrix and curve show more. --advise tries changes.";

/// Lines of a summary, if its features have room in that.
const SUMMARY_LINES: usize = 30;
/// The most and the fewest features in a summary.
const SUMMARY_ROWS: (usize, usize) = (20, 3);
/// The longest waits in a summary.
const SUMMARY_WAITS: usize = 3;

/// The view as text. Tables have at most `limit` rows.
pub fn text(figures: &Figures, view: View, limit: Option<usize>, page: Page) -> String {
    let mut text = String::new();
    match view {
        View::Summary => {
            let (mut rows, fewest) = SUMMARY_ROWS;
            loop {
                text = page.wrapped(&summary(figures));
                let table = with_names(summary_table(figures, rows), page);
                table.push_text(page, &mut text);
                if rows <= fewest || text.lines().count() <= SUMMARY_LINES {
                    break;
                }
                rows -= 1;
            }
        }
        View::Processors => push_picture(figures, page, &mut text),
        View::Features => {
            let marked = [marked_table(figures)].into_iter();
            let tables = marked.chain(metric_tables(figures, page));
            for table in tables.chain(scopes_table(figures)) {
                cut(table, limit).push_text(page, &mut text);
            }
        }
        View::Hotspots => cut(table(figures, view), limit).push_text(page, &mut text),
        View::Waits => {
            let wide = Some(shown_waits_table(figures)).filter(|table| table.is_within(page));
            let table = wide.unwrap_or_else(|| narrow_waits_table(figures));
            cut(table, limit).push_text(page, &mut text);
        }
        View::Path => {
            let findings = figures.findings.iter();
            for table in findings.flat_map(|one| [one.table(), one.parts_table(figures)]) {
                cut(table, limit).push_text(page, &mut text);
            }
        }
        View::Matrix | View::ProcessorMatrix => {
            let list = || cut(table(figures, view), limit);
            let grid = grid(figures, view == View::ProcessorMatrix);
            let grid = grid.filter(|grid| grid.is_within(page));
            grid.unwrap_or_else(list).push_text(page, &mut text);
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
        View::Waits => waits_table(figures),
        View::Path => {
            let findings = figures.findings.as_ref();
            findings.map_or_else(|| Table::new("path", "", ""), Findings::table)
        }
        View::Matrix => matrix_table(figures, false),
        View::ProcessorMatrix => matrix_table(figures, true),
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
        text.push_str(&format!("waits: {waits}; the longest:\n"));
        text.push_str(&longest_in_words(figures, SUMMARY_WAITS));
    }
    let interleaved: u64 = figures.features.iter().map(|row| row.interleaved).sum();
    if interleaved > 0 {
        text.push_str(&format!(
            "interleaved calls: {interleaved}; --view features counts them by feature\n"
        ));
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
    let mut table = shortened(features_table(rows.into_iter()));
    table.reading = SUMMARY_READING.to_string();
    if more > 0 {
        table = table.note(format!("{more} features that waited less are left out."));
    }
    table.note(SUMMARY_NOTE)
}

/// Columns of a summary that names may take the room of, in this order.
const LESS_THAN_NAMES: [&str; 3] = ["tries", "execution", "waiting"];

/// The table without some columns, if names have no room beside all of them and have room then. Shortened names can be equal.
fn with_names(table: Table, page: Page) -> Table {
    let is_whole = |table: &Table| {
        let mut whole = table.clone();
        if let Some(names) = whole.columns.first_mut() {
            names.kind = Kind::Words;
        }
        whole.is_within(page)
    };
    let mut narrower = table.clone();
    let mut gone = Vec::new();
    for name in LESS_THAN_NAMES {
        if is_whole(&narrower) {
            break;
        }
        let place = narrower.columns.iter().position(|one| one.name == name);
        if let Some(place) = place {
            narrower.columns.remove(place);
            narrower.rows.iter_mut().for_each(|row| {
                row.cells.remove(place);
            });
            gone.push(name);
        }
    }
    match is_whole(&narrower) {
        true if gone.is_empty() => table,
        true => narrower.note(format!("The lines are too short for {}.", gone.join(", "))),
        false => table,
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
    .number(SYNCHRONIZATION, "", Style::Whole)
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

/// The longest heading, and what stands for it where lines are short.
const SYNCHRONIZATION: &str = "synchronization";
const SHORT_SYNCHRONIZATION: &str = "sync";

/// The table with short headings, for people.
fn shortened(mut table: Table) -> Table {
    for column in &mut table.columns {
        if column.name == SYNCHRONIZATION {
            column.name = SHORT_SYNCHRONIZATION.to_string();
        }
    }
    table
}

/// The table of the paper's Figure 6 with its marks.
fn marked_table(figures: &Figures) -> Table {
    const COLUMNS: [&str; 7] = [
        "requests",
        "evaluations",
        "tries",
        "queue",
        SHORT_SYNCHRONIZATION,
        "execution",
        "useful %",
    ];
    let reading = "Sums over the requests of each feature, in ticks. !: no other feature is worse. *: not 0, or useful below 100 %. Tries: evaluations of the condition for each request. Sync: until it had its locks and its condition held.";
    let mut table = Table::new("features", "Features", reading).name("feature");
    for column in COLUMNS {
        table = table.number(column, "", Style::Whole);
    }
    let found = hotspots(figures);
    for row in &figures.features {
        let cell = |value: Option<f64>, style: Style, measure: &str| {
            let mark = match marks(&found, row, measure) {
                Some(Mark::Worst) => '!',
                Some(Mark::Imperfect) => '*',
                None => ' ',
            };
            // A blank keeps the digits of a column below each other.
            Value::from(format!("{}{mark}", style.show(value)))
        };
        let whole = |value: u64, measure| cell(Some(value as f64), Style::Whole, measure);
        table.row([
            Value::from(row.name.clone()),
            whole(row.requests, "requests"),
            whole(row.evaluations.sum, "evaluations"),
            cell(row.evaluations.mean(), Style::Fixed(1), "tries"),
            whole(row.queue.sum, "queue"),
            whole(row.synchronization.sum, SYNCHRONIZATION),
            whole(row.execution.sum, "execution"),
            cell(Some(row.useful_share()), Style::Fixed(1), "useful"),
        ]);
    }
    table
}

/// What is about scopes, if there is any of it.
fn scopes_table(figures: &Figures) -> Option<Table> {
    let reading = "Overtaken: the most later requests that got a lock first for which a scope waited. Interleaved: calls outside of a scope, since the last of which another client was served.";
    let mut table = Table::new("scopes", "Overtaken scopes and interleaved calls", reading)
        .name("feature")
        .number("overtaken", "", Style::Whole)
        .number("interleaved", "", Style::Whole);
    let features = figures.features.iter();
    for row in features.filter(|row| row.overtaken + row.interleaved > 0) {
        table.row([
            Value::from(row.name.clone()),
            row.overtaken.into(),
            row.interleaved.into(),
        ]);
    }
    table.filled()
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

/// All metrics, as many in a table as there is room for.
fn metric_tables(figures: &Figures, page: Page) -> Vec<Table> {
    let tables = |most| -> Vec<Table> {
        let parts = METRICS.chunks(most);
        let tables = parts.map(|part| {
            let names: Vec<&str> = part.iter().map(|(name, _)| *name).collect();
            let title = format!("Features: {}", names.join(", "));
            shortened(metrics_table(figures, &title, part))
        });
        tables.collect()
    };
    let mut wide = [3, 2].into_iter().map(tables);
    let fitting = wide.find(|tables| tables.iter().all(|table| table.is_within(page)));
    fitting.unwrap_or_else(|| tables(1))
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
    table = table
        .number("overtaken", "", Style::Whole)
        .number("interleaved", "", Style::Whole);
    for (row, feature) in table.rows.iter_mut().zip(&figures.features) {
        row.cells
            .extend([feature.overtaken.into(), feature.interleaved.into()]);
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

/// The word for a state.
pub(crate) fn state_word(state: State) -> &'static str {
    let shown = SHOWN_STATES.iter().find(|(_, shown)| *shown == state);
    shown.map_or("", |(word, _)| word)
}
