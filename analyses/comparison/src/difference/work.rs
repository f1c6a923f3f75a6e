//! The difference of work in parts: the difference of each count, times its weight.

use std::cmp::Reverse;

use serde::Serialize;
use tally_profiler::CostVector;
use tally_vm::MODEL_VERSION;

use super::Runs;
use crate::measurement::Measurement;

/// A count's part of the difference of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkPart {
    /// The count.
    pub name: &'static str,
    /// The count before, over the runs that both sides have.
    pub before: u64,
    /// The count after.
    pub after: u64,
    /// After minus before, times the weight.
    pub part: i128,
}

/// The parts of the difference of work of the runs that both sides have, or of those of a name.
pub fn work_parts(old: &Measurement, new: &Measurement, name: Option<&str>) -> Vec<WorkPart> {
    let mut runs = Runs::of(old, new);
    runs.both
        .retain(|(run, _)| name.is_none_or(|name| run.name == name));
    parts(old, new, &runs)
}

/// The cost vectors of the runs that both sides have, before and after.
pub fn costs_of_both<'m>(old: &'m Measurement, new: &'m Measurement) -> [Vec<&'m CostVector>; 2] {
    let runs = Runs::of(old, new).both.into_iter();
    let costs = runs.map(|(before, after)| (&before.cost, &after.cost));
    costs.unzip().into()
}

/// The parts of the difference of work, the greatest first. There are none if the sides do not weigh counts as this
/// version of the model does.
pub(super) fn parts(old: &Measurement, new: &Measurement, runs: &Runs<'_>) -> Vec<WorkPart> {
    if [old.model, new.model] != [MODEL_VERSION; 2] {
        return Vec::new();
    }
    let mut parts: Vec<WorkPart> = Vec::new();
    let mut expected: i128 = 0;
    for (before, after) in &runs.both {
        expected += i128::from(after.cost.work) - i128::from(before.cost.work);
        let pairs = before.cost.weighted().zip(after.cost.weighted());
        for (place, ((name, weight, before), (_, _, after))) in pairs.enumerate() {
            if place == parts.len() {
                parts.push(WorkPart {
                    name,
                    before: 0,
                    after: 0,
                    part: 0,
                });
            }
            let sum = &mut parts[place];
            sum.before = sum.before.saturating_add(before);
            sum.after = sum.after.saturating_add(after);
            sum.part += (i128::from(after) - i128::from(before)) * i128::from(weight);
        }
    }
    // Counts that are too large, or that come from elsewhere, need not add up.
    if parts.iter().map(|part| part.part).sum::<i128>() != expected {
        return Vec::new();
    }
    parts.retain(|part| part.part != 0);
    parts.sort_by_key(|part| Reverse(part.part.unsigned_abs()));
    parts
}
