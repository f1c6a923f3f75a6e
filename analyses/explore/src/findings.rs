//! What an exploration found out: results, determinacy, failures, cycles, and actors that wait for ever.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::computations::Computations;
use crate::counting::CountedComputations;
use crate::cycles::Components;
use crate::names::ActorId;
use crate::program::Program;
use crate::space::{Limit, Space};
use crate::state::{Delivery, State};
use crate::tables::Tables;
use crate::walk::{ScheduleStep, Walk, step};

/// How the results of a program depend on the order of messages. A failure counts as a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Determinacy {
    /// There is one computation.
    Internal,
    /// There are several computations with one result.
    External,
    /// There are several results, and finitely many computations.
    Bounded,
    /// There is a computation without end, in which every message arrives.
    Unbounded,
    /// A limit ended the exploration, or cycles were not looked for.
    Unknown,
}

/// Whether states repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Cycles {
    /// Transitions were not kept.
    NotLookedFor,
    /// No state repeats.
    None,
    /// States repeat only while a message stays pending for ever.
    Unfair,
    /// States repeat while every message arrives.
    Fair,
}

/// What one actor wrote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Written {
    /// The actor's name.
    pub actor: String,
    /// Its outputs in order.
    pub outputs: Vec<String>,
}

/// A result: what the actors wrote, or the error of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// What each actor wrote that wrote something, by the actors' names.
    pub written: Vec<Written>,
    /// The actor whose turn failed, and the message of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, String)>,
    /// The final states with this result.
    pub states: u64,
    /// The first of these states.
    #[serde(skip)]
    pub(crate) first: u32,
    /// The computations with this result, if they were counted.
    pub computations: Option<u64>,
    /// The schedules with this result, if they were counted.
    #[serde(serialize_with = "text")]
    pub schedules: Option<u128>,
}

/// A number that may be too large for JSON. The largest one stands for all larger ones.
fn text<S: serde::Serializer>(number: &Option<u128>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = number.map(|number| match number {
        u128::MAX => "more than 10^38".to_string(),
        number => number.to_string(),
    });
    text.serialize(serializer)
}

impl Outcome {
    /// What was written, in one line.
    pub fn text(&self) -> String {
        text_of_result(&self.written, self.failure.as_ref())
    }
}

/// What actors wrote, and the failure, in one line.
pub(crate) fn text_of_result(written: &[Written], failure: Option<&(String, String)>) -> String {
    let lists = written.iter().map(|list| match written {
        [_] => list.outputs.join(", "),
        _ => format!("{}: {}", list.actor, list.outputs.join(", ")),
    });
    let lists: Vec<String> = lists.collect();
    match (failure, lists.is_empty()) {
        (Some((actor, text)), true) => format!("{actor} fails: {text}"),
        (Some((actor, text)), false) => format!("{}; {actor} fails: {text}", lists.join("; ")),
        (None, true) => "no output".to_string(),
        (None, false) => lists.join("; "),
    }
}

/// By what results are in order: failures last, and numbers by their values.
pub(crate) fn rank_of_result(text: String, is_failure: bool) -> (bool, i64, String) {
    (is_failure, text.parse::<i64>().unwrap_or(i64::MAX), text)
}

/// A failure, with a shortest schedule that leads to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The actor whose turn fails.
    pub actor: String,
    /// The message of the error.
    pub text: String,
    /// The final states with this failure.
    pub states: u64,
    /// The turns up to the one that fails.
    pub schedule: Vec<ScheduleStep>,
}

/// A fair cycle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Livelock {
    /// The turns up to the cycle.
    pub stem: Vec<ScheduleStep>,
    /// The turns of the cycle.
    pub cycle: Vec<ScheduleStep>,
}

/// An actor that is not disposed in final states without a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Waiting {
    /// Its name.
    pub actor: String,
    /// Its behaviour in the first of these states.
    pub behaviour: String,
    /// How many these states are.
    pub states: u64,
}

