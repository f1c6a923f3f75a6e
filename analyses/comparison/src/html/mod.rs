//! A difference as one HTML file: sums, causes, a flame graph of both sides, sources of both sides with
//! their counts, and tables of tests, methods and classes.
//! This module chooses the content; the scripts of `page/` show it. The greatest differences come first. Entries without
//! room are counted.

mod imported;
mod sources;
mod union;

use std::collections::BTreeMap;

use serde::Serialize;
use tally_presentation::html::{
    self as page, Budget, Count, ScriptedPage, clipped, number_size, text_size,
};
use tally_profiler::Costs;

use crate::difference::{
    ClassDifference, Difference, LoneRun, MethodDifference, MethodSide, RunDifference, Runs,
    WorkPart,
};
use crate::explanation::{Explained, ExplainedPart, Explanation, How};
use crate::matching::Fate;
use crate::matching::Matched;
use crate::measurement::Measurement;
use sources::{SourceRow, sources};
use union::{Frame, What, frames};

/// Bytes of all data; with the page's own text it stays below 5 MB.
const ALL: usize = 4_600_000;
/// Bytes of the parts that could grow without end.
const NOTES: usize = 100_000;
const CAUSES: usize = 400_000;
const RUNS: usize = 700_000;
const CLASSES: usize = 400_000;
const METHODS: usize = 1_300_000;
const SOURCES: usize = 1_000_000;
/// Contexts of the flame graph, and bytes of one at most but for its counts.
const CONTEXTS: usize = 40_000;
/// Names in a chain of callers.
const TRAIL: usize = 12;

const RUN: i64 = -1;
const OTHER: i64 = -2;
const SMALLER: i64 = -3;

const STYLES: &[&str] = &[
    page::BASE_STYLE,
    page::TABLE_STYLE,
    page::FLAME_STYLE,
    page::SOURCE_STYLE,
    include_str!("page/difference.css"),
];

/// In the order in which they are run; they share one scope.
const SCRIPTS: &[&str] = &[
    page::TEXT,
    page::THEME,
    page::ELEMENTS,
    page::TABLE,
    include_str!("page/model.js"),
    page::SOURCE,
    include_str!("page/sources.js"),
    include_str!("page/tables.js"),
    page::FLAME,
    include_str!("page/flame.js"),
    include_str!("page/difference.js"),
];

/// A difference as one self-contained HTML file of at most 5 MB, for people to look around in. The sides have these names.
pub fn difference_html(
    difference: &Difference,
    explanation: &Explanation,
    old: &Measurement,
    new: &Measurement,
    sides: [&str; 2],
) -> String {
    if !difference.unit.is_tally() {
        return imported::page(difference, &explanation.whole, sides);
    }
    let data = Data::of(difference, explanation, &Matched::new(old, new), sides);
    // Numbers, texts and lists of them are always representable.
    let json = serde_json::to_string(&data).unwrap_or_else(|_| "null".to_string());
    let [old, new] = sides.map(clipped);
    let foot = difference.proxy();
    let page = ScriptedPage {
        title: &format!("{old} → {new} · Tally comparison"),
        foot: foot.trim_end(),
        json: &json,
        styles: STYLES,
        scripts: SCRIPTS,
    };
    page.html()
}

/// A count before and after.
type Change = [Count; 2];

fn change(before: u64, after: u64) -> Change {
    [Count(before), Count(after)]
}

/// Everything that the page shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    schema: &'static str,
    sides: [String; 2],
    incomparable: Vec<String>,
    notes: Vec<String>,
    opposed: Vec<String>,
    costs: Vec<(&'static str, Count, Count)>,
    /// The parts of the difference of work: the name, the count before and after, the part.
    work: Vec<(&'static str, Count, Count, String)>,
    causes: Vec<CauseRow>,
    runs: Vec<Row>,
    added: Vec<(String, Count)>,
    removed: Vec<(String, Count)>,
    methods: Vec<Row>,
    sources: Vec<SourceRow>,
    classes: Vec<Row>,
    names: Vec<Name>,
    contexts: Contexts,
    left_out: LeftOut,
}

#[derive(Default, Serialize)]
struct LeftOut {
    notes: usize,
    causes: usize,
    runs: usize,
    methods: usize,
    sources: usize,
    classes: usize,
}

/// What has a part of the difference.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CauseRow {
    causes: Vec<CauseName>,
    part: String,
    ways: Vec<WayRow>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CauseName {
    name: String,
    place: String,
    is_library: bool,
    fate: &'static str,
}

#[derive(Serialize)]
struct WayRow {
    how: How,
    part: String,
    trail: Vec<String>,
}

/// A run, method or class. Counts that it does not have are left out.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    fate: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_library: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Change>,
    own: Change,
    total: Change,
    objects: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<Change>,
}

/// A method in the flame graph.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    fate: &'static str,
    is_library: bool,
}

/// The tree as columns; `up` says how many levels a context stands above the place below the one before it.
#[derive(Default, Serialize)]
struct Contexts {
    up: Vec<u32>,
    name: Vec<i64>,
    /// The block's number, or how many contexts were summed up.
    block: Vec<Count>,
    calls: [Vec<Count>; 2],
    own: [Vec<Count>; 2],
}

