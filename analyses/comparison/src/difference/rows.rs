//! The rows of a difference: costs of runs, counts of methods and of classes, before and after, ranked by the difference.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use tally_profiler::{Costs, Ending};

use super::{Difference, Runs};
use crate::matching::{Fate, Matched};
use crate::measurement::MeasuredRun;

/// A run of both sides: the script's, or a test's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunDifference {
    /// `Class>>selector` of the test; empty for a script.
    pub name: String,
    /// How it ended before and after.
    pub endings: (Ending, Ending),
    /// Its cost before.
    pub before: Costs,
    /// Its cost after.
    pub after: Costs,
    /// Results of explored programs that only one side has, if both sides explore.
    #[serde(skip_serializing_if = "Outcomes::is_empty")]
    pub outcomes: Outcomes,
}

/// Results of explored programs that only one side has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcomes {
    /// After, and not before.
    pub appeared: Vec<String>,
    /// Before, and not after.
    pub vanished: Vec<String>,
}

impl Outcomes {
    fn of(old: &MeasuredRun, new: &MeasuredRun) -> Outcomes {
        if old.explorations.is_none() || new.explorations.is_none() {
            return Outcomes::default();
        }
        let missing = |from: &[String], other: &[String]| {
            let missing = from.iter().filter(|text| !other.contains(text));
            missing.cloned().collect()
        };
        Outcomes {
            appeared: missing(&new.outcomes, &old.outcomes),
            vanished: missing(&old.outcomes, &new.outcomes),
        }
    }

    /// Whether both sides have the same outcomes.
    pub fn is_empty(&self) -> bool {
        self.appeared.is_empty() && self.vanished.is_empty()
    }
}

impl RunDifference {
    /// Whether costs or outcomes differ.
    pub fn differs(&self) -> bool {
        self.before != self.after || !self.outcomes.is_empty()
    }

    /// After minus before, of sends.
    pub fn sends_difference(&self) -> i128 {
        i128::from(self.after.sends) - i128::from(self.before.sends)
    }

    /// After minus before, of work; none if a side has no work.
    pub fn work_difference(&self) -> Option<i128> {
        self.before.work_difference(&self.after)
    }

    /// After minus before, of the span; none if a side has no processors.
    pub fn span_difference(&self) -> Option<i128> {
        self.before.span_difference(&self.after)
    }

    /// The difference that decides whether the run is worse or better: of sends, else of work, else of the span.
    pub(crate) fn leading_difference(&self) -> i128 {
        let (work, span) = (self.work_difference(), self.span_difference());
        let differences = [
            self.sends_difference(),
            work.unwrap_or(0),
            span.unwrap_or(0),
        ];
        differences.into_iter().find(|it| *it != 0).unwrap_or(0)
    }
}

/// A run of one side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoneRun {
    /// `Class>>selector` of the test; empty for a script.
    pub name: String,
    /// How it ended.
    pub ending: Ending,
    /// Its cost.
    pub cost: Costs,
}

impl LoneRun {
    fn of(run: &MeasuredRun) -> LoneRun {
        LoneRun {
            name: run.name.clone(),
            ending: run.ending,
            cost: costs_of(run),
        }
    }
}

/// A test of both sides that ended early on one of them, or on both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyRun {
    /// `Class>>selector` of the test.
    pub name: String,
    /// How it ended before and after.
    pub endings: (Ending, Ending),
}

/// Counts of a method or class on one side; zero where it did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodSide {
    /// Activations.
    pub calls: u64,
    /// Activations of blocks.
    pub block_calls: u64,
    /// Sends in itself and its blocks.
    pub own: u64,
    /// Sends below it, its own included; for a class, the sum over its methods.
    pub total: u64,
    /// Objects allocated in it and its blocks.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Work in itself and its blocks; zero if it was not counted.
    pub work: u64,
}

impl MethodSide {
    fn add(&mut self, more: &MethodSide) {
        let MethodSide {
            calls,
            block_calls,
            own,
            total,
            objects,
            bytes,
            work,
        } = more;
        self.calls = self.calls.saturating_add(*calls);
        self.block_calls = self.block_calls.saturating_add(*block_calls);
        self.own = self.own.saturating_add(*own);
        self.total = self.total.saturating_add(*total);
        self.objects = self.objects.saturating_add(*objects);
        self.bytes = self.bytes.saturating_add(*bytes);
        self.work = self.work.saturating_add(*work);
    }
}

