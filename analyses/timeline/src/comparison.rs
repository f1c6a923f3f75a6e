//! Two timelines side by side. The makespan is the sum of the shares of the critical path, so the difference of the makespans is exactly
//! the sum of the differences of the shares.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tally_presentation::escape::markdown;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};
use tally_presentation::{Page, grouped, signed};

use crate::features::Feature;
use crate::findings::Findings;
use crate::overview::Figures;
use crate::states::{CAUSES, Cause};
use crate::trace::{Ending, Head};

/// A timeline that is compared.
#[derive(Clone, Copy, Debug)]
pub struct Side<'s> {
    /// The name of its trace.
    pub name: &'s str,
    /// What was run, and under which rules.
    pub head: &'s Head,
    /// How the run ended.
    pub ending: Ending,
    /// Its figures, with the critical path.
    pub figures: &'s Figures,
}

/// A count before and after, in ticks or as a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The count of the first timeline.
    pub before: u64,
    /// The count of the second timeline.
    pub after: u64,
}

/// A change for programs.
#[derive(Serialize)]
struct ChangeRow {
    before: u64,
    after: u64,
    difference: i128,
}

impl Serialize for Change {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let row = ChangeRow {
            before: self.before,
            after: self.after,
            difference: self.difference(),
        };
        row.serialize(serializer)
    }
}

impl Change {
    /// After minus before.
    pub fn difference(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }

    fn of<T>(sides: [&T; 2], count: impl Fn(&T) -> u64) -> Change {
        let [before, after] = sides.map(count);
        Change { before, after }
    }

    fn add(&mut self, other: Change) {
        self.before = self.before.saturating_add(other.before);
        self.after = self.after.saturating_add(other.after);
    }

    fn in_words(self) -> String {
        let (before, after) = (grouped(self.before), grouped(self.after));
        match self.before == self.after {
            true => before,
            false => format!("{before} → {after} ({})", signed(self.difference())),
        }
    }

    fn in_a_cell(self) -> Value {
        let (before, after) = (grouped(self.before), grouped(self.after));
        match self.before == self.after {
            true => before.into(),
            false => format!("{before} → {after}").into(),
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "counts of a table are shown, not computed with"
    )]
    fn cells(self) -> [Value; 3] {
        let difference = Value::Number(self.difference() as f64);
        [self.before.into(), self.after.into(), difference]
    }
}

/// A row of the critical path: how time passes, in which feature.
#[derive(Clone, Debug, Serialize)]
struct Share {
    how: &'static str,
    feature: Option<String>,
    #[serde(flatten)]
    ticks: Change,
}

/// A feature on both sides. A side without it has zeros.
#[derive(Clone, Debug, Serialize)]
struct FeatureChange {
    name: String,
    requests: Change,
    queue: Change,
    synchronization: Change,
    execution: Change,
    waiting: Change,
}

/// All waits of a cause.
#[derive(Clone, Debug, Serialize)]
struct WaitsChange {
    cause: &'static str,
    waits: Change,
    ticks: Change,
}

/// What was run on a side.
#[derive(Clone, Debug, Serialize)]
struct SideRow {
    trace: String,
    program: String,
    files: Vec<String>,
    cpus: Option<u64>,
    costs: BTreeMap<String, u64>,
    settings: BTreeMap<String, String>,
    ending: &'static str,
}

/// What differs between two timelines; for programs `tally.timeline.compare/1`.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    schema: &'static str,
    before: SideRow,
    after: SideRow,
    makespan: Change,
    ticks: Change,
    processors: Change,
    requests: Change,
    waiting: Change,
    /// The greatest differences first. Their sums are the makespans.
    shares: Vec<Share>,
    features: Vec<FeatureChange>,
    waits: Vec<WaitsChange>,
    warnings: Vec<String>,
}

const READING: &str = "Ticks of the critical path, by how they pass and in which feature. The shares add up to the makespan, so their differences add up to its difference.";
const FEATURES_READING: &str = "Sums of the ticks of all requests, before → after.";

