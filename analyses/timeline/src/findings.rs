//! What the critical path says about features: their share of it, what the run would gain without their ticks, and whom they made wait.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde::Serialize;
use tally_presentation::figure::Style;
use tally_presentation::table::{Table, Value};

use crate::critical::Zeroing;
use crate::graph::Passes;
use crate::graph::path::{CriticalPath, Passing, PathPart};
use crate::names::{FeatureId, Names};
use crate::overview::Figures;

/// The critical path of a run, with what is gained from its features.
#[derive(Clone, Debug)]
pub struct Findings {
    path: CriticalPath,
    names: Names,
    zeroing: BTreeMap<FeatureId, Zeroing>,
    /// Normalized processor times, if they are known.
    normalized: BTreeMap<FeatureId, f64>,
}

/// A row: how time passes, in which feature, and what that means.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ShareRow {
    pub(crate) how: &'static str,
    pub(crate) feature: Option<String>,
    pub(crate) share: u64,
    /// In thousandths of a tick, rounded.
    pub(crate) npt: Option<f64>,
    pub(crate) gained: Option<u64>,
    pub(crate) slack: Option<u64>,
    pub(crate) blame: u64,
}

/// A part of the path for programs.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PartRow {
    from: u64,
    to: u64,
    how: &'static str,
    feature: Option<String>,
    processor: u32,
}

/// The path for programs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PathDocument {
    shares: Vec<ShareRow>,
    never_ended: u64,
    unexplained: u64,
    parts: Vec<PartRow>,
    #[serde(skip_serializing_if = "crate::document::is_zero")]
    parts_left_out: u64,
}

const READING: &str = "The path leads from the begin of the run to its last event; its parts add up to the makespan. Share: ticks of the path. The ticks of synchronization belong to the share, too. NPT: ticks that the feature executes, each divided by the number of processors that execute then. Gained: by how much the run is shorter if the feature takes no ticks and all else keeps its order. Slack: how many ticks of the share can go before another path is as long; – if no other path comes up. Blame: ticks that others waited for it, directly or through others.";

impl Passes {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Passes::Running => "running",
            Passes::Overhead => "overhead",
            Passes::Asleep => "asleep",
            Passes::Travel => "travel",
            Passes::Approval => "approval",
            Passes::Unknown => "unknown",
        }
    }
}

/// The features that run on the path, with their ticks there: the greatest first.
pub fn running_shares(path: &CriticalPath) -> Vec<(FeatureId, u64)> {
    let shares = path.shares.iter();
    let running = shares.filter_map(|((passes, feature), ticks)| match (passes, feature) {
        (Passes::Running, Some(feature)) => Some((*feature, *ticks)),
        _ => None,
    });
    let mut running: Vec<_> = running.collect();
    running.sort_by_key(|(feature, ticks)| (Reverse(*ticks), *feature));
    running
}

impl Findings {
    /// A path, with the names of its features.
    pub fn new(path: CriticalPath, names: Names) -> Findings {
        Findings {
            path,
            names,
            zeroing: BTreeMap::new(),
            normalized: BTreeMap::new(),
        }
    }

    /// The same with what is gained from features.
    #[must_use]
    pub fn with_gains(mut self, gains: Vec<Zeroing>) -> Findings {
        let gains = gains.into_iter().map(|one| (one.feature, one));
        self.zeroing = gains.collect();
        self
    }

    /// The same with the normalized processor times of features, as far as they are known.
    #[must_use]
    pub fn with_normalized(mut self, times: Option<BTreeMap<FeatureId, f64>>) -> Findings {
        self.normalized = times.unwrap_or_default();
        self
    }

    /// The path.
    pub fn path(&self) -> &CriticalPath {
        &self.path
    }

    /// The name of a feature.
    pub fn feature(&self, feature: FeatureId) -> String {
        self.names.full(feature)
    }

    /// The shares of the path by their words and names. Features of one name are added up.
    pub(crate) fn named_shares(&self) -> BTreeMap<(&'static str, Option<String>), u64> {
        let mut shares = BTreeMap::new();
        for (passing, ticks) in &self.path.shares {
            let named = (passing.0.word(), self.name(*passing));
            *shares.entry(named).or_default() += ticks;
        }
        shares
    }

    /// The name of the feature in which time passes.
    pub(crate) fn name(&self, passing: Passing) -> Option<String> {
        passing.1.map(|feature| self.names.full(feature))
    }

