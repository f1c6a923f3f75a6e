//! Explanations of the difference between two measurements. Each difference of sends, of the whole, of a run or of a
//! method, is a sum of parts. Each part has a cause: something that differs between both sides. The parts are exact and
//! add up without a remainder.
//!
//! `attribute` follows a part to its origin through trees, `graph` through the calls of imported functions. `causes` lists
//! the possible causes. The guide's chapter on explanations says
//! how to read a report.

mod attribute;
mod causes;
mod graph;
mod methods;
pub(crate) mod ratio;
mod report;
#[cfg(test)]
pub(crate) mod tests;
mod tree;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use tally_profiler::Unit;

pub use attribute::How;
pub use causes::{Cause, CauseKind};
pub use methods::{Body, MethodCount, MethodPart, explain_methods, methods_report};
pub use ratio::Ratio;
pub use report::explanation_report;
pub(crate) use report::{how_text, trail_text, what_became};

use crate::difference::Runs;
use crate::matching::Matched;
use crate::measurement::Measurement;
use attribute::{Attribution, OriginId, Sums, Trail};
use causes::CauseId;

/// A cause: an edited method and its share of the difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPart {
    /// The causes. These two measurements cannot separate several causes of one part. Without any cause, a count changed
    /// although nothing that was loaded or read has changed.
    pub causes: Vec<Cause>,
    /// The part; zero for a changed method that ran and makes no difference.
    pub part: Ratio,
    /// The same by the way in which it comes about.
    pub ways: Vec<Way>,
}

/// A part that comes about in one way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Way {
    /// In which way.
    pub how: How,
    /// The part.
    pub part: Ratio,
    /// The names of methods from the cause to the place with most of the part; each method is called by the one before.
    pub trail: Vec<String>,
}

impl ExplainedPart {
    /// Whether nothing explains it.
    pub fn is_unexplained(&self) -> bool {
        self.causes.is_empty()
    }

    /// Whether all of its causes belong to the library.
    pub fn is_library(&self) -> bool {
        !self.causes.is_empty() && self.causes.iter().all(|cause| cause.is_library)
    }
}

/// A difference of sends and its causes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explained {
    /// What the difference is of: a run, a method, or everything, which has no name.
    pub name: String,
    /// After minus before.
    pub difference: i128,
    /// The parts, the greatest first; they add up to the difference.
    pub parts: Vec<ExplainedPart>,
}

/// The causes of a method's differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedMethod {
    /// `Class>>selector` or a file's name.
    pub name: String,
    /// Its own sends, over the runs that both sides have.
    pub own: Explained,
    /// Its total sends.
    pub total: Explained,
}

/// Why two measurements differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// What the differences count.
    #[serde(skip)]
    pub unit: Unit,
    /// The sends of all runs that both sides have. Changed methods that ran and have no part are named too.
    pub whole: Explained,
    /// The runs whose trees differ, by name.
    pub runs: Vec<Explained>,
    /// The methods that have a part, by name.
    pub methods: Vec<ExplainedMethod>,
}

impl Explanation {
    /// Whether some part is explained by nothing: runs differ but must not.
    pub fn is_unexplained(&self) -> bool {
        let runs = self.runs.iter().chain([&self.whole]);
        runs.flat_map(|explained| &explained.parts)
            .any(ExplainedPart::is_unexplained)
    }

    /// The causes of a run's difference; `None` if the run is the same on both sides.
    pub fn of_run(&self, name: &str) -> Option<&Explained> {
        self.runs.iter().find(|run| run.name == name)
    }

    /// The causes of a method's differences; `None` if it has none.
    pub fn of_method(&self, name: &str) -> Option<&ExplainedMethod> {
        self.methods.iter().find(|method| method.name == name)
    }
}

