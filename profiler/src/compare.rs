//! Two profiles side by side, method by method. Exact counts need no statistics: any difference is
//! real (counting model, 7). Whether a difference is welcome is not decided here.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::profile::{CostVector, MethodProfile, Profile};

/// Why two profiles' counts do not mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Incomparable {
    /// The versions of the counting model differ.
    Model(u32, u32),
    /// The libraries differ.
    Library(String, String),
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparable::Model(old, new) => {
                write!(
                    f,
                    "the profiles were made with versions {old} and {new} of the counting model"
                )
            }
            Incomparable::Library(old, new) => {
                write!(
                    f,
                    "the profiles were made with different libraries ({old} and {new})"
                )
            }
        }
    }
}

/// What became of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// It ran on the new side only.
    Added,
    /// It ran on the old side only.
    Removed,
    /// Its own text is another one.
    Edited,
    /// Its own text is the same; only counts differ.
    Counts,
}

/// Counts of a method on one side; zero where it did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Side {
    /// Activations.
    pub calls: u64,
    /// Activations of its blocks.
    pub block_calls: u64,
    /// Sends in itself and its blocks.
    pub own: u64,
    /// Sends below it, its own included.
    pub total: u64,
}

/// A method whose counts or text differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodChange {
    /// `Class>>selector` or a file's name.
    pub name: String,
    /// What became of it.
    pub change: Change,
    /// Counts of the old side.
    pub before: Side,
    /// Counts of the new side.
    pub after: Side,
}

impl MethodChange {
    /// After minus before, of own sends.
    pub fn own_difference(&self) -> i128 {
        i128::from(self.after.own) - i128::from(self.before.own)
    }

    /// After minus before, of total sends.
    pub fn total_difference(&self) -> i128 {
        i128::from(self.after.total) - i128::from(self.before.total)
    }
}

/// What two profiles differ in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Reasons why the counts do not mean the same; empty if they do.
    pub incomparable: Vec<Incomparable>,
    /// Facts that explain differences: other arguments, another seed, another ending.
    pub notes: Vec<String>,
    /// What the old run cost.
    pub before: CostVector,
    /// What the new run cost.
    pub after: CostVector,
    /// Methods that differ, the greatest difference of own sends first.
    pub methods: Vec<MethodChange>,
    /// How many methods are the same on both sides.
    pub unchanged: usize,
}

impl Comparison {
    /// After minus before, of the run's sends.
    pub fn sends_difference(&self) -> i128 {
        i128::from(self.after.sends) - i128::from(self.before.sends)
    }

    /// Whether no count and no method differs.
    pub fn is_same(&self) -> bool {
        self.before == self.after && self.methods.is_empty()
    }

    /// What moved the other way than the sends did, so that the sends alone mislead (counting model, 8).
    pub fn opposed(&self) -> Vec<String> {
        let sends = self.sends_difference().signum();
        opposing(sends, &self.before, &self.after)
    }
}

/// Costs that moved against the direction in which the sends moved, as sentences.
pub(crate) fn opposing(sends: i128, before: &CostVector, after: &CostVector) -> Vec<String> {
    let costs = |cost: &CostVector| {
        [
            ("objects allocated", cost.allocations.objects),
            ("bytes allocated", cost.allocations.bytes),
            ("primitives", cost.primitive_count()),
        ]
    };
    let mut found = Vec::new();
    for ((name, old), (_, new)) in costs(before).into_iter().zip(costs(after)) {
        let difference = i128::from(new) - i128::from(old);
        if sends != 0 && difference.signum() == -sends {
            let way = if difference > 0 { "more" } else { "fewer" };
            let opposite = if sends > 0 { "more" } else { "fewer" };
            let (old, new) = (crate::grouped(old), crate::grouped(new));
            found.push(format!(
                "{opposite} sends, but {way} {name}: {new} instead of {old}"
            ));
        }
    }
    found
}

/// Compares two profiles, whether their counts mean the same or not.
pub fn compare(old: &Profile, new: &Profile) -> Comparison {
    let (before, after) = (by_name(old), by_name(new));
    let mut methods = Vec::new();
    let mut unchanged = 0;
    let names = before
        .keys()
        .chain(after.keys().filter(|name| !before.contains_key(*name)));
    for name in names {
        match change_of(name, before.get(name), after.get(name)) {
            Some(change) => methods.push(change),
            None => unchanged += 1,
        }
    }
    let size = |m: &MethodChange| (m.own_difference().abs(), m.total_difference().abs());
    methods.sort_by(|a, b| size(b).cmp(&size(a)).then_with(|| a.name.cmp(&b.name)));
    Comparison {
        incomparable: incomparable(old, new),
        notes: notes(old, new),
        before: old.cost.clone(),
        after: new.cost.clone(),
        methods,
        unchanged,
    }
}

