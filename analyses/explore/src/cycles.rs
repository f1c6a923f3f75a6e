//! Cycles among states, by Tarjan's algorithm, and whether a cycle is fair. In a fair cycle no message stays pending throughout. Of equal
//! messages, the delivery of one suffices.

use std::collections::HashSet;

use crate::space::Space;
use crate::state::{Scratch, State};

/// Strongly connected components of the states.
#[derive(Debug, Clone)]
pub(crate) struct Components {
    /// All states. The successors of a state are before it, or in its component.
    pub(crate) order: Vec<u32>,
    /// Components with a cycle, as lists of states.
    pub(crate) cyclic: Vec<Vec<u32>>,
}

/// A state on the stack of the search.
struct Visit {
    state: u32,
    successors: Vec<u32>,
    next: usize,
}

#[derive(Default)]
struct Search {
    /// When each state was found, from 1, and the earliest state that it reaches. A finished state has the latest time.
    times: Vec<u32>,
    earliest: Vec<u32>,
    now: u32,
    stack: Vec<u32>,
    order: Vec<u32>,
    cyclic: Vec<Vec<u32>>,
}

const FINISHED: u32 = u32::MAX;

impl Search {
    fn visit(&mut self, space: &Space, state: u32) -> Visit {
        self.now += 1;
        self.times[state as usize] = self.now;
        self.earliest[state as usize] = self.now;
        self.stack.push(state);
        let mut successors = Vec::new();
        space.successors(state, &mut successors);
        Visit {
            state,
            successors,
            next: 0,
        }
    }

    fn from(&mut self, space: &Space, root: u32) {
        let mut visits = vec![self.visit(space, root)];
        while let Some(visit) = visits.last_mut() {
            let state = visit.state;
            if let Some(next) = visit.successors.get(visit.next).copied() {
                visit.next += 1;
                match self.times[next as usize] {
                    0 => visits.push(self.visit(space, next)),
                    FINISHED => {}
                    time => {
                        let earliest = &mut self.earliest[state as usize];
                        *earliest = time.min(*earliest);
                    }
                }
                continue;
            }
            let is_own = visit.successors.contains(&state);
            visits.pop();
            if let Some(before) = visits.last() {
                let reached = self.earliest[state as usize];
                let earliest = &mut self.earliest[before.state as usize];
                *earliest = reached.min(*earliest);
            }
            if self.earliest[state as usize] == self.times[state as usize] {
                self.finish(state, is_own);
            }
        }
    }

    /// Takes the component of a state from the stack.
    fn finish(&mut self, state: u32, has_loop: bool) {
        let place = self.stack.iter().rposition(|other| *other == state);
        let mut component = self.stack.split_off(place.unwrap_or(0));
        for state in &component {
            self.times[*state as usize] = FINISHED;
        }
        self.order.extend(&component);
        if has_loop || component.len() > 1 {
            component.sort_unstable();
            self.cyclic.push(component);
        }
    }
}

/// A fair cycle, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lasso {
    /// The choices from the start to the first state of the cycle.
    pub(crate) stem: Vec<u32>,
    /// The choices along the cycle, with the state before each.
    pub(crate) cycle: Vec<(u32, u32)>,
}

impl Space {
    /// The components of the states. They need the whole graph.
    pub(crate) fn components(&self) -> Components {
        let count = self.states() as usize;
        let mut search = Search {
            times: vec![0; count],
            earliest: vec![0; count],
            ..Search::default()
        };
        for state in 0..count as u32 {
            if search.times[state as usize] == 0 {
                search.from(self, state);
            }
        }
        search.cyclic.sort_unstable();
        Components {
            order: search.order,
            cyclic: search.cyclic,
        }
    }