impl Comparison {
    /// Compares two timelines whose critical paths were found.
    pub fn new(before: Side<'_>, after: Side<'_>) -> Comparison {
        let figures = [before.figures, after.figures];
        let count = |count: fn(&Figures) -> u64| Change::of(figures, count);
        Comparison {
            schema: "tally.timeline.compare/1",
            makespan: count(|side| side.extent.makespan()),
            ticks: count(|side| side.ticks),
            processors: count(|side| side.processors.len() as u64),
            requests: count(|side| side.requests),
            waiting: count(|side| side.waiting),
            shares: shares(figures),
            features: features(figures),
            waits: waits(figures),
            warnings: warnings(before, after),
            before: before.row(),
            after: after.row(),
        }
    }

    /// Why figures of these timelines do not mean the same; none if they do.
    pub fn refusal(before: &Head, after: &Head) -> Option<String> {
        let units = [before, after].map(|head| setting(head, "clock").unwrap_or("ticks"));
        match units {
            [one, other] if one != other => Some(format!(
                "the clocks differ: the first trace is in {one}, the second in {other}"
            )),
            _ => None,
        }
    }

    /// What else than the program differs.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// From the begin to the end.
    pub fn makespan(&self) -> Change {
        self.makespan
    }

    /// Ticks that all processors executed.
    pub fn ticks(&self) -> Change {
        self.ticks
    }

    /// Requests that began.
    pub fn requests(&self) -> Change {
        self.requests
    }

    /// Ticks in which requests waited while they executed.
    pub fn waiting(&self) -> Change {
        self.waiting
    }

    /// Whether nothing differs that is compared.
    pub fn is_same(&self) -> bool {
        let is_same = |change: &Change| change.before == change.after;
        let wholes = [self.makespan, self.ticks, self.processors, self.requests];
        wholes.iter().all(is_same)
            && is_same(&self.waiting)
            && self.shares.iter().all(|row| is_same(&row.ticks))
            && self.features.iter().all(|row| !row.differs())
            && self.waits.iter().all(|row| !row.differs())
    }

    /// The shares whose differences are wanted, at most `limit` of them. All others are one row, and the last row is the sum.
    pub fn table(&self, is_wanted: impl Fn(i128) -> bool, limit: Option<usize>) -> Table {
        let mut table = Table::new("path", "Critical path", READING)
            .words("how")
            .name("feature")
            .number("before", "", Style::Whole)
            .number("after", "", Style::Whole)
            .number("difference", "", Style::Difference);
        let (mut shown, mut others) = (0, 0);
        let (mut rest, mut all) = (Change::default(), Change::default());
        for Share {
            how,
            feature,
            ticks,
        } in &self.shares
        {
            all.add(*ticks);
            if shown >= limit.unwrap_or(usize::MAX) || !is_wanted(ticks.difference()) {
                others += 1;
                rest.add(*ticks);
                continue;
            }
            shown += 1;
            let name = feature.as_deref().unwrap_or("–");
            let names = [Value::from(*how), name.into()];
            table.row(names.into_iter().chain(ticks.cells()));
        }
        if others > 0 {
            let names = [Value::Blank, format!("others ({others})").into()];
            table.row(names.into_iter().chain(rest.cells()));
        }
        let names = [Value::Blank, "makespan".into()];
        table.sum(names.into_iter().chain(all.cells()));
        table
    }

    /// The features side by side: those that differ, or all.
    fn features_table(&self, shows_all: bool, limit: Option<usize>) -> Option<Table> {
        let mut table = Table::new("features", "Features", FEATURES_READING)
            .name("feature")
            .words("requests")
            .words("queue")
            .words("sync")
            .words("execution")
            .words("waiting");
        let rows = self.features.iter();
        let rows = rows.filter(|row| shows_all || row.differs());
        let rows: Vec<&FeatureChange> = rows.collect();
        let most = limit.unwrap_or(rows.len()).min(rows.len());
        for row in &rows[..most] {
            let counts = row.counts().map(Change::in_a_cell);
            let name = Value::from(row.name.clone());
            table.row([name].into_iter().chain(counts));
        }
        if most < rows.len() {
            let more = rows.len() - most;
            table = table.note(format!(
                "{more} more rows; --limit N shows N of them, 0 all."
            ));
        }
        table.filled()
    }

