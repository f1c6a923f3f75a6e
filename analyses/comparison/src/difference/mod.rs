//! Two measurements side by side: the costs of each run, method and class before and after, and their fate. Exact counts
//! need no statistics: any difference is real (counting model, 7). `explain` explains a difference; `rules` decide
//! whether it is allowed.
//!
//! Sums are over the runs that both measurements have. A run of one measurement alone is listed separately and is part of
//! no sum. The same holds for a test that ended early on a side: its counts are those of a part of it.

mod report;
mod rows;
mod rules;
mod work;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::Serialize;

use report::endings;
pub use report::{Show, difference_report, work_report};
pub(crate) use report::{both, explored, fate_text, headline, other_span};
pub use rows::{
    ClassDifference, EarlyRun, LoneRun, MethodDifference, MethodSide, Outcomes, RunDifference,
};
pub use rules::{Rule, RuleError, RuleOutcome, TimelineCount, Violation as RuleViolation};
pub use work::{WorkPart, costs_of_both, work_parts};

use crate::matching::Matched;
use crate::measurement::{MeasuredRun, Measurement};
use tally_profiler::{Costs, Unit, WORK_PROXY};

/// Why two profiles' counts do not mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Incomparable {
    /// The sides count different things.
    Unit(String, String),
    /// The versions of the counting model differ.
    Model(u32, u32),
    /// The libraries differ.
    Library(String, String),
}

impl fmt::Display for Incomparable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incomparable::Unit(old, new) => {
                write!(f, "the sides count different things: {old} and {new}")
            }
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

impl Incomparable {
    /// Whether a comparison says nothing at all.
    pub fn is_absolute(&self) -> bool {
        matches!(self, Incomparable::Unit(..))
    }
}

/// The differences of two measurements.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    /// What is counted; left out if it is sends.
    #[serde(skip_serializing_if = "Unit::is_tally")]
    pub unit: Unit,
    /// Reasons why the counts do not mean the same; empty if they do.
    pub incomparable: Vec<Incomparable>,
    /// Facts that explain differences or limit what they say, as sentences without their full stops.
    pub notes: Vec<String>,
    /// The cost before of all runs that both sides have.
    pub before: Costs,
    /// Their costs after.
    pub after: Costs,
    /// The parts of the difference of work by counts, the greatest first; they add up to it.
    pub work_parts: Vec<WorkPart>,
    /// The runs that both sides have, the greatest difference of sends first.
    pub runs: Vec<RunDifference>,
    /// Runs that only the new side has.
    pub added_runs: Vec<LoneRun>,
    /// Runs that only the old side has.
    pub removed_runs: Vec<LoneRun>,
    /// Tests of both sides that did not come to their end on one side or on both.
    pub early_runs: Vec<EarlyRun>,
    /// All methods that ran in runs that both sides have, the greatest difference of own sends first.
    pub methods: Vec<MethodDifference>,
    /// The classes of these methods, the greatest difference of own sends first.
    pub classes: Vec<ClassDifference>,
}

impl Difference {
    /// After minus before, of the sends of all runs.
    pub fn sends_difference(&self) -> i128 {
        i128::from(self.after.sends) - i128::from(self.before.sends)
    }

    /// After minus before, of the work of all runs; none if a side has no work.
    pub fn work_difference(&self) -> Option<i128> {
        self.before.work_difference(&self.after)
    }

    /// The limits of the counts, for the foot of a report.
    pub(crate) fn proxy(&self) -> String {
        let of_work = match self.before.work > 0 && self.work_difference().is_some() {
            true => WORK_PROXY,
            false => "",
        };
        self.unit.proxy() + of_work
    }

    /// Whether work differs, and sends are the same or differ the other way.
    pub fn is_work_against_sends(&self) -> bool {
        let way = self.work_difference().unwrap_or(0).signum();
        way != 0 && way != self.sends_difference().signum()
    }

    /// Whether no count differs and the same runs are on both sides.
    pub fn is_same(&self) -> bool {
        self.runs.iter().all(|run| !run.differs())
            && self
                .methods
                .iter()
                .all(|method| method.before == method.after)
            && self.added_runs.is_empty()
            && self.removed_runs.is_empty()
            && self
                .early_runs
                .iter()
                .all(|run| run.endings.0 == run.endings.1)
    }

    /// Costs that moved against the direction in which the sends moved, as sentences (counting model, 8).
    pub fn opposed(&self) -> Vec<String> {
        self.before.opposed(&self.after)
    }
}

/// Compares two measurements, whether their counts mean the same or not.
pub fn difference(old: &Measurement, new: &Measurement) -> Difference {
    let matched = Matched::new(old, new);
    let runs = Runs::of(old, new);
    let mut difference = Difference {
        unit: old.unit.of_both(&new.unit),
        incomparable: incomparable(old, new),
        notes: notes(old, new, &runs),
        work_parts: work::parts(old, new, &runs),
        ..Difference::default()
    };
    rows::fill(&mut difference, &matched, &runs);
    difference
}

/// The runs of two measurements: in pairs by their names, or alone. Runs of the same name are taken in order.
pub(crate) struct Runs<'m> {
    pub(crate) both: Vec<(&'m MeasuredRun, &'m MeasuredRun)>,
    pub(crate) added: Vec<&'m MeasuredRun>,
    pub(crate) removed: Vec<&'m MeasuredRun>,
    /// Tests that did not come to their end on a side.
    pub(crate) early: Vec<(&'m MeasuredRun, &'m MeasuredRun)>,
}