/// The counts of the methods of one name, and their digests. A method that was redefined during the
/// run counts as one: what a reader of a comparison looks for is the name.
#[derive(Default)]
struct Sum<'p> {
    side: Side,
    digests: Vec<&'p str>,
}

fn by_name(profile: &Profile) -> BTreeMap<&str, Sum<'_>> {
    let mut sums: BTreeMap<&str, Sum<'_>> = BTreeMap::new();
    for method in &profile.methods {
        let MethodProfile {
            calls,
            block_calls,
            own,
            total,
            ..
        } = *method;
        let sum = sums.entry(&method.name).or_default();
        let side = &mut sum.side;
        side.calls = side.calls.saturating_add(calls);
        side.block_calls = side.block_calls.saturating_add(block_calls);
        side.own = side.own.saturating_add(own);
        side.total = side.total.saturating_add(total);
        sum.digests.push(&method.digest);
    }
    sums.values_mut()
        .for_each(|sum| sum.digests.sort_unstable());
    sums
}

fn change_of(name: &str, old: Option<&Sum<'_>>, new: Option<&Sum<'_>>) -> Option<MethodChange> {
    let change = match (old, new) {
        (Some(old), Some(new)) if old.digests != new.digests => Change::Edited,
        (Some(old), Some(new)) if old.side == new.side => return None,
        (Some(_), Some(_)) => Change::Counts,
        (None, _) => Change::Added,
        (_, None) => Change::Removed,
    };
    let side = |sum: Option<&Sum<'_>>| sum.map(|sum| sum.side).unwrap_or_default();
    Some(MethodChange {
        name: name.to_string(),
        change,
        before: side(old),
        after: side(new),
    })
}

fn incomparable(old: &Profile, new: &Profile) -> Vec<Incomparable> {
    let mut reasons = Vec::new();
    if old.model != new.model {
        reasons.push(Incomparable::Model(old.model, new.model));
    }
    if old.library != new.library {
        reasons.push(Incomparable::Library(
            old.library.clone(),
            new.library.clone(),
        ));
    }
    reasons
}

fn notes(old: &Profile, new: &Profile) -> Vec<String> {
    let mut notes = Vec::new();
    let differing = [
        (
            "the arguments of the script differ",
            old.arguments != new.arguments,
        ),
        ("the seeds differ", old.seed != new.seed),
        ("the limits differ", old.limits != new.limits),
        ("the runs ended in different ways", old.ending != new.ending),
        (
            "the old run cannot be reproduced exactly",
            !old.reproducible,
        ),
        (
            "the new run cannot be reproduced exactly",
            !new.reproducible,
        ),
    ];
    notes.extend(
        differing
            .iter()
            .filter(|(_, is_so)| *is_so)
            .map(|(note, _)| note.to_string()),
    );
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::tests::example;

    #[test]
    fn a_profile_is_the_same_as_itself() {
        let comparison = compare(&example(), &example());
        assert!(comparison.is_same());
        assert_eq!(comparison.unchanged, 2);
        assert!(comparison.incomparable.is_empty());
    }

    #[test]
    fn added_removed_edited_and_counted_methods_are_told_apart() {
        let old = example();
        let mut new = example();
        new.methods[0].own = 1;
        new.methods[1].name = "A>>c".to_string();
        let changes = compare(&old, &new).methods;
        let kinds: Vec<(&str, Change)> = changes
            .iter()
            .map(|m| (m.name.as_str(), m.change))
            .collect();
        let expected = [
            ("A>>b", Change::Removed),
            ("A>>c", Change::Added),
            ("a.st", Change::Counts),
        ];
        assert_eq!(kinds, expected);
        new.methods[0].digest = "fedcba9876543210".to_string();
        assert_eq!(compare(&old, &new).methods[2].change, Change::Edited);
    }

    #[test]
    fn another_model_or_library_is_a_reason_not_to_compare() {
        let mut new = example();
        new.model = 2;
        new.library = "0".repeat(16);
        assert_eq!(compare(&example(), &new).incomparable.len(), 2);
    }

    #[test]
    fn allocations_that_moved_the_other_way_are_mentioned() {
        let mut new = example();
        new.cost.sends -= 1;
        new.cost.allocations.objects += 7;
        let opposed = compare(&example(), &new).opposed();
        assert_eq!(
            opposed,
            ["fewer sends, but more objects allocated: 9 instead of 2"]
        );
    }
}