fn minus(after: u64, before: u64) -> i128 {
    i128::from(after) - i128::from(before)
}

/// A method of one side or of both.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodDifference {
    /// `Class>>selector` or a file's name; as it is now, if it still is.
    pub name: String,
    /// Its name before, if it was renamed or moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_name: Option<String>,
    /// The holding class; empty for statements at top level.
    pub class: String,
    /// The selector; empty for statements at top level.
    pub selector: String,
    /// The class's category.
    pub package: String,
    /// The file that it stands in.
    pub file: String,
    /// Its first line there, from 1.
    pub line: usize,
    /// Whether it belongs to the library.
    pub is_library: bool,
    /// Whether it was added, removed, edited, renamed or moved.
    pub fate: Fate,
    /// Counts before.
    pub before: MethodSide,
    /// Counts after.
    pub after: MethodSide,
}

impl MethodDifference {
    /// After minus before, of own sends.
    pub fn own_difference(&self) -> i128 {
        minus(self.after.own, self.before.own)
    }

    /// After minus before, of total sends.
    pub fn total_difference(&self) -> i128 {
        minus(self.after.total, self.before.total)
    }

    /// After minus before, of its own work; none if a side that ran has no work.
    pub fn work_difference(&self) -> Option<i128> {
        let has_work =
            |side: &MethodSide| side.work > 0 || (side.calls, side.block_calls) == (0, 0);
        let has_work = has_work(&self.before) && has_work(&self.after);
        has_work.then(|| minus(self.after.work, self.before.work))
    }

    /// The difference that decides whether the method is worse or better: of its own sends, else of its total, else of its
    /// own work.
    pub(crate) fn leading_difference(&self) -> i128 {
        let work = self.work_difference().unwrap_or(0);
        let differences = [self.own_difference(), self.total_difference(), work];
        differences.into_iter().find(|it| *it != 0).unwrap_or(0)
    }
}

/// The methods of a class, both of whose sides are classes of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClassDifference {
    /// `Foo` or `Foo class`.
    pub name: String,
    /// Whether all of these methods belong to the library.
    pub is_library: bool,
    /// How many of its methods are added, removed, edited, renamed or moved.
    pub changed_methods: usize,
    /// Counts before.
    pub before: MethodSide,
    /// Counts after.
    pub after: MethodSide,
}

impl ClassDifference {
    /// After minus before, of own sends.
    pub fn own_difference(&self) -> i128 {
        minus(self.after.own, self.before.own)
    }

    /// After minus before, of total sends.
    pub fn total_difference(&self) -> i128 {
        minus(self.after.total, self.before.total)
    }
}

fn costs_of(run: &MeasuredRun) -> Costs {
    Costs {
        processors: run.processors,
        explorations: run.explorations,
        ..Costs::of(&run.cost)
    }
}

/// The costs of a run of both sides. Those of processors and of explorations are compared if both sides have some.
fn costs_of_both(old: &MeasuredRun, new: &MeasuredRun) -> (Costs, Costs) {
    let (mut before, mut after) = (costs_of(old), costs_of(new));
    if before.processors.is_none() || after.processors.is_none() {
        (before.processors, after.processors) = (None, None);
    }
    if before.explorations.is_none() || after.explorations.is_none() {
        (before.explorations, after.explorations) = (None, None);
    }
    (before, after)
}

