//! A history as one HTML file: a plot whose lines are the sum or single tests, and tables of tests and commits. This module
//! chooses the content; the script of `page/` draws it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tally_presentation::html::{self as page, Budget, Count, ScriptedPage, clipped, text_size};
use tally_presentation::plot;
use tally_profiler::PROXY;

use super::report::Point;

/// Bytes of the tests' counts, and of the commits.
const TESTS: usize = 3_500_000;
const COMMITS: usize = 1_000_000;
/// Bytes of a count and its comma, at most.
const COUNT: usize = 23;

/// What the page says of the whole.
pub(super) struct About<'a> {
    pub(super) title: &'a str,
    pub(super) unit: &'a str,
    pub(super) summary: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    title: String,
    unit: &'a str,
    summary: &'a str,
    /// The name of the sum.
    all: &'static str,
    /// The meaning of dashed lines.
    dashed: &'static str,
    commits: Vec<Commit>,
    tests: Vec<Test>,
    /// Tests for which there is no room.
    left_out: usize,
}

#[derive(Serialize)]
struct Commit {
    short: String,
    subject: String,
    count: Option<Count>,
    /// In digits, because it may be beyond what a script's numbers hold.
    difference: Option<String>,
    note: Option<String>,
    why: Option<String>,
}

/// A test and its count in each commit.
#[derive(Serialize)]
struct Test {
    name: String,
    counts: Vec<Option<Count>>,
}

/// The page of these commits, the oldest first.
pub(super) fn html(about: &About<'_>, points: &[Point]) -> String {
    let mut budget = Budget::new(COMMITS);
    // The newest commits are kept if there is no room for all.
    let mut commits: Vec<Commit> = (points.iter().rev())
        .map(commit)
        .take_while(|commit| budget.take(commit.size()))
        .collect();
    commits.reverse();
    let points = &points[points.len() - commits.len()..];
    let (tests, left_out) = tests(points);
    let data = Data {
        title: clipped(about.title),
        unit: about.unit,
        summary: about.summary,
        all: "the sum",
        dashed: plot::NOT_COMPARABLE,
        commits,
        tests,
        left_out,
    };
    // Numbers, texts and lists of them are always representable.
    let json = serde_json::to_string(&data).unwrap_or_else(|_| "null".to_string());
    let page = ScriptedPage {
        title: &format!("{} · Tally history", clipped(about.title)),
        foot: PROXY.trim_end(),
        json: &json,
        styles: &[
            page::BASE_STYLE,
            page::TABLE_STYLE,
            page::FLAME_STYLE,
            plot::PAGE_STYLE,
            include_str!("page/history.css"),
        ],
        scripts: &[
            page::TEXT,
            page::THEME,
            page::ELEMENTS,
            page::TABLE,
            include_str!("page/history.js"),
        ],
    };
    page.html()
}

fn commit(point: &Point) -> Commit {
    Commit {
        short: clipped(&point.short),
        subject: clipped(&point.subject),
        count: point.count.map(Count),
        difference: point.difference.map(|difference| difference.to_string()),
        note: point.others.as_ref().map(|others| clipped(&others.text())),
        why: point.why.as_deref().map(clipped),
    }
}

impl Commit {
    fn size(&self) -> usize {
        let texts = [&self.note, &self.why];
        let texts = texts.into_iter().flatten().map(|text| text_size(text));
        text_size(&self.short) + text_size(&self.subject) + texts.sum::<usize>() + 140
    }
}

/// The tests that changed most, as many as there is room for, and how many others there are.
fn tests(points: &[Point]) -> (Vec<Test>, usize) {
    let names: BTreeSet<&str> = (points.iter())
        .flat_map(|point| point.counts.keys().map(String::as_str))
        .collect();
    let mut ranges: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (name, count) in points.iter().flat_map(|point| &point.counts) {
        let range = ranges.entry(name).or_insert((*count, *count));
        *range = (range.0.min(*count), range.1.max(*count));
    }
    let change = |name: &&str| ranges.get(name).map_or(0, |(low, high)| high - low);
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_by_key(|name| (std::cmp::Reverse(change(name)), *name));
    let mut budget = Budget::new(TESTS);
    let kept = names.iter().take_while(|name| {
        let counts = points.len() * COUNT;
        budget.take(text_size(&clipped(name)) + counts + 30)
    });
    let test = |name: &&str| Test {
        name: match *name {
            "" => "the script".to_string(),
            name => clipped(name),
        },
        counts: (points.iter())
            .map(|point| point.counts.get(*name).copied().map(Count))
            .collect(),
    };
    let tests: Vec<Test> = kept.map(test).collect();
    let left_out = names.len() - tests.len();
    (tests, left_out)
}
