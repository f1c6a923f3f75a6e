//! Table 2 with the summary of its columns, and descriptions of the applications.

use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::report::beside::{self, highest, lowest, rates_of_table_2};
use crate::results::{Study, Summary};
use crate::{paper, statistics};

/// What the applications are.
pub(crate) fn basket(study: &Study) -> Table {
    let mut table = Table::new(
        "basket",
        "The applications",
        "What each is, and its size. Tests included; without tests it is a script that is run as a whole.",
    )
    .words("application")
    .name("what it is")
    .number("lines", "", Style::Whole)
    .number("classes", "", Style::Whole)
    .number("methods", "", Style::Whole)
    .number("tests", "", Style::Whole);
    for row in &study.applications {
        table.row([
            Value::from(row.name.as_str()),
            Value::from(row.about.as_str()),
            Value::from(row.lines),
            Value::from(row.classes),
            Value::from(row.methods),
            Value::from(row.tests),
        ]);
    }
    table
}

/// Table 2.
pub(crate) fn time_and_sends(study: &Study) -> Table {
    let mut table = Table::new(
        "applications",
        "Table 2: time and sends of the applications",
        "Means over the runs, each in a process of its own. c: coefficient of variation, the standard deviation in per cent of the mean. Residual, in per cent: what the line with intercept, read backwards, leaves unexplained of the measured time; above 0 the application takes longer than the line says.",
    )
    .name("application")
    .number("runs", "", Style::Whole)
    .number("time", "ms", Style::Measure)
    .number("sends", "", Style::Whole)
    .number("c time", "%", Style::Variation)
    .number("c sends", "%", Style::Variation)
    .number("sends/ms", "", Style::Whole)
    .number("residual", "", Style::Signed);
    for row in &study.applications {
        table.row([
            Value::from(row.name.as_str()),
            Value::from(row.runs),
            Value::from(row.seconds * 1000.0),
            Value::from(row.sends),
            Value::from(row.time_variation),
            Value::from(row.sends_variation),
            Value::from(row.rate),
            Value::from(row.residual),
        ]);
    }
    if let Some(summary) = &study.summary {
        table.sum([
            Value::from("mean"),
            Value::Blank,
            Value::Blank,
            Value::Blank,
            Value::from(summary.time_variation),
            Value::from(summary.sends_variation),
            Value::from(summary.mean_rate),
        ]);
    }
    table.note(beside::time_and_sends())
}

/// What Table 2's columns come to.
pub(crate) fn summary(study: &Study) -> Table {
    let mut table = Table::new(
        "summary",
        "What Table 2 comes to",
        "How much time and sends vary from run to run, and how far apart the applications are in sends a millisecond. Sends that do not vary at all have no ratio.",
    )
    .name("figure")
    .number("here", "", Style::Measure)
    .number("the paper", "", Style::Measure);
    let Some(summary) = &study.summary else {
        return table;
    };
    for (name, style, here, there) in figures_of(summary) {
        let figures = [here, there].map(|figure| Value::styled(figure, style));
        table.row(std::iter::once(Value::from(name)).chain(figures));
    }
    table.note(beside::summary())
}

/// Name, style, the figure here, and the paper's.
type Figure = (&'static str, Style, Option<f64>, Option<f64>);

fn figures_of(summary: &Summary) -> [Figure; 7] {
    let rates = rates_of_table_2();
    [
        (
            "mean variation of time, %",
            Style::Variation,
            summary.time_variation,
            Some(paper::TIME_VARIATION),
        ),
        (
            "mean variation of sends, %",
            Style::Variation,
            summary.sends_variation,
            Some(paper::SENDS_VARIATION),
        ),
        (
            "times more stable",
            Style::Fixed(2),
            summary.ratio,
            Some(paper::STABILITY_RATIO),
        ),
        (
            "lowest rate, sends/ms",
            Style::Whole,
            Some(summary.lowest_rate),
            lowest(&rates),
        ),
        (
            "mean rate, sends/ms",
            Style::Whole,
            Some(summary.mean_rate),
            statistics::mean(&rates),
        ),
        (
            "highest rate, sends/ms",
            Style::Whole,
            Some(summary.highest_rate),
            highest(&rates),
        ),
        (
            "variation of the rate over applications, %",
            Style::Fixed(1),
            summary.rate_variation,
            statistics::variation(&rates),
        ),
    ]
}
