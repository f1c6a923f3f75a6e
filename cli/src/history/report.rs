//! The history of a count, as a table, as JSON and as a plot.

use serde::Serialize;
use tally_comparison::Measurement;
use tally_presentation::plot::{Series, SeriesPoint, history_svg, sparkline};
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, percent, signed};
use tally_profiler::Ending;

use crate::exit::Exit;
use tally_workbench::measuring::{Quantity, Subject};
use tally_workbench::revisions::git::Revision;

/// The history of a count.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    schema: &'static str,
    /// What was followed.
    quantity: String,
    /// What was counted.
    #[serde(skip)]
    unit: &'static str,
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
    /// How many more than at the nearest commit before that has a count.
    #[serde(skip)]
    more_tests: i128,
    /// How many of them did not come to a good end.
    failed: usize,
    /// Whether something was run for it.
    ran: bool,
    is_reproducible: bool,
    /// Whether it has what is followed.
    #[serde(skip)]
    pub(super) has_quantity: bool,
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

    /// Whether what it costs is known.
    pub(super) fn was_measured(&self) -> bool {
        self.tests > 0
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
            more_tests: 0,
            failed: 0,
            ran,
            is_reproducible: true,
            has_quantity: false,
        }
    }
}

impl Report {
    pub(super) fn new(quantity: &Quantity, subject: &Subject, mut commits: Vec<Point>) -> Report {
        let mut before: Option<(u64, usize)> = None;
        for point in &mut commits {
            let Some(count) = point.count else {
                continue;
            };
            if let Some((count_before, tests_before)) = before {
                point.difference = Some(i128::from(count) - i128::from(count_before));
                point.more_tests = point.tests as i128 - tests_before as i128;
            }
            before = Some((count, point.tests));
        }
        Report {
            schema: "tally.history/1",
            quantity: quantity.summary(),
            unit: quantity.count.noun(),
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
            "{} ({})\n{}\n\n{}\n{}, {steps} of them with another count than before. {} run, {known} known already.\n",
            capitalised(&self.quantity),
            self.subject,
            sparkline(&counts),
            layout.render_on(page),
            counted(self.commits.len(), "commit"),
            self.runs,
        )
    }

    /// A plot.
    pub(super) fn svg(&self) -> String {
        let points = self.commits.iter().map(|point| SeriesPoint {
            name: point.short.clone(),
            count: point.count,
        });
        history_svg(&Series {
            title: format!("{} ({})", capitalised(&self.quantity), self.subject),
            unit: self.unit.to_string(),
            points: points.collect(),
        })
    }

    fn steps(&self) -> usize {
        let is_step = |point: &&Point| point.difference.is_some_and(|difference| difference != 0);
        self.commits.iter().filter(is_step).count()
    }
}

fn row(point: &Point) -> [Cell; 5] {
    let short = Cell::from(point.short.as_str()).tinted(Tint::Dim);
    let Some(count) = point.count else {
        let why = point.why.clone().unwrap_or_default();
        let text = format!("({why}) {}", point.subject);
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
        Some(difference) => {
            let before = u64::try_from(i128::from(count) - difference).unwrap_or(0);
            percent(before, count).unwrap_or_default()
        }
    };
    let mut notes = Vec::new();
    if point.more_tests != 0 {
        notes.push(format!(
            "{} tests, {}",
            point.tests,
            signed(point.more_tests)
        ));
    }
    if point.failed > 0 {
        notes.push(format!("{} of {} tests fail", point.failed, point.tests));
    }
    if !point.is_reproducible {
        notes.push("not reproducible".to_string());
    }
    let subject = match notes.is_empty() {
        true => point.subject.clone(),
        false => format!("({}) {}", notes.join("; "), point.subject),
    };
    [
        short,
        Cell::from(grouped(count)),
        difference,
        Cell::from(percentage),
        Cell::from(subject),
    ]
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// A number of things.
fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}