/// Explains the difference of two measurements, in the runs that both have. Other runs cause nothing.
pub fn explain(old: &Measurement, new: &Measurement) -> Explanation {
    let names = |measurement: &Measurement| -> BTreeSet<String> {
        measurement
            .runs
            .iter()
            .map(|run| run.name.clone())
            .collect()
    };
    let (of_old, of_new) = (names(old), names(new));
    match of_old == of_new {
        true => explain_runs(old, new),
        false => explain_runs(
            &old.with_runs(|name| of_new.contains(name)),
            &new.with_runs(|name| of_old.contains(name)),
        ),
    }
}

/// Explains the difference of work of two measurements. None if a side has no work, or they weigh counts differently.
pub fn explain_work(old: &Measurement, new: &Measurement) -> Option<Explanation> {
    match old.model == new.model {
        true => Some(explain(&old.in_work()?, &new.in_work()?)),
        false => None,
    }
}

fn explain_runs(old: &Measurement, new: &Measurement) -> Explanation {
    let matched = Matched::new(old, new);
    if !old.unit.is_tally() {
        return Explanation {
            unit: old.unit.of_both(&new.unit),
            ..graph::explain(&matched)
        };
    }
    let runs = Runs::of(old, new);
    let mut attribution = Attribution::new(&matched);
    let mut ran: BTreeSet<CauseId> = BTreeSet::new();
    let mut of_runs: Vec<(&str, i128, Sums, Vec<CauseId>)> = Vec::new();
    let mut difference: i128 = 0;
    for (old, new) in &runs.both {
        let sums = attribution.add_run(old, new);
        let changed = attribution.causes.that_ran(old, new);
        ran.extend(&changed);
        let of_run = i128::from(new.cost.sends) - i128::from(old.cost.sends);
        difference += of_run;
        if !sums.is_empty() || of_run != 0 {
            of_runs.push((&old.name, of_run, sums, changed));
        }
    }
    let whole = std::mem::take(&mut attribution.whole);
    let names = Names::of(&attribution);
    Explanation {
        unit: old.unit.clone(),
        whole: names.explained("", difference, whole, ran),
        runs: of_runs
            .into_iter()
            .map(|(name, difference, sums, ran)| names.explained(name, difference, sums, ran))
            .collect(),
        methods: methods(&matched, &runs, &attribution, &names),
    }
}

/// The causes of the methods' differences; methods of one name are added up.
fn methods(
    matched: &Matched<'_>,
    runs: &Runs<'_>,
    attribution: &Attribution<'_>,
    names: &Names<'_>,
) -> Vec<ExplainedMethod> {
    let mut differences: BTreeMap<u32, [i128; 2]> = BTreeMap::new();
    for (old, new) in &runs.both {
        for (run, of, sign) in [(old, &matched.of_old, -1), (new, &matched.of_new, 1)] {
            for counts in &run.methods {
                let sums = differences.entry(of[counts.method as usize]).or_default();
                sums[0] += sign * i128::from(counts.own);
                sums[1] += sign * i128::from(counts.total);
            }
        }
    }
    let mut rows: BTreeMap<&str, [(i128, Sums); 2]> = BTreeMap::new();
    for (pair, differences) in differences {
        let parts = [attribution.own.get(&pair), attribution.total.get(&pair)];
        if parts.iter().all(Option::is_none) && differences == [0, 0] {
            continue;
        }
        let row = rows.entry(&matched.method(pair).name).or_default();
        for ((sum, difference), parts) in row.iter_mut().zip(differences).zip(parts) {
            sum.0 += difference;
            for (origin, part) in parts.into_iter().flatten() {
                let part = part.clone().finish();
                sum.1.entry(*origin).or_default().add(&part);
            }
        }
    }
    let rows = rows
        .into_iter()
        .map(|(name, [own, total])| ExplainedMethod {
            name: name.to_string(),
            own: names.explained(name, own.0, own.1, []),
            total: names.explained(name, total.0, total.1, []),
        });
    rows.collect()
}