    /// The rows: the greatest shares first.
    pub(crate) fn rows(&self) -> Vec<ShareRow> {
        let shares = self.path.shares.keys();
        let executed = self.normalized.keys();
        let executed = executed.map(|feature| (Passes::Running, Some(*feature)));
        let mut all: Vec<Passing> = shares.chain(self.path.blame.keys()).copied().collect();
        all.extend(executed);
        all.sort_unstable();
        all.dedup();
        let of = |all: &BTreeMap<Passing, u64>, passing: &Passing| {
            all.get(passing).copied().unwrap_or(0)
        };
        let row = |passing: &Passing| {
            let executed = passing.1.filter(|_| passing.0 == Passes::Running);
            let zeroing = executed.and_then(|feature| self.zeroing.get(&feature));
            let npt = executed.and_then(|feature| self.normalized.get(&feature));
            ShareRow {
                how: passing.0.word(),
                feature: self.name(*passing),
                share: of(&self.path.shares, passing),
                npt: npt.map(|ticks| (ticks * 1000.0).round() / 1000.0),
                gained: zeroing.map(|one| one.gained),
                slack: zeroing.and_then(|one| one.slack),
                blame: of(&self.path.blame, passing),
            }
        };
        let mut rows: Vec<ShareRow> = all.iter().map(row).collect();
        rows.sort_by_cached_key(|row| {
            let amounts = (Reverse(row.share), Reverse(row.blame));
            (amounts, row.how, row.feature.clone())
        });
        rows
    }

    /// The shares in words, a line each, the greatest first. If there are more than this number, the last line stands for the others.
    pub(crate) fn shares_in_words(&self, most: usize) -> String {
        let rows: Vec<ShareRow> = self
            .rows()
            .into_iter()
            .filter(|row| row.share > 0)
            .collect();
        let shown = match rows.len() > most {
            true => most.saturating_sub(1),
            false => rows.len(),
        };
        let sum = |rows: &[ShareRow]| {
            rows.iter()
                .fold(0, |sum: u64, row| sum.saturating_add(row.share))
        };
        let all = sum(&rows).max(1);
        let line = |name: String, share: u64| {
            format!("  {name}, {:.1} %\n", 100.0 * share as f64 / all as f64)
        };
        let (shown, others) = rows.split_at(shown);
        let lines = shown.iter().map(|row| {
            let feature = row.feature.iter().map(|feature| format!(": {feature}"));
            line(
                format!("{} {}{}", row.how, row.share, feature.collect::<String>()),
                row.share,
            )
        });
        let mut text: String = lines.collect();
        if !others.is_empty() {
            text.push_str(&line(format!("others {}", sum(others)), sum(others)));
        }
        text
    }

    /// The rows with their shares, gains and blame.
    pub(crate) fn table(&self) -> Table {
        let mut table = Table::new("path", "Critical path", READING)
            .words("how")
            .name("feature")
            .number("share", "", Style::Whole)
            .number("of it", "%", Style::Fixed(1))
            .number("npt", "", Style::Fixed(1))
            .number("gained", "", Style::Whole)
            .number("slack", "", Style::Whole)
            .number("blame", "", Style::Whole);
        let all: u128 = self
            .path
            .shares
            .values()
            .map(|ticks| u128::from(*ticks))
            .sum();
        for row in self.rows() {
            let part = 100.0 * row.share as f64 / (all.max(1)) as f64;
            table.row([
                Value::from(row.how),
                row.feature.unwrap_or_else(|| "–".to_string()).into(),
                row.share.into(),
                part.into(),
                row.npt.into(),
                row.gained.into(),
                row.slack.into(),
                row.blame.into(),
            ]);
        }
        if self.path.never_ended > 0 {
            let waits = self.path.never_ended;
            table = table.note(format!(
                "{waits} ticks of waits that did not end blame no feature."
            ));
        }
        table
    }

    /// The parts of the path in their order.
    pub(crate) fn parts_table(&self, figures: &Figures) -> Table {
        let mut table = Table::new("parts", "Its parts, in their order", "")
            .number("from", "", Style::Whole)
            .number("to", "", Style::Whole)
            .number("ticks", "", Style::Whole)
            .words("how")
            .name("processor")
            .words("feature");
        for PathPart {
            from,
            to,
            passing,
            processor,
        } in self.path.parts.iter().copied()
        {
            table.row([
                Value::from(from),
                to.into(),
                (to - from).into(),
                passing.0.word().into(),
                figures.processor_name(processor).into(),
                self.name(passing).unwrap_or_else(|| "–".to_string()).into(),
            ]);
        }
        if self.path.left_out > 0 {
            table = table.note(format!("{} more parts are not listed.", self.path.left_out));
        }
        table
    }

    /// For programs.
    pub(crate) fn document(&self) -> PathDocument {
        let part = |part: &PathPart| PartRow {
            from: part.from,
            to: part.to,
            how: part.passing.0.word(),
            feature: self.name(part.passing),
            processor: part.processor,
        };
        PathDocument {
            shares: self.rows(),
            never_ended: self.path.never_ended,
            unexplained: self.path.unexplained,
            parts: self.path.parts.iter().map(part).collect(),
            parts_left_out: self.path.left_out,
        }
    }
}
