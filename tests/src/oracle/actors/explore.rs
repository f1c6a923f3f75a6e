//! Every state of a program, breadth first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::computations::{Computations, computations};
use super::costs::Machine;
pub use super::key::Sameness;
use super::language::Program;
use super::state::{Delivery, Ending, Failure, Name, Outputs, State};

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Which pending messages can be taken.
    pub delivery: Delivery,
    /// Prices of Work and Depth.
    pub machine: Machine,
    /// At most this number of states.
    pub states: usize,
    /// At most this number of sets of events.
    pub prefixes: usize,
    /// Which states are one.
    pub sameness: Sameness,
}

impl Setting {
    /// Exploration with a delivery, on a machine where nothing costs anything but local time.
    pub fn new(delivery: Delivery) -> Setting {
        Setting {
            delivery,
            machine: Machine::default(),
            states: 100_000,
            prefixes: 100_000,
            sameness: Sameness::default(),
        }
    }
}

/// What an exploration finds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many states.
    pub states: usize,
    /// How many transitions; taking one of several equal messages is one.
    pub transitions: usize,
    /// How many transitions if taking each of several equal messages is one.
    pub deliveries: usize,
    /// What was written, in all final states without a failure.
    pub results: BTreeSet<Outputs>,
    /// How many states are an end, for each ending.
    pub endings: BTreeMap<Ending, usize>,
    /// The failures.
    pub failures: BTreeSet<Failure>,
    /// The actors that are left in final states.
    pub waiting: BTreeSet<BTreeSet<Name>>,
    /// How many transitions lose messages to disposed actors.
    pub lossy: usize,
    /// How many paths lead through the merged states to an end; none if a path returns to itself.
    pub schedules: Option<u128>,
    /// The computations, unless a path returns to itself or there are too many sets of events.
    pub computations: Option<Computations>,
}

/// Explores a program; `None` if it has too many states.
pub fn explore(program: &Program, setting: &Setting) -> Option<Found> {
    let delivery = setting.delivery;
    let start = State::start(program);
    let mut numbers = BTreeMap::from([(start.key(delivery, &setting.sameness), 0)]);
    let mut open = VecDeque::from([start]);
    let mut arrows = Vec::new();
    let mut found = Found::default();
    while let Some(state) = open.pop_front() {
        found.end(&state);
        let mut labels = BTreeSet::new();
        for choice in state.choices(delivery) {
            found.deliveries += 1;
            let message = state.pending[choice].message.clone();
            let is_other = labels.insert((state.channel(choice, delivery), message));
            found.transitions += usize::from(is_other);
            let (next, _) = state.realise(program, choice);
            let is_lossy = is_other && next.dead_letters > state.dead_letters;
            found.lossy += usize::from(is_lossy);
            found.failures.extend(next.failure.clone());
            let fresh = numbers.len();
            let key = next.key(delivery, &setting.sameness);
            let number = *numbers.entry(key).or_insert(fresh);
            if number == fresh {
                open.push_back(next);
            }
            arrows.push((found.states, number));
        }
        found.states += 1;
        if numbers.len() > setting.states {
            return None;
        }
    }
    found.schedules = paths(found.states, &arrows);
    if found.schedules.is_some() {
        let (machine, limit) = (&setting.machine, setting.prefixes);
        found.computations = computations(program, delivery, machine, limit);
    }
    Some(found)
}

impl Found {
    /// Notes what a state shows.
    fn end(&mut self, state: &State) {
        if let Some(ending) = state.ending() {
            *self.endings.entry(ending).or_default() += 1;
        }
        if state.pending.is_empty() && state.failure.is_none() {
            self.results.insert(state.outputs.clone());
            self.waiting.insert(state.actors.keys().cloned().collect());
        }
    }
}

/// How many paths lead from the first state to states without an arrow; `None` if a path returns to itself. States are
/// removed one by one when no arrow leads to them.
fn paths(states: usize, arrows: &[(usize, usize)]) -> Option<u128> {
    let mut next = vec![Vec::new(); states];
    let mut incoming = vec![0; states];
    for (from, to) in arrows {
        next[*from].push(*to);
        incoming[*to] += 1;
    }
    let mut paths = vec![0; states];
    paths[0] = 1;
    let mut free: Vec<usize> = (0..states).filter(|state| incoming[*state] == 0).collect();
    let (mut removed, mut ends) = (0, 0);
    while let Some(state) = free.pop() {
        removed += 1;
        if next[state].is_empty() {
            ends += paths[state];
        }
        for to in &next[state] {
            paths[*to] += paths[state];
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                free.push(*to);
            }
        }
    }
    (removed == states).then_some(ends)
}
