//! The tests whose costs differ from a snapshot, and the cause of each difference: the project or Tally.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use tally_presentation::escape::markdown_code;
use tally_presentation::{Align, Cell, Layout, Page, Tint, grouped, signed};
use tally_profiler::{CostName, TestCounts};

use super::{
    Comparability, SNAPSHOT_FILE, Snapshot, TestRecord, TestRun, is_fixture, test_of_section,
};

/// Whose doing it is that a test costs something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// The library or the model is another one, and the test entered the same code of the project's.
    Tally,
    /// The test entered other code of the project's, and library and model are the same.
    Project,
    /// Both are others. The counts alone cannot separate their shares.
    Both,
    /// Neither is: something that the test reads is, or it depends on something that changes by itself.
    Neither,
}

impl Cause {
    /// A sentence about tests that changed for this cause, without a full stop.
    pub fn text(self) -> &'static str {
        match self {
            Cause::Tally => "caused by Tally: the project's code that ran is the same",
            Cause::Project => "the project's code changed",
            Cause::Both => "both Tally and the project's code changed",
            Cause::Neither => {
                "neither Tally nor the project's code that ran changed; the tests read, or explore, something that did"
            }
        }
    }

    fn of(is_same_tally: bool, is_same_code: bool) -> Cause {
        match (is_same_tally, is_same_code) {
            (false, true) => Cause::Tally,
            (true, false) => Cause::Project,
            (false, false) => Cause::Both,
            (true, true) => Cause::Neither,
        }
    }
}

/// Tests that a list for people names.
const LISTED: usize = 40;

/// A test that costs something else than before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChangedTest {
    /// `Class>>selector`, with parameters if it has some.
    pub name: String,
    /// What the snapshot says.
    pub before: TestRecord,
    /// The measured counts.
    pub after: TestRecord,
    /// Whose doing it is.
    pub cause: Cause,
    /// The costs that differ, of those that both have.
    #[serde(skip)]
    pub costs: Vec<CostName>,
}

impl ChangedTest {
    /// The costs that differ, before and after.
    pub fn costs(&self) -> impl Iterator<Item = (CostName, u64, u64)> {
        let count = |record: &TestRecord, cost| record.counts.get(cost);
        let costs = self.costs.iter();
        costs.map(move |&cost| (cost, count(&self.before, cost), count(&self.after, cost)))
    }
}

/// A test that is on one side only.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoneTest {
    /// `Class>>selector`, with parameters if it has some.
    pub name: String,
    /// What it costs, or did.
    pub counts: TestCounts,
}

/// The differences between a run and a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SnapshotDifference {
    /// The reasons why the counts cannot be compared.
    pub comparability: Comparability,
    /// Tests that cost something else, by name.
    pub changed: Vec<ChangedTest>,
    /// Tests that the snapshot does not know, by name.
    pub added: Vec<LoneTest>,
    /// Tests that the snapshot knows and that are gone, by name.
    pub removed: Vec<LoneTest>,
    /// How many tests cost the same.
    pub unchanged: usize,
    /// How many tests of the snapshot have no counts in the run, though they may still be there.
    pub not_run: usize,
}

/// The differences between a run and a snapshot, whether or not their counts are comparable.
pub fn difference(old: &Snapshot, new: &TestRun) -> SnapshotDifference {
    let comparability = old.comparability(&new.snapshot);
    let mut changed = Vec::new();
    let mut unchanged = 0;
    let common = old.common_costs(&new.snapshot);
    for (name, after) in &new.snapshot.tests {
        let Some(before) = old.tests.get(name) else {
            continue;
        };
        let differs = |cost: &CostName| before.counts.get(*cost) != after.counts.get(*cost);
        let costs = common
            .iter()
            .copied()
            .chain(CostName::special_in_snapshots());
        let costs: Vec<CostName> = costs.filter(differs).collect();
        if costs.is_empty() {
            unchanged += 1;
            continue;
        }
        changed.push(ChangedTest {
            name: name.clone(),
            before: *before,
            after: *after,
            cause: Cause::of(comparability.is_same(), before.code == after.code),
            costs,
        });
    }
    let removed = lone(&old.tests, |name| {
        !new.snapshot.tests.contains_key(name) && !new.may_exist(name)
    });
    SnapshotDifference {
        comparability,
        added: lone(&new.snapshot.tests, |name| !old.tests.contains_key(name)),
        not_run: old.tests.len() - removed.len() - changed.len() - unchanged,
        changed,
        removed,
        unchanged,
    }
}

fn lone(tests: &BTreeMap<String, TestRecord>, is_lone: impl Fn(&str) -> bool) -> Vec<LoneTest> {
    let tests = tests.iter().filter(|(name, _)| is_lone(name));
    let lone = |(name, record): (&String, &TestRecord)| LoneTest {
        name: name.clone(),
        counts: record.counts,
    };
    tests.map(lone).collect()
}

impl SnapshotDifference {
    /// Whether every test that ran costs what the snapshot says, and none is new or gone.
    pub fn is_same(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }

    /// The difference for people, before anything was done about it; empty if there is none.
    pub fn check_report(&self, page: Page) -> String {
        self.report(page, &format!("otherwise than {SNAPSHOT_FILE} says"))
    }

    /// The difference for people, after the snapshot took it over; empty if there is none.
    pub fn update_report(&self, page: Page) -> String {
        self.report(page, "otherwise than before")
    }