    /// The waits by cause: those that differ, or all.
    fn waits_table(&self, shows_all: bool) -> Option<Table> {
        let mut table = Table::new("waits", "Waits", "")
            .name("cause")
            .words("waits")
            .number("before", "", Style::Whole)
            .number("after", "", Style::Whole)
            .number("difference", "", Style::Difference);
        let rows = self.waits.iter();
        for row in rows.filter(|row| shows_all || row.differs()) {
            let names = [Value::from(row.cause), row.waits.in_a_cell()];
            table.row(names.into_iter().chain(row.ticks.cells()));
        }
        table.filled()
    }

    /// All tables, in the order in which they are read.
    fn tables(&self, is_wanted: impl Fn(i128) -> bool, limit: Option<usize>) -> Vec<Table> {
        let shows_all = is_wanted(0);
        let mut tables = vec![self.table(is_wanted, limit)];
        tables.extend(self.features_table(shows_all, limit));
        tables.extend(self.waits_table(shows_all));
        tables
    }

    /// A few lines: what is compared, and the counts of the whole runs.
    fn summary(&self) -> String {
        let mut text = String::new();
        for (when, side) in [("before", &self.before), ("after", &self.after)] {
            let files = side.files.join(" ");
            text.push_str(&format!(
                "{when}: {} ({files}), {}\n",
                side.trace, side.ending
            ));
        }
        let counts = [
            ("makespan", self.makespan),
            ("ticks", self.ticks),
            ("processors", self.processors),
            ("requests", self.requests),
            ("waiting", self.waiting),
        ];
        let counts = counts.map(|(name, count)| format!("{name} {}", count.in_words()));
        text + &counts.join(", ") + "\n"
    }

    /// The comparison as text, with the shares whose differences are wanted.
    pub fn text(
        &self,
        is_wanted: impl Fn(i128) -> bool,
        limit: Option<usize>,
        page: Page,
    ) -> String {
        let mut text = page.wrapped(&self.summary());
        for table in self.tables(is_wanted, limit) {
            table.push_text(page, &mut text);
        }
        text
    }

    /// The same in Markdown.
    pub fn markdown(&self, is_wanted: impl Fn(i128) -> bool, limit: Option<usize>) -> String {
        let mut text = String::new();
        for line in self.summary().lines() {
            text.push_str(&format!("- {}\n", markdown(line)));
        }
        for table in self.tables(is_wanted, limit) {
            text.push_str(&format!("\n### {}\n\n", table.title));
            table.push_markdown(&mut text);
        }
        text
    }
}

impl Side<'_> {
    fn row(self) -> SideRow {
        SideRow {
            trace: self.name.to_string(),
            program: format!("{:016x}", self.head.program),
            files: self.head.files.clone(),
            cpus: self.head.cpus,
            costs: self.head.costs.iter().cloned().collect(),
            settings: self.head.settings.iter().cloned().collect(),
            ending: self.ending.word(),
        }
    }
}

impl FeatureChange {
    fn counts(&self) -> [Change; 5] {
        [
            self.requests,
            self.queue,
            self.synchronization,
            self.execution,
            self.waiting,
        ]
    }

    fn differs(&self) -> bool {
        let counts = self.counts();
        counts.iter().any(|count| count.before != count.after)
    }

    /// The greatest difference of its ticks.
    fn size(&self) -> u128 {
        let [_, times @ ..] = self.counts();
        let sizes = times.map(|count| count.difference().unsigned_abs());
        sizes.into_iter().max().unwrap_or(0)
    }
}

impl WaitsChange {
    fn differs(&self) -> bool {
        self.waits.difference() != 0 || self.ticks.difference() != 0
    }
}

