//! The worst features, marked as in Figure 6 of document 000. Equal ones are all marked.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::features::Feature;
use crate::overview::Figures;

/// A measure of features: its words, and its value; absent where it shows nothing bad.
type Measure = (&'static str, fn(&Feature) -> Option<f64>);

/// The measures of the paper, then further ones.
const WORST: [Measure; 8] = [
    ("requests", |row| positive(row.requests)),
    ("evaluations", |row| positive(row.evaluations.sum)),
    ("tries", |row| {
        row.evaluations.mean().filter(|mean| *mean > 1.0)
    }),
    ("useful", |row| {
        let share = row.useful_share();
        (share < 100.0).then_some(100.0 - share)
    }),
    ("queue", |row| positive(row.queue.sum)),
    ("synchronization", |row| positive(row.synchronization.sum)),
    ("waiting", |row| positive(row.waiting.sum)),
    ("overtaken", |row| positive(row.overtaken)),
];

/// What is not at its best, which is 0 ticks or 100 % of useful ones.
const IMPERFECT: [Measure; 4] = [
    ("queue", |row| positive(row.queue.sum)),
    ("synchronization", |row| positive(row.synchronization.sum)),
    ("execution", |row| positive(row.execution.sum)),
    ("useful", |row| {
        let share = row.useful_share();
        (share < 100.0).then_some(share)
    }),
];

fn positive(number: u64) -> Option<f64> {
    (number > 0).then_some(number as f64)
}

/// How a value of a feature stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// No other feature is worse.
    Worst,
    /// It is not 0, or useful is below 100 %.
    Imperfect,
}

/// The marks of a feature by measure. What is worst is not marked as imperfect.
pub(crate) fn marks(hotspots: &[Hotspot<'_>], feature: &Feature, measure: &str) -> Option<Mark> {
    let its = hotspots.iter().find(|row| row.feature.name == feature.name);
    let is_worst = its.is_some_and(|row| row.worst.contains(&measure));
    let mut imperfect = IMPERFECT.iter().filter(|(word, _)| *word == measure);
    match is_worst {
        true => Some(Mark::Worst),
        false => imperfect
            .any(|(_, value)| value(feature).is_some())
            .then_some(Mark::Imperfect),
    }
}

/// A feature with its marks.
pub(crate) struct Hotspot<'f> {
    pub(crate) feature: &'f Feature,
    /// The measures by which no other feature is worse.
    pub(crate) worst: Vec<&'static str>,
    /// Its imperfections.
    pub(crate) imperfect: Vec<&'static str>,
}

/// The features with marks; those with the most marks first.
pub(crate) fn hotspots(figures: &Figures) -> Vec<Hotspot<'_>> {
    let extreme = |measure: fn(&Feature) -> Option<f64>| {
        let values = figures.features.iter().filter_map(measure);
        values.fold(f64::NEG_INFINITY, f64::max)
    };
    let extremes = WORST.map(|(_, measure)| extreme(measure));
    let marked = figures.features.iter().map(|feature| {
        let worst = WORST.iter().zip(extremes);
        let worst = worst.filter(|((_, measure), extreme)| measure(feature) == Some(*extreme));
        let imperfect = IMPERFECT.iter();
        let imperfect = imperfect.filter(|(_, measure)| measure(feature).is_some());
        Hotspot {
            feature,
            worst: worst.map(|((words, _), _)| *words).collect(),
            imperfect: imperfect.map(|(words, _)| *words).collect(),
        }
    });
    let mut marked: Vec<_> = marked.filter(|row| !row.worst.is_empty()).collect();
    marked.sort_by_key(|row| std::cmp::Reverse(row.worst.len()));
    marked
}

pub(crate) fn hotspots_table(figures: &Figures) -> Table {
    let mut table = Table::new(
        "hotspots",
        "Hotspots",
        "Worst in: by this measure no feature is worse; tries: evaluations for each request; overtaken: later requests that got a lock of a waiting scope first. Imperfect in: the value is not 0, or useful is below 100 %.",
    )
    .name("feature")
    .number("requests", "", Style::Whole)
    .number("evaluations", "", Style::Whole)
    .number("tries", "", Style::Fixed(1))
    .number("useful", "%", Style::Fixed(1))
    .number("overtaken", "", Style::Whole)
    .words("worst in")
    .words("imperfect in");
    for row in hotspots(figures) {
        table.row([
            Value::from(row.feature.name.clone()),
            row.feature.requests.into(),
            row.feature.evaluations.sum.into(),
            row.feature.evaluations.mean().into(),
            row.feature.useful_share().into(),
            row.feature.overtaken.into(),
            row.worst.join(", ").into(),
            row.imperfect.join(", ").into(),
        ]);
    }
    table
}
