//! What a search for a commit established, for people and for programs.

use serde::Serialize;
use tally_comparison::explanation::{Explained, explanation_report};
use tally_comparison::{WorkPart, work_report};
use tally_presentation::{Page, grouped, signed};
use tally_profiler::Unit;

use super::Search;
use crate::exit::Exit;
use tally_workbench::measuring::Count;
use tally_workbench::revisions::git::Revision;
use tally_workbench::revisions::search::Step;

/// What a search established.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    schema: &'static str,
    /// What was followed.
    quantity: String,
    /// How many commits lie behind GOOD, BAD included.
    commits: usize,
    /// For how many of them something was run.
    runs: usize,
    good: Point,
    bad: Point,
    /// The commit that was found.
    found: Option<Point>,
    /// The nearest commit before it that has a count.
    before: Option<Point>,
    /// Commits between the two, which have none: it may have been one of these.
    unknown: Vec<Unknown>,
    /// How many commits between the ends have a count that was looked at.
    measured: usize,
    /// How many commits that were looked at have none.
    broken: usize,
    #[serde(skip)]
    above: Option<u64>,
    #[serde(skip)]
    unit: Unit,
    /// Why the count is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Explained>,
    /// The parts of the difference of work.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    work_parts: Vec<WorkPart>,
}

/// A commit and its count.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Point {
    commit: String,
    #[serde(skip)]
    short: String,
    subject: String,
    count: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Unknown {
    commit: String,
    #[serde(skip)]
    short: String,
    subject: String,
    why: String,
}

impl Point {
    fn of(revision: &Revision, count: u64) -> Point {
        Point {
            commit: revision.commit.0.clone(),
            short: revision.short.clone(),
            subject: revision.subject.clone(),
            count,
        }
    }
}

impl Report {
    /// Of a search that found nothing.
    pub(super) fn of(search: &Search<'_>, first: u64, last: u64) -> Report {
        let commits = &search.commits;
        let end = commits.len() - 1;
        Report {
            schema: "tally.bisect/1",
            quantity: search.quantity.summary(),
            commits: end,
            runs: search.runs.get(),
            good: Point::of(&commits[0], first),
            bad: Point::of(&commits[end], last),
            found: None,
            before: None,
            unknown: Vec::new(),
            measured: search.measured.len() - search.measured_in_vain(),
            broken: search.broken.len(),
            above: search.arguments.above,
            unit: match search.quantity.count {
                Count::Work => Unit::work(),
                _ => Unit::default(),
            },
            explanation: None,
            work_parts: Vec::new(),
        }
    }

    /// Of a search that found a step.
    pub(super) fn step(search: &Search<'_>, step: &Step<u64>) -> Report {
        let ((before, old), (after, new)) = (step.before, step.after);
        let commits = &search.commits;
        let unknown = (before + 1..after).filter_map(|place| {
            let broken = search.broken.get(&place)?;
            let Revision {
                commit,
                short,
                subject,
                ..
            } = commits[place].clone();
            let why = broken.why.lines().next().unwrap_or_default().to_string();
            Some(Unknown {
                commit: commit.0,
                short,
                subject,
                why,
            })
        });
        Report {
            found: Some(Point::of(&commits[after], new)),
            before: Some(Point::of(&commits[before], old)),
            unknown: unknown.collect(),
            explanation: search.explained(before, after),
            work_parts: search.work_parts(before, after),
            ..Report::of(search, step.ends.0, step.ends.1)
        }
    }

    /// The exit code that it calls for: looking for what is not there finds nothing.
    pub(super) fn exit(&self) -> Exit {
        match self.found {
            Some(_) => Exit::Success,
            None => Exit::Nothing,
        }
    }

    pub(super) fn text(&self, page: Page) -> String {
        let Report { good, bad, .. } = self;
        let quantity = &self.quantity;
        let (Some(found), Some(before)) = (&self.found, &self.before) else {
            let there = match self.above {
                Some(bound) => format!("not above {}", grouped(bound)),
                None => "the same".to_string(),
            };
            return format!(
                "At both ends the count is {there}: {} {quantity} at {}, {} at {}.\n",
                grouped(good.count),
                good.short,
                grouped(bad.count),
                bad.short
            );
        };
        let difference = i128::from(found.count) - i128::from(before.count);
        let mut text = format!(
            "{} {}\n\nis the first commit at which the {quantity} {}: {} instead of {} ({}).\n",
            found.short,
            found.subject,
            match self.above {
                Some(bound) => format!("are above {}", grouped(bound)),
                None => "are others".to_string(),
            },
            grouped(found.count),
            grouped(before.count),
            signed(difference),
        );
        text.push_str(&self.established());
        if let Some(explained) = &self.explanation {
            text.push('\n');
            text.push_str(&explanation_report(explained, &self.unit, None, page));
        }
        text.push_str(&work_report(&self.work_parts, page));
        text
    }

    /// On what that rests.
    fn established(&self) -> String {
        let Report { good, bad, .. } = self;
        let mut text = String::new();
        for unknown in &self.unknown {
            text.push_str(&format!(
                "It may have been {} {} as well, which has no such count: {}.\n",
                unknown.short,
                unknown.subject,
                unknown.why.trim_end_matches('.')
            ));
        }
        if let Some(before) = &self.before {
            let at_good = match (before.commit == good.commit, before.count == good.count) {
                (true, _) => String::new(),
                (false, true) => format!(", as at {}", good.short),
                (false, false) => format!("; at {} it was {}", good.short, grouped(good.count)),
            };
            text.push_str(&format!(
                "\nAt {} before it the count is {}{at_good}; at {} it is {}.\n",
                before.short,
                grouped(before.count),
                bad.short,
                grouped(bad.count)
            ));
        }
        let (looked_at, all) = (self.measured + self.broken, self.commits + 1);
        let rest = match looked_at == all {
            true => "",
            false => "; between the others there may be more steps",
        };
        text.push_str(&format!(
            "{looked_at} of {all} commits were looked at, {} of them by running something{rest}.\n",
            self.runs
        ));
        text
    }
}