fn shares(figures: [&Figures; 2]) -> Vec<Share> {
    let named = |side: &Figures| {
        let findings = side.findings.as_ref();
        findings.map_or_else(BTreeMap::new, Findings::named_shares)
    };
    let sides = figures.map(named);
    let keys: BTreeSet<_> = sides.iter().flat_map(BTreeMap::keys).collect();
    let share = |key: &(&'static str, Option<String>)| Share {
        how: key.0,
        feature: key.1.clone(),
        ticks: Change::of([&sides[0], &sides[1]], |side| {
            side.get(key).copied().unwrap_or(0)
        }),
    };
    let mut rows: Vec<Share> = keys.into_iter().map(share).collect();
    // The sort is stable, so equal differences stay in the order of their names.
    rows.sort_by_key(|row| Reverse(row.ticks.difference().unsigned_abs()));
    rows
}

fn features(figures: [&Figures; 2]) -> Vec<FeatureChange> {
    let by_name = |side: &Figures| -> BTreeMap<String, Feature> {
        let rows = side.features.iter();
        rows.map(|row| (row.name.clone(), row.clone())).collect()
    };
    let sides = figures.map(by_name);
    let names: BTreeSet<_> = sides.iter().flat_map(BTreeMap::keys).collect();
    let none = Feature::default();
    let row = |name: &String| {
        let rows = [&sides[0], &sides[1]].map(|side| side.get(name).unwrap_or(&none));
        FeatureChange {
            name: name.clone(),
            requests: Change::of(rows, |row| row.requests),
            queue: Change::of(rows, |row| row.queue.sum),
            synchronization: Change::of(rows, |row| row.synchronization.sum),
            execution: Change::of(rows, |row| row.execution.sum),
            waiting: Change::of(rows, |row| row.waiting.sum),
        }
    };
    let mut rows: Vec<FeatureChange> = names.into_iter().map(row).collect();
    rows.sort_by_key(|row| Reverse(row.size()));
    rows
}

fn waits(figures: [&Figures; 2]) -> Vec<WaitsChange> {
    let row = |cause: Cause| WaitsChange {
        cause: cause.word(),
        waits: Change::of(figures, |side| {
            let rows = side.waits.iter();
            let counts = rows.filter(|((one, ..), _)| *one == cause);
            counts.map(|(_, row)| row.count).sum()
        }),
        ticks: Change::of(figures, |side| side.waited(cause)),
    };
    let rows = CAUSES.into_iter().map(row);
    let happened = |row: &WaitsChange| row.waits != Change::default();
    rows.filter(happened).collect()
}

fn setting<'h>(head: &'h Head, name: &str) -> Option<&'h str> {
    let found = head.settings.iter().find(|(one, _)| one == name);
    found.map(|(_, value)| value.as_str())
}

fn warnings(before: Side<'_>, after: Side<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut compare = |what: &str, [one, other]: [String; 2]| {
        if one != other {
            warnings.push(format!(
                "the traces differ in {what}: {one} before, {other} after"
            ));
        }
    };
    let heads = [before.head, after.head];
    compare(
        "CPUs",
        heads.map(|head| head.cpus.map_or("max".to_string(), |cpus| cpus.to_string())),
    );
    compare(
        "costs",
        heads.map(|head| {
            let pairs = head.costs.iter();
            listed(pairs.map(|(name, ticks)| format!("{name}={ticks}")))
        }),
    );
    compare(
        "settings",
        heads.map(|head| {
            let pairs = head.settings.iter();
            listed(pairs.map(|(name, value)| format!("{name}={value}")))
        }),
    );
    compare(
        "how the runs ended",
        [before, after].map(|side| side.ending.word().to_string()),
    );
    warnings
}

fn listed(pairs: impl Iterator<Item = String>) -> String {
    let pairs: Vec<String> = pairs.collect();
    match pairs.is_empty() {
        true => "none".to_string(),
        false => pairs.join(","),
    }
}
