//! The history of a count, as a table, as JSON and as a plot.

use serde::Serialize;
use tally_profiler::{Align, Cell, Ending, Layout, Measurement, Page, Tint, grouped, signed};

use crate::exit::Exit;
use crate::git::Revision;
use crate::subject::SubjectArguments;
use crate::versions::QuantityArguments;

/// The history of a count.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    schema: &'static str,
    /// What was followed.
    quantity: String,
    /// What ran.
    subject: String,
    /// For how many commits something was run.
    runs: usize,
    commits: Vec<Point>,
}

/// A commit and what it costs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Point {
    commit: String,
    #[serde(skip)]
    short: String,
    subject: String,
    /// Absent if it cannot be measured.
    count: Option<u64>,
    /// Less what the nearest commit before has that has a count.
    difference: Option<i128>,
    /// Why it has none.
    why: Option<String>,
    /// How many runs there were: tests, or the one of a script.
    tests: usize,
    /// How many of them did not come to a good end.
    failed: usize,
    /// Whether something was run for it.
    ran: bool,
    is_reproducible: bool,
}

impl Point {
    pub(super) fn new(
        revision: Revision,
        count: Result<u64, String>,
        ran: bool,
        measurement: &Measurement,
    ) -> Point {
        let runs = &measurement.runs;
        let (count, why) = match count {
            Ok(count) => (Some(count), None),
            Err(why) => (None, Some(why)),
        };
        Point {
            count,
            why,
            ran,
            tests: runs.len(),
            failed: runs
                .iter()
                .filter(|run| run.ending != Ending::Finished)
                .count(),
            is_reproducible: runs.iter().all(|run| run.is_reproducible),
            ..Point::broken(revision, String::new(), ran)
        }
    }

    pub(super) fn broken(revision: Revision, why: String, ran: bool) -> Point {
        let first = why.lines().next().unwrap_or_default();
        let name = format!("in {}: ", revision.short);
        let first = first.strip_prefix(&name).unwrap_or(first).to_string();
        Point {
            commit: revision.commit.0,
            short: revision.short,
            subject: revision.subject,
            count: None,
            difference: None,
            why: Some(first),
            tests: 0,
            failed: 0,
            ran,
            is_reproducible: true,
        }
    }
}

impl Report {
    pub(super) fn new(
        quantity: &QuantityArguments,
        subject: &SubjectArguments,
        mut commits: Vec<Point>,
    ) -> Report {
        let mut before = None;
        for point in &mut commits {
            point.difference = point
                .count
                .zip(before)
                .map(|(count, before): (u64, u64)| i128::from(count) - i128::from(before));
            before = point.count.or(before);
        }
        Report {
            schema: "tally.history/1",
            quantity: quantity.summary(),
            subject: subject.summary(),
            runs: commits.iter().filter(|point| point.ran).count(),
            commits,
        }
    }

    /// The exit code that it calls for.
    pub(super) fn exit(&self) -> Exit {
        match self.commits.iter().any(|point| point.count.is_some()) {
            true => Exit::Success,
            false => Exit::Nothing,
        }
    }

    pub(super) fn text(&self, page: Page) -> String {
        let mut layout = Layout::new(&[
            Align::Left,
            Align::Right,
            Align::Right,
            Align::Right,
            Align::Flexible,
        ]);
        for point in &self.commits {
            layout.row(row(point));
        }
        let counts: Vec<Option<u64>> = self.commits.iter().map(|point| point.count).collect();
        let steps = self.steps();
        let known = self.commits.len() - self.runs;
        format!(
            "{} ({})\n{}\n\n{}\n{} commits, {steps} of them with another count than before. {} run, {known} known already.\n",
            capitalised(&self.quantity),
            self.subject,
            counts.len(),
            layout.render_on(page),
            self.commits.len(),
            self.runs,
        )
    }

    fn steps(&self) -> usize {
        let is_step = |point: &&Point| point.difference.is_some_and(|difference| difference != 0);
        self.commits.iter().filter(is_step).count()
    }
}

fn row(point: &Point) -> [Cell; 5] {
    let short = Cell::from(point.short.as_str()).tinted(Tint::Dim);
    let subject = Cell::from(point.subject.as_str());
    let Some(count) = point.count else {
        let why = point.why.clone().unwrap_or_default();
        let text = format!("{} ({why})", point.subject);
        return [
            short,
            Cell::from("-"),
            Cell::from(""),
            Cell::from(""),
            Cell::from(text),
        ];
    };
    let difference = match point.difference {
        None | Some(0) => Cell::from(""),
        Some(difference) => Cell::from(signed(difference)).tinted(Tint::Strong),
    };
    let percentage = match point.difference {
        None | Some(0) => String::new(),
        Some(difference) => percentage(difference, count),
    };
    let notes = match (point.failed, point.is_reproducible) {
        (0, true) => subject,
        (0, false) => Cell::from(format!("{} (not reproducible)", point.subject)),
        (failed, _) => Cell::from(format!(
            "{} ({failed} of {} tests fail)",
            point.subject, point.tests
        )),
    };
    [
        short,
        Cell::from(grouped(count)),
        difference,
        Cell::from(percentage),
        notes,
    ]
}

/// How much the difference is of what was there before, in tenths of a per cent, rounded away from zero.
fn percentage(difference: i128, count: u64) -> String {
    let before = i128::from(count) - difference;
    if before <= 0 {
        return String::new();
    }
    let thousandths = (difference.unsigned_abs() * 1000).div_ceil(before.unsigned_abs());
    let sign = if difference < 0 { '-' } else { '+' };
    format!("{sign}{}.{} %", thousandths / 10, thousandths % 10)
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
