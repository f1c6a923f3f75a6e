//! What an exploration finds, in one form for the interpreter and for the engine, and what the interpreter finds.

use std::collections::BTreeMap;

use super::computations::{Computations, computations};
use super::costs::Machine;
use super::explore::{Sameness, Setting, explore};
use super::language::Program;
use super::state::Ending;

/// What each actor wrote, and the actor that failed and why.
pub type End = (BTreeMap<String, Vec<String>>, Option<(String, String)>);

/// How many states are an end. How many computations and schedules reach it, if computations are known.
pub type Reached = (u64, Option<(u64, u128)>);

/// How many computations have an ending, Work and Depth.
pub type Costs = BTreeMap<(End, u64, u64), u64>;

/// The least and the greatest Work, and the least and the greatest Depth.
pub type Range = [(u64, u64); 2];

/// What an exploration finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// How many states.
    pub states: u64,
    /// How many transitions.
    pub transitions: u64,
    /// The ends.
    pub ends: BTreeMap<End, Reached>,
    /// How many schedules, unless they do not end.
    pub schedules: Option<u128>,
    /// How many nodes the tree has if no states are merged, if computations are known.
    pub nodes: Option<u128>,
    /// How many sets of events there are, if computations are known.
    pub prefixes: Option<u64>,
    /// How results depend on the order of messages, if computations are known.
    pub determinacy: Option<String>,
    /// Work and Depth of all computations: with unit costs, and with the primes.
    pub costs: Option<[Costs; 2]>,
    /// The least and the greatest of them.
    pub ranges: Option<[Range; 2]>,
    /// How many transitions lose messages to disposed actors.
    pub lossy: u64,
}

/// What the interpreter finds with the engine's equality of states; `None` if there are too many states.
pub fn expected(program: &Program, setting: &Setting) -> Option<Numbers> {
    let explored = |renames: bool| {
        let sameness = Sameness {
            forgets: true,
            renames,
            drops: false,
        };
        let primes = Setting {
            machine: Machine::primes(),
            sameness,
            ..*setting
        };
        explore(program, &primes)
    };
    let mut found = explored(true)?;
    // How many actors an actor has made does not count, unless a result names one of these.
    if found.endings.keys().any(has_made) {
        found = explored(false)?;
    }
    let has_root = program.actors.len() == 1;
    let mut ends: BTreeMap<End, Reached> = BTreeMap::new();
    for (ending, states) in &found.endings {
        ends.insert(end(ending, has_root), (*states as u64, None));
    }
    let known = found.computations.as_ref();
    for ((ending, ..), (count, schedules)) in known.iter().flat_map(|all| &all.by_ending) {
        let reached = ends.entry(end(ending, has_root)).or_default();
        let (all, ways) = reached.1.get_or_insert((0, 0));
        *all += *count as u64;
        *ways += schedules;
    }
    let (delivery, limit) = (setting.delivery, setting.prefixes);
    let units = known.and_then(|_| computations(program, delivery, &Machine::units(), limit));
    let costs = units.as_ref().zip(known);
    let costs = costs.map(|(units, primes)| [units, primes].map(|all| costs_of(all, has_root)));
    Some(Numbers {
        states: found.states as u64,
        transitions: found.transitions as u64,
        schedules: found.schedules,
        nodes: known.map(|all| all.nodes),
        prefixes: known.map(|all| all.prefixes as u64),
        determinacy: known.map(|all| determinacy(all, ends.len()).to_string()),
        ranges: costs.as_ref().map(|all| [range(&all[0]), range(&all[1])]),
        costs,
        lossy: found.lossy as u64,
        ends,
    })
}

/// Whether an ending names an actor that another actor has made.
fn has_made((outputs, failure): &Ending) -> bool {
    let failed = failure.iter().map(|(name, _)| name);
    let mut names = outputs.keys().chain(failed);
    names.any(|name| name.0.len() > 1)
}

fn determinacy(computations: &Computations, ends: usize) -> &'static str {
    match (computations.complete + computations.failed, ends) {
        (1, _) => "Internal",
        (_, 1) => "External",
        _ => "Bounded",
    }
}

/// An ending in the paper's names.
pub(super) fn end((outputs, failure): &Ending, has_root: bool) -> End {
    let outputs = outputs.iter().map(|(name, written)| {
        let written = written.iter().map(i64::to_string);
        (name.of_paper(has_root), written.collect())
    });
    let failure = failure.as_ref();
    let failure = failure.map(|(name, fault)| (name.of_paper(has_root), fault.to_string()));
    (outputs.collect(), failure)
}

fn costs_of(computations: &Computations, has_root: bool) -> Costs {
    let mut costs = Costs::new();
    for ((ending, work, depth), (count, _)) in &computations.by_ending {
        *costs
            .entry((end(ending, has_root), *work, *depth))
            .or_default() += *count as u64;
    }
    costs
}

fn range(costs: &Costs) -> Range {
    let least_and_greatest = |values: Vec<u64>| {
        let least = values.iter().min().copied().unwrap_or(0);
        (least, values.into_iter().max().unwrap_or(0))
    };
    let works = costs.keys().map(|(_, work, _)| *work).collect();
    let depths = costs.keys().map(|(.., depth)| *depth).collect();
    [least_and_greatest(works), least_and_greatest(depths)]
}
