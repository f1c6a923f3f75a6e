//! Work and Depth over merged states, without a list of computations. Work is a sum along paths. For Depth, a state has a set of vectors:
//! when each actor is ready and each message is there, and the latest end so far. Larger vectors never lead to a smaller Depth, so that
//! only the largest ones are kept for the largest Depth, and the smallest ones for the smallest. The figures are exact, unless a state has too
//! many vectors: then their bound in each component is kept.

use hashbrown::HashMap;

use crate::costs::Cost;
use crate::cycles::{Components, Graph};
use crate::machine::{Machine, TurnTimes};
use crate::matching::{Matching, kept, matching};
use crate::names::ActorId;
use crate::space::Space;
use crate::state::{Delivery, State};
use crate::tables::Turn;

/// Vectors that a search makes at most before each state keeps a bound only.
const MOST_VECTORS: usize = 20_000_000;

/// The least and the largest costs of all computations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Bounds {
    /// The least Work and the least Depth.
    pub least: Cost,
    /// The largest Work and the largest Depth.
    pub largest: Cost,
    /// Whether both are exact. Otherwise the least Depth may be too small, and the largest one too large.
    #[serde(rename = "isExact")]
    pub is_exact: bool,
}

/// When actors are ready and messages are there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Times {
    latest: u64,
    actors: Vec<u64>,
    pending: Vec<u64>,
}

impl Times {
    fn all(&self) -> impl Iterator<Item = &u64> {
        [&self.latest]
            .into_iter()
            .chain(&self.actors)
            .chain(&self.pending)
    }

    /// Whether no component is smaller, or none larger.
    fn covers(&self, other: &Times, is_largest: bool) -> bool {
        let mut pairs = self.all().zip(other.all());
        match is_largest {
            true => pairs.all(|(own, other)| own >= other),
            false => pairs.all(|(own, other)| own <= other),
        }
    }

    fn join(&mut self, other: &Times, is_largest: bool) {
        let own = self.actors.iter_mut().chain(&mut self.pending);
        let all = [&mut self.latest].into_iter().chain(own).zip(other.all());
        for (own, other) in all {
            *own = if is_largest {
                (*own).max(*other)
            } else {
                (*own).min(*other)
            };
        }
    }
}

/// The vectors of a state.
#[derive(Debug, Clone, Default)]
struct Front {
    vectors: Vec<Times>,
    is_bound: bool,
}

impl Front {
    fn add(&mut self, times: Times, is_largest: bool, most: usize) {
        if self
            .vectors
            .iter()
            .any(|other| other.covers(&times, is_largest))
        {
            return;
        }
        self.vectors
            .retain(|other| !times.covers(other, is_largest));
        self.vectors.push(times);
        if self.vectors.len() > most {
            self.is_bound = true;
            let mut vectors = self.vectors.drain(..);
            let joined = vectors.next().map(|first| {
                vectors.fold(first, |mut joined, other| {
                    joined.join(&other, is_largest);
                    joined
                })
            });
            self.vectors = joined.into_iter().collect();
        }
    }
}

impl Space {
    /// The costs of all computations on a machine. None if states repeat, or if they are not kept or not all known. `most` is the number
    /// of vectors that a state may have.
    pub fn bounds(&self, machine: &Machine, most: usize) -> Option<Bounds> {
        let is_whole = self.has_graph() && self.limit.is_none();
        let components = is_whole.then(|| self.components());
        let components = components.filter(|components| components.cyclic.is_empty())?;
        let (least_work, largest_work) = self.work(&components, machine);
        let depth = |is_largest: bool| {
            let search = Search {
                space: self,
                machine,
                is_largest,
            };
            search.depth(&components, most)
        };
        let ((least, is_least_bound), (largest, is_largest_bound)) = (depth(false), depth(true));
        Some(Bounds {
            least: Cost {
                work: least_work,
                depth: least,
            },
            largest: Cost {
                work: largest_work,
                depth: largest,
            },
            is_exact: !is_least_bound && !is_largest_bound,
        })
    }

    /// The least and the largest Work.
    fn work(&self, components: &Components, machine: &Machine) -> (u64, u64) {
        let tables = &self.tables;
        let mut ends = vec![(u64::MAX, 0u64); self.states() as usize];
        let mut graph = Graph::new(self);
        // Successors come first, so that the rest of the Work is known.
        for number in &components.order {
            graph.load(*number);
            let is_final = graph.places.is_empty();
            let mut found = if is_final { (0, 0) } else { (u64::MAX, 0) };
            for (place, next) in graph.places.iter().zip(&graph.successors) {
                let Some(taken) = graph.state.known(*place, tables) else {
                    continue;
                };
                let turn = &tables.turns[taken.turn as usize];
                let effect = &tables.effects[turn.effect as usize];
                let start_ups = turn.created.len() as u64 * machine.new_receiving;
                let weight = machine.times(effect).weight + start_ups;
                let (least, largest) = ends[*next as usize];
                found.0 = found.0.min(least.saturating_add(weight));
                found.1 = found.1.max(largest.saturating_add(weight));
            }
            ends[*number as usize] = found;
        }
        ends[0]
    }
}

/// A search for the least or largest Depth.
struct Search<'s> {
    space: &'s Space,
    machine: &'s Machine,
    is_largest: bool,
}