/// What an exploration found out.
#[derive(Debug, Clone)]
pub struct Findings {
    /// How the results depend on the order of messages.
    pub determinacy: Determinacy,
    /// The results by their texts, failures last.
    pub outcomes: Vec<Outcome>,
    /// The failures, with the shortest schedule first.
    pub failures: Vec<Failure>,
    /// Whether states repeat.
    pub cycles: Cycles,
    /// A cycle that is fair.
    pub livelock: Option<Livelock>,
    /// Actors that are left.
    pub waiting: Vec<Waiting>,
    /// The number of schedules, if it is finite and known. The largest number stands for all larger ones.
    pub schedules: Option<u128>,
    /// The nodes of the tree before equal states are merged.
    pub nodes: Option<u128>,
    /// The number of computations, if it is known.
    pub computations: Option<u64>,
    /// The transitions that lost messages to disposed actors.
    pub lossy: u64,
    /// The outcome of each final state, as a place of `outcomes`.
    pub(crate) results: Vec<u32>,
    /// The outcome of each computation.
    pub(crate) computation_results: Vec<u32>,
}

impl Findings {
    /// Whether a schedule fails, or may go on for ever.
    pub fn is_failed(&self) -> bool {
        !self.failures.is_empty() || self.cycles == Cycles::Fair
    }

    /// Adds how many computations there are, and how many lead to each result, if they are known in whole and were not known before.
    pub fn add_counts(&mut self, counted: &CountedComputations) {
        if self.computations.is_some() || counted.limit.is_some() {
            return;
        }
        self.computations = Some(counted.computations);
        let results = counted.results.iter();
        let results = results.map(|one| ((&one.failure, &one.written), one.computations));
        let results: BTreeMap<_, u64> = results.collect();
        for outcome in &mut self.outcomes {
            let found = results.get(&(&outcome.failure, &outcome.written));
            outcome.computations = Some(found.copied().unwrap_or(0));
        }
    }

    /// Whether all computations end, so that those that were not counted can be.
    pub fn can_be_counted(&self) -> bool {
        self.computations.is_none() && self.cycles == Cycles::None
    }

    /// The result of a computation, by its number from 0.
    pub fn outcome_of(&self, computation: usize) -> Option<&Outcome> {
        let place = self.computation_results.get(computation)?;
        self.outcomes.get(*place as usize)
    }
}

impl Space {
    /// What was found out. Computations are counted if they are given.
    ///
    /// # Errors
    ///
    /// Those of the program, whose turns are executed again along schedules.
    pub fn findings<P: Program>(
        &mut self,
        program: &mut P,
        computations: Option<&Computations>,
    ) -> Result<Findings, P::Error> {
        let computations = computations.filter(|_| self.limit.is_none());
        let components = self.has_graph().then(|| self.components());
        let ways = components
            .as_ref()
            .filter(|_| self.limit.is_none())
            .and_then(|components| self.ways(components));
        let fair = components.as_ref().and_then(|all| self.fair(all).cloned());
        let cycles = match (&components, &fair) {
            (None, _) => Cycles::NotLookedFor,
            (_, Some(_)) => Cycles::Fair,
            // A cycle may close in a part that was not explored.
            _ if self.limit.is_some() => Cycles::NotLookedFor,
            (Some(Components { cyclic, .. }), _) if cyclic.is_empty() => Cycles::None,
            _ => Cycles::Unfair,
        };
        let (mut outcomes, numbers) = self.outcomes(program);
        let number = |state: &State| numbers[&key(state, &self.tables, program)];
        let finals = (0..self.finals.len()).map(|place| number(&self.final_state(place)));
        let results: Vec<u32> = finals.collect();
        let computed = computations.iter().flat_map(|all| &all.all);
        let computation_results: Vec<u32> = computed.map(|one| number(one.state())).collect();
        for number in &computation_results {
            *outcomes[*number as usize].computations.get_or_insert(0) += 1;
        }
        if let Some(ways) = &ways {
            for (number, state) in results.iter().zip(&self.finals) {
                let schedules = outcomes[*number as usize].schedules.get_or_insert(0);
                *schedules = schedules.saturating_add(ways.to[*state as usize]);
            }
        }
        let livelock = match fair {
            Some(component) => Some(self.livelock(program, &component)?),
            None => None,
        };
        let failures = self.failures(program, &outcomes)?;
        let all = |outcomes: &[Outcome]| {
            let schedules = outcomes.iter().filter_map(|one| one.schedules);
            schedules.fold(0, u128::saturating_add)
        };
        Ok(Findings {
            determinacy: self.determinacy(cycles, outcomes.len(), computations),
            failures,
            cycles,
            livelock,
            waiting: self.waiting(program),
            schedules: ways.as_ref().map(|_| all(&outcomes)),
            nodes: ways.map(|ways| ways.nodes()),
            computations: computations.map(|all| all.len() as u64),
            lossy: self.lossy,
            outcomes,
            results,
            computation_results,
        })
    }

