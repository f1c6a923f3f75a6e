//! The sources of methods whose text or own sends differ, on both sides, with the sends of each line. A side whose lines
//! are not known says so: no count is ever shown as zero because it is missing.

use std::collections::BTreeMap;

use serde::Serialize;
use tally_presentation::html::{Budget, Count, clipped, number_size, text_size};

use super::{fitting, word};
use crate::difference::Runs;
use crate::matching::{Fate, Matched};
use crate::measurement::{MeasuredMethod, MeasuredRun};

/// A method of both sides, or of one.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SourceRow {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    old_name: Option<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    fate: &'static str,
    own: [Count; 2],
    sides: [Option<SourceSide>; 2],
}

/// The method on one side.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SourceSide {
    file: String,
    line: usize,
    /// Absent if the measurement does not hold it.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Sends by the line's place in the method; absent if they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<(u32, Count)>>,
}

/// What the runs of a side count for a method.
#[derive(Clone, Default)]
struct Counted {
    own: u64,
    lines: BTreeMap<u32, u64>,
}

/// The methods with the greatest differences first; edited methods come before all others.
pub(super) fn sources(
    matched: &Matched<'_>,
    left_out: &mut usize,
    budget: &mut Budget,
) -> Vec<SourceRow> {
    let runs = Runs::of(matched.old, matched.new);
    let old = runs.both.iter().map(|(old, _)| *old);
    let new = runs.both.iter().map(|(_, new)| *new);
    let before = counted(old, matched.old.methods.len());
    let after = counted(new, matched.new.methods.len());
    let mut rows = Vec::new();
    for pair in &matched.pairs {
        let side = |number: Option<u32>, methods: &'_ [MeasuredMethod], counts: &[Counted]| {
            let number = number? as usize;
            Some(SourceSide::of(methods.get(number)?, counts.get(number)?))
        };
        let sides = [
            side(pair.old, &matched.old.methods, &before),
            side(pair.new, &matched.new.methods, &after),
        ];
        let own = |number: Option<u32>, counts: &[Counted]| {
            number.map_or(0, |number| counts[number as usize].own)
        };
        let (was, is) = (own(pair.old, &before), own(pair.new, &after));
        let has_text = sides.iter().flatten().any(|side| side.text.is_some());
        if !has_text || (pair.fate == Fate::Same && was == is) {
            continue;
        }
        let latest = match (pair.old, pair.new) {
            (_, Some(new)) => &matched.new.methods[new as usize],
            (Some(old), None) => &matched.old.methods[old as usize],
            (None, None) => continue,
        };
        let row = SourceRow {
            name: clipped(&latest.name),
            old_name: pair.old_name.as_deref().map(clipped),
            fate: word(pair.fate),
            own: [Count(was), Count(is)],
            sides,
        };
        let order = (pair.fate == Fate::Same, std::cmp::Reverse(was.abs_diff(is)));
        rows.push(((order, latest.name.clone()), row));
    }
    rows.sort_by(|(a, _), (b, _)| a.cmp(b));
    let rows = rows.into_iter().map(|(_, row)| row);
    fitting(rows, SourceRow::size, left_out, budget)
}

fn counted<'m>(runs: impl Iterator<Item = &'m MeasuredRun>, methods: usize) -> Vec<Counted> {
    let mut counted = vec![Counted::default(); methods];
    for run in runs {
        for row in &run.methods {
            let counts = &mut counted[row.method as usize];
            counts.own = counts.own.saturating_add(row.own);
        }
        for row in &run.lines {
            let lines = &mut counted[row.method as usize].lines;
            let sends = lines.entry(row.line).or_default();
            *sends = sends.saturating_add(row.sends);
        }
    }
    counted
}

impl SourceSide {
    fn of(method: &MeasuredMethod, counted: &Counted) -> SourceSide {
        // A run that does not know the lines of a method has none of them.
        let known = counted.lines.values().copied();
        let is_known = known.fold(0, u64::saturating_add) == counted.own;
        let lines = counted.lines.iter();
        SourceSide {
            file: clipped(&method.file),
            line: method.line,
            text: (!method.source.is_empty()).then(|| method.source.clone()),
            lines: is_known.then(|| lines.map(|(&line, &sends)| (line, Count(sends))).collect()),
        }
    }

    fn size(&self) -> usize {
        let text = self.text.as_deref().map_or(0, text_size);
        let lines = self.lines.iter().flatten();
        let lines = lines.map(|(line, sends)| number_size((*line).into()) + number_size(sends.0));
        text_size(&self.file) + text + lines.map(|size| size + 4).sum::<usize>() + 60
    }
}

impl SourceRow {
    fn size(&self) -> usize {
        let old_name = self.old_name.as_deref().map_or(0, text_size);
        let sides = self.sides.iter().flatten().map(SourceSide::size);
        text_size(&self.name) + old_name + sides.sum::<usize>() + 120
    }
}