/// Fills in what depends on runs and methods.
pub(super) fn fill(difference: &mut Difference, matched: &Matched<'_>, runs: &Runs<'_>) {
    for (old, new) in &runs.both {
        let (before, after) = costs_of_both(old, new);
        difference.before.add(&before);
        difference.after.add(&after);
        difference.runs.push(RunDifference {
            name: old.name.clone(),
            endings: (old.ending, new.ending),
            before,
            after,
            outcomes: Outcomes::of(old, new),
        });
    }
    let size = |run: &RunDifference| {
        let work = run.work_difference().unwrap_or(0).unsigned_abs();
        let span = run.span_difference().unwrap_or(0).unsigned_abs();
        Reverse((run.sends_difference().unsigned_abs(), work, span))
    };
    difference
        .runs
        .sort_by(|a, b| (size(a), &a.name).cmp(&(size(b), &b.name)));
    difference.added_runs = runs.added.iter().map(|run| LoneRun::of(run)).collect();
    let early = runs.early.iter().map(|(old, new)| EarlyRun {
        name: new.name.clone(),
        endings: (old.ending, new.ending),
    });
    difference.early_runs = early.collect();
    difference.removed_runs = runs.removed.iter().map(|run| LoneRun::of(run)).collect();
    difference.methods = methods(matched, runs);
    difference.classes = classes(&difference.methods);
}

fn methods(matched: &Matched<'_>, runs: &Runs<'_>) -> Vec<MethodDifference> {
    let mut sides: Vec<Option<[MethodSide; 2]>> = vec![None; matched.pairs.len()];
    for (old, new) in &runs.both {
        for (side, run, of_side) in [(0, old, &matched.of_old), (1, new, &matched.of_new)] {
            for counts in &run.methods {
                let pair = of_side[counts.method as usize] as usize;
                sides[pair].get_or_insert_default()[side].add(&MethodSide {
                    calls: counts.calls,
                    block_calls: counts.block_calls,
                    own: counts.own,
                    total: counts.total,
                    objects: counts.allocations.objects,
                    bytes: counts.allocations.bytes,
                    work: counts.own_work,
                });
            }
        }
    }
    // Readers look for names, so a method that was redefined while it ran is one row. Imported functions of one name are
    // different functions, in several files or programs.
    let is_import = !matched.old.unit.is_tally();
    let mut rows: BTreeMap<(Option<&str>, &str, u32), MethodDifference> = BTreeMap::new();
    for (number, (pair, sides)) in (0u32..).zip(matched.pairs.iter().zip(&sides)) {
        let Some([before, after]) = sides else {
            continue;
        };
        let method = matched.method(number);
        let own_row = if is_import { number } else { 0 };
        let key = (pair.old_name.as_deref(), method.name.as_str(), own_row);
        let row = rows.entry(key).or_insert_with(|| MethodDifference {
            name: method.name.clone(),
            old_name: pair.old_name.clone(),
            class: method.class.clone(),
            selector: method.selector.clone(),
            package: method.package.clone(),
            file: method.file.clone(),
            line: method.line,
            is_library: method.is_library,
            ..MethodDifference::default()
        });
        row.fate = row.fate.max(pair.fate);
        row.before.add(before);
        row.after.add(after);
    }
    let mut rows: Vec<MethodDifference> = rows.into_values().collect();
    let size = |row: &MethodDifference| {
        let calls = minus(row.after.calls, row.before.calls).unsigned_abs();
        let own = row.own_difference().unsigned_abs();
        let work = row.work_difference().unwrap_or(0).unsigned_abs();
        Reverse((own, row.total_difference().unsigned_abs(), calls, work))
    };
    rows.sort_by(|a, b| (size(a), &a.name).cmp(&(size(b), &b.name)));
    rows
}

fn classes(methods: &[MethodDifference]) -> Vec<ClassDifference> {
    let mut rows: BTreeMap<&str, ClassDifference> = BTreeMap::new();
    for method in methods.iter().filter(|method| !method.class.is_empty()) {
        let row = rows
            .entry(&method.class)
            .or_insert_with(|| ClassDifference {
                name: method.class.clone(),
                is_library: true,
                ..ClassDifference::default()
            });
        row.is_library &= method.is_library;
        row.changed_methods += usize::from(method.fate.is_change());
        row.before.add(&method.before);
        row.after.add(&method.after);
    }
    let mut rows: Vec<ClassDifference> = rows.into_values().collect();
    let size = |row: &ClassDifference| {
        let own = row.own_difference().unsigned_abs();
        Reverse((own, row.total_difference().unsigned_abs()))
    };
    rows.sort_by(|a, b| (size(a), &a.name).cmp(&(size(b), &b.name)));
    rows
}