/// A transition, with what all vectors share in it.
struct Passing<'t> {
    /// The message's place.
    place: usize,
    /// The actor's place.
    position: usize,
    turn: &'t Turn,
    times: &'t TurnTimes,
    /// The messages that stay, by their places before.
    kept: Vec<usize>,
    /// For each message that the turn sends, whether its target takes messages.
    arrives: &'t [bool],
    matching: &'t Matching,
    /// For each place of the successor, its message.
    next: &'t State,
}

impl Search<'_> {
    /// The Depth, and whether it is a bound only.
    fn depth(&self, components: &Components, most: usize) -> (u64, bool) {
        let start = &self.space.start;
        let mut fronts: HashMap<u32, Front> = HashMap::new();
        let times = Times {
            latest: 0,
            actors: vec![0; start.actors.len()],
            pending: vec![0; start.pending.len()],
        };
        fronts
            .entry(0)
            .or_default()
            .add(times, self.is_largest, most);
        let mut graph = Graph::new(self.space);
        let mut next = State::default();
        let mut depth = if self.is_largest { 0 } else { u64::MAX };
        let mut is_bound = false;
        let (mut most, mut vectors) = (most, 0);
        for number in components.order.iter().rev() {
            let front = fronts.remove(number).unwrap_or_default();
            is_bound |= front.is_bound;
            vectors += front.vectors.len();
            if vectors > MOST_VECTORS {
                most = 1;
            }
            graph.load(*number);
            if graph.places.is_empty() {
                let latest = front.vectors.iter().map(|times| times.latest);
                depth = match self.is_largest {
                    true => latest.fold(depth, u64::max),
                    false => latest.fold(depth, u64::min),
                };
            }
            for (place, to) in graph.places.iter().zip(&graph.successors) {
                self.space.load(*to, &mut next);
                let found = fronts.entry(*to).or_default();
                self.pass(&graph.state, *place, &next, &front, found, most);
            }
        }
        (depth, is_bound)
    }

    /// Adds the vectors of a successor.
    fn pass(
        &self,
        state: &State,
        place: u32,
        next: &State,
        front: &Front,
        found: &mut Front,
        most: usize,
    ) {
        let tables = &self.space.tables;
        let (Some(taken), Some(position)) = (
            state.known(place, tables),
            state.position(tables.target(state.pending[place as usize]), tables),
        ) else {
            return;
        };
        let turn = &tables.turns[taken.turn as usize];
        let mut reached = state.clone();
        reached.take(place, taken, tables);
        let alive = |actor: ActorId| reached.position(actor, tables).is_some();
        let arrives = turn.sends.iter().map(|sent| alive(tables.target(*sent)));
        let arrives: Vec<bool> = arrives.collect();
        let matching = matching(&reached, next, self.space.delivery, tables);
        let times = self.machine.times(&tables.effects[turn.effect as usize]);
        let mut passing = Passing {
            place: place as usize,
            position,
            turn,
            times: &times,
            kept: Vec::new(),
            arrives: &arrives,
            matching: &matching,
            next,
        };
        // Equal messages may arrive at different times: each of them is tried.
        let is_equal = |other: &usize| match self.space.delivery {
            Delivery::Any => state.pending[*other] == state.pending[place as usize],
            _ => *other == place as usize,
        };
        for own in (0..state.pending.len()).filter(is_equal) {
            // The message in the first place stays instead, and comes behind in age. Equal messages are sorted by time.
            let mut kept = kept(state, place, turn, tables);
            for old in &mut kept {
                if *old == own {
                    *old = place as usize;
                }
            }
            passing.place = own;
            passing.kept = kept;
            for vector in &front.vectors {
                let times = self.after(&passing, vector);
                found.add(times, self.is_largest, most);
            }
        }
        found.is_bound |= front.is_bound;
    }

    /// A vector after a transition.
    fn after(&self, passing: &Passing<'_>, before: &Times) -> Times {
        let Passing {
            turn,
            times,
            position,
            ..
        } = passing;
        let start = before.pending[passing.place].max(before.actors[*position]);
        let end = start + times.weight;
        let latency = self.machine.latency;
        let mut actors = before.actors.clone();
        actors[*position] = end;
        if turn.is_disposal() {
            actors.remove(*position);
        }
        let ready = |leaves: &u64| start + leaves + latency + self.machine.new_receiving;
        actors.extend(times.news.iter().map(ready));
        let kept = passing.kept.iter().map(|old| before.pending[*old]);
        let mut pending: Vec<u64> = kept.collect();
        let sent = times.sends.iter().zip(passing.arrives);
        let sent = sent.filter(|(_, arrives)| **arrives);
        pending.extend(sent.map(|(leaves, _)| start + leaves + latency));
        let latest = times
            .news
            .iter()
            .map(ready)
            .fold(before.latest.max(end), u64::max);
        let matching = passing.matching;
        let mut after = Times {
            latest,
            actors: matching.actors.iter().map(|from| actors[*from]).collect(),
            pending: matching.pending.iter().map(|from| pending[*from]).collect(),
        };
        if self.space.delivery == Delivery::Any {
            sort_equal(&passing.next.pending, &mut after.pending);
        }
        after
    }
}

/// Sorts the times of equal messages.
fn sort_equal(pending: &[u32], times: &mut [u64]) {
    for place in 1..pending.len() {
        let mut at = place;
        while let Some(before) = (0..at).rev().find(|before| pending[*before] == pending[at]) {
            if times[before] <= times[at] {
                break;
            }
            times.swap(before, at);
            at = before;
        }
    }
}