    fn determinacy(
        &self,
        cycles: Cycles,
        outcomes: usize,
        computations: Option<&Computations>,
    ) -> Determinacy {
        let is_one = match computations {
            Some(computations) => computations.len() == 1,
            None => !self.has_conflicts,
        };
        match (self.limit, cycles) {
            (_, Cycles::Fair) => Determinacy::Unbounded,
            (Some(_), _) | (_, Cycles::NotLookedFor) => Determinacy::Unknown,
            _ if is_one => Determinacy::Internal,
            _ if outcomes == 1 => Determinacy::External,
            _ => Determinacy::Bounded,
        }
    }

    /// The results by their texts, and their places.
    fn outcomes<P: Program>(&self, program: &P) -> (Vec<Outcome>, BTreeMap<Key, u32>) {
        let mut found: BTreeMap<Key, Outcome> = BTreeMap::new();
        for (place, first) in self.finals.iter().enumerate() {
            let key = key(&self.final_state(place), &self.tables, program);
            let outcome = found
                .entry(key)
                .or_insert_with_key(|(failure, written)| Outcome {
                    written: written.clone(),
                    failure: failure.clone(),
                    states: 0,
                    first: *first,
                    computations: None,
                    schedules: None,
                });
            outcome.states += 1;
        }
        let mut outcomes: Vec<Outcome> = found.into_values().collect();
        outcomes.sort_by_cached_key(|outcome| {
            rank_of_result(outcome.text(), outcome.failure.is_some())
        });
        let numbers = (0..).zip(&outcomes).map(|(number, outcome)| {
            let key = (outcome.failure.clone(), outcome.written.clone());
            (key, number)
        });
        let numbers = numbers.collect();
        (outcomes, numbers)
    }

    /// A failure for each actor and message, with its shortest schedule.
    fn failures<P: Program>(
        &mut self,
        program: &mut P,
        outcomes: &[Outcome],
    ) -> Result<Vec<Failure>, P::Error> {
        let mut found: BTreeMap<&(String, String), (u32, u64)> = BTreeMap::new();
        for outcome in outcomes {
            if let Some(failure) = &outcome.failure {
                let (first, states) = found.entry(failure).or_insert((outcome.first, 0));
                *first = outcome.first.min(*first);
                *states += outcome.states;
            }
        }
        let mut failures = Vec::new();
        for ((actor, text), (first, states)) in found {
            let choices = self.path(first);
            let (walk, events) = self.schedule(program, &choices)?;
            let failure = Failure {
                actor: actor.clone(),
                text: text.clone(),
                states,
                schedule: self.steps(&walk, &events, program),
            };
            failures.push((first, failure));
        }
        failures.sort_by_key(|(first, _)| *first);
        Ok(failures.into_iter().map(|(_, failure)| failure).collect())
    }

    /// A shortest schedule with a result.
    ///
    /// # Errors
    ///
    /// Those of the program, whose turns are executed again.
    pub fn schedule_to<P: Program>(
        &mut self,
        outcome: &Outcome,
        program: &mut P,
    ) -> Result<Vec<ScheduleStep>, P::Error> {
        let choices = self.path(outcome.first);
        let (walk, events) = self.schedule(program, &choices)?;
        Ok(self.steps(&walk, &events, program))
    }