impl Data {
    fn of(
        difference: &Difference,
        explanation: &Explanation,
        matched: &Matched<'_>,
        sides: [&str; 2],
    ) -> Data {
        let mut whole = Budget::new(ALL);
        let mut left_out = LeftOut::default();
        let about = difference.incomparable.iter().map(ToString::to_string);
        let incomparable = about.map(|text| clipped(&text)).collect();
        let notes = whole.part(NOTES, |budget| {
            let notes = difference.notes.iter().map(|note| clipped(note));
            fitting(notes, |note| text_size(note), &mut left_out.notes, budget)
        });
        let causes = whole.part(CAUSES, |b| {
            causes(&explanation.whole, &mut left_out.causes, b)
        });
        let runs = difference.runs.iter();
        let runs = whole.part(RUNS, |budget| {
            let has_work = difference.work_difference().is_some();
            let rows = runs.map(|run| Row::of_run(run, has_work));
            fitting(rows, Row::size, &mut left_out.runs, budget)
        });
        let mut lone = |runs: &[LoneRun]| {
            let rows = runs
                .iter()
                .map(|run| (run_name(&run.name), Count(run.cost.sends)));
            whole.part(RUNS / 4, |budget| {
                let size = |(name, count): &(String, Count)| text_size(name) + number_size(count.0);
                fitting(rows, size, &mut left_out.runs, budget)
            })
        };
        let (added, removed) = (lone(&difference.added_runs), lone(&difference.removed_runs));
        let classes = whole.part(CLASSES, |budget| {
            let rows = difference.classes.iter().map(Row::of_class);
            fitting(rows, Row::size, &mut left_out.classes, budget)
        });
        let methods = whole.part(METHODS, |budget| {
            let rows = difference.methods.iter().map(Row::of_method);
            fitting(rows, Row::size, &mut left_out.methods, budget)
        });
        let sources = whole.part(SOURCES, |b| sources(matched, &mut left_out.sources, b));
        let (names, contexts) = tree(matched, &mut whole);
        Data {
            schema: "tally.comparison-report/1",
            sides: sides.map(clipped),
            incomparable,
            notes,
            opposed: difference.opposed(),
            costs: costs(&difference.before, &difference.after),
            work: work(&difference.work_parts),
            causes,
            runs,
            added,
            removed,
            methods,
            sources,
            classes,
            names,
            contexts,
            left_out,
        }
    }
}

fn costs(before: &Costs, after: &Costs) -> Vec<(&'static str, Count, Count)> {
    let rows = before.beside(after).into_iter();
    rows.map(|(name, before, after)| (name, Count(before), Count(after)))
        .collect()
}

fn work(parts: &[WorkPart]) -> Vec<(&'static str, Count, Count, String)> {
    let row = |part: &WorkPart| {
        let (before, after) = (Count(part.before), Count(part.after));
        (part.name, before, after, part.part.to_string())
    };
    parts.iter().map(row).collect()
}

/// The first rows, as many as there is room for; the others are counted.
fn fitting<T>(
    rows: impl Iterator<Item = T>,
    size: impl Fn(&T) -> usize,
    left_out: &mut usize,
    budget: &mut Budget,
) -> Vec<T> {
    let mut kept = Vec::new();
    let mut is_full = false;
    for row in rows {
        is_full = is_full || !budget.take(size(&row));
        match is_full {
            true => *left_out += 1,
            false => kept.push(row),
        }
    }
    kept
}

fn word(fate: Fate) -> &'static str {
    fate.word()
}

fn run_name(name: &str) -> String {
    match name {
        "" => "the script".to_string(),
        name => clipped(name),
    }
}

fn causes(whole: &Explained, left_out: &mut usize, budget: &mut Budget) -> Vec<CauseRow> {
    let rows = whole.parts.iter().map(CauseRow::of);
    fitting(rows, CauseRow::size, left_out, budget)
}

impl CauseRow {
    fn of(part: &ExplainedPart) -> CauseRow {
        let causes = part.causes.iter().map(|cause| CauseName {
            name: clipped(&cause.name),
            place: match cause.line {
                0 => clipped(&cause.file),
                line => format!("{}:{line}", clipped(&cause.file)),
            },
            is_library: cause.is_library,
            fate: word(cause.fate),
        });
        let ways = part.ways.iter().map(|way| WayRow {
            how: way.how,
            part: way.part.to_string(),
            trail: shortened(&way.trail),
        });
        CauseRow {
            causes: causes.collect(),
            part: part.part.to_string(),
            ways: ways.collect(),
        }
    }

    fn size(&self) -> usize {
        let causes = self.causes.iter();
        let causes = causes.map(|cause| text_size(&cause.name) + text_size(&cause.place) + 60);
        let ways = self.ways.iter().map(|way| {
            let trail = way.trail.iter().map(|name| text_size(name));
            trail.sum::<usize>() + text_size(&way.part) + 50
        });
        causes.sum::<usize>() + ways.sum::<usize>() + text_size(&self.part) + 40
    }
}