/// Unites the parts that have joint causes in common, because these two measurements cannot separate such causes. Ways of
/// one kind are added up, with the trail of the greatest.
fn united(parts: BTreeMap<&[CauseId], Vec<Way>>) -> Vec<(BTreeSet<CauseId>, Vec<Way>)> {
    let mut groups: Vec<(BTreeSet<CauseId>, Vec<Way>)> = Vec::new();
    for (causes, ways) in parts {
        let mut group = (causes.iter().copied().collect::<BTreeSet<_>>(), ways);
        let is_joint = |causes: &BTreeSet<CauseId>| causes.len() > 1;
        let has_share = |(other, _): &mut (BTreeSet<CauseId>, Vec<Way>)| {
            is_joint(other) && is_joint(&group.0) && !other.is_disjoint(&group.0)
        };
        let with_it: Vec<_> = groups.extract_if(.., has_share).collect();
        for (causes, ways) in with_it {
            group.0.extend(causes);
            group.1.extend(ways);
        }
        groups.push(group);
    }
    for (_, ways) in &mut groups {
        *ways = added_up(std::mem::take(ways));
    }
    groups
}

fn added_up(mut ways: Vec<Way>) -> Vec<Way> {
    ways.sort_by_cached_key(|way| (way.how, Reverse(way.part.size())));
    let mut sums: Vec<Way> = Vec::new();
    for way in ways {
        match sums.last_mut() {
            Some(sum) if sum.how == way.how => sum.part = sum.part.plus(&way.part),
            _ => sums.push(way),
        }
    }
    sums.retain(|way| !way.part.is_zero());
    sums
}

/// What the numbers of an attribution stand for.
struct Names<'a> {
    causes: &'a [Cause],
    origins: &'a [attribute::Origin],
    trails: &'a std::collections::HashMap<OriginId, Trail>,
}

impl<'a> Names<'a> {
    fn of(attribution: &'a Attribution<'_>) -> Names<'a> {
        Names {
            causes: &attribution.causes.list,
            origins: &attribution.origins,
            trails: &attribution.trails,
        }
    }

    /// A difference with its parts, and with the changes that ran and have no part.
    fn explained(
        &self,
        name: &str,
        difference: i128,
        sums: Sums,
        ran: impl IntoIterator<Item = CauseId>,
    ) -> Explained {
        let mut by_causes: BTreeMap<&[CauseId], Vec<Way>> = BTreeMap::new();
        for (origin, sum) in sums {
            let (causes, how) = &self.origins[origin as usize];
            let part = sum.finish();
            if part.is_zero() {
                continue;
            }
            let trail = self.trails.get(&origin);
            by_causes.entry(causes).or_default().push(Way {
                how: *how,
                part,
                trail: trail.map(|trail| trail.names.clone()).unwrap_or_default(),
            });
        }
        let mut named: BTreeSet<CauseId> = BTreeSet::new();
        let mut parts: Vec<ExplainedPart> = Vec::new();
        for (causes, ways) in united(by_causes) {
            named.extend(&causes);
            let sum = ways
                .iter()
                .fold(Ratio::default(), |sum, way| sum.plus(&way.part));
            let causes: Vec<CauseId> = causes.into_iter().collect();
            parts.push(self.part(&causes, sum, ways));
        }
        let idle: BTreeSet<CauseId> = ran.into_iter().filter(|id| !named.contains(id)).collect();
        for cause in idle {
            parts.push(self.part(&[cause], Ratio::default(), Vec::new()));
        }
        parts.sort_by(|a, b| {
            let size = |part: &ExplainedPart| Reverse(part.part.size());
            (size(a), a.ways.is_empty(), &a.causes).cmp(&(size(b), b.ways.is_empty(), &b.causes))
        });
        Explained {
            name: name.to_string(),
            difference,
            parts,
        }
    }

    fn part(&self, causes: &[CauseId], part: Ratio, ways: Vec<Way>) -> ExplainedPart {
        let causes = causes.iter().filter_map(|&id| self.causes.get(id).cloned());
        ExplainedPart {
            causes: causes.collect(),
            part,
            ways,
        }
    }
}