    fn livelock<P: Program>(
        &mut self,
        program: &mut P,
        component: &[u32],
    ) -> Result<Livelock, P::Error> {
        let lasso = self.lasso(component);
        let (mut walk, events) = self.schedule(program, &lasso.stem)?;
        let stem = self.steps(&walk, &events, program);
        let mut events = Vec::new();
        let mut state = State::default();
        let length = lasso.cycle.len();
        for (number, choice) in lasso.cycle {
            self.load(number, &mut state);
            events.extend(walk.follow(self, program, &state, choice)?);
        }
        debug_assert_eq!(events.len(), length, "the walk follows the whole cycle");
        let cycle = self.steps(&walk, &events, program);
        Ok(Livelock { stem, cycle })
    }

    /// Events as steps of a schedule.
    pub(crate) fn steps<P: Program>(
        &self,
        walk: &Walk,
        events: &[u32],
        program: &P,
    ) -> Vec<ScheduleStep> {
        let events = events
            .iter()
            .map(|event| &walk.unfolding.events[*event as usize]);
        let steps = events.map(|event| step(event, &walk.unfolding, &self.tables, program));
        steps.collect()
    }

    /// The actors that final states without a failure still have.
    fn waiting<P: Program>(&self, program: &P) -> Vec<Waiting> {
        let mut found: BTreeMap<ActorId, (u32, u64)> = BTreeMap::new();
        for place in 0..self.finals.len() {
            let state = self.final_state(place);
            if state.failed.is_none() {
                for local in &state.actors {
                    let actor = self.tables.actor(*local);
                    found.entry(actor).or_insert((*local, 0)).1 += 1;
                }
            }
        }
        let waiting = found.into_iter().map(|(actor, (local, states))| Waiting {
            actor: self.tables.names.text(actor),
            behaviour: self.tables.behaviour_text(local, program),
            states,
        });
        waiting.collect()
    }

    /// The verdict about limits, in words.
    pub fn limit_text(&self) -> Option<&'static str> {
        self.limit.map(|limit| match limit {
            Limit::States => "the limit of states",
            Limit::Actors => "the limit of actors in a state",
            Limit::Pending => "the limit of pending messages in a state",
            Limit::Stopped => "an interrupt",
            Limit::Storage => "a file of states that cannot be used",
        })
    }

    /// The actor with the most pending messages in a state, and their number, if the state is kept.
    pub(crate) fn largest_mailbox(&self, number: u32) -> Option<(String, u64)> {
        if !self.has_graph() {
            return None;
        }
        let mut state = State::default();
        self.load(number, &mut state);
        let mut counts: BTreeMap<ActorId, u64> = BTreeMap::new();
        for pending in &state.pending {
            *counts.entry(self.tables.target(*pending)).or_insert(0) += 1;
        }
        let fullest = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        fullest.map(|(actor, count)| (self.tables.names.text(actor), count))
    }

    /// The delivery, in words.
    pub(crate) fn delivery_text(&self) -> &'static str {
        match self.delivery {
            Delivery::Any => "in any order",
            Delivery::Fifo => "in order from each sender to each target",
            Delivery::Causal => "in causal order",
        }
    }
}

/// By what results differ.
pub(crate) type Key = (Option<(String, String)>, Vec<Written>);

pub(crate) fn key<P: Program>(state: &State, tables: &Tables, program: &P) -> Key {
    let lists = state.outputs.iter().map(|list| {
        let outputs = tables.outputs(*list).into_iter();
        Written {
            actor: tables.names.text(tables.writings[*list as usize].actor),
            outputs: outputs.map(|output| program.output_text(output)).collect(),
        }
    });
    let mut written: Vec<Written> = lists.collect();
    written.sort();
    let failed = state.failed.as_ref();
    let failure =
        failed.map(|(actor, text)| (tables.names.text(*actor), program.output_text(*text)));
    (failure, written)
}