impl<'m> Runs<'m> {
    pub(crate) fn of(old: &'m Measurement, new: &'m Measurement) -> Runs<'m> {
        let mut waiting: BTreeMap<&str, VecDeque<&MeasuredRun>> = BTreeMap::new();
        for run in &new.runs {
            waiting.entry(&run.name).or_default().push_back(run);
        }
        let mut runs = Runs {
            both: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            early: Vec::new(),
        };
        for before in &old.runs {
            match waiting
                .get_mut(before.name.as_str())
                .and_then(VecDeque::pop_front)
            {
                Some(after) if is_early(before, after) => runs.early.push((before, after)),
                Some(after) => runs.both.push((before, after)),
                None => runs.removed.push(before),
            }
        }
        runs.added = waiting.into_values().flatten().collect();
        runs
    }
}

/// Whether a test did not come to its end on a side. A script is compared as far as it came.
fn is_early(before: &MeasuredRun, after: &MeasuredRun) -> bool {
    let is_complete = before.ending.is_complete() && after.ending.is_complete();
    !before.name.is_empty() && !is_complete
}

fn incomparable(old: &Measurement, new: &Measurement) -> Vec<Incomparable> {
    let mut reasons = Vec::new();
    if old.unit.name != new.unit.name || old.unit.is_tally() != new.unit.is_tally() {
        let names = match old.unit.name == new.unit.name {
            true => (old.unit.described(), new.unit.described()),
            false => (old.unit.name.clone(), new.unit.name.clone()),
        };
        reasons.push(Incomparable::Unit(names.0, names.1));
    }
    if old.model != new.model {
        reasons.push(Incomparable::Model(old.model, new.model));
    }
    if old.library != new.library {
        let libraries = (old.library.clone(), new.library.clone());
        reasons.push(Incomparable::Library(libraries.0, libraries.1));
    }
    reasons
}

fn notes(old: &Measurement, new: &Measurement, runs: &Runs<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let differing = [
        (
            "the arguments of the script differ",
            old.arguments != new.arguments,
        ),
        ("the seeds differ", old.seed != new.seed),
        ("the limits differ", old.limits != new.limits),
    ];
    let differing = differing.iter().filter(|(_, is_so)| *is_so);
    notes.extend(differing.map(|(note, _)| (*note).to_string()));
    if old.inputs != new.inputs {
        let names = changed_inputs(old, new);
        notes.push(format!(
            "what was read from outside differs: {}",
            listed(&names)
        ));
    }
    notes.extend(early_notes(&runs.early));
    let all = runs.both.iter();
    let of_some = |is_so: fn(&MeasuredRun) -> bool| {
        let found = all.clone().filter(move |(a, b)| is_so(a) || is_so(b));
        found.map(|(run, _)| run.name.clone()).collect::<Vec<_>>()
    };
    let reservations = [
        (
            "did not end well on a side; the counts end there",
            of_some(|run| !run.ending.is_complete()),
        ),
        (
            "cannot be reproduced exactly",
            of_some(|run| !run.is_reproducible),
        ),
        (
            "had no room for the whole calling-context tree: totals may be too low, and explanations are coarser",
            of_some(|run| !run.is_tree_complete),
        ),
    ];
    for (note, names) in reservations {
        if !names.is_empty() {
            let names: Vec<String> = names
                .iter()
                .map(|name| run_name(name).to_string())
                .collect();
            notes.push(format!("{} {note}", listed(&names)));
        }
    }
    notes
}

/// The tests that ended early, by how they ended.
fn early_notes(early: &[(&MeasuredRun, &MeasuredRun)]) -> Vec<String> {
    let mut groups: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (before, after) in early {
        let ended = endings((before.ending, after.ending));
        groups.entry(ended).or_default().push(after.name.clone());
    }
    let text = |(ended, names): (&str, Vec<String>)| {
        format!(
            "in no sum, because a test did not come to its end: {} ({ended})",
            listed(&names)
        )
    };
    groups.into_iter().map(text).collect()
}

/// The inputs that differ, as words.
pub(crate) fn changed_inputs(old: &Measurement, new: &Measurement) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let alone = |one: &Measurement, other: &Measurement| {
        let inputs = one
            .inputs
            .iter()
            .filter(|input| !other.inputs.contains(input));
        inputs.map(input_name).collect::<Vec<_>>()
    };
    for name in alone(old, new).into_iter().chain(alone(new, old)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn input_name(input: &tally_profiler::Input) -> String {
    use tally_profiler::InputKind;
    let name = &input.name;
    match input.kind {
        InputKind::File => format!("the file {name}"),
        InputKind::Folder => format!("the folder {name}"),
        InputKind::Facts => format!("whether and what {name} is"),
        InputKind::Room => format!("whether {name} can be written"),
        InputKind::Variable => format!("the variable {name}"),
        InputKind::VariableNames => "the names of variables".to_string(),
        InputKind::StandardInput => "the standard input".to_string(),
        InputKind::WorkingDirectory => "the working directory".to_string(),
    }
}

/// A run's name in sentences.
pub(crate) fn run_name(name: &str) -> &str {
    if name.is_empty() { "the run" } else { name }
}

/// How many names are listed before the rest is a number.
const LISTED: usize = 5;

/// A few names, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    let mut text = names
        .iter()
        .take(LISTED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}
