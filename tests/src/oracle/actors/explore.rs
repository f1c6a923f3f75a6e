//! Every state of a program, breadth first.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::computations::{Computations, computations};
use super::costs::Machine;
use super::language::Program;
use super::state::{Delivery, Failure, Name, Outputs, State};

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
    /// Whether states are equal that differ only in the contents of actors that no message can reach.
    pub drops: bool,
}

impl Setting {
    /// Exploration with a delivery, on a machine where nothing costs anything but local time.
    pub fn new(delivery: Delivery) -> Setting {
        Setting {
            delivery,
            machine: Machine::default(),
            states: 100_000,
            prefixes: 100_000,
            drops: false,
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
    /// The failures.
    pub failures: BTreeSet<Failure>,
    /// The actors that are left in final states.
    pub waiting: BTreeSet<BTreeSet<Name>>,
    /// The most messages to disposed actors that were seen.
    pub dead_letters: usize,
    /// Whether a path of states returns to itself. Then there is no end of computations.
    pub is_endless: bool,
    /// The computations, unless there are too many sets of events.
    pub computations: Option<Computations>,
}

/// Explores a program; `None` if it has too many states.
pub fn explore(program: &Program, setting: &Setting) -> Option<Found> {
    let delivery = setting.delivery;
    let start = State::start(program);
    let mut numbers = BTreeMap::from([(start.key(delivery, setting.drops), 0)]);
    let mut open = VecDeque::from([start]);
    let mut arrows = Vec::new();
    let mut found = Found::default();
    while let Some(state) = open.pop_front() {
        found.end(&state);
        let mut labels = BTreeSet::new();
        for choice in state.choices(delivery) {
            found.deliveries += 1;
            let message = state.pending[choice].message.clone();
            if !labels.insert((state.channel(choice, delivery), message)) {
                continue;
            }
            found.transitions += 1;
            let (next, _) = state.realise(program, choice);
            found.failures.extend(next.failure.clone());
            let fresh = numbers.len();
            let key = next.key(delivery, setting.drops);
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
    found.is_endless = has_cycle(found.states, &arrows);
    if !found.is_endless {
        let (machine, limit) = (&setting.machine, setting.prefixes);
        found.computations = computations(program, delivery, machine, limit);
    }
    Some(found)
}

impl Found {
    /// Notes what a state shows.
    fn end(&mut self, state: &State) {
        self.dead_letters = self.dead_letters.max(state.dead_letters);
        if state.pending.is_empty() && state.failure.is_none() {
            self.results.insert(state.outputs.clone());
            self.waiting.insert(state.actors.keys().cloned().collect());
        }
    }
}

/// Whether some path returns: not all states can be removed one by one when no arrow leads to them.
fn has_cycle(states: usize, arrows: &[(usize, usize)]) -> bool {
    let mut next = vec![Vec::new(); states];
    let mut incoming = vec![0; states];
    for (from, to) in arrows {
        next[*from].push(*to);
        incoming[*to] += 1;
    }
    let mut free: Vec<usize> = (0..states).filter(|state| incoming[*state] == 0).collect();
    let mut removed = 0;
    while let Some(state) = free.pop() {
        removed += 1;
        for to in &next[state] {
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                free.push(*to);
            }
        }
    }
    removed < states
}