/// A chain of names; of a long one the beginning and the end.
fn shortened(trail: &[String]) -> Vec<String> {
    if trail.len() <= TRAIL {
        return trail.iter().map(|name| clipped(name)).collect();
    }
    let (first, rest) = trail.split_at(TRAIL / 2);
    let last = &rest[rest.len() - TRAIL / 2..];
    let first = first.iter().map(|name| clipped(name));
    let last = last.iter().map(|name| clipped(name));
    first.chain(["…".to_string()]).chain(last).collect()
}

impl Row {
    fn of(name: &str, before: &MethodSide, after: &MethodSide) -> Row {
        Row {
            name: clipped(name),
            old_name: None,
            fate: "",
            is_library: false,
            calls: Some(change(before.calls, after.calls)),
            own: change(before.own, after.own),
            total: change(before.total, after.total),
            objects: change(before.objects, after.objects),
            work: None,
        }
    }

    fn of_class(class: &ClassDifference) -> Row {
        Row {
            is_library: class.is_library,
            ..Row::of(&class.name, &class.before, &class.after)
        }
    }

    fn of_method(method: &MethodDifference) -> Row {
        Row {
            old_name: method.old_name.as_deref().map(clipped),
            fate: word(method.fate),
            is_library: method.is_library,
            work: method
                .work_difference()
                .map(|_| change(method.before.work, method.after.work)),
            ..Row::of(&method.name, &method.before, &method.after)
        }
    }

    fn of_run(run: &RunDifference, has_work: bool) -> Row {
        let (before, after) = (&run.before, &run.after);
        Row {
            name: run_name(&run.name),
            old_name: None,
            fate: "",
            is_library: false,
            calls: None,
            own: change(before.steps, after.steps),
            total: change(before.sends, after.sends),
            objects: change(before.objects, after.objects),
            work: has_work.then(|| change(before.work, after.work)),
        }
    }

    fn size(&self) -> usize {
        let changes = [
            Some(self.own),
            Some(self.total),
            Some(self.objects),
            self.calls,
            self.work,
        ];
        let counts = changes.into_iter().flatten().flatten();
        let old_name = self
            .old_name
            .as_ref()
            .map_or(0, |name| text_size(name) + 12);
        counts.map(|count| number_size(count.0)).sum::<usize>()
            + text_size(&self.name)
            + old_name
            + 100
    }
}

/// As much of the tree as there is room for, and the names in it.
fn tree(matched: &Matched<'_>, budget: &mut Budget) -> (Vec<Name>, Contexts) {
    let runs = Runs::of(matched.old, matched.new);
    let mut most = CONTEXTS;
    loop {
        let frames = frames(matched, &runs, most);
        let (names, numbers) = names(matched, &frames);
        let size = names.iter().map(Name::size).sum::<usize>()
            + frames.iter().map(frame_size).sum::<usize>();
        if most == 1 || budget.take(size) {
            return (names, Contexts::of(&frames, &numbers));
        }
        most = (most * 3 / 4).max(1);
    }
}

fn frame_size(frame: &Frame) -> usize {
    let counts = frame.calls.into_iter().chain(frame.own);
    counts.map(number_size).sum::<usize>() + 26
}

impl Name {
    fn size(&self) -> usize {
        let old_name = self
            .old_name
            .as_ref()
            .map_or(0, |name| text_size(name) + 12);
        text_size(&self.name) + old_name + 50
    }
}

/// The methods that frames mention, and their numbers by pair.
fn names(matched: &Matched<'_>, frames: &[Frame]) -> (Vec<Name>, BTreeMap<u32, usize>) {
    let mut names = Vec::new();
    let mut numbers = BTreeMap::new();
    for frame in frames {
        let (What::Method(pair) | What::Block(pair, _)) = frame.what else {
            continue;
        };
        numbers.entry(pair).or_insert_with(|| {
            let method = matched.method(pair);
            let known = &matched.pairs[pair as usize];
            names.push(Name {
                name: clipped(&method.name),
                old_name: known.old_name.as_deref().map(clipped),
                fate: word(known.fate),
                is_library: method.is_library,
            });
            names.len() - 1
        });
    }
    (names, numbers)
}

impl Contexts {
    fn of(frames: &[Frame], numbers: &BTreeMap<u32, usize>) -> Contexts {
        let mut contexts = Contexts::default();
        let mut below_the_last = 0;
        for frame in frames {
            contexts.up.push(below_the_last - frame.depth);
            below_the_last = frame.depth + 1;
            let number = |pair: u32| numbers.get(&pair).map_or(OTHER, |number| *number as i64);
            let (name, block) = match frame.what {
                What::Run => (RUN, 0),
                What::Other => (OTHER, 0),
                What::Method(pair) => (number(pair), 0),
                What::Block(pair, block) => (number(pair), u64::from(block.max(1))),
                What::Smaller(count) => (SMALLER, count),
            };
            contexts.name.push(name);
            contexts.block.push(Count(block));
            for side in 0..2 {
                contexts.calls[side].push(Count(frame.calls[side]));
                contexts.own[side].push(Count(frame.own[side]));
            }
        }
        contexts
    }
}
