//! The history of a count, as a table, as JSON, as a plot and as a page.

use std::collections::BTreeMap;

use serde::Serialize;
use tally_comparison::Measurement;
use tally_presentation::plot::{Series, SeriesPoint, history_svg, sparkline};
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, percent, signed};
use tally_profiler::Ending;

use super::html::{About, html};
use crate::exit::Exit;
use tally_workbench::measuring::{Quantity, Subject, sum};
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
    pub(super) short: String,
    pub(super) subject: String,
    /// Absent if it cannot be measured.
    pub(super) count: Option<u64>,
    /// Difference to the nearest commit before that has a count, over the tests that came to their end in both.
    pub(super) difference: Option<i128>,
    /// The tests that are in no difference, because only one of the two commits has a count of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) others: Option<Others>,
    /// The counts of the tests that came to their end.
    #[serde(skip)]
    pub(super) counts: BTreeMap<String, u64>,
    /// Why it has none.
    pub(super) why: Option<String>,
    /// How many runs there were: tests, or the one of a script.
    tests: usize,
    /// Tests that did not come to their end.
    failed: usize,
    /// Tests that came to their end, but failed by an assertion about counts.
    failed_by_counts: usize,
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
        counts: Result<BTreeMap<&str, u64>, String>,
        ran: bool,
        measurement: &Measurement,
    ) -> Point {
        let runs = &measurement.runs;
        let (counts, why) = match counts {
            Ok(counts) => (counts, None),
            Err(why) => (BTreeMap::new(), Some(why)),
        };
        let number =
            |is_so: fn(Ending) -> bool| runs.iter().filter(|run| is_so(run.ending)).count();
        Point {
            count: why.is_none().then(|| sum(counts.values().copied())),
            counts: (counts
                .into_iter()
                .map(|(name, count)| (name.to_string(), count)))
            .collect(),
            why,
            ran,
            tests: runs.len(),
            failed: number(|ending| !ending.is_complete()),
            failed_by_counts: number(|ending| ending == Ending::Counted),
            is_reproducible: runs.iter().all(|run| run.is_reproducible),
            ..Point::broken(revision, String::new(), ran)
        }
    }

    /// Sets the difference to the counts of an earlier commit.
    fn compare(&mut self, before: &BTreeMap<String, u64>) {
        let mut difference = 0;
        let mut others = Others::default();
        for (name, &count) in &self.counts {
            match before.get(name) {
                Some(&before) => difference += i128::from(count) - i128::from(before),
                None => {
                    others.new += 1;
                    others.new_count = others.new_count.saturating_add(count);
                }
            }
        }
        for (_, count) in before
            .iter()
            .filter(|(name, _)| !self.counts.contains_key(*name))
        {
            others.gone += 1;
            others.gone_count = others.gone_count.saturating_add(*count);
        }
        self.difference = Some(difference);
        self.others = (others != Others::default()).then_some(others);
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
            others: None,
            counts: BTreeMap::new(),
            why: Some(first),
            tests: 0,
            failed: 0,
            failed_by_counts: 0,
            ran,
            is_reproducible: true,
            has_quantity: false,
        }
    }
}

/// Tests that only one of two commits has a count of: tests that are new or gone, or that fail in one of them.
#[derive(Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Others {
    new: usize,
    new_count: u64,
    gone: usize,
    gone_count: u64,
}

impl Others {
    pub(super) fn text(&self) -> String {
        let parts = [
            (self.new, "more", signed(self.new_count.into())),
            (self.gone, "fewer", signed(-i128::from(self.gone_count))),
        ];
        let parts = parts.iter().filter(|(tests, ..)| *tests > 0);
        let parts = parts.map(|(tests, more, count)| {
            format!("{} {more} with a count ({count})", counted(*tests, "test"))
        });
        let parts: Vec<String> = parts.collect();
        format!("not in the difference: {}", parts.join(", "))
    }
}

impl Report {
    pub(super) fn new(quantity: &Quantity, subject: &Subject, mut commits: Vec<Point>) -> Report {
        let mut before: Option<BTreeMap<String, u64>> = None;
        for point in &mut commits {
            if point.count.is_none() {
                continue;
            }
            if let Some(before) = &before {
                point.compare(before);
            }
            before = Some(point.counts.clone());
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
            if let Some(others) = &point.others {
                let text = format!("({})", others.text());
                layout.row(["", "", "", "", &text].map(Cell::from));
            }
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
            step: point.difference.unwrap_or(0),
            note: point.others.as_ref().map(Others::text),
        });
        history_svg(&Series {
            title: format!("{} ({})", capitalised(&self.quantity), self.subject),
            unit: self.unit.to_string(),
            points: points.collect(),
        })
    }

    /// A page.
    pub(super) fn html(&self) -> String {
        let steps = self.steps();
        let commits = counted(self.commits.len(), "commit");
        let title = format!("{} ({})", capitalised(&self.quantity), self.subject);
        let about = About {
            title: &title,
            unit: self.unit,
            summary: &format!("{commits}, {steps} of them with another count than before"),
        };
        html(&about, &self.commits)
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
            let new = point.others.as_ref().map_or(0, |others| others.new_count);
            let common = count.saturating_sub(new);
            let before = u64::try_from(i128::from(common) - difference).unwrap_or(0);
            percent(before, common).unwrap_or_default()
        }
    };
    let mut notes = Vec::new();
    if point.failed_by_counts > 0 {
        notes.push(format!(
            "{} of {} tests fail by counts",
            point.failed_by_counts, point.tests
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