    fn report(&self, page: Page, otherwise: &str) -> String {
        let mut text = String::new();
        let is_plain = self.comparability.is_same()
            && self.changed.iter().all(|test| test.cause == Cause::Project);
        if is_plain {
            let tests: Vec<&ChangedTest> = self.changed.iter().collect();
            section(&mut text, &tests, &format!("{otherwise}:"), page);
        } else {
            for cause in [Cause::Project, Cause::Both, Cause::Neither, Cause::Tally] {
                let tests = self.changed.iter().filter(|test| test.cause == cause);
                let tests: Vec<&ChangedTest> = tests.collect();
                let heading = format!("{otherwise} ({}):", cause.text());
                section(&mut text, &tests, &heading, page);
            }
        }
        lone_section(&mut text, &self.added, ["is new:", "are new:"], page);
        lone_section(&mut text, &self.removed, ["is gone:", "are gone:"], page);
        text
    }

    /// How many tests are what, in a line.
    pub fn summary(&self) -> String {
        let counts = [
            (self.changed.len(), "changed"),
            (self.added.len(), "new"),
            (self.removed.len(), "gone"),
            (self.unchanged, "unchanged"),
            (self.not_run, "not run"),
        ];
        let told = counts.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told
            .map(|(count, what)| format!("{} {what}", grouped(*count as u64)))
            .collect();
        match told.is_empty() {
            true => "no tests".to_string(),
            false => told.join(", "),
        }
    }

    /// The difference as a table in Markdown; empty if there is none.
    pub fn markdown(&self) -> String {
        if self.is_same() {
            return String::new();
        }
        let mut text =
            "| test | cost | before | after | difference |\n| --- | --- | ---: | ---: | ---: |\n"
                .to_string();
        for test in &self.changed {
            for (cost, before, after) in test.costs() {
                let difference = signed(i128::from(after) - i128::from(before));
                markdown_row(
                    &mut text,
                    &test.name,
                    [cost.name(), &grouped(before), &grouped(after), &difference],
                );
            }
        }
        for test in &self.added {
            let sends = grouped(test.counts.sends);
            markdown_row(&mut text, &test.name, ["sends", "", &sends, "new"]);
        }
        for test in &self.removed {
            let sends = grouped(test.counts.sends);
            markdown_row(&mut text, &test.name, ["sends", &sends, "", "gone"]);
        }
        text
    }
}

fn markdown_row(text: &mut String, name: &str, cells: [&str; 4]) {
    let _ = writeln!(text, "| {} | {} |", markdown_code(name), cells.join(" | "));
}

/// How many tests, how many sections of tests, and of how many classes the setUp, with a verb.
fn counted<'n>(names: impl Iterator<Item = &'n str>, [one, more]: [&str; 2]) -> String {
    let (fixtures, tests): (Vec<&str>, Vec<&str>) = names.partition(|name| is_fixture(name));
    let (sections, tests): (Vec<&str>, Vec<&str>) =
        (tests.into_iter()).partition(|name| test_of_section(name).is_some());
    let number = |names: &[&str], [noun, nouns]: [&str; 2]| match names.len() {
        0 => None,
        1 => Some(format!("1 {noun}")),
        n => Some(format!("{} {nouns}", grouped(n as u64))),
    };
    let parts = [
        number(&tests, ["test", "tests"]),
        number(&sections, ["section", "sections"]),
        number(&fixtures, ["setUp", "setUps"]),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let verb = match tests.len() + sections.len() + fixtures.len() {
        1 => one,
        _ => more,
    };
    format!("{} {verb}", listed(&parts))
}

/// `a`, `a and b`, `a, b and c`.
fn listed(parts: &[String]) -> String {
    match parts {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.concat(),
    }
}

fn section(text: &mut String, tests: &[&ChangedTest], otherwise: &str, page: Page) {
    if tests.is_empty() {
        return;
    }
    let heading = counted(
        tests.iter().map(|test| test.name.as_str()),
        ["costs", "cost"],
    );
    let _ = writeln!(text, "{heading} {otherwise}");
    use Align::{Flexible, Left, Right};
    let mut layout = Layout::new(&[Left, Flexible, Left, Right, Left, Right, Right]);
    for test in tests.iter().take(LISTED) {
        for (index, (cost, before, after)) in test.costs().enumerate() {
            let name = if index == 0 { test.name.as_str() } else { "" };
            let difference = signed(i128::from(after) - i128::from(before));
            layout.row([
                Cell::from(""),
                Cell::from(name),
                Cell::from(cost.name()),
                Cell::from(grouped(before)),
                Cell::from("→"),
                Cell::from(grouped(after)),
                Cell::from(format!("({difference})")).tinted(Tint::Strong),
            ]);
        }
    }
    text.push_str(&layout.render_on(page));
    text.push_str(&more(tests.len()));
}

/// The line for tests that a list has no room for.
fn more(tests: usize) -> String {
    match tests.saturating_sub(LISTED) {
        0 => String::new(),
        more => format!("  … and {} more\n", grouped(more as u64)),
    }
}

fn lone_section(text: &mut String, tests: &[LoneTest], verbs: [&str; 2], page: Page) {
    if tests.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "{}",
        counted(tests.iter().map(|test| test.name.as_str()), verbs)
    );
    let mut layout = Layout::new(&[Align::Left, Align::Flexible, Align::Left, Align::Right]);
    for test in tests.iter().take(LISTED) {
        layout.row(["", &test.name, "sends", &grouped(test.counts.sends)]);
    }
    text.push_str(&layout.render_on(page));
    text.push_str(&more(tests.len()));
}