    /// The first component with a fair cycle: no message is pending in all its states without arriving within it. The cycle that
    /// visits all transitions of the component is then fair. Otherwise no cycle of the component is.
    pub(crate) fn fair<'c>(&self, components: &'c Components) -> Option<&'c Vec<u32>> {
        let mut components = components.cyclic.iter();
        components.find(|component| self.is_fair(component))
    }

    fn is_fair(&self, component: &[u32]) -> bool {
        let mut state = State::default();
        self.load(component[0], &mut state);
        let mut waiting = state.pending.clone();
        let mut graph = Graph::new(self);
        for number in component {
            graph.load(*number);
            waiting.retain(|pending| graph.state.pending.contains(pending));
            for (next, place) in graph.successors.iter().zip(&graph.places) {
                if component.binary_search(next).is_ok() {
                    let arrives = graph.state.pending[*place as usize];
                    waiting.retain(|pending| *pending != arrives);
                }
            }
        }
        waiting.is_empty()
    }

    /// A fair cycle within a component that has one.
    pub(crate) fn lasso(&mut self, component: &[u32]) -> Lasso {
        let first = component[0];
        let mut graph = Graph::new(self);
        graph.load(first);
        let mut waiting = graph.state.pending.clone();
        let mut cycle = Vec::new();
        let mut at = first;
        while let Some(pending) = waiting.pop() {
            let (way, end) = graph.way(component, at, &|graph, place| {
                let arrives = place.map(|place: u32| graph.state.pending[place as usize]);
                arrives == Some(pending) || !graph.state.pending.contains(&pending)
            });
            cycle.extend(way);
            at = end;
        }
        if at != first || cycle.is_empty() {
            let (way, _) = graph.way(component, at, &|graph, place| {
                place.is_some_and(|place| graph.next(place) == Some(first))
            });
            cycle.extend(way);
        }
        Lasso {
            stem: self.path(first),
            cycle,
        }
    }
}

/// A state with its transitions.
pub(crate) struct Graph<'s> {
    space: &'s Space,
    scratch: Scratch,
    /// The state.
    pub(crate) state: State,
    /// The places of the messages that arrive, by choice.
    pub(crate) places: Vec<u32>,
    /// The states that follow, by choice.
    pub(crate) successors: Vec<u32>,
}

impl Graph<'_> {
    pub(crate) fn new(space: &Space) -> Graph<'_> {
        Graph {
            space,
            scratch: Scratch::default(),
            state: State::default(),
            places: Vec::new(),
            successors: Vec::new(),
        }
    }

    /// Goes to a state.
    pub(crate) fn load(&mut self, number: u32) {
        let Space {
            delivery, tables, ..
        } = self.space;
        self.space.load(number, &mut self.state);
        let places = &mut self.places;
        self.state
            .choices(*delivery, tables, &mut self.scratch, places);
        self.space.successors(number, &mut self.successors);
    }

    /// The successor by the message in a place.
    fn next(&self, place: u32) -> Option<u32> {
        let choice = self.places.iter().position(|other| *other == place)?;
        self.successors.get(choice).copied()
    }

    /// A shortest way within a component from a state until the end is reached, at a state or with a transition. Answers the
    /// transitions and the last state.
    fn way(
        &mut self,
        component: &[u32],
        from: u32,
        is_end: &dyn Fn(&Graph<'_>, Option<u32>) -> bool,
    ) -> (Vec<(u32, u32)>, u32) {
        let mut found: Vec<(u32, usize, u32)> = vec![(from, usize::MAX, 0)];
        let mut known = HashSet::from([from]);
        let mut next = 0;
        while next < found.len() {
            let number = found[next].0;
            self.load(number);
            if is_end(self, None) {
                return (way_to(&found, next), number);
            }
            for (choice, place) in (0..).zip(self.places.clone()) {
                let to = self.successors[choice as usize];
                if component.binary_search(&to).is_err() {
                    continue;
                }
                if is_end(self, Some(place)) {
                    let mut way = way_to(&found, next);
                    way.push((number, choice));
                    return (way, to);
                }
                if known.insert(to) {
                    found.push((to, next, choice));
                }
            }
            next += 1;
        }
        (Vec::new(), from)
    }
}

/// The transitions to a state that a search found.
fn way_to(found: &[(u32, usize, u32)], mut place: usize) -> Vec<(u32, u32)> {
    let mut way = Vec::new();
    while let Some((_, before, choice)) = found.get(place).copied() {
        if let Some((state, ..)) = found.get(before) {
            way.push((*state, choice));
        }
        place = before;
    }
    way.reverse();
    way
}
